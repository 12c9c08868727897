/* longpole doctor: what can be read and measured on this machine, and why not.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <jansson.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "cli/cli.h"

enum { FINDING_TEXT = 160, FINDINGS = 16 };

struct finding {
    const char *what;
    bool good;
    char text[FINDING_TEXT];
};

struct findings {
    struct finding rows[FINDINGS];
    size_t count;
};

static void find(struct findings *findings, const char *what, bool good, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void find(struct findings *findings, const char *what, bool good, const char *format, ...)
{
    if (findings->count == FINDINGS)
        return;
    struct finding *row = &findings->rows[findings->count++];
    va_list arguments;
    row->what = what;
    row->good = good;
    va_start(arguments, format);
    vsnprintf(row->text, sizeof row->text, format, arguments);
    va_end(arguments);
}

static void find_machine(struct findings *findings)
{
    struct utsname system;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (!uname(&system))
        find(findings, "system", true, "%s %s on %s", system.sysname, system.release, system.machine);
    find(findings, "processors", true, "%u of %ld usable by this process", lp_pool_cores(),
         sysconf(_SC_NPROCESSORS_ONLN));
    find(findings, "memory", pages > 0, "%.1f GiB", (double)pages * (double)page / 0x1p30);
}

static void find_clock(struct findings *findings)
{
    struct timespec resolution = {0}, begin, end;
    const int calls = 10000;
    bool fine = !clock_getres(CLOCK_MONOTONIC, &resolution) && resolution.tv_sec == 0 && resolution.tv_nsec <= 1000;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < calls; i++)
        clock_gettime(CLOCK_MONOTONIC, &end);
    double cost = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / calls;
    find(findings, "clock", fine, "monotonic, resolution %ld ns, %.0f ns a reading", resolution.tv_nsec, cost);
}

static void find_readers(struct findings *findings)
{
    find(findings, "OTF2 traces", true, "OTF2 library %d.%d.%d, POSIX archives, any anchor name", OTF2_VERSION_MAJOR,
         OTF2_VERSION_MINOR, OTF2_VERSION_BUGFIX);
    find(findings, "JSON graphs", true, "jansson %s: activity graphs, event traces", JANSSON_VERSION);
    find(findings, "recording", false, "this version reads traces; record them with Score-P or another OTF2 writer");
}

static void find_permissions(struct findings *findings)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    int level;
    if (file && fscanf(file, "%d", &level) == 1)
        find(findings, "perf events", level <= 2, "kernel.perf_event_paranoid = %d%s", level,
             level <= 2 ? "" : ": not for ordinary users");
    else
        find(findings, "perf events", false, "the kernel does not say (no perf_event_paranoid)");
    if (file)
        fclose(file);
}

static void print_text(const struct findings *findings, FILE *stream, const char *color)
{
    struct lp_style style = lp_style_of(stream, color);
    struct lp_table table;
    lp_table_begin(&table, "lll");
    lp_table_cell(&table, "%s", "");
    lp_table_cell(&table, "longpole %s", lp_version());
    lp_table_cell(&table, "%s", "");
    for (size_t i = 0; i < findings->count; i++) {
        lp_table_cell(&table, "%s", findings->rows[i].good ? "ok" : "no");
        lp_table_cell(&table, "%s", findings->rows[i].what);
        lp_table_cell(&table, "%s", findings->rows[i].text);
    }
    lp_table_print(&table, stream, &style, 0);
}

static void print_json(const struct findings *findings, FILE *stream)
{
    struct report report = {.stream = stream};
    struct lp_json json = report_json_begin(&report, "doctor");
    lp_json_list(&json, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        lp_json_object(&json, NULL);
        lp_json_text(&json, "what", findings->rows[i].what);
        lp_json_boolean(&json, "ok", findings->rows[i].good);
        lp_json_text(&json, "text", findings->rows[i].text);
        lp_json_object_end(&json);
    }
    lp_json_list_end(&json);
    report_json_end(&report, &json);
}

int command_doctor(int count, char **words)
{
    const struct option_row rows[] = {{NULL, 0, OPTION_FLAG, NULL, NULL, NULL}};
    struct common_options options;
    struct findings findings = {0};
    int code;
    if (!options_parse(count, words, "longpole doctor [OPTIONS]",
                       "What longpole can read and measure on this machine, and why not.", &options, rows, false,
                       &code))
        return code;
    find_machine(&findings);
    find_clock(&findings);
    find_readers(&findings);
    find_permissions(&findings);
    FILE *stream = options.output ? fopen(options.output, "w") : stdout;
    if (!stream)
        return complain("%s: %s", options.output, strerror(errno));
    if (options.json)
        print_json(&findings, stream);
    else
        print_text(&findings, stream, options.color);
    if (options.output && fclose(stream))
        return complain("%s: %s", options.output, strerror(errno));
    return EXIT_DONE;
}
