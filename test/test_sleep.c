// Sleeping: what rests falls asleep, and wakes when it should.
#include "contact_kit.h"

enum { PILE = 6 };

typedef struct Pile {
    SnWorld *world;
    SnFrameId frame;
    SnColliderId floor;
    SnBodyId rods[PILE];
} Pile;

// Rods laid across each other on a floor that hangs on a frame.
static Pile make_pile(float sleep_speed) {
    Pile pile;
    SnWorldDef world_def = sn_default_world_def();
    world_def.sleep_speed = sleep_speed;
    assert_ok(sn_world_create(&world_def, &pile.world));
    assert_ok(sn_frame_create(pile.world, sn_pose_identity(), &pile.frame));
    SnColliderDef floor = collider_def(SN_COLLIDER_BOX, sn_vec3(0, -0.1f, 0), 0.8f);
    floor.half_size = sn_vec3(2, 0.1f, 2);
    floor.frame = pile.frame;
    pile.floor = add_collider(pile.world, &floor);
    for (int k = 0; k < PILE; ++k) {
        SnVec3 x[9];
        int layer = k / 2;
        float side = (k % 2 ? 1.0f : -1.0f) * (layer == 2 ? 0.05f : 0.2f),
              y = 0.031f + 0.062f * (float)layer;
        SnVec3 d = layer % 2 ? sn_vec3(1, 0, 0) : sn_vec3(0, 0, 1);
        SnVec3 at = layer % 2 ? sn_vec3(0, y, side) : sn_vec3(side, y, 0);
        SnRodDef def = line_def(x, 9, at, d, 0.8f, 0.03f);
        def.surface = rough(0.8f);
        def.material.damping = 0.03f;
        def.material.drag = 1.0f; // nothing else keeps them from rolling to and fro
        pile.rods[k] = add_rod(pile.world, &def);
    }
    return pile;
}

static int sleepers(const Pile *pile) {
    int count = 0;
    for (int k = 0; k < PILE; ++k)
        count += sn_body_is_asleep(pile->world, pile->rods[k]);
    return count;
}

static Pile sleeping_pile(void) {
    Pile pile = make_pile(0.02f);
    for (int n = 0; n < 600 && sleepers(&pile) < PILE; ++n)
        run_steps(pile.world, 1, 20);
    assert_int_equal(sleepers(&pile), PILE);
    return pile;
}

static void a_pile_falls_asleep_and_stays_where_it_is(void **state) {
    (void)state;
    Pile pile = sleeping_pile();
    RodCopy first, now;
    copy_rod(pile.world, pile.rods[PILE - 1], &first);
    run_steps(pile.world, 60, 20);
    assert_int_equal(sleepers(&pile), PILE);
    copy_rod(pile.world, pile.rods[PILE - 1], &now);
    assert_memory_equal(first.x, now.x, sizeof first.x[0] * (size_t)first.vertices);
    assert_near(sn_world_measure(pile.world).speed_max, 0.0, 1e-9);
    assert_true(now.x[4].y > 0.08f && now.x[4].y < 0.16f); // the third layer, sagging
    sn_world_destroy(pile.world);
}

static void nothing_sleeps_unless_asked_to(void **state) {
    (void)state;
    Pile pile = make_pile(0.0f);
    run_steps(pile.world, 300, 20);
    assert_int_equal(sleepers(&pile), 0);
    sn_world_destroy(pile.world);
}

// Each cause wakes the pile, or what of it is touched, by the next steps.
static void what_moves_it_wakes_it(void **state) {
    (void)state;
    enum { FORCE, IMPULSE, WRITE, WAKE, HIT, FLOOR, SUPPORT, FLOOR_GONE, GRAVITY_TURNED, CAUSES };
    static const char *const names[] = {"force",        "impulse",    "write",
                                        "sn_body_wake", "a hit",      "moving floor",
                                        "support gone", "floor gone", "gravity"};
    for (int cause = 0; cause < CAUSES; ++cause) {
        Pile pile = sleeping_pile();
        SnBodyId top = pile.rods[PILE - 1], watched = top;
        SnVec3 v[9], x[9];
        line_of_points(v, 9, sn_vec3(0, 0.5f, 0), sn_vec3(0, 0, 0));
        SnPose pose = {sn_vec3(0.05f, 0, 0), sn_quat_identity()};
        SnRodDef def = line_def(x, 9, sn_vec3(0, 0.6f, 0), sn_vec3(0.6f, 0, 0.8f), 0.8f, 0.03f);
        def.velocity = sn_vec3(0, -2, 0);
        switch (cause) {
        case FORCE:
            assert_ok(sn_body_add_force(pile.world, top, 4, sn_vec3(0, 5, 0)));
            break;
        case IMPULSE:
            assert_ok(sn_body_add_impulse(pile.world, top, 4, sn_vec3(0, 0.5f, 0)));
            break;
        case WRITE:
            assert_ok(sn_body_write(pile.world, top, &(SnBodyState){.velocities = v}));
            break;
        case WAKE:
            assert_ok(sn_body_wake(pile.world, top));
            break;
        case HIT:
            add_rod(pile.world, &def);
            break;
        case FLOOR:
            watched = pile.rods[0];
            assert_ok(sn_frame_set_target(pile.world, pile.frame, pose));
            break;
        case SUPPORT: // the layer below the top
            assert_ok(sn_body_destroy(pile.world, pile.rods[2]));
            assert_ok(sn_body_destroy(pile.world, pile.rods[3]));
            break;
        case FLOOR_GONE:
            assert_ok(sn_collider_destroy(pile.world, pile.floor));
            break;
        default:
            assert_ok(sn_world_set_gravity(pile.world, sn_vec3(0, 9.81f, 0)));
        }
        double before = middle_of(pile.world, watched).x[1];
        bool woke = !sn_body_is_asleep(pile.world, watched);
        for (int n = 0; n < 20; ++n) {
            run_steps(pile.world, 1, 20);
            woke |= !sn_body_is_asleep(pile.world, watched);
        }
        double moved = middle_of(pile.world, watched).x[1] - before;
        if (!woke)
            fail_msg("%s does not wake it", names[cause]);
        if ((cause == SUPPORT && !(moved < -0.02)) || (cause == FLOOR_GONE && !(moved < -0.2)) ||
            (cause == GRAVITY_TURNED && !(moved > 0.2)))
            fail_msg("%s: it moves by %g m only", names[cause], moved);
        sn_world_destroy(pile.world);
    }
}

