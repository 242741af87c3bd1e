// What of a limb is near to what, where its meshes stand.
#pragma once

#include "app/limb.h"

// The bone that is nearest to an end of a muscle, of those that may hold it; -1: there are none. out_gap may
// be NULL: how far away it is, in units of the mesh.
int limb_nearest_bone(const Limb *limb, const SnViper *muscle, bool last, double *out_gap);
// Tells of muscles that the bones at hand cannot move.
void limb_note_holders(const Limb *limb);

// Whether a muscle overlaps a pill of a bone, or another muscle, so far that they must not push each
// other apart.
bool limb_muscle_meets_pill(const SnViper *muscle, const SnBonePills *bone, int pill);
bool limb_muscles_meet(const SnViper *muscle, const SnViper *other);
