/* What follows from a processor's parts: the weight of each local arc, its account, and the totals of the regions.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_MODEL_SUMS_H
#define LP_MODEL_SUMS_H

#include "longpole/execution.h"

/* Fills the weights of the processor's nodes and its account (execution->end must be known for `absent`, which
 * lp_account_close adds), and adds to totals[region]. Processors are independent of each other. */
void lp_processor_sum(struct lp_execution *execution, uint32_t processor, lp_ticks *totals);

/* Fills `absent`: what is left of the run's time. */
void lp_account_close(struct lp_execution *execution);

#endif
