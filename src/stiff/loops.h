// Joints that close rings, solved together with the trees that they close.
//
// Without them, the trees of a grove answer to forces as the last way up says: u = G p. A loop adds a
// force and a moment at both of its segments. With E the stiffness roots times the gradients of its
// constraints, and y the multipliers, p = Eᵀ y, and
//   (1 + E G Eᵀ) y = E u₀ + what is left to settle,
// symmetric and positive definite, with six unknowns per loop. With A = G⁻¹ + EᵀE of trees and loops
// together, whose factors fronts.h has, the solution is y = r − E A⁻¹ Eᵀ r of the right side r. Rings, whose tree has
// no other loop, are solved by conjugate gradients (rings.c).
#pragma once

#include "stiff/solve.h"

// At the start of a sub-step, before anything moves.
void sn__loops_begin(Grove *grove, double h);
// Before the way up. Returns the largest |C + α̃λ|, m or rad.
double sn__loops_measure(Grove *grove, double h);
// Between the way up and the way down: what the loops do becomes part of the way down. Needs
// Grove.fronts and Grove.response.
void sn__loops_solve(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);
// Of those that are alone in their tree: `sum` from `left`.
void sn__rings_solve(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);
// p = Eᵀ y on b, and the opposite on a, where sn__grove_response finds it.
void sn__loop_press(Grove *grove, const StiffLoop *loop, const double y[6]);
// E u, of the motion of b's point against a's and of its turn; and of that in Grove.response.
void sn__loop_gradient(const StiffLoop *loop, Vec3d by, Vec3d turn, double out[6]);
void sn__loop_feel(const Grove *grove, const StiffLoop *loop, double out[6]);
// After the sub-step.
void sn__loops_end(Grove *grove);
