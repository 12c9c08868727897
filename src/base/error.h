/* Filling a struct lp_error.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_ERROR_H
#define LP_BASE_ERROR_H

#include "longpole/status.h"

/* Writes the message (one printable line) and returns `status`, so that a caller can say
 * `return lp_fail(error, LP_BAD_INPUT, "%s: ...", path)`. `error` may be NULL. */
enum lp_status lp_fail(struct lp_error *error, enum lp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes one printable line of any text: control characters become '?'. Names come from inputs, and a terminal must not be told
 * what to do by them. */
void lp_make_printable(char *text);

enum lp_status lp_no_memory(struct lp_error *error);

#endif
