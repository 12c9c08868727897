/* One OTF2 location while it is read: its events folded into sync points and parts, and, per kind of counterpart, lists of
 * the points that wait to be matched.
 *
 * Enter and Leave cost one addition: the time since the last event goes to the part of the innermost region in the current
 * local arc. A point that may wait is written as if all of the stretch before it (since the last Enter, Leave or point) were
 * waiting, followed by an empty part of the same region; when the awaited time is known, otf2_settle.c moves what was no
 * waiting from the one to the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_LOCATION_H
#define LP_INPUT_OTF2_LOCATION_H

#include "input/otf2_definitions.h"

/* A sync point before it is matched. After matching, `link` is the source and `time` the awaited time. */
struct otf2_record {
    uint32_t part_end;
    uint32_t kind : 6;      /* enum lp_node_kind */
    uint32_t waits : 1;     /* the part before it is a stretch that may have been waiting */
    uint32_t continues : 1; /* no Enter or Leave since the point before, which waits too */
    uint32_t matched : 1;
    uint32_t many : 1;   /* matched: `link` is an index into the execution's arcs */
    uint32_t wide : 1;   /* the stretch and what follows it have a high part each */
    uint32_t extra : 21; /* collectives: the root's rank */
    uint32_t link;       /* the next record of the same channel, LP_NONE at its end */
    uint32_t tag;        /* see the kinds in otf2_location.c */
    int64_t time;        /* when it happened or was entered; ticks since the archive's clock offset */
};

#define OTF2_ROOT_MAX ((1u << 21) - 1)

/* A list of points of one location with the same counterpart. */
enum otf2_channel_kind {
    CHANNEL_SEND,       /* a: receiving process, b: communicator, c: tag */
    CHANNEL_RECEIVE,    /* a: sending process, b: communicator, c: tag */
    CHANNEL_ACQUIRE,    /* a: threading paradigm, b: lock */
    CHANNEL_RELEASE,    /* the same */
    CHANNEL_COLLECTIVE, /* a: communicator */
    CHANNEL_TEAM_BEGIN, /* a: team communicator */
    CHANNEL_TEAM_END,
    CHANNEL_JOIN,
    CHANNEL_BARRIER,
    CHANNEL_TASK,   /* a: team communicator: creations, first switches, completions */
    CHANNEL_THREAD, /* all thread creations, begins, ends, waits */
    CHANNEL_KINDS
};

struct otf2_channel {
    enum otf2_channel_kind kind;
    uint32_t rank; /* messages: the counterpart's rank in the communicator, as the trace has it; else a */
    uint32_t a, b, c;
    uint32_t first, last, count; /* records, linked by `link` */
    bool unordered;              /* receives: not in the order in which they were posted */
};

/* Identity of a task or thread that a record speaks of; index in `tag`. */
struct otf2_identity {
    uint64_t a; /* contingent or team */
    uint64_t b; /* sequence count, or creating thread and generation */
};

/* The tasks that a task wait awaits: [first, first + count) of `children`, index in `tag`. */
struct otf2_children {
    uint32_t first, count;
};

struct otf2_created {
    struct otf2_identity task;
    uint32_t before; /* the one that the same task created before it, or LP_NONE */
};

struct otf2_metric_cell {
    uint32_t member, region;
    double sum;
};

enum {
    FRAME_SYNCHRONISES = 1, /* a thread barrier, or a collective operation has begun in it */
    FRAME_SPECIAL = 2,      /* leaving it is more than a leave: barrier, task wait, synchronous send */
};

struct otf2_frame {
    int64_t enter;
    uint32_t region;
    uint32_t flags;
    uint32_t arrival; /* of a collective or barrier that was interrupted: the record of its arrival; else LP_NONE */
};

/* What a worker shares between the locations that it reads one after the other. */
struct otf2_scratch {
    struct otf2_part_slot {
        uint32_t epoch; /* `part` is of the current arc if this is its number */
        uint32_t part;
    } * slots;      /* [region] its part in the current arc */
    uint32_t epoch; /* arcs so far */
};

struct otf2_counts {
    uint64_t events, sync_events, unfinished_regions, stray_leaves, time_reversals, synchronous_sends;
    uint64_t unmodelled[64]; /* by enum otf2_unmodelled */
};

