/* Matching, each piece independent of the others so that threads can share them:
 *   by process:       messages that it receives (FIFO per sender, communicator and tag, receives in the order in which they
 *                     were posted), and its locks (release to the next acquisition by acquisition order);
 *   by communicator:  the n-th collective operation, team or barrier of each member belong together; tasks by their ids;
 *   all at once:      threads by contingent and sequence count.
 * Linear in the records, but for lists that come out of order, which are sorted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "input/otf2_match.h"

#include <string.h>

#include "base/pool.h"

/* A record of a location. */
struct place {
    uint32_t location, record;
};

static const struct place nowhere = {LP_NONE, LP_NONE};

static struct otf2_record *record_at(const struct otf2_matching *m, struct place place)
{
    return &m->folds[place.location].records.items[place.record];
}

static uint32_t node_of(const struct otf2_matching *m, struct place place)
{
    return m->first_node[place.location] + place.record;
}

/* `target` waited for `source`. Points of one location are in order anyway and need no arc. */
static void match(const struct otf2_matching *m, struct place target, struct place source)
{
    struct otf2_record *record = record_at(m, target);
    record->matched = true;
    record->time = record_at(m, source)->time;
    record->link = target.location == source.location ? LP_NONE : node_of(m, source);
}

/* `target` waited for all of the sources. */
static void match_many(struct otf2_matching *m, struct place target, const struct place *sources, size_t count)
{
    struct otf2_record *record = record_at(m, target);
    int64_t awaited = INT64_MIN;
    for (size_t i = 0; i < count; i++)
        if (record_at(m, sources[i])->time > awaited)
            awaited = record_at(m, sources[i])->time;
    if (!count)
        return;
    if (count == 1) {
        match(m, target, sources[0]);
        return;
    }
    pthread_mutex_lock(&m->mutex);
    record->matched = record->many = true;
    record->time = awaited;
    record->link = (uint32_t)m->arcs.count;
    bool enough = m->arcs.count + count + 1 < UINT32_MAX && vector_reserve(&m->arcs, count + 1);
    for (size_t i = 0; enough && i < count; i++)
        vector_push(&m->arcs, (struct lp_arc){.from = node_of(m, sources[i])});
    if (!enough || !vector_push(&m->arcs, (struct lp_arc){.from = LP_NONE}))
        m->failed = true;
    pthread_mutex_unlock(&m->mutex);
}

static void count_in(struct otf2_matching *m, uint64_t *counter, uint64_t count)
{
    if (!count)
        return;
    pthread_mutex_lock(&m->mutex);
    *counter += count;
    pthread_mutex_unlock(&m->mutex);
}

static void out_of_memory(struct otf2_matching *m)
{
    pthread_mutex_lock(&m->mutex);
    m->failed = true;
    pthread_mutex_unlock(&m->mutex);
}

/* ---- Lists that several locations contribute to -------------------------------------------------------- */

/* A channel of a location. */
struct member {
    uint32_t location;
    const struct otf2_channel *channel;
};

struct places {
    struct place *items;
    size_t count, capacity;
};

static bool gather(const struct otf2_matching *m, const struct member *member, struct places *places)
{
    uint32_t record = member->channel->first;
    if (!vector_reserve(places, member->channel->count))
        return false;
    for (; record != LP_NONE; record = m->folds[member->location].records.items[record].link)
        vector_push(places, (struct place){member->location, record});
    return true;
}

static int compare_places(struct place x, struct place y)
{
    if (x.location != y.location)
        return x.location < y.location ? -1 : 1;
    return x.record < y.record ? -1 : x.record > y.record;
}

static int by_time(const void *a, const void *b, void *matching)
{
    struct place x = *(const struct place *)a, y = *(const struct place *)b;
    int64_t s = record_at(matching, x)->time, t = record_at(matching, y)->time;
    return s < t ? -1 : s > t ? 1 : compare_places(x, y);
}

static int by_tag(const void *a, const void *b, void *matching)
{
    struct place x = *(const struct place *)a, y = *(const struct place *)b;
    uint32_t s = record_at(matching, x)->tag, t = record_at(matching, y)->tag;
    return s < t ? -1 : s > t ? 1 : compare_places(x, y);
}

static int by_record(const void *a, const void *b, void *matching)
{
    (void)matching;
    return compare_places(*(const struct place *)a, *(const struct place *)b);
}

