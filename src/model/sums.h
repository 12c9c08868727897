/* What follows from a processor's parts: the weight of each local arc, its account, and the totals of the regions.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_MODEL_SUMS_H
#define LP_MODEL_SUMS_H

#include "longpole/execution.h"

/* Sums while parts are written or walked. */
struct lp_sums {
    lp_ticks *totals;  /* [region] weight */
    lp_ticks kinds[4]; /* [enum lp_part_kind] duration */
    lp_ticks outside;  /* weight of region 0 */
    lp_ticks weight;   /* of the arc under way */
};

static inline void lp_sums_add(struct lp_sums *sums, lp_part part)
{
    lp_ticks duration = lp_part_duration(part), weight = lp_part_weight(part);
    uint32_t region = lp_part_region(part);
    sums->kinds[lp_part_kind(part)] += duration;
    sums->outside += region == 0 ? weight : 0;
    sums->totals[region] += weight;
    sums->weight += weight;
}

/* The weight of the arc under way, as a node keeps it; begins the next arc. */
static inline uint32_t lp_sums_next(struct lp_sums *sums)
{
    lp_ticks weight = sums->weight;
    sums->weight = 0;
    return weight < LP_WEIGHT_LARGE ? (uint32_t)weight : LP_WEIGHT_LARGE;
}

/* The account so far (`absent` is added by lp_account_close). */
struct lp_account lp_sums_account(const struct lp_sums *sums, bool is_trace);

/* Fills the weights of the processor's nodes and its account, and adds to totals[region]. */
void lp_processor_sum(struct lp_execution *execution, uint32_t processor, lp_ticks *totals);

/* Fills `absent`: what is left of the run's time. */
void lp_account_close(struct lp_execution *execution);

#endif
