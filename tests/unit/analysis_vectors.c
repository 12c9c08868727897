/* The published and the independently computed examples (tests/data/vectors): program activity graphs with path, Slack and
 * Logical Zeroing (01-03), space-time diagrams with critical times, parallelism, profile and shape (04).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <jansson.h>
#include <math.h>

#include "base/vector.h"
#include "longpole/analysis.h"

static json_t *load(const char *name)
{
    char *path;
    json_error_t error;
    assert_true(asprintf(&path, "%s/%s", VECTORS_DIRECTORY, name) > 0);
    json_t *document = json_load_file(path, 0, &error);
    if (!document)
        fail_msg("%s: %s", path, error.text);
    free(path);
    return document;
}

static void read_document(const json_t *document, struct lp_execution *execution)
{
    char *text = json_dumps(document, 0);
    read_good(text, execution);
    free(text);
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("the vector has no number \"%s\"", key);
    return json_number_value(value);
}

/* ---- 01 to 03 ------------------------------------------------------------------------------------------ */

enum measure { PATH, SLACK, ZEROING };

/* {procedure: value}: all of them, and 0 for every other procedure. */
static void check_procedures(const struct lp_execution *execution, const struct lp_profile *profile,
                             const json_t *expected, enum measure measure)
{
    size_t met = 0;
    assert_true(json_is_object(expected));
    for (size_t i = 0; i < profile->procedure_count; i++) {
        const struct lp_procedure *procedure = &profile->procedures[i];
        const json_t *value = json_object_get(expected, execution->regions[procedure->region].name);
        lp_ticks found = measure == PATH ? procedure->path : measure == SLACK ? procedure->slack : procedure->zeroing;
        assert_true(lp_seconds(execution, found) == (value ? json_number_value(value) : 0));
        met += value != NULL;
    }
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)expected, name, value)
        if (json_number_value(value) == 0)
            met++; /* procedures without any time are not listed */
    assert_true(met >= json_object_size(expected));
}

static void check_path_nodes(const struct lp_execution *execution, const struct lp_path *path, const json_t *expected)
{
    size_t at = 0;
    const char *before = "";
    for (size_t i = 0; i < path->leg_count; i++)
        for (uint32_t id = path->legs[i].first; id <= path->legs[i].last; id++) {
            if (!strcmp(before, execution->node_names[id]))
                continue; /* a node with cross arcs in and out is two */
            before = execution->node_names[id];
            assert_string_equal(before, json_string_value(json_array_get(expected, at++)));
        }
    assert_int_equal(at, json_array_size(expected));
}

static const char *position_name(const struct lp_execution *execution, const struct lp_slack *slack, uint32_t position)
{
    uint32_t node = slack->nodes[position];
    return node != LP_NONE ? execution->node_names[node] : position ? "<end>" : "<root>";
}

static void check_segments(const struct lp_execution *execution, const struct lp_slack *slack, const json_t *expected)
{
    assert_int_equal(slack->segment_count, json_array_size(expected));
    for (size_t i = 0; i < slack->segment_count; i++) {
        bool found = false;
        for (size_t k = 0; k < json_array_size(expected); k++) {
            const json_t *row = json_array_get(expected, k);
            found =
                found || (!strcmp(position_name(execution, slack, slack->segments[i].from),
                                  json_string_value(json_array_get(row, 0))) &&
                          !strcmp(position_name(execution, slack, slack->segments[i].to),
                                  json_string_value(json_array_get(row, 1))) &&
                          lp_seconds(execution, slack->segments[i].slack) == json_number_value(json_array_get(row, 2)));
        }
        assert_true(found);
    }
}

