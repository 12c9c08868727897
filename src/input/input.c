/* Which reader an input wants, by its content.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "longpole/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/pool.h"
#include "input/readers.h"
#include "model/order.h"
#include "model/sums.h"

/* JSON documents: one row a kind. */
static const struct {
    bool (*recognise)(const json_t *);
    enum lp_status (*read)(const char *, const json_t *, struct lp_execution *, struct lp_error *);
} json_readers[] = {
    {lp_is_activity_graph, lp_read_activity_graph},
    {lp_is_event_trace, lp_read_event_trace},
};

/* A pipe can be read only once: all of it, into memory. */
static json_t *load_stream(const char *path, json_error_t *where, bool *empty)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    FILE *copy = file ? open_memstream(&text, &size) : NULL;
    for (int c; copy && (c = getc(file)) != EOF;)
        putc(c, copy);
    if (file)
        fclose(file);
    json_t *document = copy && !fclose(copy) ? json_loadb(text, size, JSON_REJECT_DUPLICATES, where) : NULL;
    *empty = copy && !size;
    free(text);
    return document;
}

static enum lp_status read_json(const char *path, bool is_file, struct lp_execution *execution, struct lp_error *error)
{
    json_error_t where = {.text = "cannot be read"};
    bool empty = false;
    json_t *document =
        is_file ? json_load_file(path, JSON_REJECT_DUPLICATES, &where) : load_stream(path, &where, &empty);
    if (empty)
        return lp_fail(error, LP_BAD_INPUT, "%s: the file is empty", path);
    if (!document)
        return lp_fail(error, LP_BAD_INPUT, "%s:%d:%d: %s", path, where.line, where.column, where.text);
    enum lp_status status = LP_BAD_INPUT;
    size_t i = 0, kinds = sizeof json_readers / sizeof *json_readers;
    while (i < kinds && !json_readers[i].recognise(document))
        i++;
    if (i < kinds)
        status = json_readers[i].read(path, document, execution, error);
    else if (json_object_get(document, "tasks") || json_object_get(document, "workflow"))
        lp_fail(error, LP_BAD_INPUT, "%s: this is a task graph, not an execution", path);
    else
        lp_fail(error, LP_BAD_INPUT, "%s: JSON, but neither an activity graph nor an event trace", path);
    json_decref(document);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

/* The only OTF2 anchor in a directory; the caller frees it. */
static enum lp_status find_anchor(const char *directory, char **anchor, struct lp_error *error)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return lp_fail(error, LP_SYSTEM_ERROR, "%s: %s", directory, strerror(errno));
    unsigned found = 0;
    for (struct dirent *entry; (entry = readdir(stream));)
        if (ends_with(entry->d_name, ".otf2") && !found++ && asprintf(anchor, "%s/%s", directory, entry->d_name) < 0)
            *anchor = NULL;
    closedir(stream);
    if (found == 1)
        return *anchor ? LP_OK : lp_no_memory(error);
    free(*anchor);
    *anchor = NULL;
    return lp_fail(error, LP_BAD_INPUT, "%s: the directory holds %u files ending in .otf2, expected exactly one",
                   directory, found);
}

static enum lp_status read_file(const char *path, const struct lp_read_options *options, struct lp_execution *execution,
                                struct lp_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return lp_fail(error, LP_SYSTEM_ERROR, "%s: %s", path, strerror(errno));
    unsigned char head[4096];
    size_t length = fread(head, 1, sizeof head, file);
    bool failed = ferror(file);
    fclose(file);
    if (failed)
        return lp_fail(error, LP_SYSTEM_ERROR, "%s: cannot be read", path);
    size_t first = 0;
    while (first < length && strchr(" \t\r\n", head[first]) && head[first])
        first++;
    if (ends_with(path, ".otf2") || (length > 6 && !memcmp(head + 2, "OTF2", 4)))
        return lp_read_otf2(path, options, execution, error);
    if (first < length && (head[first] == '{' || head[first] == '['))
        return read_json(path, true, execution, error);
    if (!length)
        return lp_fail(error, LP_BAD_INPUT, "%s: the file is empty", path);
    return lp_fail(error, LP_BAD_INPUT, "%s: not an input that longpole knows (OTF2, activity graph, event trace)",
                   path);
}

/* Executions without a clock end when their last processor does, waiting included. */
static void derive_end(struct lp_execution *execution)
{
    lp_ticks *clocks = calloc(execution->processor_count + 1, sizeof *clocks);
    lp_ticks *slots = calloc(execution->slot_count + 1, sizeof *slots);
    for (uint32_t r = 0; clocks && slots && r < execution->run_count; r++) {
        const struct lp_run *run = &execution->runs[r];
        const struct lp_processor *processor = &execution->processors[run->processor];
        for (uint32_t node = run->first; node < run->first + run->count; node++) {
            const struct lp_node *point = &execution->nodes[node];
            lp_ticks now = clocks[run->processor];
            for (const lp_part *part = lp_arc_begin(execution, processor, node);
                 part < lp_arc_end(execution, processor, node); part++)
                now += lp_part_duration(*part);
            if (point->flags & LP_NODE_MANY) {
                for (const struct lp_arc *arc = execution->arcs + point->from; arc->from != LP_NONE; arc++)
                    if (slots[arc->slot] + arc->weight > now)
                        now = slots[arc->slot] + arc->weight;
            } else if (point->from != LP_NONE && slots[point->slot] > now) {
                now = slots[point->slot];
            }
            if (point->flags & LP_NODE_IS_SOURCE)
                slots[point->slot] = now;
            clocks[run->processor] = now;
            if (now > execution->end)
                execution->end = now;
        }
    }
    free(clocks);
    free(slots);
}

enum lp_status lp_read(const char *path, const struct lp_read_options *options, struct lp_execution *execution,
                       struct lp_error *error)
{
    struct lp_read_options defaults = options ? *options : (struct lp_read_options){0};
    if (!defaults.threads)
        defaults.threads = lp_pool_cores();
    lp_execution_init(execution);
    char *anchor = NULL;
    struct stat information;
    enum lp_status status = LP_OK;
    if (stat(path, &information))
        status = lp_fail(error, LP_SYSTEM_ERROR, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(information.st_mode))
        status = find_anchor(path, &anchor, error);
    if (!status && !anchor && !S_ISREG(information.st_mode))
        status = read_json(path, false, execution, error);
    else if (!status)
        status = read_file(anchor ? anchor : path, &defaults, execution, error);
    free(anchor);
    if (!status) {
        struct lp_error reason;
        status = lp_execution_finish(execution, defaults.salvage && execution->is_trace, &reason);
        if (status)
            lp_fail(error, status, "%s: %s", path, reason.message);
        else if (!execution->has_clock)
            derive_end(execution);
        lp_account_close(execution);
    }
    if (status)
        lp_execution_release(execution);
    return status;
}
