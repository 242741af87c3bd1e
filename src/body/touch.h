// Bodies as the collision phase sees them: their points as knots, their elements as boxes.
#pragma once

#include "collide/contacts.h"
#include "collide/grid.h"

// Elements whose arc along the body is shorter than this, in radii of both together, do not touch. The two sides
// of the tightest hairpin are half a turn apart, π/2. More, because a rod that is shortened, and thicker for it, must
// not touch its own neighbours.
#define HAIRPIN 2.2f

// Whose element has the same number as a knot.
typedef struct KnotOwner {
    uint32_t body; // slot; 0: there is no element
    int32_t element;
    int32_t first, second; // knots of its points
    uint8_t home;          // bit 0, 1: this element answers for its first, second point
    // Of a body that turns as a whole: the knot that it turns about, and its turn. 0: points move
    // for themselves.
    int32_t hub, turn;
    bool
        whole; // contacts see masses of points, and the body shares what they do with all of itself
    // Of the point with this number, if two elements meet there: the other points of both. Else 0.
    int32_t beside[2];
} KnotOwner;

// The next numbers to give out.
typedef struct KnotNumbers {
    int knots, turns;
} KnotNumbers;

// The arrays of the collision phase, by knot or by turn.
typedef struct TouchArrays {
    Knot *knots;
    KnotTurn *turns;
    KnotWays ways;
    ContactLoad *loads; // of contacts; taken, and left at 0, when a sub-step begins
    KnotPace *paces;    // set when a sub-step begins; NULL: nothing bounces
    // What was struck by a blow that was given back, in the last sub-step, if there are paces. It was
    // no force: what goes on with the accelerations of a sub-step forgets that one.
    const uint8_t *struck;
} TouchArrays;

typedef struct TouchBounds {
    const SnTaskSystem *tasks;
    float dt;
    float acceleration; // m/s²: what may change the velocities within the step
    float velocity[3];  // m/s, of the observer: boxes are swept relative to it
    const KnotOwner *owners;
    Knot *knots;
    KnotTurn *turns;
    GridBox *boxes; // of the element with this number
    float *reach;   // m that its surface may move by in the step, beside its velocity
} TouchBounds;

// A box that nothing meets.
#define EMPTY_BOX ((GridBox){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}})

// Reach and box of element k, whose knots are in place; an empty box if it has no owner.
void sn__touch_bound(const TouchBounds *bounds, int k, const double origin[3], float thickness);
