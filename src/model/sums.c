/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/sums.h"

void lp_processor_sum(struct lp_execution *execution, uint32_t number, lp_ticks *totals)
{
    struct lp_processor *processor = &execution->processors[number];
    lp_ticks kinds[4] = {0}, outside = 0;
    const lp_part *part = processor->parts;
    for (uint32_t id = processor->first_node; id < processor->first_node + processor->node_count; id++) {
        struct lp_node *node = &execution->nodes[id];
        lp_ticks weight = 0;
        for (const lp_part *end = processor->parts + node->part_end; part < end; part++) {
            lp_ticks duration = lp_part_duration(*part), counts = lp_part_weight(*part);
            uint32_t region = lp_part_region(*part);
            kinds[lp_part_kind(*part)] += duration;
            outside += region == 0 ? counts : 0;
            totals[region] += counts;
            weight += counts;
        }
        node->weight = weight < LP_WEIGHT_LARGE ? (uint32_t)weight : LP_WEIGHT_LARGE;
    }
    processor->account = (struct lp_account){.useful = kinds[LP_USEFUL], .waiting = kinds[LP_WAITING],
                                             .overhead = kinds[LP_OVERHEAD],
                                             .outside = execution->is_trace ? outside : 0};
}

void lp_account_close(struct lp_execution *execution)
{
    for (uint32_t i = 0; i < execution->processor_count; i++) {
        struct lp_processor *processor = &execution->processors[i];
        struct lp_account *account = &processor->account;
        /* Further tracks of a processor share its time. */
        account->absent = (processor->track ? 0 : execution->end) - account->useful - account->waiting - account->overhead;
    }
}
