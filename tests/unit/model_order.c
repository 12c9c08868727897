/* Causes before effects: on random executions the order has every node once, after all that it needs; a sweep that leaves each
 * source's number in its slot finds the right number at every target; and cycles are found, or given up when salvaging.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "base/vector.h"
#include "model/order.h"

/* ---- Random executions --------------------------------------------------------------------------------- */

/* Plays the nodes of all processors in one random sequence. Each becomes a source, a target of earlier sources (one by
 * `from`, several by a list), or neither: so the graph is acyclic by construction. */
struct play {
    struct lp_execution *execution;
    struct random random;
    uint32_t *sources; /* node ids played that may be sources */
    uint32_t source_count;
};

static void make_target(struct play *play, struct lp_node *node)
{
    struct lp_execution *execution = play->execution;
    uint32_t count = random_chance(&play->random, 60) ? 1 : 1 + random_below(&play->random, 5);
    if (count == 1 && random_chance(&play->random, 70)) {
        node->from = play->sources[random_below(&play->random, play->source_count)];
        return;
    }
    node->from = execution->arc_count;
    node->flags = LP_NODE_MANY;
    for (uint32_t i = 0; i < count; i++)
        execution->arcs[execution->arc_count++] =
            (struct lp_arc){.from = play->sources[random_below(&play->random, play->source_count)]};
    execution->arcs[execution->arc_count++] = (struct lp_arc){.from = LP_NONE};
}

static void play_node(struct play *play, uint32_t id)
{
    struct lp_node *node = &play->execution->nodes[id];
    *node = (struct lp_node){.from = LP_NONE, .kind = LP_NODE_POINT};
    if (play->source_count && random_chance(&play->random, 40))
        make_target(play, node);
    else if (random_chance(&play->random, 70))
        play->sources[play->source_count++] = id;
}

static void make_execution(struct lp_execution *execution, uint64_t seed)
{
    struct play play = {.execution = execution, .random = random_from(seed)};
    uint32_t processors = 1 + random_below(&play.random, 8), most = 1 + random_below(&play.random, seed % 7 ? 30 : 300);
    lp_execution_init(execution);
    execution->processors = lp_allocate(processors, sizeof *execution->processors);
    execution->processor_count = processors;
    for (uint32_t p = 0; p < processors; p++) {
        execution->processors[p].name = strdup("p");
        execution->processors[p].first_node = execution->node_count;
        execution->processors[p].node_count = 1 + random_below(&play.random, most);
        execution->node_count += execution->processors[p].node_count;
    }
    execution->nodes = lp_allocate(execution->node_count, sizeof *execution->nodes);
    execution->arcs = lp_allocate(execution->node_count * 6, sizeof *execution->arcs);
    play.sources = lp_allocate(execution->node_count, sizeof *play.sources);
    uint32_t *done = lp_allocate(processors, sizeof *done);
    for (uint32_t left = execution->node_count; left;) {
        uint32_t p = random_below(&play.random, processors);
        if (done[p] < execution->processors[p].node_count) {
            play_node(&play, execution->processors[p].first_node + done[p]++);
            left--;
        }
    }
    free(play.sources);
    free(done);
}

/* ---- What must hold ------------------------------------------------------------------------------------ */

/* Calls `meet` for every cross arc into the node. */
static void each_source(const struct lp_execution *execution, const struct lp_node *node,
                        void (*meet)(void *context, uint32_t source, uint32_t slot), void *context)
{
    if (node->from == LP_NONE)
        return;
    if (!(node->flags & LP_NODE_MANY)) {
        meet(context, node->from, node->slot);
        return;
    }
    for (const struct lp_arc *arc = execution->arcs + node->from; arc->from != LP_NONE; arc++)
        meet(context, arc->from, arc->slot);
}

struct sweep {
    const struct lp_execution *execution;
    bool *done;
    uint32_t *slots; /* the number of the source whose value stands there */
};

