/* Damaged OTF2 archives, with the real OTF2 library.
 *
 * A small sound archive is written once; the bytes are edits of its files. It is then read in a child process, since damage can
 * bring the library down, which is not for us to mend. So the fuzzer fails only when longpole itself is to blame:
 *
 *   - the sanitizers report something, or nothing is heard for ten seconds, and of the stack's frames in longpole and in the
 *     library the innermost is longpole's;
 *   - an invariant does not hold for what was read;
 *   - both ways of reading events, by our decoder and by the library, find all in order, but not the same.
 *
 * The child hands back its coverage, so that the fuzzer learns from it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <otf2/otf2.h>
#include <sanitizer/common_interface_defs.h>

#include "bytes.h"
#include "coverage.h"
#include "invariants.h"
#include "longpole/input.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

enum { EXIT_SANITIZER = 99, EXIT_HANG = 97, PATIENCE_SECONDS = 10 };

const char *__asan_default_options(void)
{
    return "exitcode=99:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512:handle_abort=0:"
           "malloc_context_size=3:quarantine_size_mb=8";
}

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_archive: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void check(OTF2_ErrorCode code)
{
    must(code == OTF2_SUCCESS, OTF2_Error_GetDescription(code));
}

/* ---- The sound archive --------------------------------------------------------------------------------- */

enum { LOCATIONS = 3 }; /* two processes, the second with two threads */

static char directory[200];

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

/* Regions of a location with references of its own. */
enum { LOCAL_BARRIER = 3, LOCAL_REDUCE = 4, GLOBAL_BARRIER = 4 };

static void write_master(OTF2_EvtWriter *w, uint32_t rank)
{
    uint32_t other = !rank;
    uint64_t t = 1000 + rank;
    check(OTF2_EvtWriter_Enter(w, NULL, t += 5, 0));
    check(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t += 5, 1));
    check(OTF2_EvtWriter_Enter(w, NULL, t += 40 * rank, 1));
    check(OTF2_EvtWriter_MpiIsend(w, NULL, t += 5, other, 0, 7, 100, 2));
    check(OTF2_EvtWriter_Leave(w, NULL, t += 5, 1));
    check(OTF2_EvtWriter_Enter(w, NULL, t += 5, 2));
    check(OTF2_EvtWriter_MpiIrecv(w, NULL, t += 90, other, 0, 7, 100, 1));
    check(OTF2_EvtWriter_MpiIsendComplete(w, NULL, t += 5, 2));
    check(OTF2_EvtWriter_Leave(w, NULL, t += 5, 2));
    check(OTF2_EvtWriter_Enter(w, NULL, t += 5 + 10 * rank, LOCAL_REDUCE));
    check(OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, t += 1));
    check(OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, t += 300, OTF2_COLLECTIVE_OP_REDUCE, 0, 1, 8, 8));
    check(OTF2_EvtWriter_Leave(w, NULL, t += 5, LOCAL_REDUCE));
    check(OTF2_EvtWriter_ThreadAcquireLock(w, NULL, t += 5, OTF2_PARADIGM_PTHREAD, 1, 1));
    check(OTF2_EvtWriter_ThreadReleaseLock(w, NULL, t += 5, OTF2_PARADIGM_PTHREAD, 1, 1));
    if (rank) {
        check(OTF2_EvtWriter_ThreadFork(w, NULL, t += 5, OTF2_PARADIGM_OPENMP, 2));
        check(OTF2_EvtWriter_ThreadTeamBegin(w, NULL, t += 5, 1));
        check(OTF2_EvtWriter_ThreadTaskCreate(w, NULL, t += 5, 1, 0, 1));
        check(OTF2_EvtWriter_Enter(w, NULL, t += 5, LOCAL_BARRIER));
        check(OTF2_EvtWriter_Leave(w, NULL, t += 60, LOCAL_BARRIER));
        check(OTF2_EvtWriter_ThreadTeamEnd(w, NULL, t += 5, 1));
        check(OTF2_EvtWriter_ThreadJoin(w, NULL, t += 5, OTF2_PARADIGM_OPENMP));
    }
    check(OTF2_EvtWriter_Leave(w, NULL, t += 5, 0));
}

