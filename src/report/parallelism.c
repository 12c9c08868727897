/* Average parallelism, profile and shape, as two small plots.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { PLOT_HEIGHT = 8, PLOT_WIDTH = 64, SHAPE_ROWS = 16 };

/* Mean degree in each of `columns` equal spans of the length. */
static void bin_profile(const struct lp_parallelism *p, double *bins, size_t columns)
{
    double span = (double)p->length / (double)columns;
    memset(bins, 0, columns * sizeof *bins);
    for (size_t i = 0; i < p->step_count && span > 0; i++) {
        double begin = (double)p->profile[i].begin / span, end = (double)p->profile[i].end / span;
        for (size_t c = (size_t)begin; c < columns && (double)c < end; c++) {
            double from = fmax(begin, (double)c), to = fmin(end, (double)c + 1);
            bins[c] += p->profile[i].degree * (to - from);
        }
    }
}

/* One cell of a bar: the eighth-block that fills it, or for ASCII a hash from half on. */
static const char *block(const struct report *report, double filled)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int eighths = filled <= 0 ? 0 : filled >= 1 ? 8 : (int)ceil(filled * 8);
    return report->style.unicode ? blocks[eighths] : eighths >= 4 ? "#" : eighths ? "." : " ";
}

static void plot_profile(const struct report *report, const struct lp_parallelism *p, const struct unit *unit)
{
    double bins[PLOT_WIDTH];
    size_t columns =
        report->style.width && report->style.width < PLOT_WIDTH + 12 ? report->style.width - 12 : PLOT_WIDTH;
    int height = p->maximum < PLOT_HEIGHT ? (int)p->maximum : PLOT_HEIGHT;
    bin_profile(p, bins, columns);
    for (int row = height; row > 0; row--) {
        double top = (double)p->maximum * row / height, step = (double)p->maximum / height;
        fprintf(report->stream, "  %6.4g |", top);
        char line[PLOT_WIDTH * 4 + 1] = "";
        for (size_t c = 0; c < columns; c++)
            strcat(line, block(report, (bins[c] - top + step) / step));
        size_t end = strlen(line);
        while (end && line[end - 1] == ' ')
            line[--end] = 0;
        fprintf(report->stream, "%s\n", line);
    }
    char dashes[PLOT_WIDTH + 1];
    memset(dashes, '-', columns);
    dashes[columns] = 0;
    fprintf(report->stream, "         +%s\n", dashes);
    char label[48];
    snprintf(label, sizeof label, "%.4g%s%s", report_time(report, unit, p->length), *unit->name ? " " : "", unit->name);
    fprintf(report->stream, "          0%*s\n", (int)columns - 1, label);
}

static void print_bar(const struct report *report, double share, const char *label)
{
    int width = 40;
    fprintf(report->stream, "  %9s  %5.1f %%  ", label, 100 * share);
    for (int i = 0; i < width; i++) {
        double filled = share * width - i;
        if (filled <= 0)
            break;
        fputs(report->style.unicode ? (filled >= 0.5 ? "█" : "▌") : "#", report->stream);
    }
    putc('\n', report->stream);
}

static void plot_shape(const struct report *report, const struct lp_parallelism *p)
{
    uint32_t group = (p->maximum + SHAPE_ROWS - 1) / SHAPE_ROWS;
    if (p->length && p->shape[0])
        print_bar(report, (double)p->shape[0] / (double)p->length, "0");
    for (uint32_t k = 1; p->length && k <= p->maximum; k += group) {
        lp_ticks time = 0;
        char label[32];
        uint32_t last = k + group - 1 < p->maximum ? k + group - 1 : p->maximum;
        for (uint32_t i = k; i <= last; i++)
            time += p->shape[i];
        if (last > k)
            snprintf(label, sizeof label, "%u-%u", k, last);
        else
            snprintf(label, sizeof label, "%u", k);
        print_bar(report, (double)time / (double)p->length, label);
    }
}

void report_parallelism_text(const struct report *report, const struct lp_parallelism *p)
{
    struct unit unit = report_unit(report->execution);
    const char *gap = *unit.name ? " " : "";
    uint32_t width = lp_execution_width(report->execution);
    fprintf(report->stream, "%sAverage parallelism %.4g%s on %u processor%s\n", lp_bold(&report->style), p->average,
            lp_plain(&report->style), width, width == 1 ? "" : "s");
    fprintf(report->stream,
            "  %.6g%s%s of work on a critical path of %.6g%s%s: no number of processors\n"
            "  makes this execution more than %.4g times as fast as one\n",
            report_time(report, &unit, p->work), gap, unit.name, report_time(report, &unit, p->length), gap, unit.name,
            p->average);
    if (!p->length)
        return;
    fprintf(report->stream, "\n%sProfile%s: how many are active if only dependences count (at most %u)\n",
            lp_bold(&report->style), lp_plain(&report->style), p->maximum);
    plot_profile(report, p, &unit);
    fprintf(report->stream, "\n%sShape%s: share of the time at each degree of parallelism\n", lp_bold(&report->style),
            lp_plain(&report->style));
    plot_shape(report, p);
    report_reading_text(report);
}

void report_parallelism_json(const struct report *report, const struct lp_parallelism *p)
{
    const struct lp_execution *execution = report->execution;
    struct lp_json json = report_json_begin(report, "parallelism");
    lp_json_number(&json, "work", lp_seconds(execution, p->work));
    lp_json_number(&json, "length", lp_seconds(execution, p->length));
    lp_json_number(&json, "average", p->average);
    lp_json_integer(&json, "maximum", p->maximum);
    lp_json_list(&json, "profile");
    for (size_t i = 0; i < p->step_count; i++) {
        lp_json_list(&json, NULL);
        lp_json_number(&json, NULL, lp_seconds(execution, p->profile[i].begin));
        lp_json_number(&json, NULL, lp_seconds(execution, p->profile[i].end));
        lp_json_integer(&json, NULL, p->profile[i].degree);
        lp_json_list_end(&json);
    }
    lp_json_list_end(&json);
    lp_json_object(&json, "shape");
    for (uint32_t k = 0; p->length && k <= p->maximum; k++) {
        char key[16];
        snprintf(key, sizeof key, "%u", k);
        if (p->shape[k])
            lp_json_number(&json, key, (double)p->shape[k] / (double)p->length);
    }
    lp_json_object_end(&json);
    report_reading_json(report, &json);
    report_json_end(report, &json);
}
