// Joints of humanoids by the shape of the skeleton, y up: the two lowest ends are feet, the two ends that are
// farthest from the middle above the hips are hands.
#include "flesh/humanoid.h"

#include "math/vec.h"

#define MOST_CHAIN 64

static bool is_end(const SnSkeleton *skeleton, int joint) {
    for (int i = joint + 1; i < sn_skeleton_joint_count(skeleton); ++i)
        if (sn_skeleton_joint(skeleton, i).parent == joint && sn_skeleton_joint(skeleton, i).bone)
            return false;
    return true;
}

// The middle between the leftmost and the rightmost joint, along x.
static double middle_of(const SnSkeleton *skeleton, const SnMap *maps) {
    double low = 1e300, high = -1e300;
    for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i) {
        low = fmin(low, (double)maps[i].origin.x);
        high = fmax(high, (double)maps[i].origin.x);
    }
    return 0.5 * (low + high);
}

// The end on one side of the middle that is lowest, or farthest out among those above a height.
static int find_end(const SnSkeleton *skeleton, const SnMap *maps, double sign, double middle,
                    double above) {
    int best = -1;
    double most = -1e300;
    for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i) {
        double out = sign * ((double)maps[i].origin.x - middle), y = (double)maps[i].origin.y;
        double score = above > -1e299 ? out : -y;
        if (sn_skeleton_joint(skeleton, i).bone && is_end(skeleton, i) && out > 0.0 && y > above &&
            score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

// From a joint up to one above it: the two bones that follow each other and are longest together.
static void find_bones(const SnSkeleton *skeleton, const SnMap *maps, int end, int above,
                       int *first, int *second, int *last) {
    int chain[MOST_CHAIN], count = 0;
    for (int j = end; j >= 0 && j != above && count < MOST_CHAIN;
         j = sn_skeleton_joint(skeleton, j).parent)
        chain[count++] = j;
    double most = 0.0;
    for (int i = 0; i + 1 < count; ++i) {
        // chain[i + 1] is above chain[i]; the last bone may end where the chain does.
        double upper =
            (double)sn_vec3_length(sn_vec3_sub(maps[chain[i]].origin, maps[chain[i + 1]].origin));
        double lower = i > 0 ? (double)sn_vec3_length(
                                   sn_vec3_sub(maps[chain[i - 1]].origin, maps[chain[i]].origin))
                             : 0.0;
        if (i > 0 && upper + lower > most) {
            most = upper + lower;
            *first = chain[i + 1];
            *second = chain[i];
            *last = chain[i - 1];
        }
    }
    if (*first < 0 && count == 2) { // two joints: the second bone has no end
        *first = chain[1];
        *second = chain[0];
    }
}

static int highest(const SnSkeleton *skeleton, const SnMap *maps, int chest, const int *arms) {
    int best = -1;
    for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i) {
        bool arm = arms[0] >= 0 && sn__is_below(skeleton, i, arms[0]);
        arm |= arms[1] >= 0 && sn__is_below(skeleton, i, arms[1]);
        if (sn_skeleton_joint(skeleton, i).parent == chest && !arm &&
            (best < 0 || maps[i].origin.y > maps[best].origin.y))
            best = i;
    }
    return best;
}

// How far the toes are ahead of the ankles along z. What looks the other way has its left on the other side.
static double toes_ahead(const SnMap *maps, const int *ends, const int *ankles) {
    double sum = 0.0;
    for (int side = 0; side < 2; ++side)
        if (ankles[side] >= 0)
            sum += (double)(maps[ends[side]].origin.z - maps[ankles[side]].origin.z);
    return sum;
}

static void swap_sides(int *joints) {
    for (int i = SN_HUMAN_UPPER_ARM_LEFT; i < SN_HUMAN_JOINT_COUNT; i += 2) {
        int left = joints[i];
        joints[i] = joints[i + 1];
        joints[i + 1] = left;
    }
}

void sn__humanoid_by_shape(const SnSkeleton *skeleton, const SnMap *maps,
                           int out[SN_HUMAN_JOINT_COUNT]) {
    double middle = middle_of(skeleton, maps);
    for (int i = 0; i < SN_HUMAN_JOINT_COUNT; ++i)
        out[i] = -1;
    int feet[2] = {find_end(skeleton, maps, 1.0, middle, -1e300),
                   find_end(skeleton, maps, -1.0, middle, -1e300)};
    int pelvis = sn__common_joint(skeleton, feet[0], feet[1]);
    if (pelvis < 0)
        return;
    double above = (double)maps[pelvis].origin.y;
    above -= 0.25 * fabs(above - (double)maps[feet[0]].origin.y); // hands may hang below the hips
    int hands[2] = {find_end(skeleton, maps, 1.0, middle, above),
                    find_end(skeleton, maps, -1.0, middle, above)};
    int chest = sn__common_joint(skeleton, hands[0], hands[1]);
    for (int side = 0; side < 2 && chest >= 0; ++side) {
        find_bones(skeleton, maps, feet[side], pelvis, &out[SN_HUMAN_THIGH_LEFT + side],
                   &out[SN_HUMAN_SHIN_LEFT + side], &out[SN_HUMAN_FOOT_LEFT + side]);
        find_bones(skeleton, maps, hands[side], chest, &out[SN_HUMAN_UPPER_ARM_LEFT + side],
                   &out[SN_HUMAN_FOREARM_LEFT + side], &out[SN_HUMAN_HAND_LEFT + side]);
    }
    if (chest >= 0)
        out[SN_HUMAN_HEAD] = highest(skeleton, maps, chest, &out[SN_HUMAN_UPPER_ARM_LEFT]);
    if (toes_ahead(maps, feet, &out[SN_HUMAN_FOOT_LEFT]) < 0.0)
        swap_sides(out);
}
