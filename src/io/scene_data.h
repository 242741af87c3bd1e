// A scene after it was read and checked: what the file says, in the engine's types. All of it lies
// in one arena. Values that can be animated are changed in place by sn_scene_animate.
#pragma once

#include <sinew/scene.h>

#include "io/arena.h"

typedef struct SnSceneWorld {
    SnVec3 gravity;
    SnSceneSettings settings;
} SnSceneWorld;

typedef struct SnAxisAngle {
    SnVec3 axis;
    float angle; // degrees
} SnAxisAngle;

typedef struct SnSceneMaterial {
    const char *name; // "" if it was written inside a rod
    SnRodMaterial values;
    SnRodMaterial applied; // what the rods have now
    bool animated;
} SnSceneMaterial;

typedef struct SnSceneFrame {
    const char *name; // "" if it has none
    SnVec3 position;
    SnQuat rotation;
    SnAxisAngle turn; // of "rotation" if it was given that way, else all zero
    bool turns;       // the angle is animated and decides the rotation
    bool animated;
    SnFrameId id;
} SnSceneFrame;

typedef struct SnSceneField {
    SnFieldDef def;
    bool animated;
    SnFieldId id;
} SnSceneField;

typedef struct SnSceneAttachment {
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
} SnSceneAttachment;

typedef struct SnSceneActivation {
    int first, count; // segments
    float length_scale;
    bool animated;
} SnSceneActivation;

typedef enum SnLoadKind { SN__LOAD_FORCE, SN__LOAD_TORQUE, SN__LOAD_RADIAL } SnLoadKind;

typedef struct SnSceneForce {
    SnLoadKind kind;
    int index; // of the vertex or segment
    SnVec3 force, torque;
    float radial;
    double from, to; // s
} SnSceneForce;

// One entry of "rods", which stands for `copy_count` rods.
typedef struct SnSceneRod {
    const char *name; // "" if it has none
    int vertex_count, segment_count;
    bool closed, classic;
    SnVec3 *positions;
    SnQuat *frames; // NULL: without twist
    float *radii;
    SnVec3 *start_positions; // these three NULL where the rest shape is the start
    SnQuat *start_frames;
    float *start_scales;
    SnVec3 position; // placement of the shape
    SnQuat rotation;
    double origin[3];
    SnVec3 velocity, angular_velocity;
    float gravity_scale;
    bool animated; // its gravity scale
    int material;
    SnColour *colours; // of the copies, in turn
    int colour_count;

    int copies[3];
    SnVec3 spacing, jitter_position;
    float jitter_rotation; // degrees
    int seed;
    int first_rod, copy_count;

    SnSceneAttachment *attachments;
    SnSceneActivation *activations;
    SnSceneForce *forces;
    int attachment_count, activation_count, force_count;
    SnAttachmentId *attachment_ids; // attachment_count per copy
} SnSceneRod;

typedef enum SnInterpolation { SN__LINEAR, SN__SMOOTH, SN__STEP } SnInterpolation;

// Values over time. A width of 4 is a unit quaternion, with signs such that neighbours are near.
typedef struct SnCurve {
    int width; // 1, 3 or 4
    SnInterpolation interpolation;
    bool repeat; // after the last key it starts again
    int key_count;
    const double *times; // s, increasing
    const float *values; // `width` per key
} SnCurve;

void sn__curve_evaluate(const SnCurve *curve, double time, float *out);

typedef enum SnTargetKind {
    SN__TARGET_WORLD,
    SN__TARGET_FRAME,
    SN__TARGET_FIELD,
    SN__TARGET_MATERIAL,
    SN__TARGET_ROD,
    SN__TARGET_ATTACHMENT,
    SN__TARGET_ACTIVATION,
    SN__TARGET_FORCE,
    SN__TARGET_CAMERA,
} SnTargetKind;

// A thing with animated values, to be handed to the world before each step. `index` is its number
// in the scene, or that of its rod, and `part` its number within the rod.
typedef struct SnTarget {
    SnTargetKind kind;
    int index, part;
} SnTarget;

typedef struct SnChannel {
    SnCurve curve;
    float *slot; // where in the scene the value goes
    SnTargetKind kind;
} SnChannel;

struct SnScene {
    SnArena arena;
    const char *file, *name, *description;
    SnSceneWorld world;
    SnSceneCamera camera;
    SnSceneLook look;
    SnSceneMaterial *materials;
    SnSceneFrame *frames;
    SnSceneField *fields;
    SnSceneRod *rods;
    int material_count, frame_count, field_count, rod_entry_count;

    int rod_count; // with copies
    long long vertex_count;
    const char **rod_names; // per rod
    SnRodId *rod_ids;       // of the world built last; a new world gives the same ones again
    int *rod_entries;       // the entry each rod comes from

    SnChannel *channels;
    SnTarget *targets; // each once
    int channel_count, target_count;
    bool world_animated;
};

// Sets every animated value of the scene to what it is at `time`.
void sn__scene_evaluate(SnScene *scene, double time);

// The pose the frame has now, from its values.
SnPose sn__scene_frame_pose(const SnSceneFrame *frame);
