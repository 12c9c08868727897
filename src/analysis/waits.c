/* Where processors wait, for what, and for whom. One pass over every processor's parts, processors shared among threads. doc/methods.md, "Wait states".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analysis/sweep.h"
#include "base/error.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/vector.h"
#include "longpole/analysis.h"

/* Waiting of one processor in one region for one kind of thing, caused by one processor. */
struct cell {
    uint32_t region, cause;
    enum lp_node_kind kind;
    uint64_t count;
    lp_ticks time;
};

struct cells {
    struct cell *items;
    size_t count, capacity;
    struct lp_map index;
};

struct gathering {
    const struct lp_execution *execution;
    struct cells *cells; /* [processor] */
    bool failed;
};

static uint32_t cause_of(const struct lp_execution *execution, const struct lp_node *node)
{
    if (node->from == LP_NONE)
        return LP_NONE;
    uint32_t source = node->flags & LP_NODE_MANY ? execution->arcs[node->from].from : node->from;
    return lp_execution_processor_of(execution, source);
}

static bool add_wait(struct cells *cells, uint32_t region, enum lp_node_kind kind, uint32_t cause, lp_ticks time)
{
    uint64_t key = (uint64_t)cause << 32 | (uint64_t)region << 8 | kind;
    uint32_t *place = lp_map_at(&cells->index, key);
    if (!place)
        return false;
    if (*place == LP_MAP_FREE) {
        if (!vector_push(cells, (struct cell){.region = region, .kind = kind, .cause = cause}))
            return false;
        *place = (uint32_t)cells->count - 1;
    }
    cells->items[*place].count++;
    cells->items[*place].time += time;
    return true;
}

/* The waiting in a node's arc: at its end what the node itself waited for, before that what was ended by a task that ran. */
static void gather_node(struct gathering *g, struct cells *cells, const struct lp_processor *processor, uint32_t id)
{
    const struct lp_execution *execution = g->execution;
    const struct lp_node *node = &execution->nodes[id];
    const lp_part *end = lp_arc_end(execution, processor, id);
    for (const lp_part *part = lp_arc_begin(execution, processor, id); part < end; part++) {
        if (lp_part_kind(*part) != LP_WAITING)
            continue;
        lp_ticks time = lp_part_duration(*part);
        while (part + 1 < end && lp_part_kind(part[1]) == LP_WAITING &&
               lp_part_region(part[0]) == lp_part_region(part[1]))
            time += lp_part_duration(*++part);
        if (!time)
            continue;
        bool last = part + 1 == end && (node->from != LP_NONE || node->kind == LP_NODE_POINT);
        enum lp_node_kind kind = last ? (enum lp_node_kind)node->kind : LP_NODE_TASK_SWITCH;
        if (!add_wait(cells, lp_part_region(*part), kind, last ? cause_of(execution, node) : LP_NONE, time))
            g->failed = true;
    }
}

static void gather(void *context, size_t number, unsigned worker)
{
    struct gathering *g = context;
    const struct lp_processor *processor = &g->execution->processors[number];
    (void)worker;
    if (!processor->account.waiting)
        return;
    for (uint32_t id = processor->first_node; id < processor->first_node + processor->node_count; id++)
        gather_node(g, &g->cells[number], processor, id);
}

/* ---- Summing up ---------------------------------------------------------------------------------------- */

struct summary {
    VECTOR(struct lp_wait_state) states;
    VECTOR(struct lp_wait_pair) pairs;
    struct lp_map state_index, pair_index;
    uint32_t width;      /* processors */
    lp_ticks *by_waiter; /* [state * width + processor] */
    lp_ticks *by_cause;
};

static bool add_pair(struct summary *s, uint32_t processor, const struct cell *cell)
{
    uint32_t *place = lp_map_at(&s->pair_index, (uint64_t)processor << 32 | cell->cause);
    if (!place)
        return false;
    if (*place == LP_MAP_FREE) {
        if (!vector_push(&s->pairs, (struct lp_wait_pair){.waiter = processor, .cause = cell->cause}))
            return false;
        *place = (uint32_t)s->pairs.count - 1;
    }
    s->pairs.items[*place].count += cell->count;
    s->pairs.items[*place].time += cell->time;
    return true;
}

static uint64_t state_key(const struct cell *cell)
{
    return (uint64_t)cell->region << 8 | cell->kind;
}

