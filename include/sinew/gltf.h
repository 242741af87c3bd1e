// Recording bodies and skins as an animated GLB file, meshes from glTF files, and a summary of any.
//
//     SnGltfDef def = sn_default_gltf_def();
//     SnGltf *gltf;
//     sn_gltf_begin(&poses, &def, &gltf);
//     for each output frame { sn_world_poses(world, &poses); sn_gltf_frame(gltf, &poses, time); }
//     sn_gltf_finish(gltf, "out.glb");
//     sn_gltf_destroy(gltf);
//
// Every vertex of a rod is a joint that carries translation, rotation and scale, so that the file
// plays in any viewer; a rigid body is one joint, and so is a frame that a skin follows. The parent of
// a rod's joints moves with their middle where that takes fewer keys. A rod becomes a tube skinned to
// its joints, a creature a pill per segment, a rigid body a pill or sphere per part; a body that has a
// skin is shown by that alone. Skeletons keep their own tree of joints.
#pragma once

#include "implicit.h"
#include "model.h"
#include "scene.h"
#include "skin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnGltf SnGltf;

// A glTF skin numbers its joints with 16 bits.
#define SN_MAX_GLTF_JOINTS 65535
// Of a rod that branches and is under a skin. Larger ones keep those vertices as joints that have
// the most of the tree behind them; smaller branches are rigid and follow the joint they grow from.
// Of pieces that do not hang together, each has at least one joint, however many they are.
#define SN_MAX_GLTF_TREE_JOINTS 8192

// A skeleton that is recorded with its meshes, materials' colours and joints, as its cues move it.
typedef struct SnGltfActor {
    const char *name;           // may be NULL; not kept
    const SnSkeleton *skeleton; // must live as long as the recording
    SnMap place;                // of its space in the world
    int cue_count;
    const SnCue *cues; // not kept
    bool shows_mesh;   // false: only its joints
    // Its meshes, if they are an implicit skin, or NULL; it must live as long as the recording. Before each
    // frame, sn_implicit_deform brings it to that time. What it adds to linear blending is written as morph
    // targets with animated weights, as few as keep all vertices within `residual` times the height of
    // the meshes; 0: 0.005.
    const SnImplicit *skin;
    float residual;
} SnGltfActor;

// How numbers are compressed, as EXT_meshopt_compression calls it.
typedef enum SnGltfCodec {
    SN_GLTF_ATTRIBUTES, // elements of a multiple of 4 bytes
    SN_GLTF_TRIANGLES,  // corners as 32-bit numbers, three of which follow each other
} SnGltfCodec;

// Who compresses: the library has no compressor of its own, meshoptimizer has. `encode` puts `count`
// elements of `stride` bytes into `out`, which has `room` for what `bound` said, and tells how many
// bytes it took; 0: it failed.
typedef struct SnGltfEncoder {
    void *context;
    size_t (*bound)(void *context, SnGltfCodec codec, size_t count, size_t stride);
    size_t (*encode)(void *context, SnGltfCodec codec, const void *data, size_t count,
                     size_t stride, void *out, size_t room);
} SnGltfEncoder;

typedef struct SnGltfDef {
    uint32_t cookie;          // set by sn_default_gltf_def
    const char *title;        // of the scene and its animation, may be NULL; not kept
    const char *const *names; // one per body, or NULL; not kept
    const SnColour *colours;  // one per body, or NULL for grey; not kept
    // Of rods that are not round: two factors per body on the radius, along the first and second
    // axis of its frames, both 0 for round ones. Or NULL; not kept.
    const float *sections;

    // Bodies that are not shown, as muscles under an implicit skin: true per body, or NULL; not kept. Each
    // is a joint at its first point.
    const bool *hidden;

    // Skins of these bodies, from sn_skin_mesh; not kept. Names and colours are one per skin, or NULL. One
    // of your own that follows frames alone is a thing they carry, as a collider; the null frame is
    // the world.
    int skin_count;
    const SnSkinMesh *skins;
    const char *const *skin_names;
    const SnColour *skin_colours;
    const float *skin_opacities; // 0 to 1, one per skin; NULL: 1
    // Of trees: how many triangles of a skin are bark; those that follow are leaves, of another
    // colour. One per skin, 0: it has no leaves. Or NULL.
    const int *skin_bark;
    const SnColour *skin_leaf_colours;

    // What is painted on the meshes of skins: the skeleton of the file that a mesh was read from, as
    // sn_skeleton_read gives it, whose meshes one after the other are the skin's. With an image, it comes into
    // the file with its materials and coordinates, in place of the colour. One per skin or NULL, or NULL; the
    // skeletons must live as long as the recording.
    const SnSkeleton *const *skin_paints;

    int actor_count;
    const SnGltfActor *actors;

    // How far a point of a surface may be from where it was recorded, m. Frames that the straight lines
    // between others give back within this are no keys of the file; what rests has none.
    float tolerance;
    // With one, the file is compressed and needs EXT_meshopt_compression of who reads it. Not kept itself,
    // but its context is. NULL: plain.
    const SnGltfEncoder *encoder;
} SnGltfDef;

