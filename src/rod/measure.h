// Energies, momenta and errors of one rod, in double precision, from the potentials as the paper
// has them: part of the row of rods, as body/kind.h has it.
#pragma once

#include "rod/rods.h"

void sn__rod_measure(const Body *body, SnVec3 gravity, BodySums *sums);
