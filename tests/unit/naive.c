/* SPDX-License-Identifier: BSD-3-Clause */
#include "naive.h"

/* ---- Making one ---------------------------------------------------------------------------------------- */

static void add_arc(struct naive *graph, struct naive_arc arc)
{
    assert_true(graph->arc_count < NAIVE_ARCS);
    graph->arcs[graph->arc_count++] = arc;
}

static int random_time(struct random *random)
{
    const int times[] = {0, 0, 1, 1, 2, 3, 4, 5, 6}; /* small, so that ties are frequent */
    return times[random_below(random, 9)];
}

/* A process arc from `a` to `b`. */
static void add_local(struct naive *graph, struct random *random, int a, int b)
{
    int duration = random_time(random);
    bool useful = random_chance(random, 80);
    add_arc(graph,
            (struct naive_arc){a, b, (int)random_below(random, NAIVE_PROCEDURES), useful ? duration : 0, duration});
}

/* One node at the end of all: which of several ends is the first is no question of the input's order then. */
static void add_common_end(struct naive *graph)
{
    int end = graph->node_count++;
    for (int node = 0; node < end; node++) {
        bool out = false;
        for (int a = 0; a < graph->arc_count; a++)
            out = out || graph->arcs[a].from == node;
        if (!out)
            add_arc(graph, (struct naive_arc){node, end, -1, 0, 0});
    }
}

/* Every arc goes from a lower to a higher `rank`. */
void naive_random(struct naive *graph, struct random *random, struct naive_options options)
{
    *graph = (struct naive){.root = -1, .end = -1};
    int processes = 1 + (int)random_below(random, 4), count = processes + (int)random_below(random, 11);
    int rank[NAIVE_NODES];
    graph->node_count = count;
    for (int i = 0; i < count; i++) { /* mixed: a node's number is its rank; else nodes of a process are neighbours */
        graph->process[i] =
            options.mixed_order ? (int)random_below(random, (uint32_t)processes) : i * processes / count;
        rank[i] = options.mixed_order ? i : (int)random_below(random, 1000) * 100 + i;
    }
    for (int i = 0; i < count; i++) /* along a process, time grows */
        for (int k = i + 1; k < count; k++)
            if (graph->process[i] == graph->process[k] && rank[i] > rank[k]) {
                int other = rank[i];
                rank[i] = rank[k];
                rank[k] = other;
            }
    for (int i = 0; i < count; i++) {
        int next = i + 1;
        while (next < count && graph->process[next] != graph->process[i])
            next++;
        if (next < count && random_chance(random, 94))
            add_local(graph, random, i, next);
        for (int k = i + 1; options.extra_arcs && k < count; k++)
            if (graph->process[k] == graph->process[i] && random_chance(random, 15))
                add_local(graph, random, i, k);
    }
    for (int tries = (int)random_below(random, 14); tries > 0 && count > 1; tries--) {
        int a = (int)random_below(random, (uint32_t)count), b = (int)random_below(random, (uint32_t)count);
        if (a != b && (options.inner_crosses || graph->process[a] != graph->process[b]) && rank[a] != rank[b])
            add_arc(graph, (struct naive_arc){rank[a] < rank[b] ? a : b, rank[a] < rank[b] ? b : a, -1,
                                              random_chance(random, 60) ? 0 : (int)random_below(random, 3), 0});
    }
    if (options.one_end)
        add_common_end(graph);
    naive_close(graph);
}

void naive_close(struct naive *graph)
{
    int sources[NAIVE_NODES], sinks[NAIVE_NODES], source_count = 0, sink_count = 0;
    graph->given_nodes = graph->node_count;
    graph->given_arcs = graph->arc_count;
    graph->root = graph->end = -1;
    for (int i = 0; i < graph->given_nodes; i++) {
        bool in = false, out = false;
        for (int a = 0; a < graph->given_arcs; a++) {
            in = in || graph->arcs[a].to == i;
            out = out || graph->arcs[a].from == i;
        }
        if (!in)
            sources[source_count++] = i;
        if (!out)
            sinks[sink_count++] = i;
    }
    if (source_count > 1)
        graph->root = graph->node_count++;
    if (sink_count > 1)
        graph->end = graph->node_count++;
    for (int i = 0; graph->root >= 0 && i < source_count; i++)
        add_arc(graph, (struct naive_arc){graph->root, sources[i], -1, 0, 0});
    for (int i = 0; graph->end >= 0 && i < sink_count; i++)
        add_arc(graph, (struct naive_arc){sinks[i], graph->end, -1, 0, 0});
}

