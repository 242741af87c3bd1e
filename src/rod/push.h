// Rods that are solved directly and overlap others are pushed out as a whole: a vertex that is moved while its
// neighbours stay would be a strain. The push moves the aim, and one more iteration of Newton's method finds where the
// rod goes; what it does beyond the motion that was there before is no velocity.
#pragma once

#include "rod/pack.h"

// Keeps how the pack has moved in the sub-step, and moves the aim by the pushes of its knots. A bit for each lane of a
// rod that has any.
uint16_t sn__push_aim(RodPack *pack, const Knot *knots);
// Of bundles, after that is solved: takes off what pushed lanes have gone farther than they were asked to, and says
// which have, to be solved again.
uint16_t sn__push_less(RodPack *pack, const Knot *knots, uint16_t lanes);
// Where rods are after that, with the motion that was kept.
void sn__keep_velocities(RodPack *pack, uint16_t lanes);
