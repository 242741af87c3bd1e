// A moment of a world: all that a picture shows of it.
#pragma once

#include <sinew/scene.h>

typedef struct Moment {
    double time; // s
    SnPoses rods;
    SnSkinPoses skins;
    SnSkinMesh *skin_meshes; // one per skin
    int *skin_bodies;        // one per skin: the number of its first body in the poses
    bool *under_skin;        // one per rod
    SnPose *colliders;       // one per collider of the scene
    int collider_count;
    SnContactEvents contacts; // of the step that led here
    void *memory;             // of a copy
} Moment;

// The world as it is now; valid until it changes. A moment that was taken before is taken anew.
// Start from all zeros.
SnResult moment_take(const SnScene *scene, SnWorld *world, double time, Moment *moment);
// A copy that outlives the world, without ids, rotations, scales, frames and contacts.
SnResult moment_copy(const Moment *moment, Moment *out_copy);
void moment_release(Moment *moment);
