// The built-in thread pool behind SnTaskSystem, for users who bring no job system of their own.
//
// One parallel loop runs at a time. A loop that is started from inside a task of the same pool runs
// inline, on the worker that started it. With SN_NO_THREADS every loop runs inline.
#pragma once

#include <sinew/base.h>

#define MAX_WORKERS 64

typedef struct TaskPool TaskPool;

// thread_count counts the caller: 1 makes no thread, 0 means one per core.
SnResult sn__pool_create(const SnAllocator *allocator, int thread_count, TaskPool **out_pool);

// `pool` may be NULL. No loop may be running.
void sn__pool_destroy(TaskPool *pool);

// Valid as long as the pool is.
SnTaskSystem sn__pool_tasks(TaskPool *pool);
