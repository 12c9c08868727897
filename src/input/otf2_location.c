/* The event callbacks of one location. What `tag` and `time` of a record say, by kind:
 *
 *   SEND            tag: its SEND_RELEASED record or LP_NONE    time: of the event
 *   RECEIVE         tag: number in the order of posting, which is its RECEIVE_POSTED record where those are written
 *   collectives     tag: the record that completes it (itself when nothing happened in between)   time: of the arrival
 *   LOCK_*          tag: acquisition order                       time: of the event
 *   TEAM_BEGIN      tag: the fork's record on the forking thread, else LP_NONE
 *   JOIN            tag: which of the thread's ends of that team it follows
 *   THREAD_*,TASK_* tag: index of the identity; TASK_WAIT: index of its list of children
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_location.h"

#include <math.h>
#include <string.h>

const char *const otf2_unmodelled_names[] = {
#define X(name) #name,
    OTF2_UNMODELLED(X)
#undef X
};

/* Parts are closed at half of what a word holds, so that settling can always add a stretch of the same size. */
enum { STRETCH_BITS = LP_PART_DURATION_BITS - 1 };
static const int64_t STRETCH_LIMIT = INT64_C(1) << STRETCH_BITS;

/* ---- Parts --------------------------------------------------------------------------------------------- */

static inline uint32_t top_region(const struct otf2_fold *f)
{
    return f->stack.count ? f->stack.items[f->stack.count - 1].region : REGION_OUTSIDE;
}

static inline struct otf2_frame *top_frame(struct otf2_fold *f)
{
    return f->stack.count ? &f->stack.items[f->stack.count - 1] : &f->outside;
}

static void push_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    uint64_t high = (uint64_t)duration >> LP_PART_DURATION_BITS;
    uint64_t low = (uint64_t)duration - (high << LP_PART_DURATION_BITS);
    if (high && !vector_push(&f->parts, lp_part_make(region, kind, high, true)))
        f->failed = true;
    if (!vector_push(&f->parts, lp_part_make(region, kind, low, false)))
        f->failed = true;
}

/* Adds to the region's part in the current arc. */
static inline void add_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    struct otf2_scratch *scratch = f->scratch;
    if (__builtin_expect(scratch->parts[region].epoch == scratch->epoch, 1)) {
        lp_part *part = &f->parts.items[scratch->parts[region].part];
        if ((int64_t)(*part >> LP_PART_DURATION_SHIFT) + duration < STRETCH_LIMIT) {
            *part += (uint64_t)duration << LP_PART_DURATION_SHIFT;
            return;
        }
    }
    push_part(f, region, kind, duration);
    scratch->parts[region].epoch = scratch->epoch;
    scratch->parts[region].part = (uint32_t)f->parts.count - 1;
}

/* The time since the last Enter, Leave or point goes to the innermost region. */
static inline void charge(struct otf2_fold *f, int64_t time)
{
    if (time > f->last) {
        add_part(f, top_region(f), LP_USEFUL, time - f->last);
        f->last = time;
    }
}

static void next_arc(struct otf2_fold *f)
{
    if (++f->scratch->epoch == 0) { /* wrapped: forget all, once in 2^32 arcs */
        memset(f->scratch->parts, 0, f->definitions->regions.count * sizeof *f->scratch->parts);
        f->scratch->epoch = 1;
    }
}

/* ---- Points -------------------------------------------------------------------------------------------- */

static struct otf2_record *push_record(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    static struct otf2_record nowhere;
    struct otf2_record record = {.part_end = (uint32_t)f->parts.count, .kind = kind, .link = LP_NONE, .tag = LP_NONE,
                                 .time = time};
    if (f->records.count >= UINT32_MAX - 2 || f->parts.count >= UINT32_MAX - 8 || !vector_push(&f->records, record)) {
        f->failed = true;
        nowhere = record;
        return &nowhere;
    }
    next_arc(f);
    return &f->records.items[f->records.count - 1];
}

static uint32_t last_record(const struct otf2_fold *f)
{
    return (uint32_t)f->records.count - 1;
}

/* Something happens inside a barrier or collective operation, the first since it was entered: the arrival becomes a point
 * of its own, where it was entered. */
static void arrive_apart(struct otf2_fold *f, struct otf2_frame *frame)
{
    if (frame->arrival != LP_NONE)
        return;
    push_record(f, LP_NODE_ARRIVAL, frame->enter);
    frame->arrival = last_record(f);
    f->stretch_is_continued = false;
}

static inline void interrupt_collective(struct otf2_fold *f)
{
    struct otf2_frame *top = top_frame(f);
    if (__builtin_expect(top->synchronises, 0))
        arrive_apart(f, top);
}

/* A point at which nobody waits. */
static struct otf2_record *push_point(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    interrupt_collective(f);
    charge(f, time);
    f->stretch_is_continued = false;
    return push_record(f, kind, time);
}

/* A part that settling may make as large as the whole stretch; a wide one has its high word even when that is 0. */
static void push_stretch(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration, bool wide)
{
    uint64_t high = (uint64_t)duration >> LP_PART_DURATION_BITS;
    if (wide && !vector_push(&f->parts, lp_part_make(region, kind, high, true)))
        f->failed = true;
    if (!vector_push(&f->parts, lp_part_make(region, kind, (uint64_t)duration - (high << LP_PART_DURATION_BITS), false)))
        f->failed = true;
}

/* A point that ends the stretch before it, which may have been waiting. Of a barrier or collective operation it is
 * the completion; all others use push_wait. */
