/* The tightest form of Slack that keeps the old path critical: for every pair (s, m) of critical points, the longest way from s to
 * m without a critical point inside. doc/methods.md, "Slack".
 *
 * A sweep carries the lengths from LANES origins at once. O(critical points / LANES x (nodes + arcs) x LANES): feasible for
 * small graphs only, which lp_slack_tight_feasible tells.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analysis/slack.h"
#include "base/pool.h"

enum { LANES = 32 };

/* Length from each origin of the batch, absolute; NO_WAY where there is none. */
#define NO_WAY (INT64_MIN / 4)

struct lanes {
    lp_ticks length[LANES];
};

struct batch_work {
    const struct lp_execution *execution;
    const struct lp_path *path;
    const struct lp_positions *positions;
    bool keep_all;
    struct lp_segments *results; /* [batch] */
    bool failed;
};

struct batch {
    struct batch_work *work;
    uint32_t first; /* position of lane 0 */
    struct lp_segments *segments;
    bool failed;
};

static void lanes_arrive(struct batch *b, const struct lanes *lanes, lp_ticks weight, uint32_t position)
{
    const struct lp_positions *positions = b->work->positions;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (lanes->length[lane] + weight < 0)
            continue;
        struct lp_slack_segment segment = {.from = b->first + lane,
                                           .to = position,
                                           .slack = positions->distance[position] - lanes->length[lane] - weight};
        if ((b->work->keep_all || lp_segment_binds(positions, &segment)) && !vector_push(b->segments, segment))
            b->failed = true;
    }
}

static void lanes_merge(struct lanes *here, const struct lanes *other, lp_ticks weight)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (other->length[lane] + weight > here->length[lane])
            here->length[lane] = other->length[lane] + weight;
}

static void lanes_clear(struct lanes *lanes)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        lanes->length[lane] = NO_WAY;
}

static void lanes_meet(struct batch *b, const struct lp_node *node, uint32_t id, struct lanes *here,
                       const struct lanes *slots, uint32_t position)
{
    const struct lp_path *path = b->work->path;
    bool taken = position != LP_NONE && lp_bit(path->crossing, id);
    struct lp_arc single[2] = {{.from = node->from, .slot = node->slot}, {.from = LP_NONE}};
    bool many = node->flags & LP_NODE_MANY;
    const struct lp_arc *first = many ? b->work->execution->arcs + node->from : single;
    const struct lp_arc *path_arc = !taken ? NULL : many ? b->work->execution->arcs + path->chosen[node->from] : single;
    for (const struct lp_arc *arc = first; arc->from != LP_NONE; arc++) {
        if (arc == path_arc)
            continue;
        if (position == LP_NONE)
            lanes_merge(here, &slots[arc->slot], arc->weight);
        else
            lanes_arrive(b, &slots[arc->slot], arc->weight, position);
    }
}

/* A critical point starts its own messages, in the lane that it has in this batch, and stops all others. */
static void lanes_start(struct batch *b, struct lanes *here, uint32_t position)
{
    lanes_clear(here);
    if (position >= b->first && position < b->first + LANES)
        here->length[position - b->first] = b->work->positions->distance[position];
}

static void sweep_batch(struct batch *b, struct lanes *states, struct lanes *slots)
{
    const struct lp_execution *execution = b->work->execution;
    const struct lp_path *path = b->work->path;
    uint32_t position = 0, end = b->work->positions->count - 1;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        lp_prefetch_nodes(execution, r);
        const struct lp_processor *processor = &execution->processors[run->processor];
        struct lanes *here = &states[run->processor];
        for (uint32_t id = run->first; id < run->first + run->count; id++) {
            const struct lp_node *node = &execution->nodes[id];
            bool critical = lp_bit(path->critical, id);
            uint32_t at = critical ? ++position : LP_NONE;
            lp_ticks weight = lp_arc_weight(execution, processor, id);
            if (id == processor->first_node) {
                lanes_clear(here);
                if (lp_is_root_child(execution, processor, id) && !critical)
                    lanes_start(b, here, 0);
            } else {
                for (uint32_t lane = 0; lane < LANES; lane++)
                    here->length[lane] += weight;
                if (critical && lp_bit(path->crossing, id))
                    lanes_arrive(b, here, 0, at);
            }
            if (node->from != LP_NONE)
                lanes_meet(b, node, id, here, slots, at);
            if (critical)
                lanes_start(b, here, at);
            if (node->flags & LP_NODE_IS_SOURCE)
                slots[node->slot] = *here;
            if (lp_is_sink(execution, processor, id) && !(critical && at == end - 1))
                lanes_arrive(b, here, 0, end);
        }
    }
}

static void run_batch(void *context, size_t number, unsigned worker)
{
    struct batch_work *work = context;
    struct batch b = {.work = work, .first = (uint32_t)number * LANES, .segments = &work->results[number]};
    struct lanes *states = lp_allocate(work->execution->processor_count, sizeof *states);
    struct lanes *slots = lp_allocate(work->execution->slot_count, sizeof *slots);
    (void)worker;
    if (states && slots)
        sweep_batch(&b, states, slots);
    if (!states || !slots || b.failed)
        work->failed = true;
    free(states);
    free(slots);
}

bool lp_slack_tight_feasible(const struct lp_execution *execution, const struct lp_path *path)
{
    return (double)path->node_count * execution->node_count < 4e9;
}

bool lp_tight_segments(const struct lp_execution *execution, const struct lp_path *path,
                       const struct lp_positions *positions, const struct lp_slack_options *options,
                       struct lp_segments *segments)
{
    size_t batches = (positions->count + LANES - 1) / LANES;
    struct batch_work work = {
        .execution = execution, .path = path, .positions = positions, .keep_all = options->keep_segments};
    work.results = lp_allocate(batches, sizeof *work.results);
    if (!work.results)
        return false;
    lp_pool_run(options->threads ? options->threads : 1, batches, run_batch, &work);
    bool enough = !work.failed;
    for (size_t i = 0; i < batches; i++) {
        enough = enough && vector_reserve(segments, work.results[i].count);
        for (size_t k = 0; enough && k < work.results[i].count; k++)
            vector_push(segments, work.results[i].items[k]);
        vector_release(&work.results[i]);
    }
    free(work.results);
    return enough;
}
