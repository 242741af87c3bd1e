// Rigs: bones that swing fast have the right velocity in every sub-step, and so has what hangs on them;
// joints before and after a step; jumps; what is refused.
#include "support.h"

#include "world/world.h"

#define SUBSTEPS 10
#define STEP (1.0 / 60.0)
#define SPIN 30.0 // rad/s: half a radian in a step
#define LENGTH 0.5
#define KEYS 400

// A bone along x that turns about z: evenly, or back and forth as a sine.
typedef struct Swing {
    bool even;
    double amplitude, rate; // rad, rad/s
} Swing;

static double angle_at(const Swing *swing, double time) {
    return swing->even ? SPIN * time : swing->amplitude * sin(swing->rate * time);
}

static double spin_at(const Swing *swing, double time) {
    return swing->even ? SPIN : swing->amplitude * swing->rate * cos(swing->rate * time);
}

// Keys so near to each other that they are the motion itself. The shoulder is away from the origin, so
// that the whole arm moves; the elbow turns as far again.
static SnSkeleton *make_arm(const Swing *swing) {
    static float times[KEYS], values[2][4 * KEYS];
    for (int i = 0; i < KEYS; ++i) {
        times[i] = (float)i * 1e-3f;
        for (int joint = 0; joint < 2; ++joint) {
            SnQuat q = turn_about(0, 0, 1, angle_at(swing, (double)times[i]));
            memcpy(values[joint] + 4 * i, &q, sizeof q);
        }
    }
    const SnTransform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    SnJointDef joints[3] = {{"shoulder", -1, identity, true},
                            {"elbow", 0, identity, true},
                            {"hand", 1, identity, true}};
    joints[0].rest.translation = sn_vec3(1.0f, 2.0f, 0.0f);
    joints[1].rest.translation = joints[2].rest.translation = sn_vec3((float)LENGTH, 0.0f, 0.0f);
    const SnChannelDef channels[2] = {
        {0, SN_KEYS_ROTATION, SN_KEYS_LINEAR, KEYS, times, values[0]},
        {1, SN_KEYS_ROTATION, SN_KEYS_LINEAR, KEYS, times, values[1]}};
    const SnClipDef clip = {"swing", 2, channels};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 3;
    def.joints = joints;
    def.clip_count = 1;
    def.clips = &clip;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    return skeleton;
}

static SnRig *make_rig(SnWorld *world, const SnSkeleton *skeleton) {
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    cue.loop = false;
    SnRigDef def = sn_default_rig_def();
    def.skeleton = skeleton;
    def.cues = &cue;
    def.cue_count = 1;
    SnRig *rig;
    assert_ok(sn_rig_create(world, &def, &rig));
    return rig;
}

// The hand, and its velocity: the elbow on a circle, the hand on one of twice the angle about it.
static Vec3d hand_at(const Swing *swing, double time) {
    double a = angle_at(swing, time);
    return (Vec3d){1.0 + LENGTH * (cos(a) + cos(2.0 * a)), 2.0 + LENGTH * (sin(a) + sin(2.0 * a)),
                   0.0};
}

static Vec3d hand_velocity(const Swing *swing, double time) {
    double a = angle_at(swing, time), w = spin_at(swing, time);
    return (Vec3d){-LENGTH * w * (sin(a) + 2.0 * sin(2.0 * a)),
                   LENGTH * w * (cos(a) + 2.0 * cos(2.0 * a)), 0.0};
}

// The mean over a sub-step is what a contact sees; a difference of places, exactly.
static Vec3d mean_velocity(const Swing *swing, double from, double to) {
    return scaled(subd(hand_at(swing, to), hand_at(swing, from)), 1.0 / (to - from));
}

// The worst error of the velocity of the far end of the forearm over the sub-steps of some steps, over
// its speed. Straight ways, as sn_frame_set_target gives them, are what it is compared with.
static double worst_of_colliders(const Swing *swing, bool straight) {
    SnWorld *world = weightless_world();
    SnSkeleton *skeleton = make_arm(swing);
    SnRig *rig = make_rig(world, skeleton);
    assert_int_equal(sn_rig_bone_count(rig), 2);
    Collider *bone = &world->colliders.colliders[sn_rig_bone_collider(rig, 1).index - 1];
    double worst = 0.0, fastest = 0.0, h = STEP / SUBSTEPS;
    for (int step = 0; step < 8; ++step) {
        double start = step * STEP;
        assert_ok(sn_rig_move(rig, world, start + STEP, STEP));
        for (uint32_t k = 0; k < world->frame_ids.slot_count && straight; ++k)
            world->frame_vias[k].curved = false;
        sn__colliders_begin_step(world);
        for (int n = 0; n < SUBSTEPS; ++n) {
            Knot knots[64]; // numbered by the world
            assert_true(bone->knots + 1 < 64);
            sn__colliders_substep(world, n, SUBSTEPS, knots);
            const float *m = knots[bone->knots + 1].motion;
            Vec3d v = scaled((Vec3d){(double)m[0], (double)m[1], (double)m[2]}, 1.0 / h);
            Vec3d wanted = mean_velocity(swing, start + n * h, start + (n + 1) * h);
            worst = fmax(worst, lengthd(subd(v, wanted)));
            fastest = fmax(fastest, lengthd(wanted));
        }
        assert_int_equal(sn_world_step(world, (float)STEP, SUBSTEPS, 1), SN_STEP_OK);
    }
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
    return worst / fastest;
}

