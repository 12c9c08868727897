/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"

struct unit report_unit(const struct lp_execution *execution)
{
    double wall = lp_seconds(execution, execution->end - execution->begin);
    if (!execution->is_trace)
        return (struct unit){"", 1, -1};
    if (wall >= 1)
        return (struct unit){"s", 1, wall >= 100 ? 1 : 3};
    if (wall >= 1e-3)
        return (struct unit){"ms", 1e3, 3};
    return (struct unit){"us", 1e6, 3};
}

double report_time(const struct report *report, const struct unit *unit, lp_ticks ticks)
{
    return lp_seconds(report->execution, ticks) * unit->factor;
}

const char *report_place(const struct lp_region *region)
{
    static _Thread_local char text[512];
    const char *slash = region->file ? strrchr(region->file, '/') : NULL;
    *text = 0;
    if (region->file && region->line)
        snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : region->file, region->line);
    else if (region->file)
        snprintf(text, sizeof text, "%s", slash ? slash + 1 : region->file);
    return text;
}

static char *next_text(size_t size)
{
    static _Thread_local char texts[4][256];
    static _Thread_local unsigned turn;
    (void)size;
    return texts[turn++ % 4];
}

/* Whether another processor has the same name. */
static bool name_is_shared(const struct lp_execution *execution, uint32_t processor)
{
    uint32_t other = processor ? processor - 1 : processor + 1;
    return other < execution->processor_count &&
           !strcmp(execution->processors[other].name, execution->processors[processor].name);
}

const char *report_processor(const struct lp_execution *execution, uint32_t processor)
{
    const struct lp_processor *p = &execution->processors[processor];
    char *text = next_text(256);
    if (!p->process || !*p->process || !strcmp(p->process, p->name))
        snprintf(text, 256, "%s", p->name);
    else if (name_is_shared(execution, processor) && !strcmp(p->name, "Master thread"))
        snprintf(text, 256, "%s", p->process);
    else
        snprintf(text, 256, "%s %s", p->process, p->name);
    return text;
}

const char *report_node(const struct lp_execution *execution, uint32_t node)
{
    if (execution->node_names)
        return execution->node_names[node];
    uint32_t processor = lp_execution_processor_of(execution, node);
    char *text = next_text(256);
    snprintf(text, 256, "%.200s#%u", report_processor(execution, processor),
             node - execution->processors[processor].first_node);
    return text;
}

struct count_row {
    uint64_t count;
    const char *key, *text;
};

enum { COUNT_ROWS = 9 };

static void list_counts(const struct lp_reading *reading, struct count_row rows[COUNT_ROWS])
{
    const struct count_row all[COUNT_ROWS] = {
        {reading->unmatched_sends, "unmatched_sends", "messages sent, but never received"},
        {reading->unmatched_receives, "unmatched_receives", "messages received, but never sent"},
        {reading->incomplete_collectives, "incomplete_collectives", "collective operations that lack a member"},
        {reading->unmatched_others, "unmatched_others", "threads, teams or tasks without their counterpart"},
        {reading->unfinished_regions, "unfinished_regions", "regions entered, but never left"},
        {reading->stray_leaves, "stray_leaves", "regions left, but never entered"},
        {reading->clock_violations, "clock_violations", "effects with a time stamp before their cause"},
        {reading->time_reversals, "time_reversals", "time stamps that went backwards"},
        {reading->dropped_arcs, "dropped_arcs", "dependences given up because they closed a cycle"},
    };
    memcpy(rows, all, sizeof all);
}

static void print_unmodelled(const struct report *report, const struct lp_reading *reading)
{
    uint64_t total = 0;
    for (size_t i = 0; i < reading->unmodelled_count; i++)
        total += reading->unmodelled[i].count;
    if (!total)
        return;
    fprintf(report->stream, "  %s records are not modelled:", lp_grouped(total));
    size_t shown = report->verbose ? reading->unmodelled_count : 3;
    for (size_t i = 0; i < reading->unmodelled_count && i < shown; i++)
        fprintf(report->stream, "%s %s %s", i ? "," : "", lp_grouped(reading->unmodelled[i].count),
                reading->unmodelled[i].record);
    fprintf(report->stream, "%s\n", shown < reading->unmodelled_count ? ", ... (-v lists all)" : "");
}

void report_reading_text(const struct report *report)
{
    const struct lp_reading *reading = &report->execution->reading;
    struct count_row rows[COUNT_ROWS];
    struct unit unit = report_unit(report->execution);
    bool any = reading->gap_count > 0;
    list_counts(reading, rows);
    for (size_t i = 0; i < COUNT_ROWS; i++)
        any = any || rows[i].count;
    if (!any && !reading->unmodelled_count)
        return;
    fprintf(report->stream, "\n%sWhat the trace could not tell%s\n", lp_bold(&report->style), lp_plain(&report->style));
    for (size_t i = 0; i < reading->gap_count; i++)
        fprintf(report->stream, "  %s\n", reading->gaps[i]);
    for (size_t i = 0; i < COUNT_ROWS; i++) {
        if (!rows[i].count || (reading->gap_count && i < 6))
            continue; /* these are gaps already */
        fprintf(report->stream, "  %s %s", lp_grouped(rows[i].count), rows[i].text);
        if (!strcmp(rows[i].key, "clock_violations"))
            fprintf(report->stream, " (by up to %.*f %s; the order of cause and effect was kept)", 3,
                    report_time(report, &unit, reading->clock_violation_worst), unit.name);
        putc('\n', report->stream);
    }
    print_unmodelled(report, reading);
}

void report_reading_json(const struct report *report, struct lp_json *json)
{
    const struct lp_execution *execution = report->execution;
    const struct lp_reading *reading = &execution->reading;
    struct count_row rows[COUNT_ROWS];
    list_counts(reading, rows);
    lp_json_object(json, "reading");
    lp_json_text(json, "format", reading->format);
    lp_json_integer(json, "events", reading->events);
    lp_json_integer(json, "sync_events", reading->sync_events);
    lp_json_integer(json, "sync_points", execution->node_count);
    for (size_t i = 0; i < COUNT_ROWS; i++)
        lp_json_integer(json, rows[i].key, rows[i].count);
    lp_json_number(json, "clock_violation_worst", lp_seconds(execution, reading->clock_violation_worst));
    lp_json_object(json, "unmodelled");
    for (size_t i = 0; i < reading->unmodelled_count; i++)
        lp_json_integer(json, reading->unmodelled[i].record, reading->unmodelled[i].count);
    lp_json_object_end(json);
    lp_json_list(json, "gaps");
    for (size_t i = 0; i < reading->gap_count; i++)
        lp_json_text(json, NULL, reading->gaps[i]);
    lp_json_list_end(json);
    lp_json_object_end(json);
}

struct lp_json report_json_begin(const struct report *report, const char *kind)
{
    struct lp_json json = {.stream = report->stream};
    lp_json_object(&json, NULL);
    lp_json_text(&json, "longpole", lp_version());
    lp_json_text(&json, "kind", kind);
    return json;
}

void report_json_end(const struct report *report, struct lp_json *json)
{
    lp_json_object_end(json);
    putc('\n', report->stream);
}
