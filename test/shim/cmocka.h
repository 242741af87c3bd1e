// What our tests use of cmocka, for machines that are built for but have no cmocka: cross builds by
// tools/test-arm and tools/test-windows. The first failure ends a test; the others go on.
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*function)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    { #f, f }

// Of the test that runs.
static jmp_buf shim_failed;
static const int shim_skipped = 2;

static inline void shim_fail(const char *file, int line) {
    printf("    %s:%d\n", file, line);
    longjmp(shim_failed, 1);
}

#define print_message(...) printf(__VA_ARGS__)
#define skip() longjmp(shim_failed, shim_skipped)
#define fail() shim_fail(__FILE__, __LINE__)
#define fail_msg(...)                                                                              \
    do {                                                                                           \
        printf("    ");                                                                            \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        fail();                                                                                    \
    } while (0)
#define assert_true(c)                                                                             \
    do {                                                                                           \
        if (!(c))                                                                                  \
            fail_msg("%s", #c);                                                                    \
    } while (0)
#define assert_false(c) assert_true(!(c))
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp((a), (b), (size)) != 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp((a), (b), (size)) == 0)
#define assert_int_equal(a, b)                                                                     \
    do {                                                                                           \
        uintmax_t shim_a = (uintmax_t)(a), shim_b = (uintmax_t)(b);                                \
        if (shim_a != shim_b)                                                                      \
            fail_msg("%s is %" PRIdMAX ", not %" PRIdMAX, #a, (intmax_t)shim_a, (intmax_t)shim_b); \
    } while (0)
#define assert_int_not_equal(a, b) assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_in_range(value, low, high)                                                          \
    assert_true((uintmax_t)(value) >= (uintmax_t)(low) && (uintmax_t)(value) <= (uintmax_t)(high))
#define assert_float_equal(a, b, epsilon)                                                          \
    assert_true((double)(a) - (double)(b) <= (double)(epsilon) &&                                  \
                (double)(b) - (double)(a) <= (double)(epsilon))

static inline int shim_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **),
                           int (*tear_down)(void **)) {
    void *state = NULL;
    volatile int failures = 0; // as i, it outlives a longjmp
    if (set_up && set_up(&state) != 0)
        return 1;
    for (volatile size_t i = 0; i < count; ++i) {
        int result = setjmp(shim_failed);
        if (result == 0)
            tests[i].function(&state);
        if (result != 0)
            printf("%s: %s\n", result == shim_skipped ? "skipped" : "FAILED", tests[i].name);
        failures += result == 1;
        fflush(stdout);
    }
    if (tear_down && tear_down(&state) != 0)
        ++failures;
    return failures;
}

#define cmocka_run_group_tests(tests, set_up, tear_down)                                           \
    shim_run(tests, sizeof(tests) / sizeof *(tests), set_up, tear_down)
