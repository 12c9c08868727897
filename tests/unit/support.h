/* What the unit tests share: cmocka, random numbers that are the same on every machine, temporary files, captured text.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_TEST_SUPPORT_H
#define LP_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "longpole/input.h"

/* ---- Random numbers (splitmix64) ------------------------------------------------------------------------- */

struct random {
    uint64_t state;
};

static inline struct random random_from(uint64_t seed)
{
    return (struct random){seed};
}
uint64_t random_bits(struct random *random);
uint32_t random_below(struct random *random, uint32_t bound); /* 0 .. bound - 1 */
bool random_chance(struct random *random, unsigned percent);

/* How many cases to try: `count` times the environment's LONGPOLE_TEST_SCALE, at least 1. */
unsigned scaled(unsigned count);

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* A stream into memory; text_end closes it and returns what was written, which the caller frees. */
struct text {
    FILE *stream;
    char *content;
    size_t length;
};
void text_begin(struct text *text);
char *text_end(struct text *text);

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Writes `content` to a new file, for the system's own folder of such files; the caller removes and frees the name. */
char *temporary_file(const char *content);
void remove_file(char *name);

/* lp_read of a file with that content. On failure the error's message begins with the file's name, which is cut off. */
enum lp_status read_text(const char *content, struct lp_execution *execution, struct lp_error *error);

/* The same for content that must be good. */
void read_good(const char *content, struct lp_execution *execution);

#endif
