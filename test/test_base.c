// Results, instruction sets, memory, ids, hash, clock and the thread pool.
#include "base/hash.h"
#include "base/ids.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/tasks.h"

// cmocka.h needs these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void results_carry_code_and_message(void **state) {
    (void)state;
    SnResult ok = sn_ok();
    assert_int_equal(ok.code, SN_OK);
    assert_string_equal(ok.message, "");
    SnResult error = sn_error(SN_ERROR_INVALID, "rod '%s': radius %g is not > 0", "arm", -0.5);
    assert_int_equal(error.code, SN_ERROR_INVALID);
    assert_string_equal(error.message, "rod 'arm': radius -0.5 is not > 0");
}

// Whatever the offset at which the buffer ends, no character may be left half.
static void long_messages_are_cut_between_characters(void **state) {
    (void)state;
    const char *characters[] = {"a", "é", "γ", "≥", "𝄞"};
    for (size_t c = 0; c < sizeof characters / sizeof *characters; ++c) {
        size_t width = strlen(characters[c]);
        for (size_t shift = 0; shift < 5; ++shift) {
            char text[400] = "xxxxx";
            text[shift] = '\0';
            while (strlen(text) + width < sizeof text)
                strcat(text, characters[c]);
            SnResult result = sn_error(SN_ERROR_FORMAT, "%s", text);
            size_t room = sizeof result.message - 1;
            size_t expected = shift + (room - shift) / width * width;
            assert_int_equal(strlen(result.message), expected);
            assert_memory_equal(result.message, text, expected);
        }
    }
}

static void version_and_isa_names(void **state) {
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR,
             SN_VERSION_PATCH);
    assert_string_equal(sn_version(), expected);
    assert_string_equal(sn_isa_name(SN_ISA_SCALAR), "scalar");
    assert_string_equal(sn_isa_name(SN_ISA_128), "128");
    assert_string_equal(sn_isa_name(SN_ISA_AVX2), "avx2");
    assert_string_equal(sn_isa_name(SN_ISA_AVX512), "avx512");
    assert_string_equal(sn_isa_name((SnIsa)99), "unknown");
}

static void best_isa_is_the_widest_available(void **state) {
    (void)state;
    assert_true(sn_isa_available(SN_ISA_BEST));
    assert_true(sn_isa_available(SN_ISA_SCALAR));
    assert_false(sn_isa_available((SnIsa)99));
    SnIsa best = sn__isa_best();
    assert_int_not_equal(best, SN_ISA_BEST);
    assert_true(sn_isa_available(best));
    for (int wider = (int)best + 1; wider <= SN_ISA_AVX512; ++wider)
        assert_false(sn_isa_available((SnIsa)wider));
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            assert_true(sn__isa_compiled((SnIsa)isa));
    assert_false(sn__isa_compiled(SN_ISA_BEST));
    assert_false(sn__isa_compiled((SnIsa)99));
}

// An allocator that counts, and that fails after `left` allocations.
typedef struct Counter {
    int left;
    int blocks;
    size_t bytes;
} Counter;

static void *counting_allocate(size_t size, size_t align, void *context) {
    Counter *counter = context;
    if (counter->left-- <= 0)
        return NULL;
    ++counter->blocks;
    counter->bytes += size;
    void *memory = aligned_alloc(align, size);
    memset(memory, 0xAB, size);
    return memory;
}

static void counting_release(void *memory, size_t size, void *context) {
    Counter *counter = context;
    --counter->blocks;
    counter->bytes -= size;
    free(memory);
}

static SnAllocator counting_allocator(Counter *counter) {
    SnAllocator allocator = {counting_allocate, counting_release, counter};
    return allocator;
}

static void assert_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        assert_int_equal(bytes[i], 0);
}

static void memory_is_aligned_zeroed_and_balanced(void **state) {
    (void)state;
    Counter counter = {1000, 0, 0};
    SnAllocator allocators[] = {sn__default_allocator(), counting_allocator(&counter)};
    const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 100000};
    for (int a = 0; a < 2; ++a) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            unsigned char *memory = sn__alloc(&allocators[a], sizes[i]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 64, 0);
            assert_zero(memory, sizes[i]);
            memset(memory, 0xFF, sizes[i]);
            sn__free(&allocators[a], memory, sizes[i]);
        }
        sn__free(&allocators[a], NULL, 10);
    }
    assert_int_equal(counter.blocks, 0);
    assert_int_equal(counter.bytes, 0);
}

