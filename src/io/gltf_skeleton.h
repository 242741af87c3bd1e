// From a glTF file to a skeleton: its nodes as joints, its animations as clips, its meshes.
#pragma once

#include "io/arena.h"
#include "io/gltf_source.h"

#include <sinew/model.h>
#include <sinew/skeleton.h>

// What tells the triangles of a mesh apart from others, beside their places.
typedef struct GltfPaint {
    int joint;            // of the node that shows the mesh
    const char *material; // its name, "" if it has none
    float (*colours)[3];  // per vertex, as the file has them; NULL: none
} GltfPaint;

// What is read from a file. All of it lies in the arena, names in the source.
typedef struct GltfSkeleton {
    const GltfSource *source;
    Arena arena;
    uint64_t used; // vertices, triangles, joints of skins and keys so far
    // The nodes of the scene are the joints, parents before their children.
    int joint_count;
    int *joint_of; // per node of the file, −1: it is not in the scene
    int *nodes;    // per joint
    SnJointDef *joints;
    int clip_count, mesh_count;
    SnClipDef *clips;
    SnSkeletonMesh *meshes;
    const Json **primitives; // per mesh, and the joint of the node that shows it
    int *shown_by;
    bool wants_paints;
    GltfPaint *paints; // per mesh, if they are wanted
    int image_count;
    int *image_of; // per image of the file, −1: it is not used, or cannot be read
    SnSkeletonImage *images;
} GltfSkeleton;

// Nodes and samplers may share what is stored once, and a small file would fill any memory. Files grow
// to so many vertices, triangles, joints of skins and keys, or to as many as they have bytes.
#define GLTF_MOST_SHARED (1u << 22)

// skeleton_gltf.c: to be asked before memory is taken for so many more of them.
SnResult sn__gltf_afford(GltfSkeleton *skeleton, uint64_t count);

// gltf_tree.c
SnResult sn__gltf_read_joints(GltfSkeleton *skeleton);
// gltf_parts.c; every primitive that has triangles is a mesh.
SnResult sn__gltf_read_parts(GltfSkeleton *skeleton);
// gltf_paints.c: the material and the colours of the vertices of the last mesh.
SnResult sn__gltf_read_paints(GltfSkeleton *skeleton, const Json *primitive, int joint);
// gltf_images.c: what a mesh is painted with, its number and coordinates; nothing if there is none.
SnResult sn__gltf_read_paint(GltfSkeleton *skeleton, const Json *primitive, SnSkeletonMesh *mesh);
// gltf_clips.c
SnResult sn__gltf_read_clips(GltfSkeleton *skeleton);

// skeleton_gltf.c; without clips where these do not matter.
SnResult sn__skeleton_read_gltf(const char *path, bool clips, const SnAllocator *allocator,
                                SnSkeleton **out_skeleton);
// The same of what was already read.
SnResult sn__gltf_make_skeleton(const GltfSkeleton *from, const SnAllocator *allocator,
                                SnSkeleton **out_skeleton);

// gltf_mesh.c: all of a file as one mesh, and the skeleton that it was made from.
SnResult sn__gltf_read_mesh(const char *path, const SnAllocator *allocator, SnMesh *out_mesh,
                            SnSkeleton **out_skeleton);
// Meshes `begin` to `end` of a skeleton as one, as its rest pose shows them.
SnResult sn__gltf_join_meshes(const SnSkeleton *skeleton, int begin, int end,
                              const SnAllocator *allocator, SnMesh *out_mesh);
