// Which of the two solvers a rod gets: sweeps, or Newton's method on the whole rod.
#pragma once

#include "rod/shape.h"

// How many sweeps the stiffest segment would need in a sub-step of 1/600 s (1/60 s in 10):
// 12 h²EI/(ρA l⁴), see docs/physics.md.
double sn__rod_sweeps_needed(const SnRodDef *def, const RodShape *shape);

// SN_SOLVER_SWEEP or SN_SOLVER_DIRECT. It depends on the definition alone: a rod must not change its
// ways because of who shares a pack with it, nor in the middle of a simulation.
SnRodSolver sn__rod_choose_solver(const SnRodDef *def, const RodShape *shape);
