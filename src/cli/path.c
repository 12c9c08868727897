/* longpole path
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"

struct own {
    bool segments, tight;
};

static int work(struct session *session, void *context)
{
    const struct own *own = context;
    struct lp_slack_options options = {
        .tight = own->tight, .keep_segments = own->segments, .threads = session->threads};
    struct lp_profile profile;
    struct lp_error error;
    if (lp_profile_find(&session->execution, &options, &profile, &error))
        return complain("%s: %s", session->options.input, error.message);
    session->report.segments = own->segments;
    (session->options.json ? report_path_json : report_path_text)(&session->report, &profile);
    lp_profile_release(&profile);
    return EXIT_DONE;
}

int command_path(int count, char **words)
{
    struct own own = {0};
    const struct option_row rows[] = {
        {"segments", 0, OPTION_FLAG, &own.segments, NULL, "pieces of the path and slack segments too"},
        {"tight", 0, OPTION_FLAG, &own.tight, NULL, "Slack by all pairs: tighter, small graphs"},
        {NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
    };
    struct session session = {0};
    int code;
    if (!options_parse(count, words, "longpole path [OPTIONS] INPUT",
                       "The longest path through the execution, waiting weighing nothing, and for each\n"
                       "procedure on it what tuning can gain: at most, replayed, at least.",
                       &session.options, rows, true, &code))
        return code;
    return session_run(&session, work, &own);
}
