// A skeleton in a world, by what the world offers to everybody: frames and colliders.
#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "math/map.h"
#include "sinew/rig.h"
#include "world/world.h"

#define RIG_COOKIE 0x534E5247u
// How much the acceleration of a smooth motion changes, over the longest third of a step.
#define MOST_JERK 0.3
#define ROUNDING 2e-6 // of places, over how far they are
// Of pills, m.
#define LEAST_RADIUS 1e-6f

enum { RIG_START, RIG_THIRD, RIG_TWO_THIRDS, RIG_END, RIG_TIMES };

struct SnRig {
    SnAllocator allocator;
    size_t size;
    const SnSkeleton *skeleton;
    SnMap place;
    double time;  // s, of the end of the last step; NaN: it is not known
    double reach; // m, from the first joint to the farthest one
    int cue_count;
    SnCue *cues; // of a block of their own
    int joint_count, bone_count;
    SnTransform *locals;
    SnMap *maps[RIG_TIMES];
    SnFrameId *frames;
    SnBone *bones;
    SnColliderId *colliders;
};

SnRigDef sn_default_rig_def(void) {
    SnColliderDef collider = sn_default_collider_def();
    return (SnRigDef){.cookie = RIG_COOKIE,
                      .scale = 1.0f,
                      .pose = sn_pose_identity(),
                      .surface = collider.surface,
                      .filter = collider.filter};
}

static SnResult check_rig(const SnWorld *world, const SnRigDef *def) {
    if (world == NULL)
        return sn__null("rig: world");
    if (def == NULL || def->cookie != RIG_COOKIE)
        return sn__no_def(def, "rig", "sn_default_rig_def");
    if (def->skeleton == NULL)
        return sn__null("rig: skeleton");
    if (def->cue_count < 0 || (def->cue_count > 0 && def->cues == NULL))
        return sn__null("rig: cues");
    if (def->bone_count < 0 || (def->bone_count > 0 && def->bones == NULL))
        return sn__null("rig: bones");
    if (!(def->scale > 0.0f && def->scale <= SN_MAX_POSITION) || !sn__pose_is_valid(def->pose))
        return sn_error(SN_ERROR_INVALID, "rig: scale %g must be > 0, and the pose valid",
                        (double)def->scale);
    int joints = sn_skeleton_joint_count(def->skeleton);
    for (int i = 0; i < def->bone_count && def->own_bones; ++i)
        if (def->bones[i].parent < 0 || def->bones[i].parent >= joints)
            return sn_error(SN_ERROR_INVALID, "rig: bone %d: parent: %d is not in [0, %d)", i,
                            def->bones[i].parent, joints);
    return sn_ok();
}

static SnRig *lay_rig(Layout *layout, size_t joints, size_t bones) {
    SnRig *rig = sn__lay(layout, 1, sizeof *rig);
    SnRig all = {0};
    all.locals = sn__lay(layout, joints, sizeof *all.locals);
    for (int k = 0; k < RIG_TIMES; ++k)
        all.maps[k] = sn__lay(layout, joints, sizeof *all.maps[k]);
    all.frames = sn__lay(layout, joints, sizeof *all.frames);
    all.bones = sn__lay(layout, bones, sizeof *all.bones);
    all.colliders = sn__lay(layout, bones, sizeof *all.colliders);
    if (rig)
        *rig = all;
    return rig;
}

static SnRig *allocate_rig(const SnAllocator *allocator, const SnRigDef *def) {
    int joints = sn_skeleton_joint_count(def->skeleton);
    size_t bones = (size_t)(def->own_bones ? def->bone_count : joints);
    Layout layout = {0};
    lay_rig(&layout, (size_t)joints, bones);
    size_t size = layout.used;
    layout = (Layout){.memory = sn__alloc(allocator, size)};
    if (layout.memory == NULL)
        return NULL;
    SnRig *rig = lay_rig(&layout, (size_t)joints, bones);
    rig->allocator = *allocator;
    rig->size = size;
    rig->skeleton = def->skeleton;
    rig->joint_count = joints;
    return rig;
}

static SnMap place_of(const SnRigDef *def) {
    double s = (double)def->scale;
    Quatd q = normalisedq(quatd(def->pose.rotation));
    Map map = {{rotated(q, (Vec3d){s, 0.0, 0.0}), rotated(q, (Vec3d){0.0, s, 0.0}),
                rotated(q, (Vec3d){0.0, 0.0, s}), vec3d(def->pose.position)}};
    return map_narrow(&map);
}

static SnResult find_maps(SnRig *rig, double time, SnMap *out) {
    SnResult result = sn_skeleton_play(rig->skeleton, rig->cues, rig->cue_count, time, rig->locals);
    if (result.code == SN_OK)
        result = sn_skeleton_maps(rig->skeleton, rig->locals, &rig->place, out);
    return result;
}

