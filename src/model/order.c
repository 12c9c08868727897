/* Topological order by chains: every processor goes on until its next node needs a node that is not done yet; then it
 * waits on that node, which wakes it (its slot, not in use yet, is the head of the list of those that wait). Turns are short (RUN_LIMIT nodes) and taken in FIFO order, so that processors
 * advance together and few values are in flight between the source of an arc and its last target. O(nodes + arcs).
 *
 * Slots: a sweep over the runs keeps one value for each processor, and one for each source whose targets it has not
 * all met. The slots for these are given out by walking the order backwards: the first target met (the last one in
 * order) takes a slot for its source, and the source gives it back. So a sweep needs memory for what is in flight
 * only, however wide its values are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model/order.h"

#include "base/error.h"
#include "base/vector.h"

enum { RUN_LIMIT = 32 };

struct turn {
    uint32_t next;   /* node id the processor stands before */
    uint32_t end;    /* one past its last node */
    uint32_t waiter; /* next processor that waits for the same node */
    uint32_t waits_for;
};

struct ordering {
    struct lp_execution *execution;
    struct turn *turns;
    uint64_t *done;
    uint32_t *queue; /* ring of processors that can go on; capacity is processor_count */
    uint32_t head, queued;
    VECTOR(struct lp_run) runs;
};

static void enqueue(struct ordering *o, uint32_t processor)
{
    uint32_t place = o->head + o->queued++;
    o->queue[place % o->execution->processor_count] = processor;
}

/* The first source of the node that is not done, or LP_NONE. */
static uint32_t missing_source(const struct ordering *o, const struct lp_node *node)
{
    if (node->from == LP_NONE)
        return LP_NONE;
    if (!(node->flags & LP_NODE_MANY))
        return lp_bit(o->done, node->from) ? LP_NONE : node->from;
    for (const struct lp_arc *arc = o->execution->arcs + node->from; arc->from != LP_NONE; arc++)
        if (!lp_bit(o->done, arc->from))
            return arc->from;
    return LP_NONE;
}

enum { WATCHED = 128 }; /* flag of a node that somebody waits for, while ordering */

static void wait_for(struct ordering *o, uint32_t processor, uint32_t id)
{
    struct lp_node *node = &o->execution->nodes[id];
    o->turns[processor].waiter = node->flags & WATCHED ? node->slot : LP_NONE;
    o->turns[processor].waits_for = id;
    node->slot = processor;
    node->flags |= WATCHED;
}

static void wake(struct ordering *o, struct lp_node *node)
{
    uint32_t processor = node->slot;
    node->flags &= (uint8_t)~WATCHED;
    while (processor != LP_NONE) {
        uint32_t next = o->turns[processor].waiter;
        o->turns[processor].waits_for = LP_NONE;
        enqueue(o, processor);
        processor = next;
    }
}

/* One turn: up to RUN_LIMIT nodes. */
static bool take_turn(struct ordering *o, uint32_t processor)
{
    struct turn *turn = &o->turns[processor];
    uint32_t first = turn->next, limit = turn->end - first > RUN_LIMIT ? first + RUN_LIMIT : turn->end;
    uint32_t missing = LP_NONE;
    while (turn->next < limit) {
        missing = missing_source(o, &o->execution->nodes[turn->next]);
        if (missing != LP_NONE)
            break;
        lp_bit_set(o->done, turn->next);
        if (o->execution->nodes[turn->next].flags & WATCHED)
            wake(o, &o->execution->nodes[turn->next]);
        turn->next++;
    }
    if (turn->next > first && !vector_push(&o->runs, (struct lp_run){.first = first,
                                                                     .processor = processor & LP_PROCESSORS_MAX,
                                                                     .count = (turn->next - first) & 255}))
        return false;
    if (missing != LP_NONE)
        wait_for(o, processor, missing);
    else if (turn->next < turn->end)
        enqueue(o, processor);
    return true;
}

static bool go_on(struct ordering *o)
{
    while (o->queued) {
        uint32_t processor = o->queue[o->head];
        o->head = (o->head + 1) % o->execution->processor_count;
        o->queued--;
        if (!take_turn(o, processor))
            return false;
    }
    return true;
}

/* The first processor that did not finish, or, following who waits for whom, one on the cycle. */
static uint32_t find_cycle(const struct ordering *o)
{
    uint32_t processor = 0;
    while (processor < o->execution->processor_count && o->turns[processor].next == o->turns[processor].end)
        processor++;
    if (processor == o->execution->processor_count)
        return LP_NONE;
    for (uint32_t steps = 0; steps < o->execution->processor_count; steps++)
        processor = lp_execution_processor_of(o->execution, o->turns[processor].waits_for);
    return processor;
}

