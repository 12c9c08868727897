/* The pool: every item is worked on exactly once, by a worker that exists, whatever the number of threads.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"

struct tally {
    atomic_uint *done;
    unsigned threads;
    atomic_uint strangers; /* calls by a worker that should not exist */
};

static void work(void *context, size_t item, unsigned worker)
{
    struct tally *tally = context;
    atomic_fetch_add(&tally->done[item], 1);
    if (worker >= tally->threads)
        atomic_fetch_add(&tally->strangers, 1);
}

static void every_item_once(void **state)
{
    const unsigned threads[] = {1, 2, 3, 8, 64};
    const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct tally tally = {.done = lp_allocate(counts[c], sizeof *tally.done), .threads = threads[t]};
            lp_pool_run(threads[t], counts[c], work, &tally);
            for (size_t i = 0; i < counts[c]; i++)
                assert_int_equal(tally.done[i], 1);
            assert_int_equal(tally.strangers, 0);
            free(tally.done);
        }
}

/* A pool inside a pool's item, as the profile does with Slack and Zeroing. */
static void nested_work(void *context, size_t item, unsigned worker)
{
    struct tally *tallies = context;
    (void)worker;
    lp_pool_run(2, 50, work, &tallies[item]);
}

static void pools_nest(void **state)
{
    atomic_uint done[3][50] = {0};
    struct tally tallies[3] = {
        {.done = done[0], .threads = 2}, {.done = done[1], .threads = 2}, {.done = done[2], .threads = 2}};
    (void)state;
    lp_pool_run(3, 3, nested_work, tallies);
    for (int i = 0; i < 150; i++)
        assert_int_equal(done[i / 50][i % 50], 1);
}

static void there_is_a_core(void **state)
{
    (void)state;
    assert_true(lp_pool_cores() >= 1);
}

/* ---- Messages of failures ------------------------------------------------------------------------------ */

/* A message is one line, whatever names the input has. */
static void failure_is_one_clean_line(void **state)
{
    struct lp_error error;
    (void)state;
    assert_int_equal(lp_fail(&error, LP_BAD_INPUT, "%s: %d", "a\nb\033[2Jc\x7f", 5), LP_BAD_INPUT);
    assert_string_equal(error.message, "a?b?[2Jc?: 5");
    assert_int_equal(lp_fail(NULL, LP_SYSTEM_ERROR, "nobody listens"), LP_SYSTEM_ERROR);
}

static void long_failure_is_cut(void **state)
{
    struct lp_error error;
    char name[2000];
    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    lp_fail(&error, LP_BAD_INPUT, "%s", name);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once),     cmocka_unit_test(pools_nest),
        cmocka_unit_test(there_is_a_core),     cmocka_unit_test(failure_is_one_clean_line),
        cmocka_unit_test(long_failure_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
