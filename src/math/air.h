// The air's velocity at many points: a wide kernel, one per instruction set.
#pragma once

#include "base/wide.h"
#include "math/wind.h"

// Sums `count` winds, at least one, at n points (a multiple of WIND_LANES). Point p is in lane
// p mod WIND_LANES and relative to that lane's origin. Arrays are aligned to 64 bytes and may be
// the same.
typedef void AirKernel(const WindField *winds, int count, const float *x, const float *y,
                       const float *z, int n, float *ux, float *uy, float *uz);

// NULL if the library was built without it.
AirKernel *sn__air_kernel(SnIsa isa);

AirKernel PASTE(air, scalar);
AirKernel PASTE(air, v128);
AirKernel PASTE(air, avx2);
AirKernel PASTE(air, avx512);