static struct otf2_record *push_completion(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    if (!f->records.count)
        return push_record(f, kind, time);
    uint32_t region = top_region(f);
    bool continues = f->stretch_is_continued;
    f->stretch_total = (continues ? f->stretch_total : 0) + (time - f->last);
    bool wide = f->stretch_total >= STRETCH_LIMIT;
    push_stretch(f, region, LP_WAITING, time - f->last, wide);
    struct otf2_record *record = push_record(f, kind, time);
    record->waits = true;
    record->continues = continues;
    record->wide = wide;
    push_stretch(f, region, LP_USEFUL, 0, wide);
    f->scratch->parts[region].epoch = f->scratch->epoch;
    f->scratch->parts[region].part = (uint32_t)f->parts.count - 1;
    f->last = time;
    f->stretch_is_continued = true;
    return record;
}

static struct otf2_record *push_wait(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    interrupt_collective(f);
    return push_completion(f, kind, time);
}

static int64_t first_tick(struct otf2_fold *f, int64_t time)
{
    f->started = true;
    f->first = f->last = f->latest = time;
    return time;
}

/* The event's time on this location, never before the one before it. Begins the location at its first event. */
static inline int64_t tick(struct otf2_fold *f, OTF2_TimeStamp stamp)
{
    int64_t time = (int64_t)(stamp - f->definitions->offset);
    f->counts.events++;
    if (__builtin_expect(!f->records.count, 0) && !f->started)
        return first_tick(f, time);
    if (__builtin_expect(time < f->latest, 0)) {
        f->counts.time_reversals++;
        time = f->latest;
    }
    return f->latest = time;
}

/* The same for every event but those that begin a thread: their point is the first of the location. */
static inline int64_t tick_started(struct otf2_fold *f, OTF2_TimeStamp stamp)
{
    int64_t time = tick(f, stamp);
    if (__builtin_expect(!f->records.count, 0))
        push_record(f, LP_NODE_START, time);
    return time;
}

/* ---- Channels ------------------------------------------------------------------------------------------ */

static bool same_channel(const struct otf2_channel *channel, enum otf2_channel_kind kind, uint32_t a, uint32_t b,
                         uint32_t c)
{
    return channel->kind == kind && channel->rank == a && channel->b == b && channel->c == c;
}

static struct otf2_channel *make_channel(struct otf2_fold *f, uint64_t hash, struct otf2_channel channel)
{
    if (channel.kind == CHANNEL_SEND || channel.kind == CHANNEL_RECEIVE) {
        uint32_t location = otf2_rank_location(f->definitions, channel.b, channel.rank, f->location);
        channel.a = location == LP_NONE ? LP_NONE : f->definitions->locations.items[location].process;
    }
    uint32_t *place = lp_map_at(&f->channel_index, hash);
    if (!place || !vector_push(&f->channels, channel)) {
        f->failed = true;
        return NULL;
    }
    *place = (uint32_t)f->channels.count - 1;
    return &f->channels.items[*place];
}

static struct otf2_channel *look_up_channel(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b,
                                            uint32_t c)
{
    for (uint64_t hash = lp_hash(lp_hash(kind, (uint64_t)a << 32 | b), c);; hash++) {
        uint32_t found = lp_map_get(&f->channel_index, hash);
        if (found == LP_MAP_FREE)
            return make_channel(f, hash, (struct otf2_channel){.kind = kind, .rank = a, .a = a, .b = b, .c = c,
                                                               .first = LP_NONE, .last = LP_NONE});
        if (same_channel(&f->channels.items[found], kind, a, b, c))
            return &f->channels.items[found];
    }
}

static struct otf2_channel *find_channel(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b,
                                         uint32_t c)
{
    uint32_t *recent = &f->recent[kind][(a ^ b ^ c) & 1];
    if (*recent && same_channel(&f->channels.items[*recent - 1], kind, a, b, c))
        return &f->channels.items[*recent - 1];
    struct otf2_channel *channel = look_up_channel(f, kind, a, b, c);
    if (channel)
        *recent = (uint32_t)(channel - f->channels.items) + 1;
    return channel;
}

/* Appends a record to its channel; `order` of successive records grows unless they come out of order. */
static void append(struct otf2_fold *f, uint32_t record, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c,
                   bool in_order)
{
    struct otf2_channel *channel = f->failed ? NULL : find_channel(f, kind, a, b, c);
    if (!channel)
        return;
    if (channel->last == LP_NONE)
        channel->first = record;
    else
        f->records.items[channel->last].link = record;
    channel->last = record;
    channel->count++;
    channel->unordered = channel->unordered || !in_order;
}

static uint32_t channel_last(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    struct otf2_channel *channel = f->failed ? NULL : find_channel(f, kind, a, b, c);
    return channel ? channel->last : LP_NONE;
}

static uint32_t communicator_index(const struct otf2_fold *f, OTF2_CommRef ref)
{
    return lp_map_get(&f->definitions->communicator_of_ref, ref); /* LP_MAP_FREE is LP_NONE */
}