static void bones_have_the_right_velocity(void **state) {
    (void)state;
    const Swing even = {.even = true}, sine = {.amplitude = 1.0, .rate = 18.0};
    assert_below(worst_of_colliders(&even, false), 0.001);
    assert_below(worst_of_colliders(&sine, false), 0.002);
    // What it was before, so that the test is one.
    assert_true(worst_of_colliders(&even, true) > 0.05);
    assert_true(worst_of_colliders(&sine, true) > 0.05);
}

// A rod, a stiff rod and a rigid body that hang on the hand with their first point.
static SnBodyId hang_body(SnWorld *world, int kind, SnFrameId frame) {
    SnBodyId body;
    if (kind == 2) {
        SnRigidPart part = {
            .a = {0, 0, 0}, .b = {0.2f, 0, 0}, .radius_a = 0.02f, .radius_b = 0.02f};
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1;
        def.parts = &part;
        def.pose.position = sn_vec3(2.0f, 2.0f, 0.0f);
        def.filter.mask = 0;
        assert_ok(sn_rigid_create(world, &def, &body));
    } else {
        SnVec3 x[5];
        line_of_points(x, 5, sn_vec3(2.0f, 2.0f, 0.0f), sn_vec3(0.05f, 0.0f, 0.0f));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 5;
        def.positions = x;
        def.stiff = kind == 1;
        def.filter.mask = 0;
        assert_ok(sn_rod_create(world, &def, &body));
    }
    attach(world, body, SN_ATTACH_VERTEX, 0, frame);
    return body;
}

// After a step, a held point has the velocity of the last sub-step.
static void what_hangs_on_them_has_it_too(void **state) {
    (void)state;
    const Swing swing = {.even = true};
    for (int kind = 0; kind < 3; ++kind) {
        SnWorld *world = weightless_world();
        SnSkeleton *skeleton = make_arm(&swing);
        SnRig *rig = make_rig(world, skeleton);
        SnBodyId body = hang_body(world, kind, sn_rig_frame(rig, 2));
        // What moves in rigid pieces has a velocity of its own, not quite the mean of the sub-step.
        double part = kind > 0 ? 0.03 : 0.005;
        for (int step = 1; step <= 6; ++step) {
            double end = step * STEP, h = STEP / SUBSTEPS;
            assert_ok(sn_rig_move(rig, world, end, STEP));
            step_world(world, (float)STEP, SUBSTEPS, 1);
            RodCopy copy;
            copy_rod(world, body, &copy);
            Vec3d v = vec3d(copy.v[0]), x = vec3d(copy.x[0]);
            Vec3d wanted = mean_velocity(&swing, end - h, end);
            assert_below(lengthd(subd(x, hand_at(&swing, end))), 2e-5);
            assert_below(lengthd(subd(v, wanted)), part * 3.0 * LENGTH * SPIN);
        }
        sn_rig_destroy(rig);
        sn_world_destroy(world);
        sn_skeleton_destroy(skeleton);
    }
}

// So has a point that a link ties to a joint, as fast as links follow.
static void links_lead_along_curves(void **state) {
    (void)state;
    const Swing swing = {.amplitude = 1.0, .rate = 5.0};
    SnWorld *world = weightless_world();
    SnSkeleton *skeleton = make_arm(&swing);
    SnRig *rig = make_rig(world, skeleton);
    SnVec3 x[2] = {{2.0f, 2.0f, 0.0f}, {2.05f, 2.0f, 0.0f}};
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 2;
    def.positions = x;
    def.filter.mask = 0;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a.body = rod;
    link.frame = sn_rig_frame(rig, 2);
    assert_ok(sn_link_create(world, &link, NULL));
    for (int step = 1; step <= 20; ++step) {
        double end = step * STEP, h = STEP / SUBSTEPS;
        assert_ok(sn_rig_move(rig, world, end, STEP));
        step_world(world, (float)STEP, SUBSTEPS, 1);
        RodCopy copy;
        copy_rod(world, rod, &copy);
        Vec3d wanted = mean_velocity(&swing, end - h, end);
        assert_below(lengthd(subd(vec3d(copy.x[0]), hand_at(&swing, end))), 1e-5);
        assert_below(lengthd(subd(vec3d(copy.v[0]), wanted)), 0.005); // straight, 0.25 to 0.5 m/s
    }
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
}

