/*
 * Simulates a hybrid program and writes its events on the way.
 *
 * Each location has a clock of its own. A rank's threads are simulated in the order in which they ask for locks, the
 * ranks one iteration after another; where they meet, a clock is moved to the time of what it waits for. Memory
 * does not grow with the number of events; time is linear in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "simulation.h"

enum {
    MINIMUM_DEPTH = 2, /* a descent goes at least so deep */
    CALLEES = 3,       /* a procedure calls only so many others, so that call paths recur as they do in real programs */
    COLLECTIVE_PERIOD = 10 /* iterations */
};

/* The time stamps begin at some machine's up time, not at 0, as in a recorded trace. */
static const uint64_t first_tick = 86400000000000;

/* Costs of the simulated operations, in nanoseconds. */
enum { CALL_COST = 30, MESSAGE_LATENCY = 1500, BYTES_PER_NANOSECOND = 8, COLLECTIVE_STAGE = 800, LONGEST_HOLD = 3000 };

/* ---- random numbers ---- */

/* SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix, good enough for durations and choices. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

static uint64_t random_below(struct location *location, uint64_t limit)
{
    location->random += 0x9e3779b97f4a7c15;
    return ((mix(location->random) >> 32) * limit) >> 32;
}

/* A compute time of 200 ns to 20 us before imbalance, mostly short: the third power of an even distribution. */
static uint64_t random_compute_time(struct location *location)
{
    uint64_t even = random_below(location, 1 << 16);
    uint64_t cubed = (even * even * even) >> 32; /* below 2^16 */

    return (200 + ((19800 * cubed) >> 16)) * location->imbalance / 100;
}

/* ---- events: each writes one record at the location's clock ---- */

static void count_event(struct location *location, bool synchronises)
{
    location->events++;
    location->sync_events += synchronises;
}

static void enter(struct location *location, uint32_t region)
{
    check(OTF2_EvtWriter_Enter(location->writer, NULL, location->clock, region));
    count_event(location, false);
    location->clock += CALL_COST;
}

static void leave(struct location *location, uint32_t region)
{
    location->clock += CALL_COST;
    check(OTF2_EvtWriter_Leave(location->writer, NULL, location->clock, region));
    count_event(location, false);
}

/* ---- compute ---- */

/* The call graph is fixed by the seed: who calls whom is no matter of the location or the time. */
static uint32_t callee(const struct program *program, uint32_t caller, uint64_t which)
{
    uint64_t hash = mix(program->options.seed ^ ((uint64_t)caller << 32) ^ which);

    return (uint32_t)(FIRST_PROCEDURE + hash % program->options.procedures);
}

static void turn(struct location *location)
{
    uint32_t lowest = location->depth + 1 > MINIMUM_DEPTH ? location->depth + 1 : MINIMUM_DEPTH;

    location->descending = !location->descending;
    if (location->descending)
        location->turning_depth = lowest + (uint32_t)random_below(location, MAXIMUM_DEPTH - lowest + 1);
    else
        location->turning_depth = (uint32_t)random_below(location, location->depth);
}

/* Computes for a while, then calls a procedure or returns from one. */
static void call_or_return(const struct program *program, struct location *location)
{
    location->clock += random_compute_time(location);
    if (location->depth == location->turning_depth)
        turn(location);
    if (location->descending) {
        uint32_t caller = location->depth > 0 ? location->frames[location->depth - 1] : location->root;
        uint32_t region = callee(program, caller, random_below(location, CALLEES));

        location->frames[location->depth++] = region;
        enter(location, region);
    } else {
        leave(location, location->frames[--location->depth]);
    }
}

/* Computes with as many calls as keep the share of synchronisation events at what was asked for, and at least one. */
static void compute(const struct program *program, struct location *location)
{
    do
        call_or_return(program, location);
    while (location->sync_events * 100 > location->events * program->options.sync_share);
}

/* ---- locks ---- */

static void request_lock(const struct program *program, struct location *location)
{
    compute(program, location);
    location->wanted_lock = random_below(location, 4) == 0;
    enter(location, REGION_LOCK);
    location->waiting = true;
}

