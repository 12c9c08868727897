/* What must hold for every execution that a reader hands out, and for every answer about it, whatever the input was.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_FUZZ_INVARIANTS_H
#define LP_FUZZ_INVARIANTS_H

#include "longpole/execution.h"

/* Checks the execution, runs all analyses on it, and checks their answers: against each other, and lengths and Zeroing
 * against a second, naive implementation. Aborts with a message on the first thing that does not hold. */
void check_invariants(const struct lp_execution *execution);

#endif
