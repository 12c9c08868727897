/* Activity graphs and event traces become executions (through lp_read): times are exact, whatever decimals they have; nodes that
 * receive and send are made two; process arcs beside a chain and broken chains become tracks; errors name their place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "longpole/analysis.h"

static lp_ticks path_time(const struct lp_execution *execution, const struct lp_profile *profile, const char *procedure)
{
    for (size_t i = 0; i < profile->procedure_count; i++)
        if (!strcmp(execution->regions[profile->procedures[i].region].name, procedure))
            return profile->procedures[i].path;
    return 0;
}

static void read_and_profile(const char *text, struct lp_execution *execution, struct lp_profile *profile)
{
    struct lp_error error;
    read_good(text, execution);
    assert_int_equal(lp_profile_find(execution, &(struct lp_slack_options){.keep_segments = true}, profile, &error),
                     LP_OK);
}

static double length_of(const char *text)
{
    struct lp_execution execution;
    struct lp_path path;
    struct lp_error error;
    read_good(text, &execution);
    assert_int_equal(lp_path_find(&execution, &path, &error), LP_OK);
    double length = lp_seconds(&execution, path.length);
    lp_path_release(&path);
    lp_execution_release(&execution);
    return length;
}

/* ---- Times --------------------------------------------------------------------------------------------- */

/* 0.1 + 0.2 is 0.3: a real tie, which the local arcs win; the other way is a segment without slack. */
static void decimals_are_exact(void **state)
{
    struct lp_execution execution;
    struct lp_profile profile;
    (void)state;
    read_and_profile(
        "{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"],[\"x\",\"Q\"],[\"y\",\"Q\"]],"
        "\"process_arcs\":[[\"a\",\"b\",\"f\",0.1,true],[\"b\",\"c\",\"f\",0.2,true],[\"x\",\"y\",\"g\",0.3,true]],"
        "\"cross_arcs\":[[\"y\",\"c\",0]]}",
        &execution, &profile);
    assert_true(lp_seconds(&execution, profile.path.length) == 0.3);
    assert_int_equal(path_time(&execution, &profile, "f"), profile.path.length);
    assert_int_equal(path_time(&execution, &profile, "g"), 0);
    assert_int_equal(profile.slack.segment_count, 1);
    assert_int_equal(profile.slack.segments[0].slack, 0);
    lp_profile_release(&profile);
    lp_execution_release(&execution);
}

static void one_arc(char *text, size_t size, const char *duration)
{
    snprintf(text, size, "{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"]],\"process_arcs\":[[\"a\",\"b\",\"f\",%s,true]]}",
             duration);
}

/* From tiny to huge, a single time comes back as it was given. */
static void every_size_of_time(void **state)
{
    const char *const times[] = {"0",
                                 "1",
                                 "7",
                                 "0.001",
                                 "1e-9",
                                 "123456.789012",
                                 "1e-250",
                                 "3.141592653589793",
                                 "274877906943",
                                 "274877906944",
                                 "274877906945", /* around 2^38, where a part becomes two */
                                 "1e12",
                                 "4503599627370495",
                                 "9007199254740993",
                                 "1e18",
                                 "1e20",
                                 "1e250"};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[200];
        one_arc(text, sizeof text, times[i]);
        double expected = strtod(times[i], NULL), found = length_of(text);
        if (!(found >= expected * (1 - 1e-15) && found <= expected * (1 + 1e-15)))
            fail_msg("%s came back as %.17g", times[i], found);
    }
}

/* Times so different that no unit fits both keep 52 bits of their sum. */
static void mixed_sizes_keep_their_sum(void **state)
{
    double length =
        length_of("{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"]],"
                  "\"process_arcs\":[[\"a\",\"b\",\"f\",1e10,true],[\"b\",\"c\",\"f\",0.000123456789,true]]}");
    (void)state;
    assert_true(length >= 1e10 && length - 1e10 < 0.00013 && length - 1e10 > 0.00011);
}

static void too_much_time_is_refused(void **state)
{
    struct lp_execution execution;
    struct lp_error error;
    (void)state;
    assert_int_equal(read_text("{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"]],"
                               "\"process_arcs\":[[\"a\",\"b\",\"f\",1.7e308,true],[\"b\",\"c\",\"f\",1.7e308,true]]}",
                               &execution, &error),
                     LP_BAD_INPUT);
    assert_non_null(strstr(error.message, "represented"));
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

