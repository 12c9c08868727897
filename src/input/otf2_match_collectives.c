/* Matching by communicator: the n-th collective operation, team or barrier of each member belong together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "input/otf2_places.h"

/* Walks the lists of several members in step: the n-th record of each. */
struct cursor {
    uint32_t location;
    uint32_t next;             /* record, when the list is in order */
    struct otf2_places places; /* otherwise */
    size_t position;
};

struct cursors {
    struct cursor *items;
    size_t count, capacity;
};

static bool open_cursors(const struct otf2_matching *m, const struct otf2_members *members, enum otf2_channel_kind kind,
                         struct cursors *cursors)
{
    for (size_t i = 0; i < members->count; i++) {
        const struct otf2_member *member = &members->items[i];
        if (member->channel->kind != kind)
            continue;
        struct cursor cursor = {.location = member->location, .next = member->channel->first};
        if (member->channel->unordered) {
            if (!otf2_gather(m, member, &cursor.places))
                return false;
            otf2_sort_places(m, &cursor.places, otf2_by_record);
        }
        if (!vector_push(cursors, cursor))
            return false;
    }
    return true;
}

static struct otf2_place cursor_next(const struct otf2_matching *m, struct cursor *cursor)
{
    if (cursor->places.items) {
        if (cursor->position == cursor->places.count)
            return OTF2_NOWHERE;
        return cursor->places.items[cursor->position++];
    }
    if (cursor->next == LP_NONE)
        return OTF2_NOWHERE;
    struct otf2_place place = {cursor->location, cursor->next};
    cursor->next = otf2_record_at(m, place)->link;
    return place;
}

static void close_cursors(struct cursors *cursors)
{
    for (size_t i = 0; i < cursors->count; i++)
        vector_release(&cursors->items[i].places);
    vector_release(cursors);
}

/* The record that completes the collective whose arrival is at `place`. */
static struct otf2_place completion_of(const struct otf2_matching *m, struct otf2_place place)
{
    return (struct otf2_place){place.location, otf2_record_at(m, place)->tag};
}

static void match_all_to_all(const struct otf2_matching *m, const struct otf2_place *arrivals, size_t count)
{
    size_t last = 0;
    for (size_t i = 1; i < count; i++)
        if (otf2_record_at(m, arrivals[i])->time > otf2_record_at(m, arrivals[last])->time)
            last = i;
    for (size_t i = 0; i < count; i++)
        if (i != last)
            otf2_match_one(m, completion_of(m, arrivals[i]), arrivals[last]);
}

/* Which of the arrivals is the root's; count if it is not there. */
static size_t find_root(const struct otf2_matching *m, uint32_t communicator, const struct otf2_place *arrivals,
                        size_t count)
{
    const struct otf2_definitions *d = m->definitions;
    uint32_t rank = otf2_record_at(m, completion_of(m, arrivals[0]))->extra;
    uint32_t location =
        rank == OTF2_ROOT_MAX ? LP_NONE : otf2_rank_location(d, communicator, rank, arrivals[0].location);
    size_t i = 0;
    while (i < count && (location == LP_NONE ||
                         d->locations.items[arrivals[i].location].process != d->locations.items[location].process))
        i++;
    return i;
}

static bool match_instance(struct otf2_matching *m, uint32_t communicator, struct otf2_place *arrivals, size_t count)
{
    enum lp_node_kind kind = otf2_record_at(m, completion_of(m, arrivals[0]))->kind;
    if (kind == LP_NODE_PREFIX)
        return true;
    if (kind != LP_NODE_ONE_TO_ALL && kind != LP_NODE_ALL_TO_ONE) {
        match_all_to_all(m, arrivals, count);
        return true;
    }
    size_t root = find_root(m, communicator, arrivals, count);
    if (root == count)
        return count < 2;
    struct otf2_place root_arrival = arrivals[root];
    for (size_t i = 0; kind == LP_NODE_ONE_TO_ALL && i < count; i++)
        if (i != root)
            otf2_match_one(m, completion_of(m, arrivals[i]), root_arrival);
    if (kind == LP_NODE_ALL_TO_ONE) {
        memmove(arrivals + root, arrivals + root + 1, (count - root - 1) * sizeof *arrivals);
        otf2_match_many(m, completion_of(m, root_arrival), arrivals, count - 1);
    }
    return true;
}