static void growing_keeps_the_old_and_zeroes_the_new(void **state) {
    (void)state;
    Counter counter = {3, 0, 0};
    SnAllocator allocator = counting_allocator(&counter);
    unsigned char *memory = sn__grow(&allocator, NULL, 0, 100);
    assert_zero(memory, 100);
    memset(memory, 7, 100);
    memory = sn__grow(&allocator, memory, 100, 120);
    memory = sn__grow(&allocator, memory, 120, 5000);
    for (int i = 0; i < 100; ++i)
        assert_int_equal(memory[i], 7);
    assert_zero(memory + 100, 4900);
    assert_null(sn__grow(&allocator, memory, 5000, 6000));
    assert_int_equal(memory[99], 7);
    assert_int_equal(counter.blocks, 1);
    sn__free(&allocator, memory, 5000);
    assert_int_equal(counter.blocks, 0);
    assert_int_equal(counter.bytes, 0);
}

static void impossible_sizes_give_nothing(void **state) {
    (void)state;
    Counter counter = {1000, 0, 0};
    SnAllocator counting = counting_allocator(&counter);
    assert_null(sn__alloc(&counting, SIZE_MAX));
    assert_null(sn__alloc(&counting, SIZE_MAX - 62));
    assert_null(sn__alloc_array(&counting, SIZE_MAX / 2, 3));
    assert_null(sn__alloc_array(&counting, (size_t)1 << 33, (size_t)1 << 33));
    assert_int_equal(counter.left, 1000);
    SnAllocator plain = sn__default_allocator();
    assert_null(plain.allocate(SIZE_MAX, 64, plain.context));
    void *array = sn__alloc_array(&counting, 10, 12);
    assert_non_null(array);
    sn__free(&counting, array, 120);
    assert_int_equal(counter.bytes, 0);
}

// Three arrays in one block, by the lines that measure it.
static size_t lay_three(void *memory, char **a, double **b, int **c) {
    Layout layout = {memory, 0};
    *a = sn__lay(&layout, 65, sizeof **a);
    *b = sn__lay(&layout, 0, sizeof **b);
    *c = sn__lay(&layout, 16, sizeof **c);
    return layout.used;
}

static void layouts_measure_and_place_alike(void **state) {
    (void)state;
    char *a;
    double *b;
    int *c;
    size_t size = lay_three(NULL, &a, &b, &c);
    assert_int_equal(size, 3 * CACHE_LINE);
    assert_true(a == NULL && b == NULL && c == NULL);
    SnAllocator allocator = sn__default_allocator();
    char *memory = sn__alloc(&allocator, size);
    assert_non_null(memory);
    assert_int_equal(lay_three(memory, &a, &b, &c), size);
    assert_ptr_equal(a, memory);
    assert_ptr_equal(b, memory + 2 * CACHE_LINE);
    assert_ptr_equal(c, memory + 2 * CACHE_LINE);
    sn__free(&allocator, memory, size);
}

static void ids_are_never_null_and_go_stale(void **state) {
    (void)state;
    SnAllocator allocator = sn__default_allocator();
    IdPool pool = {0};
    assert_false(sn__ids_valid(&pool, 0, 0));
    assert_false(sn__ids_valid(&pool, 1, 1));
    uint32_t index, generation, again, next;
    assert_true(sn__ids_acquire(&pool, &allocator, &index, &generation));
    assert_int_equal(index, 1);
    assert_int_not_equal(generation, 0);
    assert_true(sn__ids_valid(&pool, index, generation));
    assert_false(sn__ids_valid(&pool, 0, generation));
    assert_false(sn__ids_valid(&pool, index, generation + 1));
    assert_true(sn__ids_release(&pool, index, generation));
    assert_false(sn__ids_valid(&pool, index, generation));
    // Not even the generation a free slot carries inside makes a valid id.
    assert_false(sn__ids_valid(&pool, index, generation + 1));
    assert_false(sn__ids_release(&pool, index, generation));
    assert_true(sn__ids_acquire(&pool, &allocator, &again, &next));
    assert_int_equal(again, index);
    assert_int_not_equal(next, generation);
    assert_false(sn__ids_valid(&pool, index, generation));
    assert_int_equal(pool.live_count, 1);
    sn__ids_destroy(&pool, &allocator);
    assert_false(sn__ids_valid(&pool, again, next));
}

