// The pool of a build without threads: every loop runs on the caller.
#ifdef SN_NO_THREADS

#include "base/tasks.h"

#include "base/memory.h"

struct TaskPool {
    SnAllocator allocator;
};

SnResult sn__pool_create(const SnAllocator *allocator, int thread_count, TaskPool **out_pool) {
    *out_pool = NULL;
    if (thread_count < 0 || thread_count > MAX_WORKERS)
        return sn_error(SN_ERROR_INVALID, "thread_count: %d is not in [0, %d]", thread_count,
                        MAX_WORKERS);
    TaskPool *pool = sn__alloc(allocator, sizeof *pool);
    if (pool == NULL)
        return sn_error(SN_ERROR_MEMORY, "thread pool: no memory");
    pool->allocator = *allocator;
    *out_pool = pool;
    return sn_ok();
}

void sn__pool_destroy(TaskPool *pool) {
    if (pool) {
        SnAllocator allocator = pool->allocator;
        sn__free(&allocator, pool, sizeof *pool);
    }
}

static void run_inline(int count, int grain, SnTask *task, void *task_context, void *context) {
    (void)grain;
    (void)context;
    if (count > 0)
        task(0, count, 0, task_context);
}

SnTaskSystem sn__pool_tasks(TaskPool *pool) {
    SnTaskSystem tasks = {1, run_inline, pool};
    return tasks;
}

#endif