static void write_worker(OTF2_EvtWriter *w)
{
    uint64_t t = 1500;
    check(OTF2_EvtWriter_ThreadTeamBegin(w, NULL, t += 5, 1));
    check(OTF2_EvtWriter_Enter(w, NULL, t += 5, GLOBAL_BARRIER));
    check(OTF2_EvtWriter_ThreadTaskSwitch(w, NULL, t += 5, 1, 0, 1));
    check(OTF2_EvtWriter_ThreadTaskComplete(w, NULL, t += 20, 1, 0, 1));
    check(OTF2_EvtWriter_Leave(w, NULL, t += 5, GLOBAL_BARRIER));
    check(OTF2_EvtWriter_ThreadTeamEnd(w, NULL, t += 5, 1));
    check(OTF2_EvtWriter_ParameterInt(w, NULL, t += 5, 0, 42)); /* one that our decoder leaves to the library */
}

/* Locations 0 and 1 have references of their own, by a sparse table (which leaves out what stays the same) and by a dense one;
 * location 2 has a clock correction. */
static void write_local_definitions(OTF2_Archive *archive)
{
    static const uint32_t regions[] = {0, 1, 2, 4, 3};
    check(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, i);
        OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(5, regions, i == 0);
        must(w != NULL && map != NULL, "local definitions");
        if (i < 2)
            check(OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, map));
        if (i == 2) {
            check(OTF2_DefWriter_WriteClockOffset(w, 1000, 3, 0));
            check(OTF2_DefWriter_WriteClockOffset(w, 3000, 4, 0));
        }
        check(OTF2_Archive_CloseDefWriter(archive, w));
        OTF2_IdMap_Free(map);
    }
    check(OTF2_Archive_CloseDefFiles(archive));
}

static void write_global_definitions(OTF2_Archive *archive, const uint64_t *events)
{
    static const char *const strings[] = {"",           "main",          "MPI_Isend", "MPI_Waitall",
                                          "MPI_Reduce", "!$omp barrier", "main.c",    "thread"};
    static const OTF2_RegionRole roles[] = {OTF2_REGION_ROLE_FUNCTION, OTF2_REGION_ROLE_POINT2POINT,
                                            OTF2_REGION_ROLE_POINT2POINT, OTF2_REGION_ROLE_COLL_ALL2ONE,
                                            OTF2_REGION_ROLE_BARRIER};
    static const OTF2_Paradigm paradigms[] = {OTF2_PARADIGM_COMPILER, OTF2_PARADIGM_MPI, OTF2_PARADIGM_MPI,
                                              OTF2_PARADIGM_MPI, OTF2_PARADIGM_OPENMP};
    static const uint64_t ranks[] = {0, 1}, locations[] = {1, 2};
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    must(w != NULL, "global definitions");
    check(OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, 1000, 3000, OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof strings / sizeof *strings; i++)
        check(OTF2_GlobalDefWriter_WriteString(w, i, strings[i]));
    for (uint32_t i = 0; i < 5; i++)
        check(OTF2_GlobalDefWriter_WriteRegion(w, i, i + 1, i + 1, 0, roles[i], paradigms[i], OTF2_REGION_FLAG_NONE, 6,
                                               i, i));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < 2; i++)
        check(OTF2_GlobalDefWriter_WriteLocationGroup(w, i, 7, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t i = 0; i < LOCATIONS; i++)
        check(OTF2_GlobalDefWriter_WriteLocation(w, i, 7, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], i > 0));
    check(OTF2_GlobalDefWriter_WriteGroup(w, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, 2, ranks));
    check(OTF2_GlobalDefWriter_WriteGroup(w, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          2, ranks));
    check(OTF2_GlobalDefWriter_WriteGroup(w, 2, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                          OTF2_GROUP_FLAG_NONE, 2, locations));
    check(OTF2_GlobalDefWriter_WriteGroup(w, 3, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                          OTF2_GROUP_FLAG_NONE, 2, ranks));
    check(OTF2_GlobalDefWriter_WriteComm(w, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteComm(w, 1, 0, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check(OTF2_Archive_CloseGlobalDefWriter(archive, w));
}

static void write_archive(void)
{
    static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush};
    uint64_t events[LOCATIONS];
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "t", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                              OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    must(archive != NULL, directory);
    check(OTF2_Archive_SetFlushCallbacks(archive, &flushing, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_OpenEvtFiles(archive));
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, i);
        must(w != NULL, "events");
        if (i == 2)
            write_worker(w);
        else
            write_master(w, i);
        check(OTF2_EvtWriter_GetNumberOfEvents(w, &events[i]));
        check(OTF2_Archive_CloseEvtWriter(archive, w));
    }
    check(OTF2_Archive_CloseEvtFiles(archive));
    write_local_definitions(archive);
    write_global_definitions(archive, events);
    check(OTF2_Archive_Close(archive));
}

