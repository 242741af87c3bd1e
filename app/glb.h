// What a GLB shows of a scene: bodies, skins, skeletons, colliders and the camera.
#pragma once

#include "app/actors.h"
#include "view/camera.h"

#include <sinew/gltf.h>

// The file of a character that is all there is to see, under an implicit skin and where its file has it: it
// is written onto that file. NULL: the scene is something else.
const char *glb_own_file(const SnScene *scene);
// That character alone, without the bodies of the scene.
SnResult glb_begin_own(const SnScene *scene, const Actors *shown, SnGltf **out_gltf);
SnResult glb_finish_own(SnGltf *gltf, const SnScene *scene, const ViewBounds *bounds,
                        const char *path);

// Compressed by the encoder, or plain without one.
SnResult glb_begin(const SnScene *scene, const SnWorld *world, const Actors *shown,
                   const SnPoses *poses, const SnGltfEncoder *encoder, SnGltf **out_gltf);
// Before a frame: what broke of the skins that split.
SnResult glb_split(SnGltf *gltf, const SnScene *scene, SnWorld *world);
// As the scene places it when it begins; what it leaves open is framed on the bounds.
void glb_set_camera(SnGltf *gltf, const SnScene *scene, const ViewBounds *bounds);
