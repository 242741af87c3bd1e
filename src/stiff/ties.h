// Points of stiff rods that links pull at, segments that hinges turn, and how the whole tree answers there.
#pragma once

#include "stiff/kernels.h"
#include "stiff/stiff.h"

// As body/kind.h has it.
int sn__stiff_tie(Body *body, int element, float t);
int sn__stiff_tie_turn(Body *body, int element);
bool sn__stiff_answer(const Body *body, int pulled, int tie, double out[3][3]);
Vec3d sn__stiff_drift(const Body *body, int tie);

// Finds all answers and drifts, with factors of the trees as they are now. Those of the last solve are of where they
// were before it: a light rod that turns by 0.01 rad then seems to give way along itself by as much as a weight of ten
// thousand times its mass does.
void sn__grove_answer_ties(StiffGrove *grove, const StiffKernels *kernels,
                           const SnTaskSystem *tasks, double h);
