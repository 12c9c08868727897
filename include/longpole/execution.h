/* An execution: what happened on every processor between its synchronisations. The one model that every
 * analysis of a trace reads.
 *
 *   processor 0   o-----------o---------------o------->     o  sync point (struct lp_node)
 *                              \                            -  local arc: a list of parts (region, kind, time)
 *   processor 1   o-------------o------o-------------->     \  cross arc: message, collective, lock, create...
 *
 * Invariants (lp_execution_finish checks or establishes them):
 *  - the graph of local and cross arcs is acyclic, and `runs` is a topological order of it;
 *  - a node is the source or the target of cross arcs, or neither, never both (a reader that meets such a point
 *    makes two nodes of it, with an empty local arc between them);
 *  - times are integers: no analysis rounds, so equal input gives equal output, and ties are real ties.
 *
 * Memory: 20 bytes a sync point, 8 bytes a part, 8 bytes a run; nothing grows with the number of calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LONGPOLE_EXECUTION_H
#define LONGPOLE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "longpole/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LP_NONE UINT32_MAX

/* Time in ticks; execution.ticks_per_unit of them make a second (traces) or one of the input's own units. */
typedef int64_t lp_ticks;

/* ---- Parts: how the time of a local arc was spent ------------------------------------------------------ */

enum lp_part_kind {
    LP_USEFUL = 0,   /* counts on the path */
    LP_WAITING = 1,  /* weighs nothing on the path */
    LP_OVERHEAD = 2, /* the measurement's own doing; counts on the path, shown apart */
};

/* One word: region (bits 0-21), kind (22-23), `high` (24), duration (26-63). A duration of 2^38 ticks or more is
 * written as two parts, one of them `high`, in units of 2^38 ticks: so parts can be added up one by one. */
typedef uint64_t lp_part;

#define LP_PART_REGIONS (1u << 22) /* how many regions an execution can have */
#define LP_PART_DURATION_BITS 38
#define LP_PART_DURATION_SHIFT 26

static inline uint32_t lp_part_region(lp_part part)
{
    return (uint32_t)part & (LP_PART_REGIONS - 1);
}
static inline enum lp_part_kind lp_part_kind(lp_part part)
{
    return (enum lp_part_kind)((part >> 22) & 3);
}
static inline lp_ticks lp_part_duration(lp_part part)
{
    return (lp_ticks)((part >> LP_PART_DURATION_SHIFT) << ((part >> 24 & 1) * LP_PART_DURATION_BITS));
}
/* What the part weighs on a path: its duration, or nothing when waiting. (Without branches: this is the inner loop.) */
static inline lp_ticks lp_part_weight(lp_part part)
{
    return lp_part_duration(part) & -(lp_ticks)(lp_part_kind(part) != LP_WAITING);
}
static inline lp_part lp_part_make(uint32_t region, enum lp_part_kind kind, uint64_t duration, bool high)
{
    return region | (uint64_t)kind << 22 | (uint64_t)high << 24 | duration << LP_PART_DURATION_SHIFT;
}

/* ---- Sync points and arcs ------------------------------------------------------------------------------ */

/* What a sync point is. X(NAME, "how a report calls waiting there"); "" where nobody waits. */
#define LP_NODE_KINDS(X)                           \
    X(START, "")                                   \
    X(END, "")                                     \
    X(POINT, "waiting")                            \
    X(SEND, "")                                    \
    X(RECEIVE, "late sender")                      \
    X(RECEIVE_POSTED, "")                          \
    X(SEND_RELEASED, "late receiver")              \
    X(BARRIER, "wait at barrier")                  \
    X(ALL_TO_ALL, "wait at collective")            \
    X(ALL_TO_ONE, "early root of collective")      \
    X(ONE_TO_ALL, "late root of collective")       \
    X(PREFIX, "wait at collective")                \
    X(ARRIVAL, "")                                 \
    X(LOCK_ACQUIRE, "lock")                        \
    X(LOCK_RELEASE, "")                            \
    X(THREAD_CREATE, "")                           \
    X(THREAD_BEGIN, "thread start")                \
    X(THREAD_END, "")                              \
    X(THREAD_WAIT, "join")                         \
    X(FORK, "")                                    \
    X(TEAM_BEGIN, "idle between parallel regions") \
    X(TEAM_END, "")                                \
    X(JOIN, "join")                                \
    X(TASK_CREATE, "")                             \
    X(TASK_SWITCH, "task start")                   \
    X(TASK_COMPLETE, "")                           \
    X(TASK_WAIT, "task wait")