/* b receives and sends: two nodes of one name with nothing between them; the path goes through both. */
static void receiving_and_sending_node_is_two(void **state)
{
    struct lp_execution execution;
    (void)state;
    read_good("{\"nodes\":[[\"a\",\"P\"],[\"b\",\"Q\"],[\"c\",\"R\"]],\"process_arcs\":[],"
              "\"cross_arcs\":[[\"a\",\"b\",2],[\"b\",\"c\",3]]}",
              &execution);
    assert_int_equal(execution.node_count, 4);
    assert_string_equal(execution.node_names[1], "b");
    assert_string_equal(execution.node_names[2], "b");
    assert_int_equal(execution.processors[1].node_count, 2);
    assert_int_equal(execution.processors[1].part_count, 0);
    assert_true(execution.end == 5);
    lp_execution_release(&execution);
}

/* Two ways from a to c within one process: both count, the longer one is the path. */
static void process_arc_beside_the_chain(void **state)
{
    struct lp_execution execution;
    struct lp_profile profile;
    (void)state;
    read_and_profile(
        "{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"]],"
        "\"process_arcs\":[[\"a\",\"b\",\"f\",1,true],[\"b\",\"c\",\"f\",1,true],[\"a\",\"c\",\"g\",5,true]]}",
        &execution, &profile);
    assert_int_equal(profile.path.length, 5);
    assert_int_equal(path_time(&execution, &profile, "g"), 5);
    assert_int_equal(lp_execution_width(&execution), 1);
    lp_profile_release(&profile);
    lp_execution_release(&execution);
}

/* On a tie between two process arcs into a node the first of the input wins, chain or not. */
static void first_process_arc_wins_a_tie(void **state)
{
    struct lp_execution execution;
    struct lp_profile profile;
    (void)state;
    read_and_profile(
        "{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"]],"
        "\"process_arcs\":[[\"a\",\"b\",\"f\",2,true],[\"a\",\"c\",\"g\",5,true],[\"b\",\"c\",\"f\",3,true]]}",
        &execution, &profile);
    assert_int_equal(profile.path.length, 5);
    assert_int_equal(path_time(&execution, &profile, "g"), 5);
    lp_profile_release(&profile);
    lp_execution_release(&execution);
}

/* A process whose nodes are not all joined: each piece is a track that starts at 0, and all are one processor. */
static void broken_chain_is_several_tracks(void **state)
{
    struct lp_execution execution;
    (void)state;
    read_good("{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"],[\"c\",\"P\"],[\"d\",\"P\"],[\"e\",\"P\"]],"
              "\"process_arcs\":[[\"a\",\"b\",\"f\",4,true],[\"c\",\"d\",\"f\",6,true]]}",
              &execution);
    assert_int_equal(execution.processor_count, 3);
    assert_int_equal(lp_execution_width(&execution), 1);
    assert_int_equal(execution.end, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(execution.processors[i].name, "P");
        assert_int_equal(execution.processors[i].track, i);
    }
    lp_execution_release(&execution);
}

/* Process arcs need not stand in the order of time, nor nodes. */
static void order_of_rows_does_not_matter(void **state)
{
    (void)state;
    assert_true(length_of("{\"nodes\":[[\"c\",\"P\"],[\"a\",\"P\"],[\"b\",\"P\"]],"
                          "\"process_arcs\":[[\"b\",\"c\",\"f\",2,true],[\"a\",\"b\",\"f\",1,true]]}") == 3);
}

static void smallest_inputs(void **state)
{
    (void)state;
    assert_true(length_of("{\"nodes\":[[\"a\",\"P\"]],\"process_arcs\":[],\"cross_arcs\":[]}") == 0);
    assert_true(length_of("{\"nodes\":[[\"a\",\"P\"]]}") == 0);
    assert_true(length_of("{\"P\":[]}") == 0);
    assert_true(length_of("{\"P\":[{\"id\":\"x\"}]}") == 0);
    assert_true(length_of(" \n\t{\"nodes\":[[\"\",\"\"]]}") == 0);
}

