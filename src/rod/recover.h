// What leaves the range of float, or is faster than anything may be.
#pragma once

#include "rod/pack.h"

// Rods that left the range of float are put to rest; what was not finite is as before the sub-step.
void sn__pack_recover(RodPack *pack);
// Rods that got faster than RodPack.fastest are put to rest where the sub-step began.
void sn__pack_hold_back(RodPack *pack, float h);
// The kernel has clamped displacements along each axis. Those that are too long together are made
// shorter, along the way they have. Whether there are any.
bool sn__pack_limit_speeds(RodPack *pack, float h);
