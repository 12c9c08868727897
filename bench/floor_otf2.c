/*
 * The floor: how fast the OTF2 library alone can read a trace, so that a reader built on it can be measured as a ratio.
 *
 * Reads the global definitions and the local definitions of every location, then all events with local readers whose
 * callbacks do nothing, one for each type of record that generate_trace writes. The locations wait in a queue, largest
 * first, and N threads take them from there; all threads share one OTF2 reader. A location's reader is closed before
 * its thread goes on, so memory is a few chunks a thread.
 *
 * "seconds" and "events_per_second" are of the events alone; "definition_seconds" is what precedes them and
 * "total_seconds" the whole.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <otf2/otf2.h>

#include <otf2/OTF2_Pthread_Locks.h>

enum { MAXIMUM_THREADS = 1024 };

struct location {
    OTF2_LocationRef id;
    uint64_t events; /* as the definition says */
};

struct floor {
    OTF2_Reader *reader;
    OTF2_EvtReaderCallbacks *callbacks;
    struct location *locations; /* largest first */
    uint64_t location_count;
    uint64_t location_capacity;
    atomic_uint_fast64_t next_location; /* the queue's head */
    atomic_uint_fast64_t events;        /* read so far */
};

static _Noreturn void fail(const char *message)
{
    fprintf(stderr, "floor_otf2: %s\n", message);
    exit(EXIT_FAILURE);
}

static void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        fail(OTF2_Error_GetDescription(code));
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long peak_kib(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;

    if (status == NULL)
        return 0;
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    fclose(status);
    return peak;
}

/* ---- definitions ---- */

static OTF2_CallbackCode take_location(void *data, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type,
                                       uint64_t events, OTF2_LocationGroupRef group)
{
    struct floor *floor = data;

    (void)name, (void)type, (void)group;
    if (floor->location_count == floor->location_capacity)
        return OTF2_CALLBACK_INTERRUPT;
    floor->locations[floor->location_count++] = (struct location){.id = id, .events = events};
    return OTF2_CALLBACK_SUCCESS;
}

static int compare_events(const void *left, const void *right)
{
    uint64_t left_events = ((const struct location *)left)->events;
    uint64_t right_events = ((const struct location *)right)->events;

    return (left_events < right_events) - (left_events > right_events);
}

static void read_global_definitions(struct floor *floor)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(floor->reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t read = 0;

    check(OTF2_Reader_GetNumberOfLocations(floor->reader, &floor->location_capacity));
    floor->locations = calloc(floor->location_capacity, sizeof *floor->locations);
    if (definitions == NULL || callbacks == NULL || floor->locations == NULL)
        fail("cannot read global definitions");
    check(OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_location));
    check(OTF2_Reader_RegisterGlobalDefCallbacks(floor->reader, definitions, callbacks, floor));
    check(OTF2_Reader_ReadAllGlobalDefinitions(floor->reader, definitions, &read));
    check(OTF2_Reader_CloseGlobalDefReader(floor->reader, definitions));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    qsort(floor->locations, floor->location_count, sizeof *floor->locations, compare_events);
}

/*
 * One after another: most of the time goes into clearing a chunk, 4 MiB as a rule, for each location's reader, and the
 * library does that under its lock, so that threads would add memory but no speed. A location need not have a file of
 * its own definitions.
 */
static void read_local_definitions(struct floor *floor)
{
    check(OTF2_Reader_OpenDefFiles(floor->reader));
    for (uint64_t index = 0; index < floor->location_count; index++) {
        OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(floor->reader, floor->locations[index].id);
        uint64_t read = 0;

        if (definitions == NULL)
            continue;
        check(OTF2_Reader_ReadAllLocalDefinitions(floor->reader, definitions, &read));
        check(OTF2_Reader_CloseDefReader(floor->reader, definitions));
    }
    check(OTF2_Reader_CloseDefFiles(floor->reader));
}

static void read_definitions(struct floor *floor)
{
    read_global_definitions(floor);
    for (uint64_t index = 0; index < floor->location_count; index++)
        check(OTF2_Reader_SelectLocation(floor->reader, floor->locations[index].id));
    read_local_definitions(floor);
}

/* ---- events: callbacks that do nothing, of the shapes the library wants ---- */

#define EVENT_ARGUMENTS                                                                                                \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, OTF2_AttributeList *attributes
#define IGNORE_EVENT_ARGUMENTS ((void)location, (void)time, (void)position, (void)data, (void)attributes)

