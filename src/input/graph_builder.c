/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/graph_builder.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/sums.h"

/* ---- Names --------------------------------------------------------------------------------------------- */

/* Finds a name among `names` by its hash; equal hashes of different names are told apart by probing hash + 1, + 2... */
static uint32_t *find_name(struct lp_map *index, char *const *names, size_t stride, const char *name)
{
    for (uint64_t hash = lp_hash_text(name);; hash++) {
        uint32_t found = lp_map_get(index, hash);
        if (found == LP_MAP_FREE)
            return lp_map_at(index, hash);
        if (!strcmp(*(char *const *)((const char *)names + found * stride), name))
            return lp_map_at(index, hash);
    }
}

static uint32_t intern(struct lp_map *index, struct graph_names *names, const char *name)
{
    uint32_t *place = find_name(index, names->items, sizeof *names->items, name);
    if (!place)
        return LP_NONE;
    if (*place == LP_MAP_FREE) {
        char *copy = strdup(name);
        if (!copy || !vector_push(names, copy))
            return LP_NONE;
        *place = (uint32_t)names->count - 1;
    }
    return *place;
}

uint32_t graph_process(struct graph_builder *builder, const char *name)
{
    return intern(&builder->process_index, &builder->processes, name);
}

uint32_t graph_region(struct graph_builder *builder, const char *name)
{
    return intern(&builder->region_index, &builder->regions, name);
}

uint32_t graph_find_node(const struct graph_builder *builder, const char *name)
{
    for (uint64_t hash = lp_hash_text(name);; hash++) {
        uint32_t found = lp_map_get(&builder->node_index, hash);
        if (found == LP_MAP_FREE || !strcmp(builder->nodes.items[found].name, name))
            return found; /* LP_MAP_FREE is LP_NONE */
    }
}

enum lp_status graph_add_node(struct graph_builder *builder, const char *name, uint32_t process, const char *place,
                              uint32_t *node)
{
    uint32_t *index = find_name(&builder->node_index, builder->nodes.items ? &builder->nodes.items->name : NULL,
                                sizeof *builder->nodes.items, name);
    if (!index)
        return lp_no_memory(builder->error);
    if (*index != LP_MAP_FREE)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: duplicate name \"%s\"", builder->path, place, name);
    struct graph_node added = {.name = strdup(name),
                               .process = process,
                               .next = LP_NONE,
                               .previous = LP_NONE,
                               .chain_arc = LP_NONE,
                               .target = LP_NONE,
                               .source = LP_NONE};
    if (!added.name || builder->nodes.count >= UINT32_MAX / 4 || !vector_push(&builder->nodes, added)) {
        free(added.name);
        return lp_no_memory(builder->error);
    }
    *index = *node = (uint32_t)builder->nodes.count - 1;
    return LP_OK;
}

/* ---- Arcs ---------------------------------------------------------------------------------------------- */

static enum lp_status check_time(struct graph_builder *builder, double time, const char *place)
{
    if (!isfinite(time))
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: time is not a finite number", builder->path, place);
    if (time < 0)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: negative time %g", builder->path, place, time);
    return LP_OK;
}

enum lp_status graph_add_local(struct graph_builder *builder, struct graph_local arc, const char *place)
{
    enum lp_status status = check_time(builder, arc.duration, place);
    if (status)
        return status;
    struct graph_node *from = &builder->nodes.items[arc.from], *to = &builder->nodes.items[arc.to];
    if (from->process != to->process)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: process arc from \"%s\" to \"%s\" joins two processes",
                       builder->path, place, from->name, to->name);
    if (arc.from == arc.to)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: the graph has a cycle through node \"%s\"", builder->path,
                       place, from->name);
    arc.in_chain = from->next == LP_NONE && to->previous == LP_NONE;
    if (!arc.in_chain && to->previous == LP_NONE)
        to->previous = GRAPH_HEAD; /* no later arc may come before this one on a tie */
    if (arc.in_chain) {
        from->next = arc.to;
        to->previous = arc.from;
        to->chain_arc = (uint32_t)builder->locals.count;
    } else {
        from->cross_out++;
        to->cross_in++;
    }
    return vector_push(&builder->locals, arc) ? LP_OK : lp_no_memory(builder->error);
}