char *naive_json(const struct naive *graph)
{
    struct text text;
    text_begin(&text);
    fputs("{\"nodes\":[", text.stream);
    for (int i = 0; i < graph->given_nodes; i++)
        fprintf(text.stream, "%s[\"n%d\",\"P%d\"]", i ? "," : "", i, graph->process[i]);
    const char *comma = "";
    fputs("],\"process_arcs\":[", text.stream);
    for (int i = 0; i < graph->given_arcs; i++) {
        const struct naive_arc *arc = &graph->arcs[i];
        if (arc->procedure < 0)
            continue;
        fprintf(text.stream, "%s[\"n%d\",\"n%d\",\"f%d\",%d,%s]", comma, arc->from, arc->to, arc->procedure,
                arc->duration, arc->weight == arc->duration ? "true" : "false");
        comma = ",";
    }
    comma = "";
    fputs("],\"cross_arcs\":[", text.stream);
    for (int i = 0; i < graph->given_arcs; i++) {
        const struct naive_arc *arc = &graph->arcs[i];
        if (arc->procedure >= 0)
            continue;
        fprintf(text.stream, "%s[\"n%d\",\"n%d\",%d]", comma, arc->from, arc->to, arc->weight);
        comma = ",";
    }
    fputs("]}", text.stream);
    return text_end(&text);
}

/* ---- Paths --------------------------------------------------------------------------------------------- */

static int only_end(const struct naive *graph)
{
    for (int node = 0; node < graph->node_count; node++) {
        bool out = false;
        for (int a = 0; a < graph->arc_count; a++)
            out = out || graph->arcs[a].from == node;
        if (!out)
            return node;
    }
    fail_msg("a graph without an end");
    return -1;
}

static double ways_to(const struct naive *graph, int node)
{
    double ways = 0;
    for (int a = 0; a < graph->arc_count; a++)
        if (graph->arcs[a].to == node)
            ways += ways_to(graph, graph->arcs[a].from);
    return ways ? ways : 1;
}

double naive_ways(const struct naive *graph)
{
    return ways_to(graph, only_end(graph));
}

/* All paths backwards from the end, those with earlier arcs first: the first of the longest is the one. */
struct enumeration {
    const struct naive *graph;
    const int *weights; /* of arcs */
    int chosen[NAIVE_ARCS], chosen_count;
    int best[NAIVE_ARCS], best_count, best_length; /* backwards */
};

static void try_all(struct enumeration *e, int node, int length)
{
    bool begins = true;
    for (int a = 0; a < e->graph->arc_count; a++) {
        if (e->graph->arcs[a].to != node)
            continue;
        begins = false;
        e->chosen[e->chosen_count++] = a;
        try_all(e, e->graph->arcs[a].from, length + e->weights[a]);
        e->chosen_count--;
    }
    if (begins && length > e->best_length) {
        e->best_length = length;
        e->best_count = e->chosen_count;
        memcpy(e->best, e->chosen, sizeof e->best);
    }
}

static void longest_to(struct enumeration *e, const struct naive *graph, int node, const int *weights)
{
    *e = (struct enumeration){.graph = graph, .weights = weights, .best_length = -1};
    try_all(e, node, 0);
}

static void get_weights(const struct naive *graph, int without, int *weights)
{
    for (int a = 0; a < graph->arc_count; a++)
        weights[a] = without >= 0 && graph->arcs[a].procedure == without ? 0 : graph->arcs[a].weight;
}