static void source_is_done(void *context, uint32_t source, uint32_t slot)
{
    struct sweep *sweep = context;
    assert_true(sweep->done[source]);
    assert_true(slot < sweep->execution->slot_count);
    assert_int_equal(sweep->slots[slot], source);
    assert_true(sweep->execution->nodes[source].flags & LP_NODE_IS_SOURCE);
}

static void assert_order(const struct lp_execution *execution)
{
    struct sweep sweep = {.execution = execution,
                          .done = lp_allocate(execution->node_count, sizeof *sweep.done),
                          .slots = lp_allocate(execution->slot_count, sizeof *sweep.slots)};
    uint32_t *next = lp_allocate(execution->processor_count, sizeof *next), met = 0;
    for (uint32_t r = 0; r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        const struct lp_processor *processor = &execution->processors[run->processor];
        assert_true(run->count > 0);
        assert_int_equal(run->first, processor->first_node + next[run->processor]);
        next[run->processor] += run->count;
        assert_true(next[run->processor] <= processor->node_count);
        for (uint32_t id = run->first; id < run->first + run->count; id++, met++) {
            const struct lp_node *node = &execution->nodes[id];
            assert_false(node->from != LP_NONE && node->flags & LP_NODE_IS_SOURCE);
            each_source(execution, node, source_is_done, &sweep);
            if (node->flags & LP_NODE_IS_SOURCE) {
                assert_true(node->slot < execution->slot_count);
                sweep.slots[node->slot] = id;
            }
            sweep.done[id] = true;
        }
    }
    assert_int_equal(met, execution->node_count);
    free(sweep.done);
    free(sweep.slots);
    free(next);
}

static void random_executions_are_ordered(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < scaled(500); seed++) {
        struct lp_execution execution;
        struct lp_error error;
        make_execution(&execution, seed);
        assert_int_equal(lp_execution_finish(&execution, false, &error), LP_OK);
        assert_order(&execution);
        assert_int_equal(execution.reading.dropped_arcs, 0);
        lp_execution_release(&execution);
    }
}

/* Slots are for what is in flight: a chain of exchanges between two processors needs few, however long it is. */
static void slots_follow_what_is_in_flight(void **state)
{
    enum { LENGTH = 4000 };
    struct lp_execution execution;
    struct lp_error error;
    (void)state;
    lp_execution_init(&execution);
    execution.processors = lp_allocate(2, sizeof *execution.processors);
    execution.processor_count = 2;
    execution.nodes = lp_allocate(2 * LENGTH, sizeof *execution.nodes);
    execution.node_count = 2 * LENGTH;
    for (uint32_t p = 0; p < 2; p++)
        execution.processors[p] =
            (struct lp_processor){.name = strdup("p"), .first_node = p * LENGTH, .node_count = LENGTH};
    for (uint32_t i = 0; i < LENGTH; i++) { /* even steps: 0 sends to 1; odd steps: 1 sends to 0 */
        execution.nodes[i].from = i % 2 ? LENGTH + i : LP_NONE;
        execution.nodes[LENGTH + i].from = i % 2 ? LP_NONE : i;
    }
    assert_int_equal(lp_execution_finish(&execution, false, &error), LP_OK);
    assert_order(&execution);
    assert_true(execution.slot_count <= 40); /* one turn's worth at most, far below LENGTH */
    lp_execution_release(&execution);
}

/* ---- Cycles -------------------------------------------------------------------------------------------- */

/* Makes a cycle of a good execution: a node that is no source shall wait for a later node of its own processor, or, on two
 * processors, each for a later one of the other. */
