// Kinematic frames and what is attached to them.
#include "support.h"

#include "math/vec.h"

static SnBodyId rod_of(SnWorld *world, int count, bool closed, bool classic) {
    SnVec3 x[COPY_MAX];
    if (closed)
        circle_of_points(x, count, 0.016 * count);
    else
        line_of_points(x, count, sn_vec3(0.2f, 0.1f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = count;
    def.closed = closed;
    def.positions = x;
    def.classic = classic;
    def.material.drag = 2.0f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static Vec3d in_world(SnPose pose, SnVec3 local) {
    return addd(rotated(quatd(pose.rotation), vec3d(local)), vec3d(pose.position));
}

static double apart(SnVec3 a, Vec3d b) { return lengthd(subd(vec3d(a), b)); }

static SnAttachmentId attach_at(SnWorld *world, SnBodyId rod, SnAttachmentKind kind, int index,
                                SnFrameId frame, SnVec3 position, SnQuat rotation, float scale) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = kind;
    def.body = rod;
    def.index = index;
    def.frame = frame;
    def.keep_current = false;
    def.position = position;
    def.rotation = rotation;
    def.scale = scale;
    SnAttachmentId id;
    assert_ok(sn_attachment_create(world, &def, &id));
    return id;
}

// Open, closed, and cut into pieces: an attached element is where its frame says after every step.
static void attached_elements_follow_their_frame(void **state) {
    (void)state;
    const struct {
        int count, vertex;
        bool closed, classic;
    } cases[] = {{8, 2, false, false}, {8, 5, false, true},     {12, 0, true, false},
                 {12, 5, true, true},  {150, 10, false, false}, {150, 147, false, true},
                 {120, 0, true, false}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnBodyId rod = rod_of(world, cases[c].count, cases[c].closed, cases[c].classic);
        RodCopy start, now;
        copy_rod(world, rod, &start);
        SnPose pose = {sn_vec3(0.3f, 0.1f, -0.2f), turn_about(1, 2, 3, 0.4)};
        SnFrameId frame;
        assert_ok(sn_frame_create(world, pose, &frame));
        int v = cases[c].vertex, g = v < start.segments ? v : v - 1;
        attach(world, rod, SN_ATTACH_VERTEX, v, frame);
        attach(world, rod, SN_ATTACH_SEGMENT, g, frame);
        copy_rod(world, rod, &now);
        assert_below(farthest(&start, &now), 1e-6); // keep_current moves nothing
        Quatd back = conjugated(quatd(pose.rotation));
        Vec3d l = rotated(back, subd(vec3d(start.x[v]), vec3d(pose.position)));
        SnVec3 local = sn_vec3((float)l.x, (float)l.y, (float)l.z);
        Quatd turn = mulqd(back, quatd(start.q[g]));
        for (int n = 1; n <= 30; ++n) {
            pose.position = sn_vec3(0.3f + 0.02f * (float)n, 0.1f, 0.01f * (float)(n % 5));
            pose.rotation = turn_about(1, 2, 3, 0.4 + 0.1 * n);
            assert_ok(sn_frame_set_target(world, frame, pose));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 4, 2), SN_STEP_OK);
            copy_rod(world, rod, &now);
            assert_below(apart(now.x[v], in_world(pose, local)), 2e-6);
            SnQuat expected = quatf(mulqd(quatd(pose.rotation), turn));
            assert_below(angle_between(now.q[g], expected), 1e-5);
            SnPose read;
            assert_ok(sn_frame_pose(world, frame, &read));
            assert_memory_equal(&read.position, &pose.position, sizeof read.position);
        }
        sn_world_destroy(world);
    }
}

// The frame moves evenly over the sub-steps, so what hangs on it has its velocity.
static void attached_vertices_have_the_velocity_of_the_frame(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = rod_of(world, 6, false, false);
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnAttachmentId id = attach(world, rod, SN_ATTACH_VERTEX, 0, frame);
    RodCopy now;
    for (int n = 1; n <= 5; ++n) {
        SnPose pose = {sn_vec3(0.0f, 0.05f * (float)n, 0.0f), sn_quat_identity()};
        assert_ok(sn_frame_set_target(world, frame, pose));
        (void)sn_world_step(world, 0.05f, 5, 2);
        copy_rod(world, rod, &now);
        assert_near(now.v[0].y, 1.0, 1e-4);
    }
    // Let go, it keeps that velocity at first.
    assert_ok(sn_attachment_destroy(world, id));
    copy_rod(world, rod, &now);
    assert_near(now.v[0].y, 1.0, 1e-4);
    float height = now.x[0].y;
    (void)sn_world_step(world, 0.001f, 1, 1);
    copy_rod(world, rod, &now);
    assert_near(now.x[0].y - height, 0.001, 2e-4);
    // And the frame stands still if it is given no new target.
    SnPose before, after;
    assert_ok(sn_frame_pose(world, frame, &before));
    (void)sn_world_step(world, 0.05f, 5, 2);
    assert_ok(sn_frame_pose(world, frame, &after));
    assert_memory_equal(&before, &after, sizeof before);
    sn_world_destroy(world);
}

