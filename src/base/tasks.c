// How a loop runs. The caller fills in the job and opens the gate, a single atomic word with the
// job's number, an open bit and the count of helpers inside. Helpers that see a new open job enter,
// take chunks from a shared counter until none are left, and leave. The caller takes chunks as
// well, then closes the gate and waits for the helpers inside. A helper that wakes up late finds
// the gate closed and touches nothing, so no loop ever waits for a thread that had no part in it.
//
// Loops follow each other within microseconds during a step, so helpers spin a while before they
// sleep; the caller pays for waking them only when some do sleep.
#ifndef SN_NO_THREADS

#include "base/tasks.h"

#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

// About 50 µs at 50 ns per pause: longer than the gaps within a step, shorter than those between.
#define SPINS_BEFORE_SLEEP 1000
// The caller waits for one chunk at most, so it yields its core rather than sleeps.
#define SPINS_BEFORE_YIELD 2000

#define GATE_INSIDE_MASK UINT64_C(0x7FFF)
#define GATE_OPEN UINT64_C(0x8000)
#define GATE_JOB_SHIFT 16

typedef struct Helper {
    TaskPool *pool;
    int worker;
    pthread_t thread;
} Helper;

// What many threads write has a cache line to itself.
struct TaskPool {
    SnAllocator allocator;
    int worker_count; // the caller and the helpers
    int spins_before_sleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    Helper helpers[MAX_WORKERS - 1];

    // The job; written by the caller while the gate is closed and nobody is inside.
    SnTask *task;
    void *task_context;
    int count, grain;

    _Alignas(64) _Atomic int64_t next; // first index that nobody has taken
    _Alignas(64) _Atomic uint64_t gate;
    _Alignas(64) atomic_int sleeping;
    atomic_bool quit;
    atomic_bool busy; // a loop is running, inline or not
};

static inline void pause_core(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_chunks(TaskPool *pool, int worker) {
    assert(worker >= 0 && worker < pool->worker_count);
    int64_t count = pool->count, grain = pool->grain;
    for (;;) {
        int64_t begin = atomic_fetch_add_explicit(&pool->next, grain, memory_order_relaxed);
        if (begin >= count)
            return;
        int64_t end = count - begin < grain ? count : begin + grain;
        pool->task((int)begin, (int)end, worker, pool->task_context);
    }
}

static bool is_new_job(uint64_t gate, uint64_t last_job) {
    return (gate & GATE_OPEN) && gate >> GATE_JOB_SHIFT != last_job;
}

static void sleep_until_job(TaskPool *pool, uint64_t last_job) {
    pthread_mutex_lock(&pool->mutex);
    // Counted before the gate is read again, as the caller opens the gate before it reads the
    // count: one of the two always sees the other.
    atomic_fetch_add(&pool->sleeping, 1);
    while (!is_new_job(atomic_load(&pool->gate), last_job) && !atomic_load(&pool->quit))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
}

// Enters the gate of a job other than last_job and returns its number; 0 when the pool ends.
static uint64_t enter_next_job(TaskPool *pool, uint64_t last_job) {
    int spins = 0;
    while (!atomic_load_explicit(&pool->quit, memory_order_relaxed)) {
        uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
        if (is_new_job(gate, last_job)) {
            if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1))
                return gate >> GATE_JOB_SHIFT;
        } else if (spins++ < pool->spins_before_sleep) {
            pause_core();
        } else {
            sleep_until_job(pool, last_job);
            spins = 0;
        }
    }
    return 0;
}

static void *helper_main(void *argument) {
    Helper *helper = argument;
    TaskPool *pool = helper->pool;
    uint64_t job = 0;
    while ((job = enter_next_job(pool, job)) != 0) {
        run_chunks(pool, helper->worker);
        atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_release);
    }
    return NULL;
}

