/* Event traces: {"PROCESS":[{"id":...,"work":...,"recv":...,"comm":...},...],...}. Each event closes an activity of `work`
 * time units; with "recv" (an id, or a list of ids) it also needs that event, `comm` time units later. A process starts at
 * an event "PROCESS.start". An optional "procedure" names the activity (default "work").
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "input/graph_builder.h"
#include "input/readers.h"

bool lp_is_event_trace(const json_t *document)
{
    const char *key;
    json_t *value;
    if (!json_is_object(document) || !json_object_size(document) || json_object_get(document, "tasks"))
        return false;
    json_object_foreach ((json_t *)document, key, value) {
        if (!json_is_array(value))
            return false;
        if (json_array_size(value) && !json_object_get(json_array_get(value, 0), "id"))
            return false;
    }
    return true;
}

struct place {
    char text[128];
};

static struct place place_of(const char *process, size_t index)
{
    struct place place;
    snprintf(place.text, sizeof place.text, "process \"%.80s\", event %zu", process, index);
    return place;
}

/* A number that may be left out. */
static enum lp_status number(const struct graph_builder *graph, const json_t *value, const char *key, const char *place,
                             double *result)
{
    *result = 0;
    if (value && !json_is_null(value) && !json_is_number(value))
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: \"%s\" is not a number", graph->path, place, key);
    *result = json_number_value(value);
    return LP_OK;
}

static enum lp_status add_process(struct graph_builder *graph, const char *name, const json_t *events)
{
    uint32_t process = graph_process(graph, name), before;
    char *start = malloc(strlen(name) + sizeof ".start");
    if (process == LP_NONE || !start) {
        free(start);
        return lp_no_memory(graph->error);
    }
    strcat(strcpy(start, name), ".start");
    enum lp_status status = graph_add_node(graph, start, process, "start", &before);
    free(start);
    for (size_t i = 0; !status && i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *procedure = json_object_get(event, "procedure");
        struct place place = place_of(name, i);
        const char *id = json_string_value(json_object_get(event, "id"));
        struct graph_local arc = {.from = before, .useful = true};
        if (!id || (procedure && !json_is_string(procedure)))
            return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: expected {\"id\", \"work\", \"recv\", \"comm\"}",
                           graph->path, place.text);
        status = number(graph, json_object_get(event, "work"), "work", place.text, &arc.duration);
        if (!status)
            status = graph_add_node(graph, id, process, place.text, &arc.to);
        if (status)
            break;
        arc.region = graph_region(graph, procedure ? json_string_value(procedure) : "work");
        status = arc.region == LP_NONE ? lp_no_memory(graph->error) : graph_add_local(graph, arc, place.text);
        before = arc.to;
    }
    return status;
}

static enum lp_status add_receive(struct graph_builder *graph, const char *place, const char *target,
                                  const json_t *source, double weight)
{
    const char *name = json_string_value(source);
    if (!name)
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: \"recv\" is not the id of an event", graph->path, place);
    struct graph_cross arc = {
        .to = graph_find_node(graph, target), .weight = weight, .from = graph_find_node(graph, name)};
    if (arc.from == LP_NONE)
        return lp_fail(graph->error, LP_BAD_INPUT, "%s: %s: there is no event \"%s\"", graph->path, place, name);
    return graph_add_cross(graph, arc, place);
}

static enum lp_status add_receives(struct graph_builder *graph, const char *process, const json_t *events)
{
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *sources = json_object_get(event, "recv");
        struct place place = place_of(process, i);
        const char *id = json_string_value(json_object_get(event, "id"));
        double weight;
        enum lp_status status = number(graph, json_object_get(event, "comm"), "comm", place.text, &weight);
        if (!status && json_is_array(sources)) {
            for (size_t k = 0; !status && k < json_array_size(sources); k++)
                status = add_receive(graph, place.text, id, json_array_get(sources, k), weight);
        } else if (!status && sources && !json_is_null(sources)) {
            status = add_receive(graph, place.text, id, sources, weight);
        }
        if (status)
            return status;
    }
    return LP_OK;
}

enum lp_status lp_read_event_trace(const char *path, const json_t *document, struct lp_execution *execution,
                                   struct lp_error *error)
{
    struct graph_builder graph = {.path = path, .error = error};
    enum lp_status status = LP_OK;
    const char *process;
    json_t *events;
    json_object_foreach ((json_t *)document, process, events)
        if (!status)
            status = add_process(&graph, process, events);
    json_object_foreach ((json_t *)document, process, events)
        if (!status)
            status = add_receives(&graph, process, events);
    if (!status)
        status = graph_build(&graph, execution);
    execution->reading.format = strdup("event trace");
    graph_release(&graph);
    return status;
}
