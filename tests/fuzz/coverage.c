/* The counters lie in a section of their own, between two symbols that the linker makes. This file must be compiled without
 * -fsanitize=fuzzer, which uses the same names for itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "coverage.h"

#include <string.h>

extern uint8_t __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

size_t coverage_size(void)
{
    return (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
}

void coverage_copy_to(uint8_t *counters)
{
    memcpy(counters, __start___sancov_cntrs, coverage_size());
}

void coverage_add(const uint8_t *counters)
{
    for (size_t i = 0; i < coverage_size(); i++)
        if (counters[i])
            __start___sancov_cntrs[i] = counters[i];
}
