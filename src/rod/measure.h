// Energies, momenta and errors of one rod, in double precision, from the potentials as the paper
// has them.
#pragma once

#include "rod/rods.h"
#include "sinew/world.h"

// Sums that can be added up over rods.
typedef struct RodSums {
    SnMeasures m;
    double volume_error_sum;
    long segments;
    double residual[2]; // squared: missing, total
} RodSums;

void sn__rod_measure(const RodSystem *rods, const Rod *rod, SnVec3 gravity, RodSums *sums);
SnMeasures sn__rod_measures(const RodSums *sums);