static void sort_places(const struct otf2_matching *m, struct places *places,
                        int (*order)(const void *, const void *, void *))
{
    if (places->count > 1)
        qsort_r(places->items, places->count, sizeof *places->items, order, (void *)m);
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static void match_message(const struct otf2_matching *m, struct place send, struct place receive)
{
    uint32_t released = record_at(m, send)->tag, posted = record_at(m, receive)->tag;
    match(m, receive, send);
    if (released != LP_NONE)
        match(m, (struct place){send.location, released}, (struct place){receive.location, posted});
}

/* The common case: one list of each, both in order. Returns how many were matched. */
static uint64_t match_lists(const struct otf2_matching *m, const struct member *sends, const struct member *receives)
{
    const struct otf2_record *send_records = m->folds[sends->location].records.items;
    const struct otf2_record *receive_records = m->folds[receives->location].records.items;
    uint32_t send = sends->channel->first, receive = receives->channel->first;
    uint64_t matched = 0;
    while (send != LP_NONE && receive != LP_NONE) {
        uint32_t next = receive_records[receive].link;
        match_message(m, (struct place){sends->location, send}, (struct place){receives->location, receive});
        send = send_records[send].link;
        receive = next;
        matched++;
    }
    return matched;
}

struct member_list {
    struct member *items;
    size_t count, capacity;
};

static uint64_t match_gathered(struct otf2_matching *m, const struct member_list *sends,
                               const struct member *receives, size_t receive_count)
{
    struct places from = {0}, to = {0};
    bool enough = true;
    for (size_t i = 0; enough && i < sends->count; i++)
        enough = gather(m, &sends->items[i], &from);
    for (size_t i = 0; enough && i < receive_count; i++)
        enough = gather(m, &receives[i], &to);
    uint64_t matched = 0;
    if (enough) {
        if (sends->count > 1)
            sort_places(m, &from, by_time);
        sort_places(m, &to, receive_count > 1 ? by_time : by_tag);
        for (; matched < from.count && matched < to.count; matched++)
            match_message(m, from.items[matched], to.items[matched]);
    } else {
        out_of_memory(m);
    }
    vector_release(&from);
    vector_release(&to);
    return matched;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const struct otf2_channel *s = x->channel, *t = y->channel;
    if (s->a != t->a)
        return s->a < t->a ? -1 : 1;
    if (s->b != t->b)
        return s->b < t->b ? -1 : 1;
    if (s->c != t->c)
        return s->c < t->c ? -1 : 1;
    return x->location < y->location ? -1 : x->location > y->location;
}

/* All channels of that kind in the locations of a process, sorted so that equal keys are neighbours. */
static bool channels_of(const struct otf2_matching *m, const uint32_t *locations, uint32_t count,
                        enum otf2_channel_kind kind, struct member_list *list)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct otf2_fold *fold = &m->folds[locations[i]];
        for (size_t c = 0; c < fold->channels.count; c++)
            if (fold->channels.items[c].kind == kind &&
                !vector_push(list, (struct member){locations[i], &fold->channels.items[c]}))
                return false;
    }
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_members);
    return true;
}

static bool same_key(const struct member *a, const struct member *b)
{
    return a->channel->a == b->channel->a && a->channel->b == b->channel->b && a->channel->c == b->channel->c;
}

/* How many from `begin` on have the same key. */
static size_t group_size(const struct member_list *list, size_t begin)
{
    size_t end = begin + 1;
    while (end < list->count && same_key(&list->items[begin], &list->items[end]))
        end++;
    return end - begin;
}

/* Processes and their locations. */
struct processes {
    uint32_t *first;     /* [process + 1] index into locations */
    uint32_t *locations; /* grouped by process */
    uint32_t count;
};

struct by_process {
    struct otf2_matching *matching;
    struct processes processes;
    uint64_t matched; /* messages; under the matching's mutex */
};

