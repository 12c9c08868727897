/* Events of threads: locks, create/begin/end/wait, fork/join with teams, tasks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_callbacks.h"
#include "input/otf2_fold.h"

/* ---- Locks --------------------------------------------------------------------------------------------- */

static void lock_event(struct otf2_fold *f, int64_t time, bool acquire, uint32_t model, uint32_t lock, uint32_t order)
{
    struct otf2_record *record =
        acquire ? fold_push_wait(f, LP_NODE_LOCK_ACQUIRE, time) : fold_push_point(f, LP_NODE_LOCK_RELEASE, time);
    record->tag = order;
    f->counts.sync_events++;
    fold_append(f, fold_last_record(f), acquire ? CHANNEL_ACQUIRE : CHANNEL_RELEASE, model, lock, 0, true);
}

OTF2_EVENT(on_acquire_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, true, model, lock, order);
    EVENT_END;
}

OTF2_EVENT(on_release_lock, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, false, model, lock, order);
    EVENT_END;
}

EVENT(on_omp_acquire_lock, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, true, OTF2_PARADIGM_OPENMP, lock, order);
    EVENT_END;
}

EVENT(on_omp_release_lock, uint32_t lock, uint32_t order)
{
    EVENT_BEGIN;
    lock_event(f, time, false, OTF2_PARADIGM_OPENMP, lock, order);
    EVENT_END;
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

static void thread_event(struct otf2_fold *f, int64_t time, enum lp_node_kind kind, uint32_t contingent,
                         uint64_t number)
{
    bool waits = kind == LP_NODE_THREAD_BEGIN || kind == LP_NODE_THREAD_WAIT;
    struct otf2_record *record = waits ? fold_push_wait(f, kind, time) : fold_push_point(f, kind, time);
    record->tag = (uint32_t)f->identities.count;
    if (!vector_push(&f->identities, (struct otf2_identity){.a = contingent, .b = number}))
        f->failed = true;
    f->counts.sync_events++;
    fold_append(f, fold_last_record(f), CHANNEL_THREAD, 0, 0, 0, true);
}

OTF2_EVENT(on_thread_create, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_CREATE, contingent, number);
    EVENT_END;
}

OTF2_EVENT(on_thread_begin, OTF2_CommRef contingent, uint64_t number)
{
    struct otf2_fold *f = user;
    (void)location;
    (void)position;
    (void)attributes;
    thread_event(f, fold_tick(f, stamp), LP_NODE_THREAD_BEGIN, contingent, number);
    EVENT_END;
}

OTF2_EVENT(on_thread_end, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_END, contingent, number);
    EVENT_END;
}

OTF2_EVENT(on_thread_wait, OTF2_CommRef contingent, uint64_t number)
{
    EVENT_BEGIN;
    thread_event(f, time, LP_NODE_THREAD_WAIT, contingent, number);
    EVENT_END;
}

/* ---- Teams --------------------------------------------------------------------------------------------- */

OTF2_EVENT(on_fork, OTF2_Paradigm model, uint32_t requested)
{
    EVENT_BEGIN;
    (void)model;
    (void)requested;
    fold_push_point(f, LP_NODE_FORK, time);
    f->pending_fork = fold_last_record(f);
    f->counts.sync_events++;
    EVENT_END;
}

OTF2_EVENT(on_team_begin, OTF2_CommRef team)
{
    struct otf2_fold *f = user;
    (void)location;
    (void)position;
    (void)attributes;
    int64_t time = fold_tick(f, stamp);
    uint32_t index = fold_communicator_index(f, team);
    struct otf2_record *record = f->pending_fork == LP_NONE ? fold_push_wait(f, LP_NODE_TEAM_BEGIN, time)
                                                            : fold_push_point(f, LP_NODE_TEAM_BEGIN, time);
    record->tag = f->pending_fork;
    f->pending_fork = LP_NONE;
    f->counts.sync_events++;
    fold_append(f, fold_last_record(f), CHANNEL_TEAM_BEGIN, index, 0, 0, true);
    if (!vector_push(&f->teams, index))
        f->failed = true;
    EVENT_END;
}

OTF2_EVENT(on_team_end, OTF2_CommRef team)
{
    EVENT_BEGIN;
    uint32_t index = fold_communicator_index(f, team);
    fold_push_point(f, LP_NODE_TEAM_END, time);
    f->counts.sync_events++;
    fold_append(f, fold_last_record(f), CHANNEL_TEAM_END, index, 0, 0, true);
    f->ended_team = index;
    while (f->teams.count && f->teams.items[--f->teams.count] != index)
        ;
    EVENT_END;
}

