/* Every analysis against the naive implementation (naive.c) on random activity graphs, and what must hold for any graph:
 * Slack <= tight <= Zeroing <= time on the path, parts add up to the whole, the path is no longer than the run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "naive.h"

#include "base/vector.h"
#include "longpole/analysis.h"

enum { GRAPHS = 800, WAYS_MAX = 20000 };

/* Number of the given node or procedure; its name is a letter and that number. */
static int number_of(const char *name)
{
    return atoi(name + 1);
}

static const char *described; /* the graph under test, for messages */

#define CHECK(found, expected)                                                                               \
    do {                                                                                                     \
        long long f = (long long)(found), e = (long long)(expected);                                         \
        if (f != e)                                                                                          \
            fail_msg("%s:%d: %s is %lld, naively %lld, in %s", __FILE__, __LINE__, #found, f, e, described); \
    } while (0)

/* ---- Path ---------------------------------------------------------------------------------------------- */

/* The library's path as numbers of given nodes; a node that it made two of stands once. */
static int path_nodes(const struct lp_execution *execution, const struct lp_path *path, int *nodes)
{
    int count = 0;
    for (size_t i = 0; i < path->leg_count; i++)
        for (uint32_t id = path->legs[i].first; id <= path->legs[i].last; id++) {
            int node = number_of(execution->node_names[id]);
            if (!count || nodes[count - 1] != node)
                nodes[count++] = node;
        }
    return count;
}

static void check_path(const struct naive *graph, const struct lp_execution *execution, const struct lp_path *path)
{
    int found[3 * NAIVE_NODES], expected[NAIVE_NODES], count = path_nodes(execution, path, found), wanted = 0;
    for (int step = 0; step <= graph->path_count; step++)
        for (int node = 0; node < graph->given_nodes; node++)
            if (graph->position[node] == step)
                expected[wanted++] = node;
    CHECK(path->length, graph->length);
    CHECK(count, wanted);
    for (int i = 0; i < count; i++)
        CHECK(found[i], expected[i]);
    CHECK(execution->end, naive_wall(graph));
    assert_true(path->length <= execution->end);
    CHECK(path->before + path->waiting + path->crossing_time + path->after, execution->end - path->length);
}

struct pieces {
    lp_ticks by_region[NAIVE_PROCEDURES], all, last_end;
    bool overlap;
};

static void add_piece(void *context, const struct lp_piece *piece)
{
    struct pieces *pieces = context;
    pieces->by_region[piece->region] += piece->duration;
    pieces->all += piece->duration;
    pieces->overlap = pieces->overlap || piece->start < pieces->last_end || piece->duration <= 0;
    pieces->last_end = piece->start + piece->duration;
}

/* The pieces follow each other and are, per procedure, what the profile says. */
static void check_pieces(const struct lp_execution *execution, const struct lp_path *path)
{
    struct pieces pieces = {.last_end = 0};
    lp_path_pieces(execution, path, add_piece, &pieces);
    assert_false(pieces.overlap);
    assert_true(pieces.all <= path->length); /* the rest are weights of cross arcs */
    for (uint32_t r = 0; r < execution->region_count; r++)
        CHECK(pieces.by_region[r], path->on_path[r]);
}

/* ---- Slack and Zeroing --------------------------------------------------------------------------------- */

static int by_ends(const void *a, const void *b)
{
    const struct naive_segment *x = a, *y = b;
    return x->from != y->from ? x->from - y->from : x->to != y->to ? x->to - y->to : x->slack - y->slack;
}

static int sorted_set(struct naive_segment *segments, int count)
{
    int kept = 0;
    qsort(segments, (size_t)count, sizeof *segments, by_ends);
    for (int i = 0; i < count; i++)
        if (!i || by_ends(&segments[i - 1], &segments[i]))
            segments[kept++] = segments[i];
    return kept;
}

static int position_node(const struct naive *graph, const struct lp_execution *execution, const struct lp_slack *slack,
                         uint32_t position)
{
    if (slack->nodes[position] != LP_NONE)
        return number_of(execution->node_names[slack->nodes[position]]);
    return position ? graph->end : graph->root;
}

static void check_segments(const struct naive *graph, const struct lp_execution *execution,
                           const struct lp_slack *slack, struct naive_segment *expected, int expected_count)
{
    static struct naive_segment found[NAIVE_SEGMENTS];
    int count = (int)slack->segment_count;
    assert_true(count <= NAIVE_SEGMENTS);
    for (int i = 0; i < count; i++)
        found[i] = (struct naive_segment){position_node(graph, execution, slack, slack->segments[i].from),
                                          position_node(graph, execution, slack, slack->segments[i].to),
                                          (int)slack->segments[i].slack};
    count = sorted_set(found, count);
    expected_count = sorted_set(expected, expected_count);
    CHECK(count, expected_count);
    for (int i = 0; i < count; i++) {
        CHECK(found[i].from, expected[i].from);
        CHECK(found[i].to, expected[i].to);
        CHECK(found[i].slack, expected[i].slack);
    }
}

static const struct lp_procedure *find_procedure(const struct lp_execution *execution, const struct lp_profile *profile,
                                                 int procedure)
{
    static const struct lp_procedure nothing;
    for (size_t i = 0; i < profile->procedure_count; i++)
        if (number_of(execution->regions[profile->procedures[i].region].name) == procedure)
            return &profile->procedures[i];
    return &nothing;
}

/* All of the profile; `segments` are those of the form of Slack that was asked for. */
static void check_profile(const struct naive *graph, const struct lp_execution *execution,
                          const struct lp_profile *profile, const struct naive_segment *segments, int segment_count)
{
    lp_ticks on_path = 0;
    for (int p = 0; p < NAIVE_PROCEDURES; p++) {
        const struct lp_procedure *procedure = find_procedure(execution, profile, p);
        CHECK(procedure->path, naive_on_path(graph, p));
        CHECK(procedure->total, naive_total(graph, p));
        CHECK(procedure->zeroing, naive_zeroing(graph, p));
        CHECK(procedure->slack, naive_slack(graph, p, segments, segment_count));
        assert_true(0 <= procedure->slack && procedure->slack <= procedure->zeroing);
        assert_true(procedure->zeroing <= procedure->path && procedure->path <= procedure->total);
        on_path += procedure->path;
    }
    for (size_t i = 1; i < profile->procedure_count; i++)
        assert_true(profile->procedures[i - 1].path >= profile->procedures[i].path);
    assert_true(on_path <= profile->path.length);
}

static void check_slack(const struct naive *graph, const struct lp_execution *execution)
{
    static struct naive_segment segments[NAIVE_SEGMENTS];
    lp_ticks literal[NAIVE_PROCEDURES];
    for (int tight = 0; tight < 2; tight++) {
        int count = tight ? naive_pairs(graph, segments) : naive_messages(graph, segments);
        for (int variant = 0; variant < 3;
             variant++) { /* keeping all segments or not must not matter, nor do threads */
            struct lp_slack_options options = {
                .tight = tight, .keep_segments = variant == 0, .threads = variant == 2 ? 3 : 1};
            struct lp_profile profile;
            struct lp_error error;
            assert_int_equal(lp_profile_find(execution, &options, &profile, &error), LP_OK);
            check_path(graph, execution, &profile.path);
            check_pieces(execution, &profile.path);
            check_profile(graph, execution, &profile, segments, count);
            if (options.keep_segments)
                check_segments(graph, execution, &profile.slack, segments, count);
            for (int p = 0; p < NAIVE_PROCEDURES; p++) {
                lp_ticks slack = find_procedure(execution, &profile, p)->slack;
                assert_true(!tight || literal[p] <= slack);
                literal[p] = slack;
            }
            lp_profile_release(&profile);
        }
    }
}

/* ---- Parallelism and waiting --------------------------------------------------------------------------- */

static void check_parallelism(const struct naive *graph, const struct lp_execution *execution, bool all, bool latest)
{
    struct lp_parallelism result;
    struct lp_error error;
    int degree[NAIVE_TIME], maximum = 0;
    lp_ticks work = 0, weighted = 0, time = 0;
    assert_int_equal(lp_parallelism_find(execution, all ? LP_COUNT_ALL : LP_COUNT_WORK,
                                         latest ? LP_LATEST : LP_EARLIEST, &result, &error),
                     LP_OK);
    naive_degrees(graph, all, latest, degree);
    CHECK(result.length, graph->length);
    for (size_t i = 0; i < result.step_count; i++) {
        const struct lp_step *step = &result.profile[i];
        assert_true(step->begin < step->end && step->end <= result.length);
        assert_true(!i || result.profile[i - 1].end < step->begin ||
                    (result.profile[i - 1].end == step->begin && result.profile[i - 1].degree != step->degree));
        work += (step->end - step->begin) * step->degree;
        for (lp_ticks t = step->begin; t < step->end; t++) {
            CHECK(step->degree, degree[t]);
            degree[t] = 0;
        }
        maximum = (int)step->degree > maximum ? (int)step->degree : maximum;
    }
    for (int t = 0; t < NAIVE_TIME; t++)
        CHECK(0, degree[t]); /* nothing was left out */
    CHECK(work, result.work);
    CHECK(result.maximum, maximum);
    for (uint32_t k = 0; k <= result.maximum; k++) {
        weighted += result.shape[k] * k;
        time += result.shape[k];
    }
    CHECK(time, result.length);
    CHECK(weighted, result.work);
    assert_true(result.average == (result.length ? (double)result.work / (double)result.length : 0));
    lp_parallelism_release(&result);
}

static void check_times(const struct naive *graph, const struct lp_execution *execution)
{
    lp_ticks *times = lp_allocate(execution->node_count, sizeof *times);
    struct lp_error error;
    assert_int_equal(lp_critical_times(execution, times, &error), LP_OK);
    int last[NAIVE_NODES];
    for (uint32_t id = 0; id < execution->node_count; id++)
        last[number_of(execution->node_names[id])] = 0;
    for (uint32_t id = 0; id < execution->node_count; id++) { /* of a node made two of, the later one counts */
        int node = number_of(execution->node_names[id]);
        last[node] = times[id] > last[node] ? (int)times[id] : last[node];
    }
    for (int node = 0; node < graph->given_nodes; node++)
        CHECK(last[node], graph->distance[node]);
    free(times);
}

static void check_waits(const struct lp_execution *execution)
{
    struct lp_waits waits;
    struct lp_error error;
    lp_ticks in_states = 0, for_pairs = 0, useful = 0;
    assert_int_equal(lp_waits_find(execution, 2, &waits, &error), LP_OK);
    for (size_t i = 0; i < waits.state_count; i++)
        in_states += waits.states[i].time;
    for (size_t i = 0; i < waits.pair_count; i++)
        for_pairs += waits.pairs[i].time;
    for (uint32_t r = 0; r < execution->region_count; r++)
        useful += execution->regions[r].total;
    CHECK(in_states, waits.total.waiting);
    CHECK(for_pairs, waits.total.waiting);
    CHECK(waits.total.useful, useful);
    CHECK(waits.total.useful + waits.total.waiting + waits.total.overhead + waits.total.absent,
          execution->end * lp_execution_width(execution));
    lp_waits_release(&waits);
}

/* ---- The graphs ---------------------------------------------------------------------------------------- */

static void check_graph(struct naive *graph)
{
    char *json = naive_json(graph);
    struct lp_execution execution;
    described = json;
    naive_path(graph);
    read_good(json, &execution);
    check_slack(graph, &execution);
    for (int variant = 0; variant < 4; variant++)
        check_parallelism(graph, &execution, variant & 1, variant & 2);
    check_times(graph, &execution);
    check_waits(&execution);
    lp_execution_release(&execution);
    free(json);
}

static void check_random_graphs(struct naive_options options, uint64_t first_seed)
{
    for (unsigned i = 0; i < scaled(GRAPHS); i++) {
        static struct naive graph;
        struct random random = random_from(first_seed + i);
        naive_random(&graph, &random, options);
        if (naive_ways(&graph) <= WAYS_MAX)
            check_graph(&graph);
    }
}

/* One chain a process, sometimes broken; messages between processes. */
static void chains(void **state)
{
    (void)state;
    check_random_graphs((struct naive_options){0}, 0);
}

/* The nodes of a process are not neighbours in the input, and cross arcs may stay within a process. */
static void mixed_chains(void **state)
{
    (void)state;
    check_random_graphs((struct naive_options){.mixed_order = true, .inner_crosses = true, .one_end = true}, 100000);
}

/* A node may have several process arcs in and out. */
static void more_than_chains(void **state)
{
    (void)state;
    check_random_graphs((struct naive_options){.extra_arcs = true, .inner_crosses = true, .one_end = true}, 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(mixed_chains),
        cmocka_unit_test(more_than_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
