// Rods as the collision phase sees them: part of the row of rods, as body/kind.h has it.
#pragma once

#include "rod/rods.h"

bool sn__rods_number(void *system, KnotNumbers *numbers);
void sn__rods_own(const void *system, KnotOwner *owners);
void sn__rods_add_velocity(const void *system, double sum[4]);
void sn__rods_bounds(void *system, const TouchBounds *bounds);
void sn__rod_touch(Body *body);
void sn__rods_untouch(void *system);
int sn__rods_passes(const void *system);
BodyCalm sn__rods_calm(const void *system);
int sn__rod_tie(Body *body, int element, float t);
void sn__rod_limit(Body *body, double most);
bool sn__rod_answer(const Body *body, int pulled, int tie, double out[3][3]);
double sn__rod_stretch(const Body *body, int element);
bool sn__rod_sectioned(const Body *body);
int sn__rod_knot(const Body *body, int vertex);
const double *sn__rod_knot_origin(const Body *body, int knot);
// Before the last motion of a sub-step of h is taken from the knots, for packs that are solved directly: a rod is not
// pushed out of an overlap that a hold keeps it in and out of which it is too stiff to bend.
void sn__pack_keep_held(const RodPack *pack, float h, Knot *knots);
// After the prediction of a sub-step of h.
void sn__pack_paces(const RodPack *pack, float h, KnotPace *paces);
// After the end of a sub-step: TouchArrays.struck.
void sn__pack_forget_blows(RodPack *pack, const uint8_t *struck);

// What creatures that touch themselves know of their neighbours, made when it is first needed; false
// without memory.
bool sn__rod_find_neighbours(const RodSystem *rods, Rod *rod);
void sn__rod_forget_neighbours(const RodSystem *rods, Rod *rod);
// Whether two segments of one rod are so close along it that they cannot touch: an arc between them
// that is shorter than half a turn around their radii.
bool sn__rod_are_neighbours(const Body *body, int i, int j);
