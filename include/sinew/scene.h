// Scene files: a JSON description of a world, checked, built and animated. docs/scene-format.md
// describes the format, docs/scene.schema.json is its JSON Schema.
//
//     SnScene *scene;
//     SnSceneErrors errors;
//     SnResult result = sn_scene_load_file("arm.json", &scene, &errors);
//     sn_scene_build(scene, &world_def, &world);
//     for each step { sn_scene_animate(scene, world, time + step, step); sn_world_step(…); }
#pragma once

#include "implicit.h"
#include "model.h"
#include "rig.h"
#include "rigid.h"
#include "skin.h"
#include "tree_model.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnScene SnScene;

#define SN_SCENE_VERSION 1
#define SN_MAX_SCENE_ERRORS 50
#define SN_MAX_SCENE_BYTES (256u << 20) // of a scene file
#define SN_MAX_SCENE_VERTICES 20000000  // of all bodies together
#define SN_MAX_SCENE_BODIES 1000000     // copies included
#define SN_MAX_SCENE_COLLIDERS 100000   // copies included
#define SN_MAX_SCENE_CATEGORIES 31      // beside "default"

// "arm.json:41:20: /rods/3/radius: -0.2 is not > 0", and where that is in the file (from 1).
typedef struct SnSceneError {
    int line, column;
    char message[252];
} SnSceneError;

// All that is wrong with a file, up to a limit; `more` says that there was more.
typedef struct SnSceneErrors {
    int count;
    bool more;
    SnSceneError items[SN_MAX_SCENE_ERRORS];
} SnSceneErrors;

// `errors` may be NULL; the result carries the first error in any case. On an error *out_scene is
// NULL.
SN_API SnResult sn_scene_load_file(const char *path, SnScene **out_scene, SnSceneErrors *errors);
// `name` stands for the file in messages. The text needs no final zero and is not kept.
SN_API SnResult sn_scene_load_text(const char *name, const char *text, size_t size,
                                   SnScene **out_scene, SnSceneErrors *errors);
// Worlds that were built from it stay. NULL is allowed.
SN_API void sn_scene_destroy(SnScene *scene);

// Reads the mesh files that solids, colliders and skins name. `path` is as the scene gives it, seen from
// the scene's folder. The mesh is destroyed with the scene.
typedef SnResult SnMeshLoader(const char *path, void *context, SnMesh *out_mesh);

// As sn_scene_load_file, with what sn_scene_set_mesh_loader sets: meshes that are filled with particles
// are read while the scene is. Without a loader, sn_mesh_read (mesh_file.h) reads them.
SN_API SnResult sn_scene_load_file_with(const char *path, SnMeshLoader *loader, void *context,
                                        SnScene **out_scene, SnSceneErrors *errors);

// To be set before the first world is built, which is when the files of colliders and skins are read.
SN_API void sn_scene_set_mesh_loader(SnScene *scene, SnMeshLoader *loader, void *context);

// A world with all of the scene in it, at time 0. The definition gives threads and memory; its
// gravity and sleep_speed are replaced by the scene's. A scene may build any number of worlds, one
// after the other.
SN_API SnResult sn_scene_build(SnScene *scene, const SnWorldDef *def, SnWorld **out_world);

// To be called before every step of a world that this scene built: sets what is keyframed to its
// value at `time`, the end of that step, and adds the forces that act during it.
SN_API SnResult sn_scene_animate(SnScene *scene, SnWorld *world, double time, double step);

SN_API const char *sn_scene_name(const SnScene *scene); // the file's "name", or its file name

// The files that it is made from: first its own, then those of its meshes and skeletons, as paths seen
// from where its own is seen from. NULL outside [0, count).
SN_API int sn_scene_file_count(const SnScene *scene);
SN_API const char *sn_scene_file(const SnScene *scene, int file);

typedef struct SnSceneSettings {
    double seconds; // how long to run
    double fps;     // frames per second of output
    double step;    // s
    int substeps, iterations;
} SnSceneSettings;

// As the file says, or as the defaults of docs/scene-format.md.
SN_API SnSceneSettings sn_scene_settings(const SnScene *scene);

typedef struct SnColour {
    float r, g, b; // linear light, 0 to 1
} SnColour;

typedef struct SnSceneCamera {
    bool has_position, has_target; // false: to be framed by the renderer
    SnVec3 position, target;
    float fov;   // degrees, from bottom to top of the picture
    float orbit; // degrees per second around the vertical through the target
} SnSceneCamera;

// The camera may be keyframed, too; `orbit` is left to the renderer.
SN_API SnSceneCamera sn_scene_camera(const SnScene *scene, double time);

typedef struct SnSceneLook {
    bool has_ground; // a plane in the picture only; what bodies touch is a collider
    float ground_height;
    bool has_background;
    SnColour background;
} SnSceneLook;

// For who draws it.
SN_API SnSceneLook sn_scene_look(const SnScene *scene);

// Bodies in the order of creation, which is that of SnPoses. NULL or black outside [0, body_count).
SN_API int sn_scene_body_count(const SnScene *scene);
SN_API const char *sn_scene_body_name(const SnScene *scene, int body);
SN_API SnColour sn_scene_body_colour(const SnScene *scene, int body);
// In the world built last; null before.
SN_API SnBodyId sn_scene_body_id(const SnScene *scene, int body);

// What holds a body at the start.
typedef struct SnSceneAttachment {
    SnAttachmentKind kind;
    int index; // of the point or element
    int frame; // its number in the scene, from 0; −1: the world
} SnSceneAttachment;

