#include <assert.h>

#include "math/air.h"
#include "math/air_lanes.h"

void WIDE_FUNCTION(air)(const WindField *winds, int count, const float *x, const float *y,
                        const float *z, int n, float *ux, float *uy, float *uz) {
    assert(count >= 1 && n % WIND_LANES == 0);
    assert(((uintptr_t)x | (uintptr_t)y | (uintptr_t)z) % 64 == 0);
    assert(((uintptr_t)ux | (uintptr_t)uy | (uintptr_t)uz) % 64 == 0);
    for (int p = 0; p < n; p += WIDE) {
        Lanes3 at = {load(&x[p]), load(&y[p]), load(&z[p])};
        Lanes3 u = air_sum(winds, count, at, p % WIND_LANES);
        store(&ux[p], u.x);
        store(&uy[p], u.y);
        store(&uz[p], u.z);
    }
}
