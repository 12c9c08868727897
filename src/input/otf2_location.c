/* Folding one location: parts, points and channels. The callbacks that use this are in otf2_events_*.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_fold.h"

#include <string.h>

/* ---- Parts --------------------------------------------------------------------------------------------- */

void fold_push_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    uint64_t high = (uint64_t)duration >> LP_PART_DURATION_BITS;
    uint64_t low = (uint64_t)duration - (high << LP_PART_DURATION_BITS);
    if (high && !vector_push(&f->parts, lp_part_make(region, kind, high, true)))
        f->failed = true;
    if (!vector_push(&f->parts, lp_part_make(region, kind, low, false)))
        f->failed = true;
}

void fold_open_part(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    fold_push_part(f, region, kind, duration);
    f->part_slots[region] = (struct otf2_part_slot){.epoch = f->epoch, .part = (uint32_t)f->parts.count - 1};
}

static void next_arc(struct otf2_fold *f)
{
    if (++f->epoch == 0) { /* wrapped: forget all, once in 2^32 arcs */
        memset(f->part_slots, 0, f->definitions->regions.count * sizeof *f->part_slots);
        f->epoch = 1;
    }
}

/* ---- Points -------------------------------------------------------------------------------------------- */

struct otf2_record *fold_push_record(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    static struct otf2_record nowhere;
    struct otf2_record record = {
        .part_end = (uint32_t)f->parts.count, .kind = kind, .link = LP_NONE, .tag = LP_NONE, .time = time};
    if (f->records.count >= UINT32_MAX - 2 || f->parts.count >= UINT32_MAX - 8 || !vector_push(&f->records, record)) {
        f->failed = true;
        nowhere = record;
        return &nowhere;
    }
    next_arc(f);
    return &f->records.items[f->records.count - 1];
}

void fold_arrive_apart(struct otf2_fold *f, struct otf2_frame *frame)
{
    if (frame->arrival != LP_NONE)
        return;
    fold_push_record(f, LP_NODE_ARRIVAL, frame->enter);
    frame->arrival = fold_last_record(f);
    f->stretch_is_continued = false;
}

/* A point at which nobody waits. */
struct otf2_record *fold_push_point(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    fold_interrupt_collective(f);
    fold_charge(f, time);
    f->stretch_is_continued = false;
    return fold_push_record(f, kind, time);
}

/* A part that settling may make as large as the whole stretch; a wide one has its high word even when that is 0. */
static void push_stretch(struct otf2_fold *f, uint32_t region, enum lp_part_kind kind, int64_t duration, bool wide)
{
    uint64_t high = (uint64_t)duration >> LP_PART_DURATION_BITS;
    if (wide && !vector_push(&f->parts, lp_part_make(region, kind, high, true)))
        f->failed = true;
    if (!vector_push(&f->parts,
                     lp_part_make(region, kind, (uint64_t)duration - (high << LP_PART_DURATION_BITS), false)))
        f->failed = true;
}

/* A point that ends the stretch before it, which may have been waiting. Of a barrier or collective operation it is
 * the completion; all others use fold_push_wait. */
struct otf2_record *fold_push_completion(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    if (!f->records.count)
        return fold_push_record(f, kind, time);
    uint32_t region = f->top->region;
    bool continues = f->stretch_is_continued;
    f->stretch_total = (continues ? f->stretch_total : 0) + (time - f->last);
    bool wide = f->stretch_total >= FOLD_STRETCH_LIMIT;
    push_stretch(f, region, LP_WAITING, time - f->last, wide);
    struct otf2_record *record = fold_push_record(f, kind, time);
    record->waits = true;
    record->continues = continues;
    record->wide = wide;
    push_stretch(f, region, LP_USEFUL, 0, wide);
    f->part_slots[region] = (struct otf2_part_slot){.epoch = f->epoch, .part = (uint32_t)f->parts.count - 1};
    f->last = time;
    f->stretch_is_continued = true;
    return record;
}

struct otf2_record *fold_push_wait(struct otf2_fold *f, enum lp_node_kind kind, int64_t time)
{
    fold_interrupt_collective(f);
    return fold_push_completion(f, kind, time);
}

int64_t fold_odd_tick(struct otf2_fold *f, int64_t time)
{
    if (!f->started) {
        f->started = true;
        f->reach = (uint64_t)FOLD_TIME_LIMIT;
        if (time > FOLD_TIME_LIMIT || time < -FOLD_TIME_LIMIT) {
            f->counts.time_reversals++;
            time = 0;
        }
        return f->first = f->last = time;
    }
    f->counts.time_reversals++;
    return f->latest;
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
            return make_channel(
                f, hash,
                (struct otf2_channel){
                    .kind = kind, .rank = a, .a = a, .b = b, .c = c, .first = LP_NONE, .last = LP_NONE});
        if (same_channel(&f->channels.items[found], kind, a, b, c))
            return &f->channels.items[found];
    }
}

struct otf2_channel *fold_find_channel(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b,
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

void fold_append(struct otf2_fold *f, uint32_t record, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c,
                 bool in_order)
{
    struct otf2_channel *channel = f->failed ? NULL : fold_find_channel(f, kind, a, b, c);
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

uint32_t fold_channel_last(struct otf2_fold *f, enum otf2_channel_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    struct otf2_channel *channel = f->failed ? NULL : fold_find_channel(f, kind, a, b, c);
    return channel ? channel->last : LP_NONE;
}

void fold_map_put(struct otf2_fold *f, struct lp_map *map, uint64_t key, uint32_t value)
{
    uint32_t *place = lp_map_at(map, key);
    if (place)
        *place = value;
    else
        f->failed = true;
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

OTF2_EvtReaderCallbacks *otf2_fold_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    otf2_register_regions(callbacks);
    otf2_register_mpi(callbacks);
    otf2_register_threads(callbacks);
    otf2_register_counted(callbacks);
    return callbacks;
}

void otf2_fold_begin(struct otf2_fold *f, const struct otf2_definitions *definitions, struct otf2_scratch *scratch,
                     uint32_t location, bool posted_points)
{
    *f = (struct otf2_fold){.offset = definitions->offset,
                            .latest = INT64_MAX,
                            .region_of_ref = definitions->region_of_ref.items,
                            .region_ref_count = (uint32_t)definitions->region_of_ref.count,
                            .epoch = scratch->epoch,
                            .part_slots = scratch->slots,
                            .posted_points = posted_points,
                            .location = location,
                            .definitions = definitions,
                            .scratch = scratch,
                            .task = FOLD_IMPLICIT_TASK,
                            .pending_fork = LP_NONE,
                            .pending_send = LP_NONE,
                            .ended_team = LP_NONE};
    static struct otf2_frame nothing = {.region = REGION_OUTSIDE, .arrival = LP_NONE};
    f->failed = !vector_push(&f->stack, nothing);
    f->top = f->failed ? &nothing : f->stack.items;
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
        fold_map_put(f, &f->channel_index, hash, i);
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
    if (!f->started)
        f->latest = f->last;
    if (!f->records.count)
        fold_push_record(f, LP_NODE_START, f->latest);
    fold_charge(f, f->latest);
    const struct otf2_record *last = f->records.count ? &f->records.items[f->records.count - 1] : NULL;
    if (last && (last->part_end != f->parts.count || last->waits))
        fold_push_record(f, LP_NODE_END, f->latest);
    f->counts.unfinished_regions += f->stack.count ? f->stack.count - 1 : 0;
    f->scratch->epoch = f->epoch;
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
