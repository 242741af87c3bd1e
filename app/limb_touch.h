// What of a limb is near to what, where its meshes stand.
#pragma once

#include "app/limb.h"

// The bone that is nearest to an end of a muscle, of those that may hold it; -1: there are none.
int limb_nearest_bone(const Limb *limb, const SnViper *muscle, bool last);

// Whether a muscle overlaps a pill of a bone, or another muscle, so far that they must not push each
// other apart.
bool limb_muscle_meets_pill(const SnViper *muscle, const SnBonePills *bone, int pill);
bool limb_muscles_meet(const SnViper *muscle, const SnViper *other);
