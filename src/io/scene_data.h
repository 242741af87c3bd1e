// A scene after it was read and checked: what the file says, in the engine's types. All of it lies
// in one arena. Values that can be animated are changed in place by sn_scene_animate.
#pragma once

#include "io/arena.h"
#include "io/scene_kind.h"
#include "sinew/hinge.h"

typedef struct SceneWorld {
    SnVec3 gravity;
    float sleep_speed, tolerance;
    bool collide; // what bodies do that do not say
    SnSceneSettings settings;
} SceneWorld;

typedef struct AxisAngle {
    SnVec3 axis;
    float angle; // degrees
} AxisAngle;

typedef struct SceneMaterial {
    const char *name; // "" if it was written inside a body
    SnRodMaterial values;
    SnRodMaterial applied; // what the bodies have now
    bool animated;
} SceneMaterial;

typedef struct SceneFrame {
    const char *name; // "" if it has none
    SnVec3 position;
    SnQuat rotation;
    AxisAngle turn; // of "rotation" if it was given that way, else all zero
    bool turns;     // the angle is animated and decides the rotation
    bool animated;
    SnFrameId id;
} SceneFrame;

// Skeletons: scene_skeleton.h.
typedef struct SceneSkeleton SceneSkeleton;

typedef struct SceneField {
    SnFieldDef def;
    bool animated;
    SnFieldId id;
} SceneField;

// The lines of the file that the entries of one of its lists begin in.
typedef struct SceneLines {
    const char *list;
    int count;
    const int *lines;
} SceneLines;

// A mesh file, read once however often it is used.
typedef struct SceneMesh {
    const char *file; // as the scene gives it
    const char *path; // seen from where the scene file is seen from
    SnMesh mesh;
    bool loaded;
    SnSkeleton *paint; // NULL: nothing is painted on it
} SceneMesh;

// How a mesh file is used: points are scaled, turned and moved.
typedef struct MeshUse {
    const char *file;
    int mesh; // of the scene's files, -1: none
    float scale;
    SnVec3 position;
    SnQuat rotation;
    float cell, shell; // m, of a collider
    // The mesh's, in place, once a world was built; a file may be without normals.
    SnVec3 *positions, *normals;
} MeshUse;

// One entry of "colliders".
typedef struct SceneColliderEntry {
    const char *name;
    SnColliderDef def; // without pose, frame and mesh arrays
    MeshUse mesh;
    int frame; // -1: the world
    ScenePlace place;
    SceneColours colours;
    bool visible;
    int first;
} SceneColliderEntry;

// One entry of "skins": a mesh, or an iso-surface, for every copy of its bodies.
typedef struct SceneSkinEntry {
    const char *name;
    int *bodies; // entries
    int body_count;
    int *frames; // that it follows beside the bodies
    int frame_count;
    MeshUse mesh;
    bool iso;
    int iso_triangles;
    float iso_blend, iso_grow, iso_close, iso_smooth;
    SnMesh iso_mesh;         // made with the first world
    const SceneTree *tree;   // bark and leaves; NULL: a mesh or an iso-surface
    const SceneFlesh *flesh; // the mesh that a body was made from; NULL: another one
    SnTreeSkin tree_skin;    // made with the first world
    int fairing;
    float opacity;
    bool outer;           // as SnSceneSkin has it
    SceneColours colours; // none: those of the bodies
    int first, copy_count;
} SceneSkinEntry;

// One end of a link.
typedef struct SceneEnd {
    int body; // entry; -1: a place in a frame or the world
    int element;
    float t;
    int frame;  // -1: the world
    bool given; // the position; else it is where the other end starts
    SnVec3 position;
} SceneEnd;

// One entry of "links".
typedef struct SceneLink {
    const char *name;
    SceneEnd a, b;
    float length; // negative: the distance at the start
    bool rope, ignore;
    float compliance, max_force;
    double release; // s
    bool animated;
    int copy_count;
    SnLinkId *ids; // one per copy; null once it is released
} SceneLink;

// One entry of "hinges".
typedef struct SceneHinge {
    const char *name;
    int a, b; // entries of bodies; b −1: the frame
    int element_a, element_b;
    int frame; // −1: the world
    SnVec3 axis;
    bool limited;
    float low, high; // degrees
    float speed, max_torque;
    bool animated;
    int copy_count;
    SnHingeId *ids; // one per copy
} SceneHinge;

// A pair that does not touch: bodies, or a body and a collider.
typedef struct SceneIgnored {
    int a, b; // entries of bodies, and after those entries of colliders
} SceneIgnored;

typedef enum Interpolation {
    INTERPOLATE_LINEAR,
    INTERPOLATE_SMOOTH,
    INTERPOLATE_STEP
} Interpolation;

