/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_SORT_H
#define LP_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts non-negative numbers, ascending, by radix: linear in their count. False: out of memory. */
bool lp_sort_numbers(int64_t *numbers, size_t count);

#endif
