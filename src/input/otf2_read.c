/* An OTF2 archive to an execution: global definitions, local definitions, events of all locations (several at once, each
 * folded as it is read), matching, settling.
 *
 * What is incomplete (a damaged or missing file, regions that are never left, messages without their counterpart) is an
 * error, or with `salvage` a gap that is reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <otf2/OTF2_Pthread_Locks.h>

#include "base/error.h"
#include "base/pool.h"
#include "input/otf2_decode.h"
#include "input/otf2_match.h"
#include "input/readers.h"

enum { CHUNK_EVENTS = 1 << 20, /* between two reports of progress */ SPARE_EVENTS = 1000 };
#define UNKNOWN_EVENTS_MAX (UINT64_C(1) << 36)

struct archive {
    const char *anchor;
    const struct lp_read_options *options;
    OTF2_Reader *reader;
    struct otf2_definitions definitions;
    struct otf2_local *locals;    /* [location] */
    struct otf2_fold *folds;      /* [location] */
    struct otf2_scratch *scratch; /* [worker] */
    char *directory;              /* of the event files; NULL: leave all to the library */
    uint64_t chunk_size;          /* of event files */
    uint32_t *first_node;
    bool posted_points;
    pthread_mutex_t mutex; /* guards what follows */
    uint64_t events_done, events_expected;
    enum lp_status status;
    struct lp_error *error;
    VECTOR(char *) gaps;
};

/* The library's own complaints would go to stderr; the last one is kept for our message. */
static _Thread_local char library_message[256];

static OTF2_ErrorCode keep_message(void *user, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    if (format)
        vsnprintf(library_message, sizeof library_message, format, arguments);
    return code;
}

static const char *library_reason(OTF2_ErrorCode code)
{
    return *library_message ? library_message : OTF2_Error_GetDescription(code);
}

static void say_place(const struct archive *a, unsigned worker, const char *text)
{
    if (a->options->place)
        a->options->place(a->options->place_context, worker, text);
}

