// Humanoids: joints by the names of several rigs and by shape, and the muscles of a person on them.
#include "support.h"

#include "math/vec.h"

#include <sinew/character_model.h>
#include <sinew/flesh.h>

#include <stdlib.h>
#include <string.h>

// Of a rig: hips, spine, chest, neck, then both sides of shoulder, upper arm, forearm, hand, thigh, shin,
// foot.
enum { TRUNK = 4, LIMB = 7, JOINTS = TRUNK + 2 * LIMB };

typedef struct RigNames {
    const char *rig;
    const char *trunk[TRUNK];
    const char *left[LIMB], *right[LIMB];
} RigNames;

static const RigNames RIGS[] = {
    {"Mixamo",
     {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine2", "mixamorig:Neck"},
     {"mixamorig:LeftShoulder", "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand",
      "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot"},
     {"mixamorig:RightShoulder", "mixamorig:RightArm", "mixamorig:RightForeArm",
      "mixamorig:RightHand", "mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot"}},
    {"VRM",
     {"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_UpperChest", "J_Bip_C_Neck"},
     {"J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm", "J_Bip_L_Hand",
      "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot"},
     {"J_Bip_R_Shoulder", "J_Bip_R_UpperArm", "J_Bip_R_LowerArm", "J_Bip_R_Hand",
      "J_Bip_R_UpperLeg", "J_Bip_R_LowerLeg", "J_Bip_R_Foot"}},
    {"MakeHuman",
     {"root", "spine05", "spine01", "neck01"},
     {"clavicle.L", "upperarm01.L", "lowerarm01.L", "wrist.L", "upperleg01.L", "lowerleg01.L",
      "foot.L"},
     {"clavicle.R", "upperarm01.R", "lowerarm01.R", "wrist.R", "upperleg01.R", "lowerleg01.R",
      "foot.R"}},
    {"CMU",
     {"root", "lowerback", "thorax", "lowerneck"},
     {"lclavicle", "lhumerus", "lradius", "lwrist", "lfemur", "ltibia", "lfoot"},
     {"rclavicle", "rhumerus", "rradius", "rwrist", "rfemur", "rtibia", "rfoot"}},
    {"Rigify",
     {"DEF-spine", "DEF-spine.001", "DEF-spine.003", "DEF-spine.004"},
     {"DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L", "DEF-thigh.L",
      "DEF-shin.L", "DEF-foot.L"},
     {"DEF-shoulder.R", "DEF-upper_arm.R", "DEF-forearm.R", "DEF-hand.R", "DEF-thigh.R",
      "DEF-shin.R", "DEF-foot.R"}},
    {"English",
     {"pelvis", "abdomen", "chest", "neck"},
     {"collar bone left", "upper arm left", "forearm left", "hand left", "thigh left", "shin left",
      "foot left"},
     {"collar bone right", "upper arm right", "forearm right", "hand right", "thigh right",
      "shin right", "foot right"}},
};

static SnSkeleton *make_rig(const RigNames *rig) {
    static const int parents[LIMB] = {2, TRUNK, TRUNK + 1, TRUNK + 2, 0, TRUNK + 4, TRUNK + 5};
    SnJointDef joints[JOINTS];
    for (int i = 0; i < JOINTS; ++i) {
        int limb = i < TRUNK ? 0 : (i - TRUNK) % LIMB, side = i < TRUNK + LIMB ? 0 : 1;
        int parent = i < TRUNK ? i - 1 : parents[limb] + (parents[limb] >= TRUNK ? side * LIMB : 0);
        const char *name = i < TRUNK   ? rig->trunk[i]
                           : side == 0 ? rig->left[limb]
                                       : rig->right[limb];
        joints[i] =
            (SnJointDef){name, parent, {{0.0f, 0.1f, 0.0f}, sn_quat_identity(), {1, 1, 1}}, true};
    }
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = JOINTS;
    def.joints = joints;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    return skeleton;
}

static void rigs_are_read_by_their_names(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof RIGS / sizeof RIGS[0]; ++r) {
        SnSkeleton *skeleton = make_rig(&RIGS[r]);
        int joints[SN_HUMAN_JOINT_COUNT];
        assert_ok(sn_humanoid_find(skeleton, joints));
        for (int side = 0; side < 2; ++side) {
            int first = TRUNK + side * LIMB;
            assert_int_equal(joints[SN_HUMAN_UPPER_ARM_LEFT + side], first + 1);
            assert_int_equal(joints[SN_HUMAN_FOREARM_LEFT + side], first + 2);
            assert_int_equal(joints[SN_HUMAN_HAND_LEFT + side], first + 3);
            assert_int_equal(joints[SN_HUMAN_THIGH_LEFT + side], first + 4);
            assert_int_equal(joints[SN_HUMAN_SHIN_LEFT + side], first + 5);
            assert_int_equal(joints[SN_HUMAN_FOOT_LEFT + side], first + 6);
        }
        assert_int_equal(joints[SN_HUMAN_PELVIS], 0);
        assert_int_equal(joints[SN_HUMAN_CHEST], 2);
        assert_int_equal(joints[SN_HUMAN_ABDOMEN], 1);
        sn_skeleton_destroy(skeleton);
    }
}

