#include <sinew/base.h>

#include <time.h>

double sn_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1.0e3 + (double)now.tv_nsec * 1.0e-6;
}