static void give_up_arcs(struct ordering *o, uint32_t processor)
{
    struct lp_node *node = &o->execution->nodes[o->turns[processor].next];
    node->from = LP_NONE;
    node->flags &= (uint8_t)~LP_NODE_MANY;
    o->execution->reading.dropped_arcs++;
    /* All that wait for that source look again; the others will wait for it once more. */
    wake(o, &o->execution->nodes[o->turns[processor].waits_for]);
}

static enum lp_status report_cycle(const struct ordering *o, uint32_t processor, struct lp_error *error)
{
    const struct lp_execution *execution = o->execution;
    uint32_t node = o->turns[processor].next;
    if (execution->node_names)
        return lp_fail(error, LP_BAD_INPUT, "the graph has a cycle through node \"%s\"", execution->node_names[node]);
    return lp_fail(error, LP_BAD_INPUT,
                   "cause and effect form a cycle at sync point %u of processor \"%s\" (--salvage goes on without it)",
                   node - execution->processors[processor].first_node, execution->processors[processor].name);
}

static enum lp_status order_nodes(struct ordering *o, bool salvage, struct lp_error *error)
{
    for (uint32_t i = 0; i < o->execution->processor_count; i++) {
        const struct lp_processor *processor = &o->execution->processors[i];
        o->turns[i] = (struct turn){.next = processor->first_node,
                                    .waiter = LP_NONE,
                                    .waits_for = LP_NONE,
                                    .end = processor->first_node + processor->node_count};
        enqueue(o, i);
    }
    for (;;) {
        if (!go_on(o))
            return lp_no_memory(error);
        uint32_t stuck = find_cycle(o);
        if (stuck == LP_NONE)
            return LP_OK;
        if (!salvage)
            return report_cycle(o, stuck, error);
        give_up_arcs(o, stuck);
    }
}

/* ---- Slots --------------------------------------------------------------------------------------------- */

struct slots {
    VECTOR(uint32_t) free;
    uint32_t count;
};

static bool slot_for(struct slots *slots, struct lp_node *source, uint32_t *slot)
{
    if (!(source->flags & LP_NODE_IS_SOURCE)) {
        source->flags |= LP_NODE_IS_SOURCE;
        source->slot = slots->free.count ? slots->free.items[--slots->free.count] : slots->count++;
    }
    *slot = source->slot;
    return true;
}

static bool node_slots(struct lp_execution *execution, struct slots *slots, struct lp_node *node)
{
    if (node->flags & LP_NODE_IS_SOURCE)
        return vector_push(&slots->free, node->slot);
    if (node->from == LP_NONE)
        return true;
    if (!(node->flags & LP_NODE_MANY))
        return slot_for(slots, &execution->nodes[node->from], &node->slot);
    for (struct lp_arc *arc = execution->arcs + node->from; arc->from != LP_NONE; arc++)
        if (!slot_for(slots, &execution->nodes[arc->from], &arc->slot))
            return false;
    return true;
}

static bool give_slots(struct lp_execution *execution)
{
    struct slots slots = {0};
    bool enough = true;
    for (uint32_t r = execution->run_count; enough && r-- > 0;) {
        const struct lp_run *run = &execution->runs[r];
        for (uint32_t i = run->count; enough && i-- > 0;)
            enough = node_slots(execution, &slots, &execution->nodes[run->first + i]);
    }
    execution->slot_count = slots.count;
    vector_release(&slots.free);
    return enough;
}

enum lp_status lp_execution_finish(struct lp_execution *execution, bool salvage, struct lp_error *error)
{
    struct ordering o = {.execution = execution};
    enum lp_status status = LP_OK;
    o.turns = lp_allocate(execution->processor_count, sizeof *o.turns);
    o.queue = lp_allocate(execution->processor_count, sizeof *o.queue);
    o.done = lp_bits_create(execution->node_count);
    if (!o.turns || !o.queue || !o.done)
        status = lp_no_memory(error);
    else
        status = order_nodes(&o, salvage, error);
    if (!status) {
        execution->runs = o.runs.items;
        execution->run_count = (uint32_t)o.runs.count;
        o.runs.items = NULL;
        if (!give_slots(execution))
            status = lp_no_memory(error);
    }
    free(o.turns);
    free(o.queue);
    free(o.done);
    vector_release(&o.runs);
    return status;
}