static void released_slots_come_back_last_in_first_out(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    SnAllocator allocator = sn__default_allocator();
    IdPool pool = {0};
    uint32_t generations[COUNT + 1], index, generation;
    for (uint32_t i = 1; i <= COUNT; ++i) {
        assert_true(sn__ids_acquire(&pool, &allocator, &index, &generations[i]));
        assert_int_equal(index, i);
    }
    for (uint32_t i = 3; i <= COUNT; i += 3)
        assert_true(sn__ids_release(&pool, i, generations[i]));
    for (uint32_t i = COUNT - COUNT % 3; i >= 3; i -= 3) {
        assert_true(sn__ids_acquire(&pool, &allocator, &index, &generation));
        assert_int_equal(index, i);
    }
    assert_true(sn__ids_acquire(&pool, &allocator, &index, &generation));
    assert_int_equal(index, COUNT + 1);
    assert_int_equal(pool.slot_count, COUNT + 1);
    assert_int_equal(pool.live_count, COUNT + 1);
    for (uint32_t i = 1; i <= COUNT; ++i)
        assert_int_equal(sn__ids_valid(&pool, i, generations[i]), i % 3 != 0);
    sn__ids_destroy(&pool, &allocator);
}

static void ids_survive_a_failing_allocator(void **state) {
    (void)state;
    Counter counter = {1, 0, 0};
    SnAllocator allocator = counting_allocator(&counter);
    IdPool pool = {0};
    uint32_t index = 0, generation = 0, count = 0;
    while (sn__ids_acquire(&pool, &allocator, &index, &generation))
        ++count;
    assert_true(count > 0);
    assert_int_equal(pool.live_count, count);
    assert_true(sn__ids_release(&pool, index, generation));
    assert_true(sn__ids_acquire(&pool, &allocator, &index, &generation));
    sn__ids_destroy(&pool, &allocator);
    assert_int_equal(counter.blocks, 0);
    assert_int_equal(counter.bytes, 0);
}

static void hash_sees_every_bit(void **state) {
    (void)state;
    unsigned char bytes[67];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i * 37);
    for (size_t size = 0; size <= sizeof bytes; ++size) {
        uint64_t plain = sn__hash_bytes(1, bytes, size);
        assert_int_equal(plain, sn__hash_bytes(1, bytes, size));
        assert_int_not_equal(plain, sn__hash_bytes(2, bytes, size));
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t changed = sn__hash_bytes(1, bytes, size) ^ plain;
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            // Half of the 64 bits change on average; fewer than 10 would be a poor mix.
            assert_in_range(__builtin_popcountll(changed), 10, 54);
        }
    }
}

static void hash_tells_lengths_and_orders_apart(void **state) {
    (void)state;
    const unsigned char zeros[32] = {0};
    for (size_t a = 0; a < 32; ++a)
        for (size_t b = a + 1; b <= 32; ++b)
            assert_int_not_equal(sn__hash_bytes(0, zeros, a), sn__hash_bytes(0, zeros, b));
    uint64_t forward = sn__hash_bytes(sn__hash_bytes(0, "rod", 3), "tree", 4);
    uint64_t backward = sn__hash_bytes(sn__hash_bytes(0, "tree", 4), "rod", 3);
    assert_int_not_equal(forward, backward);
}

// The value is part of recorded hashes: a change of the function must be seen here first.
static void hash_value_is_fixed(void **state) {
    (void)state;
    assert_int_equal(sn__hash_bytes(0, "volume-preserving", 17), UINT64_C(0xFE213244EBF167C6));
}

static void clock_counts_milliseconds(void **state) {
    (void)state;
    double begin = sn_now_ms(), last = begin;
    for (int i = 0; i < 1000; ++i) {
        double now = sn_now_ms();
        assert_true(now >= last);
        last = now;
    }
    begin = sn_now_ms();
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    double slept = sn_now_ms() - begin;
    assert_true(slept >= 19.9 && slept < 2000.0);
}

