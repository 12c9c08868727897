/* Critical path: one sweep for the distances (kept for each processor and for what is in flight only), one bit a node for
 * the way in, then a walk back. O(nodes + parts + arcs). Slack report, section 2; doc/methods.md, "Critical path".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analysis/sweep.h"
#include "base/error.h"
#include "base/vector.h"
#include "longpole/analysis.h"

struct search {
    const struct lp_execution *execution;
    struct lp_path *path;
    lp_ticks *distance; /* [processor] of its last node swept */
    lp_ticks *slots;
};

/* The longest way to a node: `local` (INT64_MIN when there is none) or one of its cross arcs. */
static lp_ticks longest_way(struct search *s, const struct lp_node *node, uint32_t id, lp_ticks local)
{
    const struct lp_execution *execution = s->execution;
    if (node->flags & LP_NODE_MANY) {
        for (const struct lp_arc *arc = execution->arcs + node->from; arc->from != LP_NONE; arc++)
            if (s->slots[arc->slot] + arc->weight > local) {
                local = s->slots[arc->slot] + arc->weight;
                lp_bit_set(s->path->crossing, id);
                s->path->chosen[node->from] = (uint32_t)(arc - execution->arcs);
            }
    } else if (node->from != LP_NONE && s->slots[node->slot] > local) {
        local = s->slots[node->slot];
        lp_bit_set(s->path->crossing, id);
    }
    return local;
}

static void sweep(struct search *s)
{
    const struct lp_execution *execution = s->execution;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        lp_prefetch_nodes(execution, r);
        const struct lp_processor *processor = &execution->processors[run->processor];
        lp_ticks distance = s->distance[run->processor];
        for (uint32_t id = run->first; id < run->first + run->count; id++) {
            const struct lp_node *node = &execution->nodes[id];
            if (id == processor->first_node)
                distance = node->from == LP_NONE ? 0 : INT64_MIN;
            else
                distance += lp_arc_weight(execution, processor, id);
            if (node->from != LP_NONE)
                distance = longest_way(s, node, id, distance);
            else if (node->flags & LP_NODE_IS_SOURCE)
                s->slots[node->slot] = distance;
        }
        s->distance[run->processor] = distance;
    }
}

/* The sink with the longest way; the first one on a tie. */
static uint32_t find_end(const struct search *s)
{
    uint32_t best = LP_NONE;
    for (uint32_t p = 0; p < s->execution->processor_count; p++) {
        const struct lp_processor *processor = &s->execution->processors[p];
        if (lp_is_sink(s->execution, processor, processor->first_node + processor->node_count - 1) &&
            (best == LP_NONE || s->distance[p] > s->distance[best]))
            best = p;
    }
    return best;
}

static void reverse_legs(struct lp_leg *legs, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct lp_leg leg = legs[i];
        legs[i] = legs[count - 1 - i];
        legs[count - 1 - i] = leg;
    }
}

static bool walk_back(struct search *s, uint32_t processor)
{
    const struct lp_execution *execution = s->execution;
    struct lp_path *path = s->path;
    VECTOR(struct lp_leg) legs = {0};
    uint32_t node = execution->processors[processor].first_node + execution->processors[processor].node_count - 1;
    while (node != LP_NONE) {
        struct lp_leg leg = {.processor = processor, .last = node};
        uint32_t first = execution->processors[processor].first_node;
        while (lp_bit_set(path->critical, node), path->node_count++, node > first && !lp_bit(path->crossing, node))
            node--;
        leg.first = node;
        if (!vector_push(&legs, leg)) {
            vector_release(&legs);
            return false;
        }
        const struct lp_node *point = &execution->nodes[node];
        if (!lp_bit(path->crossing, node))
            break;
        node = point->flags & LP_NODE_MANY ? execution->arcs[path->chosen[point->from]].from : point->from;
        processor = lp_execution_processor_of(execution, node);
    }
    reverse_legs(legs.items, legs.count);
    path->legs = legs.items;
    path->leg_count = legs.count;
    return true;
}

/* The weight of the cross arc by which the path enters a leg. */
static lp_ticks entry_weight(const struct lp_execution *execution, const struct lp_path *path, const struct lp_leg *leg)
{
    const struct lp_node *node = &execution->nodes[leg->first];
    return lp_bit(path->crossing, leg->first) && node->flags & LP_NODE_MANY
               ? execution->arcs[path->chosen[node->from]].weight
               : 0;
}

