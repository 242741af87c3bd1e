// Joints that close rings, solved together with the trees that they close.
//
// Without them, the trees of a grove answer to forces as the last way up says: u = G p. A loop adds a
// force and a moment at both of its segments. With E the stiffness roots times the gradients of its
// constraints, and y the multipliers, p = Eᵀ y, and
//   (1 + E G Eᵀ) y = E u₀ + what is left to settle,
// symmetric and positive definite, with six unknowns per loop. With A = G⁻¹ + EᵀE of trees and loops
// together, whose factors fronts.h has, the solution is y = r − E A⁻¹ Eᵀ r of the right side r.
#pragma once

#include "stiff/solve.h"

// At the start of a sub-step, before anything moves.
void sn__loops_begin(Grove *grove, double h);
// Before the way up. Returns the largest |C + α̃λ|, m or rad.
double sn__loops_measure(Grove *grove, double h);
// Between the way up and the way down: what the loops do becomes part of the way down. Needs
// Grove.fronts and Grove.response.
void sn__loops_solve(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);
// After the sub-step.
void sn__loops_end(Grove *grove);