static void it_sleeps_again(void **state) {
    (void)state;
    Pile pile = sleeping_pile();
    assert_ok(sn_body_add_impulse(pile.world, pile.rods[PILE - 1], 4, sn_vec3(0, 0.5f, 0)));
    run_steps(pile.world, 1, 20);
    assert_true(sleepers(&pile) < PILE);
    for (int n = 0; n < 600 && sleepers(&pile) < PILE; ++n)
        run_steps(pile.world, 1, 20);
    assert_int_equal(sleepers(&pile), PILE);
    sn_world_destroy(pile.world);
}

// Stiff rods are solved side by side, whoever sleeps: the one that swings must not take the others with it.
static void stiff_sleepers_stay_beside_one_that_is_awake(void **state) {
    (void)state;
    SnWorldDef world_def = sn_default_world_def();
    world_def.sleep_speed = 0.05f;
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    add_floor(world, 0.0f, 0.5f);
    SnVec3 x[4];
    SnBodyId rods[3];
    for (int k = 0; k < 3; ++k) {
        line_of_points(x, 4, sn_vec3(0, k < 2 ? 0.021f : 1.0f, 0.3f * (float)k),
                       sn_vec3(0.1f, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 4;
        def.positions = x;
        def.radius = 0.02f;
        def.stiff = true;
        assert_ok(sn_rod_create(world, &def, &rods[k]));
    }
    pin(world, rods[2], SN_ATTACH_VERTEX, 0);
    for (int n = 0; n < 120; ++n)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    assert_true(sn_body_is_asleep(world, rods[0]) && !sn_body_is_asleep(world, rods[2]));
    RodCopy before, after;
    copy_rod(world, rods[0], &before);
    for (int n = 0; n < 120; ++n)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    assert_true(sn_body_is_asleep(world, rods[0]) && !sn_body_is_asleep(world, rods[2]));
    copy_rod(world, rods[0], &after);
    for (int i = 0; i < 4; ++i)
        assert_true(distance(before.x[i], after.x[i]) == 0.0);
    sn_world_destroy(world);
}

// Three balls in a row on a floor, linked to each other with some slack between them, and the first to a frame. Who
// pushes one of them, or leads the frame away, wakes all.
static void who_is_linked_wakes_with_the_others(void **state) {
    (void)state;
    enum { BALLS = 3, CAUSES = 3 };
    for (int cause = 0; cause < CAUSES; ++cause) {
        SnWorldDef world_def = sn_default_world_def();
        world_def.sleep_speed = 0.02f;
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        add_floor(world, 0.0f, 0.5f);
        SnFrameId frame;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
        SnBodyId balls[BALLS];
        for (int k = 0; k < BALLS; ++k) {
            SnRigidPart part = sn_rigid_sphere(sn_vec3(0, 0, 0), 0.1f);
            SnRigidDef def = sn_default_rigid_def();
            def.parts = &part;
            def.part_count = 1;
            def.pose.position = sn_vec3(0.5f * (float)k, 0.1f, 0);
            assert_ok(sn_rigid_create(world, &def, &balls[k]));
            SnLinkDef link = sn_default_link_def();
            link.length = 0.0f;
            link.a = (SnBodyPoint){balls[k], 0, 0.0f};
            link.rope = true;
            link.length = k == 0 ? 0.2f : 0.55f;
            if (k > 0)
                link.b = (SnBodyPoint){balls[k - 1], 0, 0.0f};
            else
                link.frame = frame;
            assert_ok(sn_link_create(world, &link, NULL));
        }
        for (int n = 0; n < 120; ++n)
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        SnPose away = {sn_vec3(-0.5f, 0.1f, 0), sn_quat_identity()};
        for (int k = 0; k < BALLS; ++k)
            assert_true(sn_body_is_asleep(world, balls[k]));
        if (cause == 0)
            assert_ok(sn_body_add_impulse(world, balls[2], 0, sn_vec3(8, 0, 0)));
        else if (cause == 1)
            assert_ok(sn_frame_set_target(world, frame, away));
        else
            assert_ok(sn_frame_teleport(world, frame, away));
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        for (int k = 0; k < BALLS; ++k)
            if (sn_body_is_asleep(world, balls[k]))
                fail_msg("cause %d: ball %d sleeps", cause, k);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_falls_asleep_and_stays_where_it_is),
        cmocka_unit_test(nothing_sleeps_unless_asked_to),
        cmocka_unit_test(what_moves_it_wakes_it),
        cmocka_unit_test(it_sleeps_again),
        cmocka_unit_test(stiff_sleepers_stay_beside_one_that_is_awake),
        cmocka_unit_test(who_is_linked_wakes_with_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