/* ---- Files and edits ----------------------------------------------------------------------------------- */

enum { FILE_MAX = 1 << 16 };

static struct file {
    const char *name;
    uint8_t sound[FILE_MAX], bytes[FILE_MAX];
    size_t sound_size, size;
    bool edited; /* differs from the sound one, here or on disk */
} files[] = {{.name = "t.otf2"},  {.name = "t.def"},   {.name = "t/0.evt"}, {.name = "t/1.evt"},
             {.name = "t/2.evt"}, {.name = "t/0.def"}, {.name = "t/1.def"}, {.name = "t/2.def"}};
enum { FILES = sizeof files / sizeof *files };

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void read_sound_files(void)
{
    for (int i = 0; i < FILES; i++) {
        FILE *stream = fopen(path_of(files[i].name), "rb");
        must(stream != NULL, files[i].name);
        files[i].sound_size = fread(files[i].sound, 1, FILE_MAX, stream);
        fclose(stream);
    }
}

static void write_file(const struct file *file)
{
    int handle = open(path_of(file->name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(handle >= 0 && write(handle, file->bytes, file->size) == (ssize_t)file->size, file->name);
    close(handle);
}

/* One edit: of which file, where, what. */
static void edit(struct bytes *bytes)
{
    struct file *file = &files[take_below(bytes, FILES)];
    uint8_t what = take(bytes);
    size_t place = file->size ? take_number(bytes, 2) % file->size : 0, count = 1 + what / 8 % 8;
    file->edited = true;
    switch (what % 8) {
    case 0: /* cut off */
        file->size = place;
        break;
    case 1: /* take out */
        count = count < file->size - place ? count : file->size - place;
        memmove(file->bytes + place, file->bytes + place + count, file->size - place - count);
        file->size -= count;
        break;
    case 2: /* put in */
        if (file->size + count > FILE_MAX)
            break;
        memmove(file->bytes + place + count, file->bytes + place, file->size - place);
        file->size += count;
        /* fall through */
    case 3:
    case 4: /* change */
        for (size_t i = place; i < place + count && i < file->size; i++)
            file->bytes[i] = take(bytes);
        break;
    case 5: /* flip a bit */
        if (file->size)
            file->bytes[place] ^= (uint8_t)(1 << count % 8);
        break;
    default: /* one more or less */
        if (file->size)
            file->bytes[place] = (uint8_t)(file->bytes[place] + (what % 8 == 6 ? 1 : -1));
    }
}

static void apply_edits(struct bytes bytes)
{
    bool was_edited[FILES];
    for (int i = 0; i < FILES; i++) {
        was_edited[i] = files[i].edited;
        files[i].edited = false;
        files[i].size = files[i].sound_size;
        memcpy(files[i].bytes, files[i].sound, files[i].size);
    }
    for (int edits = 0; edits < 16 && bytes_left(&bytes); edits++)
        edit(&bytes);
    for (int i = 0; i < FILES; i++)
        if (files[i].edited || was_edited[i])
            write_file(&files[i]);
}

/* ---- The child ----------------------------------------------------------------------------------------- */

static uint8_t *shared_counters;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "nothing heard for %d seconds\n", PATIENCE_SECONDS);
    __sanitizer_print_stack_trace();
    _exit(EXIT_HANG);
}

static bool read_archive(const char *reader, struct lp_execution *execution)
{
    struct lp_error error = {""};
    struct lp_read_options options = {.threads = 1, .salvage = true};
    setenv("LONGPOLE_OTF2_READER", reader, 1);
    alarm(PATIENCE_SECONDS);
    enum lp_status status = lp_read(path_of("t.otf2"), &options, execution, &error);
    alarm(0);
    if (status != LP_OK && (!*error.message || strchr(error.message, '\n')))
        abort(); /* a failure has one line that says why */
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s: %s\n", reader, status ? error.message : "read");
    for (size_t i = 0; status == LP_OK && getenv("FUZZ_SHOW") && i < execution->reading.gap_count; i++)
        fprintf(stderr, "  %s\n", execution->reading.gaps[i]);
    if (status == LP_OK)
        check_invariants(execution);
    return status == LP_OK;
}

/* Both found nothing to complain about. */
static bool both_sound(const struct lp_execution *a, const struct lp_execution *b)
{
    return !a->reading.gap_count && !b->reading.gap_count;
}

