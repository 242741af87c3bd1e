// Rods as the collision phase sees them: their vertices as knots, their segments as boxes.
#pragma once

#include "collide/grid.h"
#include "collide/knots.h"
#include "rod/rods.h"

// Whose segment has the same number as a knot.
typedef struct KnotOwner {
    uint32_t body; // slot; 0: there is no segment
    int32_t element;
    int32_t first, second; // knots of its vertices
    uint8_t home;          // bit 0, 1: this segment answers for its first, second vertex
} KnotOwner;

// Gives numbers to the knots of all packs with rods that may touch something, from `first` up, and
// returns the next free one. Also sees to it that these packs have work memory of their own; −1
// without memory.
int sn__rods_number(RodSystem *rods, int first);
// `owners` is an array over all knots.
void sn__rods_own(const RodSystem *rods, KnotOwner *owners);

// The knot of a vertex, and where the positions of a rod's knots are from (of the lane that the knot
// is in).
int sn__rod_knot(const RodSystem *rods, const Rod *rod, int vertex);
const double *sn__rod_knot_origin(const RodSystem *rods, const Rod *rod, int knot);
// Something may touch it in this step.
void sn__rod_touch(const RodSystem *rods, const Rod *rod);

// What creatures know of their neighbours, made when it is first needed; false without memory.
bool sn__rod_find_neighbours(const RodSystem *rods, Rod *rod);
void sn__rod_forget_neighbours(const RodSystem *rods, Rod *rod);
// Whether two segments of one rod are so close along it that they cannot touch: an arc between them
// that is shorter than half a turn around their radii.
bool sn__rod_are_neighbours(const RodSystem *rods, const Rod *rod, int i, int j);

typedef struct TouchBounds {
    float dt;
    float acceleration; // m/s²: what may change the velocities within the step
    float velocity[3];  // m/s, of the observer: boxes are swept relative to it
} TouchBounds;

// Adds the velocities of all vertices, and their number, to `sum`.
void sn__pack_add_velocity(const RodPack *pack, double sum[4]);

// At the start of a step: places, radii and expected motion of the knots, and around every segment
// the box that it stays in; *reach is how far a surface may come beyond that.
void sn__pack_bounds(const RodPack *pack, const RodSystem *rods, const TouchBounds *bounds,
                     const KnotOwner *owners, Knot *knots, GridBox *boxes, float *reach);
