/* Writes JSON to a stream as it goes, so that long lists need no memory. Commas and quoting are taken care of; numbers are
 * the shortest text that reads back as the same double; text that is not UTF-8 is repaired.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_JSON_WRITER_H
#define LP_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lp_json {
    FILE *stream;
    bool comma; /* something stands before in the same list */
};

/* `key` is NULL inside lists and for the outermost object. */
void lp_json_object(struct lp_json *json, const char *key);
void lp_json_object_end(struct lp_json *json);
void lp_json_list(struct lp_json *json, const char *key);
void lp_json_list_end(struct lp_json *json);
void lp_json_text(struct lp_json *json, const char *key, const char *text); /* NULL: null */
void lp_json_number(struct lp_json *json, const char *key, double number);
void lp_json_integer(struct lp_json *json, const char *key, uint64_t number);
void lp_json_boolean(struct lp_json *json, const char *key, bool value);

#endif