enum { MAX_COUNT = 5000 };

// Hits are not atomic: a pool that gave an index to two workers, or returned before the work was
// done, would be seen in them (and by the thread sanitizer).
typedef struct Cover {
    SnTaskSystem tasks;
    int hits[MAX_COUNT];
    int calls_of_worker[MAX_WORKERS];
    atomic_bool failed;
} Cover;

static void cover_range(int begin, int end, int worker, void *context) {
    Cover *cover = context;
    if (begin >= end || worker < 0 || worker >= cover->tasks.worker_count) {
        cover->failed = true;
        return;
    }
    for (int i = begin; i < end; ++i)
        ++cover->hits[i];
    ++cover->calls_of_worker[worker];
}

static TaskPool *create_pool(int thread_count) {
    SnAllocator allocator = sn__default_allocator();
    TaskPool *pool;
    SnResult result = sn__pool_create(&allocator, thread_count, &pool);
    assert_int_equal(result.code, SN_OK);
    assert_non_null(pool);
    return pool;
}

static void cover_once(Cover *cover, int count, int grain) {
    memset(cover->hits, 0, sizeof cover->hits);
    cover->tasks.parallel_for(count, grain, cover_range, cover, cover->tasks.context);
    assert_false(cover->failed);
    for (int i = 0; i < MAX_COUNT; ++i)
        if (cover->hits[i] != (i < count))
            fail_msg("count %d, grain %d: index %d was run %d times", count, grain, i,
                     cover->hits[i]);
}

static void loops_cover_each_index_once(int thread_count) {
    TaskPool *pool = create_pool(thread_count);
    Cover *cover = calloc(1, sizeof *cover);
    cover->tasks = sn__pool_tasks(pool);
    const int counts[] = {0, 1, 2, 7, 64, 1000, MAX_COUNT};
    const int grains[] = {-1, 0, 1, 3, 16, 999, 1000000, INT32_MAX};
    for (int c = 0; c < 7; ++c)
        for (int g = 0; g < 8; ++g)
            cover_once(cover, counts[c], grains[g]);
    free(cover);
    sn__pool_destroy(pool);
}

static void pool_covers_with_1_thread(void **state) {
    (void)state;
    loops_cover_each_index_once(1);
}

static void pool_covers_with_2_threads(void **state) {
    (void)state;
    loops_cover_each_index_once(2);
}

static void pool_covers_with_4_threads(void **state) {
    (void)state;
    loops_cover_each_index_once(4);
}

// Back to back, and with pauses in between that let the helpers fall asleep.
static void pool_survives_10000_calls(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads *= 2) {
        TaskPool *pool = create_pool(threads);
        Cover *cover = calloc(1, sizeof *cover);
        cover->tasks = sn__pool_tasks(pool);
        for (int call = 0; call < 10000; ++call) {
            cover->tasks.parallel_for(40, 1 + call % 8, cover_range, cover, cover->tasks.context);
            if (call % 100 == 0)
                nanosleep(&(struct timespec){0, 200000}, NULL);
        }
        assert_false(cover->failed);
        for (int i = 0; i < MAX_COUNT; ++i)
            assert_int_equal(cover->hits[i], i < 40 ? 10000 : 0);
        free(cover);
        sn__pool_destroy(pool);
    }
}

#ifndef SN_NO_THREADS

static void wait_a_while(int begin, int end, int worker, void *context) {
    (void)begin;
    (void)end;
    ++((Cover *)context)->calls_of_worker[worker];
    nanosleep(&(struct timespec){0, 10000000}, NULL);
}

// Chunks that sleep leave time for the helpers to come, however many cores there are.
static void helpers_take_part(void **state) {
    (void)state;
    TaskPool *pool = create_pool(4);
    Cover *cover = calloc(1, sizeof *cover);
    cover->tasks = sn__pool_tasks(pool);
    assert_int_equal(cover->tasks.worker_count, 4);
    cover->tasks.parallel_for(20, 1, wait_a_while, cover, cover->tasks.context);
    int calls = 0;
    for (int worker = 0; worker < 4; ++worker) {
        assert_true(cover->calls_of_worker[worker] > 0);
        calls += cover->calls_of_worker[worker];
    }
    assert_int_equal(calls, 20);
    free(cover);
    sn__pool_destroy(pool);
}

