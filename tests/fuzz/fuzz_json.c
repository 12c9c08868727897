/* JSON inputs: activity graphs and event traces.
 *
 * Bytes that begin as JSON does are the file as it is. Other bytes decide on a graph, which is written as JSON: most random
 * text is no graph at all, and the analyses should be reached too. With the first byte 'a' it is an activity graph, else an
 * event trace. Whatever can be read must satisfy all invariants.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "invariants.h"
#include "longpole/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES_MAX = 48, PROCESSES_MAX = 5, PROCEDURES_MAX = 6 };

/* Times as a user may write them; the first are the likely ones. */
static const char *const times[] = {
    "0", "1", "2", "3", "5", "8", "13", "0.1", "0.2", "0.3", "0.7", "1.5", "2.25", "1e-3", "1e-9", "1e-12", "1e-13",
    "0.333333333333333314829616256247", "1e6", "4503599627370496", "9007199254740993", "1e15", "1e18",
    "274877906944", "1e-300", "5e-324", "1e300", "9223372036854775807", "-1", "-0.0",
};

static const char *take_time(struct bytes *bytes)
{
    uint8_t choice = take(bytes);
    size_t likely = 16, all = sizeof times / sizeof *times;
    return times[choice < 240 ? choice % likely : choice % all];
}

/* ---- Graphs -------------------------------------------------------------------------------------------- */

/* An arc from an earlier node to a later one, or now and then anything. */
static void take_ends(struct bytes *bytes, uint32_t nodes, uint32_t *from, uint32_t *to)
{
    uint8_t oddity = take(bytes);
    *from = take_below(bytes, nodes);
    *to = take_below(bytes, nodes);
    if (*from > *to && oddity < 250) {
        uint32_t other = *from;
        *from = *to;
        *to = other;
    }
    if (oddity == 255)
        *to = nodes; /* which does not exist */
}

static void write_activity_graph(FILE *file, struct bytes *bytes)
{
    uint32_t processes = 1 + take_below(bytes, PROCESSES_MAX), nodes = 2 + take_below(bytes, NODES_MAX - 1);
    uint32_t last[PROCESSES_MAX], chain[NODES_MAX + 1], chain_count = 0, from, to;
    fputs("{\"nodes\":[", file);
    for (uint32_t p = 0; p < processes; p++)
        last[p] = nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t process = take_below(bytes, processes);
        fprintf(file, "%s[\"n%u\",\"P%u\"]", i ? "," : "", i, process);
        chain[i] = last[process];
        last[process] = i;
    }
    fputs("],\"process_arcs\":[", file);
    for (uint32_t i = 0; i < nodes; i++)
        if (chain[i] < nodes && take(bytes) < 250)
            fprintf(file, "%s[\"n%u\",\"n%u\",\"p%u\",%s,%s]", chain_count++ ? "," : "", chain[i], i,
                    take_below(bytes, PROCEDURES_MAX), take_time(bytes), take(bytes) % 4 ? "true" : "false");
    for (uint32_t extra = take_below(bytes, 256); extra >= 250; extra--) { /* that fit no chain */
        take_ends(bytes, nodes, &from, &to);
        fprintf(file, "%s[\"n%u\",\"n%u\",\"p%u\",%s,true]", chain_count++ ? "," : "", from, to,
                take_below(bytes, PROCEDURES_MAX), take_time(bytes));
    }
    fputs("],\"cross_arcs\":[", file);
    for (bool first = true; bytes_left(bytes); first = false) {
        take_ends(bytes, nodes, &from, &to);
        fprintf(file, "%s[\"n%u\",\"n%u\",%s]", first ? "" : ",", from, to, take(bytes) % 2 ? take_time(bytes) : "0");
    }
    fputs("]}", file);
}

static void write_event(FILE *file, struct bytes *bytes, uint32_t number, uint32_t events)
{
    fprintf(file, "{\"id\":\"e%u\",\"work\":%s", number, take_time(bytes));
    uint8_t choice = take(bytes);
    if (choice % 4 == 1)
        fprintf(file, ",\"procedure\":\"p%u\"", take_below(bytes, PROCEDURES_MAX));
    if (choice % 8 >= 4 && number)
        fprintf(file, ",\"recv\":\"e%u\",\"comm\":%s", take_below(bytes, choice > 250 ? events : number),
                take_time(bytes));
    if (choice % 16 == 3 && number)
        fprintf(file, ",\"recv\":[\"e%u\",\"e%u\"],\"comm\":%s", take_below(bytes, number), take_below(bytes, number),
                take_time(bytes));
    putc('}', file);
}

static void write_event_trace(FILE *file, struct bytes *bytes)
{
    uint32_t processes = 1 + take_below(bytes, PROCESSES_MAX), events = take_below(bytes, NODES_MAX), number = 0;
    putc('{', file);
    for (uint32_t p = 0; p < processes; p++) {
        fprintf(file, "%s\"P%u\":[", p ? "," : "", p);
        for (uint32_t i = 0; i < events / processes; i++) {
            if (i)
                putc(',', file);
            write_event(file, bytes, number++, events);
        }
        putc(']', file);
    }
    putc('}', file);
}

static void write_graph(FILE *file, const uint8_t *data, size_t size)
{
    struct bytes bytes = {data + 1, data + size};
    if (data[0] == 'a')
        write_activity_graph(file, &bytes);
    else
        write_event_trace(file, &bytes);
}

/* ---- One input ----------------------------------------------------------------------------------------- */

static bool is_json(const uint8_t *data, size_t size)
{
    return size && memchr("{[ \t\r\n", data[0], 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int handle = -1;
    static char path[64];
    if (handle < 0) {
        handle = memfd_create("input", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    }
    char *text = NULL;
    size_t length = 0;
    if (!size || (size > 6 && !memcmp(data + 2, "OTF2", 4)))
        return -1;
    if (!is_json(data, size)) {
        FILE *file = open_memstream(&text, &length);
        write_graph(file, data, size);
        fclose(file);
        data = (const uint8_t *)text;
        size = length;
    }
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%.*s\n", (int)size, (const char *)data);
    if (ftruncate(handle, 0) || pwrite(handle, data, size, 0) != (ssize_t)size)
        abort();
    struct lp_execution execution;
    struct lp_error error = {""};
    struct lp_read_options options = {.threads = 1};
    enum lp_status status = lp_read(path, &options, &execution, &error);
    if (status == LP_OK)
        check_invariants(&execution);
    else if (!*error.message || strchr(error.message, '\n'))
        abort(); /* a failure has one line that says why */
    lp_execution_release(&execution);
    free(text);
    return 0;
}