enum lp_status graph_add_cross(struct graph_builder *builder, struct graph_cross arc, const char *place)
{
    enum lp_status status = check_time(builder, arc.weight, place);
    if (status)
        return status;
    if (arc.from == arc.to)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: %s: the graph has a cycle through node \"%s\"", builder->path,
                       place, builder->nodes.items[arc.from].name);
    builder->nodes.items[arc.from].cross_out++;
    builder->nodes.items[arc.to].cross_in++;
    return vector_push(&builder->crosses, arc) ? LP_OK : lp_no_memory(builder->error);
}

/* ---- Ticks --------------------------------------------------------------------------------------------- */

static bool is_exact(const struct graph_builder *builder, double scale)
{
    for (size_t i = 0; i < builder->locals.count; i++)
        if (round(builder->locals.items[i].duration * scale) / scale != builder->locals.items[i].duration)
            return false;
    for (size_t i = 0; i < builder->crosses.count; i++)
        if (round(builder->crosses.items[i].weight * scale) / scale != builder->crosses.items[i].weight)
            return false;
    return true;
}

/* Ticks per unit: the smallest power of ten that makes every time an integer, so that 0.1 + 0.2 equals 0.3; otherwise the
 * power of two that leaves 52 bits for the sum of all times. 0 when they add up to more than a double holds. */
static double choose_ticks(const struct graph_builder *builder)
{
    double sum = 0;
    for (size_t i = 0; i < builder->locals.count; i++)
        sum += builder->locals.items[i].duration;
    for (size_t i = 0; i < builder->crosses.count; i++)
        sum += builder->crosses.items[i].weight;
    if (!isfinite(sum))
        return 0;
    for (double scale = 1; scale <= 1e12 && sum * scale < 0x1p52; scale *= 10)
        if (is_exact(builder, scale))
            return scale;
    int exponent;
    frexp(sum, &exponent);
    return exponent > 1000 ? 0 : ldexp(1, 52 - exponent > 1023 ? 1023 : 52 - exponent);
}

/* ---- Building ------------------------------------------------------------------------------------------ */

struct building {
    struct graph_builder *graph;
    struct lp_execution *execution;
    VECTOR(struct lp_processor) processors;
    VECTOR(struct lp_node) nodes;
    VECTOR(char *) names;
    VECTOR(lp_part) parts; /* of the track under way */
    uint32_t *tracks;      /* [process] how many tracks it has so far */
};

static bool push_part(struct building *b, const struct graph_local *arc)
{
    uint64_t ticks = (uint64_t)llround(arc->duration * b->execution->ticks_per_unit);
    enum lp_part_kind kind = arc->useful ? LP_USEFUL : LP_WAITING;
    uint64_t high = ticks >> LP_PART_DURATION_BITS, low = ticks - (high << LP_PART_DURATION_BITS);
    if (high && !vector_push(&b->parts, lp_part_make(arc->region, kind, high, true)))
        return false;
    return vector_push(&b->parts, lp_part_make(arc->region, kind, low, false));
}

static bool push_node(struct building *b, const char *name, enum lp_node_kind kind, uint32_t *id)
{
    char *copy = strdup(name);
    *id = (uint32_t)b->nodes.count;
    struct lp_node node = {.part_end = (uint32_t)b->parts.count, .from = LP_NONE, .kind = kind};
    if (!copy || !vector_push(&b->names, copy)) {
        free(copy);
        return false;
    }
    return vector_push(&b->nodes, node);
}

