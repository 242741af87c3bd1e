// Task systems as a user might bring them: they cut the work in odd ways and do it in odd orders.
// `context` is an int that counts the calls.
#pragma once

#include <sinew/base.h>

static inline void backwards(int count, int grain, SnTask *task, void *task_context,
                             void *context) {
    (void)grain;
    int *calls = context;
    for (int k = count; k-- > 0; ++*calls)
        task(k, k + 1, k % 3, task_context);
}

// The second half in pieces of 1, 2, 3…, then the first half in one.
static inline void odd_cuts(int count, int grain, SnTask *task, void *task_context, void *context) {
    (void)grain;
    int *calls = context;
    int half = count / 2;
    for (int k = half, size = 1; k < count; k += size++, ++*calls)
        task(k, k + size < count ? k + size : count, 4, task_context);
    if (half > 0)
        task(0, half, 0, task_context);
}