static void map_put(struct otf2_fold *f, struct lp_map *map, uint64_t key, uint32_t value)
{
    uint32_t *place = lp_map_at(map, key);
    if (place)
        *place = value;
    else
        f->failed = true;
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static void enter_region(struct otf2_fold *f, uint32_t region, int64_t time)
{
    interrupt_collective(f);
    charge(f, time);
    f->last = time;
    f->stretch_is_continued = false;
    bool barrier = f->teams.count && f->definitions->regions.items[region].barrier;
    if (!vector_push(&f->stack, (struct otf2_frame){.region = region, .arrival = LP_NONE, .enter = time,
                                                    .synchronises = barrier}))
        f->failed = true;
}

static void leave_barrier(struct otf2_fold *f, const struct otf2_frame *frame, int64_t time)
{
    uint32_t team = f->teams.items[f->teams.count - 1];
    push_completion(f, LP_NODE_BARRIER, time)->time = frame->enter;
    uint32_t completion = last_record(f), arrival = frame->arrival != LP_NONE ? frame->arrival : completion;
    if (f->failed)
        return;
    f->records.items[arrival].tag = completion;
    append(f, arrival, CHANNEL_BARRIER, team, 0, 0, true);
    f->counts.sync_events += 2;
}

static uint64_t task_key(struct otf2_identity task)
{
    return lp_hash(lp_hash(0, task.a), task.b);
}

static void leave_task_wait(struct otf2_fold *f, int64_t time)
{
    struct otf2_children wait = {.first = (uint32_t)f->children.count};
    uint32_t child = lp_map_get(&f->created_by, task_key(f->task));
    lp_map_remove(&f->created_by, task_key(f->task));
    for (; child != LP_NONE; child = f->created.items[child].before)
        if (!vector_push(&f->children, f->created.items[child].task))
            f->failed = true;
    wait.count = (uint32_t)f->children.count - wait.first;
    if (!wait.count || !f->teams.count)
        return;
    struct otf2_record *record = push_wait(f, LP_NODE_TASK_WAIT, time);
    record->tag = (uint32_t)f->waits.count;
    if (!vector_push(&f->waits, wait))
        f->failed = true;
    append(f, last_record(f), CHANNEL_TASK, f->teams.items[f->teams.count - 1], 0, 0, true);
    f->counts.sync_events++;
}

static void leave_send(struct otf2_fold *f, int64_t time)
{
    push_wait(f, LP_NODE_SEND_RELEASED, time);
    if (!f->failed)
        f->records.items[f->pending_send].tag = last_record(f);
    f->pending_send = LP_NONE;
}

static void leave_top(struct otf2_fold *f, int64_t time)
{
    struct otf2_frame frame = f->stack.items[f->stack.count - 1];
    const struct otf2_region *region = &f->definitions->regions.items[frame.region];
    if (f->pending_send != LP_NONE)
        leave_send(f, time);
    frame = f->stack.items[f->stack.count - 1];
    if (region->barrier && f->teams.count)
        leave_barrier(f, &frame, time);
    else if (region->task_wait)
        leave_task_wait(f, time);
    charge(f, time);
    f->last = time;
    f->stretch_is_continued = false;
    f->stack.count--;
}

static void leave_region(struct otf2_fold *f, uint32_t region, int64_t time)
{
    if (f->stack.count && f->stack.items[f->stack.count - 1].region == region) {
        if (__builtin_expect(f->definitions->regions.items[region].special || f->pending_send != LP_NONE, 0)) {
            leave_top(f, time);
            return;
        }
        charge(f, time);
        f->last = time;
        f->stretch_is_continued = false;
        f->stack.count--;
        return;
    }
    size_t depth = f->stack.count;
    while (depth && f->stack.items[depth - 1].region != region)
        depth--;
    if (!depth) {
        f->counts.stray_leaves++;
        return;
    }
    f->counts.unfinished_regions += f->stack.count - depth;
    while (f->stack.count >= depth)
        leave_top(f, time);
}

static inline uint32_t region_index(const struct otf2_fold *f, OTF2_RegionRef ref)
{
    const struct otf2_definitions *d = f->definitions;
    uint32_t index = ref < d->region_of_ref.count ? d->region_of_ref.items[ref] : LP_NONE;
    return index == LP_NONE ? REGION_UNDEFINED : index;
}

static uint32_t context_region(const struct otf2_fold *f, OTF2_CallingContextRef ref)
{
    uint32_t index = lp_map_get(&f->definitions->context_of_ref, ref);
    return index == LP_MAP_FREE ? REGION_UNDEFINED : f->definitions->contexts.items[index];
}

#define EVENT(name, ...)                                                                                              \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp stamp, uint64_t position, void *user,      \
                                  OTF2_AttributeList *attributes, ##__VA_ARGS__)
#define EVENT_BEGIN                     \
    struct otf2_fold *f = user;         \
    (void)location;                     \
    (void)position;                     \
    (void)attributes;                   \
    int64_t time = tick_started(f, stamp)
#define EVENT_END return f->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS

EVENT(on_enter, OTF2_RegionRef region)
{
    EVENT_BEGIN;
    enter_region(f, region_index(f, region), time);
    EVENT_END;
}

EVENT(on_leave, OTF2_RegionRef region)
{
    EVENT_BEGIN;
    leave_region(f, region_index(f, region), time);
    EVENT_END;
}

EVENT(on_context_enter, OTF2_CallingContextRef context, uint32_t unwind_distance)
{
    EVENT_BEGIN;
    (void)unwind_distance;
    enter_region(f, context_region(f, context), time);
    EVENT_END;
}

EVENT(on_context_leave, OTF2_CallingContextRef context)
{
    EVENT_BEGIN;
    leave_region(f, context_region(f, context), time);
    EVENT_END;
}

/* A sample stands for the time before it, since the last event. Inside a library's region (MPI, OpenMP, pthreads) it says
 * nothing that the region does not say better, and that time may turn out to be waiting. */
EVENT(on_context_sample, OTF2_CallingContextRef context, uint32_t unwind_distance, OTF2_InterruptGeneratorRef generator)
{
    EVENT_BEGIN;
    (void)unwind_distance;
    (void)generator;
    if (time > f->last && !f->definitions->regions.items[top_region(f)].region.library) {
        add_part(f, context_region(f, context), LP_USEFUL, time - f->last);
        f->last = time;
        f->stretch_is_continued = false;
    }
    EVENT_END;
}

EVENT(on_buffer_flush, OTF2_TimeStamp stop)
{
    EVENT_BEGIN;
    charge(f, time);
    int64_t end = (int64_t)(stop - f->definitions->offset);
    if (end > time) {
        add_part(f, REGION_FLUSH, LP_OVERHEAD, end - time);
        f->last = f->latest = end;
    }
    f->stretch_is_continued = false;
    EVENT_END;
}

EVENT(on_program_begin, OTF2_StringRef name, uint32_t count, const OTF2_StringRef *arguments)
{
    EVENT_BEGIN;
    (void)time;
    (void)name;
    (void)count;
    (void)arguments;
    EVENT_END;
}

EVENT(on_program_end, int64_t status)
{
    EVENT_BEGIN;
    (void)time;
    (void)status;
    EVENT_END;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static struct otf2_record *send_message(struct otf2_fold *f, int64_t time, uint32_t receiver, OTF2_CommRef communicator,
                                        uint32_t tag)
{
    struct otf2_record *record = push_point(f, LP_NODE_SEND, time);
    f->counts.sync_events++;
    append(f, last_record(f), CHANNEL_SEND, receiver, communicator_index(f, communicator), tag, true);
    return record;
}

EVENT(on_send, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    EVENT_BEGIN;
    (void)length;
    send_message(f, time, receiver, communicator, tag);
    if (f->definitions->regions.items[top_region(f)].synchronous_send) {
        f->counts.synchronous_sends++;
        if (f->posted_points)
            f->pending_send = last_record(f);
    }
    EVENT_END;
}

EVENT(on_isend, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request)
{
    EVENT_BEGIN;
    (void)length;
    send_message(f, time, receiver, communicator, tag);
    if (f->definitions->regions.items[top_region(f)].synchronous_send) {
        f->counts.synchronous_sends++;
        if (f->posted_points)
            map_put(f, &f->send_requests, request, last_record(f));
    }
    EVENT_END;
}

EVENT(on_isend_complete, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    uint32_t send = lp_map_get(&f->send_requests, request);
    if (send != LP_MAP_FREE) {
        lp_map_remove(&f->send_requests, request);
        push_wait(f, LP_NODE_SEND_RELEASED, time);
        if (!f->failed)
            f->records.items[send].tag = last_record(f);
    }
    EVENT_END;
}

EVENT(on_irecv_request, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    if (f->posted_points) {
        push_point(f, LP_NODE_RECEIVE_POSTED, time);
        map_put(f, &f->posted, request, last_record(f));
    } else {
        map_put(f, &f->posted, request, f->post_sequence++);
    }
    EVENT_END;
}

static void receive_message(struct otf2_fold *f, int64_t time, uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                            uint32_t posted)
{
    uint32_t index = communicator_index(f, communicator);
    uint32_t before = channel_last(f, CHANNEL_RECEIVE, sender, index, tag);
    if (f->posted_points && posted == LP_NONE) {
        interrupt_collective(f);
        push_record(f, LP_NODE_RECEIVE_POSTED, f->last);
        f->stretch_is_continued = false;
        posted = last_record(f);
    } else if (posted == LP_NONE) {
        posted = f->post_sequence++;
    }
    struct otf2_record *record = push_wait(f, LP_NODE_RECEIVE, time);
    record->tag = posted;
    f->counts.sync_events++;
    bool in_order = before == LP_NONE || f->failed || f->records.items[before].tag < posted;
    append(f, last_record(f), CHANNEL_RECEIVE, sender, index, tag, in_order);
}

EVENT(on_receive, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    EVENT_BEGIN;
    (void)length;
    receive_message(f, time, sender, communicator, tag, LP_NONE);
    EVENT_END;
}

EVENT(on_irecv, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t length, uint64_t request)
{
    EVENT_BEGIN;
    (void)length;
    uint32_t posted = lp_map_get(&f->posted, request);
    lp_map_remove(&f->posted, request);
    receive_message(f, time, sender, communicator, tag, posted);
    EVENT_END;
}

EVENT(on_request_cancelled, uint64_t request)
{
    EVENT_BEGIN;
    (void)time;
    f->counts.unmodelled[UNMODELLED_MpiRequestCancelled]++;
    lp_map_remove(&f->posted, request);
    lp_map_remove(&f->send_requests, request);
    EVENT_END;
}

/* ---- Collectives --------------------------------------------------------------------------------------- */

static enum lp_node_kind collective_kind(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return LP_NODE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return LP_NODE_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return LP_NODE_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return LP_NODE_PREFIX;
    default:
        return LP_NODE_ALL_TO_ALL;
    }
}

EVENT(on_collective_begin)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    top_frame(f)->synchronises = 1;
    if (!f->stack.count) {
        charge(f, time);
        f->last = f->outside.enter = time;
        f->stretch_is_continued = false;
    }
    EVENT_END;
}

