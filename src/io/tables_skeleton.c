// The tables of skeletons.
#include "io/scene_skeleton.h"
#include "io/tables.h"

#define TABLE(id, name, keys) const KeyTable sn__table_##id = {name, keys, KEY_COUNT(keys), NULL}

#define SKELETON(name, type, ...)                                                                  \
    { #name, type, FIELD(SceneSkeleton, name), __VA_ARGS__, false, false }
static const KeyField skeleton_keys[] = {
    SKELETON(name, KEY_TEXT, RANGE_ANY),
    SKELETON(file, KEY_TEXT, RANGE_ANY),
    SKELETON(model, KEY_TEXT, RANGE_ANY),
    BY_HAND("joints"),
    BY_HAND("clips"),
    SKELETON(scale, KEY_FLOAT, RANGE_POSITIVE),
    SKELETON(position, KEY_VEC3, RANGE_ANY),
    SKELETON(rotation, KEY_ROTATION, RANGE_ANY),
    SKELETON(clip, KEY_TEXT, RANGE_ANY),
    SKELETON(speed, KEY_DOUBLE, {-1000, 1000, false}),
    SKELETON(offset, KEY_DOUBLE, RANGE_NOT_NEGATIVE),
    SKELETON(loop, KEY_BOOL, RANGE_ANY),
    BY_HAND("play"),
    BY_HAND("bones"),
    BY_HAND("surface"),
    BY_HAND("filter"),
    BY_HAND("colour"),
    SKELETON(mesh, KEY_BOOL, RANGE_ANY),
    SKELETON(implicit, KEY_BOOL, RANGE_ANY),
    BY_HAND("fat"),
    SKELETON(visible, KEY_BOOL, RANGE_ANY),
};
TABLE(skeleton, "skeleton", skeleton_keys);

// The limits are those of sn_implicit_create.
static const KeyField fat_keys[] = {
    {"thickness", KEY_FLOAT, FIELD(SnFat, thickness), {0, SN_MAX_POSITION, false}, true, false},
    {"frequency", KEY_FLOAT, FIELD(SnFat, frequency), {0.1, 1000, false}, false, false},
    {"damping", KEY_FLOAT, FIELD(SnFat, damping), {0, 0.95, false}, false, false},
};
TABLE(fat, "fat", fat_keys);

static const KeyField joint_keys[] = {
    {"name", KEY_TEXT, FIELD(JointEntry, name), RANGE_ANY, true, false},
    BY_HAND("parent"),
    {"position", KEY_VEC3, FIELD(JointEntry, rest.translation), RANGE_ANY, false, false},
    {"rotation", KEY_ROTATION, FIELD(JointEntry, rest.rotation), RANGE_ANY, false, false},
    {"scale", KEY_VEC3, FIELD(JointEntry, rest.scale), RANGE_ANY, false, false},
};
TABLE(joint, "joint", joint_keys);

static const KeyField clip_keys[] = {
    {"name", KEY_TEXT, FIELD(ClipEntry, name), RANGE_ANY, true, false},
    BY_HAND_REQUIRED("channels"),
};
TABLE(clip, "clip", clip_keys);

static const KeyField channel_keys[] = {
    BY_HAND_REQUIRED("joint"),
    BY_HAND_REQUIRED("path"),
    BY_HAND("interpolation"),
    BY_HAND_REQUIRED("keys"),
};
TABLE(channel, "channel", channel_keys);

#define CUE(name, type, ...)                                                                       \
    { #name, type, FIELD(CueEntry, name), __VA_ARGS__, false, false }
static const KeyField cue_keys[] = {
    CUE(time, KEY_DOUBLE, RANGE_NOT_NEGATIVE),
    BY_HAND("clip"),
    CUE(speed, KEY_DOUBLE, {-1000, 1000, false}),
    CUE(offset, KEY_DOUBLE, RANGE_NOT_NEGATIVE),
    CUE(loop, KEY_BOOL, RANGE_ANY),
    CUE(fade, KEY_DOUBLE, RANGE_NOT_NEGATIVE),
};
TABLE(cue, "cue", cue_keys);

static const KeyField bone_keys[] = {
    BY_HAND_REQUIRED("joint"),
    BY_HAND("to"),
    {"radius", KEY_FLOAT, FIELD(BoneEntry, radius), RANGE_POSITIVE, false, false},
    BY_HAND("mesh"),
};
TABLE(bone, "bone", bone_keys);