/* Something is missing: a gap when salvaging, otherwise the first such becomes the error. */
static void missing(struct archive *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void missing(struct archive *a, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lp_make_printable(text);
    pthread_mutex_lock(&a->mutex);
    char *copy = a->options->salvage ? strdup(text) : NULL;
    if (copy && !vector_push(&a->gaps, copy))
        free(copy);
    if (!a->options->salvage && !a->status)
        a->status = lp_fail(a->error, LP_BAD_INPUT, "%s: %s", a->anchor, text);
    pthread_mutex_unlock(&a->mutex);
}

static void no_memory(struct archive *a)
{
    pthread_mutex_lock(&a->mutex);
    if (!a->status)
        a->status = lp_no_memory(a->error);
    pthread_mutex_unlock(&a->mutex);
}

/* ---- Definitions --------------------------------------------------------------------------------------- */

/* Where the event files are, if our decoder may try: a plain archive of a format that it knows. */
static void find_event_files(struct archive *a)
{
    const char *wanted = getenv("LONGPOLE_OTF2_READER");
    uint8_t major = 0, minor, bugfix;
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    uint64_t definition_chunk;
    size_t length = strlen(a->anchor);
    if ((wanted && !strcmp(wanted, "library")) || length < 6 || strcmp(a->anchor + length - 5, ".otf2") ||
        OTF2_Reader_GetVersion(a->reader, &major, &minor, &bugfix) != OTF2_SUCCESS || major < 1 || major > 3 ||
        OTF2_Reader_GetFileSubstrate(a->reader, &substrate) != OTF2_SUCCESS || substrate != OTF2_SUBSTRATE_POSIX ||
        OTF2_Reader_GetCompression(a->reader, &compression) != OTF2_SUCCESS || compression != OTF2_COMPRESSION_NONE ||
        OTF2_Reader_GetChunkSize(a->reader, &a->chunk_size, &definition_chunk) != OTF2_SUCCESS)
        return;
    a->directory = strndup(a->anchor, length - 5);
}

static enum lp_status open_archive(struct archive *a)
{
    say_place(a, 0, "the anchor file");
    OTF2_Error_RegisterCallback(keep_message, NULL);
    *library_message = 0;
    a->reader = OTF2_Reader_Open(a->anchor);
    if (!a->reader)
        return lp_fail(a->error, LP_BAD_INPUT, "%s: not a readable OTF2 anchor file%s%s", a->anchor,
                       *library_message ? ": " : "", library_message);
    if (OTF2_Reader_SetSerialCollectiveCallbacks(a->reader) != OTF2_SUCCESS ||
        OTF2_Pthread_Reader_SetLockingCallbacks(a->reader, NULL) != OTF2_SUCCESS)
        return lp_fail(a->error, LP_SYSTEM_ERROR, "%s: the OTF2 library cannot be set up: %s", a->anchor,
                       library_message);
    const char *message;
    say_place(a, 0, "the global definitions");
    if (!otf2_definitions_read(&a->definitions, a->reader, &message))
        return lp_fail(a->error, LP_BAD_INPUT, "%s: global definitions: %s%s%s", a->anchor, message,
                       *library_message ? ": " : "", library_message);
    find_event_files(a);
    for (size_t i = 0; i < a->definitions.locations.count; i++)
        a->events_expected += a->definitions.locations.items[i].events;
    return LP_OK;
}

static void read_local_definitions(void *context, size_t index, unsigned worker)
{
    struct archive *a = context;
    uint64_t location = a->definitions.locations.items[index].id, count;
    char place[64];
    snprintf(place, sizeof place, "the definitions of location %" PRIu64, location);
    say_place(a, worker, place);
    *library_message = 0;
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(a->reader, location);
    if (!reader)
        return; /* a location without definitions of its own uses the global ones */
    struct otf2_local_reading reading = {.definitions = &a->definitions, .local = &a->locals[index]};
    OTF2_DefReaderCallbacks *callbacks = otf2_local_callbacks();
    if (!callbacks || OTF2_Reader_RegisterDefCallbacks(a->reader, reader, callbacks, &reading) != OTF2_SUCCESS)
        a->locals[index].corrected = true; /* what it says is not known here */
    OTF2_DefReaderCallbacks_Delete(callbacks);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(a->reader, reader, &count);
    if (code != OTF2_SUCCESS)
        a->locals[index].corrected = true;
    if (code != OTF2_SUCCESS)
        missing(a, "definitions of location %" PRIu64 ": %s", location, library_reason(code));
    OTF2_Reader_CloseDefReader(a->reader, reader);
    say_place(a, worker, "");
}

static enum lp_status read_all_local_definitions(struct archive *a)
{
    size_t count = a->definitions.locations.count;
    a->locals = lp_allocate(count, sizeof *a->locals);
    if (!a->locals)
        return lp_no_memory(a->error);
    for (size_t i = 0; i < count; i++)
        if (OTF2_Reader_SelectLocation(a->reader, a->definitions.locations.items[i].id) != OTF2_SUCCESS)
            return lp_fail(a->error, LP_BAD_INPUT, "%s: location %" PRIu64 " cannot be selected: %s", a->anchor,
                           a->definitions.locations.items[i].id, library_message);
    say_place(a, 0, "the local definitions");
    if (OTF2_Reader_OpenDefFiles(a->reader) == OTF2_SUCCESS) {
        lp_pool_run(a->options->threads, count, read_local_definitions, a);
        OTF2_Reader_CloseDefFiles(a->reader);
    }
    return a->status;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static void report_progress(void *context, uint64_t events)
{
    struct archive *a = context;
    if (!a->options->progress)
        return;
    pthread_mutex_lock(&a->mutex);
    a->events_done += events;
    a->options->progress(a->options->progress_context,
                         a->events_expected ? (double)a->events_done / (double)a->events_expected : 0);
    pthread_mutex_unlock(&a->mutex);
}

static bool register_fold(struct archive *a, OTF2_EvtReader *reader, struct otf2_fold *fold)
{
    OTF2_EvtReaderCallbacks *callbacks = otf2_fold_callbacks();
    bool done = callbacks && OTF2_Reader_RegisterEvtCallbacks(a->reader, reader, callbacks, fold) == OTF2_SUCCESS;
    if (callbacks)
        OTF2_EvtReaderCallbacks_Delete(callbacks);
    return done;
}

/* On damaged bytes the library may deliver events without end; writers may miscount a little. */
static uint64_t most_events(const struct otf2_location *location)
{
    return location->events ? location->events / 2 * 3 + SPARE_EVENTS : UNKNOWN_EVENTS_MAX;
}

static void check_events(struct archive *a, struct otf2_fold *fold, uint64_t total, OTF2_ErrorCode code)
{
    const struct otf2_location *location = &a->definitions.locations.items[fold->location];
    fold->counts.events = total;
    if (fold->failed)
        no_memory(a);
    else if (code != OTF2_SUCCESS)
        missing(a, "location %" PRIu64 " (\"%s\"): damaged after event %" PRIu64 " of %" PRIu64 ": %s", location->id,
                location->name, total, location->events, library_reason(code));
    else if (total > most_events(location))
        missing(a, "location %" PRIu64 " (\"%s\"): damaged: far more than its %" PRIu64 " events", location->id,
                location->name, location->events);
    else if (total < location->events)
        missing(a, "location %" PRIu64 " (\"%s\"): ends after event %" PRIu64 " of %" PRIu64, location->id,
                location->name, total, location->events);
}

/* By the library. */
static void read_events(struct archive *a, struct otf2_fold *fold)
{
    const struct otf2_location *location = &a->definitions.locations.items[fold->location];
    uint64_t most = most_events(location);
    *library_message = 0;
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(a->reader, location->id);
    if (!reader || !register_fold(a, reader, fold)) {
        if (location->events)
            missing(a, "location %" PRIu64 " (\"%s\"): its events cannot be opened%s%s", location->id, location->name,
                    *library_message ? ": " : "", library_message);
    } else {
        uint64_t total = 0, count, chunk;
        OTF2_ErrorCode code;
        do {
            chunk = most - total < CHUNK_EVENTS ? most - total + 1 : CHUNK_EVENTS;
            code = OTF2_Reader_ReadLocalEvents(a->reader, reader, chunk, &count);
            total += count;
            report_progress(a, count);
        } while (code == OTF2_SUCCESS && count == chunk && total <= most);
        check_events(a, fold, total, code);
    }
    if (reader)
        OTF2_Reader_CloseEvtReader(a->reader, reader);
}

/* By our own decoder, if the archive is as it expects. */
static bool decode_events(struct archive *a, struct otf2_fold *fold)
{
    char *path = NULL;
    struct otf2_decoding decoding = {.chunk_size = a->chunk_size,
                                     .local = &a->locals[fold->location],
                                     .fold = fold,
                                     .progress = report_progress,
                                     .progress_context = a};
    if (!a->directory ||
        asprintf(&path, "%s/%" PRIu64 ".evt", a->directory, a->definitions.locations.items[fold->location].id) < 0)
        return false;
    decoding.path = path;
    bool done = otf2_decode(&decoding);
    if (done)
        check_events(a, fold, decoding.events, OTF2_SUCCESS);
    free(path);
    return done;
}

static void read_location(void *context, size_t index, unsigned worker)
{
    struct archive *a = context;
    const struct otf2_location *location = &a->definitions.locations.items[index];
    struct otf2_fold *fold = &a->folds[index];
    char place[64];
    snprintf(place, sizeof place, "the events of location %" PRIu64, location->id);
    say_place(a, worker, place);
    otf2_fold_begin(fold, &a->definitions, &a->scratch[worker], (uint32_t)index, a->posted_points);
    if (!decode_events(a, fold)) {
        a->scratch[worker].epoch = fold->epoch;
        otf2_fold_release(fold);
        otf2_fold_begin(fold, &a->definitions, &a->scratch[worker], (uint32_t)index, a->posted_points);
        read_events(a, fold);
    }
    otf2_fold_end(fold);
    say_place(a, worker, "");
}

static bool make_scratch(struct archive *a)
{
    a->folds = lp_allocate(a->definitions.locations.count, sizeof *a->folds);
    a->scratch = lp_allocate(a->options->threads, sizeof *a->scratch);
    for (unsigned i = 0; a->scratch && i < a->options->threads; i++) {
        a->scratch[i].slots = lp_allocate(a->definitions.regions.count, sizeof *a->scratch[i].slots);
        if (!a->scratch[i].slots)
            return false;
    }
    return a->folds && a->scratch;
}

static uint64_t synchronous_sends(const struct archive *a)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->definitions.locations.count; i++)
        count += a->folds[i].counts.synchronous_sends;
    return count;
}