/* The completion of a collective operation whose arrival is `arrival` (LP_NONE: one point does for both). */
static void complete_collective(struct otf2_fold *f, int64_t time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                uint32_t root, uint32_t arrival)
{
    int64_t entered = top_frame(f)->enter;
    enum lp_node_kind kind = collective_kind(operation);
    uint32_t index = communicator_index(f, communicator);
    f->counts.sync_events++;
    f->counts.unmodelled[UNMODELLED_CollectiveScan] += kind == LP_NODE_PREFIX;
    struct otf2_record *record = push_completion(f, kind, time);
    record->time = entered;
    record->extra = (root < OTF2_ROOT_MAX ? root : OTF2_ROOT_MAX) & OTF2_ROOT_MAX;
    if (f->failed || !otf2_communicator_is_plain(f->definitions, index))
        return;
    uint32_t completion = last_record(f);
    if (arrival == LP_NONE)
        arrival = completion;
    f->records.items[arrival].tag = completion;
    uint32_t before = channel_last(f, CHANNEL_COLLECTIVE, index, 0, 0);
    append(f, arrival, CHANNEL_COLLECTIVE, index, 0, 0, before == LP_NONE || before < arrival);
}

EVENT(on_collective_end, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent,
      uint64_t received)
{
    EVENT_BEGIN;
    (void)sent;
    (void)received;
    struct otf2_frame *top = top_frame(f);
    complete_collective(f, time, operation, communicator, root, top->arrival);
    top->synchronises = 0;
    top->arrival = LP_NONE;
    EVENT_END;
}

