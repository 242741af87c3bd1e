// Muscles of a world: what is beside the body that each one is.
#pragma once

#include "body/body.h"
#include "math/vec.h"
#include "sinew/muscle.h"

// How its frame moved in the last step; in snapshots.
typedef struct MuscleEnd {
    SnFrameId frame;
    bool held;
    SnVec3 velocity, spin; // m/s, of the frame's origin; rad/s
} MuscleEnd;

// What a step changes; in snapshots.
typedef struct MuscleFibre {
    float asked; // by the user, beside what is asked of the muscle
    float pace;  // 1/s: rate of its length over that at rest
} MuscleFibre;

typedef struct Muscle {
    SnBodyId body;
    int rods, slices;
    SnMuscleDrive drive;
    float shortening, stress, carry, packing;
    float rise_time, fall_time;
    SnHill hill;
    float asked, activation; // in snapshots
    // Of fibres that shorten: the activation that their rest lengths are for, negative where fibres were
    // told something new. In snapshots, too.
    float applied;
    MuscleEnd end[2];   // origin, insertion
    float *along;       // per slice: part of the way from origin to insertion
    bool *tendon;       // per segment of a fibre
    MuscleFibre *fibre; // per fibre
    size_t bytes;       // of the block that the arrays are in
    void *block;
} Muscle;

typedef struct MuscleSystem {
    Muscle **list; // in order of creation
    int count, capacity;
} MuscleSystem;

// The muscle that a body is, or NULL.
Muscle *sn__muscle_of(const MuscleSystem *muscles, SnBodyId body);
// Why there is none.
SnResult sn__muscle_missing(const SnWorld *world, SnBodyId id);
void sn__muscle_destroy(const SnAllocator *allocator, Muscle *muscle);

static inline int sn__muscle_point(const Muscle *m, int rod, int slice) {
    return rod * m->slices + slice;
}
static inline int sn__muscle_element(const Muscle *m, int rod, int segment) {
    return rod * (m->slices - 1) + segment;
}

// One fibre as it is now; lengths without tendons.
typedef struct FibreLengths {
    double now, rest; // m
    double rate;      // m/s
    double area;      // m², mean cross-section at rest
} FibreLengths;
FibreLengths sn__fibre_lengths(const Muscle *m, const Body *body, int rod);

// Activation, and what it does to the fibres in a step of dt (drive.c).
void sn__muscle_drive(Muscle *m, Body *body, float dt);
// What a fibre of Hill's type pulls with, over its stress × cross-section, as activation × (active + by_velocity × v) +
// passive, with the length over the optimal one and the velocity over the largest. by_velocity has the slopes where
// it gets shorter and longer; the curve goes through the one at the velocity that is given.
typedef struct HillForce {
    double active,
        rising; // without motion; and how steeply it rises with the length, or 0 where it falls
    double by_velocity[2];
    double passive, passive_rising;
} HillForce;
HillForce sn__hill_force(const SnHill *hill, double length, double velocity);

// Velocities change as those of the frames do that carry the muscle (carry.c). `from` and `to` are the
// poses of origin and insertion in this step.
void sn__muscle_carry(Muscle *m, Body *body, const SnPose from[2], const SnPose to[2], float dt);