static bool add_state(struct summary *s, const struct cell *cell)
{
    uint32_t *place = lp_map_at(&s->state_index, state_key(cell));
    if (!place)
        return false;
    if (*place == LP_MAP_FREE) {
        struct lp_wait_state state = {
            .region = cell->region, .kind = cell->kind, .worst_processor = LP_NONE, .worst_cause = LP_NONE};
        if (!vector_push(&s->states, state))
            return false;
        *place = (uint32_t)s->states.count - 1;
    }
    s->states.items[*place].count += cell->count;
    s->states.items[*place].time += cell->time;
    return true;
}

static uint32_t largest(const lp_ticks *times, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (times[i] > times[best])
            best = i;
    return times[best] ? best : LP_NONE;
}

/* Who waited most in each state, and for whom. */
static bool find_worst(struct summary *s, const struct gathering *g)
{
    size_t size = s->states.count * s->width;
    s->by_waiter = lp_allocate(size, sizeof *s->by_waiter);
    s->by_cause = lp_allocate(size, sizeof *s->by_cause);
    if (!s->by_waiter || !s->by_cause)
        return false;
    for (uint32_t p = 0; p < s->width; p++)
        for (size_t i = 0; i < g->cells[p].count; i++) {
            const struct cell *cell = &g->cells[p].items[i];
            size_t row = (size_t)lp_map_get(&s->state_index, state_key(cell)) * s->width;
            s->by_waiter[row + p] += cell->time;
            if (cell->cause != LP_NONE)
                s->by_cause[row + cell->cause] += cell->time;
        }
    for (size_t i = 0; i < s->states.count; i++) {
        s->states.items[i].worst_processor = largest(s->by_waiter + i * s->width, s->width);
        s->states.items[i].worst_cause = largest(s->by_cause + i * s->width, s->width);
    }
    return true;
}

static int by_state_time(const void *a, const void *b)
{
    const struct lp_wait_state *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->region != y->region ? (x->region < y->region ? -1 : 1) : (int)x->kind - (int)y->kind;
}

static int by_pair_time(const void *a, const void *b)
{
    const struct lp_wait_pair *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    if (x->waiter != y->waiter)
        return x->waiter < y->waiter ? -1 : 1;
    return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static bool sum_up(const struct gathering *g, struct lp_waits *waits)
{
    struct summary s = {.width = g->execution->processor_count};
    bool enough = true;
    for (uint32_t p = 0; enough && p < s.width; p++) {
        const struct lp_account *account = &g->execution->processors[p].account;
        waits->total.useful += account->useful;
        waits->total.outside += account->outside;
        waits->total.waiting += account->waiting;
        waits->total.overhead += account->overhead;
        waits->total.absent += account->absent;
        for (size_t i = 0; enough && i < g->cells[p].count; i++)
            enough = add_state(&s, &g->cells[p].items[i]) && add_pair(&s, p, &g->cells[p].items[i]);
    }
    enough = enough && find_worst(&s, g);
    if (enough && s.states.count)
        qsort(s.states.items, s.states.count, sizeof *s.states.items, by_state_time);
    if (enough && s.pairs.count)
        qsort(s.pairs.items, s.pairs.count, sizeof *s.pairs.items, by_pair_time);
    waits->states = s.states.items;
    waits->state_count = s.states.count;
    waits->pairs = s.pairs.items;
    waits->pair_count = s.pairs.count;
    free(s.by_waiter);
    free(s.by_cause);
    lp_map_release(&s.state_index);
    lp_map_release(&s.pair_index);
    return enough;
}

enum lp_status lp_waits_find(const struct lp_execution *execution, unsigned threads, struct lp_waits *waits,
                             struct lp_error *error)
{
    struct gathering g = {.execution = execution};
    *waits = (struct lp_waits){0};
    g.cells = lp_allocate(execution->processor_count, sizeof *g.cells);
    bool enough = g.cells;
    if (enough) {
        lp_pool_run(threads ? threads : 1, execution->processor_count, gather, &g);
        enough = !g.failed && sum_up(&g, waits);
    }
    for (uint32_t p = 0; g.cells && p < execution->processor_count; p++) {
        vector_release(&g.cells[p]);
        lp_map_release(&g.cells[p].index);
    }
    free(g.cells);
    return enough ? LP_OK : lp_no_memory(error);
}

void lp_waits_release(struct lp_waits *waits)
{
    free(waits->states);
    free(waits->pairs);
    *waits = (struct lp_waits){0};
}
