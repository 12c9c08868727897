/* Matching within and between processes: messages (FIFO per sender, communicator and tag, receives in the order in which
 * they were posted), and locks (release to the next acquisition by acquisition order).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "input/otf2_places.h"

/* ---- Messages ------------------------------------------------------------------------------------------ */

static void match_message(const struct otf2_matching *m, struct otf2_place send, struct otf2_place receive)
{
    uint32_t released = otf2_record_at(m, send)->tag, posted = otf2_record_at(m, receive)->tag;
    otf2_match_one(m, receive, send);
    if (released != LP_NONE)
        otf2_match_one(m, (struct otf2_place){send.location, released}, (struct otf2_place){receive.location, posted});
}

/* The common case: one list of each, both in order. Returns how many were matched. */
static uint64_t match_lists(const struct otf2_matching *m, const struct otf2_member *sends,
                            const struct otf2_member *receives)
{
    const struct otf2_record *send_records = m->folds[sends->location].records.items;
    const struct otf2_record *receive_records = m->folds[receives->location].records.items;
    uint32_t send = sends->channel->first, receive = receives->channel->first;
    uint64_t matched = 0;
    while (send != LP_NONE && receive != LP_NONE) {
        uint32_t next = receive_records[receive].link;
        match_message(m, (struct otf2_place){sends->location, send}, (struct otf2_place){receives->location, receive});
        send = send_records[send].link;
        receive = next;
        matched++;
    }
    return matched;
}

static uint64_t match_gathered(struct otf2_matching *m, const struct otf2_members *sends,
                               const struct otf2_member *receives, size_t receive_count)
{
    struct otf2_places from = {0}, to = {0};
    bool enough = true;
    for (size_t i = 0; enough && i < sends->count; i++)
        enough = otf2_gather(m, &sends->items[i], &from);
    for (size_t i = 0; enough && i < receive_count; i++)
        enough = otf2_gather(m, &receives[i], &to);
    uint64_t matched = 0;
    if (enough) {
        if (sends->count > 1)
            otf2_sort_places(m, &from, otf2_by_time);
        otf2_sort_places(m, &to, receive_count > 1 ? otf2_by_time : otf2_by_tag);
        for (; matched < from.count && matched < to.count; matched++)
            match_message(m, from.items[matched], to.items[matched]);
    } else {
        otf2_out_of_memory(m);
    }
    vector_release(&from);
    vector_release(&to);
    return matched;
}

void otf2_match_messages(struct otf2_by_process *work, uint32_t process)
{
    struct otf2_matching *m = work->matching;
    const struct otf2_processes *p = &work->processes;
    struct otf2_members receives = {0}, sends = {0};
    uint64_t received = 0, matched = 0;
    if (!otf2_channels_of(m, p->locations + p->first[process], p->first[process + 1] - p->first[process],
                          CHANNEL_RECEIVE, &receives))
        otf2_out_of_memory(m);
    for (size_t i = 0, size; i < receives.count; i += size) {
        size = otf2_group_size(&receives, i);
        const struct otf2_channel *key = receives.items[i].channel;
        bool ordered = !key->unordered;
        for (size_t k = 0; k < size; k++)
            received += receives.items[i + k].channel->count;
        sends.count = 0;
        if (key->a == LP_NONE)
            continue;
        for (uint32_t l = p->first[key->a]; l < p->first[key->a + 1]; l++) {
            const struct otf2_channel *channel = otf2_find_sends(&m->folds[p->locations[l]], process, key->b, key->c);
            if (channel && !vector_push(&sends, (struct otf2_member){p->locations[l], channel}))
                otf2_out_of_memory(m);
        }
        if (sends.count == 1 && size == 1 && ordered)
            matched += match_lists(m, &sends.items[0], &receives.items[i]);
        else if (sends.count)
            matched += match_gathered(m, &sends, &receives.items[i], size);
    }
    otf2_count(m, &m->execution->reading.unmatched_receives, received - matched);
    otf2_count(m, &work->matched, matched);
    vector_release(&receives);
    vector_release(&sends);
}

/* ---- Locks --------------------------------------------------------------------------------------------- */

/* The releases of one lock by acquisition order: a table where the orders are dense, as they should be, else a sorted list. */
struct releases {
    struct otf2_place *table; /* [order - first] */
    uint64_t first, size;
    struct otf2_places list;
};

#define EACH_RECORD(m, member, record)                                  \
    for (uint32_t record = (member)->channel->first; record != LP_NONE; \
         record = (m)->folds[(member)->location].records.items[record].link)

