/* Growing arrays. `VECTOR(type)` is {type *items; size_t count, capacity}. All are zero when empty, so that a
 * struct full of them can be cleared with memset and released at any time. Growth doubles; large blocks are moved by
 * the C library without copying, and pages that were never touched cost nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_VECTOR_H
#define LP_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VECTOR(type)            \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

bool lp_vector_grow(void **items, size_t *capacity, size_t needed, size_t item_size);

/* Makes room for `extra` more items; false when out of memory. */
#define vector_reserve(vector, extra)                                                          \
    ((vector)->count + (extra) <= (vector)->capacity ||                                        \
     lp_vector_grow((void **)&(vector)->items, &(vector)->capacity, (vector)->count + (extra), \
                    sizeof *(vector)->items))

/* Appends; false when out of memory. */
#define vector_push(vector, ...) \
    (vector_reserve(vector, 1) ? ((vector)->items[(vector)->count++] = (__VA_ARGS__), true) : false)

#define vector_release(vector) \
    (free((vector)->items), (vector)->items = NULL, (vector)->count = 0, (vector)->capacity = 0)

/* calloc of count items; never returns NULL for count 0. */
void *lp_allocate(size_t count, size_t item_size);

/* A set of small integers, one bit each. */
static inline uint64_t *lp_bits_create(size_t count)
{
    return lp_allocate(count / 64 + 1, 8);
}
static inline bool lp_bit(const uint64_t *bits, size_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}
static inline void lp_bit_set(uint64_t *bits, size_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

#endif
