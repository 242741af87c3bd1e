// A muscle of a scene.
#pragma once

#include <sinew/muscle.h>

#include "io/scene_body.h"

typedef struct MusclePlace {
    int frame; // −1: the world
    bool free;
} MusclePlace;

// What "spindle" says: a round muscle, wide in the middle.
typedef struct SpindleParams {
    SnVec3 from, to;
    float radius, ends; // m, in the middle; of that, at both ends
    int rods, segments;
} SpindleParams;

typedef struct SceneMuscle {
    SceneBody body;
    int rods, slices;
    float activation;
    float *fibre_activation; // per fibre, or NULL
    float packing, section_compliance, carry, tendon, tendon_stiffening, shortening, stress,
        rise_time, fall_time;
    SnMatching matching;
    SnMuscleDrive drive;
    SnHill hill;
    MusclePlace end[2]; // origin, insertion
} SceneMuscle;