// Bones of the definition, or those of the skeleton at rest.
static void find_bones(SnRig *rig, const SnRigDef *def) {
    if (def->own_bones) {
        rig->bone_count = def->bone_count;
        for (int i = 0; i < def->bone_count; ++i)
            rig->bones[i] = def->bones[i];
        return;
    }
    sn_skeleton_rest(rig->skeleton, rig->locals);
    sn_skeleton_maps(rig->skeleton, rig->locals, &rig->place, rig->maps[RIG_START]);
    rig->bone_count = sn_skeleton_bones(rig->skeleton, rig->maps[RIG_START], rig->bones);
}

static SnResult create_bone(SnRig *rig, SnWorld *world, const SnRigDef *def, int bone) {
    const SnBone *from = &rig->bones[bone];
    SnColliderDef pill = sn_default_collider_def();
    pill.name = sn_skeleton_joint(rig->skeleton, from->parent).name;
    pill.kind = SN_COLLIDER_PILL;
    pill.frame = rig->frames[from->parent];
    pill.a = from->from;
    pill.b = from->to;
    pill.radius_a = pill.radius_b = fmaxf(from->radius, LEAST_RADIUS);
    pill.surface = def->surface;
    pill.filter = def->filter;
    return sn_collider_create(world, &pill, &rig->colliders[bone]);
}

// "joint "hand": …" around an error.
static SnResult at_joint(const SnRig *rig, int joint, SnResult result) {
    return result.code == SN_OK
               ? result
               : sn_error(result.code, "joint \"%.60s\": %s",
                          sn_skeleton_joint(rig->skeleton, joint).name, result.message);
}

static SnResult fill_rig(SnRig *rig, SnWorld *world, const SnRigDef *def) {
    rig->place = place_of(def);
    SnResult result = sn_rig_set_cues(rig, def->cues, def->cue_count);
    find_bones(rig, def);
    if (result.code == SN_OK)
        result = find_maps(rig, def->time, rig->maps[RIG_END]);
    for (int i = 0; i < rig->joint_count && result.code == SN_OK; ++i) {
        result = sn_frame_create(world, sn_map_pose(&rig->maps[RIG_END][i]), &rig->frames[i]);
        result = at_joint(rig, i, result);
    }
    Vec3d first = vec3d(rig->maps[RIG_END][0].origin);
    for (int i = 1; i < rig->joint_count; ++i)
        rig->reach = fmax(rig->reach, lengthd(subd(vec3d(rig->maps[RIG_END][i].origin), first)));
    for (int i = 0; i < rig->bone_count && result.code == SN_OK; ++i)
        result = create_bone(rig, world, def, i);
    memcpy(rig->maps[RIG_START], rig->maps[RIG_END], (size_t)rig->joint_count * sizeof(SnMap));
    return result;
}

SnResult sn_rig_create(SnWorld *world, const SnRigDef *def, SnRig **out_rig) {
    if (out_rig == NULL)
        return sn__null("rig: out_rig");
    *out_rig = NULL;
    SnResult result = check_rig(world, def);
    if (result.code != SN_OK)
        return result;
    SnRig *rig = allocate_rig(def->allocator ? def->allocator : &world->reserve.user, def);
    if (rig == NULL)
        return sn_error(SN_ERROR_MEMORY, "rig: no memory");
    result = fill_rig(rig, world, def);
    if (result.code != SN_OK) {
        sn_rig_remove(rig, world);
        sn_rig_destroy(rig);
        return result;
    }
    *out_rig = rig;
    return result;
}

void sn_rig_destroy(SnRig *rig) {
    if (rig == NULL)
        return;
    SnAllocator allocator = rig->allocator;
    sn__free(&allocator, rig->cues, (size_t)rig->cue_count * sizeof *rig->cues);
    sn__free(&allocator, rig, rig->size);
}

SnResult sn_rig_remove(SnRig *rig, SnWorld *world) {
    if (rig == NULL || world == NULL)
        return sn__null(rig ? "rig: world" : "rig");
    for (int i = 0; i < rig->bone_count; ++i)
        if (sn_collider_is_valid(world, rig->colliders[i]))
            sn_collider_destroy(world, rig->colliders[i]);
    SnPose pose;
    for (int i = 0; i < rig->joint_count; ++i)
        if (sn_frame_pose(world, rig->frames[i], &pose).code == SN_OK)
            sn_frame_destroy(world, rig->frames[i]);
    return sn_ok();
}

SnResult sn_rig_set_cues(SnRig *rig, const SnCue *cues, int cue_count) {
    if (rig == NULL || (cues == NULL && cue_count > 0))
        return sn__null(rig ? "rig: cues" : "rig");
    SnResult result = sn_skeleton_play(rig->skeleton, cues, cue_count, 0.0, rig->locals);
    if (result.code != SN_OK)
        return result;
    size_t size = (size_t)cue_count * sizeof *cues;
    SnCue *copy = sn__alloc(&rig->allocator, size);
    if (copy == NULL)
        return sn_error(SN_ERROR_MEMORY, "rig: no memory for %d cues", cue_count);
    if (cue_count > 0)
        memcpy(copy, cues, size);
    sn__free(&rig->allocator, rig->cues, (size_t)rig->cue_count * sizeof *rig->cues);
    rig->cues = copy;
    rig->cue_count = cue_count;
    rig->time = NAN; // what played until now may have ended elsewhere
    return sn_ok();
}

