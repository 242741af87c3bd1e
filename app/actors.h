// The skeletons of a scene as pictures show them: their meshes, which follow their clips.
#pragma once

#include "view/bounds.h"

#include <sinew/implicit.h>
#include <sinew/scene.h>

// One mesh of one skeleton, as it is now.
typedef struct ActorMesh {
    int skeleton, mesh;
    SnVec3 *positions, *normals;
} ActorMesh;

typedef struct Actors {
    const SnScene *scene; // not owned
    ActorMesh *meshes;
    int mesh_count;
    SnTransform *locals;     // room for those of the largest skeleton
    SnMap **maps;            // one array per skeleton
    SnImplicit **skins;      // one per skeleton; NULL: its meshes are blended
    SnMuscleField **muscles; // one per flesh of the scene
    int muscle_count;
    double time; // that they were placed at last
} Actors;

// Fine to end after a failure, too.
SnResult actors_begin(const SnScene *scene, Actors *out_actors);
void actors_end(Actors *actors);
// Puts all of them where they are at `time`, when bodies, and so muscles, have these poses.
SnResult actors_place(Actors *actors, double time, const SnPoses *poses);
// Adds what is seen of them: meshes, or the ends of bones where there are none.
void actors_bounds(const Actors *actors, ViewBounds *bounds);