// A ball that a swinging bone strikes, without friction and bounce, slides along it and is as fast across
// it as the bone is there.
static void struck_balls_are_as_fast(void **state) {
    (void)state;
    const Swing swing = {.even = true};
    const double place = 0.4; // m from the shoulder
    for (int substeps = 4; substeps <= 16; substeps *= 2) {
        SnWorld *world = weightless_world();
        SnSkeleton *skeleton = make_arm(&swing);
        SnBone bone = {.parent = 0, .joint = 1, .to = {(float)LENGTH, 0, 0}, .radius = 0.02f};
        SnCue cue = {.clip = 0, .speed = 1.0};
        SnRigDef def = sn_default_rig_def();
        def.skeleton = skeleton;
        def.cues = &cue;
        def.cue_count = 1;
        def.own_bones = true;
        def.bones = &bone;
        def.bone_count = 1;
        def.surface.friction = def.surface.static_friction = 0.0f;
        SnRig *rig;
        assert_ok(sn_rig_create(world, &def, &rig));
        SnRigidPart part = {.radius_a = 0.03f, .radius_b = 0.03f};
        SnRigidDef ball = sn_default_rigid_def();
        ball.part_count = 1;
        ball.parts = &part;
        // It is met early in the second step, where the bone is turned by an angle of 0.6.
        double angle = 0.6, off = 0.05;
        ball.pose.position = sn_vec3((float)(1.0 + place * cos(angle) - off * sin(angle)),
                                     (float)(2.0 + place * sin(angle) + off * cos(angle)), 0.0f);
        ball.surface.friction = ball.surface.static_friction = 0.0f;
        SnBodyId body;
        assert_ok(sn_rigid_create(world, &ball, &body));
        for (int step = 1; step <= 2; ++step) {
            assert_ok(sn_rig_move(rig, world, step * STEP, STEP));
            step_world(world, (float)STEP, substeps, 1);
        }
        RodCopy copy;
        copy_rod(world, body, &copy);
        // It slides along the bone, and is as fast across it as that is there, in the last sub-step.
        double h = STEP / substeps, turned = SPIN * (2.0 * STEP - 0.5 * h);
        Vec3d v = vec3d(copy.v[0]), along = {cos(turned), sin(turned), 0.0};
        Vec3d across = {-sin(turned), cos(turned), 0.0};
        Vec3d from = subd(subd(vec3d(copy.x[0]), scaled(v, 0.5 * h)), (Vec3d){1.0, 2.0, 0.0});
        double speed = SPIN * dotd(from, along);
        assert_near(dotd(v, across), speed, 0.24 * speed / substeps); // contacts are of first order
        sn_rig_destroy(rig);
        sn_world_destroy(world);
        sn_skeleton_destroy(skeleton);
    }
}

// Where muscles are carried from and to: joints before and after the next step.
static void both_ends_of_a_step_are_known(void **state) {
    (void)state;
    const Swing swing = {.amplitude = 1.0, .rate = 18.0};
    SnWorld *world = weightless_world();
    SnSkeleton *skeleton = make_arm(&swing);
    SnRig *rig = make_rig(world, skeleton);
    const SnMap *start, *end;
    SnPose pose, target;
    for (int step = 1; step <= 5; ++step) {
        assert_ok(sn_rig_move(rig, world, step * STEP, STEP));
        sn_rig_maps(rig, &start, &end);
        assert_ok(sn_frame_pose(world, sn_rig_frame(rig, 2), &pose));
        assert_ok(sn_frame_target(world, sn_rig_frame(rig, 2), &target));
        Vec3d from = hand_at(&swing, (step - 1) * STEP), to = hand_at(&swing, step * STEP);
        assert_below(lengthd(subd(vec3d(start[2].origin), from)), 1e-4);
        assert_below(lengthd(subd(vec3d(end[2].origin), to)), 1e-4);
        assert_below(lengthd(subd(vec3d(pose.position), from)), 1e-4);
        assert_below(lengthd(subd(vec3d(target.position), to)), 1e-4);
        step_world(world, (float)STEP, SUBSTEPS, 1);
    }
    Vec3d v = hand_velocity(&swing, 5 * STEP),
          near = mean_velocity(&swing, 5 * STEP - 1e-6, 5 * STEP);
    assert_below(lengthd(subd(v, near)), 1e-3); // the test's own formulas
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
}

