/* The checks, in the order of the headers: the execution's structure and order; path, Slack (both forms) and Zeroing; parallelism
 * in its four variants; wait states and accounts. Everything is done in integers, so every comparison is exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "invariants.h"

#include <stdio.h>
#include <stdlib.h>

#include "longpole/analysis.h"

#define HOLDS(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    HOLDS(memory);
    return memory;
}

/* ---- The execution ------------------------------------------------------------------------------------- */

static void check_processors(const struct lp_execution *e)
{
    uint32_t next = 0;
    HOLDS(e->processor_count > 0);
    for (uint32_t p = 0; p < e->processor_count; p++) {
        const struct lp_processor *processor = &e->processors[p];
        uint32_t parts = 0;
        HOLDS(processor->name);
        HOLDS(processor->first_node == next && processor->node_count > 0);
        next += processor->node_count;
        for (uint32_t id = processor->first_node; id < next; id++) {
            HOLDS(e->nodes[id].part_end >= parts && e->nodes[id].part_end <= processor->part_count);
            HOLDS(e->nodes[id].kind < LP_NODE_KIND_COUNT);
            parts = e->nodes[id].part_end;
            HOLDS(lp_execution_processor_of(e, id) == p);
        }
        HOLDS(parts == processor->part_count);
        for (uint32_t i = 0; i < processor->part_count; i++) {
            HOLDS(lp_part_region(processor->parts[i]) < e->region_count);
            HOLDS(lp_part_kind(processor->parts[i]) <= LP_OVERHEAD);
            HOLDS(lp_part_duration(processor->parts[i]) >= 0);
        }
    }
    HOLDS(next == e->node_count);
}

static void check_times(const struct lp_execution *e)
{
    bool first = false, last = false;
    HOLDS(e->ticks_per_unit > 0 && e->begin == 0 && e->end >= 0);
    for (uint32_t p = 0; e->has_clock && p < e->processor_count; p++) {
        const struct lp_processor *processor = &e->processors[p];
        lp_ticks end = processor->start;
        for (uint32_t i = 0; i < processor->part_count; i++)
            end += lp_part_duration(processor->parts[i]);
        HOLDS(processor->start >= 0 && end <= e->end);
        first = first || processor->start == 0;
        last = last || end == e->end;
    }
    HOLDS(!e->has_clock || (first && last));
}

/* Calls with every source of the node; returns how many there are. */
static size_t each_source(const struct lp_execution *e, const struct lp_node *node,
                          void (*action)(void *, const struct lp_arc *), void *context)
{
    size_t count = 0;
    if (node->from == LP_NONE)
        return 0;
    struct lp_arc single = {.from = node->from, .slot = node->slot};
    if (!(node->flags & LP_NODE_MANY))
        return action(context, &single), 1;
    for (const struct lp_arc *arc = e->arcs + node->from; arc->from != LP_NONE; arc++, count++)
        action(context, arc);
    return count;
}

struct order_check {
    const struct lp_execution *execution;
    const char *done; /* [node] */
};

static void check_source(void *context, const struct lp_arc *arc)
{
    const struct order_check *check = context;
    HOLDS(arc->from < check->execution->node_count);
    HOLDS(check->done[arc->from]);
    HOLDS(arc->weight >= 0 && arc->slot < check->execution->slot_count);
    HOLDS(check->execution->nodes[arc->from].flags & LP_NODE_IS_SOURCE);
    HOLDS(check->execution->nodes[arc->from].slot == arc->slot);
}

/* `runs` holds every node once, causes before effects; nobody is source and target. */
static void check_order(const struct lp_execution *e)
{
    char *done = allocate(e->node_count, 1);
    uint32_t *next = allocate(e->processor_count, sizeof *next);
    uint32_t count = 0;
    for (uint32_t r = 0; r < e->run_count; r++) {
        const struct lp_run *run = &e->runs[r];
        HOLDS(run->processor < e->processor_count && run->count > 0);
        HOLDS(run->first == e->processors[run->processor].first_node + next[run->processor]);
        next[run->processor] += run->count;
        HOLDS(next[run->processor] <= e->processors[run->processor].node_count);
        for (uint32_t id = run->first; id < run->first + run->count; id++, count++) {
            const struct lp_node *node = &e->nodes[id];
            HOLDS(node->from == LP_NONE || !(node->flags & LP_NODE_IS_SOURCE));
            HOLDS(node->from != LP_NONE || !(node->flags & LP_NODE_MANY));
            HOLDS(!(node->flags & LP_NODE_MANY) || node->from < e->arc_count);
            each_source(e, node, check_source, &(struct order_check){e, done});
            done[id] = 1;
        }
    }
    HOLDS(count == e->node_count);
    free(done);
    free(next);
}