struct otf2_fold {
    /* What every Enter and Leave touches comes first, in two cache lines. */
    uint64_t offset;        /* of the archive's clock */
    int64_t last;           /* last Enter, Leave or point */
    int64_t latest;         /* last time stamp of any record; INT64_MAX before the first */
    uint64_t reach;         /* how far after it the next one may be; 0 before the first, so that it is looked at closely */
    struct otf2_frame *top; /* innermost; the lowest frame of the stack stands for "outside any region" */
    VECTOR(struct otf2_frame) stack;
    const uint32_t *region_of_ref;
    uint32_t region_ref_count;
    uint32_t epoch; /* number of the current arc */
    struct otf2_part_slot *part_slots;
    VECTOR(lp_part) parts;
    bool failed;               /* out of memory, or too many points */
    bool stretch_is_continued; /* no Enter/Leave since the last point, which waits */
    /* The rest. */
    bool started;
    bool posted_points; /* write a point where a receive is posted (the trace has synchronous sends) */
    uint32_t location;  /* index */
    const struct otf2_definitions *definitions;
    struct otf2_scratch *scratch;
    int64_t first; /* first time stamp */
    VECTOR(struct otf2_record) records;
    VECTOR(struct otf2_channel) channels;
    struct lp_map
        channel_index; /* by hash of kind, rank, b, c; from otf2_fold_end on: sends only, by hash of a, b, c */
    uint32_t recent[CHANNEL_KINDS][2]; /* 1 + channel used last, by the lowest bit of its key: most come again */
    VECTOR(struct otf2_identity) identities;
    VECTOR(struct otf2_children) waits;
    VECTOR(struct otf2_identity) children; /* of all task waits */
    VECTOR(struct otf2_created) created; /* all tasks created here; those that a task has not awaited yet are a list */
    struct lp_map created_by;            /* key of a task -> last of that list */
    VECTOR(uint32_t) teams;              /* open teams, innermost last */
    struct lp_map posted;                /* request -> post sequence (or record of the posted point) */
    struct lp_map collective_requests;   /* request -> record of the arrival */
    struct lp_map send_requests;         /* synchronous non-blocking sends: request -> record of the send */
    struct lp_map seen_tasks;            /* tasks that ran here before */
    struct lp_map created_tasks;         /* tasks that were created here */
    struct otf2_identity task;           /* current */
    uint32_t post_sequence;
    uint32_t pending_fork;        /* record of a fork without its team yet, or LP_NONE */
    uint32_t ended_team;          /* the team that this thread left last, or LP_NONE */
    uint32_t pending_send;        /* blocking synchronous send in the innermost region, or LP_NONE */
    int64_t stretch_total;        /* how long it is since the first of the points that continue each other */
    VECTOR(double) metric_before; /* [member] last value */
    VECTOR(struct otf2_metric_cell) metric_cells;
    struct lp_map metric_index;
    struct otf2_counts counts;
};

/* The records that are read and counted, but not modelled. */
#define OTF2_UNMODELLED(X)                                                                                             \
    X(Unknown)                                                                                                         \
    X(MpiRequestTest) X(MpiRequestCancelled) X(OmpFork) X(OmpJoin) X(OmpTaskCreate) X(OmpTaskSwitch)                   \
        X(OmpTaskComplete) X(ParameterString) X(ParameterInt) X(ParameterUnsignedInt) X(RmaWinCreate) X(RmaWinDestroy) \
            X(RmaCollectiveBegin) X(RmaCollectiveEnd) X(RmaGroupSync) X(RmaRequestLock) X(RmaAcquireLock)              \
                X(RmaTryLock) X(RmaReleaseLock) X(RmaSync) X(RmaWaitChange) X(RmaPut) X(RmaGet) X(RmaAtomic)           \
                    X(RmaOpCompleteBlocking) X(RmaOpCompleteNonBlocking) X(RmaOpTest) X(RmaOpCompleteRemote)           \
                        X(IoCreateHandle) X(IoDestroyHandle) X(IoDuplicateHandle) X(IoSeek) X(IoChangeStatusFlags)     \
                            X(IoDeleteFile) X(IoOperationBegin) X(IoOperationTest) X(IoOperationIssued)                \
                                X(IoOperationComplete) X(IoOperationCancelled) X(IoAcquireLock) X(IoReleaseLock)       \
                                    X(IoTryLock) X(CommCreate) X(CommDestroy) X(MeasurementOnOff) X(CollectiveScan)    \
                                        X(MessageToUndefinedRank)

enum otf2_unmodelled {
#define X(name) UNMODELLED_##name,
    OTF2_UNMODELLED(X)
#undef X
        UNMODELLED_COUNT
};
_Static_assert(UNMODELLED_COUNT <= 64, "otf2_counts.unmodelled is too small");

extern const char *const otf2_unmodelled_names[];

/* The event callbacks, for OTF2_Reader_RegisterEvtCallbacks with a struct otf2_fold as user data. The caller deletes it. */
OTF2_EvtReaderCallbacks *otf2_fold_callbacks(void);

void otf2_fold_begin(struct otf2_fold *fold, const struct otf2_definitions *definitions, struct otf2_scratch *scratch,
                     uint32_t location, bool posted_points);

/* Closes what is open and gives back what only reading needs; records, parts, channels and cells stay. */
void otf2_fold_end(struct otf2_fold *fold);
void otf2_fold_release(struct otf2_fold *fold);

/* After otf2_fold_end: the channel of the sends to that process, or NULL. */
const struct otf2_channel *otf2_find_sends(const struct otf2_fold *fold, uint32_t process, uint32_t communicator,
                                           uint32_t tag);

#endif