EVENT(on_nonblocking_collective_request, uint64_t request)
{
    EVENT_BEGIN;
    f->counts.sync_events++;
    push_point(f, LP_NODE_ARRIVAL, time);
    map_put(f, &f->collective_requests, request, last_record(f));
    EVENT_END;
}

EVENT(on_nonblocking_collective_complete, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
      uint64_t sent, uint64_t received, uint64_t request)
{
    EVENT_BEGIN;
    (void)sent;
    (void)received;
    uint32_t arrival = lp_map_get(&f->collective_requests, request);
    lp_map_remove(&f->collective_requests, request);
    interrupt_collective(f);
    complete_collective(f, time, operation, communicator, root, arrival);
    EVENT_END;
}

/* ---- Locks --------------------------------------------------------------------------------------------- */

static void lock_event(struct otf2_fold *f, int64_t time, bool acquire, uint32_t model, uint32_t lock, uint32_t order)
{
    struct otf2_record *record = acquire ? push_wait(f, LP_NODE_LOCK_ACQUIRE, time)
                                         : push_point(f, LP_NODE_LOCK_RELEASE, time);
    record->tag = order;
    f->counts.sync_events++;
    append(f, last_record(f), acquire ? CHANNEL_ACQUIRE : CHANNEL_RELEASE, model, lock, 0, true);
}

EVENT(on_acquire_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, true, model, lock, order);
    EVENT_END;
}

EVENT(on_release_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, false, model, lock, order);
    EVENT_END;
}

EVENT(on_omp_acquire_lock, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, true, OTF2_PARADIGM_OPENMP, lock, order);
    EVENT_END;
}

EVENT(on_omp_release_lock, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, false, OTF2_PARADIGM_OPENMP, lock, order);
    EVENT_END;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static void thread_event(struct otf2_fold *f, int64_t time, enum lp_node_kind kind, uint32_t contingent, uint64_t number)
{
    bool waits = kind == LP_NODE_THREAD_BEGIN || kind == LP_NODE_THREAD_WAIT;
    struct otf2_record *record = waits ? push_wait(f, kind, time) : push_point(f, kind, time);
    record->tag = (uint32_t)f->identities.count;
    if (!vector_push(&f->identities, (struct otf2_identity){.a = contingent, .b = number}))
        f->failed = true;
    f->counts.sync_events++;
    append(f, last_record(f), CHANNEL_THREAD, 0, 0, 0, true);
}

EVENT(on_thread_create, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_CREATE, contingent, number);
    EVENT_END;
}

EVENT(on_thread_begin, OTF2_CommRef contingent, uint64_t number)
{
    struct otf2_fold *f = user;
    (void)location;
    (void)position;
    (void)attributes;
    thread_event(f, tick(f, stamp), LP_NODE_THREAD_BEGIN, contingent, number);
    EVENT_END;
}

EVENT(on_thread_end, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_END, contingent, number);
    EVENT_END;
}

EVENT(on_thread_wait, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_WAIT, contingent, number);
    EVENT_END;
}

/* ---- Teams --------------------------------------------------------------------------------------------- */

EVENT(on_fork, OTF2_Paradigm model, uint32_t requested)
{
    EVENT_BEGIN;
    (void)model;
    (void)requested;
    push_point(f, LP_NODE_FORK, time);
    f->pending_fork = last_record(f);
    f->counts.sync_events++;
    EVENT_END;
}

EVENT(on_team_begin, OTF2_CommRef team)
{
    struct otf2_fold *f = user;
    (void)location;
    (void)position;
    (void)attributes;
    int64_t time = tick(f, stamp);
    uint32_t index = communicator_index(f, team);
    struct otf2_record *record = f->pending_fork == LP_NONE ? push_wait(f, LP_NODE_TEAM_BEGIN, time)
                                                            : push_point(f, LP_NODE_TEAM_BEGIN, time);
    record->tag = f->pending_fork;
    f->pending_fork = LP_NONE;
    f->counts.sync_events++;
    append(f, last_record(f), CHANNEL_TEAM_BEGIN, index, 0, 0, true);
    if (!vector_push(&f->teams, index))
        f->failed = true;
    EVENT_END;
}

