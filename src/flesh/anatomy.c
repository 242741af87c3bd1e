// The muscles of a person, as a table of our own, and how it is laid on a skeleton.
#include "flesh/humanoid.h"

#include <stdio.h>

#include "base/null.h"
#include "flesh/body.h"

// Bones of the table; those of limbs are the left or the right one.
typedef enum TableBone {
    PELVIS, // up to the abdomen, or to the chest
    CHEST,  // up to the head
    UPPER_ARM,
    FOREARM,
    THIGH,
    SHIN,
    BONES,
} TableBone;

typedef struct TableMuscle {
    const char *name;
    TableBone origin;
    FleshPlace from;
    TableBone insertion;
    FleshPlace to;
    int rest[2], active[2]; // α and β
    float flatness;         // eccentricity of the cross-section
    bool on_chest[2];       // origin and insertion are held by the chest, wherever their bones are
    TableBone drive;        // the joint at which this bone begins activates it; BONES: none
    float drive_from, drive_to;
} TableMuscle;

// Angles are degrees from the front towards the outer side: 90 is outside, 180 the back, 270 inside.
static const TableMuscle TABLE[] = {
    {"biceps",
     UPPER_ARM,
     {0.05, 0, 0.6},
     FOREARM,
     {0.12, 0, 0.55},
     {3, 3},
     {4, 5},
     0.0f,
     {false, false},
     FOREARM,
     10,
     110},
    {"triceps long",
     UPPER_ARM,
     {0.05, 195, 0.6},
     UPPER_ARM,
     {0.98, 180, 0.6},
     {3, 4},
     {4, 6},
     0.3f,
     {false, false},
     BONES,
     0,
     0},
    {"triceps lateral",
     UPPER_ARM,
     {0.15, 130, 0.62},
     UPPER_ARM,
     {0.98, 160, 0.6},
     {3, 4},
     {4, 6},
     0.3f,
     {false, false},
     BONES,
     0,
     0},
    {"deltoid front",
     UPPER_ARM,
     {-0.05, 40, 0.65},
     UPPER_ARM,
     {0.5, 70, 0.55},
     {2, 3},
     {3, 4},
     0.5f,
     {true, false},
     UPPER_ARM,
     20,
     110},
    {"deltoid middle",
     UPPER_ARM,
     {-0.05, 90, 0.65},
     UPPER_ARM,
     {0.52, 90, 0.55},
     {2, 3},
     {3, 4},
     0.5f,
     {true, false},
     UPPER_ARM,
     20,
     110},
    {"deltoid rear",
     UPPER_ARM,
     {-0.05, 140, 0.65},
     UPPER_ARM,
     {0.5, 110, 0.55},
     {2, 3},
     {3, 4},
     0.5f,
     {true, false},
     UPPER_ARM,
     20,
     110},
    {"brachioradialis",
     UPPER_ARM,
     {0.8, 60, 0.6},
     FOREARM,
     {0.85, 50, 0.5},
     {3, 5},
     {3, 6},
     0.0f,
     {false, false},
     FOREARM,
     10,
     110},
    {"wrist flexors",
     FOREARM,
     {0.02, 300, 0.55},
     FOREARM,
     {0.95, 330, 0.45},
     {2, 4},
     {3, 6},
     0.3f,
     {false, false},
     BONES,
     0,
     0},
    {"wrist extensors",
     FOREARM,
     {0.02, 130, 0.55},
     FOREARM,
     {0.95, 150, 0.45},
     {2, 4},
     {3, 6},
     0.3f,
     {false, false},
     BONES,
     0,
     0},
    {"pectoralis upper",
     CHEST,
     {0.6, 15, 0.85},
     UPPER_ARM,
     {0.1, 345, 0.4},
     {3, 4},
     {3, 5},
     0.85f,
     {false, false},
     UPPER_ARM,
     20,
     110},
    {"pectoralis lower",
     CHEST,
     {0.25, 15, 0.85},
     UPPER_ARM,
     {0.12, 345, 0.4},
     {3, 4},
     {3, 5},
     0.85f,
     {false, false},
     UPPER_ARM,
     20,
     110},
    {"latissimus",
     PELVIS,
     {0.6, 165, 0.85},
     UPPER_ARM,
     {0.1, 220, 0.4},
     {3, 3},
     {3, 4},
     0.9f,
     {false, false},
     BONES,
     0,
     0},
    {"trapezius",
     CHEST,
     {0.85, 175, 0.75},
     UPPER_ARM,
     {-0.05, 120, 0.6},
     {3, 3},
     {3, 4},
     0.85f,
     {false, true},
     BONES,
     0,
     0},
    {"rectus abdominis",
     CHEST,
     {0.1, 14, 0.86},
     PELVIS,
     {-0.2, 14, 0.86},
     {2, 2},
     {3, 3},
     0.85f,
     {false, false},
     CHEST,
     5,
     50},
    {"external oblique",
     CHEST,
     {0.1, 75, 0.85},
     PELVIS,
     {0.1, 55, 0.85},
     {2, 2},
     {3, 3},
     0.85f,
     {false, false},
     BONES,
     0,
     0},
    {"erector spinae",
     PELVIS,
     {-0.1, 168, 0.82},
     CHEST,
     {0.4, 168, 0.82},
     {2, 2},
     {3, 3},
     0.6f,
     {false, false},
     BONES,
     0,
     0},
    {"gluteus",
     PELVIS,
     {0.0, 155, 0.7},
     THIGH,
     {0.3, 135, 0.55},
     {3, 3},
     {3, 4},
     0.5f,
     {false, false},
     THIGH,
     20,
     110},
    {"rectus femoris",
     THIGH,
     {0.05, 5, 0.62},
     THIGH,
     {0.97, 0, 0.6},
     {3, 3},
     {3, 4},
     0.3f,
     {false, false},
     SHIN,
     20,
     130},
    {"vastus lateralis",
     THIGH,
     {0.15, 65, 0.62},
     THIGH,
     {0.97, 25, 0.6},
     {3, 3},
     {3, 4},
     0.3f,
     {false, false},
     SHIN,
     20,
     130},
    {"vastus medialis",
     THIGH,
     {0.35, 320, 0.62},
     THIGH,
     {0.97, 335, 0.6},
     {3, 2},
     {4, 3},
     0.3f,
     {false, false},
     SHIN,
     20,
     130},
    {"biceps femoris",
     THIGH,
     {0.03, 160, 0.62},
     SHIN,
     {0.12, 140, 0.6},
     {3, 3},
     {4, 4},
     0.2f,
     {false, false},
     SHIN,
     20,
     130},
    {"semitendinosus",
     THIGH,
     {0.03, 200, 0.62},
     SHIN,
     {0.12, 215, 0.6},
     {3, 3},
     {4, 4},
     0.2f,
     {false, false},
     SHIN,
     20,
     130},
    {"adductor",
     THIGH,
     {0.35, 265, 0.6},
     THIGH,
     {0.85, 255, 0.55},
     {2, 3},
     {3, 4},
     0.3f,
     {false, false},
     BONES,
     0,
     0},
    {"gastrocnemius",
     THIGH,
     {0.97, 180, 0.6},
     SHIN,
     {0.85, 180, 0.5},
     {3, 5},
     {4, 8},
     0.3f,
     {false, false},
     SHIN,
     20,
     130},
    {"tibialis",
     SHIN,
     {0.05, 40, 0.6},
     SHIN,
     {0.85, 15, 0.5},
     {2, 4},
     {3, 6},
     0.0f,
     {false, false},
     BONES,
     0,
     0},
};
#define LEAST_BONE 0.01 // of a bone, over the height
#define TABLE_COUNT ((int)(sizeof TABLE / sizeof TABLE[0]))

