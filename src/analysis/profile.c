/* Critical path, Slack and Logical Zeroing of every procedure on the path. Slack and Zeroing both need only the path, so they
 * run at the same time when there are threads for both.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"
#include "longpole/analysis.h"

static int by_path(const void *a, const void *b)
{
    const struct lp_procedure *x = a, *y = b;
    if (x->path != y->path)
        return x->path > y->path ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

struct jobs {
    const struct lp_execution *execution;
    const struct lp_slack_options *options;
    struct lp_profile *profile;
    const uint32_t *regions;
    lp_ticks *gains;
    enum lp_status status[2];
    struct lp_error error[2];
};

static void run_job(void *context, size_t job, unsigned worker)
{
    struct jobs *j = context;
    (void)worker;
    if (job == 0)
        j->status[0] = lp_slack_find(j->execution, &j->profile->path, j->options, &j->profile->slack, &j->error[0]);
    else
        j->status[1] = lp_zeroing_find(j->execution, j->profile->path.length, j->regions, j->profile->on_path_count,
                                       j->options->threads, j->gains, &j->error[1]);
}

static bool list_procedures(const struct lp_execution *execution, struct lp_profile *profile)
{
    profile->procedures = lp_allocate(execution->region_count, sizeof *profile->procedures);
    if (!profile->procedures)
        return false;
    for (uint32_t i = 0; i < execution->region_count; i++)
        if (execution->regions[i].total)
            profile->procedures[profile->procedure_count++] = (struct lp_procedure){
                .region = i, .path = profile->path.on_path[i], .total = execution->regions[i].total};
    if (profile->procedure_count)
        qsort(profile->procedures, profile->procedure_count, sizeof *profile->procedures, by_path);
    while (profile->on_path_count < profile->procedure_count && profile->procedures[profile->on_path_count].path)
        profile->on_path_count++;
    return true;
}

enum lp_status lp_profile_find(const struct lp_execution *execution, const struct lp_slack_options *options,
                               struct lp_profile *profile, struct lp_error *error)
{
    *profile = (struct lp_profile){0};
    enum lp_status status = lp_path_find(execution, &profile->path, error);
    if (status)
        return status;
    uint32_t *regions = lp_allocate(execution->region_count, sizeof *regions);
    lp_ticks *gains = lp_allocate(execution->region_count, sizeof *gains);
    if (regions && gains && list_procedures(execution, profile)) {
        for (size_t i = 0; i < profile->procedure_count; i++)
            regions[i] = profile->procedures[i].region;
        struct jobs jobs = {
            .execution = execution, .options = options, .profile = profile, .regions = regions, .gains = gains};
        lp_pool_run(options->threads ? options->threads : 1, 2, run_job, &jobs);
        status = jobs.status[0] ? jobs.status[0] : jobs.status[1];
        if (status && error)
            *error = jobs.error[jobs.status[0] ? 0 : 1];
        for (size_t i = 0; !status && i < profile->procedure_count; i++) {
            profile->procedures[i].zeroing = gains[i];
            profile->procedures[i].slack = profile->slack.slack[profile->procedures[i].region];
        }
    } else {
        status = lp_no_memory(error);
    }
    free(regions);
    free(gains);
    if (status)
        lp_profile_release(profile);
    return status;
}

void lp_profile_release(struct lp_profile *profile)
{
    lp_path_release(&profile->path);
    lp_slack_release(&profile->slack);
    free(profile->procedures);
    *profile = (struct lp_profile){0};
}
