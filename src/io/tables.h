// The tables of the keys a scene file may have, by the object they belong to. Those of the kinds of
// bodies are in the rows of the kinds.
#pragma once

#include "io/keys.h"
#include "io/scene_data.h"

#include <sinew/solid.h>

extern const KeyTable sn__table_scene, sn__table_world, sn__table_material, sn__table_frame,
    sn__table_rotation, sn__table_field, sn__table_body, sn__table_shape, sn__table_line,
    sn__table_arc, sn__table_circle, sn__table_helix, sn__table_octopus, sn__table_taper,
    sn__table_start, sn__table_attachment, sn__table_activation, sn__table_force, sn__table_copies,
    sn__table_ring, sn__table_jitter, sn__table_burst, sn__table_ground, sn__table_camera,
    sn__table_animation, sn__table_surface, sn__table_filter, sn__table_collider, sn__table_plane,
    sn__table_sphere, sn__table_pill, sn__table_box, sn__table_mesh, sn__table_skin, sn__table_iso,
    sn__table_link, sn__table_hinge, sn__table_turning, sn__table_end, sn__table_tree,
    sn__table_net, sn__table_leaves, sn__table_segments, sn__table_part, sn__table_skeleton,
    sn__table_joint, sn__table_clip, sn__table_channel, sn__table_cue, sn__table_bone,
    sn__table_spindle, sn__table_hill, sn__table_mark, sn__table_flesh_point,
    sn__table_flesh_profile, sn__table_flesh_drive, sn__table_fat;

// All of them and those of the kinds, for the test that compares them with the schema.
const KeyTable *const *sn__tables(int *out_count);

// What the tables of shapes describe; each uses what it needs.
typedef struct ShapeParams {
    SnVec3 from, to, centre, axis;
    float radius, pitch, turns, from_angle, to_angle;
    int segments;
} ShapeParams;

typedef struct NetParams {
    int columns, rows, segments;
    float width, depth;
} NetParams;

// One entry of "marks".
typedef struct SceneMark {
    SnSolidMark def; // before the body is placed
} SceneMark;

typedef struct Taper {
    float from, to;
} Taper;

// One entry of "animation".
typedef struct AnimationEntry {
    const char *target;
    bool repeat;
} AnimationEntry;

typedef struct SceneStart {
    float stretch, twist;
} SceneStart;