/* ---- The naive longest path ---------------------------------------------------------------------------- */

struct longest {
    const lp_ticks *distance;
    lp_ticks best;
};

static void take_longest(void *context, const struct lp_arc *arc)
{
    struct longest *longest = context;
    lp_ticks way = longest->distance[arc->from] + arc->weight;
    longest->best = way > longest->best ? way : longest->best;
}

static lp_ticks arc_weight(const struct lp_execution *e, const struct lp_processor *processor, uint32_t id,
                           uint32_t without)
{
    lp_ticks weight = 0;
    for (const lp_part *part = lp_arc_begin(e, processor, id); part < lp_arc_end(e, processor, id); part++)
        if (lp_part_region(*part) != without)
            weight += lp_part_weight(*part);
    return weight;
}

/* Fills distance[node] from the definition, the procedure `without` (LP_NONE: none) taking no time; returns the length. */
static lp_ticks longest_path(const struct lp_execution *e, uint32_t without, lp_ticks *distance)
{
    lp_ticks length = 0;
    for (uint32_t r = 0; r < e->run_count; r++) {
        const struct lp_processor *processor = &e->processors[e->runs[r].processor];
        for (uint32_t id = e->runs[r].first; id < e->runs[r].first + e->runs[r].count; id++) {
            struct longest longest = {.distance = distance};
            if (id > processor->first_node)
                longest.best = distance[id - 1] + arc_weight(e, processor, id, without);
            each_source(e, &e->nodes[id], take_longest, &longest);
            distance[id] = longest.best;
            length = longest.best > length ? longest.best : length;
        }
    }
    return length;
}

/* ---- Path, Slack, Zeroing ------------------------------------------------------------------------------ */

static lp_ticks entry_weight(const struct lp_execution *e, const struct lp_path *path, const struct lp_leg *leg)
{
    const struct lp_node *node = &e->nodes[leg->first];
    HOLDS(node->from != LP_NONE);
    return node->flags & LP_NODE_MANY ? e->arcs[path->chosen[node->from]].weight : 0;
}

static void sum_piece(void *context, const struct lp_piece *piece)
{
    HOLDS(piece->duration > 0);
    *(lp_ticks *)context += piece->duration;
}

/* The legs are a way through the graph, as long as they say, and all of the run's time is accounted for. */
static void check_path(const struct lp_execution *e, const struct lp_path *path, const lp_ticks *distance,
                       lp_ticks length)
{
    lp_ticks profile = 0, crossing = 0, pieces = 0;
    uint32_t nodes = 0;
    HOLDS(path->length == length && path->leg_count > 0);
    for (size_t i = 0; i < path->leg_count; i++) {
        const struct lp_leg *leg = &path->legs[i];
        const struct lp_processor *processor = &e->processors[leg->processor];
        HOLDS(leg->first >= processor->first_node && leg->first <= leg->last &&
              leg->last < processor->first_node + processor->node_count);
        HOLDS(leg->distance == distance[leg->first]);
        crossing += i ? entry_weight(e, path, leg) : 0;
        nodes += leg->last - leg->first + 1;
    }
    HOLDS(nodes == path->node_count);
    HOLDS(distance[path->legs[path->leg_count - 1].last] == length);
    for (uint32_t i = 0; i < e->region_count; i++) {
        HOLDS(path->on_path[i] >= 0);
        profile += path->on_path[i];
    }
    HOLDS(profile + crossing == length);
    lp_path_pieces(e, path, sum_piece, &pieces);
    HOLDS(pieces == profile);
    HOLDS(path->before + path->waiting + path->crossing_time + path->after == e->end - length);
    if (!e->reading.clock_violations)
        HOLDS(length <= e->end);
}

static void check_segments(const struct lp_slack *slack, const struct lp_path *path)
{
    HOLDS(slack->position_count == path->node_count + 2);
    for (size_t i = 0; i < slack->segment_count; i++) {
        HOLDS(slack->segments[i].from < slack->segments[i].to);
        HOLDS(slack->segments[i].to < slack->position_count && slack->segments[i].slack >= 0);
    }
}

