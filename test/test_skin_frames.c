// Skins that follow frames beside bodies, and muscles by their sections.
#include "skin_kit.h"

#include <sinew/collider.h>
#include <sinew/muscle.h>

#include <stdlib.h>

static SnFrameId make_frame(SnWorld *world, SnPose pose) {
    SnFrameId frame;
    assert_ok(sn_frame_create(world, pose, &frame));
    return frame;
}

// A pill along x on a frame, from the frame's origin on.
static SnColliderId add_pill(SnWorld *world, SnFrameId frame, float length, float radius) {
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_PILL;
    def.frame = frame;
    def.b = sn_vec3(length, 0.0f, 0.0f);
    def.radius_a = def.radius_b = radius;
    SnColliderId id;
    assert_ok(sn_collider_create(world, &def, &id));
    return id;
}

static SnSkinDef frames_def(const Tube *tube, const SnFrameId *frames, int count) {
    SnSkinDef def = tube_def(tube, NULL);
    def.body_count = 0;
    def.frame_count = count;
    def.frames = frames;
    return def;
}

static SnPose odd_pose(void) {
    return (SnPose){sn_vec3(0.3f, -0.2f, 0.1f), turn_about(0.3, -0.5, 0.8, 1.1)};
}

// A tube on one frame goes where the frame goes, whatever pose that had when the skin was made.
static void one_frame_carries_it_rigidly(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnPose rest = odd_pose();
    SnFrameId frame = make_frame(world, rest);
    add_pill(world, frame, 1.0f, 0.05f);
    SnSkinDef def = frames_def(&tube, &frame, 1);
    make_skin(world, &def);
    SnPose now = {sn_vec3(2.0f, 3.0f, -1.0f), turn_about(0.1, 0.9, -0.2, 2.0)};
    assert_ok(sn_frame_teleport(world, frame, now));
    SnSkinPoses poses = poses_of(world);
    Quatd turn = mulqd(quatd(now.rotation), conjugated(quatd(rest.rotation)));
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        Vec3d x = rotated(turn, subd(vec3d(tube.x[i]), vec3d(rest.position)));
        assert_near3(at3(poses.positions, i), addd(x, vec3d(now.position)), 2e-6);
    }
    sn_world_destroy(world);
}

// A rod from 0 to 1 and a bone from 1 to 2 along x: what is nearer to one follows it, and in between
// both do.
static void rods_and_frames_share_it(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 2.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnPose at_one = {sn_vec3(1.0f, 0.0f, 0.0f), sn_quat_identity()};
    SnFrameId frame = make_frame(world, at_one);
    add_pill(world, frame, 1.0f, 0.05f);
    SnSkinDef def = tube_def(&tube, &rod);
    def.frame_count = 1;
    def.frames = &frame;
    SnSkinId skin = make_skin(world, &def);
    SnSkinMesh mesh = mesh_of(world, skin);
    assert_int_equal(mesh.bone_count, BONES + 1);
    assert_int_equal(mesh.frame_count, 1);
    assert_near(mesh.rest_bones[BONES].x, 1.0, 1e-7);
    at_one.position.y = 0.5f;
    assert_ok(sn_frame_teleport(world, frame, at_one));
    SnSkinPoses poses = poses_of(world);
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        double x = (double)tube.x[i].x;
        double up = at3(poses.positions, i).y - (double)tube.x[i].y;
        if (x > 1.5)
            assert_near(up, 0.5, 0.01);
        else if (x < 0.5)
            assert_near(up, 0.0, 0.01);
        else
            assert_near(up, 0.25, 0.2501);
    }
    sn_world_destroy(world);
}

static void own_weights_name_frames(void **state) {
    (void)state;
    const SnVec3 x = {0.5f, 0.0f, 0.0f};
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnFrameId frame = make_frame(world, sn_pose_identity()); // without a pill
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 1;
    def.bodies = &rod;
    def.frame_count = 1;
    def.frames = &frame;
    def.vertex_count = 1;
    def.positions = &x;
    const int bones[SN_SKIN_BONES] = {BONES, 0, 0, 0};
    const float weights[SN_SKIN_BONES] = {1.0f, 1.0f, 0.0f, 0.0f};
    def.bones = bones;
    def.weights = weights;
    make_skin(world, &def);
    SnPose up = {sn_vec3(0.0f, 1.0f, 0.0f), sn_quat_identity()};
    assert_ok(sn_frame_teleport(world, frame, up));
    assert_near3(at3(poses_of(world).positions, 0), (Vec3d){0.5, 0.5, 0.0}, 1e-6);
    sn_world_destroy(world);
}

