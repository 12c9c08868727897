/* What the matchers share: records by their place, lists of channels, and how a match is written down. Internal to matching.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_PLACES_H
#define LP_INPUT_OTF2_PLACES_H

#include "input/otf2_match.h"

/* A record of a location. */
struct otf2_place {
    uint32_t location, record;
};

#define OTF2_NOWHERE ((struct otf2_place){LP_NONE, LP_NONE})

struct otf2_places {
    struct otf2_place *items;
    size_t count, capacity;
};

/* A channel of a location. */
struct otf2_member {
    uint32_t location;
    const struct otf2_channel *channel;
};

struct otf2_members {
    struct otf2_member *items;
    size_t count, capacity;
};

/* Processes and their locations. */
struct otf2_processes {
    uint32_t *first;     /* [process + 1] index into locations */
    uint32_t *locations; /* grouped by process */
    uint32_t count;
};

struct otf2_by_process {
    struct otf2_matching *matching;
    struct otf2_processes processes;
    uint64_t matched; /* messages; under the matching's mutex */
};

static inline struct otf2_record *otf2_record_at(const struct otf2_matching *m, struct otf2_place place)
{
    return &m->folds[place.location].records.items[place.record];
}

static inline uint32_t otf2_node_of(const struct otf2_matching *m, struct otf2_place place)
{
    return m->first_node[place.location] + place.record;
}

/* `target` waited for `source`. Points of one location are in order anyway and need no arc. */
static inline void otf2_match_one(const struct otf2_matching *m, struct otf2_place target, struct otf2_place source)
{
    struct otf2_record *record = otf2_record_at(m, target);
    record->matched = true;
    record->time = otf2_record_at(m, source)->time;
    record->link = target.location == source.location ? LP_NONE : otf2_node_of(m, source);
}

/* `target` waited for all of the sources, in the order that decides ties. */
void otf2_match_many(struct otf2_matching *m, struct otf2_place target, const struct otf2_place *sources, size_t count);

/* Adds to a counter of the reading. */
void otf2_count(struct otf2_matching *m, uint64_t *counter, uint64_t count);
void otf2_out_of_memory(struct otf2_matching *m);

/* Appends the records of a channel. False: out of memory. */
bool otf2_gather(const struct otf2_matching *m, const struct otf2_member *member, struct otf2_places *places);

/* Sorts by time, by tag, or as they come in the trace. */
int otf2_by_time(const void *a, const void *b, void *matching);
int otf2_by_tag(const void *a, const void *b, void *matching);
int otf2_by_record(const void *a, const void *b, void *matching);
void otf2_sort_places(const struct otf2_matching *m, struct otf2_places *places,
                      int (*order)(const void *, const void *, void *));

/* All channels of that kind in some locations, sorted so that equal keys are neighbours. False: out of memory. */
bool otf2_channels_of(const struct otf2_matching *m, const uint32_t *locations, uint32_t count,
                      enum otf2_channel_kind kind, struct otf2_members *list);
int otf2_compare_members(const void *a, const void *b);
size_t otf2_group_size(const struct otf2_members *list, size_t begin); /* how many from there on have the same key */

static inline bool otf2_same_key(const struct otf2_member *a, const struct otf2_member *b)
{
    return a->channel->a == b->channel->a && a->channel->b == b->channel->b && a->channel->c == b->channel->c;
}

/* ---- The matchers -------------------------------------------------------------------------------------- */

/* Messages that a process receives, and its locks. */
void otf2_match_messages(struct otf2_by_process *work, uint32_t process);
void otf2_match_locks(struct otf2_by_process *work, uint32_t process);

/* The n-th records of all members that have a channel of that kind; fewer than `expected` members are counted as incomplete. */
void otf2_match_instances(struct otf2_matching *m, uint32_t communicator, const struct otf2_members *members,
                          enum otf2_channel_kind kind, uint32_t expected);
void otf2_match_team_begins(struct otf2_matching *m, const struct otf2_members *members);
void otf2_match_team_ends(struct otf2_matching *m, const struct otf2_members *members);

/* Tasks of one team, or all threads: create to begin, end to whoever waits. */
void otf2_match_lives(struct otf2_matching *m, const struct otf2_members *members, enum otf2_channel_kind kind);

#endif