/* Zeroing of every procedure must be what the naive implementation finds. */
static void check_profile(const struct lp_execution *e, const struct lp_profile *profile, lp_ticks length)
{
    lp_ticks *distance = allocate(e->node_count, sizeof *distance);
    HOLDS(profile->on_path_count <= profile->procedure_count && profile->procedure_count <= e->region_count);
    for (size_t i = 0; i < profile->procedure_count; i++) {
        const struct lp_procedure *p = &profile->procedures[i];
        HOLDS(p->region < e->region_count && (i < profile->on_path_count) == (p->path > 0));
        HOLDS(0 <= p->slack && p->slack <= p->zeroing && p->zeroing <= p->path && p->path <= length &&
              p->path <= p->total);
        HOLDS(p->zeroing == length - longest_path(e, p->region, distance));
        HOLDS(!i || p[-1].path >= p->path);
    }
    free(distance);
}

/* The report's Slack never exceeds the tight one; nothing else depends on the form. */
static void check_tight(const struct lp_execution *e, const struct lp_profile *profile)
{
    struct lp_slack_options options = {.tight = true, .keep_segments = true};
    struct lp_profile tight;
    struct lp_error error;
    if (!lp_slack_tight_feasible(e, &profile->path) || e->node_count > 20000)
        return;
    HOLDS(lp_profile_find(e, &options, &tight, &error) == LP_OK);
    HOLDS(tight.procedure_count == profile->procedure_count && tight.path.length == profile->path.length);
    for (size_t i = 0; i < tight.procedure_count; i++) {
        HOLDS(tight.procedures[i].region == profile->procedures[i].region);
        HOLDS(tight.procedures[i].zeroing == profile->procedures[i].zeroing);
        HOLDS(profile->procedures[i].slack <= tight.procedures[i].slack);
        HOLDS(tight.procedures[i].slack <= tight.procedures[i].zeroing);
    }
    check_segments(&tight.slack, &tight.path);
    lp_profile_release(&tight);
}

/* Keeping all segments, or only those that can bind, is the same Slack. */
static void check_kept_segments(const struct lp_execution *e, const struct lp_profile *profile)
{
    struct lp_slack slack;
    struct lp_error error;
    HOLDS(lp_slack_find(e, &profile->path, &(struct lp_slack_options){.keep_segments = true}, &slack, &error) == LP_OK);
    for (uint32_t i = 0; i < e->region_count; i++)
        HOLDS(slack.slack[i] == profile->slack.slack[i]);
    check_segments(&slack, &profile->path);
    lp_slack_release(&slack);
}

/* More threads share the work in another way, and find the same. */
static void check_threads(const struct lp_execution *e, const struct lp_profile *profile)
{
    struct lp_profile other;
    struct lp_error error;
    if (e->node_count % 4)
        return;
    HOLDS(lp_profile_find(e, &(struct lp_slack_options){.threads = 2}, &other, &error) == LP_OK);
    HOLDS(other.procedure_count == profile->procedure_count && other.on_path_count == profile->on_path_count);
    for (size_t i = 0; i < other.procedure_count; i++) {
        const struct lp_procedure *x = &other.procedures[i], *y = &profile->procedures[i];
        HOLDS(x->region == y->region && x->path == y->path && x->zeroing == y->zeroing && x->slack == y->slack);
    }
    lp_profile_release(&other);
}

static void check_critical_path(const struct lp_execution *e, const lp_ticks *distance, lp_ticks length)
{
    struct lp_profile profile;
    struct lp_error error;
    HOLDS(lp_profile_find(e, &(struct lp_slack_options){0}, &profile, &error) == LP_OK);
    check_path(e, &profile.path, distance, length);
    check_profile(e, &profile, length);
    check_kept_segments(e, &profile);
    check_tight(e, &profile);
    check_threads(e, &profile);
    lp_profile_release(&profile);
}

/* ---- Parallelism --------------------------------------------------------------------------------------- */

static lp_ticks total_work(const struct lp_execution *e, bool all)
{
    lp_ticks work = 0;
    for (uint32_t p = 0; p < e->processor_count; p++)
        for (uint32_t i = 0; i < e->processors[p].part_count; i++)
            work += lp_part_weight(e->processors[p].parts[i]);
    for (uint32_t id = 0; all && id < e->node_count; id++)
        if (e->nodes[id].flags & LP_NODE_MANY)
            for (const struct lp_arc *arc = e->arcs + e->nodes[id].from; arc->from != LP_NONE; arc++)
                work += arc->weight;
    return work;
}