typedef struct Figure {
    FleshBody body;
    FleshBone bones[2][BONES]; // left, right
    bool usable[2][BONES];
    int joints[2][BONES];
} Figure;

static Vec3d at(const Figure *f, int joint) { return vec3d(f->body.bound[joint].origin); }

// The joint below that is farthest away; −1: there is none.
static int farthest_child(const FleshBody *body, int joint) {
    int best = -1;
    double most = LEAST_BONE * body->skin->height;
    for (int i = joint + 1; i < sn_skeleton_joint_count(body->skeleton); ++i) {
        Vec3d way = subd(vec3d(body->bound[i].origin), vec3d(body->bound[joint].origin));
        if (sn_skeleton_joint(body->skeleton, i).parent == joint && lengthd(way) > most) {
            most = lengthd(way);
            best = i;
        }
    }
    return best;
}

// The front follows from left and up: right hips to left hips, pelvis to chest.
static SnResult find_bones(Figure *f, const int *joints) {
    Vec3d left = subd(at(f, joints[SN_HUMAN_THIGH_LEFT]), at(f, joints[SN_HUMAN_THIGH_RIGHT]));
    Vec3d up = subd(at(f, joints[SN_HUMAN_CHEST]), at(f, joints[SN_HUMAN_PELVIS]));
    if (!(lengthd(up) > 1e-6 * f->body.skin->height)) // arms and legs hang on one joint
        up = (Vec3d){0.0, 1.0, 0.0};
    Vec3d front = crossd(left, up);
    bool any = false;
    for (int s = 0; s < 2; ++s) {
        const int ends[BONES][2] = {
            {joints[SN_HUMAN_PELVIS],
             joints[joints[SN_HUMAN_ABDOMEN] >= 0 ? SN_HUMAN_ABDOMEN : SN_HUMAN_CHEST]},
            {joints[SN_HUMAN_CHEST], joints[SN_HUMAN_HEAD]},
            {joints[SN_HUMAN_UPPER_ARM_LEFT + s], joints[SN_HUMAN_FOREARM_LEFT + s]},
            {joints[SN_HUMAN_FOREARM_LEFT + s], joints[SN_HUMAN_HAND_LEFT + s]},
            {joints[SN_HUMAN_THIGH_LEFT + s], joints[SN_HUMAN_SHIN_LEFT + s]},
            {joints[SN_HUMAN_SHIN_LEFT + s], joints[SN_HUMAN_FOOT_LEFT + s]}};
        for (int k = 0; k < BONES; ++k) {
            int to = ends[k][1] == ends[k][0] ? -1 : ends[k][1];
            if (to < 0 && k > CHEST)
                to = farthest_child(&f->body, ends[k][0]);
            Vec3d along =
                k >= FOREARM && to < 0 ? subd(f->bones[s][k - 1].to, f->bones[s][k - 1].from) : up;
            f->joints[s][k] = ends[k][0];
            f->usable[s][k] = sn__flesh_bone(&f->body, ends[k][0], to, along, front,
                                             s == 0 ? 1.0 : -1.0, &f->bones[s][k]);
            any |= f->usable[s][k];
            // Up the trunk, front and axis make the other hand.
            if (k <= CHEST)
                f->bones[s][k].outer = scaled(f->bones[s][k].outer, -1.0);
        }
    }
    return any ? sn_ok()
               : sn_error(SN_ERROR_INVALID, "muscles: no bone of the humanoid has a length");
}

