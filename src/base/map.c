/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static struct lp_map_entry *find(const struct lp_map *map, uint64_t key)
{
    size_t place = lp_hash(0, key) & (map->capacity - 1);
    while (map->entries[place].value != LP_MAP_FREE && map->entries[place].key != key)
        place = (place + 1) & (map->capacity - 1);
    return &map->entries[place];
}

static bool grow(struct lp_map *map)
{
    struct lp_map larger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
    larger.entries = malloc(larger.capacity * sizeof *larger.entries);
    if (!larger.entries)
        return false;
    memset(larger.entries, 0xff, larger.capacity * sizeof *larger.entries);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value != LP_MAP_FREE)
            *find(&larger, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = larger;
    return true;
}

uint32_t lp_map_get(const struct lp_map *map, uint64_t key)
{
    return map->capacity ? find(map, key)->value : LP_MAP_FREE;
}

uint32_t *lp_map_at(struct lp_map *map, uint64_t key)
{
    if (map->count * 2 >= map->capacity && !grow(map))
        return NULL;
    struct lp_map_entry *entry = find(map, key);
    if (entry->value == LP_MAP_FREE) {
        entry->key = key;
        map->count++;
    }
    return &entry->value;
}

/* Knuth's algorithm R: closes the hole by moving back what was displaced over it. */
void lp_map_remove(struct lp_map *map, uint64_t key)
{
    struct lp_map_entry *entry = map->capacity ? find(map, key) : NULL;
    if (!entry || entry->value == LP_MAP_FREE)
        return;
    size_t mask = map->capacity - 1, hole = (size_t)(entry - map->entries);
    for (size_t place = (hole + 1) & mask; map->entries[place].value != LP_MAP_FREE; place = (place + 1) & mask) {
        size_t home = lp_hash(0, map->entries[place].key) & mask;
        if (((place - home) & mask) >= ((place - hole) & mask)) {
            map->entries[hole] = map->entries[place];
            hole = place;
        }
    }
    map->entries[hole].value = LP_MAP_FREE;
    map->count--;
}

void lp_map_release(struct lp_map *map)
{
    free(map->entries);
    *map = (struct lp_map){0};
}

uint64_t lp_hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}
