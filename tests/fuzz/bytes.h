/* The fuzzer's bytes as a source of decisions; behind their end all are 0.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_FUZZ_BYTES_H
#define LP_FUZZ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *next, *end;
};

static inline bool bytes_left(const struct bytes *bytes)
{
    return bytes->next < bytes->end;
}

static inline uint8_t take(struct bytes *bytes)
{
    return bytes_left(bytes) ? *bytes->next++ : 0;
}

/* One of [0, count). */
static inline uint32_t take_below(struct bytes *bytes, uint32_t count)
{
    return take(bytes) % count;
}

static inline uint64_t take_number(struct bytes *bytes, unsigned size)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number = number << 8 | take(bytes);
    return number;
}

#endif