static bool open_track(struct building *b, uint32_t process)
{
    struct lp_processor track = {.name = strdup(b->graph->processes.items[process]),
                                 .track = b->tracks[process]++,
                                 .first_node = (uint32_t)b->nodes.count};
    if (track.name && vector_push(&b->processors, track))
        return true;
    free(track.name);
    return false;
}

/* False: out of memory. */
static bool close_track(struct building *b)
{
    struct lp_processor *track = &b->processors.items[b->processors.count - 1];
    track->node_count = (uint32_t)b->nodes.count - track->first_node;
    track->part_count = (uint32_t)b->parts.count;
    track->parts = b->parts.items ? b->parts.items : lp_allocate(1, sizeof *track->parts); /* never NULL */
    memset(&b->parts, 0, sizeof b->parts);
    return track->parts != NULL;
}

static bool build_chain(struct building *b, uint32_t head)
{
    if (!open_track(b, b->graph->nodes.items[head].process))
        return false;
    bool enough = true;
    for (uint32_t i = head; enough && i != LP_NONE; i = b->graph->nodes.items[i].next) {
        struct graph_node *node = &b->graph->nodes.items[i];
        if (i != head)
            enough = push_part(b, &b->graph->locals.items[node->chain_arc]);
        enum lp_node_kind kind = i == head && !node->cross_in ? LP_NODE_START : LP_NODE_POINT;
        enough = enough && push_node(b, node->name, kind, &node->target);
        node->source = node->target;
        if (enough && node->cross_in && node->cross_out)
            enough = push_node(b, node->name, LP_NODE_POINT, &node->source);
    }
    return close_track(b) && enough;
}

/* The track of a process arc that fits no chain; the cross arcs that join it are added to the graph's. */
static bool build_extra(struct building *b, const struct graph_local *arc)
{
    struct graph_node *from = &b->graph->nodes.items[arc->from], *to = &b->graph->nodes.items[arc->to];
    uint32_t first, last;
    bool enough = open_track(b, from->process) && push_node(b, from->name, LP_NODE_POINT, &first) &&
                  push_part(b, arc) && push_node(b, to->name, LP_NODE_POINT, &last);
    if (b->processors.count)
        enough = close_track(b) && enough;
    if (!enough)
        return false;
    b->nodes.items[first].from = from->source;
    return true;
}

static enum lp_status build_tracks(struct building *b)
{
    struct graph_builder *graph = b->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.items[i].previous >= GRAPH_HEAD && !build_chain(b, i))
            return lp_no_memory(graph->error);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.items[i].target == LP_NONE)
            return lp_fail(graph->error, LP_BAD_INPUT, "%s: the graph has a cycle through node \"%s\"", graph->path,
                           graph->nodes.items[i].name);
    return LP_OK;
}

/* Lists of incoming arcs, in input order: process arcs that fit no chain first (they are local), then cross arcs. */
static enum lp_status build_arcs(struct building *b)
{
    struct graph_builder *graph = b->graph;
    struct lp_execution *execution = b->execution;
    size_t total = graph->locals.count + graph->crosses.count + graph->nodes.count;
    uint32_t *fill = lp_allocate(graph->nodes.count, sizeof *fill);
    execution->arcs = lp_allocate(total, sizeof *execution->arcs);
    if (!fill || !execution->arcs || total > UINT32_MAX / 2) {
        free(fill);
        return lp_no_memory(graph->error);
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        struct graph_node *node = &graph->nodes.items[i];
        fill[i] = next;
        if (!node->cross_in)
            continue;
        b->nodes.items[node->target].from = next;
        b->nodes.items[node->target].flags = LP_NODE_MANY;
        next += node->cross_in;
        execution->arcs[next++] = (struct lp_arc){.from = LP_NONE};
    }
    execution->arc_count = next;
    for (size_t i = 0; i < graph->locals.count; i++) {
        const struct graph_local *arc = &graph->locals.items[i];
        if (arc->in_chain)
            continue;
        if (!build_extra(b, arc)) {
            free(fill);
            return lp_no_memory(graph->error);
        }
        execution->arcs[fill[arc->to]++] = (struct lp_arc){.from = (uint32_t)b->nodes.count - 1};
    }
    for (size_t i = 0; i < graph->crosses.count; i++) {
        const struct graph_cross *arc = &graph->crosses.items[i];
        execution->arcs[fill[arc->to]++] = (struct lp_arc){
            .from = graph->nodes.items[arc->from].source,
            .weight = (lp_ticks)llround(arc->weight * execution->ticks_per_unit),
        };
    }
    free(fill);
    return LP_OK;
}