/* Times and distances of the legs, the profile, and what the rest of the run's time consists of. A processor's clock is
 * carried on from one of its legs to the next, so that every arc is looked at once. */
static bool measure_legs(const struct lp_execution *execution, struct lp_path *path)
{
    struct {
        uint32_t node;
        lp_ticks time;
    } *clocks = lp_allocate(execution->processor_count, sizeof *clocks);
    if (!clocks)
        return false;
    for (uint32_t p = 0; p < execution->processor_count; p++) {
        clocks[p].node = execution->processors[p].first_node;
        clocks[p].time = execution->processors[p].start;
    }
    lp_ticks distance = 0, before = 0;
    for (size_t i = 0; i < path->leg_count; i++) {
        struct lp_leg *leg = &path->legs[i];
        const struct lp_processor *processor = &execution->processors[leg->processor];
        const lp_part *begin = lp_arc_end(execution, processor, clocks[leg->processor].node);
        const lp_part *first = lp_arc_end(execution, processor, leg->first);
        const lp_part *last = lp_arc_end(execution, processor, leg->last);
        distance += entry_weight(execution, path, leg);
        leg->distance = distance;
        leg->first_time =
            execution->has_clock ? clocks[leg->processor].time + lp_parts_duration(begin, first) : distance;
        lp_ticks all = lp_parts_duration(first, last), weight = 0;
        for (const lp_part *part = first; part < last; part++) {
            path->on_path[lp_part_region(*part)] += lp_part_weight(*part);
            weight += lp_part_weight(*part);
        }
        distance += weight;
        leg->last_time = leg->first_time + (execution->has_clock ? all : weight);
        path->waiting += all - weight;
        if (i)
            path->crossing_time += leg->first_time - before - entry_weight(execution, path, leg);
        before = leg->last_time;
        clocks[leg->processor].node = leg->last;
        clocks[leg->processor].time = leg->last_time;
    }
    if (execution->has_clock) {
        path->before = path->legs[0].first_time;
        path->after = execution->end - before;
    } else {
        path->after = execution->end - path->length - path->waiting;
    }
    free(clocks);
    return true;
}

enum lp_status lp_path_find(const struct lp_execution *execution, struct lp_path *path, struct lp_error *error)
{
    struct search s = {.execution = execution, .path = path};
    *path = (struct lp_path){0};
    s.distance = lp_allocate(execution->processor_count, sizeof *s.distance);
    s.slots = lp_allocate(execution->slot_count, sizeof *s.slots);
    path->critical = lp_bits_create(execution->node_count);
    path->crossing = lp_bits_create(execution->node_count);
    path->chosen = lp_allocate(execution->arc_count, sizeof *path->chosen);
    path->on_path = lp_allocate(execution->region_count, sizeof *path->on_path);
    bool enough = s.distance && s.slots && path->critical && path->crossing && path->chosen && path->on_path;
    if (enough) {
        sweep(&s);
        uint32_t end = find_end(&s);
        path->length = s.distance[end];
        enough = walk_back(&s, end) && measure_legs(execution, path);
    }
    free(s.distance);
    free(s.slots);
    return enough ? LP_OK : lp_no_memory(error);
}

void lp_path_release(struct lp_path *path)
{
    free(path->legs);
    free(path->critical);
    free(path->crossing);
    free(path->chosen);
    free(path->on_path);
    *path = (struct lp_path){0};
}

void lp_path_pieces(const struct lp_execution *execution, const struct lp_path *path,
                    void (*show)(void *, const struct lp_piece *), void *context)
{
    struct lp_piece piece = {0};
    for (size_t i = 0; i < path->leg_count; i++) {
        const struct lp_leg *leg = &path->legs[i];
        const struct lp_processor *processor = &execution->processors[leg->processor];
        lp_ticks now = leg->first_time;
        for (const lp_part *part = lp_arc_end(execution, processor, leg->first);
             part < lp_arc_end(execution, processor, leg->last); part++) {
            lp_ticks weight = lp_part_weight(*part);
            bool same = piece.duration && piece.processor == leg->processor && piece.region == lp_part_region(*part) &&
                        piece.start + piece.duration == now;
            if (weight && !same) {
                if (piece.duration)
                    show(context, &piece);
                piece = (struct lp_piece){.processor = leg->processor, .region = lp_part_region(*part), .start = now};
            }
            piece.duration += weight;
            now += execution->has_clock ? lp_part_duration(*part) : weight;
        }
    }
    if (piece.duration)
        show(context, &piece);
}
