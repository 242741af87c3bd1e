// Rigid bodies against theory where they slide, roll, bounce, fall through air and sleep, and what the
// world tells of them: queries, contacts, filters, skins.
#include "rigid_kit.h"

static SnWorld *sloped_world(double angle, float friction) {
    SnWorld *world = heavy_world();
    SnColliderDef plane = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, 0.0f, 0.0f), friction);
    plane.pose.rotation = turn_about(0.0, 0.0, 1.0, -angle);
    add_collider(world, &plane);
    return world;
}

// Three balls in a triangle cannot roll.
static SnBodyId add_sled(SnWorld *world, double angle, float friction) {
    SnRigidPart parts[3] = {sn_rigid_sphere(sn_vec3(0.2f, 0.0f, 0.0f), 0.05f),
                            sn_rigid_sphere(sn_vec3(-0.2f, 0.0f, 0.2f), 0.05f),
                            sn_rigid_sphere(sn_vec3(-0.2f, 0.0f, -0.2f), 0.05f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 3;
    def.parts = parts;
    def.surface = rough(friction);
    def.pose.position = sn_vec3(0.05f * (float)sin(angle), 0.05f * (float)cos(angle), 0.0f);
    def.pose.rotation = turn_about(0.0, 0.0, 1.0, -angle);
    return add_rigid(world, &def);
}

static double speed_along(const SnWorld *world, SnBodyId body, double angle) {
    SnVec3 v = rigid_state(world, body).velocity;
    return (double)v.x * cos(angle) - (double)v.y * sin(angle);
}

static void sleds_stick_and_slide_as_coulomb_says(void **state) {
    (void)state;
    static const float friction[3] = {0.0f, 0.3f, 1.0f};
    for (int k = 0; k < 12; ++k) {
        float mu = friction[k % 3];
        double least = atan((double)mu), angle = k / 3 == 0   ? 0.8 * least
                                                 : k / 3 == 1 ? 0.97 * least
                                                 : k / 3 == 2 ? 1.05 * least + 0.02
                                                              : 0.5 * (least + 1.3);
        SnWorld *world = sloped_world(angle, mu);
        SnBodyId sled = add_sled(world, angle, mu);
        run_steps(world, 30, 10);
        double first = speed_along(world, sled, angle);
        run_steps(world, 60, 10);
        double gained = speed_along(world, sled, angle) - first;
        double theory = fmax(GRAVITY * (sin(angle) - (double)mu * cos(angle)), 0.0);
        if (k / 3 < 2)
            assert_below(fabs(first + gained), 1e-5);
        else
            assert_near(gained, theory, 1e-3 * theory + 1e-4);
        sn_world_destroy(world);
    }
}

// A ball that spins as it lands slips until it rolls: v = ωr·2/7, after ωr·2/(7 μ g).
static void a_spinning_ball_slips_and_then_rolls(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.3f);
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, sn_vec3(0.0f, 0.1f, 0.0f), 0.1f);
    def.surface = rough(0.3f);
    def.angular_velocity = sn_vec3(0.0f, 0.0f, -40.0f);
    SnBodyId ball = add_rigid(world, &def);
    run_steps(world, 12, 10);
    assert_near(rigid_state(world, ball).velocity.x, 0.3 * GRAVITY * 0.2, 0.02);
    run_steps(world, 60, 10);
    assert_near(rigid_state(world, ball).velocity.x, 40.0 * 0.1 * 2.0 / 7.0, 0.01);
    assert_near(rigid_state(world, ball).angular_velocity.z, -40.0 * 2.0 / 7.0, 0.1);
    sn_world_destroy(world);
}

// A pill rolls as a solid of its own moment of inertia: a = g sin α / (1 + I/mr²).
static void a_pill_rolls_down_a_slope(void **state) {
    (void)state;
    double angle = 0.2;
    SnWorld *world = sloped_world(angle, 1.0f);
    SnRigidPart part = sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.3f), sn_vec3(0.0f, 0.0f, 0.3f), 0.1f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.surface = rough(1.0f);
    def.pose.position = sn_vec3(0.1f * (float)sin(angle), 0.1f * (float)cos(angle), 0.0f);
    SnBodyId pill = add_rigid(world, &def);
    float mass, i[6];
    assert_ok(sn_rigid_inertia(world, pill, &mass, i));
    run_steps(world, 120, 10);
    double share = 1.0 + (double)i[2] / ((double)mass * 0.01);
    assert_near(speed_along(world, pill, angle) / (2.0 * GRAVITY * sin(angle) / share), 1.0, 0.01);
    sn_world_destroy(world);
}

