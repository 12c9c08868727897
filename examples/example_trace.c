/* Writes a small OTF2 archive with a story whose answers are known: `example_trace OUTPUT_DIR`.
 *
 * The story. A stencil solver on 4 MPI ranks, each with a strip of the domain, 10 iterations. All times in microseconds.
 *
 *   main             100     before MPI_Init
 *   MPI_Init      25 000     on every rank at the same time
 *   each iteration:
 *     update_cells   45 000  a strip; rank 2 got 1.8 times the cells: 81 000
 *     apply_boundary  4 000  the rim; ranks 0 and 3 also hold an end of the domain: 14 000
 *     MPI_Irecv           5  for each neighbour (0-1-2-3, no ring), lower rank first
 *     MPI_Isend          20  for each neighbour, lower rank first; the message leaves as the call begins
 *     MPI_Waitall            until the last message is here, 400 after it left, and 50 to copy each
 *     residual        5 000  rank 2: 9 000
 *     MPI_Allreduce          until 500 after the last rank entered it
 *   after iterations 5 and 10:
 *     write_checkpoint 110 000  on rank 0 alone
 *     MPI_Bcast                 "go on": until 400 after rank 0 entered it
 *   print_summary   3 000    on rank 0 alone
 *   MPI_Finalize    2 000
 *
 * One iteration on the clock, which starts at 0 on all ranks because MPI_Allreduce (or MPI_Bcast) lets them go together:
 *
 *   rank             0        1        2        3
 *   halo begins   59 000   49 000   85 000   59 000   update_cells + apply_boundary
 *   sends at      59 005   49 010   85 010   59 005   to the lower neighbour (rank 0: to rank 1), after the MPI_Irecv
 *                          49 030   85 030            to the upper neighbour
 *   Waitall from  59 025   49 050   85 050   59 025
 *   waits for 0      -      9 955      -        -     rank 1: 49 050 .. 59 005
 *   waits for 2      -     26 005      -     26 005   rank 1: 59 005 .. 85 010; rank 3: 59 025 .. 85 030
 *   Waitall to    59 075   85 510   85 150   85 480   transfer 400 where there was a wait, and 50 for each copy
 *   Allreduce at  64 075   90 510   94 150   90 480   + residual; rank 2 comes last
 *   waits for 2   30 075    3 640      -      3 670
 *   next at       94 650   94 650   94 650   94 650
 *
 * What longpole must answer (check_example.py compares):
 *
 * Critical path. Rank 2 through all iterations, rank 0 through write_checkpoint and the end. Nothing on it waits, so it is as
 * long as the run: 100 + 25 000 + 10 x 94 650 + 2 x (110 000 + 400) + 3 000 + 2 000 = 1 197 400.
 *
 *   procedure           at most    replayed    at least
 *   update_cells        810 000     710 450     260 050
 *   write_checkpoint    220 000     220 000     220 000   2 x 110 000; everybody else only waits meanwhile
 *   residual             90 000      90 000      36 400
 *   apply_boundary       40 000      40 000      40 000   10 x 4 000
 *   MPI_Init             25 000      25 000      25 000
 *   MPI_Allreduce         5 000       5 000       5 000   10 x 500
 *   print_summary         3 000       3 000       3 000
 *   MPI_Finalize          2 000       2 000       2 000
 *   MPI_Waitall           1 000       1 000       1 000   10 x 2 x 50
 *   MPI_Bcast               800         800         800   2 x 400
 *   MPI_Isend               400         400         400   10 x 2 x 20
 *   main, MPI_Irecv         100 each: 100, and 10 x 2 x 5
 *
 *   update_cells, at most:   10 x 81 000.
 *   update_cells, replayed:  without it, rank 2 would receive rank 3's message, which leaves after 14 005, and go on with 100 of
 *                            Waitall and 9 000 of residual: 23 105 instead of 94 150, ten times a gain of 71 045.
 *   update_cells, at least:  when rank 2 is 26 005 faster, its messages no longer keep ranks 1 and 3 waiting: from there on
 *                            another path is as long. 10 x 26 005.
 *   residual, replayed:      10 x 9 000. In the graph only the last to come holds the others, so rank 2 does not wait for rank 1,
 *                            which would now come last, at 85 510: the replay is too optimistic by 10 x 360 here.
 *   residual, at least:      3 640 faster, and rank 1 comes to MPI_Allreduce as late as rank 2. 10 x 3 640.
 *   With --tight:            residual 90 000, since rank 1's delay never comes back to the path; update_cells 260 450, since
 *                            what rank 2 waits for first is rank 3's message: 10 x (85 050 - 59 005).
 *
 * Waiting, in processor-microseconds: 1 653 500 of 4 x 1 197 400.
 *   MPI_Bcast, late root                  660 000   2 x 3 x 110 000, for rank 0
 *   MPI_Waitall, late sender              619 650   10 x (9 955 + 26 005 + 26 005); most on rank 1, most for rank 2
 *   MPI_Allreduce, wait at collective     373 850   10 x (30 075 + 3 640 + 3 670), for rank 2
 *   Not there: ranks 1, 2, 3 end before rank 0, which prints its summary: 3 x 3 000.
 *   So the useful time is 4 x 1 197 400 - 1 653 500 - 9 000 = 3 127 100, and the average parallelism that / 1 197 400.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <otf2/otf2.h>

enum { RANKS = 4, ITERATIONS = 10, CHECKPOINT_EVERY = 5 };
enum { MESSAGE_BYTES = 65536, COMMUNICATOR = 0 };

/* All durations are given in microseconds; the trace's clock ticks in nanoseconds, and does not start at 0. */
static const uint64_t ticks_per_second = 1000000000, ticks_per_microsecond = 1000, clock_offset = 5000000000;

