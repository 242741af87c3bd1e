// Points of stiff rods that links pull at, and how the whole tree answers there.
#pragma once

#include "stiff/kernels.h"
#include "stiff/stiff.h"

// As body/kind.h has it.
int sn__stiff_tie(Body *body, int element, float t);
bool sn__stiff_answer(const Body *body, int pulled, int tie, double out[3][3]);

// Finds all answers, with the factors of the last solve.
void sn__grove_answer_ties(StiffGrove *grove, const StiffKernels *kernels,
                           const SnTaskSystem *tasks);
