// Skeletons from files: glTF (.glb, .gltf) and Biovision (.bvh).
#pragma once

#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// By the ending of its name. `allocator` may be NULL: malloc. What is malformed, or uses what is not
// understood, gives SN_ERROR_FORMAT with what is wrong and where.
//
// glTF: the nodes of its scene are the joints, also those without a mesh or a skin; its animations are
// the clips, with all three interpolations; what moves morph targets is left out. A node or clip
// without a name is "node 3", "clip 0"; of nodes that share a name, a joint of a skin keeps it and
// the others are "hand 2", "hand 3". Joints of skins are ends of bones; without any skin all nodes
// are. Every primitive of triangles is a mesh: of skins with at most eight joints per vertex, or one that
// follows its node.
//
// BVH: all joints are ends of bones; an end site is a joint called as its parent is, and "end". The one
// clip is called "motion". Position channels replace the offset. Lengths stay in the file's unit.
SN_API SnResult sn_skeleton_load_file(const char *path, const SnAllocator *allocator,
                                      SnSkeleton **out_skeleton);

#ifdef __cplusplus
}
#endif