static bool lay(const Figure *f, const TableMuscle *row, int side, SnFleshMuscle *out) {
    *out = (SnFleshMuscle){.rest = {row->rest[0], row->rest[1], row->flatness},
                           .active = {row->active[0], row->active[1], row->flatness},
                           .drive_joint = row->drive < BONES ? f->joints[side][row->drive] : -1,
                           .drive_from = row->drive_from,
                           .drive_to = row->drive_to};
    snprintf(out->name, sizeof out->name, "%s %s", row->name, side == 0 ? "left" : "right");
    FleshBone origin = f->bones[side][row->origin], insertion = f->bones[side][row->insertion];
    if (!f->usable[side][row->origin] || !f->usable[side][row->insertion])
        return false;
    if (row->on_chest[0])
        origin.joint = f->joints[side][CHEST];
    if (row->on_chest[1])
        insertion.joint = f->joints[side][CHEST];
    // Deeper and deeper, until there is room.
    bool placed = false;
    for (double deeper = 1.0; !placed && deeper > 0.5; deeper -= 0.15) {
        FleshPlace from = row->from, to = row->to;
        from.depth *= deeper;
        to.depth *= deeper;
        placed = sn__flesh_muscle(&f->body, &origin, &from, &insertion, &to, out);
    }
    return placed;
}

