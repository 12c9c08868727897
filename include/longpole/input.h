/* Reading an execution from a file: OTF2 archives, activity-graph JSON, event-trace JSON (doc/formats.md).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LONGPOLE_INPUT_H
#define LONGPOLE_INPUT_H

#include "longpole/execution.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lp_read_options {
    unsigned threads; /* 0: all cores this process may use */
    bool salvage;     /* read what can be read of a damaged trace, and say in reading.gaps what could not */
    /* Called now and then from any thread, one at a time, with the share done so far (0..1); may be NULL. */
    void (*progress)(void *context, double share);
    void *progress_context;
    /* Called by each thread (`worker` in [0, threads)) with what it is going to read, and with "" when it is done; may be
     * NULL. Who reads in a child process keeps these texts where the parent finds them when the child dies. */
    void (*place)(void *context, unsigned worker, const char *text);
    void *place_context;
};

/* Recognises the input by its content and reads it. `path` is a file, or a directory that holds exactly one OTF2 anchor.
 * On success the execution satisfies all its invariants; on failure it is empty.
 *
 * The OTF2 library may itself crash on damaged bytes: who must survive that reads in a child process. */
enum lp_status lp_read(const char *path, const struct lp_read_options *options, struct lp_execution *execution,
                       struct lp_error *error);

#ifdef __cplusplus
}
#endif
#endif