static const uint64_t update_cells[RANKS] = {45000, 45000, 81000, 45000};
static const uint64_t apply_boundary[RANKS] = {14000, 4000, 4000, 14000};
static const uint64_t residual[RANKS] = {5000, 5000, 9000, 5000};

enum region {
    MAIN,
    UPDATE_CELLS,
    APPLY_BOUNDARY,
    RESIDUAL,
    WRITE_CHECKPOINT,
    PRINT_SUMMARY,
    INIT,
    FINALIZE,
    IRECV,
    ISEND,
    WAITALL,
    ALLREDUCE,
    BCAST,
    REGIONS
};

static const struct {
    const char *name, *file; /* file NULL: MPI's */
    uint32_t line;
    OTF2_RegionRole role;
} regions[REGIONS] = {
    [MAIN] = {"main", "main.c", 14, OTF2_REGION_ROLE_FUNCTION},
    [UPDATE_CELLS] = {"update_cells", "solver.c", 120, OTF2_REGION_ROLE_FUNCTION},
    [APPLY_BOUNDARY] = {"apply_boundary", "solver.c", 164, OTF2_REGION_ROLE_FUNCTION},
    [RESIDUAL] = {"residual", "solver.c", 201, OTF2_REGION_ROLE_FUNCTION},
    [WRITE_CHECKPOINT] = {"write_checkpoint", "io.c", 40, OTF2_REGION_ROLE_FUNCTION},
    [PRINT_SUMMARY] = {"print_summary", "io.c", 88, OTF2_REGION_ROLE_FUNCTION},
    [INIT] = {"MPI_Init", NULL, 0, OTF2_REGION_ROLE_FUNCTION},
    [FINALIZE] = {"MPI_Finalize", NULL, 0, OTF2_REGION_ROLE_FUNCTION},
    [IRECV] = {"MPI_Irecv", NULL, 0, OTF2_REGION_ROLE_POINT2POINT},
    [ISEND] = {"MPI_Isend", NULL, 0, OTF2_REGION_ROLE_POINT2POINT},
    [WAITALL] = {"MPI_Waitall", NULL, 0, OTF2_REGION_ROLE_POINT2POINT},
    [ALLREDUCE] = {"MPI_Allreduce", NULL, 0, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [BCAST] = {"MPI_Bcast", NULL, 0, OTF2_REGION_ROLE_COLL_ONE2ALL},
};

/* A rank under simulation. Of each neighbour (0: the lower one, 1: the upper one) what the exchange under way needs. */
struct rank {
    OTF2_EvtWriter *writer;
    uint32_t number;
    uint64_t now; /* microseconds */
    uint64_t last_request;
    uint64_t receive_request[2], send_request[2];
    uint64_t sent_at[2];
};

static _Noreturn void fail(const char *what, const char *reason)
{
    fprintf(stderr, "example_trace: %s: %s\n", what, reason);
    exit(EXIT_FAILURE);
}

static void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        fail("the OTF2 library", OTF2_Error_GetDescription(code));
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static uint64_t stamp(const struct rank *rank)
{
    return clock_offset + rank->now * ticks_per_microsecond;
}

static void enter(struct rank *rank, enum region region)
{
    check(OTF2_EvtWriter_Enter(rank->writer, NULL, stamp(rank), region));
}

static void leave(struct rank *rank, enum region region)
{
    check(OTF2_EvtWriter_Leave(rank->writer, NULL, stamp(rank), region));
}

static void spend(struct rank *rank, enum region region, uint64_t duration)
{
    enter(rank, region);
    rank->now += duration;
    leave(rank, region);
}

/* ---- The program --------------------------------------------------------------------------------------- */

/* The rank on that side, or -1. */
static int neighbour(const struct rank *rank, int side)
{
    int number = (int)rank->number + (side ? 1 : -1);
    return number < 0 || number >= RANKS ? -1 : number;
}

static void start_exchange(struct rank *rank)
{
    for (int side = 0; side < 2; side++) {
        if (neighbour(rank, side) < 0)
            continue;
        rank->receive_request[side] = ++rank->last_request;
        enter(rank, IRECV);
        check(OTF2_EvtWriter_MpiIrecvRequest(rank->writer, NULL, stamp(rank), rank->receive_request[side]));
        rank->now += 5;
        leave(rank, IRECV);
    }
    for (int side = 0; side < 2; side++) {
        if (neighbour(rank, side) < 0)
            continue;
        rank->send_request[side] = ++rank->last_request;
        rank->sent_at[side] = rank->now;
        enter(rank, ISEND);
        check(OTF2_EvtWriter_MpiIsend(rank->writer, NULL, stamp(rank), (uint32_t)neighbour(rank, side), COMMUNICATOR, 0,
                                      MESSAGE_BYTES, rank->send_request[side]));
        rank->now += 20;
        leave(rank, ISEND);
    }
}

/* All ranks have sent. */
static void finish_exchange(struct rank *rank, const struct rank *ranks)
{
    uint64_t receives = 0;
    enter(rank, WAITALL);
    for (int side = 0; side < 2; side++)
        if (neighbour(rank, side) >= 0) {
            rank->now = later(rank->now, ranks[neighbour(rank, side)].sent_at[!side] + 400);
            receives++;
        }
    rank->now += 50 * receives;
    for (int side = 0; side < 2; side++)
        if (neighbour(rank, side) >= 0)
            check(OTF2_EvtWriter_MpiIrecv(rank->writer, NULL, stamp(rank), (uint32_t)neighbour(rank, side),
                                          COMMUNICATOR, 0, MESSAGE_BYTES, rank->receive_request[side]));
    for (int side = 0; side < 2; side++)
        if (neighbour(rank, side) >= 0)
            check(OTF2_EvtWriter_MpiIsendComplete(rank->writer, NULL, stamp(rank), rank->send_request[side]));
    leave(rank, WAITALL);
}

/* Everybody enters; everybody leaves at the same time. */
static void collective(struct rank *ranks, enum region region, OTF2_CollectiveOp operation, uint32_t root, uint64_t end)
{
    for (int i = 0; i < RANKS; i++) {
        struct rank *rank = &ranks[i];
        enter(rank, region);
        check(OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, stamp(rank)));
        rank->now = end;
        check(OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, stamp(rank), operation, COMMUNICATOR, root, 8, 8));
        leave(rank, region);
    }
}