static void release_folds(struct archive *a)
{
    for (size_t i = 0; a->folds && i < a->definitions.locations.count; i++)
        otf2_fold_release(&a->folds[i]);
}

/* A trace with synchronous sends is read once more, with a point wherever a receive is posted: few traces have them, and
 * the others should not pay for it. */
static enum lp_status read_all_events(struct archive *a)
{
    if (!make_scratch(a))
        return lp_no_memory(a->error);
    do {
        if (a->posted_points)
            release_folds(a);
        say_place(a, 0, "the events");
        if (OTF2_Reader_OpenEvtFiles(a->reader) != OTF2_SUCCESS)
            return lp_fail(a->error, LP_BAD_INPUT, "%s: the event files cannot be opened: %s", a->anchor,
                           library_message);
        lp_pool_run(a->options->threads, a->definitions.locations.count, read_location, a);
        OTF2_Reader_CloseEvtFiles(a->reader);
    } while (!a->status && !a->posted_points && (a->posted_points = synchronous_sends(a) > 0));
    return a->status;
}

/* ---- The execution ------------------------------------------------------------------------------------- */

static enum lp_status make_processors(struct archive *a, struct lp_execution *execution)
{
    const struct otf2_definitions *d = &a->definitions;
    uint32_t count = (uint32_t)d->locations.count;
    uint64_t nodes = 0;
    execution->processors = lp_allocate(count, sizeof *execution->processors);
    a->first_node = lp_allocate(count, sizeof *a->first_node);
    if (!execution->processors || !a->first_node)
        return lp_no_memory(a->error);
    execution->processor_count = count;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (uint32_t i = 0; i < count; i++)
        if (a->folds[i].started) {
            begin = a->folds[i].first < begin ? a->folds[i].first : begin;
            end = a->folds[i].latest > end ? a->folds[i].latest : end;
        }
    if (begin > end)
        return lp_fail(a->error, LP_BAD_INPUT, "%s: no location has any event", a->anchor);
    execution->end = end - begin;
    if ((double)execution->end * count > 0x1p62)
        return lp_fail(a->error, LP_BAD_INPUT, "%s: the time stamps span more than can be added up", a->anchor);
    for (uint32_t i = 0; i < count; i++) {
        const struct otf2_fold *fold = &a->folds[i];
        execution->processors[i] = (struct lp_processor){
            .name = strdup(d->locations.items[i].name),
            .process = strdup(d->processes.items[d->locations.items[i].process]),
            .first_node = (uint32_t)nodes,
            .node_count = (uint32_t)fold->records.count,
            .start = fold->started ? fold->first - begin : 0,
        };
        a->first_node[i] = (uint32_t)nodes;
        nodes += fold->records.count;
        if (!execution->processors[i].name || !execution->processors[i].process)
            return lp_no_memory(a->error);
    }
    if (nodes >= LP_NONE)
        return lp_fail(a->error, LP_BAD_INPUT, "%s: more than 4294967294 sync points", a->anchor);
    execution->node_count = (uint32_t)nodes;
    execution->nodes = malloc((nodes ? nodes : 1) * sizeof *execution->nodes);
    return execution->nodes ? LP_OK : lp_no_memory(a->error);
}

