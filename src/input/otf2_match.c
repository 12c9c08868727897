/* Finds the counterparts, each piece independent of the others so that threads can share them: by process, then by
 * communicator. Linear in the records, but for lists that come out of order, which are sorted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/pool.h"
#include "input/otf2_places.h"

static void match_process(void *context, size_t process, unsigned worker)
{
    (void)worker;
    otf2_match_messages(context, (uint32_t)process);
    otf2_match_locks(context, (uint32_t)process);
}

struct by_communicator {
    struct otf2_matching *matching;
    struct otf2_members *members; /* [communicator], and all thread channels behind the last */
};

static void match_communicator(void *context, size_t communicator, unsigned worker)
{
    struct by_communicator *work = context;
    struct otf2_matching *m = work->matching;
    const struct otf2_members *members = &work->members[communicator];
    (void)worker;
    if (!members->count)
        return;
    if (communicator == m->definitions->communicators.count) {
        otf2_match_lives(m, members, CHANNEL_THREAD);
        return;
    }
    uint32_t expected = otf2_communicator_size(m->definitions, (uint32_t)communicator), barrier_members = 0;
    for (size_t i = 0; i < members->count; i++)
        barrier_members += members->items[i].channel->kind == CHANNEL_BARRIER;
    otf2_match_instances(m, (uint32_t)communicator, members, CHANNEL_COLLECTIVE, expected);
    otf2_match_instances(m, (uint32_t)communicator, members, CHANNEL_BARRIER, barrier_members);
    otf2_match_team_begins(m, members);
    otf2_match_team_ends(m, members);
    otf2_match_lives(m, members, CHANNEL_TASK);
}

static bool list_members(const struct otf2_matching *m, struct otf2_members *lists)
{
    size_t communicators = m->definitions->communicators.count;
    for (uint32_t l = 0; l < m->location_count; l++)
        for (size_t c = 0; c < m->folds[l].channels.count; c++) {
            const struct otf2_channel *channel = &m->folds[l].channels.items[c];
            if (channel->kind < CHANNEL_COLLECTIVE)
                continue;
            size_t list = channel->kind == CHANNEL_THREAD ? communicators : channel->a;
            if (list <= communicators && !vector_push(&lists[list], (struct otf2_member){l, channel}))
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

static bool list_processes(const struct otf2_matching *m, struct otf2_processes *processes)
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
    struct otf2_by_process work = {.matching = m};
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
