// Stiff rods as contacts see them: their vertices as knots.
#pragma once

#include "stiff/stiff.h"

// Part of the row of stiff rods, as body/kind.h has it. Knots of a tree: one per vertex, and one per
// segment of the same number.
bool sn__stiff_rods_number(void *system, KnotNumbers *numbers);
void sn__stiff_rods_own(const void *system, KnotOwner *owners);
void sn__stiff_rods_add_velocity(const void *system, double sum[4]);
void sn__stiff_rods_bounds(void *system, const TouchBounds *bounds);
int sn__stiff_knot(const Body *body, int point);
const double *sn__stiff_knot_origin(const Body *body, int knot);
bool sn__stiff_are_neighbours(const Body *body, int i, int j);
void sn__stiff_touch(Body *body);
void sn__stiff_rods_untouch(void *system);
void sn__stiff_turning(const Body *body, int segment, Quatd out[2]);
void sn__stiff_twist(Body *body, int segment, Vec3d torque);
void sn__stiff_press(Body *body, int knot, Vec3d impulse);
void sn__stiff_rods_forget_press(void *system);

// How a point of a segment, `end` from its centre, answers along n to a force along n, with all of the
// tree behind it (Grove.give).
double sn__stiff_compliance_along(const StiffRod *rod, int segment, double end, Vec3d n);

// Puts a tree that sleeps among others that do not back to where it was at the start of the sub-step: it is solved with
// them, but nothing moves it.
void sn__stiff_stay(StiffRod *rod);

// Puts what contacts did in the last pass where sn__grove_response finds it.
void sn__stiff_load_response(const StiffRod *rod);

// Before the prediction of a sub-step of h.
void sn__stiff_paces(const StiffRod *rod, double h, KnotPace *paces);
// After the end of a sub-step: TouchArrays.struck.
void sn__stiff_forget_blows(StiffRod *rod, const uint8_t *struck);

// Before contacts are solved, and after: what they did becomes impulses for the next solve. `first`
// and `last` are the passes of the sub-step.
// `alone`: every segment for itself.
void sn__stiff_to_knots(const StiffRod *rod, Knot *knots, KnotWays ways, bool first, bool alone);
void sn__stiff_from_knots(StiffRod *rod, const Knot *knots);
// After the last contacts of a sub-step, how far surfaces have come.
void sn__stiff_count_ways(const StiffRod *rod, const Knot *knots, KnotWays ways);
// The same, and segments follow their own ends, and joints may gape until
// the next solve. Contacts have the last word, as in the paper.
void sn__stiff_follow_knots(StiffRod *rod, const Knot *knots, KnotWays ways);
// What contacts did in the last sub-step, for the first solve of the next; leaves it at 0.
void sn__stiff_take_loads(StiffRod *rod, ContactLoad *loads);
// Whether contacts may push any vertex of a held rod out of overlaps, and if so, how the rod would go:
// impulses for sn__grove_response, and what has come of them.
bool sn__stiff_load_pushes(const StiffRod *rod);
void sn__stiff_see_pushes(StiffRod *rod, bool asked);
// Out of overlaps, after the sub-step is finished: it is no motion.
void sn__stiff_push(StiffRod *rod, const Knot *knots);