static void goes_with_its_frames(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnFrameId frames[2] = {make_frame(world, sn_pose_identity()), make_frame(world, odd_pose())};
    SnColliderId pills[2] = {add_pill(world, frames[0], 1.0f, 0.05f),
                             add_pill(world, frames[1], 1.0f, 0.05f)};
    SnSkinDef both = frames_def(&tube, frames, 2), one = frames_def(&tube, frames, 1);
    SnSkinId over_both = make_skin(world, &both), over_one = make_skin(world, &one);
    // Pills were needed for the weights alone.
    assert_ok(sn_collider_destroy(world, pills[0]));
    assert_true(sn_skin_is_valid(world, over_one));
    assert_ok(sn_frame_destroy(world, frames[1]));
    assert_false(sn_skin_is_valid(world, over_both));
    assert_true(sn_skin_is_valid(world, over_one));
    assert_int_equal(poses_of(world).skin_count, 1);
    sn_world_destroy(world);
}

static void bad_frames_are_refused(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnFrameId frames[2] = {make_frame(world, sn_pose_identity()), {7, 1}};
    SnSkinDef def = frames_def(&tube, frames, 1);
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID,
                 "frames[0] has no sphere or pill");
    SnColliderDef box = sn_default_collider_def();
    box.kind = SN_COLLIDER_BOX;
    box.frame = frames[0];
    assert_ok(sn_collider_create(world, &box, NULL));
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID,
                 "frames[0] has no sphere or pill");
    add_pill(world, frames[0], 1.0f, 0.05f);
    assert_ok(sn_skin_create(world, &def, NULL));
    def.frame_count = 2;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_STALE, "frames[1]: id is stale");
    frames[1] = frames[0];
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "frames[1] is frames[0]");
    def.frames = NULL;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "without frames");
    def.frame_count = 0;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "both are 0");
    sn_world_destroy(world);
}

// An allocator that counts, and fails after some time.
typedef struct Meter {
    long live, left;
} Meter;

static void *meter_allocate(size_t size, size_t align, void *context) {
    Meter *meter = context;
    if (meter->left-- == 0)
        return NULL;
    ++meter->live;
    return aligned_alloc(align, size);
}

static void meter_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Meter *)context)->live;
    free(memory);
}

static void memory_is_given_back(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    int made = 0;
    for (long left = 0; left < 60; ++left) {
        Meter meter = {.left = -1};
        SnWorldDef world_def = sn_default_world_def();
        world_def.allocator = (SnAllocator){meter_allocate, meter_release, &meter};
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        SnBodyId rod = make_rod(world, 0.05, NULL);
        SnFrameId frame = make_frame(world, odd_pose());
        add_pill(world, frame, 1.0f, 0.05f);
        SnSkinDef def = tube_def(&tube, &rod);
        def.frame_count = 1;
        def.frames = &frame;
        meter.left = left;
        SnResult result = sn_skin_create(world, &def, NULL);
        assert_true(result.code == SN_OK || result.code == SN_ERROR_MEMORY);
        made += result.code == SN_OK;
        sn_world_destroy(world);
        assert_int_equal(meter.live, 0);
    }
    assert_in_range(made, 1, 59);
}

// Frames are among the poses, for those who record them.
static void poses_tell_frames(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFrameId gone = make_frame(world, sn_pose_identity()), frame = make_frame(world, odd_pose());
    assert_ok(sn_frame_destroy(world, gone));
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    assert_int_equal(poses.led_count, 1);
    assert_int_equal(poses.led[0].index, frame.index);
    assert_int_equal(poses.led[0].generation, frame.generation);
    assert_near3(vec3d(poses.led_poses[0].position), vec3d(odd_pose().position), 1e-7);
    sn_world_destroy(world);
}

// Vertices over a muscle follow one point of each slice, so that four bones are enough for what lies
// between two slices.
static void muscles_lead_by_sections(void **state) {
    (void)state;
    enum { RODS = 7, SLICES = 11 };
    SnVec3 x[RODS * SLICES];
    for (int k = 0; k < RODS; ++k)
        for (int j = 0; j < SLICES; ++j) {
            double a = 2.0 * SUPPORT_PI * k / (RODS - 1), r = k == RODS - 1 ? 0.0 : 0.03;
            x[k * SLICES + j] = sn_vec3(0.1f * (float)j, (float)(r * cos(a)), (float)(r * sin(a)));
        }
    SnWorld *world = weightless_world();
    SnMuscleDef muscle = sn_default_muscle_def();
    muscle.rod_count = RODS;
    muscle.slice_count = SLICES;
    muscle.positions = x;
    muscle.radius = 0.015f;
    SnBodyId body;
    assert_ok(sn_muscle_create(world, &muscle, &body));
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnSkinDef def = tube_def(&tube, &body);
    def.fairing = 0;
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    for (int i = 0; i < SN_SKIN_BONES * mesh.vertex_count; ++i)
        if (mesh.weights[i] > 0.0f) // the last fibre is the one in the middle
            assert_in_range(mesh.bones[i], (RODS - 1) * SLICES, RODS * SLICES - 1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame_carries_it_rigidly), cmocka_unit_test(rods_and_frames_share_it),
        cmocka_unit_test(own_weights_name_frames),      cmocka_unit_test(goes_with_its_frames),
        cmocka_unit_test(bad_frames_are_refused),       cmocka_unit_test(poses_tell_frames),
        cmocka_unit_test(muscles_lead_by_sections),     cmocka_unit_test(memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