int sn_rig_cues(const SnRig *rig, const SnCue **out_cues) {
    if (out_cues)
        *out_cues = GIVEN(rig) ? rig->cues : NULL;
    return GIVEN(rig) ? rig->cue_count : 0;
}

// Four places in a row are smooth if their acceleration changes little: their third difference is
// small over the longest way between two of them, or no more than rounding. It is 1 of a jump.
static bool is_smooth(const double x[RIG_TIMES][4], int width, double rounding) {
    double longest = 0.0, third = 0.0;
    for (int k = 0; k + 1 < RIG_TIMES; ++k) {
        double way = 0.0;
        for (int c = 0; c < width; ++c)
            way += (x[k + 1][c] - x[k][c]) * (x[k + 1][c] - x[k][c]);
        longest = fmax(longest, way);
    }
    for (int c = 0; c < width; ++c) {
        double d = x[3][c] - x[0][c] - 3.0 * (x[2][c] - x[1][c]);
        third += d * d;
    }
    return third <= MOST_JERK * MOST_JERK * longest + rounding * rounding;
}

static bool are_smooth(const SnRig *rig, const SnPose poses[RIG_TIMES]) {
    double x[RIG_TIMES][4] = {{0.0}}, q[RIG_TIMES][4];
    Quatd before = quatd(poses[0].rotation);
    for (int k = 0; k < RIG_TIMES; ++k) {
        before = bend_sign(quatd(poses[k].rotation), before);
        x[k][0] = (double)poses[k].position.x;
        x[k][1] = (double)poses[k].position.y;
        x[k][2] = (double)poses[k].position.z;
        q[k][0] = before.x;
        q[k][1] = before.y;
        q[k][2] = before.z;
        q[k][3] = before.w;
    }
    double far = lengthd(vec3d(poses[0].position)) + rig->reach;
    return is_smooth(x, 3, ROUNDING * far) && is_smooth(q, 4, ROUNDING);
}

static bool is_same(SnPose a, SnPose b) { return memcmp(&a, &b, sizeof a) == 0; }

static SnResult move_joint(SnRig *rig, SnWorld *world, int joint) {
    SnPose poses[RIG_TIMES];
    SnResult result = sn_frame_pose(world, rig->frames[joint], &poses[RIG_START]);
    if (result.code != SN_OK)
        return result;
    for (int k = RIG_THIRD; k < RIG_TIMES; ++k)
        poses[k] = sn_map_pose(&rig->maps[k][joint]);
    // What hangs on a joint that stands still may sleep.
    if (is_same(poses[0], poses[1]) && is_same(poses[0], poses[2]) && is_same(poses[0], poses[3]))
        return result;
    return are_smooth(rig, poses) ? sn_frame_set_path(world, rig->frames[joint], &poses[RIG_THIRD])
                                  : sn_frame_set_target(world, rig->frames[joint], poses[RIG_END]);
}

SnResult sn_rig_move(SnRig *rig, SnWorld *world, double time, double step) {
    if (rig == NULL || world == NULL)
        return sn__null(rig ? "rig: world" : "rig");
    if (!(step > 0.0) || !isfinite(step))
        return sn_error(SN_ERROR_INVALID, "rig: step: %g s is not > 0", step);
    SnResult result = sn_ok();
    bool goes_on = fabs(time - step - rig->time) < 1e-6 * step;
    if (goes_on)
        memcpy(rig->maps[RIG_START], rig->maps[RIG_END], (size_t)rig->joint_count * sizeof(SnMap));
    for (int k = goes_on ? RIG_THIRD : RIG_START; k < RIG_TIMES && result.code == SN_OK; ++k)
        result = find_maps(rig, time - step * (double)(RIG_END - k) / 3.0, rig->maps[k]);
    for (int i = 0; i < rig->joint_count && result.code == SN_OK; ++i)
        result = at_joint(rig, i, move_joint(rig, world, i));
    rig->time = time;
    return result;
}

const SnSkeleton *sn_rig_skeleton(const SnRig *rig) { return GIVEN(rig) ? rig->skeleton : NULL; }

SnFrameId sn_rig_frame(const SnRig *rig, int joint) {
    return GIVEN(rig) && joint >= 0 && joint < rig->joint_count ? rig->frames[joint]
                                                                : (SnFrameId){0, 0};
}

void sn_rig_maps(const SnRig *rig, const SnMap **out_start, const SnMap **out_end) {
    if (!GIVEN(rig))
        return;
    if (out_start)
        *out_start = rig->maps[RIG_START];
    if (out_end)
        *out_end = rig->maps[RIG_END];
}

int sn_rig_bone_count(const SnRig *rig) { return GIVEN(rig) ? rig->bone_count : 0; }

SnBone sn_rig_bone(const SnRig *rig, int bone) {
    return GIVEN(rig) && bone >= 0 && bone < rig->bone_count ? rig->bones[bone] : (SnBone){0};
}

SnColliderId sn_rig_bone_collider(const SnRig *rig, int bone) {
    return GIVEN(rig) && bone >= 0 && bone < rig->bone_count ? rig->colliders[bone]
                                                             : (SnColliderId){0, 0};
}
