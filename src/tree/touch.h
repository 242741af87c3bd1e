// Stiff rods as contacts see them: their vertices as knots.
#pragma once

#include "tree/tree.h"

// Part of the row of stiff rods, as body/kind.h has it. Knots of a tree: one per vertex, and one per
// segment of the same number.
bool sn__trees_number(void *system, KnotNumbers *numbers);
void sn__trees_own(const void *system, KnotOwner *owners);
void sn__trees_add_velocity(const void *system, double sum[4]);
void sn__trees_bounds(void *system, const TouchBounds *bounds);
int sn__tree_knot(const Body *body, int point);
const double *sn__tree_knot_origin(const Body *body, int knot);
void sn__tree_touch(Body *body);
void sn__trees_untouch(void *system);
void sn__tree_press(Body *body, int knot, Vec3d impulse);
void sn__trees_forget_press(void *system);

// How a point of a segment, `end` from its centre, answers along n to a force along n, with all of the
// tree behind it (Grove.give).
double sn__tree_answer(const Tree *tree, int segment, double end, Vec3d n);

// Puts what contacts did in the last pass where sn__grove_reply finds it.
void sn__tree_ask(const Tree *tree);

// Before contacts are solved, and after: what they did becomes impulses for the next solve. `first`
// and `last` are the passes of the sub-step.
// `alone`: every segment for itself.
void sn__tree_to_knots(const Tree *tree, Knot *knots, KnotWays ways, bool first, bool alone);
void sn__tree_from_knots(Tree *tree, const Knot *knots);
// After the last contacts of a sub-step: segments follow their own ends, and joints may gape until
// the next solve. Contacts have the last word, as in the paper.
void sn__tree_follow_knots(Tree *tree, const Knot *knots, KnotWays ways);
// What contacts did in the last sub-step, for the first solve of the next; leaves it at 0.
void sn__tree_take_loads(Tree *tree, ContactLoad *loads);
// Out of overlaps, after the sub-step is finished: it is no motion.
void sn__tree_push(Tree *tree, const Knot *knots);