static void places_and_scales_are_led_to_their_targets(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = rod_of(world, 6, false, false);
    SnPose pose = {sn_vec3(1.0f, 0.0f, 0.0f), turn_about(0, 0, 1, 1.0)};
    SnFrameId frame;
    assert_ok(sn_frame_create(world, pose, &frame));
    SnQuat across = turn_about(0, 1, 0, 1.5);
    SnAttachmentId place = attach_at(world, rod, SN_ATTACH_VERTEX, 0, frame,
                                     sn_vec3(0.1f, 0.2f, 0.3f), sn_quat_identity(), 1.0f);
    SnAttachmentId turn =
        attach_at(world, rod, SN_ATTACH_SEGMENT, 3, frame, sn_vec3(0, 0, 0), across, 1.0f);
    SnAttachmentId scale = attach_at(world, rod, SN_ATTACH_SCALE, 3, frame, sn_vec3(0, 0, 0),
                                     sn_quat_identity(), 1.5f);
    RodCopy now;
    copy_rod(world, rod, &now);
    assert_below(apart(now.x[0], in_world(pose, sn_vec3(0.1f, 0.2f, 0.3f))), 1e-6);
    assert_below(angle_between(now.q[3], quatf(mulqd(quatd(pose.rotation), quatd(across)))), 1e-6);
    assert_near(now.s[3], 1.5, 1e-6);
    SnVec3 to = {0.2f, 0.2f, 0.4f};
    SnQuat turned = turn_about(0, 1, 0, 1.2);
    assert_ok(sn_attachment_set_target(world, place, to, turned, 1.0f));
    assert_ok(sn_attachment_set_target(world, turn, to, turned, 1.0f));
    assert_ok(sn_attachment_set_target(world, scale, to, turned, 0.8f));
    for (int n = 0; n < 2; ++n) { // it stays there in the step after, too
        (void)sn_world_step(world, 0.02f, 4, 2);
        copy_rod(world, rod, &now);
        assert_below(apart(now.x[0], in_world(pose, to)), 1e-6);
        assert_below(angle_between(now.q[3], quatf(mulqd(quatd(pose.rotation), quatd(turned)))),
                     1e-6);
        assert_near(now.s[3], 0.8, 1e-6);
        assert_near(now.vs[3], n == 0 ? -35.0 : 0.0, 1e-2);
    }
    assert_error(sn_attachment_set_target(world, place, sn_vec3(NAN, 0, 0), turned, 1.0f),
                 SN_ERROR_INVALID, "position");
    assert_error(sn_attachment_set_target(world, scale, to, turned, 21.0f), SN_ERROR_INVALID, "21");
    sn_world_destroy(world);
}

// Scales go as far as this when a rod is crushed or bursts. It can be written and held there.
static void scales_are_held_at_their_bounds(void **state) {
    (void)state;
    const float bounds[] = {0.05f, 20.0f};
    for (int k = 0; k < 2; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId rod = rod_of(world, 6, false, false);
        RodCopy now;
        copy_rod(world, rod, &now);
        now.s[3] = bounds[k];
        assert_ok(sn_body_write(world, rod, &(SnBodyState){.scales = now.s}));
        SnAttachmentId id = attach(world, rod, SN_ATTACH_SCALE, 3, (SnFrameId){0, 0});
        SnAttachmentDef again;
        assert_ok(sn_attachment_read(world, id, &again));
        assert_ok(sn_attachment_destroy(world, id));
        assert_ok(sn_attachment_create(world, &again, NULL));
        (void)sn_world_step(world, 0.02f, 4, 2);
        copy_rod(world, rod, &now);
        assert_near(now.s[3], bounds[k], 1e-6);
        now.s[3] *= k ? 1.01f : 0.99f;
        assert_error(sn_body_write(world, rod, &(SnBodyState){.scales = now.s}), SN_ERROR_INVALID,
                     "[0.05, 20]");
        sn_world_destroy(world);
    }
}