void naive_path(struct naive *graph)
{
    struct enumeration e;
    int weights[NAIVE_ARCS];
    get_weights(graph, -1, weights);
    for (int node = 0; node < graph->node_count; node++) {
        longest_to(&e, graph, node, weights);
        graph->distance[node] = e.best_length;
        graph->position[node] = -1;
    }
    int end = only_end(graph);
    longest_to(&e, graph, end, weights);
    graph->length = e.best_length;
    graph->path_count = e.best_count;
    for (int i = 0; i < e.best_count; i++)
        graph->path[i] = e.best[e.best_count - 1 - i];
    graph->position[end] = graph->path_count;
    for (int i = 0; i < graph->path_count; i++)
        graph->position[graph->arcs[graph->path[i]].from] = i;
}

int naive_zeroing(const struct naive *graph, int procedure)
{
    struct enumeration e;
    int weights[NAIVE_ARCS];
    get_weights(graph, procedure, weights);
    longest_to(&e, graph, only_end(graph), weights);
    return graph->length - e.best_length;
}

int naive_on_path(const struct naive *graph, int procedure)
{
    int sum = 0;
    for (int i = 0; i < graph->path_count; i++)
        if (graph->arcs[graph->path[i]].procedure == procedure)
            sum += graph->arcs[graph->path[i]].weight;
    return sum;
}

int naive_total(const struct naive *graph, int procedure)
{
    int sum = 0;
    for (int a = 0; a < graph->arc_count; a++)
        if (graph->arcs[a].procedure == procedure)
            sum += graph->arcs[a].weight;
    return sum;
}

/* ---- Slack --------------------------------------------------------------------------------------------- */

static bool is_path_arc(const struct naive *graph, int arc)
{
    for (int i = 0; i < graph->path_count; i++)
        if (graph->path[i] == arc)
            return true;
    return false;
}

/* Nodes with all causes before their effects. */
static void order_nodes(const struct naive *graph, int *order)
{
    bool done[NAIVE_NODES] = {false};
    for (int count = 0; count < graph->node_count;)
        for (int node = 0; node < graph->node_count; node++) {
            bool ready = !done[node];
            for (int a = 0; a < graph->arc_count; a++)
                ready = ready && (graph->arcs[a].to != node || done[graph->arcs[a].from]);
            if (ready) {
                done[node] = true;
                order[count++] = node;
            }
        }
}

static int add_segment(struct naive_segment *segments, int count, int from, int to, int slack)
{
    assert_true(count < NAIVE_SEGMENTS);
    assert_true(slack >= 0);
    segments[count] = (struct naive_segment){from, to, slack};
    return count + 1;
}

/* A message: which critical node sent it, and the length of its way so far. */
struct message {
    int origin; /* -1: none */
    int length;
};

int naive_messages(const struct naive *graph, struct naive_segment *segments)
{
    struct message on_arc[NAIVE_ARCS];
    int order[NAIVE_NODES], count = 0;
    const int *distance = graph->distance, *position = graph->position;
    for (int a = 0; a < graph->arc_count; a++)
        on_arc[a].origin = -1;
    order_nodes(graph, order);
    for (int i = 0; i < graph->node_count; i++) {
        int node = order[i];
        struct message forward = {.origin = position[node] >= 0 ? node : -1};
        for (int a = 0; a < graph->arc_count; a++) {
            struct message m = on_arc[a];
            if (graph->arcs[a].to != node || m.origin < 0)
                continue;
            if (position[node] >= 0)
                count = add_segment(segments, count, m.origin, node, distance[node] - distance[m.origin] - m.length);
            else if (forward.origin < 0 || distance[m.origin] + m.length > distance[forward.origin] + forward.length)
                forward = m;
        }
        for (int a = 0; a < graph->arc_count && position[node] < 0; a++) {
            struct message m = on_arc[a];
            if (graph->arcs[a].to != node || m.origin < 0 || m.origin == forward.origin)
                continue;
            bool earlier = position[m.origin] < position[forward.origin];
            count =
                add_segment(segments, count, earlier ? m.origin : forward.origin, earlier ? forward.origin : m.origin,
                            distance[forward.origin] + forward.length - distance[m.origin] - m.length);
        }
        for (int a = 0; a < graph->arc_count; a++)
            if (graph->arcs[a].from == node && forward.origin >= 0 && !is_path_arc(graph, a))
                on_arc[a] = (struct message){forward.origin, forward.length + graph->arcs[a].weight};
    }
    return count;
}