// Values over time. A width of 4 is a unit quaternion, with signs such that neighbours are near.
typedef struct KeyCurve {
    int width; // 1, 3 or 4
    Interpolation interpolation;
    bool repeat; // after the last key it starts again
    int key_count;
    const double *times; // s, increasing
    const float *values; // `width` per key
} KeyCurve;

void sn__curve_evaluate(const KeyCurve *curve, double time, float *out);

typedef enum AnimationTargetKind {
    TARGET_WORLD,
    TARGET_FRAME,
    TARGET_FIELD,
    TARGET_MATERIAL,
    TARGET_BODY,
    TARGET_ATTACHMENT,
    TARGET_ACTIVATION,
    TARGET_FORCE,
    TARGET_CAMERA,
    TARGET_HINGE,
    TARGET_LINK,
} AnimationTargetKind;

// A thing with animated values, to be handed to the world before each step. `index` is its number
// in the scene, or that of its body, and `part` its number within the body.
typedef struct AnimationTarget {
    AnimationTargetKind kind;
    int index, part;
} AnimationTarget;

typedef struct Channel {
    KeyCurve curve;
    float *slot; // where in the scene the value goes
    AnimationTargetKind kind;
} Channel;

struct SnScene {
    Arena arena;
    const char *file, *name, *description;
    SceneWorld world;
    SnSceneCamera camera;
    SnSceneLook look;
    SceneMaterial *materials;
    SceneFrame *frames;
    SceneField *fields;
    // Frames of the file first, then the joints of all skeletons.
    int material_count, frame_count, own_frame_count, field_count;
    SceneSkeleton *skeletons;
    int skeleton_count;

    // Entries of all kinds in the order of creation: those of kind k from kind_begin[k] on.
    SceneBody **bodies;
    int body_entry_count;
    int kind_begin[SCENE_KIND_COUNT + 1];
    int body_count; // with copies
    long long point_count;
    const char **body_names; // per body
    SnBodyId *body_ids;      // of the world built last; a new world gives the same ones again
    int *body_entries;       // the entry each body comes from

    SceneMesh *meshes;
    SceneLines *lines;
    int line_count; // lists
    SceneColliderEntry *colliders;
    SceneSkinEntry *skins;
    SceneLink *links;
    SceneHinge *hinges;
    SceneIgnored *ignored;
    // Colliders of the file first, then the bones of all skeletons.
    int own_collider_count;
    int mesh_count, collider_entry_count, skin_entry_count, link_count, hinge_count;
    int ignored_count;
    int collider_count, skin_count; // with copies
    const char **collider_names, **skin_names;
    SnColliderId *collider_ids;
    SnSkinId *skin_ids;
    int *collider_entries, *skin_entries;
    SnMeshLoader *mesh_loader;
    void *mesh_context;

    Channel *channels;
    AnimationTarget *targets; // each once
    int channel_count, target_count;
    bool world_animated;
};

// Sets every animated value of the scene to what it is at `time`.
void sn__scene_evaluate(SnScene *scene, double time);

// The pose the frame has now, from its values.
SnPose sn__scene_frame_pose(const SceneFrame *frame);

// What a collider is made from: its place in the world or frame, and its mesh, if that is there.
SnColliderDef sn__collider_def(const SnScene *scene, int collider);

// Skeletons into a world that has its frames, and before every step.
SnResult sn__scene_create_rigs(SnScene *scene, SnWorld *world);
SnResult sn__scene_move_rigs(SnScene *scene, SnWorld *world, double time, double step);
void sn__scene_free_skeletons(SnScene *scene);
// Of all skeletons together.
int sn__scene_joint_count(const SnScene *scene);
int sn__scene_bone_count(const SnScene *scene);
// Muscles under skins: pairs of them and bones that overlap at the start ignore each other; before every
// step, what slows them down against the joints that hold them.
SnResult sn__scene_clear_flesh(const SnScene *scene, SnWorld *world);
SnResult sn__scene_damp_flesh(const SnScene *scene, SnWorld *world, double step);

// Colliders, links, ignored pairs and skins into a world that has its frames and bodies.
SnResult sn__scene_assemble(SnScene *scene, SnWorld *world);
SnResult sn__scene_create_skins(SnScene *scene, SnWorld *world);
// "FILE:LINE: /LIST/ENTRY: …" around an error.
SnResult sn__scene_at(const SnScene *scene, const char *list, int entry, SnResult result);

// A path as the scene gives it, seen from the scene's folder; in its arena. NULL: no memory.
const char *sn__scene_path(SnScene *scene, const char *file);
// Reads the file of a mesh, unless that was done, and puts its points in place.
SnResult sn__scene_use_mesh(SnScene *scene, MeshUse *use);
void sn__scene_free_meshes(SnScene *scene);