/* Gives a waiting location its lock, holds it, and releases it. */
static void grant_lock(struct program *program, struct rank *rank, struct location *location)
{
    uint32_t identifier = location->wanted_lock;
    struct lock *lock = &rank->locks[identifier];

    if (location->clock < lock->free_at)
        location->clock = lock->free_at;
    location->clock += CALL_COST;
    lock->order++;
    check(OTF2_EvtWriter_ThreadAcquireLock(location->writer, NULL, location->clock, OTF2_PARADIGM_PTHREAD, identifier,
                                           lock->order));
    count_event(location, true);
    leave(location, REGION_LOCK);

    location->clock += random_below(location, LONGEST_HOLD);

    enter(location, REGION_UNLOCK);
    check(OTF2_EvtWriter_ThreadReleaseLock(location->writer, NULL, location->clock, OTF2_PARADIGM_PTHREAD, identifier,
                                           lock->order));
    count_event(location, true);
    lock->free_at = location->clock;
    leave(location, REGION_UNLOCK);

    location->waiting = false;
    program->lock_pairs++;
}

/* The thread that has waited longest, or NULL. */
static struct location *first_waiting(const struct program *program, struct rank *rank)
{
    struct location *first = NULL;

    for (uint32_t thread = 0; thread < program->thread_count; thread++) {
        struct location *location = &rank->threads[thread];

        if (location->waiting && (first == NULL || location->clock < first->clock))
            first = location;
    }
    return first;
}

/*
 * Lets all threads of a rank compute and take locks until the master has had a lock one to three times. Every other
 * thread is always waiting for a lock here, so the order of the requests is known: nobody can still ask at an earlier
 * time than the one who is served.
 */
static void run_threads(struct program *program, struct rank *rank)
{
    struct location *master = &rank->threads[0];
    uint64_t rounds = 1 + random_below(master, 3);

    request_lock(program, master);
    while (rounds > 0) {
        struct location *location = first_waiting(program, rank);

        grant_lock(program, rank, location);
        if (location != master || --rounds > 0)
            request_lock(program, location);
    }
}

/* ---- messages ---- */

static enum direction opposite(enum direction side)
{
    return side == LEFT ? RIGHT : LEFT;
}

static uint32_t neighbour(const struct program *program, const struct rank *rank, enum direction side)
{
    uint32_t self = (uint32_t)(rank - program->ranks);

    return (self + (side == LEFT ? program->rank_count - 1 : 1)) % program->rank_count;
}

static void post_message(struct program *program, struct rank *rank, enum direction side, uint64_t length)
{
    struct rank *receiver = &program->ranks[neighbour(program, rank, side)];

    receiver->inbox[opposite(side)] = (struct message){.sent_at = rank->threads[0].clock, .length = length};
    program->messages++;
}

/* Advances the master's clock until the message from the given side is there. */
static void await_message(struct rank *rank, enum direction side)
{
    struct location *master = &rank->threads[0];
    const struct message *message = &rank->inbox[side];
    uint64_t arrival = message->sent_at + MESSAGE_LATENCY + message->length / BYTES_PER_NANOSECOND;

    master->clock += CALL_COST;
    if (master->clock < arrival)
        master->clock = arrival;
}

static uint64_t random_length(struct location *location)
{
    return (uint64_t)8 << (2 * random_below(location, 7)); /* 8 bytes to 32 KiB */
}

/* The message's tag is the direction it travels, so both messages between two ranks that are each other's neighbours on
 * both sides stay apart. */
static void send_blocking(struct program *program, struct rank *rank, enum direction side)
{
    struct location *master = &rank->threads[0];
    uint64_t length = random_length(master);

    compute(program, master);
    enter(master, REGION_SEND);
    check(OTF2_EvtWriter_MpiSend(master->writer, NULL, master->clock, neighbour(program, rank, side), 0, side, length));
    count_event(master, true);
    post_message(program, rank, side, length);
    leave(master, REGION_SEND);
}

static void receive_blocking(struct program *program, struct rank *rank, enum direction side)
{
    struct location *master = &rank->threads[0];

    compute(program, master);
    enter(master, REGION_RECEIVE);
    await_message(rank, side);
    check(OTF2_EvtWriter_MpiRecv(master->writer, NULL, master->clock, neighbour(program, rank, side), 0, opposite(side),
                                 rank->inbox[side].length));
    count_event(master, true);
    leave(master, REGION_RECEIVE);
}

struct exchange_step {
    bool sends;
    enum direction side;
};

/*
 * Even ranks exchange first with their right neighbour, odd ones with their left, and each pair so that one sends while
 * the other receives. The last of an odd number of ranks sends on both sides before it receives. Every receive's send
 * is in the same step or before, whatever the number of ranks.
 */