/* An event that receives from several, with null for what is not there. */
static void events_with_lists(void **state)
{
    (void)state;
    assert_true(length_of("{\"p\":[{\"id\":\"s\",\"work\":4}],\"q\":[{\"id\":\"t\",\"work\":6,\"recv\":null}],"
                          "\"r\":[{\"id\":\"u\",\"work\":1,\"recv\":[\"s\",\"t\"],\"comm\":2},{\"id\":\"v\",\"work\":3,"
                          "\"procedure\":\"rest\",\"comm\":null}]}") == 11);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

struct bad {
    const char *text, *message; /* after the file's name */
};

static void errors_name_their_place(void **state)
{
    const struct bad cases[] = {
        {"{\"nodes\":[[\"a\",\"P\"],[\"a\",\"Q\"]]}", ": nodes[1]: duplicate name \"a\""},
        {"{\"nodes\":[[\"a\",\"P\"],[\"b\"]]}", ": nodes[1]: expected [name, process]"},
        {"{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"]],\"process_arcs\":[[\"a\",\"b\",\"f\",-1,true]]}",
         ": process_arcs[0]: negative time -1"},
        {"{\"nodes\":[[\"a\",\"P\"],[\"b\",\"P\"]],\"process_arcs\":[[\"a\",\"b\",\"f\",1]]}",
         ": process_arcs[0]: expected [from, to, procedure, duration, useful]"},
        {"{\"nodes\":[[\"a\",\"P\"],[\"b\",\"Q\"]],\"process_arcs\":[[\"a\",\"b\",\"f\",1,true]]}",
         ": process_arcs[0]: process arc from \"a\" to \"b\" joins two processes"},
        {"{\"nodes\":[[\"a\",\"P\"]],\"cross_arcs\":[[\"a\",\"z\",0]]}", ": cross_arcs[0]: there is no node \"z\""},
        {"{\"nodes\":[[\"a\",\"P\"],[\"b\",\"Q\"]],\"cross_arcs\":[[\"a\",\"b\",0],[\"b\",\"a\",0]]}",
         ": the graph has a cycle through node \"a\""},
        {"{\"nodes\":[]}", ": the graph has no node"},
        {"{\"p\":[{\"id\":\"a\",\"recv\":\"b\"}]}", ": process \"p\", event 0: there is no event \"b\""},
        {"{\"p\":[{\"id\":\"a\"}],\"q\":[{\"id\":\"a\"}]}", ": process \"q\", event 0: duplicate name \"a\""},
        {"{\"p\":[{\"id\":\"a\",\"work\":\"x\"}]}", ": process \"p\", event 0: \"work\" is not a number"},
        {"{\"tasks\":[{\"id\":0,\"cpu\":1}]}", ": this is a task graph, not an execution"},
        {"{\"tasks\":[{\"id\":\"a\",\"cpu\":1,\"parents\":[]}]}", ": this is a task graph, not an execution"},
        {"[]", ": JSON, but neither an activity graph nor an event trace"},
        {"", ": the file is empty"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lp_execution execution;
        struct lp_error error;
        if (read_text(cases[i].text, &execution, &error) != LP_BAD_INPUT)
            fail_msg("no error in %s", cases[i].text);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(execution.node_count, 0); /* on failure it is empty */
        assert_null(execution.processors);
        lp_execution_release(&execution);
    }
}

static void missing_file_is_the_systems_error(void **state)
{
    struct lp_execution execution;
    struct lp_error error;
    (void)state;
    assert_int_equal(lp_read("/nowhere/at/all", NULL, &execution, &error), LP_SYSTEM_ERROR);
    assert_string_equal(error.message, "/nowhere/at/all: No such file or directory");
    assert_int_equal(lp_read("/nowhere/at/all", NULL, &execution, NULL), LP_SYSTEM_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(every_size_of_time),
        cmocka_unit_test(mixed_sizes_keep_their_sum),
        cmocka_unit_test(too_much_time_is_refused),
        cmocka_unit_test(receiving_and_sending_node_is_two),
        cmocka_unit_test(process_arc_beside_the_chain),
        cmocka_unit_test(first_process_arc_wins_a_tie),
        cmocka_unit_test(broken_chain_is_several_tracks),
        cmocka_unit_test(order_of_rows_does_not_matter),
        cmocka_unit_test(smallest_inputs),
        cmocka_unit_test(events_with_lists),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(missing_file_is_the_systems_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
