/* Slack (report TR 1260, section 3), in three phases: the critical path is given; a sweep sends forward messages from it and
 * collects the segments where they return or meet; a walk along the path spends them. doc/methods.md, "Slack".
 *
 * Phase 2. A message is (position on the path where it left, absolute length so far). A critical node ends every message
 * that arrives by another arc than the path's, with the segment (left, here, difference), and starts its own; elsewhere the
 * longest message goes on, and every other one of a different origin gives the segment (earlier, later, difference). The three
 * safeguards: virtual root and end; a procedure never gives more than its own time; segments at merges off the path.
 *
 * Phase 3. With C(k) the slack spent by a procedure up to position k, x = min(d, least remaining of the active segments)
 * means C(k+1) = min(C(k) + d, min over segments s <= k < m of C(s) + slack(s, m)). So an active segment is one number,
 * C(s) + slack, valid up to m; those that a longer-lived smaller one covers are dropped (struct front). Segments that no
 * procedure can exhaust (slack >= path between their ends) never matter and are dropped while sweeping.
 *
 * O(nodes + parts + arcs) for the sweep, O(segments log segments) at most for each procedure on the path.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/slack.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"

/* ---- Positions on the path ----------------------------------------------------------------------------- */

bool lp_positions_make(const struct lp_execution *execution, const struct lp_path *path, struct lp_positions *positions)
{
    positions->count = path->node_count + 2;
    positions->distance = lp_allocate(positions->count, sizeof *positions->distance);
    positions->nodes = lp_allocate(positions->count, sizeof *positions->nodes);
    if (!positions->distance || !positions->nodes)
        return false;
    uint32_t position = 0;
    positions->nodes[position++] = LP_NONE;
    for (size_t i = 0; i < path->leg_count; i++) {
        const struct lp_leg *leg = &path->legs[i];
        const struct lp_processor *processor = &execution->processors[leg->processor];
        lp_ticks distance = leg->distance;
        for (uint32_t node = leg->first; node <= leg->last; node++) {
            if (node > leg->first)
                distance += lp_arc_weight(execution, processor, node);
            positions->distance[position] = distance;
            positions->nodes[position++] = node;
        }
    }
    positions->nodes[position] = LP_NONE;
    positions->distance[position] = path->length;
    return true;
}

void lp_positions_release(struct lp_positions *positions)
{
    free(positions->distance);
    free(positions->nodes);
}

/* ---- Phase 2: messages and segments -------------------------------------------------------------------- */

struct message {
    uint32_t origin; /* position; LP_NONE: no message */
    lp_ticks length; /* absolute: distance of the origin and what was travelled since */
};

static const struct message no_message = {.origin = LP_NONE};

enum { RECENT = 1024 };

struct collecting {
    const struct lp_execution *execution;
    const struct lp_path *path;
    const struct lp_positions *positions;
    struct message *states; /* [processor] */
    struct message *slots;
    bool keep_all;
    bool failed;
    struct lp_segments segments;
    uint32_t recent[RECENT]; /* 1 + index of a segment added lately, by hash of its ends: most repeat */
};

bool lp_segment_binds(const struct lp_positions *positions, const struct lp_slack_segment *segment)
{
    return segment->slack < positions->distance[segment->to] - positions->distance[segment->from];
}

static void add_segment(struct collecting *c, uint32_t from, uint32_t to, lp_ticks slack)
{
    struct lp_slack_segment segment = {.from = from, .to = to, .slack = slack};
    if (!c->keep_all) {
        if (!lp_segment_binds(c->positions, &segment))
            return;
        uint32_t *recent = &c->recent[lp_hash(from, to) % RECENT];
        struct lp_slack_segment *before = *recent ? &c->segments.items[*recent - 1] : NULL;
        if (before && before->from == from && before->to == to) {
            before->slack = slack < before->slack ? slack : before->slack;
            return;
        }
        *recent = (uint32_t)c->segments.count + 1;
    }
    if (!vector_push(&c->segments, segment))
        c->failed = true;
}

/* A message that met a longer one off the path. */
static void lose(struct collecting *c, struct message loser, struct message winner)
{
    if (loser.origin == LP_NONE || loser.origin == winner.origin)
        return;
    uint32_t from = loser.origin < winner.origin ? loser.origin : winner.origin;
    uint32_t to = loser.origin < winner.origin ? winner.origin : loser.origin;
    add_segment(c, from, to, winner.length - loser.length);
}

