/* Reports: results as text for people and as JSON for programs. They compute nothing but widths and shares of what the
 * analyses found. To add a report, write one file and declare it here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_REPORT_REPORT_H
#define LP_REPORT_REPORT_H

#include <stdio.h>

#include "base/json_writer.h"
#include "base/table.h"
#include "longpole/analysis.h"

struct report {
    FILE *stream;
    struct lp_style style;
    const struct lp_execution *execution;
    unsigned top;  /* rows of a table at most */
    bool segments; /* path: its pieces and the slack segments as well */
    bool verbose;
};

/* longpole path */
void report_path_text(const struct report *report, const struct lp_profile *profile);
void report_path_json(const struct report *report, const struct lp_profile *profile);

/* longpole parallelism */
void report_parallelism_text(const struct report *report, const struct lp_parallelism *parallelism);
void report_parallelism_json(const struct report *report, const struct lp_parallelism *parallelism);

/* longpole analyze */
struct verdict {
    struct lp_profile profile;
    struct lp_parallelism parallelism;
    struct lp_waits waits;
};
void report_verdict_text(const struct report *report, const struct verdict *verdict);
void report_verdict_json(const struct report *report, const struct verdict *verdict);

/* ---- What they share (common.c) ------------------------------------------------------------------------ */

/* A unit in which the execution's times read well. */
struct unit {
    const char *name; /* "s", "ms", "us"; "" for the input's own unit */
    double factor;    /* of lp_seconds */
    int decimals;
};
struct unit report_unit(const struct lp_execution *execution);
double report_time(const struct report *report, const struct unit *unit, lp_ticks ticks);

/* "file:line", only the file's name; "" where it is not known. Valid until the next call in the same thread. */
const char *report_place(const struct lp_region *region);

/* A processor's name, with its process where that tells more. Valid until the fourth next call in the same thread. */
const char *report_processor(const struct lp_execution *execution, uint32_t processor);

/* A node's name: the input's, or "PROCESSOR@SECONDS"-less "PROCESSOR#NUMBER". As above. */
const char *report_node(const struct lp_execution *execution, uint32_t node);

/* Lines on what could not be read or had to be assumed; nothing when all is well. */
void report_reading_text(const struct report *report);
void report_reading_json(const struct report *report, struct lp_json *json);

/* The table of procedures, which `path` and the verdict share. */
void report_procedures_text(const struct report *report, const struct lp_profile *profile, const struct unit *unit);

/* {"longpole":...,"kind":... : every result begins so. */
struct lp_json report_json_begin(const struct report *report, const char *kind);
void report_json_end(const struct report *report, struct lp_json *json);
void report_procedures_json(const struct report *report, struct lp_json *json, const struct lp_profile *profile);

#endif
