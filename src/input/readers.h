/* The readers of executions. To add a format: write one file with a `recognise` and a `read` function, and add its row to
 * the table in input/input.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_READERS_H
#define LP_INPUT_READERS_H

#include <jansson.h>

#include "longpole/input.h"

/* An OTF2 archive, by its anchor file. Fills everything but the order. */
enum lp_status lp_read_otf2(const char *anchor, const struct lp_read_options *options, struct lp_execution *execution,
                            struct lp_error *error);

/* JSON documents, parsed already. Each fills everything but the order. */
bool lp_is_activity_graph(const json_t *document);
enum lp_status lp_read_activity_graph(const char *path, const json_t *document, struct lp_execution *execution,
                                      struct lp_error *error);
bool lp_is_event_trace(const json_t *document);
enum lp_status lp_read_event_trace(const char *path, const json_t *document, struct lp_execution *execution,
                                   struct lp_error *error);

#endif
