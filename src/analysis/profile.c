/* Critical path, Slack and Logical Zeroing of every procedure on the path. Zeroing is the longest of the three and needs the
 * path only to know for which procedures. So where there are threads for it, the largest procedures are zeroed while the path
 * is still being looked for; those on the path that were not among them follow.
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

enum { EARLY = 64 }; /* procedures that one sweep zeroes */

struct profiling {
    const struct lp_execution *execution;
    const struct lp_slack_options *options;
    struct lp_profile *profile;
    uint32_t regions[EARLY]; /* zeroed early: the largest */
    size_t early;
    lp_ticks without[EARLY]; /* minus the length of the longest path without each */
    enum lp_status status[2];
    struct lp_error error[2];
};

static void run_job(void *context, size_t job, unsigned worker)
{
    struct profiling *p = context;
    (void)worker;
    if (job == 1) {
        p->status[1] = lp_zeroing_find(p->execution, 0, p->regions, p->early, 1, p->without, &p->error[1]);
        return;
    }
    p->status[0] = lp_path_find(p->execution, &p->profile->path, &p->error[0]);
    if (!p->status[0])
        p->status[0] = lp_slack_find(p->execution, &p->profile->path, p->options, &p->profile->slack, &p->error[0]);
}

/* The EARLY largest procedures, by insertion: there are few. */
static void choose_early(struct profiling *p)
{
    const struct lp_region *all = p->execution->regions;
    for (uint32_t region = 0; region < p->execution->region_count; region++) {
        if (!all[region].total || (p->early == EARLY && all[p->regions[EARLY - 1]].total >= all[region].total))
            continue;
        size_t place = p->early < EARLY ? p->early++ : EARLY - 1;
        for (; place && all[p->regions[place - 1]].total < all[region].total; place--)
            p->regions[place] = p->regions[place - 1];
        p->regions[place] = region;
    }
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

/* Zeroing of what is on the path: known already, or to be found now. */
static enum lp_status complete_zeroing(struct profiling *p, struct lp_error *error)
{
    struct lp_profile *profile = p->profile;
    size_t count = 0;
    uint32_t *regions = lp_allocate(profile->on_path_count, sizeof *regions);
    lp_ticks *gains = lp_allocate(profile->on_path_count, sizeof *gains);
    enum lp_status status = regions && gains ? LP_OK : lp_no_memory(error);
    for (size_t i = 0; !status && i < profile->on_path_count; i++) {
        size_t k = 0;
        while (k < p->early && p->regions[k] != profile->procedures[i].region)
            k++;
        if (k < p->early)
            profile->procedures[i].zeroing = profile->path.length + p->without[k];
        else
            regions[count++] = profile->procedures[i].region;
    }
    if (!status && count)
        status = lp_zeroing_find(p->execution, profile->path.length, regions, count, p->options->threads, gains, error);
    for (size_t i = 0, k = 0; !status && i < profile->on_path_count && k < count; i++)
        if (profile->procedures[i].region == regions[k])
            profile->procedures[i].zeroing = gains[k++];
    free(regions);
    free(gains);
    return status;
}

enum lp_status lp_profile_find(const struct lp_execution *execution, const struct lp_slack_options *options,
                               struct lp_profile *profile, struct lp_error *error)
{
    struct profiling p = {.execution = execution, .options = options, .profile = profile};
    *profile = (struct lp_profile){0};
    if (options->threads > 1)
        choose_early(&p);
    lp_pool_run(options->threads ? options->threads : 1, p.early ? 2 : 1, run_job, &p);
    enum lp_status status = p.status[0] ? p.status[0] : p.status[1];
    if (status && error)
        *error = p.error[p.status[0] ? 0 : 1];
    if (!status && !list_procedures(execution, profile))
        status = lp_no_memory(error);
    if (!status)
        status = complete_zeroing(&p, error);
    for (size_t i = 0; !status && i < profile->procedure_count; i++)
        profile->procedures[i].slack = profile->slack.slack[profile->procedures[i].region];
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