// What a body is made from, as the file says it. Arrays are valid as long as the scene.
typedef struct SnSceneBody {
    SnBodyKind kind; // SN_BODY_NONE outside [0, body_count)
    // At rest, and before it is placed, turned and copied.
    int point_count, element_count;
    const SnVec3 *positions; // m
    const float *radii;      // m, per point
    const int *edges;        // two points per element; NULL: each joins a point to the next one
    // Of stiff rods, per element and as in SnRodDef, or NULL.
    const SnSegmentDef *segments;
    // How wide its elements are along the first and second axis of their frames, over their radius and
    // on the mean. Both 0: it is round.
    float section[2];
    bool tree;    // made by code, with bark and leaves
    bool touches; // false: it passes through everything
    int material; // in [0, material_count)
    int attachment_count;
    int flesh_of; // the skeleton under whose skin it is a muscle; −1: it is none
} SnSceneBody;

// Bodies are numbered in the order of creation; arrays are valid as long as the scene.
SN_API SnSceneBody sn_scene_body(const SnScene *scene, int body);
// `attachment` must be in [0, attachment_count) of the body.
SN_API SnSceneAttachment sn_scene_attachment(const SnScene *scene, int body, int attachment);

typedef struct SnSceneMaterial {
    // "" of one that was written inside a body, of the default one, which is 0, and of one that is
    // built in where the scene has its own of that name.
    const char *name;
    SnRodMaterial values; // as animated last
} SnSceneMaterial;

// Those of the file, all that are built in (rod.h), and those inside bodies. `material` must be in
// [0, count).
SN_API int sn_scene_material_count(const SnScene *scene);
SN_API SnSceneMaterial sn_scene_material(const SnScene *scene, int material);

typedef struct SnSceneCollider {
    const char *name; // never NULL; valid as long as the scene
    SnColliderId id;  // in the world built last; null before
    // What it was made from. The arrays of a mesh are there once a world was built, and stay as
    // long as the scene.
    SnColliderDef def;
    SnColour colour;
    bool visible; // in pictures
} SnSceneCollider;

// Colliders in the order of creation, copies included. `collider` must be in [0, count).
SN_API int sn_scene_collider_count(const SnScene *scene);
SN_API SnSceneCollider sn_scene_collider(const SnScene *scene, int collider);

typedef struct SnSceneSkin {
    const char *name;
    SnSkinId id; // in the world built last; null before
    SnColour colour;
    float opacity; // 0 to 1; below 1, what lies under it is seen, too
    // Of a tree: the first triangles and vertices are bark, in `colour`, the others leaves. 0: all
    // of it has one colour.
    int bark_triangle_count, bark_vertex_count;
    SnColour leaf_colour;
    SnTreeKind tree_kind;
    const float *
        uvs; // two per vertex, as SnTreeSkin has them; NULL: it is no tree, or there is no world yet
    // What is painted on its mesh (SnGltfDef.skin_paints); NULL: nothing, it has a colour of its own, or there
    // is no world yet.
    const SnSkeleton *paint;
    // Each of its bodies has a skin of its own, or with fewer others, which this one lies over: skin over
    // muscles.
    bool outer;
} SnSceneSkin;

// Skins in the order of creation, which is that of SnSkinPoses. `skin` must be in [0, count).
SN_API int sn_scene_skin_count(const SnScene *scene);
SN_API SnSceneSkin sn_scene_skin(const SnScene *scene, int skin);

typedef struct SnSceneSkeleton {
    const char *name;           // "" if it has none
    const char *path;           // of its file; NULL if it has none
    const SnSkeleton *skeleton; // lives as long as the scene
    const SnRig *rig;           // in the world built last; NULL before
    SnMap place;                // of its space in the world
    int cue_count;
    const SnCue *cues; // what plays
    bool shows_mesh;   // in pictures and GLB files
    bool implicit;     // its meshes are an implicit skin (implicit.h)
    SnFat fat;         // under it
} SnSceneSkeleton;

// Skeletons in the order of the file. `skeleton` must be in [0, count). Their joints are frames of the
// scene, and their bones colliders.
SN_API int sn_scene_skeleton_count(const SnScene *scene);
SN_API SnSceneSkeleton sn_scene_skeleton(const SnScene *scene, int skeleton);

// A muscle under the implicit skin of a skeleton: an entry of "flesh", or one of "muscles" that is under a
// skin.
typedef struct SnSceneFlesh {
    const char *name;
    int skeleton, body; // the rod that is its line, or the bundle
    bool is_bundle;
    // Where the meshes of the skeleton were bound, as sn_implicit_create wants it.
    SnMuscleFieldDef rest;
} SnSceneFlesh;

// In the order of the file, bundles last. `flesh` must be in [0, count).
SN_API int sn_scene_flesh_count(const SnScene *scene);
SN_API SnSceneFlesh sn_scene_flesh(const SnScene *scene, int flesh);
// Its field at rest, which the user destroys.
SN_API SnResult sn_scene_flesh_field(const SnScene *scene, int flesh, const SnAllocator *allocator,
                                     SnMuscleField **out_field);
// How active it is at a time, with the joints of its skeleton there (sn_skeleton_maps), 0 to 1.
SN_API float sn_scene_flesh_activation(const SnScene *scene, int flesh, double time,
                                       const SnMap *maps);
// Brings the field of a muscle to where its rods are in the poses.
SN_API SnResult sn_scene_move_flesh(const SnScene *scene, int flesh, double time, const SnMap *maps,
                                    const SnPoses *poses, SnMuscleField *field);

SN_API int sn_scene_link_count(const SnScene *scene);  // copies included
SN_API int sn_scene_frame_count(const SnScene *scene); // joints of skeletons included
SN_API int sn_scene_field_count(const SnScene *scene);
SN_API int sn_scene_animated_count(const SnScene *scene); // values that are keyframed

#ifdef __cplusplus
}
#endif
