/* Reads every input named, plainly and salvaging, asks everything of it, and gives all back: under the leak checker one process
 * does for many, where its check at the end takes seconds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "longpole/analysis.h"
#include "longpole/input.h"

static void ignore_progress(void *context, double share)
{
    *(double *)context = share;
}

static void ignore_place(void *context, unsigned worker, const char *text)
{
    if (worker == 0)
        *(char *)context = *text;
}

static void ignore_piece(void *context, const struct lp_piece *piece)
{
    *(lp_ticks *)context += piece->duration;
}

static bool ask_profile(const struct lp_execution *execution, bool tight, bool keep_segments)
{
    struct lp_profile profile;
    struct lp_error error;
    lp_ticks sum = 0;
    if (lp_profile_find(execution,
                        &(struct lp_slack_options){.tight = tight, .keep_segments = keep_segments, .threads = 2},
                        &profile, &error))
        return false;
    lp_path_pieces(execution, &profile.path, ignore_piece, &sum);
    lp_profile_release(&profile);
    lp_profile_release(&profile); /* may be called again */
    return sum >= 0;
}

static bool ask_everything(const struct lp_execution *execution)
{
    struct lp_error error;
    struct lp_parallelism parallelism;
    struct lp_waits waits;
    bool done = true;
    for (int variant = 0; variant < 4; variant++) {
        done = done && ask_profile(execution, variant & 1, variant & 2);
        done = done && !lp_parallelism_find(execution, variant & 1 ? LP_COUNT_ALL : LP_COUNT_WORK,
                                            variant & 2 ? LP_LATEST : LP_EARLIEST, &parallelism, &error);
        lp_parallelism_release(&parallelism);
    }
    done = done && !lp_waits_find(execution, 2, &waits, &error);
    lp_waits_release(&waits);
    lp_ticks *times = malloc((execution->node_count + 1) * sizeof *times);
    done = done && times && !lp_critical_times(execution, times, &error);
    free(times);
    return done;
}

int main(int count, char **words)
{
    unsigned read = 0, refused = 0, failed = 0;
    for (int i = 1; i < count; i++)
        for (int salvage = 0; salvage < 2; salvage++) {
            struct lp_execution execution;
            struct lp_error error;
            double share = 0;
            char place = 0;
            struct lp_read_options options = {.salvage = salvage,
                                              .threads = 2,
                                              .progress = ignore_progress,
                                              .progress_context = &share,
                                              .place = ignore_place,
                                              .place_context = &place};
            if (lp_read(words[i], &options, &execution, &error))
                refused++;
            else if (ask_everything(&execution))
                read++;
            else
                failed++;
            lp_execution_release(&execution);
        }
    printf("%u read, %u refused, %u failed\n", read, refused, failed);
    return failed ? 1 : 0;
}