static void match_messages(struct by_process *work, uint32_t process)
{
    struct otf2_matching *m = work->matching;
    const struct processes *p = &work->processes;
    struct member_list receives = {0}, sends = {0};
    uint64_t received = 0, matched = 0;
    if (!channels_of(m, p->locations + p->first[process], p->first[process + 1] - p->first[process], CHANNEL_RECEIVE,
                     &receives))
        out_of_memory(m);
    for (size_t i = 0, size; i < receives.count; i += size) {
        size = group_size(&receives, i);
        const struct otf2_channel *key = receives.items[i].channel;
        bool ordered = !key->unordered;
        for (size_t k = 0; k < size; k++)
            received += receives.items[i + k].channel->count;
        sends.count = 0;
        if (key->a == LP_NONE)
            continue;
        for (uint32_t l = p->first[key->a]; l < p->first[key->a + 1]; l++) {
            const struct otf2_channel *channel = otf2_find_sends(&m->folds[p->locations[l]], process, key->b, key->c);
            if (channel && !vector_push(&sends, (struct member){p->locations[l], channel}))
                out_of_memory(m);
        }
        if (sends.count == 1 && size == 1 && ordered)
            matched += match_lists(m, &sends.items[0], &receives.items[i]);
        else if (sends.count)
            matched += match_gathered(m, &sends, &receives.items[i], size);
    }
    count_in(m, &m->execution->reading.unmatched_receives, received - matched);
    count_in(m, &work->matched, matched);
    vector_release(&receives);
    vector_release(&sends);
}

/* ---- Locks --------------------------------------------------------------------------------------------- */

/* The releases of one lock by acquisition order: a table where the orders are dense, as they should be, else a sorted list. */
struct releases {
    struct place *table; /* [order - first] */
    uint64_t first, size;
    struct places list;
};

#define EACH_RECORD(m, member, record)                                    \
    for (uint32_t record = (member)->channel->first; record != LP_NONE; \
         record = (m)->folds[(member)->location].records.items[record].link)

static uint32_t tag_of(const struct otf2_matching *m, const struct member *member, uint32_t record)
{
    return m->folds[member->location].records.items[record].tag;
}

static bool make_releases(const struct otf2_matching *m, const struct member *members, size_t count,
                          struct releases *releases)
{
    uint64_t low = UINT64_MAX, high = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        total += members[i].channel->count;
        EACH_RECORD(m, &members[i], record) {
            uint64_t order = tag_of(m, &members[i], record);
            low = order < low ? order : low;
            high = order > high ? order : high;
        }
    }
    releases->first = low;
    releases->size = high - low + 1;
    if (releases->size > 8 * total + 64) { /* sparse */
        for (size_t i = 0; i < count; i++)
            if (!gather(m, &members[i], &releases->list))
                return false;
        sort_places(m, &releases->list, by_tag);
        return true;
    }
    releases->table = malloc(releases->size * sizeof *releases->table);
    if (!releases->table)
        return false;
    memset(releases->table, 0xff, releases->size * sizeof *releases->table); /* nowhere */
    for (size_t i = 0; i < count; i++)
        EACH_RECORD(m, &members[i], record)
            releases->table[tag_of(m, &members[i], record) - low] = (struct place){members[i].location, record};
    return true;
}