EVENT(on_team_end, OTF2_CommRef team)
{
    EVENT_BEGIN;
    uint32_t index = communicator_index(f, team);
    push_point(f, LP_NODE_TEAM_END, time);
    f->counts.sync_events++;
    append(f, last_record(f), CHANNEL_TEAM_END, index, 0, 0, true);
    f->ended_team = index;
    while (f->teams.count && f->teams.items[--f->teams.count] != index)
        ;
    EVENT_END;
}

EVENT(on_join, OTF2_Paradigm model)
{
    EVENT_BEGIN;
    (void)model;
    struct otf2_record *record = push_wait(f, LP_NODE_JOIN, time);
    struct otf2_channel *ends = f->failed ? NULL : find_channel(f, CHANNEL_TEAM_END, f->ended_team, 0, 0);
    if (ends && ends->count) {
        record->tag = ends->count - 1;
        append(f, last_record(f), CHANNEL_JOIN, f->ended_team, 0, 0, true);
    }
    f->ended_team = LP_NONE;
    f->counts.sync_events++;
    EVENT_END;
}

/* ---- Tasks --------------------------------------------------------------------------------------------- */

static struct otf2_identity task_identity(OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    return (struct otf2_identity){.a = team, .b = (uint64_t)thread << 32 | generation};
}

static const struct otf2_identity implicit_task = {.a = UINT64_MAX, .b = UINT64_MAX};

/* Time in a barrier or task wait that ends because a task runs was spent waiting for one. */
static void interrupt_waiting(struct otf2_fold *f, int64_t time)
{
    interrupt_collective(f);
    const struct otf2_region *region = &f->definitions->regions.items[top_region(f)];
    if ((!region->barrier && !region->task_wait) || time <= f->last)
        return;
    push_part(f, top_region(f), LP_WAITING, time - f->last);
    f->last = time;
}

/* A switch to a task that this thread should have created, but did not: back to its implicit task. */
static bool is_implicit(const struct otf2_fold *f, struct otf2_identity task, OTF2_CommRef team, uint32_t thread)
{
    return lp_map_get(&f->created_tasks, task_key(task)) == LP_MAP_FREE &&
           otf2_rank_location(f->definitions, communicator_index(f, team), thread, f->location) == f->location;
}

static void task_event(struct otf2_fold *f, struct otf2_record *record, struct otf2_identity task, OTF2_CommRef team)
{
    record->tag = (uint32_t)f->identities.count;
    if (!vector_push(&f->identities, task))
        f->failed = true;
    f->counts.sync_events++;
    append(f, last_record(f), CHANNEL_TASK, communicator_index(f, team), 0, 0, true);
}

EVENT(on_task_create, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    task_event(f, push_point(f, LP_NODE_TASK_CREATE, time), task, team);
    map_put(f, &f->created_tasks, task_key(task), 0);
    struct otf2_created created = {.task = task, .before = lp_map_get(&f->created_by, task_key(f->task))};
    if (!vector_push(&f->created, created))
        f->failed = true;
    map_put(f, &f->created_by, task_key(f->task), (uint32_t)f->created.count - 1);
    EVENT_END;
}

EVENT(on_task_switch, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    interrupt_waiting(f, time);
    bool implicit = is_implicit(f, task, team, thread);
    if (!implicit && lp_map_get(&f->seen_tasks, task_key(task)) == LP_MAP_FREE) {
        map_put(f, &f->seen_tasks, task_key(task), 0);
        task_event(f, push_wait(f, LP_NODE_TASK_SWITCH, time), task, team);
    } else {
        f->counts.sync_events++;
        push_point(f, LP_NODE_TASK_SWITCH, time);
    }
    f->task = implicit ? implicit_task : task;
    EVENT_END;
}

EVENT(on_task_complete, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    task_event(f, push_point(f, LP_NODE_TASK_COMPLETE, time), task, team);
    lp_map_remove(&f->seen_tasks, task_key(task));
    f->task = implicit_task;
    EVENT_END;
}

/* ---- Metrics ------------------------------------------------------------------------------------------- */

static double metric_value(OTF2_Type type, OTF2_MetricValue value)
{
    switch (type) {
    case OTF2_TYPE_INT64:
        return (double)value.signed_int;
    case OTF2_TYPE_DOUBLE:
        return value.floating_point;
    default:
        return (double)value.unsigned_int;
    }
}

static void add_metric(struct otf2_fold *f, uint32_t member, double grown)
{
    uint32_t region = top_region(f);
    uint32_t *place = lp_map_at(&f->metric_index, (uint64_t)member << 32 | region);
    if (place && *place == LP_MAP_FREE) {
        if (vector_push(&f->metric_cells, (struct otf2_metric_cell){.member = member, .region = region}))
            *place = (uint32_t)f->metric_cells.count - 1;
        else
            place = NULL;
    }
    if (place)
        f->metric_cells.items[*place].sum += grown;
    else
        f->failed = true;
}

