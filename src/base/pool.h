/* Runs independent pieces of work on several threads.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_POOL_H
#define LP_BASE_POOL_H

#include <stddef.h>

/* Calls work(context, item, worker) once for every item in [0, count), on `threads` threads (worker in [0, threads); the
 * caller's thread is one of them). Items are handed out in order; which worker gets which is not determined. Falls back to
 * fewer threads when the system refuses them. */
void lp_pool_run(unsigned threads, size_t count, void (*work)(void *context, size_t item, unsigned worker),
                 void *context);

/* How many cores this process may use. */
unsigned lp_pool_cores(void);

#endif
