// Debug drawing calls back for everything there is, and poses between two steps lie between them.
#include "support.h"

typedef struct Seen {
    int lines, pills;
    int by_colour[16];
    uint32_t colours[16];
    int colour_count;
    bool finite;
} Seen;

static void note(Seen *seen, uint32_t colour, SnVec3 a, SnVec3 b) {
    seen->finite &= isfinite(a.x + a.y + a.z + b.x + b.y + b.z);
    int k = 0;
    while (k < seen->colour_count && seen->colours[k] != colour)
        ++k;
    assert_true(k < 16);
    seen->colours[k] = colour;
    seen->colour_count = k == seen->colour_count ? k + 1 : seen->colour_count;
    ++seen->by_colour[k];
}

static void on_line(SnVec3 a, SnVec3 b, uint32_t colour, void *context) {
    Seen *seen = context;
    ++seen->lines;
    note(seen, colour, a, b);
}

static void on_pill(SnVec3 a, SnVec3 b, float ra, float rb, uint32_t colour, void *context) {
    Seen *seen = context;
    ++seen->pills;
    assert_true(ra > 0.0f && rb > 0.0f);
    note(seen, colour, a, b);
}

static int count_of(const Seen *seen, uint32_t colour) {
    for (int k = 0; k < seen->colour_count; ++k)
        if (seen->colours[k] == colour)
            return seen->by_colour[k];
    return 0;
}

// A rod of four segments, a hinged wheel linked to it, a box, a plane and a frame.
static SnWorld *make_scene(SnBodyId *out_rod, SnBodyId *out_wheel) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    *out_rod = plain_rod(world, 5);
    SnRigidPart part = sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.0f, 0.0f, 0.2f), 0.1f);
    SnRigidDef wheel = sn_default_rigid_def();
    wheel.parts = &part;
    wheel.part_count = 1;
    wheel.pose.position = sn_vec3(0.0f, 3.0f, 0.0f);
    assert_ok(sn_rigid_create(world, &wheel, out_wheel));
    SnHingeDef hinge = sn_default_hinge_def();
    hinge.a = *out_wheel;
    assert_ok(sn_hinge_create(world, &hinge, NULL));
    SnLinkDef link = sn_default_link_def();
    link.a = (SnBodyPoint){*out_rod, 0, 0.0f};
    link.b = (SnBodyPoint){*out_wheel, 0, 0.0f};
    assert_ok(sn_link_create(world, &link, NULL));
    SnColliderDef box = sn_default_collider_def();
    box.pose.position = sn_vec3(0.0f, -5.0f, 0.0f);
    assert_ok(sn_collider_create(world, &box, NULL));
    box.kind = SN_COLLIDER_BOX;
    assert_ok(sn_collider_create(world, &box, NULL));
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnAttachmentDef peg = sn_default_attachment_def();
    peg.body = *out_rod;
    peg.index = 4;
    peg.frame = frame;
    assert_ok(sn_attachment_create(world, &peg, NULL));
    return world;
}

static void test_draws_everything(void **state) {
    (void)state;
    SnBodyId rod, wheel;
    SnWorld *world = make_scene(&rod, &wheel);
    sn_world_step(world, 1.0f / 60.0f, 4, 1);
    uint64_t hash = sn_world_hash(world);
    Seen seen = {.finite = true};
    SnDraw draw = sn_default_draw();
    draw.context = &seen;
    assert_error(sn_world_draw(world, &draw), SN_ERROR_INVALID, "line is NULL");
    draw.line = on_line;
    draw.pill = on_pill;
    assert_ok(sn_world_draw(world, &draw));
    assert_true(seen.finite);
    assert_int_equal(seen.pills, 5);                       // four segments and a wheel
    assert_int_equal(count_of(&seen, 0x9a9a9au), 42 + 12); // a net and a box
    assert_int_equal(count_of(&seen, 0xe04040u), 1);       // an x axis
    assert_int_equal(count_of(&seen, 0xff9a30u), 4);       // a cross and a line to the frame
    assert_int_equal(count_of(&seen, 0xf0d040u), 4);
    assert_int_equal(count_of(&seen, 0xb070ffu), 1);
    // Without pills, as lines; and parts can be left out.
    draw.pill = NULL;
    draw.parts = SN_DRAW_BODIES;
    seen = (Seen){.finite = true};
    assert_ok(sn_world_draw(world, &draw));
    assert_int_equal(seen.lines, 5 * (2 * 16 + 4));
    assert_int_equal(seen.colour_count, 1);
    assert_true(sn_world_hash(world) == hash);
    draw.size = NAN;
    assert_error(sn_world_draw(world, &draw), SN_ERROR_INVALID, "size");
    draw.cookie = 0;
    assert_error(sn_world_draw(world, &draw), SN_ERROR_INVALID, "sn_default_draw");
    sn_world_destroy(world);
}

static void copy_positions(const SnPoses *p, float *out) {
    memcpy(out, p->positions, 3 * (size_t)p->point_count * sizeof(float));
}

static void test_poses_between_steps(void **state) {
    (void)state;
    SnBodyId rod, wheel;
    SnWorld *world = make_scene(&rod, &wheel);
    SnInterpolator *interpolator;
    assert_ok(sn_interpolator_create(NULL, &interpolator));
    SnPoses poses;
    assert_error(sn_interpolator_poses(interpolator, 0.5f, &poses), SN_ERROR_INVALID, "push");
    float before[21], after[21];
    for (int i = 0; i < 30; ++i) {
        assert_ok(sn_world_poses(world, &poses));
        copy_positions(&poses, before);
        sn_world_step(world, 1.0f / 60.0f, 4, 1);
        assert_ok(sn_interpolator_push(interpolator, world));
    }
    assert_ok(sn_world_poses(world, &poses));
    copy_positions(&poses, after);
    assert_int_equal(poses.point_count, 7);
    for (int k = 0; k <= 4; ++k) {
        float part = 0.25f * (float)k;
        assert_ok(sn_interpolator_poses(interpolator, part, &poses));
        for (int i = 0; i < 21; ++i)
            assert_near(poses.positions[i],
                        (double)before[i] * (1.0 - (double)part) + (double)after[i] * (double)part,
                        1e-6);
        for (int i = 0; i < poses.point_count; ++i) {
            double n = 0.0;
            for (int c = 0; c < 4; ++c)
                n += (double)poses.rotations[4 * i + c] * (double)poses.rotations[4 * i + c];
            assert_near(n, 1.0, 1e-5);
        }
        assert_int_equal(poses.led_count, 1);
    }
    // Out of range is held, and what comes or goes does not slide.
    assert_ok(sn_interpolator_poses(interpolator, 7.0f, &poses));
    assert_near(poses.positions[4], after[4], 0.0);
    assert_ok(sn_body_destroy(world, rod));
    SnBodyId late = plain_rod(world, 3);
    assert_ok(sn_interpolator_push(interpolator, world));
    assert_ok(sn_interpolator_poses(interpolator, 0.5f, &poses));
    assert_int_equal(poses.body_count, 2);
    assert_int_equal(poses.bodies[1].index, late.index);
    SnPoses now;
    assert_ok(sn_world_poses(world, &now));
    assert_memory_equal(poses.positions + 6, now.positions + 6, 9 * sizeof(float));
    sn_interpolator_destroy(interpolator);
    sn_interpolator_destroy(NULL);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_everything),
        cmocka_unit_test(test_poses_between_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
