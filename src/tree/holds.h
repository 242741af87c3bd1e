// What holds trees: fixed segments and hinges.
#pragma once

#include "tree/tree.h"

// Moves what stands still to where it is when this part (0 to 1) of the step is over.
void sn__grove_lead(TreeGrove *grove, double time);
