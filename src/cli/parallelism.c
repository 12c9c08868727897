/* longpole parallelism
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cli/cli.h"

struct own {
    const char *count, *place;
};

static int work(struct session *session, void *context)
{
    const struct own *own = context;
    struct lp_parallelism result;
    struct lp_error error;
    if (lp_parallelism_find(&session->execution, strcmp(own->count, "all") ? LP_COUNT_WORK : LP_COUNT_ALL,
                            strcmp(own->place, "latest") ? LP_EARLIEST : LP_LATEST, &result, &error))
        return complain("%s: %s", session->options.input, error.message);
    (session->options.json ? report_parallelism_json : report_parallelism_text)(&session->report, &result);
    lp_parallelism_release(&result);
    return EXIT_DONE;
}

int command_parallelism(int count, char **words)
{
    struct own own = {.count = "work", .place = "earliest"};
    const struct option_row rows[] = {
        {"count", 0, OPTION_CHOICE, &own.count, "work|all", "count communication activities as well (work)"},
        {"place", 0, OPTION_CHOICE, &own.place, "earliest|latest", "where activities with float stand (earliest)"},
        {NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
    };
    struct session session = {0};
    int code;
    if (!options_parse(count, words, "longpole parallelism [OPTIONS] INPUT",
                       "How many processors the execution could keep busy if only dependences were in\n"
                       "the way: on average (an upper bound of the speedup), over time, and how often.",
                       &session.options, rows, true, &code))
        return code;
    return session_run(&session, work, &own);
}