static enum lp_status build_regions(struct building *b)
{
    struct graph_builder *graph = b->graph;
    if (graph->regions.count > LP_PART_REGIONS)
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: more than %u procedures", graph->path, LP_PART_REGIONS);
    b->execution->regions = lp_allocate(graph->regions.count, sizeof *b->execution->regions);
    if (!b->execution->regions)
        return lp_no_memory(graph->error);
    for (size_t i = 0; i < graph->regions.count; i++) {
        b->execution->regions[i].name = strdup(graph->regions.items[i]);
        b->execution->region_count++;
        if (!b->execution->regions[i].name)
            return lp_no_memory(graph->error);
    }
    return LP_OK;
}

enum lp_status graph_build(struct graph_builder *builder, struct lp_execution *execution)
{
    struct building b = {.graph = builder, .execution = execution};
    if (!builder->nodes.count)
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: the graph has no node", builder->path);
    execution->ticks_per_unit = choose_ticks(builder);
    if (execution->ticks_per_unit == 0) {
        execution->ticks_per_unit = 1;
        return lp_fail(builder->error, LP_BAD_INPUT, "%s: the times add up to more than can be represented",
                       builder->path);
    }
    enum lp_status status = LP_OK;
    b.tracks = lp_allocate(builder->processes.count, sizeof *b.tracks);
    lp_ticks *totals = lp_allocate(builder->regions.count, sizeof *totals);
    status = b.tracks && totals ? build_regions(&b) : lp_no_memory(builder->error);
    if (!status)
        status = build_tracks(&b);
    if (!status)
        status = build_arcs(&b);
    if (!status && b.processors.count > LP_PROCESSORS_MAX)
        status = lp_fail(builder->error, LP_BAD_INPUT, "%s: more than %u processes", builder->path, LP_PROCESSORS_MAX);
    free(b.tracks);
    vector_release(&b.parts);
    execution->processors = b.processors.items;
    execution->processor_count = (uint32_t)b.processors.count;
    execution->nodes = b.nodes.items;
    execution->node_names = b.names.items;
    execution->node_count = (uint32_t)b.names.count; /* names and nodes are pushed together; names come first */
    for (uint32_t i = 0; !status && i < execution->processor_count; i++)
        lp_processor_sum(execution, i, totals);
    for (uint32_t i = 0; totals && i < execution->region_count; i++)
        execution->regions[i].total = totals[i];
    free(totals);
    execution->reading.events = builder->nodes.count;
    execution->reading.sync_events = builder->nodes.count;
    return status;
}

void graph_release(struct graph_builder *builder)
{
    for (size_t i = 0; i < builder->processes.count; i++)
        free(builder->processes.items[i]);
    for (size_t i = 0; i < builder->regions.count; i++)
        free(builder->regions.items[i]);
    for (size_t i = 0; i < builder->nodes.count; i++)
        free(builder->nodes.items[i].name);
    vector_release(&builder->processes);
    vector_release(&builder->regions);
    vector_release(&builder->nodes);
    vector_release(&builder->locals);
    vector_release(&builder->crosses);
    lp_map_release(&builder->process_index);
    lp_map_release(&builder->region_index);
    lp_map_release(&builder->node_index);
}
