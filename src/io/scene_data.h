// A scene after it was read and checked: what the file says, in the engine's types. All of it lies
// in one arena. Values that can be animated are changed in place by sn_scene_animate.
#pragma once

#include <sinew/scene.h>
#include <sinew/tree_model.h>

#include "io/arena.h"
#include "math/vec.h"

typedef struct SceneWorld {
    SnVec3 gravity;
    float sleep_speed, tolerance;
    bool collide; // what rods do that do not say
    SnSceneSettings settings;
} SceneWorld;

typedef struct AxisAngle {
    SnVec3 axis;
    float angle; // degrees
} AxisAngle;

typedef struct SceneMaterial {
    const char *name; // "" if it was written inside a rod
    SnRodMaterial values;
    SnRodMaterial applied; // what the rods have now
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

typedef struct SceneField {
    SnFieldDef def;
    bool animated;
    SnFieldId id;
} SceneField;

typedef struct SceneAttachment {
    int entry; // its place in the file's list
    SnAttachmentKind kind;
    int index;
    int frame;  // -1: the world
    bool given; // the place below was given, or is animated; else it is where the element starts
    SnVec3 position;
    SnQuat rotation;
    float value;
    double release; // s, when it lets go
    bool animated;
} SceneAttachment;

typedef struct SceneActivation {
    int first, count; // segments
    float length_scale;
    bool animated;
} SceneActivation;

typedef enum LoadKind { LOAD_FORCE, LOAD_TORQUE, LOAD_RADIAL } LoadKind;

typedef struct SceneForce {
    LoadKind kind;
    int index; // of the vertex or segment
    SnVec3 force, torque;
    float radial;
    double from, to; // s
} SceneForce;

// What one entry of the file is multiplied by: a grid, with a ring at each of its places.
typedef struct SceneCopies {
    int grid[3];
    SnVec3 spacing;
    int ring; // 1: none
    float ring_radius, ring_step;
    SnVec3 ring_axis;
    SnVec3 jitter_position;
    float jitter_rotation, jitter_turn; // degrees, about any axis and about y
    float jitter_colour;
    int seed;
    int count; // of all
} SceneCopies;

// Where the shape of an entry lies, and its copies.
typedef struct ScenePlace {
    SnVec3 position;
    SnQuat rotation;
    double origin[3];
    SceneCopies copies;
} ScenePlace;

// The place of one copy: points of the shape are turned, moved, and lie relative to the origin.
typedef struct Placement {
    double origin[3];
    Quatd rotation;
    Vec3d position;
} Placement;

Placement sn__place_copy(const ScenePlace *place, int copy);
// The same without the rotation.
Placement sn__place_upright(const Placement *placement);
SnVec3 sn__place_point(const Placement *placement, SnVec3 point);
SnVec3 sn__place_direction(const Placement *placement, SnVec3 direction);

// Colours that copies take in turn.
typedef struct SceneColours {
    SnColour *items;
    int count;
} SceneColours;

SnColour sn__copy_colour(const SceneColours *colours, const SceneCopies *copies, int copy);

typedef struct SceneBurst {
    SnVec3 centre;
    float speed; // m/s
} SceneBurst;

// A rod that is one of the trees made by code.
typedef struct SceneTree {
    SnTreeDef def;
    int sides; // of the bark, 0: no skin
    float leaf_young, leaf_shear, leaf_density, leaf_thickness;
    SceneColours leaf_colours;
} SceneTree;

// One entry of "rods", which stands for as many rods as it has copies.
typedef struct SceneRod {
    const char *name; // "" if it has none
    int vertex_count, segment_count;
    bool closed, classic, stiff;
    SnRodSolver solver;
    const SceneTree *tree;  // NULL: it is none
    SnSegmentDef *segments; // of a stiff rod, or NULL
    int *edges;             // of a creature: two vertices per segment; NULL for a chain
    SnVec3 *positions;
    SnQuat *frames; // NULL: without twist
    float *radii;
    SnVec3 *start_positions; // these three NULL where the rest shape is the start
    SnQuat *start_frames;
    float *start_scales;
    ScenePlace place;
    // All copies have the same rest shape, that of the file, and are turned at the start only: skins
    // over them then share all that does not move.
    bool common_rest;
    SnVec3 velocity, angular_velocity;
    SceneBurst burst;
    float gravity_scale;
    bool animated; // its gravity scale
    int material;
    SceneColours colours;
    SnSurface surface;
    SnFilter filter;
    bool collide, self_collide;
    int first_rod, copy_count;

    SceneAttachment *attachments;
    SceneActivation *activations;
    SceneForce *forces;
    int attachment_count, activation_count, force_count;
    SnAttachmentId *attachment_ids; // attachment_count per copy
} SceneRod;

// A mesh file, read once however often it is used.
typedef struct SceneMesh {
    const char *file; // as the scene gives it
    SnMesh mesh;
    bool loaded;
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

// One entry of "skins": a mesh, or an iso-surface, for every copy of its rods.
typedef struct SceneSkinEntry {
    const char *name;
    int *rods; // entries
    int rod_count;
    MeshUse mesh;
    bool iso;
    int iso_triangles;
    float iso_blend, iso_grow;
    SnMesh iso_mesh;       // made with the first world
    const SceneTree *tree; // bark and leaves; NULL: a mesh or an iso-surface
    SnTreeSkin tree_skin;  // made with the first world
    int fairing;
    SceneColours colours; // none: those of the rods
    int first, copy_count;
} SceneSkinEntry;

// One end of a link.
typedef struct SceneEnd {
    int rod; // entry; -1: a place in a frame or the world
    int segment;
    float t;
    int frame;  // -1: the world
    bool given; // the position; else it is where the other end starts
    SnVec3 position;
} SceneEnd;

// One entry of "links".
typedef struct SceneLink {
    SceneEnd a, b;
    float length; // negative: the distance at the start
    bool rope;
    float compliance, max_force;
    double release; // s
    int copy_count;
    SnLinkId *ids; // one per copy
} SceneLink;

// A pair of bodies that do not touch: rods, or a rod and a collider.
typedef struct SceneIgnored {
    int a, b; // bodies: entries of rods, and after those entries of colliders
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
    TARGET_ROD,
    TARGET_ATTACHMENT,
    TARGET_ACTIVATION,
    TARGET_FORCE,
    TARGET_CAMERA,
} AnimationTargetKind;

// A thing with animated values, to be handed to the world before each step. `index` is its number
// in the scene, or that of its rod, and `part` its number within the rod.
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
    SceneRod *rods;
    int material_count, frame_count, field_count, rod_entry_count;

    int rod_count; // with copies
    long long vertex_count;
    const char **rod_names; // per rod
    SnBodyId *rod_ids;      // of the world built last; a new world gives the same ones again
    int *rod_entries;       // the entry each rod comes from

    SceneMesh *meshes;
    SceneColliderEntry *colliders;
    SceneSkinEntry *skins;
    SceneLink *links;
    SceneIgnored *ignored;
    int mesh_count, collider_entry_count, skin_entry_count, link_count, ignored_count;
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

// How wide the segments of a stiff chain are along the axes of their frames, over their radius and
// on the mean. Both 0 for what is round.
void sn__scene_rod_section(const SceneRod *rod, float out[2]);

// Sets every animated value of the scene to what it is at `time`.
void sn__scene_evaluate(SnScene *scene, double time);

// The pose the frame has now, from its values.
SnPose sn__scene_frame_pose(const SceneFrame *frame);

// What a collider is made from: its place in the world or frame, and its mesh, if that is there.
SnColliderDef sn__collider_def(const SnScene *scene, int collider);

// Colliders, links, ignored pairs and skins into a world that has its frames and rods.
SnResult sn__scene_assemble(SnScene *scene, SnWorld *world);
SnResult sn__scene_create_skins(SnScene *scene, SnWorld *world);
// "FILE: /LIST/ENTRY: …" around an error.
SnResult sn__scene_at(const SnScene *scene, const char *list, int entry, SnResult result);

// Reads the file of a mesh, unless that was done, and puts its points in place.
SnResult sn__scene_use_mesh(SnScene *scene, MeshUse *use);
void sn__scene_free_meshes(SnScene *scene);
