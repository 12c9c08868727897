/* The hash map against a list: whatever is put in, changed and taken out, both know the same keys.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "base/map.h"

enum { KEYS_MAX = 400 };

struct list {
    struct {
        uint64_t key;
        uint32_t value;
    } items[KEYS_MAX];
    size_t count;
};

static size_t list_find(const struct list *list, uint64_t key)
{
    size_t place = 0;
    while (place < list->count && list->items[place].key != key)
        place++;
    return place;
}

static void put(struct lp_map *map, struct list *list, uint64_t key, uint32_t value)
{
    size_t place = list_find(list, key);
    uint32_t *found = lp_map_at(map, key);
    assert_non_null(found);
    assert_int_equal(*found, place < list->count ? list->items[place].value : LP_MAP_FREE);
    *found = value;
    list->items[place].key = key;
    list->items[place].value = value;
    list->count += place == list->count;
}

static void take_out(struct lp_map *map, struct list *list, uint64_t key)
{
    size_t place = list_find(list, key);
    lp_map_remove(map, key);
    if (place < list->count)
        list->items[place] = list->items[--list->count];
}

static void assert_same(const struct lp_map *map, const struct list *list)
{
    assert_int_equal(map->count, list->count);
    for (size_t i = 0; i < list->count; i++)
        assert_int_equal(lp_map_get(map, list->items[i].key), list->items[i].value);
}

static void random_operations(const uint64_t *keys, uint32_t key_count, uint64_t seed)
{
    struct random random = random_from(seed);
    struct lp_map map = {0};
    struct list list = {.count = 0};
    for (unsigned step = 0; step < 3000; step++) {
        uint64_t key = keys[random_below(&random, key_count)];
        if (random_chance(&random, 55))
            put(&map, &list, key, random_below(&random, 1000));
        else
            take_out(&map, &list, key);
        key = keys[random_below(&random, key_count)];
        size_t place = list_find(&list, key);
        assert_int_equal(lp_map_get(&map, key), place < list.count ? list.items[place].value : LP_MAP_FREE);
        if (step % 100 == 0)
            assert_same(&map, &list);
    }
    assert_same(&map, &list);
    lp_map_release(&map);
    assert_int_equal(map.count, 0);
    assert_int_equal(lp_map_get(&map, keys[0]), LP_MAP_FREE);
}

static void agrees_with_a_list(void **state)
{
    uint64_t keys[KEYS_MAX];
    (void)state;
    for (unsigned seed = 0; seed < scaled(20); seed++) {
        struct random random = random_from(seed);
        uint32_t count = 1 + random_below(&random, KEYS_MAX);
        for (uint32_t i = 0; i < count; i++)
            keys[i] = seed % 2 ? i : random_bits(&random);
        random_operations(keys, count, seed);
    }
}

/* Keys that all want one of the last places of a table of 16, 32 and 64: clusters that wrap around, where removal has to move
 * entries back over the end. */
static void agrees_where_keys_collide(void **state)
{
    uint64_t keys[24];
    (void)state;
    for (unsigned mask = 15; mask <= 63; mask = mask * 2 + 1) {
        uint32_t count = 0;
        for (uint64_t key = 0; count < 24; key++)
            if ((lp_hash(0, key) & mask) >= mask - 1)
                keys[count++] = key;
        for (uint32_t used = 2; used <= 24; used++)
            random_operations(keys, used, used);
    }
}

static void empty_map_has_nothing(void **state)
{
    struct lp_map map = {0};
    (void)state;
    assert_int_equal(lp_map_get(&map, 7), LP_MAP_FREE);
    lp_map_remove(&map, 7);
    lp_map_release(&map);
    lp_map_release(&map);
}

static void extreme_keys_are_keys(void **state)
{
    const uint64_t keys[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX, UINT64_MAX - 1};
    struct lp_map map = {0};
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        *lp_map_at(&map, keys[i]) = i;
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(lp_map_get(&map, keys[i]), i);
    lp_map_remove(&map, UINT64_MAX);
    assert_int_equal(lp_map_get(&map, UINT64_MAX), LP_MAP_FREE);
    assert_int_equal(lp_map_get(&map, UINT64_MAX - 1), 5);
    lp_map_release(&map);
}

/* FNV-1a, 64 bits: the values that its authors publish. */
static void hash_of_text_is_fnv(void **state)
{
    (void)state;
    assert_true(lp_hash_text("") == UINT64_C(0xcbf29ce484222325));
    assert_true(lp_hash_text("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(lp_hash_text("foobar") == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_list),    cmocka_unit_test(agrees_where_keys_collide),
        cmocka_unit_test(empty_map_has_nothing), cmocka_unit_test(extreme_keys_are_keys),
        cmocka_unit_test(hash_of_text_is_fnv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
