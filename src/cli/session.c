/* What the commands that read an execution have in common: input, output, progress.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "cli/cli.h"
#include "longpole/input.h"

struct run {
    struct session *session;
    int (*work)(struct session *, void *);
    void *context;
    struct guard_page *page; /* NULL without a guard */
    struct timespec begin, shown;
    bool progress; /* stderr is a terminal */
};

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

/* A bar, once reading has taken a second, ten times a second. */
static void show_progress(void *context, double share)
{
    struct run *run = context;
    if (run->page)
        __atomic_fetch_add(&run->page->progress, 1, __ATOMIC_RELAXED);
    if (!run->progress || seconds_since(&run->begin) < 1 || seconds_since(&run->shown) < 0.1)
        return;
    clock_gettime(CLOCK_MONOTONIC, &run->shown);
    int filled = share >= 1 ? 40 : (int)(share * 40);
    fprintf(stderr, "\rreading %3.0f %% [%.*s%*s]", share >= 1 ? 100 : share * 100, filled,
            "########################################", 40 - filled, "");
}

static void end_progress(const struct run *run)
{
    if (run->progress && seconds_since(&run->begin) >= 1)
        fprintf(stderr, "\r%60s\r", "");
}

static void note_place(void *context, unsigned worker, const char *text)
{
    struct run *run = context;
    if (!run->page)
        return;
    if (worker < GUARD_WORKERS)
        snprintf(run->page->places[worker], GUARD_PLACE, "%s", text);
    __atomic_fetch_add(&run->page->progress, 1, __ATOMIC_RELAXED);
}

static void note_reading(const struct run *run, unsigned reading)
{
    if (run->page)
        __atomic_store_n(&run->page->reading, reading, __ATOMIC_RELAXED);
}

static int report_on(struct run *run)
{
    struct session *session = run->session;
    const struct common_options *options = &session->options;
    FILE *stream = options->output ? fopen(options->output, "w") : stdout;
    if (!stream)
        return complain("%s: %s", options->output, strerror(errno));
    session->report = (struct report){.stream = stream,
                                      .style = lp_style_of(stream, options->color),
                                      .execution = &session->execution,
                                      .top = options->top,
                                      .verbose = options->verbose};
    int code = run->work(session, run->context);
    bool failed = fflush(stream) || ferror(stream);
    if (options->output)
        failed = fclose(stream) || failed;
    if (failed && !code)
        return complain("%s: %s", options->output ? options->output : "standard output", strerror(errno));
    return code;
}

static int read_and_report(void *context, struct guard_page *page)
{
    struct run *run = context;
    struct session *session = run->session;
    struct lp_error error;
    struct lp_read_options options = {.threads = session->options.threads,
                                      .salvage = session->options.salvage,
                                      .progress = show_progress,
                                      .progress_context = run,
                                      .place = note_place,
                                      .place_context = run};
    run->page = page;
    run->progress = !session->options.quiet && !session->options.json && isatty(STDERR_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &run->begin);
    note_reading(run, 1);
    enum lp_status status = lp_read(session->options.input, &options, &session->execution, &error);
    note_reading(run, 0);
    end_progress(run);
    if (status)
        return complain("%s", error.message);
    session->threads = session->options.threads ? session->options.threads : lp_pool_cores();
    int code = report_on(run);
    lp_execution_release(&session->execution);
    return code;
}

/* Directories hold archives; other files are told by their first bytes. */
static bool may_be_otf2(const char *path)
{
    struct stat information;
    unsigned char head[6] = {0};
    size_t length = strlen(path);
    if (stat(path, &information) || S_ISDIR(information.st_mode))
        return true;
    if (!S_ISREG(information.st_mode))
        return false; /* looking would take what is to be read */
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    size_t count = fread(head, 1, sizeof head, file);
    fclose(file);
    return (length > 5 && !strcmp(path + length - 5, ".otf2")) || (count == 6 && !memcmp(head + 2, "OTF2", 4));
}

int session_run(struct session *session, int (*work)(struct session *, void *), void *context)
{
    struct run run = {.session = session, .work = work, .context = context};
    if (may_be_otf2(session->options.input))
        return guard_run(session->options.input, read_and_report, &run);
    return read_and_report(&run, NULL);
}
