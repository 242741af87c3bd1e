// Skeletons: curves between keys against closed forms, cues, joints against products of matrices, what
// is rigid in a map, meshes, bones, and definitions that cannot be used.
#include "support.h"

#include "math/map.h"

#define JOINTS 3

static SnTransform identity(void) {
    return (SnTransform){{0.0f, 0.0f, 0.0f}, sn_quat_identity(), {1.0f, 1.0f, 1.0f}};
}

// Three joints in a row along y, 1 m apart, and these clips.
static SnSkeleton *make(const SnClipDef *clips, int clip_count) {
    SnJointDef joints[JOINTS];
    static const char *const names[] = {"root", "knee", "foot"};
    for (int i = 0; i < JOINTS; ++i) {
        joints[i] =
            (SnJointDef){.name = names[i], .parent = i - 1, .rest = identity(), .bone = true};
        joints[i].rest.translation.y = i > 0 ? 1.0f : 0.0f;
    }
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = JOINTS;
    def.joints = joints;
    def.clip_count = clip_count;
    def.clips = clips;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    return skeleton;
}

static SnSkeleton *make_one(SnChannelDef channel) {
    SnClipDef clip = {"only", 1, &channel};
    return make(&clip, 1);
}

static SnTransform sample(const SnSkeleton *skeleton, int joint, double time) {
    SnTransform locals[JOINTS];
    assert_ok(sn_skeleton_sample(skeleton, 0, time, locals));
    return locals[joint];
}

static void names_are_found(void **state) {
    (void)state;
    SnClipDef clips[2] = {{.name = "walk"}, {.name = "run"}};
    SnSkeleton *skeleton = make(clips, 2);
    assert_int_equal(sn_skeleton_joint_count(skeleton), JOINTS);
    assert_int_equal(sn_skeleton_find_joint(skeleton, "foot"), 2);
    assert_int_equal(sn_skeleton_find_joint(skeleton, "hand"), -1);
    assert_int_equal(sn_skeleton_find_clip(skeleton, "run"), 1);
    assert_int_equal(sn_skeleton_find_clip(skeleton, "fly"), -1);
    assert_int_equal(sn_skeleton_joint(skeleton, 2).parent, 1);
    assert_string_equal(sn_skeleton_clip(skeleton, 1).name, "run");
    assert_string_equal(sn_skeleton_joint(skeleton, 7).name, "");
    sn_skeleton_destroy(skeleton);
}

// Times count from the first key; before it and after the last one, those hold.
static void vectors_go_straight(void **state) {
    (void)state;
    const float times[] = {2.0f, 3.0f, 5.0f}, values[] = {0, 0, 0, 2, 4, 6, 2, 0, 0};
    for (int path = SN_KEYS_TRANSLATION; path <= SN_KEYS_SCALE; path += 2) {
        SnSkeleton *skeleton =
            make_one((SnChannelDef){1, (SnKeyPath)path, SN_KEYS_LINEAR, 3, times, values});
        assert_near(sn_skeleton_clip(skeleton, 0).duration, 3.0, 1e-12);
        const double wanted[][3] = {{-1, 0, 0}, {0.25, 0.5, 1}, {2, 2, 2}, {9, 2, 0}};
        for (int i = 0; i < 4; ++i) {
            SnTransform local = sample(skeleton, 1, wanted[i][0]);
            SnVec3 v = path == SN_KEYS_SCALE ? local.scale : local.translation;
            assert_near(v.x, wanted[i][1], 1e-6);
            assert_near(v.y, wanted[i][2], 1e-6);
        }
        assert_near(sample(skeleton, 2, 1.0).translation.y, 1.0, 0.0); // what has no channel rests
        sn_skeleton_destroy(skeleton);
    }
}

static void steps_hold(void **state) {
    (void)state;
    const float times[] = {0.0f, 1.0f, 2.0f}, values[] = {1, 0, 0, 2, 0, 0, 3, 0, 0};
    SnSkeleton *skeleton =
        make_one((SnChannelDef){0, SN_KEYS_TRANSLATION, SN_KEYS_STEP, 3, times, values});
    assert_near(sample(skeleton, 0, 0.999).translation.x, 1.0, 0.0);
    assert_near(sample(skeleton, 0, 1.0).translation.x, 2.0, 0.0);
    assert_near(sample(skeleton, 0, 1.999).translation.x, 2.0, 0.0);
    assert_near(sample(skeleton, 0, 2.0).translation.x, 3.0, 0.0);
    sn_skeleton_destroy(skeleton);
}

