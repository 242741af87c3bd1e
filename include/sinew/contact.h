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
    // It tells what touches it (SnTouch.sensor), and nothing presses on it: a gate, a pressure plate, an
    // ear. What it overlaps is looked for when events are asked for, where things are then. Sensors do not
    // feel each other, and queries pass through them.
    bool sensor;
} SnSurface;

// Friction 0.5, hard, without bounce and without thickness, no sensor.
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
    SnVec3
        position;  // of the strongest contact; in a sensor, a point inside of it; not of what ended
    float impulse; // N·s, of all their contacts in the step; 0 of sensors, and of what ended
    bool sensor;   // one of them is a sensor
} SnTouch;

// What touched in the last step, and which bodies began or ended to touch since this was last asked
// after an earlier step: ask after every step. Valid until the world changes.
typedef struct SnContactEvents {
    int contact_count, touch_count, begin_count, end_count;
    const SnContact *contacts; // not of sensors
    const SnTouch *touches;    // all that touch, one for each two
    const SnTouch *begin, *end;
} SnContactEvents;

// Empty after sn_world_restore until the next step, and without memory.
SN_API SnContactEvents sn_world_contact_events(SnWorld *world);

// Two elements that are about to touch. The other side is body b or the collider; the other id is null.
typedef struct SnContactPair {
    SnBodyId a, b;
    SnColliderId collider;
    int element_a, element_b; // element_b is −1 of a collider
} SnContactPair;

// Your own say in what touches, after filters, groups and ignored pairs: false lets them pass through
// each other. It is asked about every two elements that come near each other, in every step, by several
// workers at once. It must not call the world, and must answer alike whatever the order it is asked in.
typedef bool SnContactTest(const SnContactPair *pair, void *context);

// NULL, the default: all may touch. From the next step on; wakes everybody. It is no part of snapshots.
SN_API SnResult sn_world_set_contact_test(SnWorld *world, SnContactTest *test, void *context);
// out_context may be NULL.
SN_API SnContactTest *sn_world_contact_test(const SnWorld *world, void **out_context);

#ifdef __cplusplus
}
#endif