static void wake_helpers(TaskPool *pool) {
    if (atomic_load(&pool->sleeping) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void run_job(TaskPool *pool, int count, int grain, SnTask *task, void *task_context) {
    assert(count > grain && grain >= 1);
    // The gate is closed and nobody is inside: helpers do not see the job while it changes.
    assert((atomic_load(&pool->gate) & (GATE_OPEN | GATE_INSIDE_MASK)) == 0);
    pool->task = task;
    pool->task_context = task_context;
    pool->count = count;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);

    uint64_t job = (atomic_load_explicit(&pool->gate, memory_order_relaxed) >> GATE_JOB_SHIFT) + 1;
    atomic_store(&pool->gate, job << GATE_JOB_SHIFT | GATE_OPEN);
    wake_helpers(pool);
    run_chunks(pool, 0);

    atomic_fetch_and(&pool->gate, ~GATE_OPEN);
    for (int spins = 0; atomic_load_explicit(&pool->gate, memory_order_acquire) & GATE_INSIDE_MASK;
         ++spins)
        if (spins < SPINS_BEFORE_YIELD)
            pause_core();
        else
            sched_yield();
}

// Only nested loops ask, so a search over the helpers serves, and no thread-local is needed.
static int calling_worker(const TaskPool *pool) {
    pthread_t self = pthread_self();
    for (int i = 0; i < pool->worker_count - 1; ++i)
        if (pthread_equal(pool->helpers[i].thread, self))
            return pool->helpers[i].worker;
    return 0;
}

static void pool_parallel_for(int count, int grain, SnTask *task, void *task_context,
                              void *context) {
    TaskPool *pool = context;
    if (count <= 0)
        return;
    if (atomic_exchange_explicit(&pool->busy, true, memory_order_acquire)) {
        task(0, count, calling_worker(pool), task_context);
        return;
    }
    grain = grain < 1 ? 1 : grain;
    if (count <= grain || pool->worker_count == 1)
        task(0, count, 0, task_context);
    else
        run_job(pool, count, grain, task, task_context);
    atomic_store_explicit(&pool->busy, false, memory_order_release);
}

static int core_count(void) {
#ifdef _WIN32
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    long cores = (long)system.dwNumberOfProcessors;
#else
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : (int)cores;
}

static void stop_helpers(TaskPool *pool) {
    assert(!atomic_load(&pool->busy));
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->worker_count - 1; ++i)
        pthread_join(pool->helpers[i].thread, NULL);
}

// worker_count grows as helpers start, so that stop_helpers joins those there are.
static bool start_helpers(TaskPool *pool, int thread_count) {
    assert(thread_count >= 1 && thread_count <= MAX_WORKERS);
    for (pool->worker_count = 1; pool->worker_count < thread_count; ++pool->worker_count) {
        Helper *helper = &pool->helpers[pool->worker_count - 1];
        helper->pool = pool;
        helper->worker = pool->worker_count;
        if (pthread_create(&helper->thread, NULL, helper_main, helper) != 0)
            return false;
    }
    return true;
}

SnResult sn__pool_create(const SnAllocator *allocator, int thread_count, TaskPool **out_pool) {
    *out_pool = NULL;
    if (thread_count < 0 || thread_count > MAX_WORKERS)
        return sn_error(SN_ERROR_INVALID, "thread_count: %d is not in [0, %d]", thread_count,
                        MAX_WORKERS);
    int cores = core_count();
    if (thread_count == 0)
        thread_count = cores;
    TaskPool *pool = sn__alloc(allocator, sizeof *pool);
    if (pool == NULL)
        return sn_error(SN_ERROR_MEMORY, "thread pool: no memory for %zu bytes", sizeof *pool);
    pool->allocator = *allocator;
    // With more threads than cores, a spinning helper would keep a working one off its core.
    pool->spins_before_sleep = thread_count <= cores ? SPINS_BEFORE_SLEEP : 0;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    if (!start_helpers(pool, thread_count)) {
        SnResult result =
            sn_error(SN_ERROR_LIMIT, "thread_count: only %d of %d threads could be started",
                     pool->worker_count, thread_count);
        sn__pool_destroy(pool);
        return result;
    }
    *out_pool = pool;
    return sn_ok();
}

void sn__pool_destroy(TaskPool *pool) {
    if (pool == NULL)
        return;
    stop_helpers(pool);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    SnAllocator allocator = pool->allocator;
    sn__free(&allocator, pool, sizeof *pool);
}

SnTaskSystem sn__pool_tasks(TaskPool *pool) {
    SnTaskSystem tasks = {pool->worker_count, pool_parallel_for, pool};
    return tasks;
}

#endif