static bool close_cycle(struct lp_execution *execution, struct random *random)
{
    for (unsigned attempt = 0; attempt < 50; attempt++) {
        uint32_t p = random_below(random, execution->processor_count),
                 q = random_below(random, execution->processor_count);
        const struct lp_processor *a = &execution->processors[p], *b = &execution->processors[q];
        if (a->node_count < 2 || b->node_count < 2)
            continue;
        struct lp_node *first = &execution->nodes[a->first_node], *second = &execution->nodes[b->first_node];
        uint32_t last_a = a->first_node + a->node_count - 1, last_b = b->first_node + b->node_count - 1;
        if (execution->nodes[last_a].from != LP_NONE || execution->nodes[last_b].from != LP_NONE)
            continue;
        first->flags = second->flags = 0;
        first->from = last_b;
        second->from = last_a;
        return true;
    }
    return false;
}

/* The arcs from nodes that have become targets go: a node is never both. */
static void drop_arcs_from_targets(struct lp_execution *execution)
{
    for (uint32_t id = 0; id < execution->node_count; id++) {
        struct lp_node *node = &execution->nodes[id];
        bool drop = false;
        if (node->from != LP_NONE && !(node->flags & LP_NODE_MANY))
            drop = execution->nodes[node->from].from != LP_NONE;
        else if (node->from != LP_NONE)
            for (const struct lp_arc *arc = execution->arcs + node->from; arc->from != LP_NONE; arc++)
                drop = drop || execution->nodes[arc->from].from != LP_NONE;
        if (drop) {
            node->from = LP_NONE;
            node->flags = 0;
        }
    }
}

static void cycles_are_found_and_given_up(void **state)
{
    unsigned tried = 0;
    (void)state;
    for (unsigned seed = 0; seed < scaled(300); seed++)
        for (int salvage = 0; salvage < 2; salvage++) {
            struct lp_execution execution;
            struct lp_error error = {""};
            struct random random = random_from(seed);
            make_execution(&execution, seed);
            if (close_cycle(&execution, &random)) {
                drop_arcs_from_targets(&execution);
                enum lp_status status = lp_execution_finish(&execution, salvage, &error);
                assert_int_equal(status, salvage ? LP_OK : LP_BAD_INPUT);
                if (salvage) {
                    assert_order(&execution);
                    assert_true(execution.reading.dropped_arcs > 0);
                } else {
                    assert_non_null(strstr(error.message, "cycle"));
                }
                tried++;
            }
            lp_execution_release(&execution);
        }
    assert_true(tried >= 2);
}

/* Two independent cycles cost two arcs, not more. */
static void salvage_gives_up_little(void **state)
{
    struct lp_execution execution;
    struct lp_error error;
    (void)state;
    lp_execution_init(&execution);
    execution.processors = lp_allocate(4, sizeof *execution.processors);
    execution.processor_count = 4;
    execution.nodes = lp_allocate(8, sizeof *execution.nodes);
    execution.node_count = 8;
    for (uint32_t p = 0; p < 4; p++) { /* 0 and 1, 2 and 3: each first node waits for the other's last */
        execution.processors[p] = (struct lp_processor){.name = strdup("p"), .first_node = 2 * p, .node_count = 2};
        execution.nodes[2 * p] = (struct lp_node){.from = 2 * (p ^ 1) + 1};
        execution.nodes[2 * p + 1] = (struct lp_node){.from = LP_NONE};
    }
    assert_int_equal(lp_execution_finish(&execution, true, &error), LP_OK);
    assert_order(&execution);
    assert_int_equal(execution.reading.dropped_arcs, 2);
    lp_execution_release(&execution);
}

static void processors_own_their_nodes(void **state)
{
    struct lp_execution execution;
    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        make_execution(&execution, seed);
        for (uint32_t p = 0; p < execution.processor_count; p++)
            for (uint32_t i = 0; i < execution.processors[p].node_count; i++)
                assert_int_equal(lp_execution_processor_of(&execution, execution.processors[p].first_node + i), p);
        lp_execution_release(&execution);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_executions_are_ordered), cmocka_unit_test(slots_follow_what_is_in_flight),
        cmocka_unit_test(cycles_are_found_and_given_up), cmocka_unit_test(salvage_gives_up_little),
        cmocka_unit_test(processors_own_their_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