static uint32_t tag_of(const struct otf2_matching *m, const struct otf2_member *member, uint32_t record)
{
    return m->folds[member->location].records.items[record].tag;
}

/* A list for orders that are sparse, or do not grow along a location as they should. */
static bool list_releases(const struct otf2_matching *m, const struct otf2_member *members, size_t count,
                          struct releases *releases)
{
    free(releases->table);
    releases->table = NULL;
    for (size_t i = 0; i < count; i++)
        if (!otf2_gather(m, &members[i], &releases->list))
            return false;
    otf2_sort_places(m, &releases->list, otf2_by_tag);
    return true;
}

static bool make_releases(const struct otf2_matching *m, const struct otf2_member *members, size_t count,
                          struct releases *releases)
{
    uint64_t low = UINT64_MAX, high = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t first = tag_of(m, &members[i], members[i].channel->first);
        uint64_t last = tag_of(m, &members[i], members[i].channel->last);
        low = first < low ? first : low;
        high = last > high ? last : high;
        total += members[i].channel->count;
    }
    if (low > high || high - low > 8 * total + 64)
        return list_releases(m, members, count, releases);
    releases->first = low;
    releases->size = high - low + 1;
    releases->table = malloc(releases->size * sizeof *releases->table);
    if (!releases->table)
        return false;
    memset(releases->table, 0xff, releases->size * sizeof *releases->table); /* nowhere */
    for (size_t i = 0; i < count; i++)
        EACH_RECORD(m, &members[i], record)
        {
            uint64_t order = tag_of(m, &members[i], record);
            if (order < low || order > high)
                return list_releases(m, members, count, releases);
            releases->table[order - low] = (struct otf2_place){members[i].location, record};
        }
    return true;
}

/* The release with the largest order below `order`. */
static struct otf2_place release_before(const struct otf2_matching *m, const struct releases *releases, uint64_t order)
{
    if (releases->table) {
        uint64_t i = order > releases->first ? order - releases->first : 0;
        i = i > releases->size ? releases->size : i;
        while (i > 0 && releases->table[i - 1].location == LP_NONE)
            i--;
        return i > 0 ? releases->table[i - 1] : OTF2_NOWHERE;
    }
    size_t low = 0, high = releases->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (otf2_record_at(m, releases->list.items[middle])->tag < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? releases->list.items[low - 1] : OTF2_NOWHERE;
}

static bool match_lock(struct otf2_matching *m, const struct otf2_member *acquires, size_t acquire_count,
                       const struct otf2_member *releasers, size_t release_count)
{
    struct releases releases = {0};
    bool enough = make_releases(m, releasers, release_count, &releases);
    for (size_t i = 0; enough && i < acquire_count; i++) {
        uint32_t next;
        for (uint32_t record = acquires[i].channel->first; record != LP_NONE; record = next) {
            struct otf2_place target = {acquires[i].location, record};
            struct otf2_place source = release_before(m, &releases, otf2_record_at(m, target)->tag);
            next = otf2_record_at(m, target)->link; /* which matching replaces */
            if (source.location != LP_NONE)
                otf2_match_one(m, target, source);
        }
    }
    free(releases.table);
    vector_release(&releases.list);
    return enough;
}

void otf2_match_locks(struct otf2_by_process *work, uint32_t process)
{
    struct otf2_matching *m = work->matching;
    const struct otf2_processes *p = &work->processes;
    const uint32_t *locations = p->locations + p->first[process];
    uint32_t count = p->first[process + 1] - p->first[process];
    struct otf2_members acquires = {0}, releases = {0};
    bool enough = otf2_channels_of(m, locations, count, CHANNEL_ACQUIRE, &acquires) &&
                  otf2_channels_of(m, locations, count, CHANNEL_RELEASE, &releases);
    size_t r = 0;
    for (size_t i = 0, size; enough && i < acquires.count; i += size) {
        size = otf2_group_size(&acquires, i);
        while (r < releases.count && !otf2_same_key(&acquires.items[i], &releases.items[r]) &&
               otf2_compare_members(&releases.items[r], &acquires.items[i]) < 0)
            r++;
        if (r < releases.count && otf2_same_key(&acquires.items[i], &releases.items[r]))
            enough = match_lock(m, &acquires.items[i], size, &releases.items[r], otf2_group_size(&releases, r));
    }
    if (!enough)
        otf2_out_of_memory(m);
    vector_release(&acquires);
    vector_release(&releases);
}