EVENT(on_metric, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    EVENT_BEGIN;
    (void)time;
    const struct otf2_definitions *d = f->definitions;
    uint32_t index = lp_map_get(&d->class_of_ref, metric);
    const struct otf2_metric_class *class = index == LP_MAP_FREE ? NULL : &d->classes.items[index];
    while (!f->failed && f->metric_before.count < d->members.count)
        f->failed = !vector_push(&f->metric_before, NAN);
    for (uint8_t i = 0; !f->failed && class && i < count && i < class->count; i++) {
        uint32_t member = class->members[i];
        if (member == LP_NONE)
            continue;
        double value = metric_value(types[i], values[i]);
        OTF2_MetricMode property = d->members.items[member].mode & OTF2_METRIC_VALUE_MASK;
        if (property == OTF2_METRIC_VALUE_RELATIVE)
            add_metric(f, member, value);
        else if (property == OTF2_METRIC_VALUE_ACCUMULATED && !isnan(f->metric_before.items[member]))
            add_metric(f, member, value - f->metric_before.items[member]);
        f->metric_before.items[member] = value;
    }
    EVENT_END;
}

/* ---- Records that are only counted --------------------------------------------------------------------- */

/* Callbacks with any arguments: OTF2 calls them with more, which C's calling conventions here let a callee ignore only if
 * the type agrees; so each has the exact type of its record, made from the library's own typedefs. */
