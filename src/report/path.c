/* The critical path: profile with bounds, what the rest of the run's time consists of, and on request all pieces.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "report/report.h"

/* ---- Text ---------------------------------------------------------------------------------------------- */

static void time_cell(struct lp_table *table, const struct report *report, const struct unit *unit, lp_ticks ticks)
{
    if (unit->decimals < 0)
        lp_table_cell(table, "%.10g", report_time(report, unit, ticks));
    else
        lp_table_cell(table, "%.*f", unit->decimals, report_time(report, unit, ticks));
}

void report_procedures_text(const struct report *report, const struct lp_profile *profile, const struct unit *unit)
{
    const struct lp_execution *execution = report->execution;
    struct lp_table table;
    lp_table_begin(&table, "llrrrr");
    lp_table_cell(&table, "procedure");
    lp_table_cell(&table, " ");
    lp_table_cell(&table, "at most");
    lp_table_cell(&table, "replayed");
    lp_table_cell(&table, "at least");
    lp_table_cell(&table, "everywhere");
    size_t shown = profile->on_path_count < report->top ? profile->on_path_count : report->top;
    for (size_t i = 0; i < shown; i++) {
        const struct lp_procedure *procedure = &profile->procedures[i];
        lp_table_cell(&table, "%s", execution->regions[procedure->region].name);
        lp_table_cell(&table, "%s", report_place(&execution->regions[procedure->region]));
        time_cell(&table, report, unit, procedure->path);
        time_cell(&table, report, unit, procedure->zeroing);
        time_cell(&table, report, unit, procedure->slack);
        time_cell(&table, report, unit, procedure->total);
    }
    lp_table_print(&table, report->stream, &report->style, 2);
    if (shown < profile->on_path_count)
        fprintf(report->stream, "  ... and %zu more (--top %zu)\n", profile->on_path_count - shown,
                profile->on_path_count);
}

static void print_rest(const struct report *report, const struct lp_path *path, const struct unit *unit)
{
    const struct {
        lp_ticks time;
        const char *text;
    } rows[] = {
        {path->before, "before the path begins"},
        {path->waiting, "waiting on the path itself"},
        {path->crossing_time, "between processors (from cause to effect)"},
        {path->after, report->execution->has_clock ? "after the path ends" : "idle or waiting off the path"},
    };
    int decimals = unit->decimals < 0 ? 3 : unit->decimals;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].time)
            fprintf(report->stream, "  %.*f%s%s %s\n", decimals, report_time(report, unit, rows[i].time),
                    *unit->name ? " " : "", unit->name, rows[i].text);
}

struct piece_printer {
    const struct report *report;
    struct lp_table table;
    const struct unit *unit;
};

static void print_piece(void *context, const struct lp_piece *piece)
{
    struct piece_printer *printer = context;
    const struct report *report = printer->report;
    time_cell(&printer->table, report, printer->unit, piece->start);
    time_cell(&printer->table, report, printer->unit, piece->duration);
    lp_table_cell(&printer->table, "%s", report_processor(report->execution, piece->processor));
    lp_table_cell(&printer->table, "%s", report->execution->regions[piece->region].name);
}

static const char *position_name(const struct report *report, const struct lp_slack *slack, uint32_t position)
{
    if (slack->nodes[position] == LP_NONE)
        return position ? "<end>" : "<root>";
    return report_node(report->execution, slack->nodes[position]);
}

static void print_segments(const struct report *report, const struct lp_profile *profile, const struct unit *unit)
{
    struct piece_printer printer = {.report = report, .unit = unit};
    fprintf(report->stream, "\n%sThe path, piece by piece%s\n", lp_bold(&report->style), lp_plain(&report->style));
    lp_table_begin(&printer.table, "rrll");
    lp_table_cell(&printer.table, "start");
    lp_table_cell(&printer.table, "duration");
    lp_table_cell(&printer.table, "processor");
    lp_table_cell(&printer.table, "procedure");
    lp_path_pieces(report->execution, &profile->path, print_piece, &printer);
    lp_table_print(&printer.table, report->stream, &report->style, 2);
    fprintf(report->stream, "\n%sSlack segments%s\n", lp_bold(&report->style), lp_plain(&report->style));
    struct lp_table table;
    lp_table_begin(&table, "llr");
    lp_table_cell(&table, "from");
    lp_table_cell(&table, "to");
    lp_table_cell(&table, "slack");
    for (size_t i = 0; i < profile->slack.segment_count; i++) {
        const struct lp_slack_segment *segment = &profile->slack.segments[i];
        lp_table_cell(&table, "%s", position_name(report, &profile->slack, segment->from));
        lp_table_cell(&table, "%s", position_name(report, &profile->slack, segment->to));
        time_cell(&table, report, unit, segment->slack);
    }
    lp_table_print(&table, report->stream, &report->style, 2);
}