static uint64_t last_arrival(const struct rank *ranks)
{
    uint64_t last = 0;
    for (int i = 0; i < RANKS; i++)
        last = later(last, ranks[i].now);
    return last;
}

static void iterate(struct rank *ranks, int iteration)
{
    for (int i = 0; i < RANKS; i++) {
        spend(&ranks[i], UPDATE_CELLS, update_cells[i]);
        spend(&ranks[i], APPLY_BOUNDARY, apply_boundary[i]);
        start_exchange(&ranks[i]);
    }
    for (int i = 0; i < RANKS; i++) {
        finish_exchange(&ranks[i], ranks);
        spend(&ranks[i], RESIDUAL, residual[i]);
    }
    collective(ranks, ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32, last_arrival(ranks) + 500);
    if (iteration % CHECKPOINT_EVERY == 0) {
        spend(&ranks[0], WRITE_CHECKPOINT, 110000);
        collective(ranks, BCAST, OTF2_COLLECTIVE_OP_BCAST, 0, ranks[0].now + 400);
    }
}

static void run_program(struct rank *ranks)
{
    for (int i = 0; i < RANKS; i++) {
        enter(&ranks[i], MAIN);
        ranks[i].now += 100;
        spend(&ranks[i], INIT, 25000);
    }
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        iterate(ranks, iteration);
    spend(&ranks[0], PRINT_SUMMARY, 3000);
    for (int i = 0; i < RANKS; i++) {
        spend(&ranks[i], FINALIZE, 2000);
        leave(&ranks[i], MAIN);
    }
}

