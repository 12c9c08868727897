/* The bytes of event files, for the decoder that reads them without the OTF2 library (src/input/otf2_decode.c).
 *
 * The definitions come from otf2_double.c, where the library's way of reading ends at once, with an error: so what is read was
 * decoded here. The first bytes decide on the archive (chunk size, mappings of a location's own references, clock
 * correction); the rest are the event files, in chunks, whose headers are put in.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "invariants.h"
#include "longpole/input.h"
#include "otf2_double.h"
#include "world.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNK_HEADER = 18, FILE_MAX = 1 << 16 };

static char anchor[256];
static int files[LOCATIONS_MAX];

static int create(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

/* TMPDIR/longpole-fuzz-.../t.otf2 and t/LOCATION.evt, open as long as the fuzzer runs. */
int LLVMFuzzerInitialize(int *count, char ***words)
{
    char directory[200], path[256];
    (void)count;
    (void)words;
    snprintf(directory, sizeof directory, "%s/longpole-fuzz-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(directory)) {
        fprintf(stderr, "%s: %s\n", directory, strerror(errno));
        exit(1);
    }
    snprintf(anchor, sizeof anchor, "%s/t.otf2", directory);
    close(create(anchor));
    snprintf(path, sizeof path, "%s/t", directory);
    mkdir(path, 0700);
    for (uint32_t i = 0; i < LOCATIONS_MAX; i++) {
        uint64_t id = (uint64_t)(i % THREADS_MAX) << 32 | i / THREADS_MAX;
        snprintf(path, sizeof path, "%s/t/%" PRIu64 ".evt", directory, id);
        files[i] = create(path);
    }
    return 0;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

struct file {
    uint8_t bytes[FILE_MAX];
    size_t size;
};

/* `content` in chunks of that size, each with its header; bit 0 of `oddity`: without the first header. */
static void fill(struct file *file, const uint8_t *content, size_t size, size_t chunk_size, uint8_t oddity)
{
    static const uint8_t header[CHUNK_HEADER] = {3, 0x42};
    file->size = 0;
    for (size_t done = 0; done < size && file->size + chunk_size <= FILE_MAX;) {
        size_t start = file->size;
        if (start || !(oddity & 1)) {
            memcpy(file->bytes + start, header, CHUNK_HEADER);
            file->size += CHUNK_HEADER;
        }
        size_t part = chunk_size - (file->size - start);
        part = part < size - done ? part : size - done;
        memcpy(file->bytes + file->size, content + done, part);
        file->size += part;
        done += part;
    }
}

static void write_files(const struct world *w, struct bytes *bytes)
{
    static struct file file;
    for (uint32_t i = 0; i < w->locations; i++) {
        uint8_t oddity = take(bytes);
        size_t left = (size_t)(bytes->end - bytes->next),
               size = i + 1 < w->locations ? left / (w->locations - i) : left;
        int handle = files[i / w->threads * THREADS_MAX + i % w->threads];
        fill(&file, bytes->next, size, double_trace.chunk_size, oddity < 250 ? 0 : oddity);
        bytes->next += size;
        if (ftruncate(handle, 0) || pwrite(handle, file.bytes, file.size, 0) != (ssize_t)file.size)
            abort();
    }
}

/* ---- One input ----------------------------------------------------------------------------------------- */

static void make_archive(struct world *w)
{
    static const uint64_t chunk_sizes[] = {64, 256, 4096, 100};
    w->processes = 1 + take_below(&w->bytes, 2);
    w->threads = 1 + take_below(&w->bytes, 2);
    uint8_t archive = take(&w->bytes), mappings = take(&w->bytes);
    world_define(w, 1000000000, 0);
    double_trace.fault = FAULT_EVENT_READERS;
    double_trace.chunk_size = chunk_sizes[archive % 4];
    double_trace.clock_offset = archive >= 250;
    double_trace.mapping_type = archive & 4 ? OTF2_MAPPING_REGION : OTF2_MAPPING_COMM;
    for (int i = 0; mappings >= 240 && i < mappings % 8; i++) {
        uint64_t *pair = double_trace.mappings[double_trace.mapping_count++];
        pair[0] = take_number(&w->bytes, 1);
        pair[1] = take_number(&w->bytes, 1) % 32;
    }
    world_close(w, false);
    write_files(w, &w->bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {.bytes = {data, data + size}};
    struct lp_execution execution;
    struct lp_error error = {""};
    struct lp_read_options options = {.threads = 1, .salvage = true};
    make_archive(&world);
    enum lp_status status = lp_read(anchor, &options, &execution, &error);
    if (status == LP_OK)
        check_invariants(&execution);
    else if (!*error.message || strchr(error.message, '\n'))
        abort(); /* a failure has one line that says why */
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s: %" PRIu64 " events\n", *error.message ? error.message : "read", execution.reading.events);
    lp_execution_release(&execution);
    return 0;
}