static void same(const char *what, uint32_t where, uint64_t by_decoder, uint64_t by_library)
{
    if (by_decoder == by_library)
        return;
    fprintf(stderr, "does not hold: decoder and library read the same: %s %u: %llu and %llu\n", what, where,
            (unsigned long long)by_decoder, (unsigned long long)by_library);
    abort();
}

static void compare(const struct lp_execution *a, const struct lp_execution *b)
{
    same("processors", 0, a->processor_count, b->processor_count);
    same("events", 0, a->reading.events, b->reading.events);
    same("sync events", 0, a->reading.sync_events, b->reading.sync_events);
    same("time reversals", 0, a->reading.time_reversals, b->reading.time_reversals);
    same("end", 0, (uint64_t)a->end, (uint64_t)b->end);
    same("nodes", 0, a->node_count, b->node_count);
    for (uint32_t id = 0; id < a->node_count; id++) {
        same("kind of node", id, a->nodes[id].kind, b->nodes[id].kind);
        same("cause of node", id, a->nodes[id].from, b->nodes[id].from);
        same("parts of node", id, a->nodes[id].part_end, b->nodes[id].part_end);
    }
    for (uint32_t p = 0; p < a->processor_count; p++) {
        const struct lp_processor *x = &a->processors[p], *y = &b->processors[p];
        same("start of processor", p, (uint64_t)x->start, (uint64_t)y->start);
        same("parts of processor", p, x->part_count, y->part_count);
        for (uint32_t i = 0; i < x->part_count; i++)
            same("part", i, x->parts[i], y->parts[i]);
    }
}

static _Noreturn void run_child(int output)
{
    struct lp_execution by_decoder, by_library;
    __sanitizer_set_death_callback(NULL);
    signal(SIGABRT, SIG_DFL);
    signal(SIGALRM, on_alarm);
    dup2(output, STDERR_FILENO);
    bool decoded = read_archive("", &by_decoder), read = read_archive("library", &by_library);
    if (decoded && read && both_sound(&by_decoder, &by_library))
        compare(&by_decoder, &by_library);
    coverage_copy_to(shared_counters);
    _exit(0);
}

/* ---- Who is to blame ----------------------------------------------------------------------------------- */

static const char *earlier(const char *a, const char *b)
{
    return !a || (b && b < a) ? b : a;
}

/* The first of the names in the text before `end`, or NULL. */
static const char *first_of(const char *text, const char *end, const char *const *names)
{
    const char *first = NULL;
    for (; *names; names++)
        first = earlier(first, strstr(text, *names));
    return first && first < end ? first : NULL;
}

/* Of the first stack in the text: whether the innermost frame of longpole is further in than any of the library. */
static bool is_ours(const char *text)
{
    static const char *const library_names[] = {"libopen-trace-format2", "libotf2", NULL};
    static const char *const our_names[] = {"/src/input/", "/src/model/",  "/src/analysis/",
                                            "/src/base/",  "/tests/fuzz/", NULL};
    const char *frame = strstr(text, "#0 ");
    if (strstr(text, "does not hold"))
        return true;
    if (!frame)
        return strstr(text, "runtime error") != NULL; /* undefined behaviour: only our code is watched for it */
    const char *end = strstr(frame, "\n\n") ? strstr(frame, "\n\n") : frame + strlen(frame);
    const char *library = first_of(frame, end, library_names), *ours = first_of(frame, end, our_names);
    return ours && (!library || ours < library);
}

static void judge(int status, int output)
{
    static char text[1 << 16];
    ssize_t size = pread(output, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", text);
    if (status && is_ours(text)) {
        fprintf(stderr, "%s\nfuzz_archive: the child ended with status 0x%x\n", text, status);
        abort();
    }
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    snprintf(directory, sizeof directory, "%s/longpole-fuzz-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    must(mkdtemp(directory) != NULL, directory);
    write_archive();
    read_sound_files();
    shared_counters = mmap(NULL, coverage_size() + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared_counters != MAP_FAILED, "shared memory");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int output = -1;
    int status;
    if (output < 0)
        output = memfd_create("output", MFD_CLOEXEC);
    apply_edits((struct bytes){data, data + size});
    must(!ftruncate(output, 0) && !lseek(output, 0, SEEK_SET), "output");
    memset(shared_counters, 0, coverage_size());
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0)
        run_child(output);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    coverage_add(shared_counters);
    judge(status, output);
    return 0;
}