// A clip that jumps moves its joints evenly over the step, never beyond where it goes; one that stands
// lets what hangs on it sleep.
static void jumps_are_even_and_rest_is_rest(void **state) {
    (void)state;
    const float times[] = {0.0f, 0.01f}, values[] = {0, 0, 0, 1, 0, 0};
    const SnTransform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const SnJointDef joint = {"only", -1, identity, true};
    const SnChannelDef channel = {0, SN_KEYS_TRANSLATION, SN_KEYS_STEP, 2, times, values};
    const SnClipDef clip = {"jump", 1, &channel};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = def.clip_count = 1;
    def.joints = &joint;
    def.clips = &clip;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    SnWorld *world = weightless_world();
    SnRig *rig = make_rig(world, skeleton);
    assert_int_equal(sn_rig_bone_count(rig), 0);
    assert_ok(sn_rig_move(rig, world, STEP, STEP));
    assert_false(world->frame_vias[0].curved);
    assert_near(world->frames[0].target.position.x, 1.0, 0.0);
    step_world(world, (float)STEP, 1, 1);
    SnBodyId rod = plain_rod(world, 4);
    attach(world, rod, SN_ATTACH_VERTEX, 0, sn_rig_frame(rig, 0));
    Body *body = sn__bodies_find(&world->bodies, rod);
    world->sleep_speed = 0.01f;
    sn__body_set_asleep(body, true);
    assert_ok(sn_rig_move(rig, world, 3 * STEP, STEP));
    assert_true(sn_body_is_asleep(world, rod));
    assert_ok(sn_rig_remove(rig, world));
    assert_int_equal(sn_frame_pose(world, sn_rig_frame(rig, 0), &(SnPose){0}).code, SN_ERROR_STALE);
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
}

// A snapshot between moving the rig and the step holds the curve.
static void snapshots_hold_curves(void **state) {
    (void)state;
    const Swing swing = {.even = true};
    SnWorld *world = weightless_world();
    SnSkeleton *skeleton = make_arm(&swing);
    SnRig *rig = make_rig(world, skeleton);
    hang_body(world, 0, sn_rig_frame(rig, 2));
    static char memory[1 << 18];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size < sizeof memory);
    assert_ok(sn_rig_move(rig, world, STEP, STEP));
    assert_ok(sn_world_save(world, memory, size));
    uint64_t before = sn_world_hash(world);
    step_world(world, (float)STEP, SUBSTEPS, 1);
    uint64_t after = sn_world_hash(world);
    assert_ok(sn_world_restore(world, memory, size));
    assert_true(sn_world_hash(world) == before);
    step_world(world, (float)STEP, SUBSTEPS, 1);
    assert_true(sn_world_hash(world) == after);
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    const Swing swing = {.even = true};
    SnWorld *world = weightless_world();
    SnSkeleton *skeleton = make_arm(&swing);
    SnRigDef def = sn_default_rig_def();
    SnRig *rig;
    assert_error(sn_rig_create(world, &def, &rig), SN_ERROR_INVALID, "skeleton is NULL");
    def.skeleton = skeleton;
    def.scale = 0.0f;
    assert_error(sn_rig_create(world, &def, &rig), SN_ERROR_INVALID, "scale 0");
    def.scale = 1.0f;
    SnCue cue = sn_default_cue();
    cue.clip = 4;
    def.cues = &cue;
    def.cue_count = 1;
    assert_error(sn_rig_create(world, &def, &rig), SN_ERROR_INVALID, "no clip 4");
    cue.clip = 0;
    SnBone bone = {.parent = 9, .radius = 0.1f};
    def.own_bones = true;
    def.bones = &bone;
    def.bone_count = 1;
    assert_error(sn_rig_create(world, &def, &rig), SN_ERROR_INVALID, "bone 0: parent: 9");
    assert_null(rig);
    def.bone_count = 0;
    assert_ok(sn_rig_create(world, &def, &rig));
    assert_error(sn_rig_move(rig, world, 1.0, 0.0), SN_ERROR_INVALID, "step: 0 s");
    SnFrameId frame = sn_rig_frame(rig, 0);
    const SnPose bad[3] = {{{NAN, 0, 0}, {0, 0, 0, 1}}};
    assert_error(sn_frame_set_path(world, frame, bad), SN_ERROR_INVALID, "frame: its position");
    sn_rig_destroy(rig);
    sn_world_destroy(world);
    sn_skeleton_destroy(skeleton);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_have_the_right_velocity),
        cmocka_unit_test(what_hangs_on_them_has_it_too),
        cmocka_unit_test(links_lead_along_curves),
        cmocka_unit_test(struck_balls_are_as_fast),
        cmocka_unit_test(both_ends_of_a_step_are_known),
        cmocka_unit_test(jumps_are_even_and_rest_is_rest),
        cmocka_unit_test(snapshots_hold_curves),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