static void a_teleport_moves_at_once_without_velocity(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = rod_of(world, 6, false, false);
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    for (int i = 0; i < 6; ++i)
        attach(world, rod, SN_ATTACH_VERTEX, i, frame);
    for (int j = 0; j < 5; ++j)
        attach(world, rod, SN_ATTACH_SEGMENT, j, frame);
    RodCopy before, now;
    copy_rod(world, rod, &before);
    SnPose pose = {sn_vec3(10.0f, 20.0f, -30.0f), turn_about(0, 1, 1, 2.0)};
    assert_ok(sn_frame_teleport(world, frame, pose));
    for (int n = 0; n < 2; ++n) {
        copy_rod(world, rod, &now);
        for (int i = 0; i < 6; ++i) {
            assert_below(apart(now.x[i], in_world(pose, before.x[i])), 1e-5);
            assert_near(distance(now.v[i], sn_vec3(0, 0, 0)), 0.0, 1e-6);
        }
        for (int j = 0; j < 5; ++j)
            assert_near(distance(now.w[j], sn_vec3(0, 0, 0)), 0.0, 1e-4);
        assert_int_equal(sn_world_step(world, 0.01f, 2, 2), SN_STEP_OK);
    }
    sn_world_destroy(world);
}

static void a_destroyed_frame_leaves_its_attachments_in_the_world(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod = rod_of(world, 6, false, false);
    SnPose pose = {sn_vec3(0.5f, 0.5f, 0.0f), turn_about(0, 0, 1, 0.7)};
    SnFrameId frame, other;
    assert_ok(sn_frame_create(world, pose, &frame));
    SnAttachmentId vertex = attach(world, rod, SN_ATTACH_VERTEX, 0, frame);
    attach(world, rod, SN_ATTACH_SEGMENT, 1, frame);
    RodCopy before, now;
    copy_rod(world, rod, &before);
    // A target that is never reached does not count.
    assert_ok(sn_frame_set_target(world, frame, (SnPose){sn_vec3(9, 9, 9), sn_quat_identity()}));
    assert_ok(sn_frame_destroy(world, frame));
    assert_error(sn_frame_set_target(world, frame, pose), SN_ERROR_STALE, "frame");
    // A new frame in the same slot does not take them over.
    assert_ok(sn_frame_create(world, sn_pose_identity(), &other));
    assert_int_equal(other.index, frame.index);
    assert_ok(sn_frame_set_target(world, other, (SnPose){sn_vec3(5, 0, 0), sn_quat_identity()}));
    for (int n = 0; n < 20; ++n)
        (void)sn_world_step(world, 1.0f / 60.0f, 4, 2);
    copy_rod(world, rod, &now);
    assert_below(distance(now.x[0], before.x[0]), 1e-6);
    assert_below(angle_between(now.q[1], before.q[1]), 1e-6);
    assert_ok(sn_attachment_set_target(world, vertex, sn_vec3(1, 1, 1), sn_quat_identity(), 1.0f));
    (void)sn_world_step(world, 1.0f / 60.0f, 4, 2);
    copy_rod(world, rod, &now);
    assert_below(distance(now.x[0], sn_vec3(1, 1, 1)), 1e-6);
    sn_world_destroy(world);
}