static enum lp_status make_regions(struct archive *a, struct lp_execution *execution)
{
    struct otf2_definitions *d = &a->definitions;
    execution->regions = lp_allocate(d->regions.count, sizeof *execution->regions);
    if (!execution->regions)
        return lp_no_memory(a->error);
    for (size_t i = 0; i < d->regions.count; i++) {
        execution->regions[i] = d->regions.items[i].region; /* the execution owns the names now */
        d->regions.items[i].region.name = d->regions.items[i].region.file = NULL;
    }
    execution->region_count = (uint32_t)d->regions.count;
    return LP_OK;
}

static enum lp_status make_metrics(struct archive *a, struct lp_execution *execution)
{
    struct otf2_definitions *d = &a->definitions;
    execution->metrics = lp_allocate(d->members.count, sizeof *execution->metrics);
    size_t *sizes = lp_allocate(d->members.count, sizeof *sizes);
    if (!execution->metrics || !sizes) {
        free(sizes);
        return lp_no_memory(a->error);
    }
    for (size_t l = 0; l < d->locations.count; l++)
        for (size_t i = 0; i < a->folds[l].metric_cells.count; i++)
            sizes[a->folds[l].metric_cells.items[i].member]++;
    bool enough = true;
    for (size_t i = 0; i < d->members.count; i++) {
        struct lp_metric *metric = &execution->metrics[i];
        *metric = (struct lp_metric){.name = d->members.items[i].name,
                                     .unit = d->members.items[i].unit,
                                     .sums = lp_allocate(sizes[i], sizeof *metric->sums)};
        d->members.items[i].name = d->members.items[i].unit = NULL;
        execution->metric_count++;
        enough = enough && metric->sums;
    }
    for (uint32_t l = 0; enough && l < d->locations.count; l++)
        for (size_t i = 0; i < a->folds[l].metric_cells.count; i++) {
            const struct otf2_metric_cell *cell = &a->folds[l].metric_cells.items[i];
            struct lp_metric *metric = &execution->metrics[cell->member];
            metric->sums[metric->sum_count++] =
                (struct lp_metric_sum){.processor = l, .region = cell->region, .sum = cell->sum};
        }
    free(sizes);
    return enough ? LP_OK : lp_no_memory(a->error);
}

