/* Times the analyses one by one on one thread, after the trace has been read: `sweeps ANCHOR_OR_DIRECTORY`. One row an
 * analysis: seconds, nanoseconds a sync point, and the ratio to the sweep of the critical path.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <time.h>

#include "longpole/analysis.h"
#include "longpole/input.h"

enum { PROCEDURES = 64 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void print_row(const char *what, double seconds, double path_seconds, const struct lp_execution *execution)
{
    printf("%-36s %8.3f s %8.1f ns/point %6.2f\n", what, seconds, seconds / execution->node_count * 1e9,
           seconds / path_seconds);
}

static int measure(const struct lp_execution *execution)
{
    struct lp_error error;
    struct lp_path path;
    struct lp_slack slack;
    struct lp_parallelism parallelism;
    struct lp_waits waits;
    uint32_t regions[PROCEDURES];
    lp_ticks gains[PROCEDURES];
    uint32_t count = execution->region_count < PROCEDURES ? execution->region_count : PROCEDURES;
    for (uint32_t i = 0; i < count; i++)
        regions[i] = i;
    double begin = now();
    if (lp_path_find(execution, &path, &error))
        return 1;
    double path_seconds = now() - begin;
    print_row("critical path", path_seconds, path_seconds, execution);
    begin = now();
    if (lp_zeroing_find(execution, path.length, regions, count, 1, gains, &error))
        return 1;
    print_row("Logical Zeroing of 64 procedures", now() - begin, path_seconds, execution);
    begin = now();
    if (lp_slack_find(execution, &path, &(struct lp_slack_options){.threads = 1}, &slack, &error))
        return 1;
    print_row("Slack of all procedures", now() - begin, path_seconds, execution);
    begin = now();
    if (lp_parallelism_find(execution, LP_COUNT_WORK, LP_EARLIEST, &parallelism, &error))
        return 1;
    print_row("parallelism profile", now() - begin, path_seconds, execution);
    begin = now();
    if (lp_waits_find(execution, 1, &waits, &error))
        return 1;
    print_row("wait states", now() - begin, path_seconds, execution);
    lp_path_release(&path);
    lp_slack_release(&slack);
    lp_parallelism_release(&parallelism);
    lp_waits_release(&waits);
    return 0;
}

int main(int count, char **words)
{
    struct lp_execution execution;
    struct lp_error error;
    if (count != 2) {
        fprintf(stderr, "usage: sweeps ANCHOR_OR_DIRECTORY\n");
        return 2;
    }
    double begin = now();
    if (lp_read(words[1], NULL, &execution, &error)) {
        fprintf(stderr, "sweeps: %s\n", error.message);
        return 2;
    }
    printf("%u sync points, %llu sync events, read in %.3f s on all cores\n", execution.node_count,
           (unsigned long long)execution.reading.sync_events, now() - begin);
    int failed = measure(&execution);
    lp_execution_release(&execution);
    return failed;
}