/* The release with the largest order below `order`. */
static struct place release_before(const struct otf2_matching *m, const struct releases *releases, uint64_t order)
{
    if (releases->table) {
        uint64_t i = order > releases->first ? order - releases->first : 0;
        i = i > releases->size ? releases->size : i;
        while (i > 0 && releases->table[i - 1].location == LP_NONE)
            i--;
        return i > 0 ? releases->table[i - 1] : nowhere;
    }
    size_t low = 0, high = releases->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (record_at(m, releases->list.items[middle])->tag < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? releases->list.items[low - 1] : nowhere;
}

static bool match_lock(struct otf2_matching *m, const struct member *acquires, size_t acquire_count,
                       const struct member *releasers, size_t release_count)
{
    struct releases releases = {0};
    bool enough = make_releases(m, releasers, release_count, &releases);
    for (size_t i = 0; enough && i < acquire_count; i++) {
        uint32_t next;
        for (uint32_t record = acquires[i].channel->first; record != LP_NONE; record = next) {
            struct place target = {acquires[i].location, record};
            struct place source = release_before(m, &releases, record_at(m, target)->tag);
            next = record_at(m, target)->link; /* which matching replaces */
            if (source.location != LP_NONE)
                match(m, target, source);
        }
    }
    free(releases.table);
    vector_release(&releases.list);
    return enough;
}

static void match_locks(struct by_process *work, uint32_t process)
{
    struct otf2_matching *m = work->matching;
    const struct processes *p = &work->processes;
    const uint32_t *locations = p->locations + p->first[process];
    uint32_t count = p->first[process + 1] - p->first[process];
    struct member_list acquires = {0}, releases = {0};
    bool enough = channels_of(m, locations, count, CHANNEL_ACQUIRE, &acquires) &&
                  channels_of(m, locations, count, CHANNEL_RELEASE, &releases);
    size_t r = 0;
    for (size_t i = 0, size; enough && i < acquires.count; i += size) {
        size = group_size(&acquires, i);
        while (r < releases.count && !same_key(&acquires.items[i], &releases.items[r]) &&
               compare_members(&releases.items[r], &acquires.items[i]) < 0)
            r++;
        if (r < releases.count && same_key(&acquires.items[i], &releases.items[r]))
            enough = match_lock(m, &acquires.items[i], size, &releases.items[r], group_size(&releases, r));
    }
    if (!enough)
        out_of_memory(m);
    vector_release(&acquires);
    vector_release(&releases);
}

static void match_process(void *context, size_t process, unsigned worker)
{
    (void)worker;
    match_messages(context, (uint32_t)process);
    match_locks(context, (uint32_t)process);
}

/* ---- Communicators ------------------------------------------------------------------------------------- */

/* Walks the lists of several members in step: the n-th record of each. */
struct cursor {
    uint32_t location;
    uint32_t next;        /* record, when the list is in order */
    struct places places; /* otherwise */
    size_t position;
};

struct cursors {
    struct cursor *items;
    size_t count, capacity;
};

static bool open_cursors(const struct otf2_matching *m, const struct member_list *members, enum otf2_channel_kind kind,
                         struct cursors *cursors)
{
    for (size_t i = 0; i < members->count; i++) {
        const struct member *member = &members->items[i];
        if (member->channel->kind != kind)
            continue;
        struct cursor cursor = {.location = member->location, .next = member->channel->first};
        if (member->channel->unordered) {
            if (!gather(m, member, &cursor.places))
                return false;
            sort_places(m, &cursor.places, by_record);
        }
        if (!vector_push(cursors, cursor))
            return false;
    }
    return true;
}

static struct place cursor_next(const struct otf2_matching *m, struct cursor *cursor)
{
    if (cursor->places.items) {
        if (cursor->position == cursor->places.count)
            return nowhere;
        return cursor->places.items[cursor->position++];
    }
    if (cursor->next == LP_NONE)
        return nowhere;
    struct place place = {cursor->location, cursor->next};
    cursor->next = record_at(m, place)->link;
    return place;
}

static void close_cursors(struct cursors *cursors)
{
    for (size_t i = 0; i < cursors->count; i++)
        vector_release(&cursors->items[i].places);
    vector_release(cursors);
}

/* The record that completes the collective whose arrival is at `place`. */
static struct place completion_of(const struct otf2_matching *m, struct place place)
{
    return (struct place){place.location, record_at(m, place)->tag};
}

static void match_all_to_all(const struct otf2_matching *m, const struct place *arrivals, size_t count)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++)
        if (record_at(m, arrivals[i])->time > record_at(m, arrivals[last])->time)
            last = i;
    for (size_t i = 0; i < count; i++)
        if (i != last)
            match(m, completion_of(m, arrivals[i]), arrivals[last]);
}

/* Which of the arrivals is the root's; count if it is not there. */
static size_t find_root(const struct otf2_matching *m, uint32_t communicator, const struct place *arrivals, size_t count)
{
    const struct otf2_definitions *d = m->definitions;
    uint32_t rank = record_at(m, completion_of(m, arrivals[0]))->extra;
    uint32_t location = rank == OTF2_ROOT_MAX ? LP_NONE : otf2_rank_location(d, communicator, rank, arrivals[0].location);
    size_t i = 0;
    while (i < count && (location == LP_NONE ||
                         d->locations.items[arrivals[i].location].process != d->locations.items[location].process))
        i++;
    return i;
}