enum lp_node_kind {
#define X(name, waiting) LP_NODE_##name,
    LP_NODE_KINDS(X)
#undef X
        LP_NODE_KIND_COUNT
};

/* How a report calls the waiting that ends at such a point. */
const char *lp_node_waiting_name(enum lp_node_kind kind);

enum {
    LP_NODE_IS_SOURCE = 1, /* cross arcs leave here */
    LP_NODE_MANY = 2,      /* `from` is an index into execution.arcs: a list of arcs, closed by one from LP_NONE */
};

struct lp_node {
    uint32_t weight;   /* of the local arc that ends here, in ticks; LP_WEIGHT_LARGE: more, add up the parts */
    uint32_t part_end; /* that arc has the parts [part_end of the node before, part_end) */
    uint32_t from;     /* target of a cross arc of weight 0: the source node; LP_NONE: not a target */
    uint32_t slot;     /* source: where a sweep leaves its value; target of one arc: where it finds it (order.h) */
    uint8_t kind;      /* enum lp_node_kind */
    uint8_t flags;
    uint16_t unused;
};

#define LP_WEIGHT_LARGE UINT32_MAX

/* A cross arc of a node with several of them, or with a weight. */
struct lp_arc {
    uint32_t from; /* source node; LP_NONE closes the list */
    uint32_t slot; /* as lp_node.slot */
    lp_ticks weight;
};

/* One step of the topological order: `processor` goes on with `count` of its nodes, from node id `first`. */
struct lp_run {
    uint32_t first;
    uint32_t processor : 24;
    uint32_t count : 8;
};

#define LP_PROCESSORS_MAX ((1u << 24) - 1)

/* A processor's time from the beginning to the end of the run; the parts add up to it. */
struct lp_account {
    lp_ticks useful;  /* in a region of the user's own, or of a library, and not waiting */
    lp_ticks outside; /* of it: outside any region */
    lp_ticks waiting;
    lp_ticks overhead; /* of the measurement */
    lp_ticks absent;   /* before the processor's first and after its last event */
};

/* ---- Processors, regions, metrics ---------------------------------------------------------------------- */

struct lp_processor {
    char *name;
    char *process;       /* the process it belongs to; NULL where there is none */
    uint32_t track;      /* several tracks of one processor (activity graphs with broken chains) share a name */
    uint32_t first_node; /* id of its first node; its nodes are numbered from there */
    uint32_t node_count; /* at least 1 */
    uint32_t part_count;
    lp_part *parts;
    lp_ticks start; /* time of the first node */
    struct lp_account account;
};

/* What kind of code a region is, as far as the analyses care. */
enum lp_role {
    LP_ROLE_CODE,
    LP_ROLE_LOOP,
    LP_ROLE_PARALLEL,
    LP_ROLE_BARRIER,
    LP_ROLE_COLLECTIVE,
    LP_ROLE_POINT_TO_POINT,
    LP_ROLE_LOCK,
    LP_ROLE_TASK_WAIT,
    LP_ROLE_THREAD,
    LP_ROLE_IO,
    LP_ROLE_MEMORY,
    LP_ROLE_ARTIFICIAL, /* the measurement system's own */
};

struct lp_region {
    char *name;
    char *file; /* NULL: not known */
    uint32_t line;
    enum lp_role role;
    bool library;   /* MPI, OpenMP, pthread: not the user's own code */
    lp_ticks total; /* its weight on all processors */
};

