#include <assert.h>
#include <math.h>

#include "body/touch.h"

// Part of the radius that a surface may move by beyond what its velocity tells.
#define SPARE 0.02f

// fminf and fmaxf are calls, because of what they do with what is not a number.
static float lower(float a, float b) { return a < b ? a : b; }
static float higher(float a, float b) { return a > b ? a : b; }

// Around both ends, from where they are to where they go as seen by the observer.
static GridBox box_around(const double origin[3], const Knot *a, const Knot *b,
                          const TouchBounds *bounds, float reach) {
    GridBox box;
    for (int c = 0; c < 3; ++c) {
        float seen = bounds->dt * bounds->velocity[c];
        float to_a = a->start[c] + a->motion[c] - seen, to_b = b->start[c] + b->motion[c] - seen;
        float low =
            lower(lower(a->start[c], to_a) - a->start[3], lower(b->start[c], to_b) - b->start[3]) -
            reach;
        float high = higher(higher(a->start[c], to_a) + a->start[3],
                            higher(b->start[c], to_b) + b->start[3]) +
                     reach;
        double rounding = 2e-7 * fabs(origin[c]);
        box.low[c] = (float)(origin[c] + (double)low - rounding);
        box.high[c] = (float)(origin[c] + (double)high + rounding);
    }
    return box;
}

void sn__touch_bound(const TouchBounds *bounds, int k, const double origin[3], float thickness) {
    const KnotOwner *owner = &bounds->owners[k];
    if (owner->body == 0) {
        bounds->boxes[k] = EMPTY_BOX;
        return;
    }
    const Knot *a = &bounds->knots[owner->first], *b = &bounds->knots[owner->second];
    // Knot 0 is nobody's.
    assert(k > 0 && owner->first > 0 && owner->second > 0);
    assert(bounds->dt > 0.0f && bounds->acceleration >= 0.0f && thickness >= 0.0f);
    float fall = 0.5f * bounds->acceleration * bounds->dt * bounds->dt;
    bounds->reach[k] = fall + SPARE * higher(a->start[3], b->start[3]) + thickness;
    bounds->boxes[k] = box_around(origin, a, b, bounds, bounds->reach[k]);
}