/* ---- The archive --------------------------------------------------------------------------------------- */

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static OTF2_StringRef string_count;

static OTF2_StringRef define_string(OTF2_GlobalDefWriter *writer, const char *text)
{
    check(OTF2_GlobalDefWriter_WriteString(writer, string_count, text));
    return string_count++;
}

static void define_regions(OTF2_GlobalDefWriter *writer)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        OTF2_StringRef name = define_string(writer, regions[i].name);
        OTF2_StringRef file = regions[i].file ? define_string(writer, regions[i].file) : OTF2_UNDEFINED_STRING;
        check(OTF2_GlobalDefWriter_WriteRegion(writer, i, name, name, OTF2_UNDEFINED_STRING, regions[i].role,
                                               regions[i].file ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_MPI,
                                               OTF2_REGION_FLAG_NONE, file, regions[i].line, 0));
    }
}

/* As Score-P does it: a location group a process, MPI's ranks by the group of its communicating locations. */
static void define_processes(OTF2_GlobalDefWriter *writer, const uint64_t *events)
{
    uint64_t members[RANKS];
    OTF2_StringRef no_name = define_string(writer, ""), thread = define_string(writer, "Master thread");
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, define_string(writer, "node"),
                                                   define_string(writer, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < RANKS; i++) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %u", i);
        check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, define_string(writer, name),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(writer, i, thread, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], i));
        members[i] = i;
    }
    check(OTF2_GlobalDefWriter_WriteGroup(writer, 0, no_name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, RANKS, members));
    check(OTF2_GlobalDefWriter_WriteGroup(writer, 1, no_name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, RANKS, members));
    check(OTF2_GlobalDefWriter_WriteComm(writer, COMMUNICATOR, define_string(writer, "MPI_COMM_WORLD"), 1,
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_definitions(OTF2_Archive *archive, const uint64_t *events, uint64_t end)
{
    check(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t i = 0; i < RANKS; i++) { /* empty, but readers expect them */
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, i);
        if (!local)
            fail("local definitions", "cannot be written");
        check(OTF2_Archive_CloseDefWriter(archive, local));
    }
    check(OTF2_Archive_CloseDefFiles(archive));
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!writer)
        fail("global definitions", "cannot be written");
    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, ticks_per_second, clock_offset,
                                                    end * ticks_per_microsecond + 1, OTF2_UNDEFINED_TIMESTAMP));
    check(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, define_string(writer, "MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    define_regions(writer);
    define_processes(writer, events);
    check(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
}

int main(int count, char **words)
{
    static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = always_flush};
    struct rank ranks[RANKS] = {{0}};
    uint64_t events[RANKS];
    if (count != 2 || words[1][0] == '-') {
        fprintf(stderr, "usage: example_trace OUTPUT_DIR\n");
        return 2;
    }
    OTF2_Archive *archive =
        OTF2_Archive_Open(words[1], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        fail(words[1], "no archive can be written there (is there one already?)");
    check(OTF2_Archive_SetFlushCallbacks(archive, &flushing, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_SetCreator(archive, "longpole example_trace"));
    check(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i] = (struct rank){.number = i, .writer = OTF2_Archive_GetEvtWriter(archive, i)};
        if (!ranks[i].writer)
            fail(words[1], "the events cannot be written");
    }
    run_program(ranks);
    for (uint32_t i = 0; i < RANKS; i++) {
        check(OTF2_EvtWriter_GetNumberOfEvents(ranks[i].writer, &events[i]));
        check(OTF2_Archive_CloseEvtWriter(archive, ranks[i].writer));
    }
    check(OTF2_Archive_CloseEvtFiles(archive));
    write_definitions(archive, events, last_arrival(ranks));
    check(OTF2_Archive_Close(archive));
    return EXIT_SUCCESS;
}
