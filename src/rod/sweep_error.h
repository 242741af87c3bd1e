// How far off sweeps are, before they are made.
//
// A sweep that starts from where loads alone would take a rod leaves a joint bent too far by the part
// a/(1 + a) of it, a being about half of k·G, its stiffness against the inertia of its two frames; each
// further one in the same sub-step takes that part of what the one before left. A rod that has come to
// rest gives way by 1 + e times what it should, e/(1 + e) = (a/(1 + a))ⁿ with n sweeps, whatever the
// number of its segments (test_sweep_error, docs/solvers.md).
#pragma once

#include "rod/rods.h"

// Of the joint with the largest k·G of bending or twist: notes it for the rod, over h (h + damping).
void sn__rod_note_sweeps(RodSystem *rods, const Rod *rod);
// Predicted for a lane of a pack: e. 0: it is solved directly.
double sn__lane_sweep_error(const RodPack *pack, int lane, double h, int iterations);
// Whether rounding shakes it, so that second order in time would make too much of that.
bool sn__lane_is_shaken(const RodPack *pack, int lane, float h);
// Whether some rod of the pack that is awake gives way by a tenth too much.
bool sn__pack_is_soft(const RodPack *pack, double h, int iterations);
