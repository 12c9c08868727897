/* Matching tasks and threads by their ids.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_places.h"

/* The life of a task or thread: where it was created, began, ended. */
struct life {
    struct otf2_identity identity;
    struct otf2_place create, begin, end;
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
            struct life life = {identity, OTF2_NOWHERE, OTF2_NOWHERE, OTF2_NOWHERE};
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

static void note_life(const struct otf2_matching *m, struct life *life, struct otf2_place place)
{
    switch (otf2_record_at(m, place)->kind) {
    case LP_NODE_TASK_CREATE:
    case LP_NODE_THREAD_CREATE:
        life->create = place;
        break;
    case LP_NODE_TASK_SWITCH:
    case LP_NODE_THREAD_BEGIN:
        if (life->begin.location == LP_NONE || otf2_record_at(m, place)->time < otf2_record_at(m, life->begin)->time)
            life->begin = place;
        break;
    default:
        life->end = place;
    }
}

static void match_task_wait(struct otf2_matching *m, struct lives *lives, struct otf2_place place)
{
    const struct otf2_fold *fold = &m->folds[place.location];
    struct otf2_children wait = fold->waits.items[otf2_record_at(m, place)->tag];
    struct otf2_places ends = {0};
    bool enough = true;
    for (uint32_t i = wait.first; enough && i < wait.first + wait.count; i++) {
        struct life *life = find_life(lives, fold->children.items[i], false);
        if (life && life->end.location != LP_NONE && life->end.location != place.location)
            enough = vector_push(&ends, life->end);
    }
    otf2_sort_places(m, &ends, otf2_by_record); /* the order of the input decides ties */
    if (enough)
        otf2_match_many(m, place, ends.items, ends.count);
    else
        otf2_out_of_memory(m);
    vector_release(&ends);
}

/* Tasks of one team, or all threads: create to begin, end to whoever waits. */
void otf2_match_lives(struct otf2_matching *m, const struct otf2_members *members, enum otf2_channel_kind kind)
{
    struct lives lives = {0};
    struct otf2_places waits = {0};
    bool enough = true;
    uint64_t missing = 0;
    for (size_t i = 0; enough && i < members->count; i++) {
        const struct otf2_member *member = &members->items[i];
        const struct otf2_fold *fold = &m->folds[member->location];
        if (member->channel->kind != kind)
            continue;
        for (uint32_t r = member->channel->first; enough && r != LP_NONE; r = fold->records.items[r].link) {
            struct otf2_place place = {member->location, r};
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
            otf2_match_one(m, lives.items[i].begin, lives.items[i].create);
        else
            missing += lives.items[i].create.location != LP_NONE;
    }
    for (size_t i = 0; enough && i < waits.count; i++) {
        if (kind == CHANNEL_TASK) {
            match_task_wait(m, &lives, waits.items[i]);
            continue;
        }
        const struct otf2_fold *fold = &m->folds[waits.items[i].location];
        struct life *life = find_life(&lives, fold->identities.items[otf2_record_at(m, waits.items[i])->tag], false);
        if (life && life->end.location != LP_NONE)
            otf2_match_one(m, waits.items[i], life->end);
        else
            missing++;
    }
    if (!enough)
        otf2_out_of_memory(m);
    otf2_count(m, &m->execution->reading.unmatched_others, missing);
    vector_release(&waits);
    release_lives(&lives);
}