/* A counter of the trace: what it grew by while a region was innermost. Absent pairs are zero. */
struct lp_metric {
    char *name;
    char *unit;
    struct lp_metric_sum {
        uint32_t processor, region;
        double sum;
    } * sums;
    size_t sum_count;
};

/* ---- What the reader could not use, or had to assume --------------------------------------------------- */

struct lp_unmodelled {
    const char *record; /* the record's name in its format */
    uint64_t count;
};

struct lp_reading {
    char *format;         /* "OTF2", "activity graph", "event trace" */
    uint64_t events;      /* records read */
    uint64_t sync_events; /* of them, those that synchronise */
    uint64_t unmatched_sends, unmatched_receives;
    uint64_t incomplete_collectives; /* instances in which not every member took part */
    uint64_t unmatched_others;       /* locks, threads, teams and tasks without their counterpart */
    uint64_t unfinished_regions;     /* entered, never left */
    uint64_t stray_leaves;           /* left, never entered */
    uint64_t clock_violations;       /* effects with a time stamp before their cause */
    lp_ticks clock_violation_worst;
    uint64_t time_reversals; /* time stamps that went backwards on one processor */
    uint64_t dropped_arcs;   /* cross arcs given up because they closed a cycle (salvage only) */
    struct lp_unmodelled *unmodelled;
    size_t unmodelled_count;
    char **gaps; /* salvage: one line for each thing that could not be read */
    size_t gap_count;
};

struct lp_execution {
    struct lp_processor *processors;
    uint32_t processor_count; /* tracks */
    struct lp_node *nodes;    /* all sync points, processor by processor, each in its order */
    uint32_t node_count;
    struct lp_region *regions;
    uint32_t region_count;
    struct lp_arc *arcs; /* the lists of LP_NODE_MANY */
    uint32_t arc_count;
    struct lp_run *runs;
    uint32_t run_count;
    uint32_t slot_count; /* how many values a sweep has in flight at most */
    char **node_names;   /* activity graphs and event traces; NULL for traces */
    struct lp_metric *metrics;
    size_t metric_count;
    bool has_clock;        /* node times are those of a clock; otherwise only durations are known */
    bool is_trace;         /* times are seconds; otherwise the input's own unit */
    double ticks_per_unit; /* ticks in a second, or in the input's unit of time */
    lp_ticks begin, end;   /* of the run; begin is 0 */
    struct lp_reading reading;
};

/* The processor that owns a node. O(log processors). */
uint32_t lp_execution_processor_of(const struct lp_execution *execution, uint32_t node);

/* The parts of the local arc that ends in `node`, a node of `processor`. Its first node ends none: begin == end. */
static inline const lp_part *lp_arc_begin(const struct lp_execution *execution, const struct lp_processor *processor,
                                          uint32_t node)
{
    return processor->parts + (node > processor->first_node ? execution->nodes[node - 1].part_end : 0);
}
static inline const lp_part *lp_arc_end(const struct lp_execution *execution, const struct lp_processor *processor,
                                        uint32_t node)
{
    return processor->parts + execution->nodes[node].part_end;
}

/* The weight of that local arc. */
static inline lp_ticks lp_arc_weight(const struct lp_execution *execution, const struct lp_processor *processor,
                                     uint32_t node)
{
    lp_ticks weight = execution->nodes[node].weight;
    if (__builtin_expect(weight != LP_WEIGHT_LARGE, 1))
        return weight;
    weight = 0;
    for (const lp_part *part = lp_arc_begin(execution, processor, node); part < lp_arc_end(execution, processor, node);
         part++)
        weight += lp_part_weight(*part);
    return weight;
}

/* Distinct processors (tracks of one processor count once). */
uint32_t lp_execution_width(const struct lp_execution *execution);

/* Ticks as seconds (traces) or in the input's unit. */
static inline double lp_seconds(const struct lp_execution *execution, lp_ticks ticks)
{
    return (double)ticks / execution->ticks_per_unit;
}

void lp_execution_init(struct lp_execution *execution);
void lp_execution_release(struct lp_execution *execution); /* safe on a half-built one */

#ifdef __cplusplus
}
#endif
#endif