// The figure of character_model.h with other names, turned by 180° about y if asked for: then its left is on
// the other side.
static SnSkeleton *rename_figure(const SnSkeleton *figure) {
    int count = sn_skeleton_joint_count(figure);
    SnJointDef joints[16];
    char names[16][16];
    for (int i = 0; i < count; ++i) {
        joints[i] = sn_skeleton_joint(figure, i);
        snprintf(names[i], sizeof names[i], "n%d", i);
        joints[i].name = names[i];
    }
    SnSkeletonMesh mesh = sn_skeleton_mesh(figure, 0);
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = count;
    def.joints = joints;
    def.mesh_count = 1;
    def.meshes = &mesh;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    return skeleton;
}

static void rigs_without_names_are_read_by_their_shape(void **state) {
    (void)state;
    SnSkeleton *figure;
    int named[SN_HUMAN_JOINT_COUNT], found[SN_HUMAN_JOINT_COUNT];
    assert_ok(sn_character_skeleton(SN_CHARACTER_FIGURE, NULL, &figure));
    SnSkeleton *nameless = rename_figure(figure);
    assert_ok(sn_humanoid_find(figure, named));
    assert_ok(sn_humanoid_find(nameless, found));
    assert_memory_equal(named, found, sizeof named);
    sn_skeleton_destroy(nameless);
    sn_skeleton_destroy(figure);
}

static void what_is_no_humanoid_is_told(void **state) {
    (void)state;
    SnSkeleton *arm;
    int joints[SN_HUMAN_JOINT_COUNT], count;
    SnFleshMuscle muscles[SN_BONE_MUSCLES];
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &arm));
    assert_error(sn_humanoid_find(arm, joints), SN_ERROR_INVALID, "it is no humanoid");
    assert_error(sn_humanoid_muscles(arm, joints, muscles, &count), SN_ERROR_INVALID,
                 "no humanoid");
    assert_error(sn_bone_muscles(arm, 2, muscles, &count), SN_ERROR_INVALID, "no bone begins");
    assert_error(sn_bone_muscles(arm, 7, muscles, &count), SN_ERROR_INVALID, "no joint 7");
    assert_ok(sn_bone_muscles(arm, 0, muscles, &count));
    assert_int_equal(count, SN_BONE_MUSCLES);
    sn_skeleton_destroy(arm);
}

// How often a ray from x along z goes through a mesh: an odd number of times from inside.
static bool is_inside(const SnSkeletonMesh *mesh, Vec3d x) {
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *c = mesh->triangles + 3 * t;
        Vec3d a = subd(vec3d(mesh->positions[c[0]]), x), b = subd(vec3d(mesh->positions[c[1]]), x);
        Vec3d d = subd(vec3d(mesh->positions[c[2]]), x);
        double u = b.x * d.y - b.y * d.x, v = d.x * a.y - d.y * a.x, w = a.x * b.y - a.y * b.x;
        if ((u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0))
            count += (u * a.z + v * b.z + w * d.z) / (u + v + w) > 0.0;
    }
    return count % 2 == 1;
}

// Fifty muscles, as many left as right, mirrored; their bellies lie inside the skin, and all of them together
// are less than the body.
static void figures_have_fifty_muscles(void **state) {
    (void)state;
    SnSkeleton *figure;
    int joints[SN_HUMAN_JOINT_COUNT], count, outside = 0;
    SnMap maps[16];
    double litres = 0.0;
    SnFleshMuscle *muscles = calloc(SN_MAX_HUMAN_MUSCLES, sizeof *muscles);
    assert_ok(sn_character_skeleton(SN_CHARACTER_FIGURE, NULL, &figure));
    assert_ok(sn_humanoid_find(figure, joints));
    assert_ok(sn_humanoid_muscles(figure, joints, muscles, &count));
    assert_ok(sn_skeleton_bound_maps(figure, maps));
    assert_int_equal(count, 50);
    SnSkeletonMesh mesh = sn_skeleton_mesh(figure, 0);
    for (int i = 0; i < count; ++i) {
        const SnFleshMuscle *m = &muscles[i];
        Vec3d ends[2];
        for (int k = 0; k < 2; ++k)
            ends[k] = addd(vec3d(maps[m->path[k].joint].origin), vec3d(m->path[k].position));
        outside += !is_inside(&mesh, scaled(addd(ends[0], ends[1]), 0.5));
        bool left = strstr(m->name, "left") != NULL;
        assert_true(left ? ends[0].x > 0.0 : ends[0].x < 0.0);
        assert_true(m->volume > 1e-6f && m->volume < 2e-3f);
        litres += 1000.0 * (double)m->volume;
    }
    print_message("%.1f litres of muscle, %d of %d bellies outside of the skin\n", litres, outside,
                  count);
    assert_true(outside <= 4);
    assert_true(litres > 4.0 && litres < 40.0);
    free(muscles);
    sn_skeleton_destroy(figure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigs_are_read_by_their_names),
        cmocka_unit_test(rigs_without_names_are_read_by_their_shape),
        cmocka_unit_test(what_is_no_humanoid_is_told),
        cmocka_unit_test(figures_have_fifty_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
