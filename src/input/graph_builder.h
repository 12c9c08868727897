/* Builds an execution from a graph given by names: what the JSON readers share.
 *
 * Nodes of a process that are joined by process arcs form a chain, which becomes a track of the processor. A process arc
 * that does not fit a chain (a second one into or out of a node) becomes a track of its own, joined by cross arcs of weight 0;
 * a node with cross arcs in and out becomes two. Both leave every path length as it was.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_GRAPH_BUILDER_H
#define LP_INPUT_GRAPH_BUILDER_H

#include "base/map.h"
#include "base/vector.h"
#include "longpole/execution.h"

struct graph_node {
    char *name;
    uint32_t process;
    uint32_t next, previous; /* by the process arcs of its chain; LP_NONE at the ends */
    uint32_t chain_arc;      /* the process arc that ends here */
    uint32_t cross_in, cross_out;
    uint32_t target, source; /* ids in the execution; equal unless the node was made two */
};

#define GRAPH_HEAD (LP_NONE - 1) /* `previous` of a node that must be the first of its chain */

struct graph_local {
    uint32_t from, to, region;
    bool useful, in_chain;
    double duration; /* input's unit */
};

struct graph_cross {
    uint32_t from, to;
    double weight;
};

struct graph_names {
    char **items;
    size_t count, capacity;
};

struct graph_builder {
    const char *path; /* for messages */
    struct graph_names processes, regions;
    VECTOR(struct graph_node) nodes;
    VECTOR(struct graph_local) locals;
    VECTOR(struct graph_cross) crosses;
    struct lp_map process_index, region_index, node_index; /* by hash of the name; first of a list of equal hashes */
    struct lp_error *error;
};

/* Index of the process or region of that name, made when new; LP_NONE: out of memory. */
uint32_t graph_process(struct graph_builder *builder, const char *name);
uint32_t graph_region(struct graph_builder *builder, const char *name);

/* The node of that name, or LP_NONE. */
uint32_t graph_find_node(const struct graph_builder *builder, const char *name);

/* Adds a node; a name that exists already is an error. `place` says where, for the message. */
enum lp_status graph_add_node(struct graph_builder *builder, const char *name, uint32_t process, const char *place,
                              uint32_t *node);

/* Adds an arc; negative and non-finite times are errors. */
enum lp_status graph_add_local(struct graph_builder *builder, struct graph_local arc, const char *place);
enum lp_status graph_add_cross(struct graph_builder *builder, struct graph_cross arc, const char *place);

/* Makes the execution; it still has to be finished. */
enum lp_status graph_build(struct graph_builder *builder, struct lp_execution *execution);

void graph_release(struct graph_builder *builder);

#endif
