// Which of the two solvers a rod gets: sweeps, or Newton's method on the whole rod.
#pragma once

#include "rod/shape.h"

// k·G of bending and of twist, and of stretch, shear and volume together, up to which one sweep finds a rod's forces:
// cantilevers then vibrate as they should within 0.7 % (docs/physics.md).
#define SWEPT_BEND 0.1
#define SWEPT_SHEAR 30.0
// k·G of the volume against the inertia of radii, up to which what a sweep leaves over of it may be extrapolated.
#define SWEPT_SCALE 600.0

// How a rod compares with these in a sub-step of 1/600 s (1/60 s in 10), damping included: beyond 1, its
// sweeps miss too much.
double sn__rod_coarseness(const SnRodDef *def, const RodShape *shape);

// How many numbers its graph may have to be solved directly (symbolic.h).
int sn__rod_most_numbers(const SnRodDef *def);
// SN_ERROR_LIMIT where it asks for the direct solver and would need too much memory. The graph, NULL for
// a chain, is analysed.
SnResult sn__rod_check_solver(const SnRodDef *def, const RodGraph *graph);

// SN_SOLVER_SWEEP or SN_SOLVER_DIRECT. It depends on the definition alone: a rod must not change its
// ways because of who shares a pack with it, nor in the middle of a simulation.
SnRodSolver sn__rod_choose_solver(const SnRodDef *def, const RodShape *shape);