static void bounces_have_the_height_of_their_restitution(void **state) {
    (void)state;
    for (int k = 0; k < 9; ++k) {
        float e = 0.5f * (float)(k % 3);
        SnWorld *world = heavy_world();
        SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, 0.0f, 0.0f), 0.0f);
        floor.surface.restitution = e;
        add_collider(world, &floor);
        SnRigidPart part;
        SnRigidDef def = ball_def(&part, sn_vec3(0.0f, 1.1f, 0.0f), 0.1f);
        def.surface.restitution = e;
        SnBodyId ball = add_rigid(world, &def);
        int substeps = k / 3 == 0 ? 2 : (k / 3 == 1 ? 10 : 20);
        bool down = false;
        double most = 0.0;
        for (int n = 0; n < 90; ++n) {
            run_steps(world, 1, substeps);
            SnRigidState s = rigid_state(world, ball);
            down = down || s.velocity.y > -0.1f ? n > 10 : false;
            most = down ? fmax(most, (double)s.centre.y - 0.1) : most;
        }
        // It turns round up to a sub-step before it touches, with the speed it would have there.
        double early = 4.43 * (double)DT / substeps;
        assert_near(most, (double)(e * e), early);
        sn_world_destroy(world);
    }
}

static SnFieldId add_air(SnWorld *world, float speed) {
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_WIND;
    def.strength = speed;
    def.direction = sn_vec3(1.0f, 0.0f, 0.0f);
    def.gust = def.turbulence = 0.0f;
    SnFieldId id;
    assert_ok(sn_field_create(world, &def, &id));
    return id;
}

// ½ρ·0.47·πr²v² = mg.
static void balls_fall_at_their_terminal_velocity(void **state) {
    (void)state;
    static const float radii[4] = {0.1f, 0.1f, 0.02f, 0.005f},
                       densities[4] = {30.0f, 1.0f, 90.0f, 1.0f};
    for (int k = 0; k < 4; ++k) {
        SnWorld *world = heavy_world();
        add_air(world, 0.0f);
        SnRigidPart part;
        SnRigidDef def = ball_def(&part, sn_vec3(0.0f, 0.0f, 0.0f), radii[k]);
        def.density = densities[k];
        SnBodyId ball = add_rigid(world, &def);
        run_steps(world, 900, 10);
        double rho = (double)sn_default_field_def().air_density;
        double v =
            sqrt(4.0 / 3.0 * (double)(radii[k] * densities[k]) * GRAVITY / (0.5 * rho * 0.47));
        assert_near(-(double)rigid_state(world, ball).velocity.y / v, 1.0, 1e-4);
        sn_world_destroy(world);
    }
}

static void bodies_sleep_and_wake(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        SnWorldDef world_def = sn_default_world_def();
        world_def.sleep_speed = 0.05f;
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        add_floor(world, 0.0f, 0.5f);
        SnBodyId ball = add_ball(world, sn_vec3(0.0f, 0.12f, 0.0f), 0.1f);
        run_steps(world, 120, 10);
        assert_true(sn_body_is_asleep(world, ball));
        SnVec3 before = rigid_state(world, ball).centre;
        run_steps(world, 10, 10);
        assert_true(distance(before, rigid_state(world, ball).centre) == 0.0);
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a = (SnBodyPoint){ball, 0, 0.0f};
        link.target = sn_vec3(0.0f, 1.0f, 0.0f);
        link.compliance = 1e-3f;
        if (k == 0)
            assert_ok(sn_body_add_impulse(world, ball, 0, sn_vec3(2.0f, 0.0f, 0.0f)));
        else if (k == 1)
            assert_ok(sn_body_add_force(world, ball, 0, sn_vec3(300.0f, 0.0f, 0.0f)));
        else if (k == 2)
            assert_ok(sn_link_create(world, &link, NULL));
        else
            add_ball(world, sn_vec3(0.05f, 0.5f, 0.0f), 0.1f);
        run_steps(world, 30, 10);
        assert_false(sn_body_is_asleep(world, ball));
        assert_below(0.01, distance(before, rigid_state(world, ball).centre));
        sn_world_destroy(world);
    }
}

