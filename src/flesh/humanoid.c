#include "flesh/humanoid.h"

#include "base/memory.h"
#include "base/null.h"
#include "math/vec.h"

const char *sn_human_joint_name(SnHumanJoint joint) {
    static const char *const names[SN_HUMAN_JOINT_COUNT] = {
        "pelvis",         "abdomen",         "chest",        "head",
        "upper arm left", "upper arm right", "forearm left", "forearm right",
        "hand left",      "hand right",      "thigh left",   "thigh right",
        "shin left",      "shin right",      "foot left",    "foot right"};
    return joint >= 0 && joint < SN_HUMAN_JOINT_COUNT ? names[joint] : "";
}

bool sn__is_below(const SnSkeleton *skeleton, int joint, int above) {
    while (joint >= 0 && joint != above)
        joint = sn_skeleton_joint(skeleton, joint).parent;
    return joint >= 0;
}

int sn__common_joint(const SnSkeleton *skeleton, int a, int b) {
    if (a < 0 || b < 0)
        return -1;
    while (a >= 0 && !sn__is_below(skeleton, b, a))
        a = sn_skeleton_joint(skeleton, a).parent;
    return a;
}

bool sn__humanoid_is_whole(const SnSkeleton *skeleton, const int joints[SN_HUMAN_JOINT_COUNT]) {
    static const SnHumanJoint pairs[2][2] = {{SN_HUMAN_UPPER_ARM_LEFT, SN_HUMAN_FOREARM_LEFT},
                                             {SN_HUMAN_THIGH_LEFT, SN_HUMAN_SHIN_LEFT}};
    for (int k = 0; k < 2; ++k)
        for (int side = 0; side < 2; ++side) {
            int upper = joints[(int)pairs[k][0] + side], lower = joints[(int)pairs[k][1] + side];
            if (upper < 0 || lower < 0 || upper == lower || !sn__is_below(skeleton, lower, upper))
                return false;
        }
    return joints[SN_HUMAN_UPPER_ARM_LEFT] != joints[SN_HUMAN_UPPER_ARM_RIGHT] &&
           joints[SN_HUMAN_THIGH_LEFT] != joints[SN_HUMAN_THIGH_RIGHT];
}

// The trunk follows from the limbs: arms hang on the chest, legs on the pelvis.
static void find_trunk(const SnSkeleton *skeleton, int *joints) {
    int chest = sn__common_joint(skeleton, joints[SN_HUMAN_UPPER_ARM_LEFT],
                                 joints[SN_HUMAN_UPPER_ARM_RIGHT]);
    int pelvis =
        sn__common_joint(skeleton, joints[SN_HUMAN_THIGH_LEFT], joints[SN_HUMAN_THIGH_RIGHT]);
    int between = 0, spine[64];
    for (int j = chest; j >= 0 && j != pelvis && between < 64;
         j = sn_skeleton_joint(skeleton, j).parent)
        spine[between++] = j;
    joints[SN_HUMAN_CHEST] = chest;
    joints[SN_HUMAN_PELVIS] = pelvis;
    joints[SN_HUMAN_ABDOMEN] = between > 1 ? spine[between / 2] : -1;
}

// Hands and feet that hang elsewhere, as targets of a rig do, are no ends of bones.
static void drop_strangers(const SnSkeleton *skeleton, int *joints) {
    for (int side = 0; side < 2; ++side) {
        int *hand = &joints[SN_HUMAN_HAND_LEFT + side], *foot = &joints[SN_HUMAN_FOOT_LEFT + side];
        if (*hand >= 0 && !sn__is_below(skeleton, *hand, joints[SN_HUMAN_FOREARM_LEFT + side]))
            *hand = -1;
        if (*foot >= 0 && !sn__is_below(skeleton, *foot, joints[SN_HUMAN_SHIN_LEFT + side]))
            *foot = -1;
    }
}

SnResult sn_humanoid_find(const SnSkeleton *skeleton, int out[SN_HUMAN_JOINT_COUNT]) {
    if (skeleton == NULL || out == NULL)
        return sn__null(skeleton == NULL ? "humanoid: skeleton" : "humanoid: out_joints");
    SnAllocator allocator = sn__default_allocator();
    size_t count = (size_t)sn_skeleton_joint_count(skeleton);
    sn__humanoid_by_names(skeleton, out);
    SnResult result = sn_ok();
    if (!sn__humanoid_is_whole(skeleton, out)) {
        SnMap *maps = sn__alloc_array(&allocator, count, sizeof *maps);
        result = maps ? sn_skeleton_bound_maps(skeleton, maps)
                      : sn_error(SN_ERROR_MEMORY, "humanoid: no memory for %zu joints", count);
        if (result.code == SN_OK)
            sn__humanoid_by_shape(skeleton, maps, out);
        sn__free(&allocator, maps, count * sizeof *maps);
    }
    if (result.code == SN_OK && !sn__humanoid_is_whole(skeleton, out))
        result = sn_error(SN_ERROR_INVALID,
                          "it is no humanoid: two arms and two legs of two bones each were not "
                          "found, neither by name nor by shape");
    if (result.code != SN_OK)
        return result;
    find_trunk(skeleton, out);
    drop_strangers(skeleton, out);
    if (out[SN_HUMAN_CHEST] < 0 || out[SN_HUMAN_PELVIS] < 0)
        return sn_error(SN_ERROR_INVALID,
                        "it is no humanoid: its arms, or its legs, hang on nothing in common");
    return sn_ok();
}
