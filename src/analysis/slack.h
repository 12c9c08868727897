/* What the two ways to find slack segments (slack.c: the report's messages; slack_tight.c: all pairs) share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_ANALYSIS_SLACK_H
#define LP_ANALYSIS_SLACK_H

#include "analysis/sweep.h"
#include "base/map.h"
#include "base/vector.h"
#include "longpole/analysis.h"

struct lp_segments {
    struct lp_slack_segment *items;
    size_t count, capacity;
};

/* The points of the path in order: position 0 is the virtual root, the last one the virtual end. */
struct lp_positions {
    uint32_t count;
    lp_ticks *distance; /* [position] from the root */
    uint32_t *nodes;    /* [position] node id; LP_NONE for root and end */
};

bool lp_positions_make(const struct lp_execution *execution, const struct lp_path *path,
                       struct lp_positions *positions);
void lp_positions_release(struct lp_positions *positions);

/* Whether any procedure could use the segment up. */
bool lp_segment_binds(const struct lp_positions *positions, const struct lp_slack_segment *segment);

/* The segments of all pairs of critical points joined by a way without a critical point inside. */
bool lp_tight_segments(const struct lp_execution *execution, const struct lp_path *path,
                       const struct lp_positions *positions, const struct lp_slack_options *options,
                       struct lp_segments *segments);

#endif
