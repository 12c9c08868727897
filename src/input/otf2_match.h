/* Finds the counterpart of every sync point of an OTF2 archive, by ids alone: time stamps are not trusted.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_MATCH_H
#define LP_INPUT_OTF2_MATCH_H

#include <pthread.h>

#include "input/otf2_location.h"

struct otf2_matching {
    struct otf2_definitions *definitions;
    struct otf2_fold *folds; /* [location] */
    uint32_t *first_node;    /* [location] id of its first node */
    uint32_t location_count;
    unsigned threads;
    struct lp_execution *execution; /* its arcs and the counts of its reading are filled */
    pthread_mutex_t mutex;          /* guards these two and `arcs` */
    VECTOR(struct lp_arc) arcs;
    lp_ticks *totals; /* [worker][region], while settling */
    bool failed;      /* out of memory */
};

/* Sets `matched`, `link`, `many` and `time` of the records that wait. */
bool otf2_match(struct otf2_matching *matching);

/* Moves what was no waiting behind its point, in every location, makes the nodes, sums up, and frees the records. False: out
 * of memory. */
bool otf2_settle(struct otf2_matching *matching);

#endif
