/* The definitions that the fuzzers of OTF2 events share, for otf2_double.c: a few processes with threads, regions of all roles, and
 * communicators of all kinds, among them some that are not sound.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_FUZZ_WORLD_H
#define LP_FUZZ_WORLD_H

#include "bytes.h"

enum { PROCESSES_MAX = 3, THREADS_MAX = 3, LOCATIONS_MAX = PROCESSES_MAX * THREADS_MAX };

/* Regions (world.c has them all): those that a scene needs. */
enum {
    REGION_SEND = 2,
    REGION_ISSEND = 4,
    REGION_RECEIVE = 5,
    REGION_WAITALL = 6,
    REGION_ALLREDUCE = 7,
    REGION_BARRIER = 9,
    REGION_TASK_WAIT = 11,
    REGION_LOCK = 13,
    REGIONS = 15
};

/* Communicators: one of each kind, so that a byte can choose. */
enum {
    COMM_WORLD,
    COMM_SELF,
    COMM_SOME, /* two of the ranks */
    COMM_INTER,
    COMM_GLOBAL,   /* of global members */
    COMM_EMPTY,    /* without members */
    COMM_NOWHERE,  /* its ranks have no location */
    COMM_NO_GROUP, /* its group is not defined */
    COMM_PTHREAD,
    COMM_TEAM, /* and one for each process */
    COMMS = COMM_TEAM + PROCESSES_MAX,
};

struct world {
    struct bytes bytes;
    uint32_t processes, threads; /* threads of each process */
    uint32_t locations;          /* by process, then thread */
    uint64_t now;
    uint64_t skew[LOCATIONS_MAX];
};

/* Makes a new trace with all definitions but those of the locations; processes and threads are given. */
void world_define(struct world *world, uint64_t resolution, uint64_t offset);

/* Definitions that nobody asked for: they may define things again, or refer to what is not there. */
void world_define_strays(struct world *world);

/* Defines the locations, last, since their number of events is known only now; `lie`: one too many. */
void world_close(const struct world *world, bool lie);

#endif
