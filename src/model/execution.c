/* The execution's life: made by a reader, ordered by model/order.c, read by the analyses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "longpole/execution.h"

#include <stdlib.h>
#include <string.h>

void lp_execution_init(struct lp_execution *execution)
{
    *execution = (struct lp_execution){.ticks_per_unit = 1};
}

static void reading_release(struct lp_reading *reading)
{
    free(reading->format);
    free(reading->unmodelled);
    for (size_t i = 0; i < reading->gap_count; i++)
        free(reading->gaps[i]);
    free(reading->gaps);
}

void lp_execution_release(struct lp_execution *execution)
{
    if (!execution)
        return;
    for (uint32_t i = 0; i < execution->processor_count; i++) {
        free(execution->processors[i].name);
        free(execution->processors[i].process);
        free(execution->processors[i].parts);
    }
    for (uint32_t i = 0; i < execution->region_count; i++) {
        free(execution->regions[i].name);
        free(execution->regions[i].file);
    }
    if (execution->node_names)
        for (uint32_t i = 0; i < execution->node_count; i++)
            free(execution->node_names[i]);
    for (size_t i = 0; i < execution->metric_count; i++) {
        free(execution->metrics[i].name);
        free(execution->metrics[i].unit);
        free(execution->metrics[i].sums);
    }
    reading_release(&execution->reading);
    free(execution->processors);
    free(execution->nodes);
    free(execution->regions);
    free(execution->arcs);
    free(execution->runs);
    free(execution->node_names);
    free(execution->metrics);
    lp_execution_init(execution);
}

uint32_t lp_execution_processor_of(const struct lp_execution *execution, uint32_t node)
{
    uint32_t low = 0, high = execution->processor_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (execution->processors[middle].first_node <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t lp_execution_width(const struct lp_execution *execution)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < execution->processor_count; i++)
        width += execution->processors[i].track == 0;
    return width;
}

const char *lp_node_waiting_name(enum lp_node_kind kind)
{
    static const char *const names[] = {
#define X(name, waiting) waiting,
        LP_NODE_KINDS(X)
#undef X
    };
    return kind < LP_NODE_KIND_COUNT ? names[kind] : "";
}
