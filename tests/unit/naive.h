/* Activity graphs the plain way: the definitions of the methods (doc/methods.md) written down without any thought of speed,
 * for graphs of a dozen nodes. Shares nothing with the library.
 *
 * Arcs stand in the order of the input, process arcs first: so "on a tie the local arc wins, then the arc that comes
 * first" is "the first arc wins". naive_close adds a virtual root and end where there are several beginnings or ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_TEST_NAIVE_H
#define LP_TEST_NAIVE_H

#include "support.h"

enum { NAIVE_NODES = 40, NAIVE_ARCS = 160, NAIVE_PROCEDURES = 4, NAIVE_SEGMENTS = 4000, NAIVE_TIME = 1000 };

struct naive_arc {
    int from, to;
    int procedure; /* -1: a cross arc */
    int weight;    /* on a path: 0 for waiting */
    int duration;
};

struct naive_segment {
    int from, to; /* nodes */
    int slack;
};

struct naive {
    int node_count;
    int process[NAIVE_NODES];
    struct naive_arc arcs[NAIVE_ARCS];
    int arc_count;
    int given_nodes, given_arcs; /* without what naive_close added */
    int root, end;               /* -1: not needed */
    /* Found by naive_path: */
    int length;
    int path[NAIVE_ARCS]; /* arcs, in order */
    int path_count;
    int position[NAIVE_NODES]; /* on the path, or -1 */
    int distance[NAIVE_NODES];
};

/* ---- Making one ---------------------------------------------------------------------------------------- */

struct naive_options {
    bool mixed_order;   /* nodes of different processes alternate in the input */
    bool extra_arcs;    /* process arcs beside the chain */
    bool inner_crosses; /* cross arcs within a process */
    bool one_end;       /* all processes end in one node */
};

void naive_random(struct naive *graph, struct random *random, struct naive_options options);
void naive_close(struct naive *graph);

/* As activity-graph JSON; the caller frees. Node i is "nI", process i "PI", procedure i "fI". */
char *naive_json(const struct naive *graph);

/* ---- Asking it ----------------------------------------------------------------------------------------- */

/* How many ways there are from beginning to end. */
double naive_ways(const struct naive *graph);

/* The longest path by trying all; fills length, path, position and distance. */
void naive_path(struct naive *graph);

/* How much shorter the longest path is when all arcs of the procedure weigh nothing: by trying all again. */
int naive_zeroing(const struct naive *graph, int procedure);

/* Slack segments by sending messages, and by all pairs of critical nodes. */
int naive_messages(const struct naive *graph, struct naive_segment *segments);
int naive_pairs(const struct naive *graph, struct naive_segment *segments);

/* Walks the path with a table of the active segments. */
int naive_slack(const struct naive *graph, int procedure, const struct naive_segment *segments, int count);

int naive_on_path(const struct naive *graph, int procedure);
int naive_total(const struct naive *graph, int procedure);

/* degree[t]: activities under way in [t, t + 1). */
void naive_degrees(const struct naive *graph, bool all, bool latest, int degree[NAIVE_TIME]);

/* When the last process ends, waiting included. */
int naive_wall(const struct naive *graph);

#endif