static struct message longer_of(struct message here, struct message other)
{
    return here.origin == LP_NONE || (other.origin != LP_NONE && other.length > here.length) ? other : here;
}

/* A message comes back to the path. */
static void arrive(struct collecting *c, struct message message, uint32_t position)
{
    if (message.origin != LP_NONE)
        add_segment(c, message.origin, position, c->positions->distance[position] - message.length);
}

static struct message arc_message(const struct collecting *c, const struct lp_arc *arc)
{
    struct message message = c->slots[arc->slot];
    message.length += arc->weight;
    return message;
}

/* Off the path: the longest of the local message and those of the cross arcs goes on; a tie goes to the first. */
static struct message meet_off_path(struct collecting *c, const struct lp_arc *arcs, struct message local)
{
    struct message longest = local;
    for (const struct lp_arc *arc = arcs; arc->from != LP_NONE; arc++)
        longest = longer_of(longest, arc_message(c, arc));
    lose(c, local, longest);
    for (const struct lp_arc *arc = arcs; arc->from != LP_NONE; arc++)
        lose(c, arc_message(c, arc), longest);
    return longest;
}

/* On the path: every message arrives, but what comes by the path itself. */
static void meet_on_path(struct collecting *c, const struct lp_arc *arcs, const struct lp_arc *path_arc,
                         uint32_t position)
{
    for (const struct lp_arc *arc = arcs; arc->from != LP_NONE; arc++)
        if (arc != path_arc)
            arrive(c, arc_message(c, arc), position);
}

/* The cross arcs into a node; `position` is its place on the path, or LP_NONE. Nearly all nodes have one arc of weight 0. */
static inline struct message meet_cross(struct collecting *c, const struct lp_node *node, uint32_t id,
                                        struct message here, uint32_t position)
{
    if (node->flags & LP_NODE_MANY) {
        const struct lp_arc *arcs = c->execution->arcs + node->from;
        if (position == LP_NONE)
            return meet_off_path(c, arcs, here);
        bool crossing = lp_bit(c->path->crossing, id);
        meet_on_path(c, arcs, crossing ? c->execution->arcs + c->path->chosen[node->from] : NULL, position);
        return here;
    }
    struct message other = c->slots[node->slot];
    if (position == LP_NONE) {
        struct message longest = longer_of(here, other);
        if (here.origin != other.origin)
            lose(c, longest.origin == here.origin ? other : here, longest);
        return longest;
    }
    if (!lp_bit(c->path->crossing, id))
        arrive(c, other, position);
    return here;
}

static void collect(struct collecting *c)
{
    const struct lp_execution *execution = c->execution;
    uint32_t position = 0, end = c->positions->count - 1;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        lp_prefetch_nodes(execution, r);
        const struct lp_processor *processor = &execution->processors[run->processor];
        struct message here = c->states[run->processor];
        for (uint32_t id = run->first; id < run->first + run->count; id++) {
            const struct lp_node *node = &execution->nodes[id];
            bool critical = lp_bit(c->path->critical, id);
            uint32_t at = critical ? ++position : LP_NONE;
            here.length += lp_arc_weight(execution, processor, id);
            if (id == processor->first_node)
                here = lp_is_root_child(execution, processor, id) && !critical ? (struct message){0} : no_message;
            else if (critical && lp_bit(c->path->crossing, id))
                arrive(c, here, at);
            if (node->from != LP_NONE)
                here = meet_cross(c, node, id, here, at);
            if (critical)
                here = (struct message){.origin = at, .length = c->positions->distance[at]};
            if (node->flags & LP_NODE_IS_SOURCE)
                c->slots[node->slot] = here;
            if (lp_is_sink(execution, processor, id) && !(critical && at == end - 1))
                arrive(c, here, end);
        }
        c->states[run->processor] = here;
    }
}

static bool collect_segments(const struct lp_execution *execution, const struct lp_path *path,
                             const struct lp_positions *positions, bool keep_all, struct lp_segments *segments)
{
    struct collecting *c = lp_allocate(1, sizeof *c);
    if (!c)
        return false;
    *c = (struct collecting){.execution = execution, .path = path, .positions = positions, .keep_all = keep_all};
    c->states = lp_allocate(execution->processor_count, sizeof *c->states);
    c->slots = lp_allocate(execution->slot_count, sizeof *c->slots);
    if (c->states && c->slots)
        collect(c);
    else
        c->failed = true;
    bool done = !c->failed;
    *segments = c->segments;
    free(c->states);
    free(c->slots);
    free(c);
    return done;
}

