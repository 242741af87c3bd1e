// What holds trees: fixed segments, hinges, and joints that close rings.
#pragma once

#include "tree/tree.h"

// Moves what stands still to where it is when this part (0 to 1) of the step is over.
void sn__grove_lead(TreeGrove *grove, double time);
// Before a solve: both ends of joints that close a ring see the other one where it is now.
void sn__grove_follow_loops(TreeGrove *grove, double h);