static void queries_find_the_parts(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidPart parts[2] = {
        sn_rigid_pill(sn_vec3(-1.0f, 0.0f, 0.0f), sn_vec3(1.0f, 0.0f, 0.0f), 0.1f),
        sn_rigid_sphere(sn_vec3(0.0f, 1.0f, 0.0f), 0.3f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 2;
    def.parts = parts;
    def.pose.position = sn_vec3(5.0f, 0.0f, 0.0f);
    SnBodyId body = add_rigid(world, &def);
    SnHit hit, hits[4];
    SnFilter all = sn_default_filter();
    assert_true(sn_world_ray_cast(world, sn_vec3(5.0f, 5.0f, 0.0f), sn_vec3(0.0f, -1.0f, 0.0f),
                                  10.0f, all, &hit));
    assert_int_equal(hit.body.index, body.index);
    assert_int_equal(hit.element, 1);
    assert_near(hit.distance, 3.7, 1e-4);
    assert_true(sn_world_ray_cast(world, sn_vec3(5.5f, 0.0f, -3.0f), sn_vec3(0.0f, 0.0f, 1.0f),
                                  10.0f, all, &hit));
    assert_int_equal(hit.element, 0);
    assert_near(hit.t, 0.75, 1e-4);
    assert_near(hit.distance, 2.9, 1e-4);
    assert_true(sn_world_nearest(world, sn_vec3(5.0f, 1.5f, 0.0f), 1.0f, all, &hit));
    assert_near(hit.distance, 0.2, 1e-4);
    assert_int_equal(sn_world_overlap(world, sn_vec3(5.0f, 0.5f, 0.0f), 0.45f, all, hits, 4), 2);
    sn_world_destroy(world);
}

// Two balls meet: one touch, the impulse that changes their momentum, and none if they are ignored.
static void contacts_tell_of_both_bodies(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId balls[2];
        for (int i = 0; i < 2; ++i) {
            SnRigidPart part;
            SnRigidDef def = ball_def(&part, sn_vec3(0.21f * (float)i, 0.0f, 0.0f), 0.1f);
            def.velocity = sn_vec3(i == 0 ? 1.0f : -1.0f, 0.0f, 0.0f);
            def.filter.group = k == 1 ? -1 : 0;
            balls[i] = add_rigid(world, &def);
        }
        if (k == 2)
            assert_ok(sn_bodies_ignore(world, balls[0], balls[1], true));
        float mass, impulse = 0.0f;
        assert_ok(sn_rigid_inertia(world, balls[0], &mass, NULL));
        for (int n = 0; n < 5; ++n) {
            run_steps(world, 1, 10);
            SnContactEvents events = sn_world_contact_events(world);
            for (int i = 0; i < events.contact_count; ++i) {
                const SnContact *c = &events.contacts[i];
                assert_true(c->a.index == balls[0].index || c->a.index == balls[1].index);
                assert_true(c->b.index == balls[0].index || c->b.index == balls[1].index);
                assert_int_equal(c->element_a, 0);
                impulse += c->impulse;
            }
        }
        assert_near(impulse, k == 0 ? (double)mass : 0.0, 0.01 * (double)mass);
        assert_near(rigid_state(world, balls[0]).velocity.x, k == 0 ? 0.0 : 1.0, 1e-3);
        sn_world_destroy(world);
    }
}

// A million metres away, it lies and rolls as it does here.
static void far_away_all_is_the_same(void **state) {
    (void)state;
    SnVec3 ends[2];
    for (int far = 0; far < 2; ++far) {
        SnWorld *world = heavy_world();
        SnColliderDef box = collider_def(SN_COLLIDER_BOX, sn_vec3(0.0f, -1.0f, 0.0f), 0.5f);
        box.half_size = sn_vec3(5.0f, 1.0f, 5.0f);
        box.origin[0] = far ? 1e6 : 0.0;
        add_collider(world, &box);
        SnRigidPart part;
        SnRigidDef def = ball_def(&part, sn_vec3(0.0f, 0.3f, 0.0f), 0.1f);
        def.velocity = sn_vec3(1.0f, 0.0f, 0.0f);
        def.origin[0] = box.origin[0];
        SnBodyId ball = add_rigid(world, &def);
        run_steps(world, 120, 10);
        ends[far] = rigid_state(world, ball).centre;
        ends[far].x -= (float)box.origin[0];
        sn_world_destroy(world);
    }
    assert_below(distance(ends[0], ends[1]), 0.07); // what a float can tell there
    assert_near(ends[0].y, ends[1].y, 1e-4);
}

static void skins_follow_rigidly(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidPart part = sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.0f), 0.2f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    SnBodyId body = add_rigid(world, &def);
    SnVec3 x[4] = {
        {-0.6f, 0.1f, 0.0f}, {0.6f, 0.1f, 0.0f}, {0.0f, -0.2f, 0.1f}, {0.1f, 0.2f, -0.1f}};
    uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    SnSkinDef skin = sn_default_skin_def();
    skin.body_count = 1;
    skin.bodies = &body;
    skin.vertex_count = 4;
    skin.triangle_count = 2;
    skin.positions = x;
    skin.triangles = triangles;
    SnSkinId id;
    assert_ok(sn_skin_create(world, &skin, &id));
    SnRigidState s = rigid_state(world, body);
    s.pose = (SnPose){sn_vec3(3.0f, 4.0f, 5.0f), turn_about(0.3, -0.5, 0.8, 2.0)};
    assert_ok(sn_rigid_write(world, body, &s));
    SnSkinPoses poses;
    assert_ok(sn_world_skins(world, &poses));
    const float *now = poses.positions;
    for (int i = 0; i < 4; ++i)
        assert_below(distance(sn_vec3(now[3 * i], now[3 * i + 1], now[3 * i + 2]),
                              sn_pose_apply(s.pose, x[i])),
                     1e-5);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleds_stick_and_slide_as_coulomb_says),
        cmocka_unit_test(a_spinning_ball_slips_and_then_rolls),
        cmocka_unit_test(a_pill_rolls_down_a_slope),
        cmocka_unit_test(bounces_have_the_height_of_their_restitution),
        cmocka_unit_test(balls_fall_at_their_terminal_velocity),
        cmocka_unit_test(bodies_sleep_and_wake),
        cmocka_unit_test(queries_find_the_parts),
        cmocka_unit_test(contacts_tell_of_both_bodies),
        cmocka_unit_test(far_away_all_is_the_same),
        cmocka_unit_test(skins_follow_rigidly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
