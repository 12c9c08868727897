/* OTF2 events in any order and with any ids, through otf2_double.c.
 *
 * The first bytes decide on processes, threads, clock and faults, and on stray definitions; each of the others begins an
 * event, or a small scene that belongs together (a message, a collective operation, a team with a barrier, a task). The
 * definitions are sound, with some that are not: an empty group, a communicator without group, ranks without location.
 *
 * Each trace is read with `salvage`, and must then satisfy all invariants; sometimes also without, where it may fail with
 * a message.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "invariants.h"
#include "longpole/input.h"
#include "otf2_double.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- Events -------------------------------------------------------------------------------------------- */

static void add(struct world *w, uint32_t location, enum double_event_kind kind, uint64_t a, uint64_t b, uint64_t c,
                uint64_t d)
{
    double_add(location,
               (struct double_event){.kind = kind, .time = w->now + w->skew[location], .arguments = {a, b, c, d}});
}

/* Time mostly goes on a little; now and then far, or back, or anywhere. */
static void advance(struct world *w)
{
    uint8_t choice = take(&w->bytes);
    if (choice < 224)
        w->now += choice % 16;
    else if (choice < 248)
        w->now += UINT64_C(1) << 2 * (choice - 224);
    else if (choice < 252)
        w->now -= choice - 247;
    else
        w->now = take_number(&w->bytes, 8) >> take_below(&w->bytes, 64);
}

static uint32_t take_region(struct world *w)
{
    return take_below(&w->bytes, REGIONS + 1); /* the last is not defined */
}

static uint64_t take_id(struct world *w, uint32_t likely)
{
    uint8_t choice = take(&w->bytes);
    return choice < 252 ? choice % likely : take_number(&w->bytes, 8);
}

