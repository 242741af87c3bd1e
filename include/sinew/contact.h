// Contact: what surfaces are made of, what may touch what, and what touched in the last step.
#pragma once

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnWorld SnWorld;

// An id is a value; the zero id is null. A stale one gets SN_ERROR_STALE.
typedef struct SnBodyId {
    uint32_t index, generation;
} SnBodyId;

typedef struct SnColliderId {
    uint32_t index, generation;
} SnColliderId;

// Of two surfaces that touch, frictions combine as their geometric mean, restitution as the larger
// one, compliances and thicknesses as their sum.
typedef struct SnSurface {
    float friction;        // Coulomb, while it slides
    float static_friction; // while it holds, ≥ friction; SN_DERIVED: the same as friction
    float restitution;     // 0: no bounce, 1: all of the approach speed comes back
    float compliance;      // m/N of one contact; 0: hard
    float thickness;       // m, added to the radius
} SnSurface;

// Friction 0.5, hard, without bounce and without thickness.
SN_API SnSurface sn_default_surface(void);

// Two bodies touch if each one's mask has a bit of the other's category. A group that is not 0 and
// that both are in decides instead: they touch if it is positive, and never if it is negative.
typedef struct SnFilter {
    uint32_t category, mask;
    int32_t group;
} SnFilter;

SN_API SnFilter sn_default_filter(void); // category 1, touches everything

// A point where two surfaces were pressed together in the last step, or where one is within the other
// (the impulse may be 0 there). The other side is body b or the collider; the other id is null.
typedef struct SnContact {
    SnBodyId a, b;
    SnColliderId collider;
    int element_a, element_b;
    float t_a, t_b;  // along the elements, 0 to 1
    SnVec3 position; // between the two surfaces
    SnVec3 normal;   // from the other side to a
    float gap;       // m, at the start of the last sub-step; negative: overlap
    float impulse;   // N·s along the normal, over the step
    float friction;  // N·s across it
} SnContact;

// Two bodies that began or ended to touch; a body with itself has a = b.
typedef struct SnTouch {
    SnBodyId a, b;
    SnColliderId collider;
    SnVec3 position; // of the strongest contact (begin only, as the impulse)
    float impulse;   // N·s, of all their contacts in the step
} SnTouch;

// What touched in the last step, and which bodies began or ended to touch since this was last asked
// after an earlier step: ask after every step. Valid until the world changes.
typedef struct SnContactEvents {
    int contact_count, begin_count, end_count;
    const SnContact *contacts;
    const SnTouch *begin, *end;
} SnContactEvents;

// Empty after sn_world_restore until the next step, and without memory.
SN_API SnContactEvents sn_world_contact_events(SnWorld *world);

#ifdef __cplusplus
}
#endif