static void check_graph(const json_t *input, const json_t *expected)
{
    for (int tight = 0; tight < 2; tight++) {
        struct lp_execution execution;
        struct lp_profile profile;
        struct lp_error error;
        read_document(input, &execution);
        struct lp_slack_options options = {.tight = tight, .keep_segments = true};
        assert_int_equal(lp_profile_find(&execution, &options, &profile, &error), LP_OK);
        assert_true(lp_seconds(&execution, profile.path.length) == number(expected, "length"));
        check_procedures(&execution, &profile, json_object_get(expected, "critical_path_profile"), PATH);
        check_procedures(&execution, &profile, json_object_get(expected, tight ? "slack_exact" : "slack_literal"),
                         SLACK);
        check_procedures(&execution, &profile, json_object_get(expected, "logical_zeroing"), ZEROING);
        if (json_object_get(expected, "path"))
            check_path_nodes(&execution, &profile.path, json_object_get(expected, "path"));
        if (!tight && json_object_get(expected, "segments_literal"))
            check_segments(&execution, &profile.slack, json_object_get(expected, "segments_literal"));
        lp_profile_release(&profile);
        lp_execution_release(&execution);
    }
}

/* Figures 1 to 3 of the Slack report: the four printed segments and no other, foo 1, bar 2. */
static void slack_report(void **state)
{
    json_t *vector = load("01_pag_paper.json");
    (void)state;
    check_graph(json_object_get(vector, "input"), json_object_get(vector, "expected"));
    json_decref(vector);
}

static void waiting_and_virtual_ends(void **state)
{
    json_t *vector = load("02_pag_waiting.json");
    (void)state;
    check_graph(json_object_get(vector, "input"), json_object_get(vector, "expected"));
    json_decref(vector);
}

static void random_graphs(void **state)
{
    json_t *vector = load("03_pag_random.json"), *inputs = json_object_get(vector, "input");
    (void)state;
    assert_true(json_array_size(inputs) > 0);
    for (size_t i = 0; i < json_array_size(inputs); i++)
        check_graph(json_array_get(inputs, i), json_array_get(json_object_get(vector, "expected"), i));
    json_decref(vector);
}

/* ---- 04 ------------------------------------------------------------------------------------------------ */

static void check_profile(const struct lp_execution *execution, enum lp_counted counted, enum lp_placement placement,
                          const json_t *expected, const json_t *steps)
{
    struct lp_parallelism result;
    struct lp_error error;
    assert_int_equal(lp_parallelism_find(execution, counted, placement, &result, &error), LP_OK);
    assert_true(lp_seconds(execution, result.length) == number(expected, "length"));
    assert_true(lp_seconds(execution, result.work) == number(expected, "total"));
    assert_true(fabs(result.average - number(expected, "average_parallelism")) <= 1e-12);
    assert_int_equal(result.step_count, json_array_size(steps));
    for (size_t i = 0; i < result.step_count; i++) {
        const json_t *step = json_array_get(steps, i);
        assert_true(lp_seconds(execution, result.profile[i].begin) == json_number_value(json_array_get(step, 0)));
        assert_true(lp_seconds(execution, result.profile[i].end) == json_number_value(json_array_get(step, 1)));
        assert_int_equal(result.profile[i].degree, json_integer_value(json_array_get(step, 2)));
    }
    for (uint32_t k = 0; placement == LP_EARLIEST && k <= result.maximum; k++) {
        char key[16];
        snprintf(key, sizeof key, "%u", k);
        const json_t *share = json_object_get(json_object_get(expected, "shape_asap"), key);
        assert_true(fabs((double)result.shape[k] / (double)result.length - json_number_value(share)) <= 1e-12);
    }
    lp_parallelism_release(&result);
}

/* crit(e) of every event; an event that receives and is received from is two nodes with one time. */
static void check_times(const struct lp_execution *execution, const json_t *expected)
{
    lp_ticks *times = lp_allocate(execution->node_count, sizeof *times);
    struct lp_error error;
    assert_int_equal(lp_critical_times(execution, times, &error), LP_OK);
    for (uint32_t id = 0; id < execution->node_count; id++)
        assert_true(lp_seconds(execution, times[id]) == number(expected, execution->node_names[id]));
    free(times);
}