static bool match_instance(struct otf2_matching *m, uint32_t communicator, struct place *arrivals, size_t count)
{
    enum lp_node_kind kind = record_at(m, completion_of(m, arrivals[0]))->kind;
    if (kind == LP_NODE_PREFIX)
        return true;
    if (kind != LP_NODE_ONE_TO_ALL && kind != LP_NODE_ALL_TO_ONE) {
        match_all_to_all(m, arrivals, count);
        return true;
    }
    size_t root = find_root(m, communicator, arrivals, count);
    if (root == count)
        return count < 2;
    struct place root_arrival = arrivals[root];
    for (size_t i = 0; kind == LP_NODE_ONE_TO_ALL && i < count; i++)
        if (i != root)
            match(m, completion_of(m, arrivals[i]), root_arrival);
    if (kind == LP_NODE_ALL_TO_ONE) {
        memmove(arrivals + root, arrivals + root + 1, (count - root - 1) * sizeof *arrivals);
        match_many(m, completion_of(m, root_arrival), arrivals, count - 1);
    }
    return true;
}

/* Runs an action on the n-th records of all members, n = 0, 1, ...; stops when no member has any. */
static void match_instances(struct otf2_matching *m, uint32_t communicator, const struct member_list *members,
                            enum otf2_channel_kind kind, uint32_t expected)
{
    struct cursors cursors = {0};
    struct place *arrivals = NULL;
    uint64_t incomplete = 0;
    if (!open_cursors(m, members, kind, &cursors) || !(arrivals = lp_allocate(cursors.count, sizeof *arrivals)))
        out_of_memory(m);
    for (size_t count = 1; arrivals && count;) {
        count = 0;
        for (size_t i = 0; i < cursors.count; i++) {
            struct place place = cursor_next(m, &cursors.items[i]);
            if (place.location != LP_NONE)
                arrivals[count++] = place;
        }
        if (count && (!match_instance(m, communicator, arrivals, count) || count < expected))
            incomplete++;
    }
    count_in(m, &m->execution->reading.incomplete_collectives, incomplete);
    free(arrivals);
    close_cursors(&cursors);
}

/* Begins of teams: everybody waits for the fork, which the forking thread's own begin names. */
static void match_team_begins(struct otf2_matching *m, const struct member_list *members)
{
    struct cursors cursors = {0};
    struct place *begins = NULL;
    uint64_t without_fork = 0;
    if (!open_cursors(m, members, CHANNEL_TEAM_BEGIN, &cursors) ||
        !(begins = lp_allocate(cursors.count, sizeof *begins)))
        out_of_memory(m);
    for (size_t count = 1; begins && count;) {
        struct place fork = nowhere;
        count = 0;
        for (size_t i = 0; i < cursors.count; i++) {
            struct place place = cursor_next(m, &cursors.items[i]);
            if (place.location == LP_NONE)
                continue;
            begins[count++] = place;
            if (record_at(m, place)->tag != LP_NONE)
                fork = (struct place){place.location, record_at(m, place)->tag};
        }
        for (size_t i = 0; fork.location != LP_NONE && i < count; i++)
            if (begins[i].location != fork.location)
                match(m, begins[i], fork);
        without_fork += count && fork.location == LP_NONE;
    }
    count_in(m, &m->execution->reading.unmatched_others, without_fork);
    free(begins);
    close_cursors(&cursors);
}

/* Ends of teams: the join that follows the forking thread's n-th end waits for the n-th end of all others. */
static void match_team_ends(struct otf2_matching *m, const struct member_list *members)
{
    struct cursors ends = {0}, joins = {0};
    struct place *list = NULL, *pending = NULL;
    if (!open_cursors(m, members, CHANNEL_TEAM_END, &ends) || !open_cursors(m, members, CHANNEL_JOIN, &joins) ||
        !(list = lp_allocate(ends.count, sizeof *list)) || !(pending = lp_allocate(joins.count, sizeof *pending)))
        out_of_memory(m);
    for (size_t i = 0; pending && i < joins.count; i++)
        pending[i] = cursor_next(m, &joins.items[i]);
    uint32_t instance = 0;
    for (size_t count = 1; pending && joins.count && count; instance++) {
        count = 0;
        for (size_t i = 0; i < ends.count; i++) {
            struct place place = cursor_next(m, &ends.items[i]);
            if (place.location != LP_NONE)
                list[count++] = place;
        }
        for (size_t j = 0; count && j < joins.count; j++) {
            if (pending[j].location == LP_NONE || record_at(m, pending[j])->tag != instance)
                continue;
            struct place join = pending[j];
            pending[j] = cursor_next(m, &joins.items[j]);
            size_t others = 0;
            for (size_t i = 0; i < count; i++)
                if (list[i].location != join.location)
                    list[others++] = list[i];
            match_many(m, join, list, others);
            break;
        }
    }
    free(list);
    free(pending);
    close_cursors(&ends);
    close_cursors(&joins);
}

