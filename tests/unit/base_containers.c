/* Vectors, bits and sorting: small promises that everything above builds on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "base/sort.h"
#include "base/vector.h"

static void vector_keeps_what_was_pushed(void **state)
{
    VECTOR(int) numbers = {0};
    (void)state;
    for (int i = 0; i < 10000; i++)
        assert_true(vector_push(&numbers, i * 3));
    assert_int_equal(numbers.count, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(numbers.items[i], i * 3);
    vector_release(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count + numbers.capacity, 0);
    vector_release(&numbers);
}

static void vector_reserves_at_least_what_is_asked(void **state)
{
    VECTOR(uint64_t) numbers = {0};
    (void)state;
    assert_true(vector_reserve(&numbers, 1000));
    assert_true(numbers.capacity >= 1000);
    uint64_t *items = numbers.items;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(vector_push(&numbers, i));
    assert_ptr_equal(items, numbers.items);
    vector_release(&numbers);
}

/* More than the address space holds: refused, and what was there is still there. */
static void vector_refuses_the_impossible(void **state)
{
    VECTOR(uint64_t) numbers = {0};
    (void)state;
    assert_true(vector_push(&numbers, 7));
    assert_false(vector_reserve(&numbers, SIZE_MAX / 8));
    assert_int_equal(numbers.items[0], 7);
    vector_release(&numbers);
}

static void allocation_of_nothing_is_something(void **state)
{
    (void)state;
    void *nothing = lp_allocate(0, 8), *zeroes = lp_allocate(5, sizeof(int));
    assert_non_null(nothing);
    for (int i = 0; i < 5; i++)
        assert_int_equal(((int *)zeroes)[i], 0);
    free(nothing);
    free(zeroes);
}

static void bits_are_independent(void **state)
{
    enum { COUNT = 200 };
    uint64_t *bits = lp_bits_create(COUNT);
    (void)state;
    for (size_t i = 0; i < COUNT; i += 3)
        lp_bit_set(bits, i);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(lp_bit(bits, i), i % 3 == 0);
    free(bits);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sorts_like_the_c_library(void **state)
{
    const size_t counts[] = {0, 1, 2, 3, 63, 64, 65, 66, 1000, 5000};
    const int bits[] = {1, 10, 11, 12, 22, 33, 40, 55, 62, 63};
    struct random random = random_from(1);
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
            int64_t *numbers = lp_allocate(counts[c], sizeof *numbers),
                    *expected = lp_allocate(counts[c], sizeof *numbers);
            for (size_t i = 0; i < counts[c]; i++)
                numbers[i] = expected[i] = (int64_t)(random_bits(&random) >> (64 - bits[b]));
            if (counts[c] > 1)
                numbers[0] = expected[0] = INT64_MAX;
            assert_true(lp_sort_numbers(numbers, counts[c]));
            qsort(expected, counts[c], sizeof *expected, by_size);
            assert_memory_equal(numbers, expected, counts[c] * sizeof *numbers);
            free(numbers);
            free(expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_keeps_what_was_pushed),  cmocka_unit_test(vector_reserves_at_least_what_is_asked),
        cmocka_unit_test(vector_refuses_the_impossible), cmocka_unit_test(allocation_of_nothing_is_something),
        cmocka_unit_test(bits_are_independent),          cmocka_unit_test(sorts_like_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
