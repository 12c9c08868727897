/* The global definitions of an OTF2 archive, as far as the model needs them, with dense indices.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_DEFINITIONS_H
#define LP_INPUT_OTF2_DEFINITIONS_H

#include <otf2/otf2.h>

#include "base/map.h"
#include "base/vector.h"
#include "longpole/execution.h"

enum {
    REGION_OUTSIDE = 0,   /* "(outside any region)" */
    REGION_UNDEFINED = 1, /* "(undefined region)": the trace names a region that it does not define */
    REGION_FLUSH = 2,     /* "(trace buffer flush)" */
    REGION_FIRST = 3,
};

struct otf2_region {
    struct lp_region region; /* name and file are owned */
    bool synchronous_send;   /* MPI_Ssend and its like */
    bool barrier;            /* a thread barrier, explicit or implicit */
    bool task_wait;
};

struct otf2_location {
    uint64_t id;
    char *name;
    uint32_t process; /* dense index of its location group; of itself when it has none */
    uint64_t events;
};

struct otf2_group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    bool global_members;
    uint32_t count;
    uint64_t *members;
};

/* A communicator. Ranks are resolved to locations when they are asked for. */
struct otf2_communicator {
    uint32_t group, other_group; /* indices; other_group for inter-communicators, else LP_NONE */
};

struct otf2_metric_member {
    char *name, *unit;
    OTF2_MetricMode mode;
    OTF2_Type type;
};

struct otf2_metric_class {
    uint8_t count;
    uint32_t *members; /* indices */
};

struct otf2_definitions {
    VECTOR(char *) strings;
    VECTOR(struct otf2_region) regions;
    VECTOR(struct otf2_location) locations; /* processors only, in the order of their definition */
    VECTOR(char *) processes;
    VECTOR(struct otf2_group) groups;
    VECTOR(struct otf2_communicator) communicators;
    VECTOR(uint32_t) contexts; /* region index of each calling context */
    VECTOR(struct otf2_metric_member) members;
    VECTOR(struct otf2_metric_class) classes;
    VECTOR(uint32_t) region_of_ref; /* REGION_UNDEFINED where there is none */
    struct lp_map string_of_ref, location_of_id, process_of_ref, group_of_ref, communicator_of_ref, context_of_ref,
        member_of_ref, class_of_ref, region_of_name;
    uint32_t comm_locations[256]; /* by paradigm: index of its COMM_LOCATIONS group, or LP_NONE */
    uint64_t resolution;          /* ticks per second */
    uint64_t offset;              /* of the first time stamp */
    bool has_clock;
    bool failed; /* out of memory */
};

/* Reads the global definitions through an open reader. On failure `message` says what went wrong (static text). */
bool otf2_definitions_read(struct otf2_definitions *definitions, OTF2_Reader *reader, const char **message);
void otf2_definitions_release(struct otf2_definitions *definitions);

/* Index of the location that has that rank in the communicator, as seen from location `self`; LP_NONE if none. */
uint32_t otf2_rank_location(const struct otf2_definitions *definitions, uint32_t communicator, uint32_t rank,
                            uint32_t self);

/* Whether its collective operations have members elsewhere that can be told: not for MPI_COMM_SELF and its like, and not
 * for inter-communicators, whose two groups the records do not distinguish. */
bool otf2_communicator_is_plain(const struct otf2_definitions *definitions, uint32_t communicator);

/* How many members it has (0: unknown). */
uint32_t otf2_communicator_size(const struct otf2_definitions *definitions, uint32_t communicator);

#endif
