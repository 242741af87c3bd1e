// The inside of a stiff rod, for solvers that are compared with the engine's.
#pragma once

#include <sinew/world.h>

struct StiffRod; // tree/tree.h

// NULL if the rod is not stiff, or the id stale.
const struct StiffRod *stiff_inside(const SnWorld *world, SnBodyId rod);