OTF2_EVENT(on_join, OTF2_Paradigm model)
{
    EVENT_BEGIN;
    (void)model;
    struct otf2_record *record = fold_push_wait(f, LP_NODE_JOIN, time);
    struct otf2_channel *ends = f->failed ? NULL : fold_find_channel(f, CHANNEL_TEAM_END, f->ended_team, 0, 0);
    if (ends && ends->count) {
        record->tag = ends->count - 1;
        fold_append(f, fold_last_record(f), CHANNEL_JOIN, f->ended_team, 0, 0, true);
    }
    f->ended_team = LP_NONE;
    f->counts.sync_events++;
    EVENT_END;
}

/* ---- Tasks --------------------------------------------------------------------------------------------- */

static struct otf2_identity task_identity(OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    return (struct otf2_identity){.a = team, .b = (uint64_t)thread << 32 | generation};
}

/* Time in a barrier or task wait that ends because a task runs was spent waiting for one. */
static void interrupt_waiting(struct otf2_fold *f, int64_t time)
{
    fold_interrupt_collective(f);
    const struct otf2_region *region = &f->definitions->regions.items[f->top->region];
    if ((!region->barrier && !region->task_wait) || time <= f->last)
        return;
    fold_push_part(f, f->top->region, LP_WAITING, time - f->last);
    f->last = time;
}

/* A switch to a task that this thread should have created, but did not: back to its implicit task. */
static bool is_implicit(const struct otf2_fold *f, struct otf2_identity task, OTF2_CommRef team, uint32_t thread)
{
    return lp_map_get(&f->created_tasks, fold_task_key(task)) == LP_MAP_FREE &&
           otf2_rank_location(f->definitions, fold_communicator_index(f, team), thread, f->location) == f->location;
}

static void task_event(struct otf2_fold *f, struct otf2_record *record, struct otf2_identity task, OTF2_CommRef team)
{
    record->tag = (uint32_t)f->identities.count;
    if (!vector_push(&f->identities, task))
        f->failed = true;
    f->counts.sync_events++;
    fold_append(f, fold_last_record(f), CHANNEL_TASK, fold_communicator_index(f, team), 0, 0, true);
}

OTF2_EVENT(on_task_create, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    task_event(f, fold_push_point(f, LP_NODE_TASK_CREATE, time), task, team);
    fold_map_put(f, &f->created_tasks, fold_task_key(task), 0);
    struct otf2_created created = {.task = task, .before = lp_map_get(&f->created_by, fold_task_key(f->task))};
    if (!vector_push(&f->created, created))
        f->failed = true;
    fold_map_put(f, &f->created_by, fold_task_key(f->task), (uint32_t)f->created.count - 1);
    EVENT_END;
}

OTF2_EVENT(on_task_switch, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    interrupt_waiting(f, time);
    bool implicit = is_implicit(f, task, team, thread);
    if (!implicit && lp_map_get(&f->seen_tasks, fold_task_key(task)) == LP_MAP_FREE) {
        fold_map_put(f, &f->seen_tasks, fold_task_key(task), 0);
        task_event(f, fold_push_wait(f, LP_NODE_TASK_SWITCH, time), task, team);
    } else {
        f->counts.sync_events++;
        fold_push_point(f, LP_NODE_TASK_SWITCH, time);
    }
    f->task = implicit ? FOLD_IMPLICIT_TASK : task;
    EVENT_END;
}

OTF2_EVENT(on_task_complete, OTF2_CommRef team, uint32_t thread, uint32_t generation)
{
    EVENT_BEGIN;
    struct otf2_identity task = task_identity(team, thread, generation);
    task_event(f, fold_push_point(f, LP_NODE_TASK_COMPLETE, time), task, team);
    lp_map_remove(&f->seen_tasks, fold_task_key(task));
    f->task = FOLD_IMPLICIT_TASK;
    EVENT_END;
}

void otf2_register_threads(OTF2_EvtReaderCallbacks *callbacks)
{
    FOLD_SET(ThreadAcquireLock, otf2_on_acquire_lock);
    FOLD_SET(ThreadReleaseLock, otf2_on_release_lock);
    FOLD_SET(OmpAcquireLock, on_omp_acquire_lock);
    FOLD_SET(OmpReleaseLock, on_omp_release_lock);
    FOLD_SET(ThreadCreate, otf2_on_thread_create);
    FOLD_SET(ThreadBegin, otf2_on_thread_begin);
    FOLD_SET(ThreadEnd, otf2_on_thread_end);
    FOLD_SET(ThreadWait, otf2_on_thread_wait);
    FOLD_SET(ThreadFork, otf2_on_fork);
    FOLD_SET(ThreadJoin, otf2_on_join);
    FOLD_SET(ThreadTeamBegin, otf2_on_team_begin);
    FOLD_SET(ThreadTeamEnd, otf2_on_team_end);
    FOLD_SET(ThreadTaskCreate, otf2_on_task_create);
    FOLD_SET(ThreadTaskSwitch, otf2_on_task_switch);
    FOLD_SET(ThreadTaskComplete, otf2_on_task_complete);
}
