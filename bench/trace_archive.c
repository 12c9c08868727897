/*
 * Keeps a simulated program as an OTF2 archive: opens it, writes the definitions once the events are all known, closes
 * it.
 *
 * The definitions are those of a Score-P trace: ranks are location groups, threads their locations, and MPI counts
 * ranks by the group of communicating locations, the master threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "simulation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
    RANKS_PER_NODE = 32,
    DEFINITION_CHUNK = 4 << 20,
    LARGE_EVENT_CHUNK = 1 << 20,
    SMALL_EVENT_CHUNK = 256 << 10,
    LARGE_CHUNK_LOCATIONS = 64
};

static const uint64_t ticks_per_second = 1000000000;

/* ---- opening ---- */

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* A buffer's chunks, as a list: the library frees them all at once. */
struct chunk {
    struct chunk *next;
    _Alignas(max_align_t) char bytes[];
};

/* An event writer gets a single chunk, so that it flushes when that is full instead of gathering 128 MiB, the library's
 * own limit. */
static void *allocate_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t size)
{
    struct chunk *chunk;

    (void)data, (void)location;
    if (type == OTF2_FILETYPE_EVENTS && *buffer != NULL)
        return NULL;
    chunk = malloc(sizeof *chunk + size);
    if (chunk == NULL)
        return NULL;
    chunk->next = *buffer;
    *buffer = chunk;
    return chunk->bytes;
}

static void free_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    (void)data, (void)type, (void)location, (void) final;
    while (*buffer != NULL) {
        struct chunk *chunk = *buffer;

        *buffer = chunk->next;
        free(chunk);
    }
}

/* Each event writer keeps its file open once it has flushed. */
static void allow_open_files(uint64_t files)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files + 64)
        return;
    limit.rlim_cur = limit.rlim_max < files + 64 ? limit.rlim_max : files + 64;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void open_archive(struct program *program)
{
    static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = always_flush};
    static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate_chunk,
                                                          .otf2_free_all = free_chunks};
    uint64_t event_chunk = program->options.locations > LARGE_CHUNK_LOCATIONS ? SMALL_EVENT_CHUNK : LARGE_EVENT_CHUNK;

    allow_open_files(program->options.locations);
    program->archive = OTF2_Archive_Open(program->options.directory, "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                         DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (program->archive == NULL)
        fail("cannot create an archive in %s (is there one already?)", program->options.directory);
    check(OTF2_Archive_SetFlushCallbacks(program->archive, &flush_callbacks, NULL));
    check(OTF2_Archive_SetMemoryCallbacks(program->archive, &memory_callbacks, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(program->archive));
    check(OTF2_Archive_SetCreator(program->archive, "longpole generate_trace"));
    check(OTF2_Archive_OpenEvtFiles(program->archive));
}

OTF2_EvtWriter *open_event_writer(struct program *program, OTF2_LocationRef location)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(program->archive, location);

    if (writer == NULL)
        fail("cannot write the events of location %" PRIu64, location);
    return writer;
}

/* ---- definitions ---- */

struct definitions {
    OTF2_GlobalDefWriter *writer;
    OTF2_StringRef strings; /* written so far */
};

static OTF2_StringRef define_string(struct definitions *definitions, const char *format, ...)
{
    char text[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check(OTF2_GlobalDefWriter_WriteString(definitions->writer, definitions->strings, text));
    return definitions->strings++;
}

static void define_clock(struct definitions *definitions, const struct program *program)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    for (uint64_t index = 0; index < program->options.locations; index++) {
        const struct location *location = &program->locations[index];

        if (first > location->first)
            first = location->first;
        if (last < location->clock)
            last = location->clock;
    }
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions->writer, ticks_per_second, first, last - first + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
}

