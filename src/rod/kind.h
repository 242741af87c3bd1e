// A kind of rod that does not live in lane packs, as a row of functions. What is asked of a rod goes
// through sn__rod_…; where the rod has a kind, that answers. Arguments were checked before.
#pragma once

#include "rod/access.h"
#include "rod/hold.h"
#include "rod/measure.h"
#include "rod/touch.h"

// How long a body has been at rest.
typedef struct RodRestTime {
    float seconds;
    bool asleep;
} RodRestTime;

struct RodKind {
    void (*destroy)(void *body);
    void (*edge)(const void *body, int segment, int out[2]);
    // Where the segment ends, for `vertex` and `knot`: at its vertices, unless it broke off them.
    void (*ends)(const void *body, int segment, int out[2]);
    // In the world.
    Vec3d (*vertex)(const void *body, int vertex, double *out_radius);
    void (*read)(const void *body, const SnBodyState *out);
    void (*write)(void *body, const SnBodyState *state);
    void (*add_force)(void *body, int vertex, SnVec3 force);
    void (*add_torque)(void *body, int segment, SnVec3 torque);
    void (*add_impulse)(void *body, int vertex, SnVec3 impulse);
    void (*set_gravity_scale)(void *body, float gravity_scale);
    void (*set_material)(void *body, const SnRodMaterial *material);
    uint64_t (*hash)(const void *body, uint64_t hash);
    void (*measure)(const void *body, SnVec3 gravity, RodSums *sums);
    RodRestTime *(*rest)(void *body);
    float (*speed)(const void *body); // of its fastest vertex, m/s
    void (*stop)(void *body);

    bool (*is_held)(const void *body, int held, int index);
    HeldPlace (*held_place)(const void *body, int index);
    int (*hold)(void *body, int held, int index, uint32_t owner, const HeldPlace *place);
    uint32_t (*release)(void *body, int held, int index, int lead);
    void (*lead)(void *body, int lead, const HeldPlace *place);
    void (*settle)(void *body, int lead);
    void (*jump)(void *body, int lead, const HeldPlace *place);
    uint32_t (*owner)(const void *body, int lead); // of the lead of this number; 0: there is none

    int (*knot)(const void *body, int vertex);
    const double *(*origin)(const void *body); // of its knots
    void (*touch)(void *body);                 // something may touch it in this step
    bool (*are_neighbours)(const void *body, int i, int j);
};