// Grey bodies without names or skins, and a tolerance of 0.1 mm.
SN_API SnGltfDef sn_default_gltf_def(void);

// The poses given here are the bind pose (with all scales at 1) of what has no skin; nothing is
// recorded yet.
SN_API SnResult sn_gltf_begin(const SnPoses *poses, const SnGltfDef *def, SnGltf **out_gltf);
// Poses of the same bodies at a later time than the frame before, seconds. 24 bytes per joint are
// kept.
SN_API SnResult sn_gltf_frame(SnGltf *gltf, const SnPoses *poses, double time);
// Before a frame: which leads of a skin of the definition are apart, as sn_skin_apart tells. From that frame on
// they stay so. SN_ERROR_INVALID if it does not split.
SN_API SnResult sn_gltf_split(SnGltf *gltf, int skin, const bool *apart);
SN_API int sn_gltf_frame_count(const SnGltf *gltf);

// Where the file's camera stands and what it looks at, y being up.
typedef struct SnGltfCamera {
    SnVec3 position, target;
    float fov; // degrees, from bottom to top
} SnGltfCamera;

// Without it, the file has no camera. SN_ERROR_INVALID for one that looks at where it stands, or with a fov
// that is not between 0 and 180.
SN_API SnResult sn_gltf_set_camera(SnGltf *gltf, const SnGltfCamera *camera);
// Writes what was recorded so far to PATH.part and renames it to PATH; if that fails (a full disk),
// no file is left behind and an older PATH stays. May be called again after more frames.
SN_API SnResult sn_gltf_finish(SnGltf *gltf, const char *path);
// The same onto the GLB that the skeleton was read from (sn_skeleton_load_file), of a recording of one skeleton and
// nothing else, not compressed: what is in that file stays as it is. Its primitives get morph targets
// behind those they have, and what was recorded comes before its own animations. The place of the
// skeleton in the world is left out. SN_ERROR_INVALID says why it cannot be done; sn_gltf_finish can.
SN_API SnResult sn_gltf_finish_onto(SnGltf *gltf, const char *character, const char *path);
SN_API void sn_gltf_destroy(SnGltf *gltf);

// The morph targets of implicit skins that were recorded so far.
typedef struct SnGltfMorphs {
    int target_count; // of all meshes
    double error;     // m, the largest distance of a vertex of the file from that of the skin
    double height;    // m, of the largest skin
} SnGltfMorphs;

SN_API SnGltfMorphs sn_gltf_morphs(const SnGltf *gltf);

typedef struct SnGltfInfo {
    char generator[64];
    size_t bytes;
    int nodes, meshes, triangles, vertices, materials, images;
    int skins, joints, animations, channels;
    double duration; // s, of the longest animation
    bool has_bounds; // the file gives the extent of its meshes
    double bounds_min[3],
        bounds_max[3]; // of the meshes as stored, before nodes and skins move them
} SnGltfInfo;

// All triangles of a .glb or .gltf file as one mesh, as the file's own rest pose shows them: moved by
// their nodes, or by the joints of their skins. Animations are left out. Buffers may be in the file or in files beside it. Free the mesh with
// sn_mesh_destroy. `allocator` may be NULL: malloc. A file that is malformed, or uses what is not
// understood (compressed or sparse data), gives SN_ERROR_FORMAT.
SN_API SnResult sn_mesh_read_gltf(const char *path, const SnAllocator *allocator, SnMesh *out_mesh);

// Reads a .glb or .gltf file. Truncated or malformed ones give SN_ERROR_FORMAT.
SN_API SnResult sn_gltf_info(const char *path, SnGltfInfo *out_info);

#ifdef __cplusplus
}
#endif