/* Runs an action on the n-th records of all members, n = 0, 1, ...; stops when no member has any. */
void otf2_match_instances(struct otf2_matching *m, uint32_t communicator, const struct otf2_members *members,
                          enum otf2_channel_kind kind, uint32_t expected)
{
    struct cursors cursors = {0};
    struct otf2_place *arrivals = NULL;
    uint64_t incomplete = 0;
    if (!open_cursors(m, members, kind, &cursors) || !(arrivals = lp_allocate(cursors.count, sizeof *arrivals)))
        otf2_out_of_memory(m);
    for (size_t count = 1; arrivals && count;) {
        count = 0;
        for (size_t i = 0; i < cursors.count; i++) {
            struct otf2_place place = cursor_next(m, &cursors.items[i]);
            if (place.location != LP_NONE)
                arrivals[count++] = place;
        }
        if (count && (!match_instance(m, communicator, arrivals, count) || count < expected))
            incomplete++;
    }
    otf2_count(m, &m->execution->reading.incomplete_collectives, incomplete);
    free(arrivals);
    close_cursors(&cursors);
}

/* Begins of teams: everybody waits for the fork, which the forking thread's own begin names. */
void otf2_match_team_begins(struct otf2_matching *m, const struct otf2_members *members)
{
    struct cursors cursors = {0};
    struct otf2_place *begins = NULL;
    uint64_t without_fork = 0;
    if (!open_cursors(m, members, CHANNEL_TEAM_BEGIN, &cursors) ||
        !(begins = lp_allocate(cursors.count, sizeof *begins)))
        otf2_out_of_memory(m);
    for (size_t count = 1; begins && count;) {
        struct otf2_place fork = OTF2_NOWHERE;
        count = 0;
        for (size_t i = 0; i < cursors.count; i++) {
            struct otf2_place place = cursor_next(m, &cursors.items[i]);
            if (place.location == LP_NONE)
                continue;
            begins[count++] = place;
            if (otf2_record_at(m, place)->tag != LP_NONE)
                fork = (struct otf2_place){place.location, otf2_record_at(m, place)->tag};
        }
        for (size_t i = 0; fork.location != LP_NONE && i < count; i++)
            if (begins[i].location != fork.location)
                otf2_match_one(m, begins[i], fork);
        without_fork += count && fork.location == LP_NONE;
    }
    otf2_count(m, &m->execution->reading.unmatched_others, without_fork);
    free(begins);
    close_cursors(&cursors);
}

/* Ends of teams: the join that follows the forking thread's n-th end waits for the n-th end of all others. */
void otf2_match_team_ends(struct otf2_matching *m, const struct otf2_members *members)
{
    struct cursors ends = {0}, joins = {0};
    struct otf2_place *list = NULL, *pending = NULL;
    if (!open_cursors(m, members, CHANNEL_TEAM_END, &ends) || !open_cursors(m, members, CHANNEL_JOIN, &joins) ||
        !(list = lp_allocate(ends.count, sizeof *list)) || !(pending = lp_allocate(joins.count, sizeof *pending)))
        otf2_out_of_memory(m);
    for (size_t i = 0; pending && i < joins.count; i++)
        pending[i] = cursor_next(m, &joins.items[i]);
    uint32_t instance = 0;
    for (size_t count = 1; pending && joins.count && count; instance++) {
        count = 0;
        for (size_t i = 0; i < ends.count; i++) {
            struct otf2_place place = cursor_next(m, &ends.items[i]);
            if (place.location != LP_NONE)
                list[count++] = place;
        }
        for (size_t j = 0; count && j < joins.count; j++) {
            if (pending[j].location == LP_NONE || otf2_record_at(m, pending[j])->tag != instance)
                continue;
            struct otf2_place join = pending[j];
            pending[j] = cursor_next(m, &joins.items[j]);
            size_t others = 0;
            for (size_t i = 0; i < count; i++)
                if (list[i].location != join.location)
                    list[others++] = list[i];
            otf2_match_many(m, join, list, others);
            break;
        }
    }
    free(list);
    free(pending);
    close_cursors(&ends);
    close_cursors(&joins);
}