static OTF2_CallbackCode ignore_region(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
    IGNORE_EVENT_ARGUMENTS, (void)region;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_message(EVENT_ARGUMENTS, uint32_t partner, OTF2_CommRef communicator, uint32_t tag,
                                        uint64_t length)
{
    IGNORE_EVENT_ARGUMENTS, (void)partner, (void)communicator, (void)tag, (void)length;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_message_request(EVENT_ARGUMENTS, uint32_t partner, OTF2_CommRef communicator,
                                                uint32_t tag, uint64_t length, uint64_t request)
{
    IGNORE_EVENT_ARGUMENTS, (void)partner, (void)communicator, (void)tag, (void)length, (void)request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_request(EVENT_ARGUMENTS, uint64_t request)
{
    IGNORE_EVENT_ARGUMENTS, (void)request;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_collective_begin(EVENT_ARGUMENTS)
{
    IGNORE_EVENT_ARGUMENTS;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_collective_end(EVENT_ARGUMENTS, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                               uint32_t root, uint64_t sent, uint64_t received)
{
    IGNORE_EVENT_ARGUMENTS, (void)operation, (void)communicator, (void)root, (void)sent, (void)received;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ignore_lock(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
    IGNORE_EVENT_ARGUMENTS, (void)model, (void)lock, (void)order;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *create_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

    if (callbacks == NULL)
        fail("out of memory");
    check(OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, ignore_region));
    check(OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, ignore_region));
    check(OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, ignore_message));
    check(OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, ignore_message));
    check(OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, ignore_message_request));
    check(OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, ignore_message_request));
    check(OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, ignore_request));
    check(OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, ignore_request));
    check(OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, ignore_collective_begin));
    check(OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, ignore_collective_end));
    check(OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, ignore_lock));
    check(OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, ignore_lock));
    return callbacks;
}

static uint64_t read_location(struct floor *floor, OTF2_LocationRef location)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(floor->reader, location);
    uint64_t read = 0;

    if (events == NULL)
        fail("cannot read the events of a location");
    check(OTF2_Reader_RegisterEvtCallbacks(floor->reader, events, floor->callbacks, NULL));
    check(OTF2_Reader_ReadAllLocalEvents(floor->reader, events, &read));
    check(OTF2_Reader_CloseEvtReader(floor->reader, events));
    return read;
}

static void *read_queued_locations(void *data)
{
    struct floor *floor = data;
    uint64_t index;

    while ((index = atomic_fetch_add(&floor->next_location, 1)) < floor->location_count)
        atomic_fetch_add(&floor->events, read_location(floor, floor->locations[index].id));
    return NULL;
}

static void read_events(struct floor *floor, unsigned threads)
{
    pthread_t others[MAXIMUM_THREADS];

    check(OTF2_Reader_OpenEvtFiles(floor->reader));
    floor->callbacks = create_callbacks();
    for (unsigned thread = 1; thread < threads; thread++)
        if (pthread_create(&others[thread], NULL, read_queued_locations, floor) != 0)
            fail("cannot create a thread");
    read_queued_locations(floor);
    for (unsigned thread = 1; thread < threads; thread++)
        pthread_join(others[thread], NULL);
    OTF2_EvtReaderCallbacks_Delete(floor->callbacks);
    check(OTF2_Reader_CloseEvtFiles(floor->reader));
}

static void check_event_count(const struct floor *floor)
{
    uint64_t expected = 0;

    for (uint64_t index = 0; index < floor->location_count; index++)
        expected += floor->locations[index].events;
    if (expected != floor->events)
        fail("the number of events read is not the one that the definitions promise");
}

/* ---- arguments ---- */

static _Noreturn void usage(void)
{
    fputs("usage: floor_otf2 ANCHOR [--threads N]\n", stderr);
    exit(2);
}

static unsigned parse_threads(const char *text)
{
    char *end;
    unsigned long threads = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || threads < 1 || threads > MAXIMUM_THREADS)
        usage();
    return (unsigned)threads;
}

static const char *parse_arguments(int count, char **arguments, unsigned *threads)
{
    const char *anchor = NULL;

    for (int index = 1; index < count; index++) {
        if (strcmp(arguments[index], "--threads") == 0 && index + 1 < count)
            *threads = parse_threads(arguments[++index]);
        else if (arguments[index][0] != '-' && anchor == NULL)
            anchor = arguments[index];
        else
            usage();
    }
    if (anchor == NULL)
        usage();
    return anchor;
}

int main(int count, char **arguments)
{
    struct floor floor = {0};
    unsigned threads = 1;
    const char *anchor = parse_arguments(count, arguments, &threads);
    double begin = seconds_now();
    double definitions_end;
    double events_end;

    floor.reader = OTF2_Reader_Open(anchor);
    if (floor.reader == NULL)
        fail("cannot open the archive");
    check(OTF2_Reader_SetSerialCollectiveCallbacks(floor.reader));
    check(OTF2_Pthread_Reader_SetLockingCallbacks(floor.reader, NULL));
    read_definitions(&floor);
    definitions_end = seconds_now();
    read_events(&floor, threads);
    events_end = seconds_now();
    check_event_count(&floor);
    check(OTF2_Reader_Close(floor.reader));
    free(floor.locations);
    printf("{\"threads\": %u, \"events\": %" PRIu64
           ", \"seconds\": %.6f, \"events_per_second\": %.0f, \"definition_seconds\": %.6f, "
           "\"total_seconds\": %.6f, \"peak_kib\": %ld}\n",
           threads, (uint64_t)floor.events, events_end - definitions_end,
           (double)floor.events / (events_end - definitions_end), definitions_end - begin, seconds_now() - begin,
           peak_kib());
    return EXIT_SUCCESS;
}