// A cubic polynomial is met exactly, with its slopes in 1/s.
static double polynomial(double t) { return 1.0 + t * (2.0 - t * (3.0 - 0.5 * t)); }
static double its_slope(double t) { return 2.0 - t * (6.0 - 1.5 * t); }

static void cubics_are_hermite(void **state) {
    (void)state;
    const float times[] = {0.0f, 0.5f, 2.0f};
    float values[3 * 9] = {0};
    for (int i = 0; i < 3; ++i) {
        values[9 * i] = values[9 * i + 6] = (float)its_slope((double)times[i]);
        values[9 * i + 3] = (float)polynomial((double)times[i]);
    }
    SnSkeleton *skeleton =
        make_one((SnChannelDef){0, SN_KEYS_TRANSLATION, SN_KEYS_CUBIC, 3, times, values});
    for (double t = 0.0; t <= 2.0; t += 0.03125)
        assert_near(sample(skeleton, 0, t).translation.x, polynomial(t), 2e-6);
    sn_skeleton_destroy(skeleton);
}

// Against the textbook's formula, the shorter way round.
static void rotations_go_along_great_circles(void **state) {
    (void)state;
    Rng rng = {5};
    const float times[] = {0.0f, 1.0f};
    double worst = 0.0;
    for (int round = 0; round < 500; ++round) {
        SnQuat a = rng_quat(&rng), b = rng_quat(&rng);
        const float values[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        SnSkeleton *skeleton =
            make_one((SnChannelDef){0, SN_KEYS_ROTATION, SN_KEYS_LINEAR, 2, times, values});
        double dot = (double)a.x * (double)b.x + (double)a.y * (double)b.y +
                     (double)a.z * (double)b.z + (double)a.w * (double)b.w;
        double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fmin(1.0, fabs(dot)));
        double t = rng_real(&rng, 0.0, 1.0), wa = sin((1.0 - t) * angle) / sin(angle);
        double wb = sign * sin(t * angle) / sin(angle);
        SnQuat wanted = {(float)(wa * (double)a.x + wb * (double)b.x),
                         (float)(wa * (double)a.y + wb * (double)b.y),
                         (float)(wa * (double)a.z + wb * (double)b.z),
                         (float)(wa * (double)a.w + wb * (double)b.w)};
        worst = fmax(worst, angle_between(sample(skeleton, 0, t).rotation, wanted));
        sn_skeleton_destroy(skeleton);
    }
    assert_below(worst, 1e-6);
}

static void cues_keep_time(void **state) {
    (void)state;
    const float times[] = {1.0f, 3.0f}, values[] = {0, 0, 0, 2, 0, 0};
    SnSkeleton *skeleton =
        make_one((SnChannelDef){0, SN_KEYS_TRANSLATION, SN_KEYS_LINEAR, 2, times, values});
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    cue.start = 10.0;
    const double looped[][2] = {{0, 0}, {10, 0}, {11.5, 1.5}, {12.5, 0.5}, {31.25, 1.25}};
    for (int i = 0; i < 5; ++i)
        assert_near(sn_skeleton_cue_time(skeleton, &cue, looped[i][0]), looped[i][1], 1e-12);
    cue.loop = false;
    assert_near(sn_skeleton_cue_time(skeleton, &cue, 99.0), 2.0, 0.0);
    cue.speed = -0.5;
    cue.offset = 1.0;
    assert_near(sn_skeleton_cue_time(skeleton, &cue, 11.0), 0.5, 1e-12);
    assert_near(sn_skeleton_cue_time(skeleton, &cue, 99.0), 0.0, 0.0);
    cue.loop = true;
    assert_near(sn_skeleton_cue_time(skeleton, &cue, 14.0), 1.0, 1e-12); // 1 − 2 is 1 of 2 s
    sn_skeleton_destroy(skeleton);
}

static double played(const SnSkeleton *skeleton, const SnCue *cues, int count, double time) {
    SnTransform locals[JOINTS];
    assert_ok(sn_skeleton_play(skeleton, cues, count, time, locals));
    return (double)locals[0].translation.x;
}

