/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/sums.h"

struct lp_account lp_sums_account(const struct lp_sums *sums, bool is_trace)
{
    return (struct lp_account){.useful = sums->kinds[LP_USEFUL],
                               .waiting = sums->kinds[LP_WAITING],
                               .overhead = sums->kinds[LP_OVERHEAD],
                               .outside = is_trace ? sums->outside : 0};
}

void lp_processor_sum(struct lp_execution *execution, uint32_t number, lp_ticks *totals)
{
    struct lp_processor *processor = &execution->processors[number];
    struct lp_sums sums = {.totals = totals};
    const lp_part *part = processor->parts;
    for (uint32_t id = processor->first_node; id < processor->first_node + processor->node_count; id++) {
        for (const lp_part *end = processor->parts + execution->nodes[id].part_end; part < end; part++)
            lp_sums_add(&sums, *part);
        execution->nodes[id].weight = lp_sums_next(&sums);
    }
    processor->account = lp_sums_account(&sums, execution->is_trace);
}

void lp_account_close(struct lp_execution *execution)
{
    for (uint32_t i = 0; i < execution->processor_count; i++) {
        struct lp_processor *processor = &execution->processors[i];
        struct lp_account *account = &processor->account;
        /* Further tracks of a processor share its time. */
        account->absent =
            (processor->track ? 0 : execution->end) - account->useful - account->waiting - account->overhead;
    }
}