#endif

enum { INNER_COUNT = 50 };

typedef struct Nest {
    SnTaskSystem tasks;
    atomic_int inner_hits[INNER_COUNT];
    atomic_bool failed;
} Nest;

typedef struct Inner {
    Nest *nest;
    int worker, calls;
} Inner;

static void inner_task(int begin, int end, int worker, void *context) {
    Inner *inner = context;
    ++inner->calls;
    if (worker != inner->worker)
        inner->nest->failed = true;
    for (int i = begin; i < end; ++i)
        ++inner->nest->inner_hits[i];
}

static void outer_task(int begin, int end, int worker, void *context) {
    Nest *nest = context;
    for (int i = begin; i < end; ++i) {
        Inner inner = {nest, worker, 0};
        nest->tasks.parallel_for(INNER_COUNT, 1, inner_task, &inner, nest->tasks.context);
        if (inner.calls != 1)
            nest->failed = true;
    }
}

static void nested_loops_run_inline_on_their_worker(void **state) {
    (void)state;
    TaskPool *pool = create_pool(4);
    Nest nest = {0};
    nest.tasks = sn__pool_tasks(pool);
    nest.tasks.parallel_for(1000, 1, outer_task, &nest, nest.tasks.context);
    // An outer loop of a single chunk runs inline, and what it starts is nested all the same.
    nest.tasks.parallel_for(1000, 1000, outer_task, &nest, nest.tasks.context);
    assert_false(nest.failed);
    for (int i = 0; i < INNER_COUNT; ++i)
        assert_int_equal(nest.inner_hits[i], 2000);
    sn__pool_destroy(pool);
}

static void pool_refuses_bad_counts_and_reports_no_memory(void **state) {
    (void)state;
    Counter counter = {0, 0, 0};
    SnAllocator empty = counting_allocator(&counter);
    SnAllocator allocator = sn__default_allocator();
    TaskPool *pool;
    const int bad[] = {-1, MAX_WORKERS + 1, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; ++i) {
        SnResult result = sn__pool_create(&allocator, bad[i], &pool);
        assert_int_equal(result.code, SN_ERROR_INVALID);
        assert_non_null(strstr(result.message, "thread_count"));
        assert_null(pool);
    }
    assert_int_equal(sn__pool_create(&empty, 2, &pool).code, SN_ERROR_MEMORY);
    assert_null(pool);
    sn__pool_destroy(NULL);
    pool = create_pool(0);
    assert_in_range(sn__pool_tasks(pool).worker_count, 1, MAX_WORKERS);
    sn__pool_destroy(pool);
    sn__pool_destroy(create_pool(MAX_WORKERS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_carry_code_and_message),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(version_and_isa_names),
        cmocka_unit_test(best_isa_is_the_widest_available),
        cmocka_unit_test(memory_is_aligned_zeroed_and_balanced),
        cmocka_unit_test(growing_keeps_the_old_and_zeroes_the_new),
        cmocka_unit_test(impossible_sizes_give_nothing),
        cmocka_unit_test(layouts_measure_and_place_alike),
        cmocka_unit_test(ids_are_never_null_and_go_stale),
        cmocka_unit_test(released_slots_come_back_last_in_first_out),
        cmocka_unit_test(ids_survive_a_failing_allocator),
        cmocka_unit_test(hash_sees_every_bit),
        cmocka_unit_test(hash_tells_lengths_and_orders_apart),
        cmocka_unit_test(hash_value_is_fixed),
        cmocka_unit_test(clock_counts_milliseconds),
        cmocka_unit_test(pool_covers_with_1_thread),
        cmocka_unit_test(pool_covers_with_2_threads),
        cmocka_unit_test(pool_covers_with_4_threads),
        cmocka_unit_test(pool_survives_10000_calls),
#ifndef SN_NO_THREADS
        cmocka_unit_test(helpers_take_part),
#endif
        cmocka_unit_test(nested_loops_run_inline_on_their_worker),
        cmocka_unit_test(pool_refuses_bad_counts_and_reports_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
