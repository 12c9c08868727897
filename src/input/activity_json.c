/* Activity graphs: {"nodes":[[name,process],...],"process_arcs":[[from,to,procedure,duration,useful],...],
 * "cross_arcs":[[from,to,weight],...]}.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "input/graph_builder.h"
#include "input/readers.h"

bool lp_is_activity_graph(const json_t *document)
{
    return json_is_array(json_object_get(document, "nodes"));
}

/* "process_arcs[3]" */
struct place {
    char text[64];
};

static struct place place_of(const char *list, size_t index)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "%s[%zu]", list, index);
    return place;
}

static enum lp_status bad_row(const struct graph_builder *graph, const char *place, const char *form)
{
    return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: expected %s", graph->path, place, form);
}

static enum lp_status find_end(const struct graph_builder *graph, const json_t *row, size_t column, const char *place,
                               uint32_t *node)
{
    const char *name = json_string_value(json_array_get(row, column));
    if (!name)
        return bad_row(graph, place, "the name of a node");
    *node = graph_find_node(graph, name);
    if (*node == LP_NONE)
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: there is no node \"%s\"", graph->path, place, name);
    return LP_OK;
}

static enum lp_status add_node(struct graph_builder *graph, const json_t *row, size_t index)
{
    struct place place = place_of("nodes", index);
    const char *name = json_string_value(json_array_get(row, 0)), *process = json_string_value(json_array_get(row, 1));
    if (json_array_size(row) != 2 || !name || !process)
        return bad_row(graph, place.text, "[name, process]");
    uint32_t number = graph_process(graph, process), node;
    return number == LP_NONE ? lp_no_memory(graph->error) : graph_add_node(graph, name, number, place.text, &node);
}

static enum lp_status add_process_arc(struct graph_builder *graph, const json_t *row, size_t index)
{
    struct place place = place_of("process_arcs", index);
    const char *procedure = json_string_value(json_array_get(row, 2));
    const json_t *duration = json_array_get(row, 3), *useful = json_array_get(row, 4);
    if (json_array_size(row) != 5 || !procedure || !json_is_number(duration) || !json_is_boolean(useful))
        return bad_row(graph, place.text, "[from, to, procedure, duration, useful]");
    struct graph_local arc = {.duration = json_number_value(duration), .useful = json_is_true(useful)};
    enum lp_status status = find_end(graph, row, 0, place.text, &arc.from);
    if (!status)
        status = find_end(graph, row, 1, place.text, &arc.to);
    if (status)
        return status;
    arc.region = graph_region(graph, procedure);
    return arc.region == LP_NONE ? lp_no_memory(graph->error) : graph_add_local(graph, arc, place.text);
}

static enum lp_status add_cross_arc(struct graph_builder *graph, const json_t *row, size_t index)
{
    struct place place = place_of("cross_arcs", index);
    const json_t *weight = json_array_get(row, 2);
    if (json_array_size(row) != 3 || !json_is_number(weight))
        return bad_row(graph, place.text, "[from, to, weight]");
    struct graph_cross arc = {.weight = json_number_value(weight)};
    enum lp_status status = find_end(graph, row, 0, place.text, &arc.from);
    if (!status)
        status = find_end(graph, row, 1, place.text, &arc.to);
    return status ? status : graph_add_cross(graph, arc, place.text);
}

static enum lp_status each_row(struct graph_builder *graph, const json_t *document, const char *key,
                               enum lp_status (*add)(struct graph_builder *, const json_t *, size_t))
{
    const json_t *rows = json_object_get(document, key);
    if (rows && !json_is_array(rows))
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: \"%s\" is not a list", graph->path, key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        enum lp_status status = add(graph, json_array_get(rows, i), i);
        if (status)
            return status;
    }
    return LP_OK;
}

enum lp_status lp_read_activity_graph(const char *path, const json_t *document, struct lp_execution *execution,
                                      struct lp_error *error)
{
    struct graph_builder graph = {.path = path, .error = error};
    enum lp_status status = each_row(&graph, document, "nodes", add_node);
    if (!status)
        status = each_row(&graph, document, "process_arcs", add_process_arc);
    if (!status)
        status = each_row(&graph, document, "cross_arcs", add_cross_arc);
    if (!status)
        status = graph_build(&graph, execution);
    execution->reading.format = strdup("activity graph");
    graph_release(&graph);
    return status;
}