// From a clip that stands at 0 to one that stands at 4, and from there to one at 8 before that is over.
static void clips_fade_into_each_other(void **state) {
    (void)state;
    const float time = 0.0f, low[] = {0, 0, 0}, middle[] = {4, 0, 0}, high[] = {8, 0, 0};
    SnChannelDef channels[3];
    const float *const values[3] = {low, middle, high};
    SnClipDef clips[3];
    for (int i = 0; i < 3; ++i) {
        channels[i] = (SnChannelDef){0, SN_KEYS_TRANSLATION, SN_KEYS_LINEAR, 1, &time, values[i]};
        clips[i] = (SnClipDef){"", 1, &channels[i]};
    }
    SnSkeleton *skeleton = make(clips, 3);
    SnCue cues[3] = {sn_default_cue(), sn_default_cue(), sn_default_cue()};
    for (int i = 0; i < 3; ++i)
        cues[i].clip = i;
    cues[1].start = 1.0;
    cues[1].fade = 2.0;
    cues[2].start = 2.0;
    cues[2].fade = 2.0;
    assert_near(played(skeleton, cues, 2, 0.5), 0.0, 0.0);
    assert_near(played(skeleton, cues, 2, 1.5), 4.0 * 0.15625, 1e-6); // t²(3 − 2t) of a quarter
    assert_near(played(skeleton, cues, 2, 2.0), 2.0, 1e-6);
    assert_near(played(skeleton, cues, 2, 3.0), 4.0, 0.0);
    assert_near(played(skeleton, cues, 3, 2.0), 2.0, 1e-6);
    assert_near(played(skeleton, cues, 3, 3.0), 6.0, 1e-6);
    assert_near(played(skeleton, cues, 3, 4.0), 8.0, 0.0);
    // No jump where one takes over from the other.
    for (double t = 0.0; t < 5.0; t += 0.01)
        assert_below(fabs(played(skeleton, cues, 3, t + 0.01) - played(skeleton, cues, 3, t)),
                     0.08);
    sn_skeleton_destroy(skeleton);
}

// A point through joints of any scale, the plain way: scale, turn, move, from the last to the first.
static Vec3d by_hand(const SnTransform *locals, int joint, Vec3d x) {
    for (; joint >= 0; --joint) {
        const SnTransform *t = &locals[joint];
        x = (Vec3d){x.x * (double)t->scale.x, x.y * (double)t->scale.y, x.z * (double)t->scale.z};
        x = addd(rotated(quatd(t->rotation), x), vec3d(t->translation));
    }
    return x;
}

static void joints_carry_each_other(void **state) {
    (void)state;
    Rng rng = {9};
    SnSkeleton *skeleton = make(NULL, 0);
    for (int round = 0; round < 200; ++round) {
        SnTransform locals[JOINTS];
        SnMap maps[JOINTS];
        for (int i = 0; i < JOINTS; ++i) // negative and uneven ones among them
            locals[i] = (SnTransform){rng_vec3(&rng, 2.0), rng_quat(&rng), rng_vec3(&rng, 2.0)};
        assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
        SnVec3 x = rng_vec3(&rng, 1.0);
        Map map = map_wide(&maps[JOINTS - 1]);
        Vec3d error = subd(map_point(&map, vec3d(x)), by_hand(locals, JOINTS - 1, vec3d(x)));
        assert_below(lengthd(error), 2e-5);
    }
    sn_skeleton_destroy(skeleton);
}