/* ---- Tasks and threads --------------------------------------------------------------------------------- */

/* The life of a task or thread: where it was created, began, ended. */
struct life {
    struct otf2_identity identity;
    struct place create, begin, end;
};

struct lives {
    struct life *items;
    size_t count, capacity;
    struct lp_map index;
};

static struct life *find_life(struct lives *lives, struct otf2_identity identity, bool create)
{
    for (uint64_t hash = lp_hash(lp_hash(1, identity.a), identity.b);; hash++) {
        uint32_t found = lp_map_get(&lives->index, hash);
        if (found == LP_MAP_FREE) {
            uint32_t *place = create ? lp_map_at(&lives->index, hash) : NULL;
            struct life life = {identity, nowhere, nowhere, nowhere};
            if (!place || !vector_push(lives, life))
                return NULL;
            *place = (uint32_t)lives->count - 1;
            return &lives->items[*place];
        }
        if (lives->items[found].identity.a == identity.a && lives->items[found].identity.b == identity.b)
            return &lives->items[found];
    }
}

static void release_lives(struct lives *lives)
{
    vector_release(lives);
    lp_map_release(&lives->index);
}

static void note_life(const struct otf2_matching *m, struct life *life, struct place place)
{
    switch (record_at(m, place)->kind) {
    case LP_NODE_TASK_CREATE:
    case LP_NODE_THREAD_CREATE:
        life->create = place;
        break;
    case LP_NODE_TASK_SWITCH:
    case LP_NODE_THREAD_BEGIN:
        if (life->begin.location == LP_NONE || record_at(m, place)->time < record_at(m, life->begin)->time)
            life->begin = place;
        break;
    default:
        life->end = place;
    }
}

static void match_task_wait(struct otf2_matching *m, struct lives *lives, struct place place)
{
    const struct otf2_fold *fold = &m->folds[place.location];
    struct otf2_children wait = fold->waits.items[record_at(m, place)->tag];
    struct places ends = {0};
    bool enough = true;
    for (uint32_t i = wait.first; enough && i < wait.first + wait.count; i++) {
        struct life *life = find_life(lives, fold->children.items[i], false);
        if (life && life->end.location != LP_NONE && life->end.location != place.location)
            enough = vector_push(&ends, life->end);
    }
    sort_places(m, &ends, by_record); /* the order of the input decides ties */
    if (enough)
        match_many(m, place, ends.items, ends.count);
    else
        out_of_memory(m);
    vector_release(&ends);
}

/* Tasks of one team, or all threads: create to begin, end to whoever waits. */
static void match_lives(struct otf2_matching *m, const struct member_list *members, enum otf2_channel_kind kind)
{
    struct lives lives = {0};
    struct places waits = {0};
    bool enough = true;
    uint64_t missing = 0;
    for (size_t i = 0; enough && i < members->count; i++) {
        const struct member *member = &members->items[i];
        const struct otf2_fold *fold = &m->folds[member->location];
        if (member->channel->kind != kind)
            continue;
        for (uint32_t r = member->channel->first; enough && r != LP_NONE; r = fold->records.items[r].link) {
            struct place place = {member->location, r};
            enum lp_node_kind node = fold->records.items[r].kind;
            if (node == LP_NODE_TASK_WAIT || node == LP_NODE_THREAD_WAIT) {
                enough = vector_push(&waits, place);
                continue;
            }
            struct life *life = find_life(&lives, fold->identities.items[fold->records.items[r].tag], true);
            if (life)
                note_life(m, life, place);
            enough = life != NULL;
        }
    }
    for (size_t i = 0; i < lives.count; i++) {
        if (lives.items[i].create.location != LP_NONE && lives.items[i].begin.location != LP_NONE)
            match(m, lives.items[i].begin, lives.items[i].create);
        else
            missing += lives.items[i].create.location != LP_NONE;
    }
    for (size_t i = 0; enough && i < waits.count; i++) {
        if (kind == CHANNEL_TASK) {
            match_task_wait(m, &lives, waits.items[i]);
            continue;
        }
        const struct otf2_fold *fold = &m->folds[waits.items[i].location];
        struct life *life = find_life(&lives, fold->identities.items[record_at(m, waits.items[i])->tag], false);
        if (life && life->end.location != LP_NONE)
            match(m, waits.items[i], life->end);
        else
            missing++;
    }
    if (!enough)
        out_of_memory(m);
    count_in(m, &m->execution->reading.unmatched_others, missing);
    vector_release(&waits);
    release_lives(&lives);
}

