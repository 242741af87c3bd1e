// The turns of a strand: how many of them are twist, and how many writhe (Călugăreanu, White,
// Fuller). Their sum changes only where an end is turned or the strand passes through itself.
#pragma once

#include <sinew/world.h>

// Both of an open rod, whose ends are carried on straight along z, far out.
double turns_twist(const SnPoses *poses, int rod);
double turns_writhe(const SnPoses *poses, int rod);
