// What violence does to trees: joints that yield or break, and trees that are lost.
#pragma once

#include "stiff/stiff.h"

// Joints under more stress than they bear, as their segments are now.
void sn__grove_yield(StiffGrove *grove);
// The row of a joint follows its rest rotation: that of whichever of its segments is solved first.
void sn__grove_set_rest(Grove *grove, const StiffRod *rod, const StiffJoint *joint);
// Trees with a segment that went farther in the sub-step than any may go back to where it began, and
// rest there.
void sn__grove_recover(StiffGrove *grove, double h);