/* ---- All ----------------------------------------------------------------------------------------------- */

struct by_communicator {
    struct otf2_matching *matching;
    struct member_list *members; /* [communicator], and all thread channels behind the last */
};

static void match_communicator(void *context, size_t communicator, unsigned worker)
{
    struct by_communicator *work = context;
    struct otf2_matching *m = work->matching;
    const struct member_list *members = &work->members[communicator];
    (void)worker;
    if (!members->count)
        return;
    if (communicator == m->definitions->communicators.count) {
        match_lives(m, members, CHANNEL_THREAD);
        return;
    }
    uint32_t expected = otf2_communicator_size(m->definitions, (uint32_t)communicator), barrier_members = 0;
    for (size_t i = 0; i < members->count; i++)
        barrier_members += members->items[i].channel->kind == CHANNEL_BARRIER;
    match_instances(m, (uint32_t)communicator, members, CHANNEL_COLLECTIVE, expected);
    match_instances(m, (uint32_t)communicator, members, CHANNEL_BARRIER, barrier_members);
    match_team_begins(m, members);
    match_team_ends(m, members);
    match_lives(m, members, CHANNEL_TASK);
}

static bool list_members(const struct otf2_matching *m, struct member_list *lists)
{
    size_t communicators = m->definitions->communicators.count;
    for (uint32_t l = 0; l < m->location_count; l++)
        for (size_t c = 0; c < m->folds[l].channels.count; c++) {
            const struct otf2_channel *channel = &m->folds[l].channels.items[c];
            if (channel->kind < CHANNEL_COLLECTIVE)
                continue;
            size_t list = channel->kind == CHANNEL_THREAD ? communicators : channel->a;
            if (list <= communicators && !vector_push(&lists[list], (struct member){l, channel}))
                return false;
        }
    return true;
}

static void match_communicators(struct otf2_matching *m)
{
    size_t count = m->definitions->communicators.count + 1;
    struct by_communicator work = {.matching = m, .members = lp_allocate(count, sizeof *work.members)};
    if (work.members && list_members(m, work.members))
        lp_pool_run(m->threads, count, match_communicator, &work);
    else
        m->failed = true;
    for (size_t i = 0; work.members && i < count; i++)
        vector_release(&work.members[i]);
    free(work.members);
}

static bool list_processes(const struct otf2_matching *m, struct processes *processes)
{
    const struct otf2_definitions *d = m->definitions;
    processes->count = (uint32_t)d->processes.count;
    processes->first = lp_allocate(processes->count + 2, sizeof *processes->first);
    processes->locations = lp_allocate(m->location_count, sizeof *processes->locations);
    if (!processes->first || !processes->locations)
        return false;
    for (uint32_t l = 0; l < m->location_count; l++)
        processes->first[d->locations.items[l].process + 2]++;
    for (uint32_t p = 2; p < processes->count + 2; p++)
        processes->first[p] += processes->first[p - 1];
    for (uint32_t l = 0; l < m->location_count; l++)
        processes->locations[processes->first[d->locations.items[l].process + 1]++] = l;
    return true;
}

static uint64_t count_sends(const struct otf2_matching *m)
{
    uint64_t sends = 0;
    for (uint32_t l = 0; l < m->location_count; l++)
        for (size_t c = 0; c < m->folds[l].channels.count; c++)
            if (m->folds[l].channels.items[c].kind == CHANNEL_SEND)
                sends += m->folds[l].channels.items[c].count;
    return sends;
}

bool otf2_match(struct otf2_matching *m)
{
    struct by_process work = {.matching = m};
    if (list_processes(m, &work.processes)) {
        lp_pool_run(m->threads, work.processes.count, match_process, &work);
        m->execution->reading.unmatched_sends = count_sends(m) - work.matched;
        match_communicators(m);
    } else {
        m->failed = true;
    }
    free(work.processes.first);
    free(work.processes.locations);
    m->execution->arcs = m->arcs.items;
    m->execution->arc_count = (uint32_t)m->arcs.count;
    memset(&m->arcs, 0, sizeof m->arcs);
    return !m->failed;
}
