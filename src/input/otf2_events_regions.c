/* Events of regions: enter and leave, calling contexts and samples, flushes of the trace buffer, program begin and end,
 * metrics.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_callbacks.h"
#include "input/otf2_fold.h"

#include <math.h>

/* ---- Regions ------------------------------------------------------------------------------------------- */

static uint32_t frame_flags(const struct otf2_fold *f, uint32_t region)
{
    const struct otf2_region *info = &f->definitions->regions.items[region];
    if (info->barrier && f->teams.count)
        return FRAME_SYNCHRONISES | FRAME_SPECIAL;
    return info->task_wait ? FRAME_SPECIAL : 0;
}

static inline void enter_region(struct otf2_fold *f, uint32_t region, int64_t time)
{
    fold_interrupt_collective(f);
    fold_charge(f, time);
    f->stretch_is_continued = false;
    /* Only inside a team are there thread barriers and task waits to look for. */
    uint32_t flags = __builtin_expect(f->teams.count > 0, 0) ? frame_flags(f, region) : 0;
    if (vector_push(&f->stack,
                    (struct otf2_frame){.enter = time, .region = region, .flags = flags, .arrival = LP_NONE}))
        f->top = &f->stack.items[f->stack.count - 1];
    else
        f->failed = true;
}

static void leave_barrier(struct otf2_fold *f, const struct otf2_frame *frame, int64_t time)
{
    uint32_t team = f->teams.items[f->teams.count - 1];
    int64_t entered = f->last; /* unless the arrival is a point of its own */
    fold_push_completion(f, LP_NODE_BARRIER, time)->time = entered;
    uint32_t completion = fold_last_record(f), arrival = frame->arrival != LP_NONE ? frame->arrival : completion;
    if (f->failed)
        return;
    f->records.items[arrival].tag = completion;
    fold_append(f, arrival, CHANNEL_BARRIER, team, 0, 0, true);
    f->counts.sync_events += 2;
}

static void leave_task_wait(struct otf2_fold *f, int64_t time)
{
    struct otf2_children wait = {.first = (uint32_t)f->children.count};
    uint32_t child = lp_map_get(&f->created_by, fold_task_key(f->task));
    lp_map_remove(&f->created_by, fold_task_key(f->task));
    for (; child != LP_NONE; child = f->created.items[child].before)
        if (!vector_push(&f->children, f->created.items[child].task))
            f->failed = true;
    wait.count = (uint32_t)f->children.count - wait.first;
    if (!wait.count || !f->teams.count)
        return;
    struct otf2_record *record = fold_push_wait(f, LP_NODE_TASK_WAIT, time);
    record->tag = (uint32_t)f->waits.count;
    if (!vector_push(&f->waits, wait))
        f->failed = true;
    fold_append(f, fold_last_record(f), CHANNEL_TASK, f->teams.items[f->teams.count - 1], 0, 0, true);
    f->counts.sync_events++;
}

static void leave_send(struct otf2_fold *f, int64_t time)
{
    fold_push_wait(f, LP_NODE_SEND_RELEASED, time);
    if (!f->failed)
        f->records.items[f->pending_send].tag = fold_last_record(f);
    f->pending_send = LP_NONE;
}

static inline void pop(struct otf2_fold *f, int64_t time)
{
    fold_charge(f, time);
    f->stretch_is_continued = false;
    f->top--;
    f->stack.count--;
}

static void leave_special(struct otf2_fold *f, int64_t time)
{
    if (f->pending_send != LP_NONE)
        leave_send(f, time);
    const struct otf2_region *region = &f->definitions->regions.items[f->top->region];
    if (f->top->flags & FRAME_SYNCHRONISES && region->barrier && f->teams.count)
        leave_barrier(f, f->top, time);
    else if (region->task_wait)
        leave_task_wait(f, time);
    pop(f, time);
}

/* A leave of another region than the innermost: those in between were never left. */
static void leave_outer(struct otf2_fold *f, uint32_t region, int64_t time)
{
    size_t depth = f->stack.count - 1;
    while (depth && f->stack.items[depth].region != region)
        depth--;
    if (!depth) {
        f->counts.stray_leaves++;
        return;
    }
    f->counts.unfinished_regions += f->stack.count - 1 - depth;
    while (f->stack.count > depth)
        leave_special(f, time);
}

static inline void leave_region(struct otf2_fold *f, uint32_t region, int64_t time)
{
    if (__builtin_expect(f->top->region != region || !fold_is_inside(f), 0))
        leave_outer(f, region, time);
    else if (__builtin_expect(f->top->flags & FRAME_SPECIAL, 0))
        leave_special(f, time);
    else
        pop(f, time);
}

static inline uint32_t region_index(const struct otf2_fold *f, OTF2_RegionRef ref)
{
    return __builtin_expect(ref < f->region_ref_count, 1) ? f->region_of_ref[ref] : REGION_UNDEFINED;
}

static uint32_t context_region(const struct otf2_fold *f, OTF2_CallingContextRef ref)
{
    uint32_t index = lp_map_get(&f->definitions->context_of_ref, ref);
    return index == LP_MAP_FREE ? REGION_UNDEFINED : f->definitions->contexts.items[index];
}

void otf2_enter(struct otf2_fold *f, uint32_t region, OTF2_TimeStamp stamp)
{
    enter_region(f, region, fold_tick_started(f, stamp));
}

void otf2_leave(struct otf2_fold *f, uint32_t region, OTF2_TimeStamp stamp)
{
    leave_region(f, region, fold_tick_started(f, stamp));
}

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
    if (time > f->last && !f->definitions->regions.items[f->top->region].region.library) {
        fold_interrupt_collective(f);
        fold_add_part(f, context_region(f, context), LP_USEFUL, time - f->last);
        f->last = time;
        f->stretch_is_continued = false;
    }
    EVENT_END;
}

EVENT(on_buffer_flush, OTF2_TimeStamp stop)
{
    EVENT_BEGIN;
    fold_interrupt_collective(f);
    fold_charge(f, time);
    int64_t end = (int64_t)(stop - f->definitions->offset);
    if (end > time && end < FOLD_TIME_LIMIT) {
        fold_add_part(f, REGION_FLUSH, LP_OVERHEAD, end - time);
        f->last = f->latest = end;
    }
    f->stretch_is_continued = false;
    EVENT_END;
}

OTF2_EVENT(on_program_begin, OTF2_StringRef name, uint32_t count, const OTF2_StringRef *arguments)
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
    uint32_t region = f->top->region;
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

void otf2_register_regions(OTF2_EvtReaderCallbacks *callbacks)
{
    FOLD_SET(Enter, on_enter);
    FOLD_SET(Leave, on_leave);
    FOLD_SET(CallingContextEnter, on_context_enter);
    FOLD_SET(CallingContextLeave, on_context_leave);
    FOLD_SET(CallingContextSample, on_context_sample);
    FOLD_SET(BufferFlush, on_buffer_flush);
    FOLD_SET(ProgramBegin, otf2_on_program_begin);
    FOLD_SET(ProgramEnd, on_program_end);
    FOLD_SET(Metric, on_metric);
}