SnResult sn_humanoid_muscles(const SnSkeleton *skeleton, const int joints[SN_HUMAN_JOINT_COUNT],
                             SnFleshMuscle *out_muscles, int *out_count) {
    if (skeleton == NULL || joints == NULL || out_muscles == NULL || out_count == NULL)
        return sn__null("muscles: skeleton, joints, out_muscles or out_count");
    *out_count = 0;
    for (int i = 0; i < SN_HUMAN_JOINT_COUNT; ++i)
        if (joints[i] >= sn_skeleton_joint_count(skeleton))
            return sn_error(SN_ERROR_INVALID, "muscles: %s: there is no joint %d",
                            sn_human_joint_name((SnHumanJoint)i), joints[i]);
    if (!sn__humanoid_is_whole(skeleton, joints) || joints[SN_HUMAN_CHEST] < 0 ||
        joints[SN_HUMAN_PELVIS] < 0)
        return sn_error(SN_ERROR_INVALID, "muscles: the joints are no humanoid's");
    Figure figure;
    SnResult result = sn__flesh_body_create(skeleton, &figure.body);
    if (result.code == SN_OK)
        result = find_bones(&figure, joints);
    for (int i = 0; i < TABLE_COUNT && result.code == SN_OK; ++i)
        for (int side = 0; side < 2; ++side)
            *out_count += lay(&figure, &TABLE[i], side, &out_muscles[*out_count]);
    sn__flesh_body_destroy(&figure.body);
    return result;
}

SnResult sn_bone_muscles(const SnSkeleton *skeleton, int joint, SnFleshMuscle *out_muscles,
                         int *out_count) {
    if (skeleton == NULL || out_muscles == NULL || out_count == NULL)
        return sn__null("muscles: skeleton, out_muscles or out_count");
    *out_count = 0;
    if (joint < 0 || joint >= sn_skeleton_joint_count(skeleton))
        return sn_error(SN_ERROR_INVALID, "muscles: there is no joint %d", joint);
    const char *name = sn_skeleton_joint(skeleton, joint).name;
    FleshBody body;
    FleshBone bone;
    SnResult result = sn__flesh_body_create(skeleton, &body);
    int to = result.code == SN_OK ? farthest_child(&body, joint) : -1;
    if (result.code == SN_OK && to < 0)
        result = sn_error(SN_ERROR_INVALID, "muscles: no bone begins at joint \"%.60s\"", name);
    if (result.code == SN_OK) {
        Vec3d way = subd(vec3d(body.bound[to].origin), vec3d(body.bound[joint].origin));
        Vec3d front =
            fabs(way.z) < 0.8 * lengthd(way) ? (Vec3d){0.0, 0.0, 1.0} : (Vec3d){0.0, 1.0, 0.0};
        if (!sn__flesh_bone(&body, joint, to, way, front, 1.0, &bone))
            result =
                sn_error(SN_ERROR_INVALID, "muscles: the bone at \"%.60s\" has no length", name);
    }
    for (int k = 0; k < SN_BONE_MUSCLES && result.code == SN_OK; ++k) {
        SnFleshMuscle *m = &out_muscles[*out_count];
        FleshPlace from = {0.05, 360.0 * k / SN_BONE_MUSCLES, 0.6}, last = from;
        last.t = 0.95;
        *m = (SnFleshMuscle){.rest = {3, 3, 0.0f},
                             .active = {4, 5, 0.0f},
                             .drive_joint = to,
                             .drive_from = 10.0f,
                             .drive_to = 110.0f};
        snprintf(m->name, sizeof m->name, "%.50s %d", name, k + 1);
        *out_count += sn__flesh_muscle(&body, &bone, &from, &bone, &last, m);
    }
    sn__flesh_body_destroy(&body);
    return result;
}
