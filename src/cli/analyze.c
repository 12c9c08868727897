/* longpole analyze
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"
#include "cli/cli.h"

/* The three analyses are independent of each other. */
struct jobs {
    struct session *session;
    struct verdict verdict;
    enum lp_status status[3];
    struct lp_error error[3];
};

static void run_job(void *context, size_t job, unsigned worker)
{
    struct jobs *j = context;
    const struct lp_execution *execution = &j->session->execution;
    (void)worker;
    if (job == 0)
        j->status[0] = lp_profile_find(execution, &(struct lp_slack_options){.threads = j->session->threads},
                                       &j->verdict.profile, &j->error[0]);
    else if (job == 1)
        j->status[1] =
            lp_parallelism_find(execution, LP_COUNT_WORK, LP_EARLIEST, &j->verdict.parallelism, &j->error[1]);
    else
        j->status[2] = lp_waits_find(execution, j->session->threads, &j->verdict.waits, &j->error[2]);
}

static int work(struct session *session, void *context)
{
    struct jobs jobs = {.session = session};
    int code = EXIT_DONE;
    (void)context;
    lp_pool_run(session->threads, 3, run_job, &jobs);
    for (int i = 0; i < 3 && !code; i++)
        if (jobs.status[i])
            code = complain("%s: %s", session->options.input, jobs.error[i].message);
    if (!code)
        (session->options.json ? report_verdict_json : report_verdict_text)(&session->report, &jobs.verdict);
    lp_profile_release(&jobs.verdict.profile);
    lp_parallelism_release(&jobs.verdict.parallelism);
    lp_waits_release(&jobs.verdict.waits);
    return code;
}

int command_analyze(int count, char **words)
{
    const struct option_row rows[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, NULL}};
    struct session session = {0};
    int code;
    if (!options_parse(
            count, words, "longpole analyze [OPTIONS] INPUT",
            "The verdict: where the processor-seconds went, what bounds the run time, and\n"
                       "what tuning could gain.",
            &session.options, rows, true, &code))
        return code;
    return session_run(&session, work, NULL);
}
