// The pool of a build without threads: every loop runs on the caller.
#ifdef SN_NO_THREADS

#include "base/tasks.h"

#include "base/memory.h"
#include "base/result.h"

struct SnPool {
    SnAllocator allocator;
};

SnResult sn__pool_create(const SnAllocator *allocator, int thread_count, SnPool **out_pool) {
    *out_pool = NULL;
    if (thread_count < 0 || thread_count > SN__MAX_WORKERS) {
        return sn__error(SN_ERROR_INVALID, "thread_count: %d is not in [0, %d]", thread_count,
                         SN__MAX_WORKERS);
    }
    SnPool *pool = sn__alloc(allocator, sizeof *pool);
    if (!pool) {
        return sn__error(SN_ERROR_MEMORY, "thread pool: no memory");
    }
    pool->allocator = *allocator;
    *out_pool = pool;
    return sn__ok();
}

void sn__pool_destroy(SnPool *pool) {
    if (pool) {
        SnAllocator allocator = pool->allocator;
        sn__free(&allocator, pool, sizeof *pool);
    }
}

static void run_inline(int count, int grain, SnTask *task, void *task_context, void *context) {
    (void)grain;
    (void)context;
    if (count > 0) {
        task(0, count, 0, task_context);
    }
}

SnTaskSystem sn__pool_tasks(SnPool *pool) {
    SnTaskSystem tasks = {1, run_inline, pool};
    return tasks;
}

#endif