void report_path_text(const struct report *report, const struct lp_profile *profile)
{
    const struct lp_execution *execution = report->execution;
    struct unit unit = report_unit(execution);
    const struct lp_path *path = &profile->path;
    double length = report_time(report, &unit, path->length), wall = report_time(report, &unit, execution->end);
    fprintf(report->stream, "%sCritical path %.6g%s%s of %.6g (%.1f %%), through %zu stretch%s%s\n",
            lp_bold(&report->style), length, *unit.name ? " " : "", unit.name, wall,
            wall > 0 ? 100 * length / wall : 100, path->leg_count, path->leg_count == 1 ? "" : "es",
            lp_plain(&report->style));
    print_rest(report, path, &unit);
    fprintf(report->stream, "\nWhat tuning a procedure can gain%s%s\n", *unit.name ? ", in " : "", unit.name);
    report_procedures_text(report, profile, &unit);
    fprintf(report->stream, "\nat most: its time on the path; replayed: if it took no time anywhere;\n"
                            "at least: by how much it can shrink before another path is longer\n");
    if (report->segments)
        print_segments(report, profile, &unit);
    report_reading_text(report);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

void report_procedures_json(const struct report *report, struct lp_json *json, const struct lp_profile *profile)
{
    const struct lp_execution *execution = report->execution;
    lp_json_list(json, "procedures");
    for (size_t i = 0; i < profile->procedure_count; i++) {
        const struct lp_procedure *procedure = &profile->procedures[i];
        const struct lp_region *region = &execution->regions[procedure->region];
        lp_json_object(json, NULL);
        lp_json_text(json, "name", region->name);
        lp_json_number(json, "path", lp_seconds(execution, procedure->path));
        lp_json_number(json, "slack", lp_seconds(execution, procedure->slack));
        lp_json_number(json, "zeroing", lp_seconds(execution, procedure->zeroing));
        lp_json_number(json, "total", lp_seconds(execution, procedure->total));
        if (region->file) {
            lp_json_text(json, "file", region->file);
            lp_json_integer(json, "line", region->line);
        }
        lp_json_object_end(json);
    }
    lp_json_list_end(json);
}

struct piece_writer {
    const struct report *report;
    struct lp_json *json;
};

static void write_piece(void *context, const struct lp_piece *piece)
{
    struct piece_writer *writer = context;
    const struct lp_execution *execution = writer->report->execution;
    lp_json_object(writer->json, NULL);
    lp_json_text(writer->json, "processor", report_processor(execution, piece->processor));
    lp_json_text(writer->json, "procedure", execution->regions[piece->region].name);
    lp_json_number(writer->json, "start", lp_seconds(execution, piece->start));
    lp_json_number(writer->json, "duration", lp_seconds(execution, piece->duration));
    lp_json_object_end(writer->json);
}

static void write_segments(const struct report *report, struct lp_json *json, const struct lp_profile *profile)
{
    lp_json_list(json, "path");
    lp_path_pieces(report->execution, &profile->path, write_piece, &(struct piece_writer){report, json});
    lp_json_list_end(json);
    lp_json_list(json, "slack_segments");
    for (size_t i = 0; i < profile->slack.segment_count; i++) {
        const struct lp_slack_segment *segment = &profile->slack.segments[i];
        lp_json_list(json, NULL);
        lp_json_text(json, NULL, position_name(report, &profile->slack, segment->from));
        lp_json_text(json, NULL, position_name(report, &profile->slack, segment->to));
        lp_json_number(json, NULL, lp_seconds(report->execution, segment->slack));
        lp_json_list_end(json);
    }
    lp_json_list_end(json);
}

void report_path_json(const struct report *report, const struct lp_profile *profile)
{
    const struct lp_execution *execution = report->execution;
    const struct lp_path *path = &profile->path;
    struct lp_json json = report_json_begin(report, "path");
    lp_json_number(&json, "length", lp_seconds(execution, path->length));
    lp_json_number(&json, "wall", lp_seconds(execution, execution->end));
    lp_json_object(&json, "rest");
    lp_json_number(&json, "before", lp_seconds(execution, path->before));
    lp_json_number(&json, "waiting", lp_seconds(execution, path->waiting));
    lp_json_number(&json, "crossing", lp_seconds(execution, path->crossing_time));
    lp_json_number(&json, "after", lp_seconds(execution, path->after));
    lp_json_object_end(&json);
    report_procedures_json(report, &json, profile);
    if (report->segments)
        write_segments(report, &json, profile);
    report_reading_json(report, &json);
    report_json_end(report, &json);
}