static const struct exchange_step *exchange_script(const struct program *program, uint32_t rank)
{
    static const struct exchange_step even[] = {{true, RIGHT}, {false, RIGHT}, {true, LEFT}, {false, LEFT}};
    static const struct exchange_step odd[] = {{false, LEFT}, {true, LEFT}, {false, RIGHT}, {true, RIGHT}};
    static const struct exchange_step closing[] = {{true, RIGHT}, {true, LEFT}, {false, RIGHT}, {false, LEFT}};

    if (rank % 2 == 1)
        return odd;
    return rank == program->rank_count - 1 ? closing : even;
}

static void exchange_blocking(struct program *program)
{
    for (uint32_t step = 0; step < 4; step++) {
        for (uint32_t rank = 0; rank < program->rank_count; rank++)
            if (exchange_script(program, rank)[step].sends)
                send_blocking(program, &program->ranks[rank], exchange_script(program, rank)[step].side);
        for (uint32_t rank = 0; rank < program->rank_count; rank++)
            if (!exchange_script(program, rank)[step].sends)
                receive_blocking(program, &program->ranks[rank], exchange_script(program, rank)[step].side);
    }
}

static void start_receive(struct program *program, struct rank *rank, enum direction side)
{
    struct location *master = &rank->threads[0];

    compute(program, master);
    rank->receive_requests[side] = ++rank->last_request;
    enter(master, REGION_IRECEIVE);
    check(OTF2_EvtWriter_MpiIrecvRequest(master->writer, NULL, master->clock, rank->receive_requests[side]));
    count_event(master, true);
    leave(master, REGION_IRECEIVE);
}

static void start_send(struct program *program, struct rank *rank, enum direction side)
{
    struct location *master = &rank->threads[0];
    uint64_t length = random_length(master);

    compute(program, master);
    rank->send_requests[side] = ++rank->last_request;
    enter(master, REGION_ISEND);
    check(OTF2_EvtWriter_MpiIsend(master->writer, NULL, master->clock, neighbour(program, rank, side), 0, side, length,
                                  rank->send_requests[side]));
    count_event(master, true);
    post_message(program, rank, side, length);
    leave(master, REGION_ISEND);
}

/* All requests of the rank complete when the last message is there; the records stand in the order of the requests. */
static void wait_for_all(struct program *program, struct rank *rank)
{
    struct location *master = &rank->threads[0];

    compute(program, master);
    enter(master, REGION_WAITALL);
    await_message(rank, LEFT);
    await_message(rank, RIGHT);
    for (enum direction side = LEFT; side < DIRECTIONS; side++) {
        check(OTF2_EvtWriter_MpiIrecv(master->writer, NULL, master->clock, neighbour(program, rank, side), 0,
                                      opposite(side), rank->inbox[side].length, rank->receive_requests[side]));
        count_event(master, true);
    }
    for (enum direction side = LEFT; side < DIRECTIONS; side++) {
        check(
            OTF2_EvtWriter_MpiIsendComplete(master->writer, NULL, master->clock, rank->send_requests[opposite(side)]));
        count_event(master, true);
    }
    leave(master, REGION_WAITALL);
}

static void exchange_nonblocking(struct program *program)
{
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        start_receive(program, &program->ranks[rank], LEFT);
        start_receive(program, &program->ranks[rank], RIGHT);
        start_send(program, &program->ranks[rank], RIGHT);
        start_send(program, &program->ranks[rank], LEFT);
    }
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        wait_for_all(program, &program->ranks[rank]);
}

/* ---- collectives ---- */

struct collective {
    uint32_t region;
    OTF2_CollectiveOp operation;
    bool rooted;
    uint64_t length; /* bytes sent, or received, where there are any */
};

static const struct collective collectives[] = {
    {REGION_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, false, 8},
    {REGION_BARRIER, OTF2_COLLECTIVE_OP_BARRIER, false, 0},
    {REGION_BCAST, OTF2_COLLECTIVE_OP_BCAST, true, 1024},
    {REGION_REDUCE, OTF2_COLLECTIVE_OP_REDUCE, true, 64},
};

static void end_collective(struct program *program, const struct collective *collective, struct rank *rank,
                           uint32_t root)
{
    struct location *master = &rank->threads[0];
    bool is_root = rank == &program->ranks[root];
    bool sends = collective->operation != OTF2_COLLECTIVE_OP_BCAST || is_root;
    bool receives = collective->operation != OTF2_COLLECTIVE_OP_REDUCE || is_root;

    check(OTF2_EvtWriter_MpiCollectiveEnd(master->writer, NULL, master->clock, collective->operation, 0,
                                          collective->rooted ? root : OTF2_COLLECTIVE_ROOT_NONE,
                                          sends ? collective->length : 0, receives ? collective->length : 0));
    count_event(master, true);
    leave(master, collective->region);
}

