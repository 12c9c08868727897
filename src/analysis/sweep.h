/* What the analyses share when they sweep over an execution in its order (model/order.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_ANALYSIS_SWEEP_H
#define LP_ANALYSIS_SWEEP_H

#include "longpole/execution.h"

/* Runs jump between processors, which no hardware prefetcher follows: asks early for the nodes of a later run, and, where a
 * sweep reads them, for its parts. */
enum { LP_NODES_AHEAD = 16, LP_PARTS_AHEAD = 8 };

static inline void lp_prefetch_nodes(const struct lp_execution *execution, uint32_t run)
{
    uint32_t later = run + LP_NODES_AHEAD;
    if (later < execution->run_count)
        __builtin_prefetch(&execution->nodes[execution->runs[later].first]);
}

static inline void lp_prefetch_parts(const struct lp_execution *execution, uint32_t run)
{
    uint32_t later = run + LP_PARTS_AHEAD;
    if (later < execution->run_count) {
        const struct lp_run *r = &execution->runs[later];
        const lp_part *part = lp_arc_begin(execution, &execution->processors[r->processor], r->first);
        __builtin_prefetch(part);
        __builtin_prefetch(part + 8);
    }
}

/* The time of the parts [part, end), waiting included. */
static inline lp_ticks lp_parts_duration(const lp_part *part, const lp_part *end)
{
    lp_ticks duration = 0;
    for (; part < end; part++)
        duration += lp_part_duration(*part);
    return duration;
}

/* Whether the node has no way in: it hangs from the virtual root. */
static inline bool lp_is_root_child(const struct lp_execution *execution, const struct lp_processor *processor,
                                    uint32_t node)
{
    return node == processor->first_node && execution->nodes[node].from == LP_NONE;
}

/* Whether the node has no way out: it leads to the virtual end. */
static inline bool lp_is_sink(const struct lp_execution *execution, const struct lp_processor *processor, uint32_t node)
{
    return node == processor->first_node + processor->node_count - 1 &&
           !(execution->nodes[node].flags & LP_NODE_IS_SOURCE);
}

#endif
