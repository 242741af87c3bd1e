// The inside of a stiff rod, for solvers that are compared with the engine's.
#pragma once

#include <sinew/world.h>

struct Tree; // tree/tree.h

// NULL if the rod is not stiff, or the id stale.
const struct Tree *stiff_tree(const SnWorld *world, SnBodyId rod);
