/* The coverage counters of the program, to be handed from a child process to its parent.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_FUZZ_COVERAGE_H
#define LP_FUZZ_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

size_t coverage_size(void);
void coverage_copy_to(uint8_t *counters);

/* Adds what was covered elsewhere. */
void coverage_add(const uint8_t *counters);

#endif
