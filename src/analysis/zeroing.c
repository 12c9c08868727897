/* Logical Zeroing: the longest path again with all time of a procedure set to zero, for up to LANES procedures in one sweep.
 *
 * Every processor carries the length of the longest way (`base`) and, for each lane, how much shorter it is without that
 * procedure (`less`). A local arc touches only the lanes of its own procedures; only cross arcs look at all lanes, and only
 * what is in flight between processors is kept. O(nodes + parts + arcs x lanes) a batch. doc/methods.md, "Logical Zeroing".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analysis/sweep.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"
#include "longpole/analysis.h"

enum { LANES = 64, LANE_STEP = 8 };

struct lanes {
    lp_ticks base;
    lp_ticks less[]; /* [lane], and one more that takes what belongs to no lane */
};

struct zeroing {
    const struct lp_execution *execution;
    const uint32_t *regions;
    size_t count;
    lp_ticks length;
    lp_ticks *gain;
    bool failed;
};

/* One sweep. */
struct batch {
    const struct lp_execution *execution;
    uint32_t lanes;   /* a multiple of LANE_STEP */
    size_t stride;    /* bytes of a struct lanes */
    uint8_t *lane_of; /* [region]; `lanes`: none */
    char *states, *slots;
};

static struct lanes *lanes_at(char *base, size_t stride, uint32_t index)
{
    return (struct lanes *)(base + stride * index);
}

/* The longer of the two ways, in every lane. */
static void join(struct lanes *restrict here, const struct lanes *restrict other, lp_ticks weight, uint32_t lanes)
{
    lp_ticks base = here->base > other->base + weight ? here->base : other->base + weight;
    lp_ticks up = base - here->base, other_up = base - other->base - weight;
    here->base = base;
    for (uint32_t i = 0; i < lanes; i += LANE_STEP)
        for (uint32_t k = i; k < i + LANE_STEP; k++) {
            lp_ticks mine = here->less[k] + up, others = other->less[k] + other_up;
            here->less[k] = mine < others ? mine : others;
        }
}

static void enter_cross(const struct batch *b, const struct lp_node *node, struct lanes *here, bool first)
{
    if (!(node->flags & LP_NODE_MANY)) {
        if (first)
            memcpy(here, lanes_at(b->slots, b->stride, node->slot), b->stride);
        else
            join(here, lanes_at(b->slots, b->stride, node->slot), 0, b->lanes);
        return;
    }
    for (const struct lp_arc *arc = b->execution->arcs + node->from; arc->from != LP_NONE; arc++, first = false) {
        const struct lanes *other = lanes_at(b->slots, b->stride, arc->slot);
        if (first) {
            memcpy(here, other, b->stride);
            here->base += arc->weight;
        } else {
            join(here, other, arc->weight, b->lanes);
        }
    }
}

static void sweep(const struct batch *b)
{
    const struct lp_execution *execution = b->execution;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        lp_prefetch_nodes(execution, r);
        lp_prefetch_parts(execution, r);
        const struct lp_processor *processor = &execution->processors[run->processor];
        struct lanes *here = lanes_at(b->states, b->stride, run->processor);
        const lp_part *part = lp_arc_begin(execution, processor, run->first);
        for (uint32_t id = run->first; id < run->first + run->count; id++) {
            const struct lp_node *node = &execution->nodes[id];
            for (const lp_part *end = processor->parts + node->part_end; part < end; part++) {
                lp_ticks weight = lp_part_weight(*part);
                here->base += weight;
                here->less[b->lane_of[lp_part_region(*part)]] += weight;
            }
            if (node->from != LP_NONE)
                enter_cross(b, node, here, id == processor->first_node);
            else if (node->flags & LP_NODE_IS_SOURCE)
                memcpy(lanes_at(b->slots, b->stride, node->slot), here, b->stride);
        }
    }
}

/* What is left of the length in each lane, over all sinks. */
static void read_lanes(const struct batch *b, const struct zeroing *z, size_t first, size_t count)
{
    for (size_t lane = 0; lane < count; lane++) {
        lp_ticks longest = 0;
        for (uint32_t p = 0; p < b->execution->processor_count; p++) {
            const struct lanes *state = lanes_at(b->states, b->stride, p);
            if (state->base - state->less[lane] > longest)
                longest = state->base - state->less[lane];
        }
        z->gain[first + lane] = z->length - longest;
    }
}

static void run_batch(void *context, size_t number, unsigned worker)
{
    struct zeroing *z = context;
    size_t first = number * LANES, count = z->count - first < LANES ? z->count - first : LANES;
    struct batch b = {.execution = z->execution, .lanes = (uint32_t)((count + LANE_STEP - 1) / LANE_STEP * LANE_STEP)};
    (void)worker;
    b.stride = sizeof(struct lanes) + (b.lanes + 1) * sizeof(lp_ticks);
    b.lane_of = malloc(z->execution->region_count + 1);
    b.states = lp_allocate(z->execution->processor_count, b.stride);
    b.slots = malloc((z->execution->slot_count + 1) * b.stride);
    if (b.lane_of && b.states && b.slots) {
        memset(b.lane_of, (int)b.lanes, z->execution->region_count + 1);
        for (size_t i = 0; i < count; i++)
            b.lane_of[z->regions[first + i]] = (uint8_t)i;
        sweep(&b);
        read_lanes(&b, z, first, count);
    } else {
        z->failed = true;
    }
    free(b.lane_of);
    free(b.states);
    free(b.slots);
}

enum lp_status lp_zeroing_find(const struct lp_execution *execution, lp_ticks length, const uint32_t *regions,
                               size_t count, unsigned threads, lp_ticks *gain, struct lp_error *error)
{
    struct zeroing z = {.execution = execution, .regions = regions, .count = count, .length = length, .gain = gain};
    lp_pool_run(threads ? threads : 1, (count + LANES - 1) / LANES, run_batch, &z);
    return z.failed ? lp_no_memory(error) : LP_OK;
}
