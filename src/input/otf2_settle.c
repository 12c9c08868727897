/* The second half of folding: now that the awaited times are known, every stretch before a point that waits is divided at
 * the merge, the later of its beginning and the awaited time (but not after the event): before it is waiting, what follows
 * is the region's useful time after the point. Empty parts are dropped on the way, in place. One pass, one location a thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"
#include "input/otf2_match.h"
#include "model/sums.h"

/* Walks the parts of a location, reading and writing in the same array: what is written never overtakes what is read. */
struct settling {
    lp_part *parts;
    uint32_t read, write;
    int64_t clock; /* of the point before, after settling */
    int64_t carry; /* what was moved behind it */
    uint64_t violations;
    int64_t worst;
    struct lp_sums sums;
};

static inline void write_part(struct settling *s, lp_part part)
{
    lp_sums_add(&s->sums, part);
    s->parts[s->write++] = part;
}

static void put(struct settling *s, uint32_t region, enum lp_part_kind kind, int64_t duration)
{
    uint64_t high = (uint64_t)duration >> LP_PART_DURATION_BITS;
    uint64_t low = (uint64_t)duration - (high << LP_PART_DURATION_BITS);
    if (high)
        write_part(s, lp_part_make(region, kind, high, true));
    if (low)
        write_part(s, lp_part_make(region, kind, low, false));
}

/* Takes the next one or two words: a stretch. */
static int64_t take_stretch(struct settling *s, bool wide, uint32_t *region)
{
    int64_t duration = 0;
    for (int i = 0; i < 1 + wide; i++) {
        *region = lp_part_region(s->parts[s->read]);
        duration += lp_part_duration(s->parts[s->read++]);
    }
    return duration;
}

/* The parts of the arc that are what they are. */
static void copy_parts(struct settling *s, uint32_t end)
{
    while (s->read < end) {
        lp_part part = s->parts[s->read++];
        int64_t duration = lp_part_duration(part);
        s->clock += duration;
        if (duration)
            write_part(s, part);
    }
}

static void settle_wait(struct settling *s, const struct otf2_record *record)
{
    uint32_t region;
    int64_t begin = s->clock;
    int64_t event = begin + s->carry + take_stretch(s, record->wide, &region);
    int64_t merge = begin;
    if (record->matched) {
        int64_t awaited = record->time;
        if (awaited > event) {
            s->violations++;
            s->worst = awaited - event > s->worst ? awaited - event : s->worst;
            awaited = event;
        }
        merge = awaited > begin ? awaited : begin;
    }
    put(s, region, LP_WAITING, merge - begin);
    s->clock = merge;
    s->carry = event - merge;
}

static void settle_arc(struct settling *s, const struct otf2_record *before, const struct otf2_record *record)
{
    uint32_t end = record->waits ? record->part_end - 1 - record->wide : record->part_end;
    if (before && before->waits) {
        uint32_t region;
        int64_t after = take_stretch(s, before->wide, &region);
        if (!record->continues) { /* otherwise it is part of the next stretch */
            put(s, region, LP_USEFUL, after + s->carry);
            s->clock += after + s->carry;
            s->carry = 0;
        }
    }
    copy_parts(s, end);
    if (record->waits)
        settle_wait(s, record);
    else
        s->carry = 0;
}

static struct lp_node make_node(const struct otf2_record *record, uint32_t part_end, uint32_t weight)
{
    return (struct lp_node){.weight = weight,
                            .part_end = part_end,
                            .kind = record->kind,
                            .from = record->matched ? record->link : LP_NONE,
                            .flags = record->matched && record->many ? LP_NODE_MANY : 0};
}

static void settle_location(void *context, size_t location, unsigned worker)
{
    struct otf2_matching *m = context;
    struct otf2_fold *fold = &m->folds[location];
    struct lp_processor *processor = &m->execution->processors[location];
    struct settling s = {.parts = fold->parts.items,
                         .clock = fold->first,
                         .sums = {.totals = m->totals + worker * m->definitions->regions.count}};
    for (uint32_t i = 0; i < fold->records.count; i++) {
        const struct otf2_record *record = &fold->records.items[i];
        settle_arc(&s, i ? record - 1 : NULL, record);
        if (!record->waits && record->matched && record->time > s.clock) {
            s.violations++;
            s.worst = record->time - s.clock > s.worst ? record->time - s.clock : s.worst;
        }
        m->execution->nodes[m->first_node[location] + i] = make_node(record, s.write, lp_sums_next(&s.sums));
    }
    lp_part *parts = realloc(fold->parts.items, (s.write ? s.write : 1) * sizeof *parts);
    processor->parts = parts ? parts : fold->parts.items;
    processor->part_count = s.write;
    fold->parts.items = NULL;
    vector_release(&fold->parts);
    vector_release(&fold->records);
    processor->account = lp_sums_account(&s.sums, true);
    pthread_mutex_lock(&m->mutex);
    m->execution->reading.clock_violations += s.violations;
    if (s.worst > m->execution->reading.clock_violation_worst)
        m->execution->reading.clock_violation_worst = s.worst;
    pthread_mutex_unlock(&m->mutex);
}

bool otf2_settle(struct otf2_matching *matching)
{
    struct otf2_definitions *definitions = matching->definitions;
    size_t regions = definitions->regions.count;
    matching->totals = lp_allocate(matching->threads * regions, sizeof *matching->totals);
    if (!matching->totals)
        return false;
    lp_pool_run(matching->threads, matching->location_count, settle_location, matching);
    for (size_t i = 0; i < matching->threads * regions; i++)
        definitions->regions.items[i % regions].region.total += matching->totals[i];
    free(matching->totals);
    lp_account_close(matching->execution);
    return true;
}
