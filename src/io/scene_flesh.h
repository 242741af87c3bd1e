// Muscles under an implicit skin: one entry of "flesh".
#pragma once

#include <sinew/muscle_field.h>

#include "io/scene_body.h"
#include "io/scene_skeleton.h"

// A point of its path: where it is held, in the space of a joint.
typedef struct FleshPoint {
    int frame; // of the scene
    SnVec3 position;
    int vertex; // of the rod
} FleshPoint;

// What a joint's bend does: activation goes from 0 to 1 between two angles from the rest pose.
typedef struct FleshDrive {
    int joint;      // of the skeleton, −1: none
    float from, to; // degrees
} FleshDrive;

typedef struct SceneFleshMuscle {
    SceneBody body; // the line, a rod that preserves its volume
    int skeleton, point_count;
    FleshPoint *path;
    float volume, exaggeration, tendon, frequency, damping, activation;
    int points;
    SnVec3 normal;           // of the origin's cross-section, in its frame
    SnVec3 insertion_normal; // the same one at rest, in the frame of the insertion
    SnMuscleProfile rest, active;
    FleshDrive drive;
    SnVec3 *rest_line; // where the meshes of the skeleton were bound
    SnVec3 rest_normal;
    float rest_scale; // metres of the world over those of the bound meshes
    float *stretch_factors;
    float *masses; // kg, of its points
    int tendon_segments;
    float tendon_scale;
    float made_frequency; // Hz, that its material is for
    SnRodMaterial made;
} SceneFleshMuscle;

// The field of the muscle along a line, with the volume that it has in the world.
SnMuscleFieldDef sn__flesh_field_def(const SceneFleshMuscle *muscle, const SnVec3 *line);
// The skeleton that has this frame as a joint, or −1.
int sn__skeleton_of_frame(const SnScene *scene, int frame);
// Where the meshes of a skeleton were bound; found once. False after a complaint.
bool sn__find_bound(Reader *reader, SceneSkeleton *entry, const Json *json);
// Metres of the world over those of its bound meshes, at a joint; 0: there are none.
float sn__bound_scale(Reader *reader, SceneSkeleton *entry, int joint);
// The muscle of a body, NULL if it is none.
const SceneFleshMuscle *sn__scene_flesh(const SceneBody *body);