static void space_time(void **state)
{
    json_t *vector = load("04_spacetime.json"), *inputs = json_object_get(vector, "input");
    (void)state;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *expected = json_array_get(json_object_get(vector, "expected"), i);
        const json_t *work = json_object_get(expected, "work_only"), *all = json_object_get(expected, "all_activities");
        struct lp_execution execution;
        read_document(json_array_get(inputs, i), &execution);
        check_profile(&execution, LP_COUNT_WORK, LP_EARLIEST, work, json_object_get(work, "profile_asap"));
        check_profile(&execution, LP_COUNT_WORK, LP_LATEST, work, json_object_get(work, "profile_alap"));
        check_profile(&execution, LP_COUNT_ALL, LP_EARLIEST, all, json_object_get(all, "profile_asap"));
        check_profile(&execution, LP_COUNT_ALL, LP_LATEST, all, json_object_get(all, "profile_alap"));
        check_times(&execution, json_object_get(expected, "crit"));
        lp_execution_release(&execution);
    }
    json_decref(vector);
}

/* ---- What the methods' text says ----------------------------------------------------------------------- */

static lp_ticks slack_of(const char *graph, const char *procedure, lp_ticks *zeroing)
{
    struct lp_execution execution;
    struct lp_profile profile;
    struct lp_error error;
    lp_ticks slack = -1;
    read_good(graph, &execution);
    assert_int_equal(lp_profile_find(&execution, &(struct lp_slack_options){0}, &profile, &error), LP_OK);
    for (size_t i = 0; i < profile.procedure_count; i++)
        if (!strcmp(execution.regions[profile.procedures[i].region].name, procedure)) {
            slack = profile.procedures[i].slack;
            *zeroing = profile.procedures[i].zeroing;
        }
    lp_profile_release(&profile);
    lp_execution_release(&execution);
    return slack;
}

/* Each safeguard of Slack has an example in which it would exceed Zeroing without it; Zeroing is 1 in all three. */
static void safeguards(void **state)
{
    lp_ticks zeroing;
    (void)state;
    /* Virtual root and end: P1: f 5; P2: g 4, a message from the end of P2 to the end of P1. Without: Slack 5. */
    assert_int_equal(slack_of("{\"nodes\":[[\"a\",\"P1\"],[\"b\",\"P1\"],[\"x\",\"P2\"],[\"y\",\"P2\"]],"
                              "\"process_arcs\":[[\"a\",\"b\",\"f\",5,true],[\"x\",\"y\",\"g\",4,true]],"
                              "\"cross_arcs\":[[\"y\",\"b\",0]]}",
                              "f", &zeroing),
                     1);
    assert_int_equal(zeroing, 1);
    /* Own duration: f 1 then g 9 against a path of 4. Without: f gains 6. */
    assert_int_equal(
        slack_of("{\"nodes\":[[\"a\",\"P1\"],[\"b\",\"P1\"],[\"c\",\"P1\"],[\"x\",\"P2\"],[\"y\",\"P2\"]],"
                 "\"process_arcs\":[[\"a\",\"b\",\"f\",1,true],[\"b\",\"c\",\"g\",9,true],[\"x\",\"y\",\"h\",4,true]],"
                 "\"cross_arcs\":[[\"a\",\"x\",0],[\"y\",\"c\",0]]}",
                 "f", &zeroing),
        1);
    assert_int_equal(zeroing, 1);
    /* Merges off the path: A -f 4- C -g 1- D; A->X -3- G -1- H->D; C->G. Without: Slack(f) 4. */
    assert_int_equal(
        slack_of(
            "{\"nodes\":[[\"A\",\"P1\"],[\"C\",\"P1\"],[\"D\",\"P1\"],[\"X\",\"P2\"],[\"G\",\"P2\"],[\"H\",\"P2\"]],"
            "\"process_arcs\":[[\"A\",\"C\",\"f\",4,true],[\"C\",\"D\",\"g\",1,true],"
            "[\"X\",\"G\",\"h\",3,true],[\"G\",\"H\",\"h\",1,true]],"
            "\"cross_arcs\":[[\"A\",\"X\",0],[\"C\",\"G\",0],[\"H\",\"D\",0]]}",
            "f", &zeroing),
        1);
    assert_int_equal(zeroing, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slack_report),  cmocka_unit_test(waiting_and_virtual_ends),
        cmocka_unit_test(random_graphs), cmocka_unit_test(space_time),
        cmocka_unit_test(safeguards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