/* ---- Phase 3: spending --------------------------------------------------------------------------------- */

/* The active segments of one procedure that matter: by the position `to` where they end, ascending, and so by `limit` (what the
 * procedure may have spent by then), ascending. The first one binds now. */
struct front {
    struct limit {
        uint32_t to;
        lp_ticks limit;
    } * items;
    size_t begin, count, capacity; /* live ones are [begin, count) */
};

/* *covered tells that the segment changes nothing, because another one is in force longer and allows no more. */
static bool front_insert(struct front *front, uint32_t to, lp_ticks limit, bool *covered)
{
    size_t low = front->begin, high = front->count;
    while (low < high) { /* the first that ends no earlier */
        size_t middle = low + (high - low) / 2;
        if (front->items[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    *covered = low < front->count && front->items[low].limit <= limit;
    if (*covered)
        return true;
    size_t keep = low;
    while (keep > front->begin && front->items[keep - 1].limit >= limit)
        keep--; /* these end earlier and allow no less */
    size_t next = low < front->count && front->items[low].to == to ? low + 1 : low;
    if (!vector_reserve(front, 1))
        return false;
    memmove(front->items + keep + 1, front->items + next, (front->count - next) * sizeof *front->items);
    front->count = front->count - (next - keep) + 1;
    front->items[keep] = (struct limit){.to = to, .limit = limit};
    return true;
}

static void front_pass(struct front *front, uint32_t position)
{
    while (front->begin < front->count && front->items[front->begin].to <= position)
        front->begin++;
    if (front->begin == front->count)
        front->begin = front->count = 0;
}

/* Where a procedure is on the path: `time` between positions `at` and `at + 1`. Sorted by region, then position. */
struct occurrence {
    uint32_t region, at;
    lp_ticks time;
};

struct spending {
    const struct lp_segments *segments; /* by `from` */
    const struct occurrence *occurrences;
    const size_t *first; /* [group] and one behind the last */
    lp_ticks *slack;     /* [region] */
    bool failed;
};

/* Spends for one procedure. Between two of its occurrences nothing is spent, so segments that both begin and end there
 * are passed over. */
static void spend(void *context, size_t group, unsigned worker)
{
    struct spending *s = context;
    struct front front = {0};
    lp_ticks spent = 0;
    size_t next = 0;
    bool enough = true, covered;
    (void)worker;
    for (size_t i = s->first[group]; enough && i < s->first[group + 1]; i++) {
        const struct occurrence *o = &s->occurrences[i];
        front_pass(&front, o->at);
        for (; enough && next < s->segments->count && s->segments->items[next].from <= o->at; next++)
            if (s->segments->items[next].to > o->at)
                enough =
                    front_insert(&front, s->segments->items[next].to, spent + s->segments->items[next].slack, &covered);
        lp_ticks after = spent + o->time;
        if (front.begin < front.count && front.items[front.begin].limit < after)
            after = front.items[front.begin].limit;
        spent = after;
    }
    if (s->first[group] < s->first[group + 1])
        s->slack[s->occurrences[s->first[group]].region] = spent;
    if (!enough)
        s->failed = true;
    vector_release(&front);
}

static int by_start(const void *a, const void *b)
{
    const struct lp_slack_segment *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->slack < y->slack ? -1 : x->slack > y->slack;
}

static bool sorted_by_start(const struct lp_segments *segments)
{
    for (size_t i = 1; i < segments->count; i++)
        if (segments->items[i].from < segments->items[i - 1].from)
            return false;
    return true;
}

/* Drops the segments that lie within another one of no more slack: they can never bind first, for any procedure. */
static bool drop_covered(struct lp_segments *segments)
{
    struct front front = {0};
    size_t kept = 0;
    bool enough = true, covered;
    for (size_t i = 0; enough && i < segments->count; i++) {
        struct lp_slack_segment segment = segments->items[i];
        front_pass(&front, segment.from);
        enough = front_insert(&front, segment.to, segment.slack, &covered);
        if (!covered)
            segments->items[kept++] = segment;
    }
    segments->count = kept;
    vector_release(&front);
    return enough;
}

/* Calls back for every procedure's time between neighbouring positions of the path. */
static void each_occurrence(const struct lp_execution *execution, const struct lp_path *path, uint32_t *counts,
                            const size_t *first, struct occurrence *occurrences)
{
    uint32_t position = 0;
    for (size_t i = 0; i < path->leg_count; i++) {
        const struct lp_leg *leg = &path->legs[i];
        const struct lp_processor *processor = &execution->processors[leg->processor];
        position++; /* stands at leg->first */
        for (uint32_t node = leg->first + 1; node <= leg->last; node++, position++)
            for (const lp_part *part = lp_arc_begin(execution, processor, node);
                 part < lp_arc_end(execution, processor, node); part++) {
                uint32_t region = lp_part_region(*part);
                if (!lp_part_weight(*part))
                    continue;
                if (occurrences)
                    occurrences[first[region] + counts[region]] =
                        (struct occurrence){.region = region, .at = position, .time = lp_part_weight(*part)};
                counts[region]++;
            }
    }
}

static bool spend_all(const struct lp_execution *execution, const struct lp_path *path,
                      const struct lp_segments *segments, unsigned threads, lp_ticks *slack)
{
    uint32_t *counts = lp_allocate(execution->region_count, sizeof *counts);
    size_t *first = lp_allocate(execution->region_count + 1, sizeof *first);
    struct occurrence *occurrences = NULL;
    bool enough = counts && first;
    if (enough) {
        each_occurrence(execution, path, counts, NULL, NULL);
        for (uint32_t i = 0; i < execution->region_count; i++)
            first[i + 1] = first[i] + counts[i];
        memset(counts, 0, execution->region_count * sizeof *counts);
        occurrences = lp_allocate(first[execution->region_count], sizeof *occurrences);
        enough = occurrences != NULL;
    }
    if (enough) {
        each_occurrence(execution, path, counts, first, occurrences);
        struct spending s = {.segments = segments, .occurrences = occurrences, .first = first, .slack = slack};
        lp_pool_run(threads, execution->region_count, spend, &s);
        enough = !s.failed;
    }
    free(counts);
    free(first);
    free(occurrences);
    return enough;
}

/* ---- All ----------------------------------------------------------------------------------------------- */

/* Exact repetitions say nothing new; nor does, between the same two points, more slack than the least (`least_only`). */
static void drop_repetitions(struct lp_segments *segments, bool least_only)
{
    size_t kept = 0;
    if (segments->count)
        qsort(segments->items, segments->count, sizeof *segments->items, by_start);
    for (size_t i = 0; i < segments->count; i++) {
        const struct lp_slack_segment *segment = &segments->items[i],
                                      *before = kept ? &segments->items[kept - 1] : NULL;
        bool same_ends = before && before->from == segment->from && before->to == segment->to;
        if (!same_ends || (!least_only && before->slack != segment->slack))
            segments->items[kept++] = *segment;
    }
    segments->count = kept;
}

enum lp_status lp_slack_find(const struct lp_execution *execution, const struct lp_path *path,
                             const struct lp_slack_options *options, struct lp_slack *slack, struct lp_error *error)
{
    struct lp_positions positions = {0};
    struct lp_segments segments = {0};
    *slack = (struct lp_slack){0};
    if (options->tight && !lp_slack_tight_feasible(execution, path))
        return lp_fail(error, LP_BAD_ARGUMENT,
                       "--tight: %u points on the path of %u in all are too many for the tight form", path->node_count,
                       execution->node_count);
    slack->slack = lp_allocate(execution->region_count, sizeof *slack->slack);
    bool enough = slack->slack && lp_positions_make(execution, path, &positions);
    if (enough && options->tight)
        enough = lp_tight_segments(execution, path, &positions, options, &segments);
    else if (enough)
        enough = collect_segments(execution, path, &positions, options->keep_segments, &segments);
    if (enough && !sorted_by_start(&segments))
        qsort(segments.items, segments.count, sizeof *segments.items, by_start);
    if (enough && !options->keep_segments)
        enough = drop_covered(&segments);
    if (enough)
        enough = spend_all(execution, path, &segments, options->threads ? options->threads : 1, slack->slack);
    if (enough && options->keep_segments) {
        drop_repetitions(&segments, options->tight);
        slack->segments = segments.items;
        slack->segment_count = segments.count;
        slack->nodes = positions.nodes;
        slack->position_count = positions.count;
        positions.nodes = NULL;
        segments.items = NULL;
    }
    vector_release(&segments);
    lp_positions_release(&positions);
    if (enough)
        return LP_OK;
    lp_slack_release(slack);
    return lp_no_memory(error);
}

void lp_slack_release(struct lp_slack *slack)
{
    free(slack->slack);
    free(slack->segments);
    free(slack->nodes);
    *slack = (struct lp_slack){0};
}
