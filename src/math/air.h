// The air's velocity at many points: a wide kernel, one per instruction set.
#pragma once

#include "base/wide.h"
#include "math/wind.h"

// Sums `count` winds, at least one, at n points (a multiple of SN_WIND_LANES). Point p is in lane
// p mod SN_WIND_LANES and relative to that lane's origin. Arrays are aligned to 64 bytes and may be
// the same.
typedef void SnAirKernel(const WindField *winds, int count, const float *x, const float *y,
                         const float *z, int n, float *ux, float *uy, float *uz);

// NULL if the library was built without it.
SnAirKernel *sn__air_kernel(SnIsa isa);

SnAirKernel SN_PASTE(air, scalar);
SnAirKernel SN_PASTE(air, v128);
SnAirKernel SN_PASTE(air, avx2);
SnAirKernel SN_PASTE(air, avx512);
