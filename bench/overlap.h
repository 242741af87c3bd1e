// How deep segments have sunk into each other, from the poses, over all pairs of them: the engine
// looks at no pairs of bodies that sleep. Depths are parts of the thinner one's radius where they
// overlap most; 0: nothing touches.
#pragma once

#include <sinew/world.h>

// Of different rods.
double overlap_between_rods(const SnPoses *poses);
// Of a strand, an open rod of one radius (m) everywhere, but for pairs with fewer than `apart`
// segments from one to the other.
double overlap_within_strand(const SnPoses *poses, int rod, double radius, int apart);
