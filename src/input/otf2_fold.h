/* What the event callbacks (otf2_events_*.c) do to a fold. Internal to reading OTF2; the hot part is inline.
 *
 * What `tag` and `time` of a record say, by kind:
 *   SEND            tag: its SEND_RELEASED record or LP_NONE    time: of the event
 *   RECEIVE         tag: number in the order of posting, which is its RECEIVE_POSTED record where those are written
 *   collectives     tag: the record that completes it (itself when nothing happened in between)   time: of the arrival
 *   LOCK_*          tag: acquisition order                       time: of the event
 *   TEAM_BEGIN      tag: the fork's record on the forking thread, else LP_NONE
 *   JOIN            tag: which of the thread's ends of that team it follows
 *   THREAD_*,TASK_* tag: index of the identity; TASK_WAIT: index of its list of children
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_FOLD_H
#define LP_INPUT_OTF2_FOLD_H

#include "input/otf2_location.h"

/* ---- Parts and points ---------------------------------------------------------------------------------- */

/* Parts are closed at half of what a word holds, so that settling can always add a stretch of the same size. */
#define FOLD_STRETCH_LIMIT (INT64_C(1) << (LP_PART_DURATION_BITS - 1))

/* Appends a part to the current arc. */
void fold_push_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration);

/* Closes the current arc with a point: as it is; at which nobody waits; that ends a stretch which may have been waiting; and
 * the same where it completes the innermost barrier or collective operation. */
struct otf2_record *fold_push_record(struct otf2_fold *f, enum lp_node_kind kind, int64_t time);
struct otf2_record *fold_push_point(struct otf2_fold *f, enum lp_node_kind kind, int64_t time);
struct otf2_record *fold_push_wait(struct otf2_fold *f, enum lp_node_kind kind, int64_t time);
struct otf2_record *fold_push_completion(struct otf2_fold *f, enum lp_node_kind kind, int64_t time);

/* Something happens inside a barrier or collective operation, the first since it was entered: the arrival becomes a point
 * of its own, where it was entered. */
void fold_arrive_apart(struct otf2_fold *f, struct otf2_frame *frame);

/* Appends a part that grows: the region's in the current arc. */
void fold_open_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration);

/* The first time stamp of the location, or one that goes backwards or far ahead: what to take instead. */
int64_t fold_odd_tick(struct otf2_fold *f, int64_t time);

static inline uint32_t fold_last_record(const struct otf2_fold *f)
{
    return (uint32_t)f->records.count - 1;
}

/* Whether a region is open. */
static inline bool fold_is_inside(const struct otf2_fold *f)
{
    return f->stack.count > 1;
}

/* Adds to the region's part in the current arc. */
static inline void fold_add_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    struct otf2_part_slot *slot = &f->part_slots[region];
    if (__builtin_expect(slot->epoch == f->epoch, 1)) {
        lp_part *part = &f->parts.items[slot->part];
        if (__builtin_expect((int64_t)(*part >> LP_PART_DURATION_SHIFT) + duration < FOLD_STRETCH_LIMIT, 1)) {
            *part += (uint64_t)duration << LP_PART_DURATION_SHIFT;
            return;
        }
    }
    if (duration)
        fold_open_part(f, region, kind, duration);
}

/* The time since the last Enter, Leave or point goes to the innermost region. */
static inline void fold_charge(struct otf2_fold *f, int64_t time)
{
    fold_add_part(f, f->top->region, LP_USEFUL, time - f->last);
    f->last = time;
}

static inline void fold_interrupt_collective(struct otf2_fold *f)
{
    if (__builtin_expect(f->top->flags & FRAME_SYNCHRONISES, 0))
        fold_arrive_apart(f, f->top);
}

/* Times lie within this of the archive's clock offset, so that sums of them cannot overflow: 417 days in nanoseconds. */
#define FOLD_TIME_LIMIT (INT64_C(1) << 55)

/* The event's time on this location, never before the one before it (nor absurdly far from it). */
static inline int64_t fold_tick(struct otf2_fold *f, OTF2_TimeStamp stamp)
{
    int64_t time = (int64_t)(stamp - f->offset);
    if (__builtin_expect((uint64_t)time - (uint64_t)f->latest >= f->reach, 0))
        time = fold_odd_tick(f, time);
    return f->latest = time;
}

/* The same for every event but those that begin a thread, whose point is the first of the location. */
static inline int64_t fold_tick_started(struct otf2_fold *f, OTF2_TimeStamp stamp)
{
    int64_t time = fold_tick(f, stamp);
    if (__builtin_expect(!f->records.count, 0))
        fold_push_record(f, LP_NODE_START, time);
    return time;
}

/* ---- Channels ------------------------------------------------------------------------------------------ */

/* The channel of that key, made when new; NULL: out of memory. Messages give the counterpart's rank as `a`. */
struct otf2_channel *fold_find_channel(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b,
                                       uint32_t c);

/* Appends a record to its channel; `in_order` tells whether it comes after the last one in the order that counts. */
void fold_append(struct otf2_fold *f, uint32_t record, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c,
                 bool in_order);

/* The last record of a channel, or LP_NONE. */
uint32_t fold_channel_last(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c);

void fold_map_put(struct otf2_fold *f, struct lp_map *map, uint64_t key, uint32_t value);

static inline uint32_t fold_communicator_index(const struct otf2_fold *f, OTF2_CommRef ref)
{
    return lp_map_get(&f->definitions->communicator_of_ref, ref); /* LP_MAP_FREE is LP_NONE */
}

/* ---- Tasks --------------------------------------------------------------------------------------------- */

#define FOLD_IMPLICIT_TASK ((struct otf2_identity){.a = UINT64_MAX, .b = UINT64_MAX}) /* of the thread itself */

static inline uint64_t fold_task_key(struct otf2_identity task)
{
    return lp_hash(lp_hash(0, task.a), task.b);
}

/* ---- Callbacks ----------------------------------------------------------------------------------------- */

#define EVENT(name, ...)                                                                                          \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp stamp, uint64_t position, void *user, \
                                  OTF2_AttributeList *attributes, ##__VA_ARGS__)
#define EVENT_BEGIN             \
    struct otf2_fold *f = user; \
    (void)location;             \
    (void)position;             \
    (void)attributes;           \
    int64_t time = fold_tick_started(f, stamp)
#define EVENT_END return f->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS

/* Enter and leave by the region's index, for the decoder. */
void otf2_enter(struct otf2_fold *f, uint32_t region, OTF2_TimeStamp stamp);
void otf2_leave(struct otf2_fold *f, uint32_t region, OTF2_TimeStamp stamp);

void otf2_register_regions(OTF2_EvtReaderCallbacks *callbacks);
void otf2_register_mpi(OTF2_EvtReaderCallbacks *callbacks);
void otf2_register_threads(OTF2_EvtReaderCallbacks *callbacks);
void otf2_register_counted(OTF2_EvtReaderCallbacks *callbacks);

#define FOLD_SET(record, function) OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, function)

#endif