static void check_parallelism(const struct lp_execution *e, bool all, bool latest, lp_ticks length)
{
    struct lp_parallelism p;
    struct lp_error error;
    HOLDS(lp_parallelism_find(e, all ? LP_COUNT_ALL : LP_COUNT_WORK, latest ? LP_LATEST : LP_EARLIEST, &p, &error) ==
          LP_OK);
    HOLDS(p.length == length && p.work == total_work(e, all));
    lp_ticks work = 0, time = 0, by_shape = 0;
    for (size_t i = 0; i < p.step_count; i++) {
        HOLDS(p.profile[i].begin >= (i ? p.profile[i - 1].end : 0) && p.profile[i].end > p.profile[i].begin);
        HOLDS(p.profile[i].end <= length && p.profile[i].degree > 0 && p.profile[i].degree <= p.maximum);
        work += (p.profile[i].end - p.profile[i].begin) * p.profile[i].degree;
    }
    HOLDS(work == p.work && (all || p.maximum <= e->processor_count));
    for (uint32_t k = 0; k <= p.maximum; k++) {
        HOLDS(p.shape[k] >= 0);
        time += p.shape[k];
        by_shape += p.shape[k] * k;
    }
    HOLDS(time == length && by_shape == p.work);
    lp_parallelism_release(&p);
}

static void check_critical_times(const struct lp_execution *e, const lp_ticks *distance)
{
    lp_ticks *times = allocate(e->node_count, sizeof *times);
    struct lp_error error;
    HOLDS(lp_critical_times(e, times, &error) == LP_OK);
    for (uint32_t id = 0; id < e->node_count; id++)
        HOLDS(times[id] == distance[id]);
    free(times);
}

/* ---- Wait states and accounts -------------------------------------------------------------------------- */

static void check_account(const struct lp_account *account, lp_ticks all)
{
    HOLDS(account->useful >= 0 && account->waiting >= 0 && account->overhead >= 0);
    HOLDS(account->outside >= 0 && account->outside <= account->useful);
    HOLDS(account->useful + account->waiting + account->overhead + account->absent == all);
}

static void check_accounts(const struct lp_execution *e, const struct lp_account *total)
{
    lp_ticks useful = 0, waiting = 0, overhead = 0, absent = 0;
    for (uint32_t p = 0; p < e->processor_count; p++) {
        const struct lp_processor *processor = &e->processors[p];
        lp_ticks kinds[3] = {0};
        for (uint32_t i = 0; i < processor->part_count; i++)
            kinds[lp_part_kind(processor->parts[i])] += lp_part_duration(processor->parts[i]);
        check_account(&processor->account, processor->track ? 0 : e->end);
        HOLDS(processor->account.useful == kinds[LP_USEFUL] && processor->account.waiting == kinds[LP_WAITING] &&
              processor->account.overhead == kinds[LP_OVERHEAD]);
        HOLDS(processor->track || processor->account.absent >= 0);
        useful += processor->account.useful;
        waiting += processor->account.waiting;
        overhead += processor->account.overhead;
        absent += processor->account.absent;
    }
    check_account(total, e->end * lp_execution_width(e));
    HOLDS(total->useful == useful && total->waiting == waiting && total->overhead == overhead &&
          total->absent == absent);
}

static void check_waits(const struct lp_execution *e)
{
    struct lp_waits waits;
    struct lp_error error;
    HOLDS(lp_waits_find(e, 1, &waits, &error) == LP_OK);
    check_accounts(e, &waits.total);
    lp_ticks states = 0, pairs = 0;
    uint64_t state_count = 0, pair_count = 0;
    for (size_t i = 0; i < waits.state_count; i++) {
        const struct lp_wait_state *state = &waits.states[i];
        HOLDS(state->region < e->region_count && state->time > 0 && state->count > 0);
        HOLDS(*lp_node_waiting_name(state->kind));
        HOLDS(state->worst_processor < e->processor_count);
        HOLDS(state->worst_cause == LP_NONE || state->worst_cause < e->processor_count);
        states += state->time;
        state_count += state->count;
    }
    for (size_t i = 0; i < waits.pair_count; i++) {
        const struct lp_wait_pair *pair = &waits.pairs[i];
        HOLDS(pair->waiter < e->processor_count && pair->time > 0);
        HOLDS(pair->cause == LP_NONE || pair->cause < e->processor_count);
        HOLDS(!i || pair[-1].time >= pair->time);
        pairs += pair->time;
        pair_count += pair->count;
    }
    HOLDS(states == waits.total.waiting && pairs == waits.total.waiting && state_count == pair_count);
    lp_waits_release(&waits);
}

void check_invariants(const struct lp_execution *e)
{
    check_processors(e);
    check_order(e);
    check_times(e);
    lp_ticks *distance = allocate(e->node_count, sizeof *distance);
    lp_ticks length = longest_path(e, LP_NONE, distance);
    check_critical_path(e, distance, length);
    check_critical_times(e, distance);
    for (int variant = 0; variant < 4; variant++)
        check_parallelism(e, variant & 1, variant & 2, length);
    check_waits(e);
    free(distance);
}