static enum lp_status make_reading(struct archive *a, struct lp_execution *execution)
{
    struct lp_reading *reading = &execution->reading;
    struct otf2_counts sum = {0};
    for (size_t l = 0; l < a->definitions.locations.count; l++) {
        const struct otf2_counts *counts = &a->folds[l].counts;
        sum.events += counts->events;
        sum.sync_events += counts->sync_events;
        sum.unfinished_regions += counts->unfinished_regions;
        sum.stray_leaves += counts->stray_leaves;
        sum.time_reversals += counts->time_reversals;
        for (size_t i = 0; i < UNMODELLED_COUNT; i++)
            sum.unmodelled[i] += counts->unmodelled[i];
    }
    reading->format = strdup("OTF2");
    reading->events = sum.events;
    reading->sync_events = sum.sync_events;
    reading->unfinished_regions = sum.unfinished_regions;
    reading->stray_leaves = sum.stray_leaves;
    reading->time_reversals = sum.time_reversals;
    reading->unmodelled = lp_allocate(UNMODELLED_COUNT, sizeof *reading->unmodelled);
    if (!reading->unmodelled || !reading->format)
        return lp_no_memory(a->error);
    for (size_t i = 0; i < UNMODELLED_COUNT; i++)
        if (sum.unmodelled[i])
            reading->unmodelled[reading->unmodelled_count++] =
                (struct lp_unmodelled){.record = otf2_unmodelled_names[i], .count = sum.unmodelled[i]};
    return LP_OK;
}

/* What has no counterpart, as one line for each kind. */
static void report_incomplete(struct archive *a, const struct lp_reading *reading)
{
    const struct {
        uint64_t count;
        const char *what;
    } rows[] = {
        {reading->unfinished_regions, "regions are entered, but never left"},
        {reading->stray_leaves, "regions are left, but never entered"},
        {reading->unmatched_sends, "messages are sent, but never received"},
        {reading->unmatched_receives, "messages are received, but never sent"},
        {reading->incomplete_collectives, "collective operations lack a member"},
        {reading->unmatched_others, "threads, teams or tasks lack their counterpart"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count)
            missing(a, "%" PRIu64 " %s%s", rows[i].count, rows[i].what,
                    a->options->salvage ? "" : " (--salvage goes on without them)");
}

static enum lp_status make_execution(struct archive *a, struct lp_execution *execution)
{
    execution->has_clock = execution->is_trace = true;
    execution->ticks_per_unit = a->definitions.resolution ? (double)a->definitions.resolution : 1;
    enum lp_status status = make_processors(a, execution);
    if (!status)
        status = make_reading(a, execution);
    if (!status)
        status = make_metrics(a, execution);
    if (status)
        return status;
    struct otf2_matching matching = {.definitions = &a->definitions,
                                     .folds = a->folds,
                                     .first_node = a->first_node,
                                     .location_count = execution->processor_count,
                                     .threads = a->options->threads,
                                     .execution = execution,
                                     .mutex = PTHREAD_MUTEX_INITIALIZER};
    say_place(a, 0, "the whole trace (matching)");
    if (!otf2_match(&matching))
        return lp_no_memory(a->error);
    report_incomplete(a, &execution->reading);
    if (a->status)
        return a->status;
    bool settled = otf2_settle(&matching);
    pthread_mutex_destroy(&matching.mutex);
    return settled ? make_regions(a, execution) : lp_no_memory(a->error);
}

enum lp_status lp_read_otf2(const char *anchor, const struct lp_read_options *options, struct lp_execution *execution,
                            struct lp_error *error)
{
    struct archive a = {.anchor = anchor, .options = options, .error = error, .mutex = PTHREAD_MUTEX_INITIALIZER};
    enum lp_status status = open_archive(&a);
    if (!status)
        status = read_all_local_definitions(&a);
    if (!status)
        status = read_all_events(&a);
    if (!status)
        status = make_execution(&a, execution);
    execution->reading.gaps = a.gaps.items;
    execution->reading.gap_count = a.gaps.count;
    if (a.reader)
        OTF2_Reader_Close(a.reader);
    release_folds(&a);
    for (unsigned i = 0; a.scratch && i < options->threads; i++)
        free(a.scratch[i].slots);
    free(a.scratch);
    free(a.folds);
    for (size_t i = 0; a.locals && i < a.definitions.locations.count; i++) {
        vector_release(&a.locals[i].regions);
        vector_release(&a.locals[i].communicators);
    }
    free(a.locals);
    free(a.directory);
    free(a.first_node);
    otf2_definitions_release(&a.definitions);
    pthread_mutex_destroy(&a.mutex);
    return status;
}