static void attachments_go_with_their_rod(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rods[20];
    SnAttachmentId ids[20][3];
    for (int r = 0; r < 20; ++r) {
        rods[r] = rod_of(world, 6, false, false);
        for (int k = 0; k < 3; ++k)
            ids[r][k] = attach(world, rods[r], (SnAttachmentKind)k, k, (SnFrameId){0, 0});
    }
    for (int r = 0; r < 20; r += 2)
        assert_ok(sn_body_destroy(world, rods[r]));
    for (int r = 0; r < 20; ++r)
        for (int k = 0; k < 3; ++k)
            assert_int_equal(sn_attachment_set_target(world, ids[r][k], sn_vec3(0, (float)r, 0),
                                                      sn_quat_identity(), 1.2f)
                                 .code,
                             r % 2 ? SN_OK : SN_ERROR_STALE);
    // New rods in the freed lanes hang on nothing.
    SnBodyId fresh = rod_of(world, 6, false, false);
    SnVec3 v[6];
    line_of_points(v, 6, sn_vec3(0, 1, 0), sn_vec3(0, 0, 0));
    assert_ok(sn_body_write(world, fresh, &(SnBodyState){.velocities = v}));
    (void)sn_world_step(world, 0.01f, 1, 1);
    RodCopy now;
    copy_rod(world, fresh, &now);
    for (int i = 0; i < 6; ++i)
        assert_true(now.x[i].y > 0.105f);
    for (int r = 1; r < 20; r += 2) {
        copy_rod(world, rods[r], &now);
        assert_below(distance(now.x[0], sn_vec3(0, (float)r, 0)), 1e-5);
        assert_near(now.s[2], 1.2, 1e-6);
        assert_ok(sn_attachment_destroy(world, ids[r][0]));
        assert_error(sn_attachment_destroy(world, ids[r][0]), SN_ERROR_STALE, "attachment");
    }
    sn_world_destroy(world);
}

static SnResult try_attach(SnWorld *world, SnBodyId rod, int kind, int index) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = rod;
    def.kind = (SnAttachmentKind)kind;
    def.index = index;
    return sn_attachment_create(world, &def, NULL);
}

static void bad_frames_and_attachments_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = rod_of(world, 6, false, false), classic = rod_of(world, 6, false, true);
    SnFrameId frame;
    SnPose bad = {sn_vec3(NAN, 0, 0), sn_quat_identity()};
    assert_error(sn_frame_create(world, bad, &frame), SN_ERROR_INVALID, "frame");
    bad = (SnPose){sn_vec3(0, 0, 0), {0, 0, 0, 0}};
    assert_error(sn_frame_create(world, bad, &frame), SN_ERROR_INVALID, "frame");
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    assert_error(sn_frame_set_target(world, frame, bad), SN_ERROR_INVALID, "frame");
    assert_error(sn_frame_teleport(world, frame, bad), SN_ERROR_INVALID, "frame");
    SnPose pose;
    SnFrameId null = {0, 0};
    assert_error(sn_frame_pose(world, null, &pose), SN_ERROR_STALE, "frame");
    assert_error(sn_frame_destroy(world, null), SN_ERROR_STALE, "frame");
    assert_error(sn_frame_teleport(world, null, sn_pose_identity()), SN_ERROR_STALE, "frame");

    assert_error(try_attach(world, rod, SN_ATTACH_VERTEX, 6), SN_ERROR_INVALID, "6");
    assert_error(try_attach(world, rod, SN_ATTACH_SEGMENT, 5), SN_ERROR_INVALID, "5");
    assert_error(try_attach(world, rod, SN_ATTACH_VERTEX, -1), SN_ERROR_INVALID, "-1");
    assert_error(try_attach(world, rod, 7, 0), SN_ERROR_INVALID, "kind");
    assert_error(try_attach(world, classic, SN_ATTACH_SCALE, 0), SN_ERROR_INVALID,
                 "no scale to hold");
    assert_error(try_attach(world, (SnBodyId){99, 1}, 0, 0), SN_ERROR_STALE, "body");
    for (int kind = 0; kind < 3; ++kind) { // one of each kind per element
        assert_ok(try_attach(world, rod, kind, 1));
        assert_error(try_attach(world, rod, kind, 1), SN_ERROR_INVALID, "already");
    }
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = rod;
    def.frame = frame;
    assert_ok(sn_frame_destroy(world, frame));
    assert_error(sn_attachment_create(world, &def, NULL), SN_ERROR_STALE, "frame");
    def.frame = null;
    def.cookie = 0;
    assert_error(sn_attachment_create(world, &def, NULL), SN_ERROR_INVALID, "default");
    assert_error(sn_attachment_create(world, NULL, NULL), SN_ERROR_INVALID, "default");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached_elements_follow_their_frame),
        cmocka_unit_test(attached_vertices_have_the_velocity_of_the_frame),
        cmocka_unit_test(places_and_scales_are_led_to_their_targets),
        cmocka_unit_test(scales_are_held_at_their_bounds),
        cmocka_unit_test(a_teleport_moves_at_once_without_velocity),
        cmocka_unit_test(a_destroyed_frame_leaves_its_attachments_in_the_world),
        cmocka_unit_test(attachments_go_with_their_rod),
        cmocka_unit_test(bad_frames_and_attachments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