#define COUNTED(record, ...)                            \
    EVENT(count_##record, ##__VA_ARGS__)                \
    {                                                   \
        EVENT_BEGIN;                                    \
        (void)time;                                     \
        f->counts.unmodelled[UNMODELLED_##record]++;    \
        EVENT_END;                                      \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
COUNTED(Unknown)
COUNTED(MeasurementOnOff, OTF2_MeasurementMode mode)
COUNTED(MpiRequestTest, uint64_t request)
COUNTED(OmpFork, uint32_t threads)
COUNTED(OmpJoin)
COUNTED(OmpTaskCreate, uint64_t task)
COUNTED(OmpTaskSwitch, uint64_t task)
COUNTED(OmpTaskComplete, uint64_t task)
COUNTED(ParameterString, OTF2_ParameterRef parameter, OTF2_StringRef value)
COUNTED(ParameterInt, OTF2_ParameterRef parameter, int64_t value)
COUNTED(ParameterUnsignedInt, OTF2_ParameterRef parameter, uint64_t value)
COUNTED(RmaWinCreate, OTF2_RmaWinRef window)
COUNTED(RmaWinDestroy, OTF2_RmaWinRef window)
COUNTED(RmaCollectiveBegin)
COUNTED(RmaCollectiveEnd, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
        uint64_t sent, uint64_t received)
COUNTED(RmaGroupSync, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
COUNTED(RmaRequestLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaAcquireLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaTryLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)
COUNTED(RmaReleaseLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
COUNTED(RmaSync, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type)
COUNTED(RmaWaitChange, OTF2_RmaWinRef window)
COUNTED(RmaPut, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
COUNTED(RmaGet, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
COUNTED(RmaAtomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
        uint64_t id)
COUNTED(RmaOpCompleteBlocking, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpCompleteNonBlocking, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpTest, OTF2_RmaWinRef window, uint64_t id)
COUNTED(RmaOpCompleteRemote, OTF2_RmaWinRef window, uint64_t id)
COUNTED(IoCreateHandle, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
        OTF2_IoStatusFlag status)
COUNTED(IoDestroyHandle, OTF2_IoHandleRef handle)
COUNTED(IoDuplicateHandle, OTF2_IoHandleRef old, OTF2_IoHandleRef new, OTF2_IoStatusFlag status)
COUNTED(IoSeek, OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence, uint64_t result)
COUNTED(IoChangeStatusFlags, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status)
COUNTED(IoDeleteFile, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
COUNTED(IoOperationBegin, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t bytes,
        uint64_t id)
COUNTED(IoOperationTest, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoOperationIssued, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoOperationComplete, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
COUNTED(IoOperationCancelled, OTF2_IoHandleRef handle, uint64_t id)
COUNTED(IoAcquireLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(IoReleaseLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(IoTryLock, OTF2_IoHandleRef handle, OTF2_LockType type)
COUNTED(CommCreate, OTF2_CommRef communicator)
COUNTED(CommDestroy, OTF2_CommRef communicator)
#pragma GCC diagnostic pop

/* ---- Life ---------------------------------------------------------------------------------------------- */

OTF2_EvtReaderCallbacks *otf2_fold_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(record, function) OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, function)
    SET(Enter, on_enter);
    SET(Leave, on_leave);
    SET(CallingContextEnter, on_context_enter);
    SET(CallingContextLeave, on_context_leave);
    SET(CallingContextSample, on_context_sample);
    SET(BufferFlush, on_buffer_flush);
    SET(ProgramBegin, on_program_begin);
    SET(ProgramEnd, on_program_end);
    SET(MpiSend, on_send);
    SET(MpiIsend, on_isend);
    SET(MpiIsendComplete, on_isend_complete);
    SET(MpiIrecvRequest, on_irecv_request);
    SET(MpiRecv, on_receive);
    SET(MpiIrecv, on_irecv);
    SET(MpiRequestCancelled, on_request_cancelled);
    SET(MpiCollectiveBegin, on_collective_begin);
    SET(MpiCollectiveEnd, on_collective_end);
    SET(NonBlockingCollectiveRequest, on_nonblocking_collective_request);
    SET(NonBlockingCollectiveComplete, on_nonblocking_collective_complete);
    SET(ThreadAcquireLock, on_acquire_lock);
    SET(ThreadReleaseLock, on_release_lock);
    SET(OmpAcquireLock, on_omp_acquire_lock);
    SET(OmpReleaseLock, on_omp_release_lock);
    SET(ThreadCreate, on_thread_create);
    SET(ThreadBegin, on_thread_begin);
    SET(ThreadEnd, on_thread_end);
    SET(ThreadWait, on_thread_wait);
    SET(ThreadFork, on_fork);
    SET(ThreadJoin, on_join);
    SET(ThreadTeamBegin, on_team_begin);
    SET(ThreadTeamEnd, on_team_end);
    SET(ThreadTaskCreate, on_task_create);
    SET(ThreadTaskSwitch, on_task_switch);
    SET(ThreadTaskComplete, on_task_complete);
    SET(Metric, on_metric);
#define COUNT(record) SET(record, count_##record);
    COUNT(Unknown) COUNT(MeasurementOnOff) COUNT(MpiRequestTest) COUNT(OmpFork) COUNT(OmpJoin) COUNT(OmpTaskCreate)
    COUNT(OmpTaskSwitch) COUNT(OmpTaskComplete) COUNT(ParameterString) COUNT(ParameterInt) COUNT(ParameterUnsignedInt)
    COUNT(RmaWinCreate) COUNT(RmaWinDestroy) COUNT(RmaCollectiveBegin) COUNT(RmaCollectiveEnd) COUNT(RmaGroupSync)
    COUNT(RmaRequestLock) COUNT(RmaAcquireLock) COUNT(RmaTryLock) COUNT(RmaReleaseLock) COUNT(RmaSync)
    COUNT(RmaWaitChange) COUNT(RmaPut) COUNT(RmaGet) COUNT(RmaAtomic) COUNT(RmaOpCompleteBlocking)
    COUNT(RmaOpCompleteNonBlocking) COUNT(RmaOpTest) COUNT(RmaOpCompleteRemote) COUNT(IoCreateHandle)
    COUNT(IoDestroyHandle) COUNT(IoDuplicateHandle) COUNT(IoSeek) COUNT(IoChangeStatusFlags) COUNT(IoDeleteFile)
    COUNT(IoOperationBegin) COUNT(IoOperationTest) COUNT(IoOperationIssued) COUNT(IoOperationComplete)
    COUNT(IoOperationCancelled) COUNT(IoAcquireLock) COUNT(IoReleaseLock) COUNT(IoTryLock) COUNT(CommCreate)
    COUNT(CommDestroy)
#undef COUNT
#undef SET
    return callbacks;
}

void otf2_fold_begin(struct otf2_fold *f, const struct otf2_definitions *definitions, struct otf2_scratch *scratch,
                     uint32_t location, bool posted_points)
{
    *f = (struct otf2_fold){.definitions = definitions, .scratch = scratch, .location = location,
                            .posted_points = posted_points, .task = implicit_task, .pending_fork = LP_NONE,
                            .pending_send = LP_NONE, .ended_team = LP_NONE,
                            .outside = {.region = REGION_OUTSIDE, .arrival = LP_NONE}};
    next_arc(f);
}

static void release_reading_state(struct otf2_fold *f)
{
    vector_release(&f->stack);
    vector_release(&f->created);
    lp_map_release(&f->created_by);
    vector_release(&f->teams);
    vector_release(&f->metric_before);
    lp_map_release(&f->posted);
    lp_map_release(&f->collective_requests);
    lp_map_release(&f->send_requests);
    lp_map_release(&f->seen_tasks);
    lp_map_release(&f->created_tasks);
    lp_map_release(&f->metric_index);
}

/* From here on channels are looked up from the other side: sends by the process they go to. */
static void index_sends(struct otf2_fold *f)
{
    lp_map_release(&f->channel_index);
    for (uint32_t i = 0; i < f->channels.count; i++) {
        const struct otf2_channel *channel = &f->channels.items[i];
        if (channel->kind != CHANNEL_SEND || channel->a == LP_NONE)
            continue;
        uint64_t hash = lp_hash(lp_hash(channel->a, channel->b), channel->c);
        while (lp_map_get(&f->channel_index, hash) != LP_MAP_FREE)
            hash++;
        map_put(f, &f->channel_index, hash, i);
    }
}

const struct otf2_channel *otf2_find_sends(const struct otf2_fold *f, uint32_t process, uint32_t communicator,
                                           uint32_t tag)
{
    for (uint64_t hash = lp_hash(lp_hash(process, communicator), tag);; hash++) {
        uint32_t found = lp_map_get(&f->channel_index, hash);
        if (found == LP_MAP_FREE)
            return NULL;
        const struct otf2_channel *channel = &f->channels.items[found];
        if (channel->a == process && channel->b == communicator && channel->c == tag)
            return channel;
    }
}

void otf2_fold_end(struct otf2_fold *f)
{
    if (!f->records.count)
        push_record(f, LP_NODE_START, f->latest);
    charge(f, f->latest);
    const struct otf2_record *last = f->records.count ? &f->records.items[f->records.count - 1] : NULL;
    if (last && (last->part_end != f->parts.count || last->waits))
        push_record(f, LP_NODE_END, f->latest);
    f->counts.unfinished_regions += f->stack.count;
    release_reading_state(f);
    index_sends(f);
}

void otf2_fold_release(struct otf2_fold *f)
{
    release_reading_state(f);
    vector_release(&f->records);
    vector_release(&f->parts);
    vector_release(&f->channels);
    lp_map_release(&f->channel_index);
    vector_release(&f->identities);
    vector_release(&f->waits);
    vector_release(&f->children);
    vector_release(&f->metric_cells);
}
