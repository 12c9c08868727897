/* Average parallelism, profile and shape of the space-time diagram (Overeinder and Sloot, section 2; doc/methods.md,
 * "Parallelism"). An activity is the weight of a local arc, or with LP_COUNT_ALL also of a cross arc. Earliest placement: it is
 * active from the critical time of its beginning on; latest: up to the latest time that delays no processor's end.
 * Neighbouring activities of a processor that touch are one interval, so few ends have to be sorted. Linear.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analysis/sweep.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/vector.h"
#include "longpole/analysis.h"

/* The intervals of one processor under way, and all that are closed. */
struct interval {
    lp_ticks begin, end; /* empty when equal */
};

struct diagram {
    const struct lp_execution *execution;
    bool all;
    lp_ticks *times; /* [processor] of its last node swept */
    lp_ticks *slots;
    struct interval *open; /* [processor]; NULL: no intervals wanted */
    VECTOR(int64_t) begins;
    VECTOR(int64_t) ends;
    lp_ticks work, length;
    lp_ticks *node_times; /* [node] or NULL */
    bool failed;
};

static void close_interval(struct diagram *d, struct interval interval)
{
    if (interval.begin != interval.end &&
        (!vector_push(&d->begins, interval.begin) || !vector_push(&d->ends, interval.end)))
        d->failed = true;
}

/* An activity of a processor; touching ones become one interval, whichever side they touch on. */
static void add_activity(struct diagram *d, uint32_t processor, lp_ticks begin, lp_ticks end)
{
    d->work += end - begin;
    if (!d->open || begin == end)
        return;
    struct interval *open = &d->open[processor];
    if (open->begin != open->end && open->end == begin) {
        open->end = end;
    } else if (open->begin != open->end && open->begin == end) {
        open->begin = begin;
    } else {
        close_interval(d, *open);
        *open = (struct interval){begin, end};
    }
}

/* ---- Earliest ------------------------------------------------------------------------------------------ */

static lp_ticks earliest_by_cross(struct diagram *d, const struct lp_node *node, lp_ticks time)
{
    if (!(node->flags & LP_NODE_MANY))
        return d->slots[node->slot] > time ? d->slots[node->slot] : time;
    for (const struct lp_arc *arc = d->execution->arcs + node->from; arc->from != LP_NONE; arc++) {
        lp_ticks begin = d->slots[arc->slot];
        if (d->all && arc->weight) {
            d->work += arc->weight;
            if (d->open)
                close_interval(d, (struct interval){begin, begin + arc->weight});
        }
        if (begin + arc->weight > time)
            time = begin + arc->weight;
    }
    return time;
}

static void place_earliest(struct diagram *d)
{
    const struct lp_execution *execution = d->execution;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        lp_prefetch_nodes(execution, r);
        const struct lp_processor *processor = &execution->processors[run->processor];
        lp_ticks time = d->times[run->processor];
        for (uint32_t id = run->first; id < run->first + run->count; id++) {
            const struct lp_node *node = &execution->nodes[id];
            lp_ticks weight = lp_arc_weight(execution, processor, id);
            add_activity(d, run->processor, time, time + weight);
            time += weight;
            if (node->from != LP_NONE)
                time = earliest_by_cross(d, node, time);
            else if (node->flags & LP_NODE_IS_SOURCE)
                d->slots[node->slot] = time;
            if (d->node_times)
                d->node_times[id] = time;
        }
        d->times[run->processor] = time;
        d->length = time > d->length ? time : d->length;
    }
}

/* ---- Latest -------------------------------------------------------------------------------------------- */

static void latest_by_cross(struct diagram *d, const struct lp_node *node, lp_ticks time)
{
    if (!(node->flags & LP_NODE_MANY)) {
        if (time < d->slots[node->slot])
            d->slots[node->slot] = time;
        return;
    }
    for (const struct lp_arc *arc = d->execution->arcs + node->from; arc->from != LP_NONE; arc++) {
        if (d->all && arc->weight)
            close_interval(d, (struct interval){time - arc->weight, time});
        if (time - arc->weight < d->slots[arc->slot])
            d->slots[arc->slot] = time - arc->weight;
    }
}

