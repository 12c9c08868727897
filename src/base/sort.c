/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SMALL = 64 };

static void insertion_sort(int64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        int64_t number = numbers[i];
        size_t place = i;
        for (; place > 0 && numbers[place - 1] > number; place--)
            numbers[place] = numbers[place - 1];
        numbers[place] = number;
    }
}

bool lp_sort_numbers(int64_t *numbers, size_t count)
{
    if (count <= SMALL) {
        insertion_sort(numbers, count);
        return true;
    }
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= (uint64_t)numbers[i];
    int64_t *spare = malloc(count * sizeof *spare), *from = numbers, *to = spare;
    if (!spare)
        return false;
    for (int shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS) {
        size_t places[DIGITS] = {0}, next = 0;
        for (size_t i = 0; i < count; i++)
            places[(uint64_t)from[i] >> shift & (DIGITS - 1)]++;
        for (size_t d = 0; d < DIGITS; d++) {
            size_t size = places[d];
            places[d] = next;
            next += size;
        }
        for (size_t i = 0; i < count; i++)
            to[places[(uint64_t)from[i] >> shift & (DIGITS - 1)]++] = from[i];
        int64_t *other = from;
        from = to;
        to = other;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
    free(spare);
    return true;
}
