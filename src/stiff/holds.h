// What holds trees: fixed segments and hinges.
#pragma once

#include "stiff/stiff.h"

// Moves what stands still to where it is when this part (0 to 1) of the step is over.
void sn__grove_lead(StiffGrove *grove, double time);
// After a step: whether something is not where it is held, but for its root.
bool sn__grove_is_apart(const StiffGrove *grove);