/* One event with ids as they come. */
static void add_any(struct world *w, uint32_t location)
{
    static const enum double_event_kind kinds[] = {
        EVENT_Enter, EVENT_Leave, EVENT_MpiSend, EVENT_MpiIsend, EVENT_MpiIsendComplete, EVENT_MpiIrecvRequest,
        EVENT_MpiRecv, EVENT_MpiIrecv, EVENT_MpiRequestCancelled, EVENT_MpiCollectiveBegin, EVENT_MpiCollectiveEnd,
        EVENT_NonBlockingCollectiveRequest, EVENT_NonBlockingCollectiveComplete, EVENT_OmpAcquireLock,
        EVENT_OmpReleaseLock, EVENT_ThreadAcquireLock, EVENT_ThreadReleaseLock, EVENT_ThreadFork, EVENT_ThreadJoin,
        EVENT_ThreadTeamBegin, EVENT_ThreadTeamEnd, EVENT_ThreadTaskCreate, EVENT_ThreadTaskSwitch,
        EVENT_ThreadTaskComplete, EVENT_ThreadCreate, EVENT_ThreadBegin, EVENT_ThreadWait, EVENT_ThreadEnd,
        EVENT_CallingContextEnter, EVENT_CallingContextLeave, EVENT_CallingContextSample, EVENT_Metric,
        EVENT_BufferFlush, EVENT_MeasurementOnOff, EVENT_ProgramBegin, EVENT_ProgramEnd, EVENT_ParameterInt,
        EVENT_RmaPut, EVENT_Unknown,
    };
    enum double_event_kind kind = kinds[take_below(&w->bytes, sizeof kinds / sizeof *kinds)];
    switch (kind) {
    case EVENT_Enter:
    case EVENT_Leave:
        add(w, location, kind, take_region(w), 0, 0, 0);
        break;
    case EVENT_MpiSend:
    case EVENT_MpiIsend:
    case EVENT_MpiRecv:
    case EVENT_MpiIrecv: {
        uint64_t rank = take_id(w, 4), communicator = take_below(&w->bytes, COMMS + 1), tag = take_below(&w->bytes, 2);
        add(w, location, kind, rank, communicator, tag, take_id(w, 4));
        break;
    }
    case EVENT_MpiCollectiveEnd:
    case EVENT_NonBlockingCollectiveComplete: {
        uint64_t operation = take_id(w, 24), communicator = take_below(&w->bytes, COMMS + 1), root = take_id(w, 4);
        add(w, location, kind, operation, communicator, root, take_id(w, 4));
        break;
    }
    case EVENT_BufferFlush:
        add(w, location, kind, w->now + take_id(w, 16), 0, 0, 0);
        break;
    case EVENT_ThreadTeamBegin:
    case EVENT_ThreadTeamEnd:
        add(w, location, kind, take_below(&w->bytes, COMMS + 1), 0, 0, 0);
        break;
    case EVENT_ThreadCreate:
    case EVENT_ThreadBegin:
    case EVENT_ThreadWait:
    case EVENT_ThreadEnd:
        add(w, location, kind, COMM_PTHREAD, take_id(w, 4), 0, 0);
        break;
    default: {
        uint64_t a = take_id(w, 12), b = take_id(w, 4), c = take_id(w, 8);
        add(w, location, kind, a, b, c, 0);
    }
    }
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

static uint32_t master(const struct world *w, uint32_t process)
{
    return process * w->threads;
}

static void add_message(struct world *w)
{
    uint32_t from = take_below(&w->bytes, w->processes), to = take_below(&w->bytes, w->processes),
             how = take(&w->bytes);
    uint32_t send_region = REGION_SEND + how % 3, receive_region = how & 4 ? REGION_WAITALL : REGION_RECEIVE;
    bool back = how & 8;
    if (receive_region == REGION_WAITALL)
        add(w, master(w, to), EVENT_MpiIrecvRequest, how / 16 % 4, 0, 0, 0);
    for (int side = 0; side < 2; side++) {
        if ((side == 0) != back) {
            add(w, master(w, from), EVENT_Enter, send_region, 0, 0, 0);
            advance(w);
            add(w, master(w, from), send_region == REGION_ISSEND ? EVENT_MpiIsend : EVENT_MpiSend, to, COMM_WORLD, 0,
                how / 16 % 4);
            advance(w);
            add(w, master(w, from), EVENT_Leave, send_region, 0, 0, 0);
        } else {
            add(w, master(w, to), EVENT_Enter, receive_region, 0, 0, 0);
            advance(w);
            add(w, master(w, to), receive_region == REGION_WAITALL ? EVENT_MpiIrecv : EVENT_MpiRecv, from, COMM_WORLD,
                0, how / 16 % 4);
            add(w, master(w, to), EVENT_Leave, receive_region, 0, 0, 0);
        }
        advance(w);
    }
    if (send_region == REGION_ISSEND)
        add(w, master(w, from), EVENT_MpiIsendComplete, how / 16 % 4, 0, 0, 0);
}

static void add_collective(struct world *w)
{
    uint32_t operation = take_below(&w->bytes, 24), root = take_below(&w->bytes, w->processes);
    bool blocking = take(&w->bytes) % 2;
    for (uint32_t p = 0; p < w->processes; p++) {
        add(w, master(w, p), EVENT_Enter, REGION_ALLREDUCE, 0, 0, 0);
        if (blocking)
            add(w, master(w, p), EVENT_MpiCollectiveBegin, 0, 0, 0, 0);
        else
            add(w, master(w, p), EVENT_NonBlockingCollectiveRequest, 1, 0, 0, 0);
        advance(w);
        if (take(&w->bytes) % 8 == 0)
            add_any(w, master(w, p));
    }
    for (uint32_t p = 0; p < w->processes; p++) {
        add(w, master(w, p), blocking ? EVENT_MpiCollectiveEnd : EVENT_NonBlockingCollectiveComplete, operation,
            COMM_WORLD, root, 1);
        add(w, master(w, p), EVENT_Leave, REGION_ALLREDUCE, 0, 0, 0);
    }
}

static void add_team(struct world *w)
{
    uint32_t process = take_below(&w->bytes, w->processes), team = COMM_TEAM + process, first = master(w, process);
    add(w, first, EVENT_ThreadFork, OTF2_PARADIGM_OPENMP, w->threads, 0, 0);
    for (uint32_t t = 0; t < w->threads; t++) {
        advance(w);
        add(w, first + t, EVENT_ThreadTeamBegin, team, 0, 0, 0);
    }
    for (uint32_t events = take_below(&w->bytes, 8); events > 0; events--) {
        advance(w);
        add_any(w, first + take_below(&w->bytes, w->threads));
    }
    for (uint32_t t = 0; t < w->threads; t++)
        add(w, first + t, EVENT_Enter, REGION_BARRIER, 0, 0, 0);
    for (uint32_t t = 0; t < w->threads; t++) {
        advance(w);
        add(w, first + t, EVENT_Leave, REGION_BARRIER, 0, 0, 0);
        add(w, first + t, EVENT_ThreadTeamEnd, team, 0, 0, 0);
    }
    add(w, first, EVENT_ThreadJoin, OTF2_PARADIGM_OPENMP, 0, 0, 0);
}

static void add_task(struct world *w)
{
    uint32_t process = take_below(&w->bytes, w->processes), team = COMM_TEAM + process, first = master(w, process);
    uint32_t creator = take_below(&w->bytes, w->threads), runner = take_below(&w->bytes, w->threads);
    uint32_t number = take_below(&w->bytes, 6);
    add(w, first + creator, EVENT_ThreadTaskCreate, team, creator, number, 0);
    add(w, first + creator, EVENT_Enter, REGION_TASK_WAIT, 0, 0, 0);
    advance(w);
    add(w, first + runner, EVENT_ThreadTaskSwitch, team, creator, number, 0);
    advance(w);
    add(w, first + runner, EVENT_ThreadTaskComplete, team, creator, number, 0);
    advance(w);
    add(w, first + creator, EVENT_Leave, REGION_TASK_WAIT, 0, 0, 0);
}

static void add_lock(struct world *w)
{
    uint32_t lock = take_below(&w->bytes, 2), order = take_below(&w->bytes, 4);
    uint32_t holder = take_below(&w->bytes, w->locations), next = take_below(&w->bytes, w->locations);
    add(w, holder, EVENT_ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, lock, order, 0);
    add(w, next, EVENT_Enter, REGION_LOCK, 0, 0, 0);
    advance(w);
    add(w, holder, EVENT_ThreadReleaseLock, OTF2_PARADIGM_PTHREAD, lock, order, 0);
    advance(w);
    add(w, next, EVENT_ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, lock, order + 1, 0);
    add(w, next, EVENT_Leave, REGION_LOCK, 0, 0, 0);
}

static void add_scene(struct world *w)
{
    uint8_t choice = take(&w->bytes);
    advance(w);
    switch (choice % 16) {
    case 0:
        add_message(w);
        break;
    case 1:
        add_collective(w);
        break;
    case 2:
        add_team(w);
        break;
    case 3:
        add_task(w);
        break;
    case 4:
        add_lock(w);
        break;
    default:
        add_any(w, choice / 16 % w->locations);
    }
}

/* ---- One input ----------------------------------------------------------------------------------------- */

static void make_trace(struct world *w)
{
    static const uint64_t resolutions[] = {1000000000, 1, 1000, 0};
    w->processes = 1 + take_below(&w->bytes, PROCESSES_MAX);
    w->threads = 1 + take_below(&w->bytes, THREADS_MAX);
    uint8_t clock = take(&w->bytes), fault = take(&w->bytes), lie = take(&w->bytes), skew = take(&w->bytes);
    w->now = 1000 * (clock / 4 % 4);
    world_define(w, resolutions[clock % 4], 1000 * (clock / 16 % 4));
    double_trace.fault = fault < 240 ? FAULT_NONE : fault % FAULTS;
    for (uint32_t i = 0; i < w->locations && skew >= 192; i++)
        w->skew[i] = skew % 8 * i;
    world_define_strays(w);
    while (bytes_left(&w->bytes))
        add_scene(w);
    world_close(w, lie == 255);
}

static void read_trace(const char *path, bool salvage)
{
    struct lp_execution execution;
    struct lp_error error = {""};
    struct lp_read_options options = {.threads = 1, .salvage = salvage};
    enum lp_status status = lp_read(path, &options, &execution, &error);
    if (status == LP_OK)
        check_invariants(&execution);
    else if (!*error.message || strchr(error.message, '\n'))
        abort(); /* a failure has one line that says why */
    else if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", error.message);
    lp_execution_release(&execution);
}

static void show_trace(void)
{
    static const char *const names[] = {
#define X(name) #name,
        DOUBLE_EVENTS(X)
#undef X
    };
    for (size_t l = 0; l < double_trace.location_count; l++) {
        fprintf(stderr, "location %zu\n", l);
        for (size_t i = 0; i < double_trace.locations[l].count; i++) {
            const struct double_event *event = &double_trace.locations[l].events[i];
            fprintf(stderr, "  %20llu %-28s %llu %llu %llu %llu\n", (unsigned long long)event->time, names[event->kind],
                    (unsigned long long)event->arguments[0], (unsigned long long)event->arguments[1],
                    (unsigned long long)event->arguments[2], (unsigned long long)event->arguments[3]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int handle = -1;
    static char path[64];
    if (handle < 0) {
        handle = memfd_create("anchor", 0); /* longpole looks at the first bytes itself */
        snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
        if (pwrite(handle, "..OTF2....", 10, 0) != 10)
            abort();
    }
    struct world world = {.bytes = {data, data + size}};
    make_trace(&world);
    if (getenv("FUZZ_SHOW"))
        show_trace();
    read_trace(path, true);
    if (size % 4 == 0)
        read_trace(path, false);
    return 0;
}
