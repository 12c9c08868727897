/* SPDX-License-Identifier: BSD-3-Clause */

#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
    atomic_size_t next;
    size_t count;
    void (*work)(void *, size_t, unsigned);
    void *context;
};

struct worker {
    struct pool *pool;
    unsigned number;
    pthread_t thread;
};

static void *serve(void *argument)
{
    struct worker *self = argument;
    struct pool *pool = self->pool;
    size_t item;
    while ((item = atomic_fetch_add(&pool->next, 1)) < pool->count)
        pool->work(pool->context, item, self->number);
    return NULL;
}

void lp_pool_run(unsigned threads, size_t count, void (*work)(void *, size_t, unsigned), void *context)
{
    struct pool pool = {.count = count, .work = work, .context = context};
    if (threads > count)
        threads = (unsigned)count;
    struct worker *workers = threads > 1 ? calloc(threads, sizeof *workers) : NULL;
    unsigned started = 1;
    if (workers)
        for (; started < threads; started++) {
            workers[started] = (struct worker){.pool = &pool, .number = started};
            if (pthread_create(&workers[started].thread, NULL, serve, &workers[started]))
                break;
        }
    serve(&(struct worker){.pool = &pool, .number = 0});
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
}

unsigned lp_pool_cores(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
    return count > 0 ? (unsigned)count : 1;
}
