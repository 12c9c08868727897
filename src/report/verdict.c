/* The verdict: where the processor-seconds went, what bounds the run time, what would help and by how much.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "report/report.h"

/* ---- Text ---------------------------------------------------------------------------------------------- */

static double share(lp_ticks part, lp_ticks whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_heading(const struct report *report)
{
    const struct lp_execution *execution = report->execution;
    struct unit unit = report_unit(execution);
    fprintf(report->stream, "%u processor%s, %.4g%s%s", lp_execution_width(execution),
            lp_execution_width(execution) == 1 ? "" : "s", report_time(report, &unit, execution->end),
            *unit.name ? " " : "", unit.name);
    if (execution->is_trace)
        fprintf(report->stream, ", %s events", lp_grouped(execution->reading.events));
    fputs("\n\n", report->stream);
}

/* Where it was, who waited most, and for whom. */
static void where_cells(struct lp_table *table, const struct report *report, const struct lp_wait_state *state)
{
    const struct lp_execution *execution = report->execution;
    uint32_t who[] = {state->worst_processor, state->worst_cause};
    lp_table_cell(table, "%s", execution->regions[state->region].name);
    for (int i = 0; i < 2; i++)
        lp_table_cell(table, "%s", who[i] == LP_NONE ? "" : report_processor(execution, who[i]));
}

static void empty_cells(struct lp_table *table)
{
    for (int i = 0; i < 3; i++)
        lp_table_cell(table, "%s", "");
}

static void account_row(struct lp_table *table, const struct report *report, const struct unit *unit, const char *what,
                        lp_ticks time, lp_ticks all)
{
    lp_table_cell(table, "%s", what);
    lp_table_cell(table, "%.*f", unit->decimals < 0 ? 3 : unit->decimals, report_time(report, unit, time));
    lp_table_cell(table, "%.1f %%", share(time, all));
}

static void print_account(const struct report *report, const struct lp_waits *waits)
{
    struct unit unit = report_unit(report->execution);
    lp_ticks all = report->execution->end * lp_execution_width(report->execution);
    const struct lp_account *total = &waits->total;
    fprintf(report->stream, "%s%.0f %% of %.4g processor-%s did useful work; %.4g %s lost%s\n", lp_bold(&report->style),
            share(total->useful, all), report_time(report, &unit, all), *unit.name ? unit.name : "time units",
            report_time(report, &unit, all - total->useful), all - total->useful == 1 ? "was" : "were",
            lp_plain(&report->style));
    if (all == total->useful)
        return;
    struct lp_table table;
    const char *const heads[] = {"", *unit.name ? unit.name : "time", "", "in", "most on", "waiting for"};
    lp_table_begin(&table, "lrrlll");
    for (int i = 0; i < 6; i++)
        lp_table_cell(&table, "%s", heads[i]);
    size_t shown = waits->state_count < report->top ? waits->state_count : report->top;
    lp_ticks others = total->waiting;
    for (size_t i = 0; i < shown; i++) {
        account_row(&table, report, &unit, lp_node_waiting_name(waits->states[i].kind), waits->states[i].time, all);
        where_cells(&table, report, &waits->states[i]);
        others -= waits->states[i].time;
    }
    if (others > 0) {
        account_row(&table, report, &unit, "other waiting (--top)", others, all);
        empty_cells(&table);
    }
    if (total->overhead) {
        account_row(&table, report, &unit, "measurement overhead", total->overhead, all);
        empty_cells(&table);
    }
    if (total->absent) {
        const char *what = report->execution->has_clock ? "before start, after end" : "idle";
        account_row(&table, report, &unit, what, total->absent, all);
        empty_cells(&table);
    }
    lp_table_print(&table, report->stream, &report->style, 2);
    if (total->outside)
        fprintf(report->stream, "  (%.1f %% of the useful time is outside any region)\n",
                share(total->outside, total->useful));
}

static void print_path(const struct report *report, const struct verdict *verdict)
{
    struct unit unit = report_unit(report->execution);
    const struct lp_path *path = &verdict->profile.path;
    double length = report_time(report, &unit, path->length), wall = report_time(report, &unit, report->execution->end);
    fprintf(report->stream, "\n%sThe long pole%s (critical path %.4g%s%s of %.4g), and what tuning could gain\n",
            lp_bold(&report->style), lp_plain(&report->style), length, *unit.name ? " " : "", unit.name, wall);
    report_procedures_text(report, &verdict->profile, &unit);
}

static void print_parallelism(const struct report *report, const struct lp_parallelism *p)
{
    fprintf(report->stream, "\n%sParallelism%s %.3g of %u on average, at most %u", lp_bold(&report->style),
            lp_plain(&report->style), p->average, lp_execution_width(report->execution), p->maximum);
    if (p->length && p->maximum)
        fprintf(report->stream, "; one alone for %.0f %% of the path", share(p->shape[1], p->length));
    putc('\n', report->stream);
}

static int by_zeroing(const void *a, const void *b)
{
    const struct lp_procedure *x = *(const struct lp_procedure *const *)a, *y = *(const struct lp_procedure *const *)b;
    if (x->zeroing != y->zeroing)
        return x->zeroing > y->zeroing ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

enum { ADVICE = 3 };

/* The procedures whose absence would shorten the path most. */
static void print_advice(const struct report *report, const struct lp_profile *profile)
{
    const struct lp_execution *execution = report->execution;
    struct unit unit = report_unit(execution);
    const struct lp_procedure **best = malloc((profile->on_path_count + 1) * sizeof *best);
    double length = report_time(report, &unit, profile->path.length);
    for (size_t i = 0; best && i < profile->on_path_count; i++)
        best[i] = &profile->procedures[i];
    if (best && profile->on_path_count)
        qsort(best, profile->on_path_count, sizeof *best, by_zeroing);
    if (!best || !profile->on_path_count || !best[0]->zeroing) {
        free(best);
        return;
    }
    fprintf(report->stream, "\n%sWhat would help%s, by replaying the run without it\n", lp_bold(&report->style),
            lp_plain(&report->style));
    struct lp_table table;
    lp_table_begin(&table, "lrl");
    lp_table_cell(&table, "without");
    lp_table_cell(&table, "critical path%s%s", *unit.name ? ", " : "", unit.name);
    lp_table_cell(&table, "certain");
    for (size_t i = 0; i < ADVICE && i < profile->on_path_count && best[i]->zeroing; i++) {
        lp_table_cell(&table, "%s", execution->regions[best[i]->region].name);
        lp_table_cell(&table, "%.4g -> %.4g", length, length - report_time(report, &unit, best[i]->zeroing));
        lp_table_cell(&table, "%.0f %% of the gain", share(best[i]->slack, best[i]->zeroing));
    }
    lp_table_print(&table, report->stream, &report->style, 2);
    free(best);
}

void report_verdict_text(const struct report *report, const struct verdict *verdict)
{
    print_heading(report);
    print_account(report, &verdict->waits);
    print_path(report, verdict);
    print_parallelism(report, &verdict->parallelism);
    print_advice(report, &verdict->profile);
    report_reading_text(report);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void write_account(const struct report *report, struct lp_json *json, const struct lp_account *account)
{
    lp_json_number(json, "useful", lp_seconds(report->execution, account->useful));
    lp_json_number(json, "outside", lp_seconds(report->execution, account->outside));
    lp_json_number(json, "waiting", lp_seconds(report->execution, account->waiting));
    lp_json_number(json, "overhead", lp_seconds(report->execution, account->overhead));
    lp_json_number(json, "absent", lp_seconds(report->execution, account->absent));
}

static void write_processor(const struct report *report, struct lp_json *json, const char *key, uint32_t processor)
{
    lp_json_text(json, key, processor == LP_NONE ? NULL : report_processor(report->execution, processor));
}

static void write_waits(const struct report *report, struct lp_json *json, const struct lp_waits *waits)
{
    const struct lp_execution *execution = report->execution;
    lp_json_list(json, "per_processor");
    for (uint32_t p = 0; p < execution->processor_count; p++) {
        lp_json_object(json, NULL);
        write_processor(report, json, "processor", p);
        write_account(report, json, &execution->processors[p].account);
        lp_json_object_end(json);
    }
    lp_json_list_end(json);
    lp_json_list(json, "waits");
    for (size_t i = 0; i < waits->state_count; i++) {
        const struct lp_wait_state *state = &waits->states[i];
        lp_json_object(json, NULL);
        lp_json_text(json, "region", execution->regions[state->region].name);
        lp_json_text(json, "cause", lp_node_waiting_name(state->kind));
        lp_json_integer(json, "count", state->count);
        lp_json_number(json, "time", lp_seconds(execution, state->time));
        write_processor(report, json, "most_on", state->worst_processor);
        write_processor(report, json, "most_for", state->worst_cause);
        lp_json_object_end(json);
    }
    lp_json_list_end(json);
    lp_json_list(json, "wait_pairs");
    for (size_t i = 0; i < waits->pair_count && i < 1000; i++) {
        lp_json_object(json, NULL);
        write_processor(report, json, "waiter", waits->pairs[i].waiter);
        write_processor(report, json, "for", waits->pairs[i].cause);
        lp_json_integer(json, "count", waits->pairs[i].count);
        lp_json_number(json, "time", lp_seconds(execution, waits->pairs[i].time));
        lp_json_object_end(json);
    }
    lp_json_list_end(json);
}

void report_verdict_json(const struct report *report, const struct verdict *verdict)
{
    const struct lp_execution *execution = report->execution;
    const struct lp_parallelism *p = &verdict->parallelism;
    struct lp_json json = report_json_begin(report, "analyze");
    lp_json_integer(&json, "processors", lp_execution_width(execution));
    lp_json_number(&json, "elapsed", lp_seconds(execution, execution->end));
    write_account(report, &json, &verdict->waits.total);
    lp_json_object(&json, "path");
    lp_json_number(&json, "length", lp_seconds(execution, verdict->profile.path.length));
    report_procedures_json(report, &json, &verdict->profile);
    lp_json_object_end(&json);
    lp_json_object(&json, "parallelism");
    lp_json_number(&json, "work", lp_seconds(execution, p->work));
    lp_json_number(&json, "average", p->average);
    lp_json_integer(&json, "maximum", p->maximum);
    lp_json_object_end(&json);
    write_waits(report, &json, &verdict->waits);
    report_reading_json(report, &json);
    report_json_end(report, &json);
}
