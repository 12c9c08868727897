/* A hash map from 64-bit keys to 32-bit values (indices into the caller's arrays), open addressing.
 * The caller folds longer keys with lp_hash and compares what the value points at, or uses keys that are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_MAP_H
#define LP_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lp_map {
    struct lp_map_entry {
        uint64_t key;
        uint32_t value; /* LP_MAP_FREE: empty place */
    } * entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

#define LP_MAP_FREE UINT32_MAX

/* The value of the key, or LP_MAP_FREE. */
uint32_t lp_map_get(const struct lp_map *map, uint64_t key);

/* A pointer to the key's value, inserted as LP_MAP_FREE when new (the caller then sets it). NULL: out of memory. Valid until
 * the next insertion. */
uint32_t *lp_map_at(struct lp_map *map, uint64_t key);

/* Takes the key out, if it is there. */
void lp_map_remove(struct lp_map *map, uint64_t key);

void lp_map_release(struct lp_map *map);

/* Mixes a value into a hash. */
static inline uint64_t lp_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t lp_hash_text(const char *text);

#endif
