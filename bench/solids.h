// Parts of the benchmark of solids.
#pragma once

#include "bench/bench.h"

SnResult bench_solid_skins(Bench *bench);