/* All ranks leave after the last one came, whatever the operation: the library is taken to synchronise. */
static void run_collective(struct program *program)
{
    const struct collective *collective =
        &collectives[program->collectives % (sizeof collectives / sizeof collectives[0])];
    uint32_t root = (uint32_t)(program->collectives % program->rank_count);
    uint64_t last_begin = 0;
    uint64_t duration = COLLECTIVE_STAGE;

    for (uint32_t reached = 1; reached < program->rank_count; reached *= 2)
        duration += COLLECTIVE_STAGE;
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        struct location *master = &program->ranks[rank].threads[0];

        compute(program, master);
        enter(master, collective->region);
        check(OTF2_EvtWriter_MpiCollectiveBegin(master->writer, NULL, master->clock));
        count_event(master, true);
        if (last_begin < master->clock)
            last_begin = master->clock;
    }
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        struct location *master = &program->ranks[rank].threads[0];

        master->clock = last_begin + duration + random_below(master, COLLECTIVE_STAGE);
        end_collective(program, collective, &program->ranks[rank], root);
    }
    program->collectives++;
}

/* ---- the program ---- */

uint64_t count_events(const struct program *program)
{
    uint64_t events = 0;

    for (uint64_t location = 0; location < program->options.locations; location++)
        events += program->locations[location].events;
    return events;
}

void create_locations(struct program *program)
{
    uint64_t count = program->options.locations;

    program->thread_count = count >= 16 && count % THREADS_PER_RANK == 0 ? THREADS_PER_RANK : 1;
    program->rank_count = (uint32_t)(count / program->thread_count);
    program->locations = allocate_zeroed(count, sizeof *program->locations);
    program->ranks = allocate_zeroed(program->rank_count, sizeof *program->ranks);
    for (uint64_t index = 0; index < count; index++) {
        struct location *location = &program->locations[index];
        uint64_t rank = index / program->thread_count;
        uint64_t thread = index % program->thread_count;

        if (thread == 0)
            program->ranks[rank].threads = location;
        location->id = thread << 32 | rank;
        location->clock = first_tick;
        location->random = mix(program->options.seed + index);
        location->imbalance = 80 + mix(program->options.seed ^ (rank << 20)) % 60;
        location->root = thread == 0 ? REGION_MAIN : REGION_WORKER;
        location->writer = open_event_writer(program, location->id);
    }
}

static void start_locations(struct program *program)
{
    for (uint64_t index = 0; index < program->options.locations; index++) {
        struct location *location = &program->locations[index];

        location->clock += random_below(location, 10000);
        location->first = location->clock;
        enter(location, location->root);
        if (index % program->thread_count != 0)
            request_lock(program, location);
    }
}

static void run_iteration(struct program *program, uint64_t iteration)
{
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        run_threads(program, &program->ranks[rank]);
    if (program->rank_count > 1) {
        if (iteration % 2 == 0)
            exchange_blocking(program);
        else
            exchange_nonblocking(program);
    }
    if (iteration % COLLECTIVE_PERIOD == COLLECTIVE_PERIOD - 1)
        run_collective(program);
}

static void finish_locations(struct program *program)
{
    for (uint32_t index = 0; index < program->rank_count; index++) {
        struct rank *rank = &program->ranks[index];
        struct location *location;

        while ((location = first_waiting(program, rank)) != NULL)
            grant_lock(program, rank, location);
    }
    for (uint64_t index = 0; index < program->options.locations; index++) {
        struct location *location = &program->locations[index];

        while (location->depth > 0) {
            location->clock += random_compute_time(location);
            leave(location, location->frames[--location->depth]);
        }
        leave(location, location->root);
    }
}

/* Runs iterations until one more would overshoot the wanted number of events by more than it falls short now. */
void run_program(struct program *program)
{
    uint64_t before = 0;
    uint64_t events = 0;
    uint64_t iteration = 0;

    start_locations(program);
    do {
        before = events;
        run_iteration(program, iteration++);
        events = count_events(program);
    } while (events + (events - before) / 2 < program->options.events);
    finish_locations(program);
}
