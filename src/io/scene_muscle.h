// A muscle of a scene.
#pragma once

#include <sinew/muscle.h>
#include <sinew/muscle_field.h>

#include "io/reader.h"
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

// The muscle as a field: its slices where the meshes of a skeleton were bound.
typedef struct BundleShape {
    SnVec3 *line, *normals;
    float *radii, eccentricity;
    float volume; // m³, in the world
} BundleShape;

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
    bool under_skin;    // of a skeleton, which lies on it
    int skeleton;       // that one; −1: none
    float rest_scale;   // metres of the world over those of its bound meshes
    BundleShape rest;
} SceneMuscle;

// Which skeleton's skin lies on it, and how it is at rest, once all else is read.
void sn__read_bundle(Reader *reader, SnScene *scene, const Json *json, SceneMuscle *muscle);
// The muscle of a body under a skin, NULL if it is none.
const SceneMuscle *sn__scene_bundle(const SceneBody *body);
// Its field at rest from one that has its line; its field where its fibres are now.
SnResult sn__bundle_rest(const SceneMuscle *muscle, SnMuscleField *field);
SnResult sn__bundle_move(const SceneMuscle *muscle, const SnPoses *poses, SnMuscleField *field);