/* The longest way from `node` to each critical node, through none of them. */
static void wander(const struct naive *graph, int node, int length, int *longest)
{
    for (int a = 0; a < graph->arc_count; a++) {
        const struct naive_arc *arc = &graph->arcs[a];
        if (arc->from != node || is_path_arc(graph, a))
            continue;
        if (graph->position[arc->to] < 0)
            wander(graph, arc->to, length + arc->weight, longest);
        else if (length + arc->weight > longest[arc->to])
            longest[arc->to] = length + arc->weight;
    }
}

int naive_pairs(const struct naive *graph, struct naive_segment *segments)
{
    int count = 0;
    for (int from = 0; from < graph->node_count; from++) {
        int longest[NAIVE_NODES];
        if (graph->position[from] < 0)
            continue;
        for (int i = 0; i < graph->node_count; i++)
            longest[i] = -1;
        wander(graph, from, 0, longest);
        for (int to = 0; to < graph->node_count; to++)
            if (longest[to] >= 0)
                count =
                    add_segment(segments, count, from, to, graph->distance[to] - graph->distance[from] - longest[to]);
    }
    return count;
}

int naive_slack(const struct naive *graph, int procedure, const struct naive_segment *segments, int count)
{
    int left[NAIVE_SEGMENTS], sum = 0;
    for (int i = 0; i < count; i++)
        left[i] = segments[i].slack;
    for (int step = 0; step < graph->path_count; step++) {
        const struct naive_arc *arc = &graph->arcs[graph->path[step]];
        if (arc->procedure != procedure)
            continue;
        int cut = arc->weight;
        for (int pass = 0; pass < 2; pass++) /* the least of the active ones; then all of them lose it */
            for (int i = 0; i < count; i++) {
                if (graph->position[segments[i].from] > step || graph->position[segments[i].to] <= step)
                    continue;
                if (pass == 0)
                    cut = left[i] < cut ? left[i] : cut;
                else
                    left[i] -= cut;
            }
        sum += cut;
    }
    return sum;
}

/* ---- Parallelism --------------------------------------------------------------------------------------- */

void naive_degrees(const struct naive *graph, bool all, bool latest, int degree[NAIVE_TIME])
{
    int order[NAIVE_NODES], late[NAIVE_NODES];
    order_nodes(graph, order);
    for (int i = graph->node_count; i-- > 0;) { /* a process still ends when it ends */
        int node = order[i];
        late[node] = -1;
        for (int a = 0; a < graph->given_arcs; a++)
            if (graph->arcs[a].from == node) {
                int time = late[graph->arcs[a].to] - graph->arcs[a].weight;
                late[node] = late[node] < 0 || time < late[node] ? time : late[node];
            }
        if (late[node] < 0)
            late[node] = graph->distance[node];
    }
    memset(degree, 0, NAIVE_TIME * sizeof *degree);
    for (int a = 0; a < graph->given_arcs; a++) {
        const struct naive_arc *arc = &graph->arcs[a];
        int begin = latest ? late[arc->to] - arc->weight : graph->distance[arc->from];
        for (int t = begin; (all || arc->procedure >= 0) && t < begin + arc->weight; t++)
            degree[t]++;
    }
}

int naive_wall(const struct naive *graph)
{
    int order[NAIVE_NODES], time[NAIVE_NODES], wall = 0;
    order_nodes(graph, order);
    for (int i = 0; i < graph->node_count; i++) {
        int node = order[i];
        time[node] = 0;
        for (int a = 0; a < graph->arc_count; a++) {
            const struct naive_arc *arc = &graph->arcs[a];
            int duration = arc->procedure >= 0 ? arc->duration : arc->weight;
            if (arc->to == node && time[arc->from] + duration > time[node])
                time[node] = time[arc->from] + duration;
        }
        wall = time[node] > wall ? time[node] : wall;
    }
    return wall;
}