/* Backwards, from the time when each processor ends; a slot holds the latest time that the targets met so far leave to their source. */
static void place_latest(struct diagram *d)
{
    const struct lp_execution *execution = d->execution;
    for (uint32_t i = 0; i < execution->slot_count; i++)
        d->slots[i] = d->length;
    for (uint32_t p = 0; p < execution->processor_count; p++) {
        const struct lp_processor *processor = &execution->processors[p];
        if (!lp_is_sink(execution, processor, processor->first_node + processor->node_count - 1))
            d->times[p] = d->length; /* its targets know better */
    }
    for (uint32_t r = execution->run_count; r-- > 0;) {
        const struct lp_run *run = &execution->runs[r];
        const struct lp_processor *processor = &execution->processors[run->processor];
        lp_ticks time = d->times[run->processor];
        for (uint32_t id = run->first + run->count; id-- > run->first;) {
            const struct lp_node *node = &execution->nodes[id];
            if (node->from != LP_NONE) {
                latest_by_cross(d, node, time);
            } else if (node->flags & LP_NODE_IS_SOURCE) {
                time = d->slots[node->slot] < time ? d->slots[node->slot] : time;
                d->slots[node->slot] = d->length;
            }
            lp_ticks weight = lp_arc_weight(execution, processor, id);
            add_activity(d, run->processor, time - weight, time);
            time -= weight;
        }
        d->times[run->processor] = time;
    }
}

/* ---- Profile and shape --------------------------------------------------------------------------------- */

static bool make_profile(struct diagram *d, struct lp_parallelism *result)
{
    VECTOR(struct lp_step) steps = {0};
    size_t count = d->begins.count, b = 0, e = 0;
    if (!lp_sort_numbers(d->begins.items, count) || !lp_sort_numbers(d->ends.items, count))
        return false;
    bool enough = true;
    uint32_t degree = 0;
    lp_ticks now = 0;
    while (enough && e < count) {
        lp_ticks next = b < count && d->begins.items[b] < d->ends.items[e] ? d->begins.items[b] : d->ends.items[e];
        struct lp_step *last = steps.count ? &steps.items[steps.count - 1] : NULL;
        if (next > now && degree) {
            if (last && last->end == now && last->degree == degree)
                last->end = next;
            else
                enough = vector_push(&steps, (struct lp_step){now, next, degree});
        }
        now = next;
        for (; b < count && d->begins.items[b] == now; b++)
            degree++;
        for (; e < count && d->ends.items[e] == now; e++)
            degree--;
        result->maximum = degree > result->maximum ? degree : result->maximum;
    }
    result->profile = steps.items;
    result->step_count = steps.count;
    result->shape = lp_allocate(result->maximum + 1u, sizeof *result->shape);
    if (!result->shape)
        return false;
    result->shape[0] = result->length;
    for (size_t i = 0; i < steps.count; i++) {
        result->shape[steps.items[i].degree] += steps.items[i].end - steps.items[i].begin;
        result->shape[0] -= steps.items[i].end - steps.items[i].begin;
    }
    return enough;
}

static bool open_diagram(struct diagram *d, bool intervals)
{
    d->times = lp_allocate(d->execution->processor_count, sizeof *d->times);
    d->slots = lp_allocate(d->execution->slot_count, sizeof *d->slots);
    if (intervals)
        d->open = lp_allocate(d->execution->processor_count, sizeof *d->open);
    return d->times && d->slots && (!intervals || d->open);
}

static void release_diagram(struct diagram *d)
{
    free(d->times);
    free(d->slots);
    free(d->open);
    vector_release(&d->begins);
    vector_release(&d->ends);
}

enum lp_status lp_parallelism_find(const struct lp_execution *execution, enum lp_counted counted,
                                   enum lp_placement placement, struct lp_parallelism *result, struct lp_error *error)
{
    struct diagram d = {.execution = execution, .all = counted == LP_COUNT_ALL};
    *result = (struct lp_parallelism){0};
    bool enough = open_diagram(&d, true);
    struct interval *open = d.open;
    if (enough && placement == LP_LATEST)
        d.open = NULL; /* the first sweep is for the length alone */
    if (enough)
        place_earliest(&d);
    result->work = d.work;
    result->length = d.length;
    result->average = d.length ? (double)d.work / (double)d.length : 0;
    d.open = open;
    if (enough && placement == LP_LATEST)
        place_latest(&d);
    for (uint32_t p = 0; enough && p < execution->processor_count; p++)
        close_interval(&d, d.open[p]);
    enough = enough && !d.failed && make_profile(&d, result);
    release_diagram(&d);
    return enough ? LP_OK : lp_no_memory(error);
}

void lp_parallelism_release(struct lp_parallelism *result)
{
    free(result->profile);
    free(result->shape);
    *result = (struct lp_parallelism){0};
}

enum lp_status lp_critical_times(const struct lp_execution *execution, lp_ticks *times, struct lp_error *error)
{
    struct diagram d = {.execution = execution, .node_times = times};
    bool enough = open_diagram(&d, false);
    if (enough)
        place_earliest(&d);
    release_diagram(&d);
    return enough ? LP_OK : lp_no_memory(error);
}