// The rotation of a map turns with it, whatever its scales, and is that of the joint where these are
// even.
static void maps_have_rotations(void **state) {
    (void)state;
    Rng rng = {11};
    for (int round = 0; round < 500; ++round) {
        SnTransform even = {rng_vec3(&rng, 5.0), rng_quat(&rng), {1.0f, 1.0f, 1.0f}};
        float size = rng_log(&rng, 1e-3, 1e3);
        even.scale = sn_vec3(size, size, size);
        Map map = map_of_transform(&even);
        SnMap narrow = map_narrow(&map);
        assert_below(angle_between(sn_map_pose(&narrow).rotation, even.rotation), 2e-6);

        SnTransform odd[2] = {{rng_vec3(&rng, 1.0), rng_quat(&rng), rng_vec3(&rng, 2.0)},
                              {rng_vec3(&rng, 1.0), rng_quat(&rng), rng_vec3(&rng, 2.0)}};
        Map outer = map_of_transform(&odd[0]), inner = map_of_transform(&odd[1]);
        map = map_chain(&outer, &inner);
        double size_of = lengthd(map.column[0]) * lengthd(map.column[1]) * lengthd(map.column[2]);
        if (fabs(map_volume(&map)) < 0.02 * size_of)
            continue; // nearly flat: the rotation is as uncertain as the numbers
        SnMap before = map_narrow(&map);
        SnTransform turn = {{0.0f, 0.0f, 0.0f}, rng_quat(&rng), {1.0f, 1.0f, 1.0f}};
        Map turning = map_of_transform(&turn), turned = map_chain(&turning, &map);
        SnMap after = map_narrow(&turned);
        SnQuat wanted = sn_quat_multiply(turn.rotation, sn_map_pose(&before).rotation);
        assert_below(angle_between(sn_map_pose(&after).rotation, wanted), 2e-4);
    }
    const SnMap flat = {{1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {1, 2, 3}};
    assert_near(sn_map_pose(&flat).rotation.w, 1.0, 0.0);
    assert_near(sn_map_pose(&flat).position.y, 2.0, 0.0);
}

// A vertex between two joints, half to each.
static void meshes_follow_joints(void **state) {
    (void)state;
    const SnVec3 positions[3] = {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}};
    const SnVec3 normals[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t triangles[3] = {0, 1, 2};
    const int joints[2] = {0, 1},
              vertex_joints[3 * SN_MESH_JOINTS] = {0, 1, [2 * SN_MESH_JOINTS] = 1};
    const float weights[3 * SN_MESH_JOINTS] = {0.5f, 0.5f, [SN_MESH_JOINTS] = 1,
                                               [2 * SN_MESH_JOINTS] = 1};
    const SnMap binds[2] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
                            {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}}};
    SnSkeletonMesh mesh = {"",      3,         1,      2,     positions,
                           normals, triangles, joints, binds, vertex_joints,
                           weights, {1, 1, 1}, NULL,   -1};
    SnJointDef defs[2] = {{"a", -1, identity(), true}, {"b", 0, identity(), true}};
    defs[1].rest.translation.y = 1.0f;
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 2;
    def.joints = defs;
    def.mesh_count = 1;
    def.meshes = &mesh;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    SnTransform locals[2];
    SnMap maps[2];
    SnVec3 x[3], n[3];
    assert_ok(sn_skeleton_rest(skeleton, locals));
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    assert_ok(sn_skeleton_deform(skeleton, 0, maps, x, n));
    for (int i = 0; i < 3; ++i)
        assert_true(distance(x[i], positions[i]) < 1e-6 && distance(n[i], normals[i]) < 1e-6);

    assert_int_equal(sn_skeleton_bones(skeleton, maps, NULL), 1); // both joints carry some of it
    locals[1].rotation = turn_about(0, 0, 1, 0.5 * SUPPORT_PI);
    locals[1].translation.y = 3.0f;
    locals[0].scale = sn_vec3(1.0f, 2.0f, 1.0f); // stretches what hangs on it, too
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    assert_ok(sn_skeleton_deform(skeleton, 0, maps, x, n));
    assert_below(distance(x[0], sn_vec3(0, 4, 0)), 1e-5); // half of (0, 2, 0) and of (0, 6, 0)
    assert_below(distance(x[1], sn_vec3(1, 2, 0)), 1e-5);
    assert_below(distance(x[2], sn_vec3(-1, 6, 0)), 1e-5); // y of the joint is −x now
    assert_below(distance(n[2], sn_vec3(-1, 0, 0)), 1e-5);
    sn_skeleton_destroy(skeleton);
    int follows_second[3 * SN_MESH_JOINTS];
    for (int k = 0; k < 3 * SN_MESH_JOINTS; ++k)
        follows_second[k] = 1;
    mesh.vertex_joints = follows_second; // the first joint only steers: it has no bone
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    assert_int_equal(sn_skeleton_bones(skeleton, maps, NULL), 0);
    sn_skeleton_destroy(skeleton);
}