static void define_paradigms(struct definitions *definitions)
{
    check(OTF2_GlobalDefWriter_WriteParadigm(definitions->writer, OTF2_PARADIGM_MPI, define_string(definitions, "MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    check(OTF2_GlobalDefWriter_WriteParadigm(definitions->writer, OTF2_PARADIGM_PTHREAD,
                                             define_string(definitions, "POSIX threads"),
                                             OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT));
}

static void define_fixed_regions(struct definitions *definitions)
{
    static const struct {
        const char *name;
        OTF2_RegionRole role;
        OTF2_Paradigm paradigm;
    } regions[FIRST_PROCEDURE] = {
        [REGION_MAIN] = {"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
        [REGION_WORKER] = {"worker", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
        [REGION_SEND] = {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
        [REGION_RECEIVE] = {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
        [REGION_ISEND] = {"MPI_Isend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
        [REGION_IRECEIVE] = {"MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
        [REGION_WAITALL] = {"MPI_Waitall", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
        [REGION_ALLREDUCE] = {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI},
        [REGION_BARRIER] = {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI},
        [REGION_BCAST] = {"MPI_Bcast", OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_PARADIGM_MPI},
        [REGION_REDUCE] = {"MPI_Reduce", OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_PARADIGM_MPI},
        [REGION_LOCK] = {"pthread_mutex_lock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_PTHREAD},
        [REGION_UNLOCK] = {"pthread_mutex_unlock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_PTHREAD},
    };
    OTF2_StringRef source = define_string(definitions, "main.c");

    for (uint32_t region = 0; region < FIRST_PROCEDURE; region++) {
        bool compiled = regions[region].paradigm == OTF2_PARADIGM_COMPILER;
        OTF2_StringRef name = define_string(definitions, "%s", regions[region].name);

        check(OTF2_GlobalDefWriter_WriteRegion(definitions->writer, region, name, name, OTF2_UNDEFINED_STRING,
                                               regions[region].role, regions[region].paradigm, OTF2_REGION_FLAG_NONE,
                                               compiled ? source : OTF2_UNDEFINED_STRING,
                                               compiled ? 10 + 100 * region : 0, compiled ? 90 + 100 * region : 0));
    }
}

/* Eight procedures share a source file. */
static void define_procedures(struct definitions *definitions, uint64_t procedures)
{
    OTF2_StringRef source = OTF2_UNDEFINED_STRING;

    for (uint32_t procedure = 0; procedure < procedures; procedure++) {
        uint32_t line = 10 + 40 * (procedure % 8);
        OTF2_StringRef name = define_string(definitions, "compute_%" PRIu32, procedure);

        if (procedure % 8 == 0)
            source = define_string(definitions, "compute_%" PRIu32 ".c", procedure / 8);
        check(OTF2_GlobalDefWriter_WriteRegion(definitions->writer, FIRST_PROCEDURE + procedure, name, name,
                                               OTF2_UNDEFINED_STRING, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                               OTF2_REGION_FLAG_NONE, source, line, line + 35));
    }
}

static void define_system_tree(struct definitions *definitions, const struct program *program)
{
    OTF2_StringRef node_class = define_string(definitions, "node");
    uint32_t nodes = (program->rank_count + RANKS_PER_NODE - 1) / RANKS_PER_NODE;

    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions->writer, 0, define_string(definitions, "cluster"),
                                                   define_string(definitions, "machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t node = 0; node < nodes; node++)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            definitions->writer, 1 + node, define_string(definitions, "node%" PRIu32, node), node_class, 0));
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        check(OTF2_GlobalDefWriter_WriteLocationGroup(
            definitions->writer, rank, define_string(definitions, "MPI Rank %" PRIu32, rank),
            OTF2_LOCATION_GROUP_TYPE_PROCESS, 1 + rank / RANKS_PER_NODE, OTF2_UNDEFINED_LOCATION_GROUP));
}

static void define_locations(struct definitions *definitions, const struct program *program)
{
    OTF2_StringRef names[THREADS_PER_RANK];

    names[0] = define_string(definitions, "Master thread");
    for (uint32_t thread = 1; thread < program->thread_count; thread++)
        names[thread] = define_string(definitions, "Pthread thread %" PRIu32, thread);
    for (uint64_t index = 0; index < program->options.locations; index++) {
        const struct location *location = &program->locations[index];

        check(OTF2_GlobalDefWriter_WriteLocation(
            definitions->writer, location->id, names[index % program->thread_count], OTF2_LOCATION_TYPE_CPU_THREAD,
            location->events, (OTF2_LocationGroupRef)(index / program->thread_count)));
    }
}

/* Ranks are indices into the group of communicating locations, which holds the master threads. */
static void define_communicator(struct definitions *definitions, const struct program *program)
{
    uint64_t *members = allocate_zeroed(program->rank_count, sizeof *members);
    OTF2_StringRef no_name = define_string(definitions, "");

    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        members[rank] = program->ranks[rank].threads[0].id;
    check(OTF2_GlobalDefWriter_WriteGroup(definitions->writer, 0, no_name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, program->rank_count, members));
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        members[rank] = rank;
    check(OTF2_GlobalDefWriter_WriteGroup(definitions->writer, 1, no_name, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, program->rank_count, members));
    check(OTF2_GlobalDefWriter_WriteComm(definitions->writer, 0, define_string(definitions, "MPI_COMM_WORLD"), 1,
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(members);
}

static void write_definitions(struct program *program)
{
    struct definitions definitions = {.writer = OTF2_Archive_GetGlobalDefWriter(program->archive)};

    if (definitions.writer == NULL)
        fail("cannot write global definitions");
    define_clock(&definitions, program);
    define_paradigms(&definitions);
    define_fixed_regions(&definitions);
    define_procedures(&definitions, program->options.procedures);
    define_system_tree(&definitions, program);
    define_locations(&definitions, program);
    define_communicator(&definitions, program);
    check(OTF2_Archive_CloseGlobalDefWriter(program->archive, definitions.writer));
}

/* Empty, since all references are global, but readers expect the files. */
static void write_local_definitions(struct program *program)
{
    check(OTF2_Archive_OpenDefFiles(program->archive));
    for (uint64_t index = 0; index < program->options.locations; index++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(program->archive, program->locations[index].id);

        if (writer == NULL)
            fail("cannot write local definitions");
        check(OTF2_Archive_CloseDefWriter(program->archive, writer));
    }
    check(OTF2_Archive_CloseDefFiles(program->archive));
}

/* ---- closing ---- */

static void close_event_writers(struct program *program)
{
    for (uint64_t index = 0; index < program->options.locations; index++) {
        struct location *location = &program->locations[index];
        uint64_t written = 0;

        check(OTF2_EvtWriter_GetNumberOfEvents(location->writer, &written));
        if (written != location->events)
            fail("location %" PRIu64 ": %" PRIu64 " events, but %" PRIu64 " written", location->id, location->events,
                 written);
        check(OTF2_Archive_CloseEvtWriter(program->archive, location->writer));
    }
    check(OTF2_Archive_CloseEvtFiles(program->archive));
}

void close_archive(struct program *program)
{
    close_event_writers(program);
    write_local_definitions(program);
    write_definitions(program);
    check(OTF2_Archive_Close(program->archive));
}
