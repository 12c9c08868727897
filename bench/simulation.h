/*
 * A hybrid program under simulation, and what its parts offer each other: simulation.c runs it, trace_archive.c keeps
 * what it does as an OTF2 archive, generate_trace.c is the command. All of them end the process with a message when
 * something fails.
 *
 * Order of use: open_archive, create_locations, run_program, close_archive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_SIMULATION_H
#define BENCH_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

enum {
    MAXIMUM_DEPTH = 6, /* of compute procedures; the root frame is not counted */
    LOCKS = 2,         /* in a rank */
    THREADS_PER_RANK = 4
};

/* The regions that are no compute procedures; those follow, from FIRST_PROCEDURE on. */
enum region {
    REGION_MAIN,
    REGION_WORKER,
    REGION_SEND,
    REGION_RECEIVE,
    REGION_ISEND,
    REGION_IRECEIVE,
    REGION_WAITALL,
    REGION_ALLREDUCE,
    REGION_BARRIER,
    REGION_BCAST,
    REGION_REDUCE,
    REGION_LOCK,
    REGION_UNLOCK,
    FIRST_PROCEDURE
};

enum direction { LEFT, RIGHT, DIRECTIONS };

struct options {
    const char *directory;
    uint64_t locations;
    uint64_t events;     /* to be reached, about */
    uint64_t procedures; /* compute procedures */
    uint64_t seed;
    uint64_t sync_share; /* percent of synchronisation events among all; what can be reached ends at about 30 */
};

struct location {
    OTF2_EvtWriter *writer;
    OTF2_LocationRef id; /* thread << 32 | rank, as Score-P numbers them */
    uint64_t clock;      /* of the last event, or the time up to which the location was simulated, in ns */
    uint64_t first;      /* time of the first event, in ns */
    uint64_t random;     /* state of this location's generator */
    uint64_t imbalance;  /* percent by which compute time is stretched */
    uint64_t events;
    uint64_t sync_events;
    uint32_t root;                  /* region at the bottom of the call stack */
    uint32_t frames[MAXIMUM_DEPTH]; /* regions above it */
    uint32_t depth;                 /* frames in use */
    uint32_t turning_depth;         /* where the descent, or the ascent, ends */
    bool descending;
    bool waiting;         /* inside pthread_mutex_lock since `clock` */
    uint32_t wanted_lock; /* when waiting */
};

struct lock {
    uint64_t free_at; /* time of the last release, in ns */
    uint32_t order;   /* of the last acquisition */
};

struct message {
    uint64_t sent_at;
    uint64_t length; /* in bytes */
};

struct rank {
    struct location *threads; /* the first is the master */
    struct lock locks[LOCKS];
    struct message inbox[DIRECTIONS]; /* by the side it comes from; one may be under way on each side */
    uint64_t receive_requests[DIRECTIONS];
    uint64_t send_requests[DIRECTIONS];
    uint64_t last_request;
};

struct program {
    struct options options;
    OTF2_Archive *archive;
    struct location *locations; /* by rank, then thread */
    struct rank *ranks;
    uint32_t rank_count;
    uint32_t thread_count; /* of one rank */
    uint64_t messages;
    uint64_t collectives;
    uint64_t lock_pairs;
};

_Noreturn void fail(const char *format, ...);

/* Ends the process unless the library's call succeeded. */
void check(OTF2_ErrorCode code);

/* Never NULL. */
void *allocate_zeroed(size_t count, size_t size);

/* Opens the archive for writing in the directory of the options; there must be none yet. */
void open_archive(struct program *program);

/* The writer of a location's events. */
OTF2_EvtWriter *open_event_writer(struct program *program, OTF2_LocationRef location);

/* Writes the definitions of the program that ran, and closes the archive and all its writers. */
void close_archive(struct program *program);

/* Creates ranks and locations as the options want them, each with its event writer. */
void create_locations(struct program *program);

/* Runs the program to its end and writes its events. */
void run_program(struct program *program);

/* The events of all locations. */
uint64_t count_events(const struct program *program);

#endif