static void bones_join_joints(void **state) {
    (void)state;
    SnSkeleton *skeleton = make(NULL, 0);
    SnTransform locals[JOINTS];
    SnMap maps[JOINTS];
    SnBone bones[JOINTS];
    sn_skeleton_rest(skeleton, locals);
    locals[1].rotation = turn_about(1, 0, 0, 1.0);
    locals[2].translation.y = 0.5f;
    const SnMap twice = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {7, 0, 0}};
    sn_skeleton_maps(skeleton, locals, &twice, maps);
    assert_int_equal(sn_skeleton_bones(skeleton, maps, bones), 2);
    assert_int_equal(bones[1].parent, 1);
    assert_int_equal(bones[1].joint, 2);
    assert_near(bones[0].radius, 0.2, 1e-6); // a tenth of 2 m
    assert_near(bones[1].radius, 0.1, 1e-6);
    // In the coordinates of the parent, which has turned.
    assert_below(distance(bones[1].to, sn_vec3(0.0f, 1.0f, 0.0f)), 1e-6);
    locals[2].translation.y = 0.0f; // no bone where there is no way
    sn_skeleton_maps(skeleton, locals, NULL, maps);
    assert_int_equal(sn_skeleton_bones(skeleton, maps, NULL), 1);
    sn_skeleton_destroy(skeleton);
}

static void refuse_joint(int parent, SnTransform rest, const char *message) {
    SnJointDef joints[2] = {{"a", -1, identity(), true}, {"b", parent, rest, true}};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 2;
    def.joints = joints;
    SnSkeleton *skeleton;
    assert_error(sn_skeleton_create(&def, NULL, &skeleton), SN_ERROR_INVALID, message);
    assert_null(skeleton);
}

static void refuse_channel(SnChannelDef channel, const char *message) {
    SnJointDef joint = {"a", -1, identity(), true};
    SnClipDef clip = {"wave", 1, &channel};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = def.clip_count = 1;
    def.joints = &joint;
    def.clips = &clip;
    SnSkeleton *skeleton;
    assert_error(sn_skeleton_create(&def, NULL, &skeleton), SN_ERROR_INVALID, message);
    assert_null(skeleton);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    SnSkeletonDef def = sn_default_skeleton_def();
    assert_error(sn_skeleton_create(&def, NULL, &skeleton), SN_ERROR_INVALID, "no joints");
    SnTransform far = identity(), none = identity();
    far.translation.x = INFINITY;
    none.rotation = (SnQuat){0, 0, 0, 0};
    refuse_joint(1, identity(), "joint 1 \"b\": parent: 1 is not a joint before it");
    refuse_joint(-2, identity(), "parent: -2");
    refuse_joint(0, far, "is not within");
    refuse_joint(0, none, "unit quaternion");
    const float times[] = {0.0f, 1.0f}, same[] = {1.0f, 1.0f}, values[16] = {0}, bad[6] = {NAN};
    refuse_channel((SnChannelDef){1, SN_KEYS_SCALE, SN_KEYS_LINEAR, 2, times, values},
                   "clip 0 \"wave\": channel 0: joint: 1 is not in [0, 1)");
    refuse_channel((SnChannelDef){0, SN_KEYS_SCALE, SN_KEYS_LINEAR, 2, same, values}, "not after");
    refuse_channel((SnChannelDef){0, SN_KEYS_SCALE, SN_KEYS_LINEAR, 0, times, values}, "no keys");
    refuse_channel((SnChannelDef){0, SN_KEYS_SCALE, SN_KEYS_LINEAR, 2, times, bad}, "a value");
    refuse_channel((SnChannelDef){0, SN_KEYS_ROTATION, SN_KEYS_LINEAR, 2, times, values},
                   "key 0: the rotation");
    refuse_channel((SnChannelDef){0, (SnKeyPath)3, SN_KEYS_LINEAR, 2, times, values}, "path 3");
    skeleton = make(NULL, 0);
    SnTransform locals[JOINTS];
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    assert_error(sn_skeleton_play(skeleton, &cue, 1, 0.0, locals), SN_ERROR_INVALID,
                 "there is no clip 0, it has 0");
    assert_error(sn_skeleton_sample(skeleton, 3, 0.0, locals), SN_ERROR_INVALID, "no clip 3");
    SnCue back[2] = {sn_default_cue(), sn_default_cue()};
    back[0].start = 1.0;
    assert_error(sn_skeleton_play(skeleton, back, 2, 0.0, locals), SN_ERROR_INVALID, "before");
    sn_skeleton_destroy(skeleton);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(vectors_go_straight),
        cmocka_unit_test(steps_hold),
        cmocka_unit_test(cubics_are_hermite),
        cmocka_unit_test(rotations_go_along_great_circles),
        cmocka_unit_test(cues_keep_time),
        cmocka_unit_test(clips_fade_into_each_other),
        cmocka_unit_test(joints_carry_each_other),
        cmocka_unit_test(maps_have_rotations),
        cmocka_unit_test(meshes_follow_joints),
        cmocka_unit_test(bones_join_joints),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
