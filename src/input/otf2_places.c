/* Lists of records and channels.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_places.h"

void otf2_match_many(struct otf2_matching *m, struct otf2_place target, const struct otf2_place *sources, size_t count)
{
    struct otf2_record *record = otf2_record_at(m, target);
    int64_t awaited = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (otf2_record_at(m, sources[i])->time > awaited)
            awaited = otf2_record_at(m, sources[i])->time;
    if (!count)
        return;
    if (count == 1) {
        otf2_match_one(m, target, sources[0]);
        return;
    }
    pthread_mutex_lock(&m->mutex);
    record->matched = record->many = true;
    record->time = awaited;
    record->link = (uint32_t)m->arcs.count;
    bool enough = m->arcs.count + count + 1 < UINT32_MAX && vector_reserve(&m->arcs, count + 1);
    for (size_t i = 0; enough && i < count; i++)
        vector_push(&m->arcs, (struct lp_arc){.from = otf2_node_of(m, sources[i])});
    if (!enough || !vector_push(&m->arcs, (struct lp_arc){.from = LP_NONE}))
        m->failed = true;
    pthread_mutex_unlock(&m->mutex);
}

void otf2_count(struct otf2_matching *m, uint64_t *counter, uint64_t count)
{
    if (!count)
        return;
    pthread_mutex_lock(&m->mutex);
    *counter += count;
    pthread_mutex_unlock(&m->mutex);
}

void otf2_out_of_memory(struct otf2_matching *m)
{
    pthread_mutex_lock(&m->mutex);
    m->failed = true;
    pthread_mutex_unlock(&m->mutex);
}

bool otf2_gather(const struct otf2_matching *m, const struct otf2_member *member, struct otf2_places *places)
{
    uint32_t record = member->channel->first;
    if (!vector_reserve(places, member->channel->count))
        return false;
    for (; record != LP_NONE; record = m->folds[member->location].records.items[record].link)
        vector_push(places, (struct otf2_place){member->location, record});
    return true;
}

static int compare_places(struct otf2_place x, struct otf2_place y)
{
    if (x.location != y.location)
        return x.location < y.location ? -1 : 1;
    return x.record < y.record ? -1 : x.record > y.record;
}

int otf2_by_time(const void *a, const void *b, void *matching)
{
    struct otf2_place x = *(const struct otf2_place *)a, y = *(const struct otf2_place *)b;
    int64_t s = otf2_record_at(matching, x)->time, t = otf2_record_at(matching, y)->time;
    return s < t ? -1 : s > t ? 1 : compare_places(x, y);
}

int otf2_by_tag(const void *a, const void *b, void *matching)
{
    struct otf2_place x = *(const struct otf2_place *)a, y = *(const struct otf2_place *)b;
    uint32_t s = otf2_record_at(matching, x)->tag, t = otf2_record_at(matching, y)->tag;
    return s < t ? -1 : s > t ? 1 : compare_places(x, y);
}

int otf2_by_record(const void *a, const void *b, void *matching)
{
    (void)matching;
    return compare_places(*(const struct otf2_place *)a, *(const struct otf2_place *)b);
}

void otf2_sort_places(const struct otf2_matching *m, struct otf2_places *places,
                      int (*order)(const void *, const void *, void *))
{
    if (places->count > 1)
        qsort_r(places->items, places->count, sizeof *places->items, order, (void *)m);
}

int otf2_compare_members(const void *a, const void *b)
{
    const struct otf2_member *x = a, *y = b;
    const struct otf2_channel *s = x->channel, *t = y->channel;
    if (s->a != t->a)
        return s->a < t->a ? -1 : 1;
    if (s->b != t->b)
        return s->b < t->b ? -1 : 1;
    if (s->c != t->c)
        return s->c < t->c ? -1 : 1;
    return x->location < y->location ? -1 : x->location > y->location;
}

bool otf2_channels_of(const struct otf2_matching *m, const uint32_t *locations, uint32_t count,
                      enum otf2_channel_kind kind, struct otf2_members *list)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct otf2_fold *fold = &m->folds[locations[i]];
        for (size_t c = 0; c < fold->channels.count; c++)
            if (fold->channels.items[c].kind == kind &&
                !vector_push(list, (struct otf2_member){locations[i], &fold->channels.items[c]}))
                return false;
    }
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, otf2_compare_members);
    return true;
}

size_t otf2_group_size(const struct otf2_members *list, size_t begin)
{
    size_t end = begin + 1;
    while (end < list->count && otf2_same_key(&list->items[begin], &list->items[end]))
        end++;
    return end - begin;
}
