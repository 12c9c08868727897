/* What can be asked of an execution. Every question is a function that fills a plain struct; `x_release` frees what the
 * struct holds and may be called on a half-built or zeroed one. Times are ticks of the execution. Formulas: doc/methods.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LONGPOLE_ANALYSIS_H
#define LONGPOLE_ANALYSIS_H

#include "longpole/execution.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Critical path -------------------------------------------------------------------------------------
 * The longest path, waiting weighing nothing. On a tie the local arc wins, then the arc that comes first in the input. */

/* A stretch of the path on one processor: it enters at `first` (from elsewhere, or at its start) and leaves at `last`. */
struct lp_leg {
    uint32_t processor;
    uint32_t first, last;           /* node ids; the local arcs between them are on the path */
    lp_ticks first_time, last_time; /* by the clock; without a clock, the distance from the start of the path */
    lp_ticks distance;              /* length of the path up to `first` */
};

struct lp_path {
    lp_ticks length;
    struct lp_leg *legs;
    size_t leg_count;
    uint32_t node_count; /* on the path */
    uint64_t *critical;  /* bit per node: on the path */
    uint64_t *crossing;  /* bit per node: the longest way there enters by a cross arc */
    uint32_t *chosen;    /* for nodes of several cross arcs, by the index of their list: the arc of the longest way */
    lp_ticks *on_path;   /* [region] time on the path */
    /* Where the rest of the run's time went, along the path; the four add up to wall - length. */
    lp_ticks before;        /* from the start of the run to the start of the path */
    lp_ticks waiting;       /* in waiting arcs on the path */
    lp_ticks crossing_time; /* between the two ends of cross arcs on the path (negative when clocks disagree) */
    lp_ticks after;         /* from the end of the path to the end of the run */
};

enum lp_status lp_path_find(const struct lp_execution *execution, struct lp_path *path, struct lp_error *error);
void lp_path_release(struct lp_path *path);

/* Calls `show` for the pieces of the path in order; consecutive parts of one procedure are one piece. */
struct lp_piece {
    uint32_t processor, region;
    lp_ticks start; /* as lp_leg.first_time */
    lp_ticks duration;
};
void lp_path_pieces(const struct lp_execution *execution, const struct lp_path *path,
                    void (*show)(void *context, const struct lp_piece *piece), void *context);

/* ---- Slack ---------------------------------------------------------------------------------------------
 * How much each procedure can shrink on the path while the path stays critical: a lower bound of the improvement. */

/* The path between two critical points can shrink by this much before another way becomes longer. */
struct lp_slack_segment {
    uint32_t from, to; /* positions on the path: 0 is the virtual root, then the path's nodes, then the virtual end */
    lp_ticks slack;
};

struct lp_slack {
    lp_ticks *slack; /* [region] */
    struct lp_slack_segment *segments;
    size_t segment_count;
    uint32_t *nodes; /* [position] node id; LP_NONE for root and end */
    uint32_t position_count;
};

struct lp_slack_options {
    bool tight;         /* all pairs of critical points instead of the report's messages; see lp_slack_tight_feasible */
    bool keep_segments; /* keep every segment, also those that cannot bind */
    unsigned threads;   /* 0: one */
};

enum lp_status lp_slack_find(const struct lp_execution *execution, const struct lp_path *path,
                             const struct lp_slack_options *options, struct lp_slack *slack, struct lp_error *error);
void lp_slack_release(struct lp_slack *slack);

/* Whether the tight form can be computed in reasonable time: its work grows as critical points x points. */
bool lp_slack_tight_feasible(const struct lp_execution *execution, const struct lp_path *path);

/* ---- Logical Zeroing -----------------------------------------------------------------------------------
 * How much shorter the longest path is when a procedure takes no time anywhere. */

/* gain[i] for each of `count` regions; 64 procedures share a pass, and passes share the threads. */
enum lp_status lp_zeroing_find(const struct lp_execution *execution, lp_ticks length, const uint32_t *regions,
                               size_t count, unsigned threads, lp_ticks *gain, struct lp_error *error);

/* ---- Profile: the three together ------------------------------------------------------------------------
 * For each procedure on the path: at most `path`, if it took no time `zeroing`, at least `slack` is gained. */

struct lp_procedure {
    uint32_t region;
    lp_ticks path, zeroing, slack, total;
};

struct lp_profile {
    struct lp_path path;
    struct lp_slack slack;
    struct lp_procedure *procedures; /* by time on the path, largest first; ties in the input's order */
    size_t procedure_count;          /* all that took any time */
    size_t on_path_count;            /* the first of them: on the path; the others gain nothing */
};

enum lp_status lp_profile_find(const struct lp_execution *execution, const struct lp_slack_options *options,
                               struct lp_profile *profile, struct lp_error *error);
void lp_profile_release(struct lp_profile *profile);

/* ---- Parallelism --------------------------------------------------------------------------------------- */

enum lp_counted {
    LP_COUNT_WORK, /* what processors do */
    LP_COUNT_ALL,  /* communication (cross arcs with a weight) as well */
};

enum lp_placement {
    LP_EARLIEST, /* every activity starts as soon as what it needs is there */
    LP_LATEST,   /* every activity ends as late as it can without any processor ending later */
};

struct lp_parallelism {
    lp_ticks work;   /* total time of the activities counted */
    lp_ticks length; /* of the critical path */
    double average;  /* work / length; 0 for an empty execution */
    uint32_t maximum;
    struct lp_step {
        lp_ticks begin, end;
        uint32_t degree;
    } * profile; /* steps of degree > 0, in order */
    size_t step_count;
    lp_ticks *shape; /* [degree] time at that degree, 0..maximum */
};

enum lp_status lp_parallelism_find(const struct lp_execution *execution, enum lp_counted counted,
                                   enum lp_placement placement, struct lp_parallelism *result, struct lp_error *error);
void lp_parallelism_release(struct lp_parallelism *result);

/* Critical time of every node (its earliest time), in `times`, which has room for node_count. */
enum lp_status lp_critical_times(const struct lp_execution *execution, lp_ticks *times, struct lp_error *error);

/* ---- Wait states --------------------------------------------------------------------------------------- */

struct lp_wait_state {
    uint32_t region;
    enum lp_node_kind kind; /* what was waited for; LP_NODE_TASK_SWITCH for waiting that a task ended */
    uint64_t count;
    lp_ticks time;
    uint32_t worst_processor; /* where most of it was spent */
    uint32_t worst_cause;     /* the processor that most of it was spent waiting for; LP_NONE: not known */
};

struct lp_wait_pair {
    uint32_t waiter, cause; /* processors; cause is LP_NONE where it is not known */
    uint64_t count;
    lp_ticks time;
};

struct lp_waits {
    struct lp_account total;      /* of all processors: adds up to processors x elapsed */
    struct lp_wait_state *states; /* by time, largest first */
    size_t state_count;
    struct lp_wait_pair *pairs; /* by time, largest first */
    size_t pair_count;
};

enum lp_status lp_waits_find(const struct lp_execution *execution, unsigned threads, struct lp_waits *waits,
                             struct lp_error *error);
void lp_waits_release(struct lp_waits *waits);

#ifdef __cplusplus
}
#endif
#endif
