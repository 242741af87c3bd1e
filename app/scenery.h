// The colliders of a scene as things that a GLB shows: each a mesh that follows the frame it is on, or
// stands in the world.
#pragma once

#include "view/bounds.h"

#include <sinew/scene.h>
#include <sinew/skin.h>

typedef struct Scenery {
    int count;
    SnSkinMesh *meshes;
    const char **names; // the scene's
    SnColour *colours;
    void **memory; // of the meshes
    SnFrameId *frames;
    SnPose *poses; // of the frames, as they are now
    SnVec3 *places;
} Scenery;

// Those that pictures show, as they are now. Of a plane it is a part that is large beside the bounds.
SnResult scenery_make(const SnScene *scene, const SnWorld *world, const ViewBounds *bounds,
                      Scenery *out_scenery);
void scenery_release(Scenery *scenery);
