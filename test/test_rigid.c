// Rigid bodies: mass properties against closed forms, free motion against conservation laws, pinned and
// hinged ones against pendulums, contacts against rolling, bouncing and resting.
#include "rigid_kit.h"

#include <stdlib.h>

static void mass_and_inertia_are_those_of_closed_forms(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    float mass, i[6];
    double r = 0.3, rho = 1000.0, m = rho * 4.0 / 3.0 * SUPPORT_PI * r * r * r;
    SnBodyId ball = add_ball(world, sn_vec3(1.0f, 2.0f, 3.0f), (float)r);
    assert_ok(sn_rigid_inertia(world, ball, &mass, i));
    assert_near(mass / m, 1.0, 1e-6);
    for (int k = 0; k < 6; ++k)
        assert_near(i[k] / (0.4 * m * r * r), k < 3 ? 1.0 : 0.0, 1e-6);

    // A pill along x: a cylinder and two hemispheres.
    double l = 0.8, mc = rho * SUPPORT_PI * r * r * l, axial, across;
    SnRigidPart pill =
        sn_rigid_pill(sn_vec3(0.1f, 0.5f, 0.0f), sn_vec3(0.9f, 0.5f, 0.0f), (float)r);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &pill;
    axial = 0.5 * mc * r * r + 0.4 * m * r * r;
    across =
        mc * (l * l / 12.0 + r * r / 4.0) + m * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r);
    assert_ok(sn_rigid_inertia(world, add_rigid(world, &def), &mass, i));
    assert_near(mass / (m + mc), 1.0, 1e-6);
    assert_near(i[0] / axial, 1.0, 1e-5);
    assert_near(i[1] / across, 1.0, 1e-5);
    assert_near(i[2] / across, 1.0, 1e-5);
    assert_near(i[3] / across, 0.0, 1e-5);
    sn_world_destroy(world);
}

// Whether a point is in the hull of two spheres: nearest of many spheres between them.
static bool in_pill(const SnRigidPart *p, const double x[3]) {
    for (int k = 0; k <= 400; ++k) {
        double t = k / 400.0, r = (1.0 - t) * (double)p->radius_a + t * (double)p->radius_b;
        double dx = x[0] - ((1.0 - t) * (double)p->a.x + t * (double)p->b.x);
        double dy = x[1] - ((1.0 - t) * (double)p->a.y + t * (double)p->b.y);
        double dz = x[2] - ((1.0 - t) * (double)p->a.z + t * (double)p->b.z);
        if (dx * dx + dy * dy + dz * dz <= r * r)
            return true;
    }
    return false;
}

static void a_tapered_pill_weighs_what_its_volume_says(void **state) {
    (void)state;
    SnRigidPart part = {
        .a = {0.0f, -0.2f, 0.1f}, .b = {0.3f, 0.4f, 0.0f}, .radius_a = 0.3f, .radius_b = 0.1f};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    SnWorld *world = weightless_world();
    SnBodyId body = add_rigid(world, &def);
    float mass, i[6];
    assert_ok(sn_rigid_inertia(world, body, &mass, i));
    SnVec3 centre = rigid_state(world, body).centre;
    enum { N = 90 };
    double sum = 0.0, first[3] = {0}, xx = 0.0, cell = 1.4 / N, xy = 0.0;
    for (int a = 0; a < N * N * N; ++a) {
        double x[3] = {-0.5 + cell * (a % N + 0.5), -0.7 + cell * (a / N % N + 0.5),
                       -0.7 + cell * (a / N / N + 0.5)};
        if (!in_pill(&part, x))
            continue;
        double y = x[1] - (double)centre.y, z = x[2] - (double)centre.z;
        sum += 1.0;
        for (int c = 0; c < 3; ++c)
            first[c] += x[c];
        xx += y * y + z * z;
        xy -= (x[0] - (double)centre.x) * y;
    }
    double unit = 1000.0 * cell * cell * cell;
    assert_near(mass / (sum * unit), 1.0, 3e-3);
    assert_near(centre.x, first[0] / sum, 1e-3);
    assert_near(centre.y, first[1] / sum, 1e-3);
    assert_near(i[0] / (xx * unit), 1.0, 5e-3);
    assert_near(i[3] / (xy * unit), 1.0, 1e-2);
    sn_world_destroy(world);
}

// A racket: three different moments of inertia.
static SnBodyId add_racket(SnWorld *world, SnVec3 spin) {
    SnRigidPart parts[2] = {
        sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.0f, -0.2f, 0.0f), sn_vec3(0.0f, 0.2f, 0.0f), 0.05f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 2;
    def.parts = parts;
    def.angular_velocity = spin;
    return add_rigid(world, &def);
}

static void a_free_body_keeps_its_momentum_and_energy(void **state) {
    (void)state;
    for (int speed = 1; speed <= 30; speed *= 5) {
        SnWorld *world = weightless_world();
        float w = (float)speed;
        SnBodyId racket = add_racket(world, sn_vec3(0.3f * w, w, -0.5f * w));
        SnMeasures before, now;
        assert_ok(sn_body_measure(world, racket, &before));
        double size = 0.0, off = 0.0;
        for (int n = 0; n < 1200; ++n) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            assert_ok(sn_body_measure(world, racket, &now));
            for (int c = 0; c < 3; ++c) {
                double d = now.angular_momentum[c] - before.angular_momentum[c];
                off = fmax(off, d * d);
                size += n == 0 ? before.angular_momentum[c] * before.angular_momentum[c] : 0.0;
            }
            assert_near(now.energy_kinetic / before.energy_kinetic, 1.0, 2e-3);
        }
        assert_below(sqrt(off / size), 1e-4);
        sn_world_destroy(world);
    }
}

// About its middle axis, a body flips over; about the other two it does not.
static void the_racket_flips(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        SnWorld *world = weightless_world();
        float spin[3] = {0.02f, 0.02f, 0.02f};
        spin[axis] = 5.0f; // x has the least inertia, then y, then z
        SnBodyId racket = add_racket(world, sn_vec3(spin[0], spin[1], spin[2]));
        double least = 1.0, most = -1.0;
        for (int n = 0; n < 1800; ++n) {
            sn_world_step(world, DT, 10, 1);
            SnQuat q = rigid_state(world, racket).pose.rotation;
            SnVec3 e = sn_vec3(axis == 0, axis == 1, axis == 2), now = sn_quat_rotate(q, e);
            double along = (double)sn_vec3_dot(now, e);
            least = fmin(least, along);
            most = fmax(most, along);
        }
        if (axis == 1) {
            assert_below(least, -0.98);
            assert_below(0.98, most);
        } else {
            assert_below(0.99, least);
        }
        sn_world_destroy(world);
    }
}

static void free_fall_is_a_parabola(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, sn_vec3(0.0f, 100.0f, 0.0f), 0.1f);
    def.velocity = sn_vec3(3.0f, 5.0f, 0.0f);
    SnBodyId ball = add_rigid(world, &def);
    run_steps(world, 120, 10);
    SnRigidState s = rigid_state(world, ball);
    assert_near(s.centre.x, 6.0, 1e-4);
    assert_near(s.centre.y, 100.0 + 10.0 - 0.5 * GRAVITY * 4.0, 0.02); // O(h)
    assert_near(s.velocity.y, 5.0 - 2.0 * GRAVITY, 1e-4);
    sn_world_destroy(world);
}

// The time of `swings` full swings of x, from one zero crossing to another.
static double period_of(SnWorld *world, SnBodyId body, int swings) {
    double first = -1.0, last = 0.0;
    int crossings = 0;
    float before = rigid_state(world, body).centre.x;
    for (int n = 0; n < 60000 && crossings <= 2 * swings; ++n) {
        sn_world_step(world, DT, 10, 1);
        float now = rigid_state(world, body).centre.x;
        if ((before < 0.0f) != (now < 0.0f)) {
            double part = (double)(before / (before - now));
            last = sn_world_time(world) - (double)DT * (1.0 - part);
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    return (last - first) / swings;
}

static void pin_point(SnWorld *world, SnBodyId body, int point) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = body;
    def.index = point;
    assert_ok(sn_attachment_create(world, &def, NULL));
}

// A bar that swings about one of its ends, as a ball joint and as a hinge.
static void pinned_bars_swing_like_pendulums(void **state) {
    (void)state;
    for (int hinge = 0; hinge < 2; ++hinge) {
        SnWorld *world = heavy_world();
        SnRigidPart parts[2] = {
            sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.1f, -1.0f, 0.0f), 0.05f),
            sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.3f), 0.01f)};
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1 + hinge;
        def.parts = parts;
        SnBodyId bar = add_rigid(world, &def);
        pin_point(world, bar, 0);
        if (hinge)
            pin_point(world, bar, 2);
        float mass, i[6];
        assert_ok(sn_rigid_inertia(world, bar, &mass, i));
        SnVec3 c = rigid_state(world, bar).centre;
        double arm = sqrt((double)c.x * c.x + (double)c.y * c.y), amplitude = atan2(c.x, -c.y);
        double about = (double)i[2] + (double)mass * arm * arm;
        double period = 2.0 * SUPPORT_PI * sqrt(about / ((double)mass * GRAVITY * arm)) *
                        (1.0 + amplitude * amplitude / 16.0);
        assert_near(period_of(world, bar, 10) / period, 1.0, 1e-3);
        SnVec3 x[3];
        assert_ok(sn_body_read(world, bar, &(SnBodyState){.positions = x}));
        assert_below(sn_vec3_length(x[0]), 1e-6);
        // Ten more seconds take nothing of the swing.
        SnMeasures m;
        double most = 0.0;
        for (int n = 0; n < 600; ++n) {
            sn_world_step(world, DT, 10, 1);
            most = fmax(most, fabs((double)rigid_state(world, bar).centre.x));
        }
        assert_near(most / (double)c.x, 1.0, 0.01);
        assert_ok(sn_body_measure(world, bar, &m));
        sn_world_destroy(world);
    }
}

static void a_cannonball_on_a_rope_swings_with_the_right_period(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, sn_vec3(0.2f, -2.0f, 0.0f), 0.1f);
    def.density = 7800.0f;
    SnBodyId ball = add_rigid(world, &def);
    SnLinkDef rope = sn_default_link_def();
    rope.length = 0.0f;
    rope.a = (SnBodyPoint){ball, 0, 0.0f};
    rope.length = sqrtf(4.04f);
    rope.rope = true;
    assert_ok(sn_link_create(world, &rope, NULL));
    double length = sqrt(4.04), amplitude = asin(0.2 / length);
    double period = 2.0 * SUPPORT_PI * sqrt(length / GRAVITY) * (1.0 + amplitude * amplitude / 16);
    assert_near(period_of(world, ball, 10) / period, 1.0, 2e-3);
    sn_world_destroy(world);
}

static void balls_rest_where_they_fall(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnBodyId ball = add_ball(world, sn_vec3(0.0f, 0.5f, 0.0f), 0.1f);
    SnRigidPart parts[2] = {
        sn_rigid_pill(sn_vec3(-0.2f, 0.0f, 0.0f), sn_vec3(0.2f, 0.0f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.2f), sn_vec3(0.0f, 0.0f, 0.2f), 0.05f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 2;
    def.parts = parts;
    def.pose.position = sn_vec3(2.0f, 0.5f, 0.0f);
    def.pose.rotation = turn_about(1.0, 0.3, 0.2, 0.7);
    SnBodyId cross = add_rigid(world, &def);
    run_steps(world, 300, 10);
    assert_near(rigid_state(world, ball).centre.y, 0.1, 1e-3);
    assert_near(rigid_state(world, cross).centre.y, 0.05, 1e-3);
    SnMeasures m = sn_world_measure(world);
    assert_below(m.speed_max, 2e-3);
    assert_below(m.penetration_max, 0.02);
    sn_world_destroy(world);
}

// Without slip, a ball rolls down at 5/7 of g sin α.
static void a_ball_rolls_down_a_slope(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    double angle = 0.2;
    SnColliderDef plane = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, 0.0f, 0.0f), 1.0f);
    plane.pose.rotation = turn_about(0.0, 0.0, 1.0, -angle);
    add_collider(world, &plane);
    SnRigidPart part;
    SnRigidDef def =
        ball_def(&part, sn_vec3(0.1f * (float)sin(angle), 0.1f * (float)cos(angle), 0), 0.1f);
    def.surface = rough(1.0f);
    SnBodyId ball = add_rigid(world, &def);
    run_steps(world, 120, 10);
    SnRigidState s = rigid_state(world, ball);
    double along = (double)s.velocity.x * cos(angle) - (double)s.velocity.y * sin(angle);
    assert_near(along / (5.0 / 7.0 * GRAVITY * sin(angle) * 2.0), 1.0, 0.01);
    assert_near(-(double)s.angular_velocity.z * 0.1 / along, 1.0, 0.01);
    sn_world_destroy(world);
}

static void billiard_balls_exchange_their_momentum(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnSurface bouncy = rough(0.0f);
    bouncy.restitution = 1.0f;
    SnBodyId balls[2];
    for (int k = 0; k < 2; ++k) {
        SnRigidPart part;
        SnRigidDef def = ball_def(&part, sn_vec3((float)k, 0.0f, 0.0f), 0.1f);
        def.surface = bouncy;
        def.velocity = sn_vec3(k == 0 ? 2.0f : 0.0f, 0.0f, 0.0f);
        balls[k] = add_rigid(world, &def);
    }
    run_steps(world, 60, 10);
    assert_near(rigid_state(world, balls[0]).velocity.x, 0.0, 1e-3);
    assert_near(rigid_state(world, balls[1]).velocity.x, 2.0, 1e-3);
    sn_world_destroy(world);
}

// Random bodies that hit each other keep the momentum and the angular momentum of all.
static void blows_keep_all_momenta(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Rng rng = {seed};
        SnWorld *world = weightless_world();
        for (int k = 0; k < 6; ++k) {
            SnRigidPart parts[3];
            SnRigidDef def = sn_default_rigid_def();
            def.part_count = rng_int(&rng, 1, 3);
            def.parts = parts;
            for (int i = 0; i < def.part_count; ++i) {
                SnVec3 a = rng_vec3(&rng, 0.15), b = rng_vec3(&rng, 0.15);
                parts[i] = sn_rigid_pill(a, b, rng_float(&rng, 0.03, 0.1));
            }
            def.pose.position = sn_vec3(0.8f * (float)(k % 3), 0.8f * (float)(k / 3), 0.0f);
            def.pose.rotation = rng_quat(&rng);
            def.velocity =
                sn_vec3_scale(sn_vec3_sub(sn_vec3(0.8f, 0.4f, 0.0f), def.pose.position), 3.0f);
            def.angular_velocity = rng_vec3(&rng, 4.0);
            add_rigid(world, &def);
        }
        SnMeasures before = sn_world_measure(world);
        run_steps(world, 120, 10);
        SnMeasures after = sn_world_measure(world);
        double speed = sqrt(2.0 * before.energy_kinetic / before.mass);
        for (int c = 0; c < 3; ++c) {
            assert_near((after.momentum[c] - before.momentum[c]) / (before.mass * speed), 0.0,
                        1e-4);
            assert_near((after.angular_momentum[c] - before.angular_momentum[c]) /
                            (before.mass * speed),
                        0.0, 3e-2);
        }
        assert_below(after.energy_kinetic, 1.001 * before.energy_kinetic);
        sn_world_destroy(world);
    }
}

// Balls that are created within each other are told of, and part without being thrown.
static void overlaps_are_told_and_parted(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId a = add_ball(world, sn_vec3(0.0f, 0.0f, 0.0f), 0.1f);
    SnBodyId b = add_ball(world, sn_vec3(0.15f, 0.0f, 0.0f), 0.1f);
    (void)sn_world_step(world, 1.0f / 60.0f, 10, 1);
    SnContactEvents events = sn_world_contact_events(world);
    assert_int_equal(events.contact_count, 1);
    assert_int_equal(events.begin_count, 1);
    assert_in_range((int)(100.0 * sn_world_measure(world).penetration_max), 30, 50);
    for (int k = 0; k < 60; ++k)
        (void)sn_world_step(world, 1.0f / 60.0f, 10, 1);
    SnRigidState first, second;
    assert_ok(sn_rigid_read(world, a, &first));
    assert_ok(sn_rigid_read(world, b, &second));
    assert_near(second.pose.position.x - first.pose.position.x, 0.2, 1e-3);
    assert_below(sn_world_measure(world).speed_max, 1e-6);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_inertia_are_those_of_closed_forms),
        cmocka_unit_test(a_tapered_pill_weighs_what_its_volume_says),
        cmocka_unit_test(a_free_body_keeps_its_momentum_and_energy),
        cmocka_unit_test(the_racket_flips),
        cmocka_unit_test(free_fall_is_a_parabola),
        cmocka_unit_test(pinned_bars_swing_like_pendulums),
        cmocka_unit_test(a_cannonball_on_a_rope_swings_with_the_right_period),
        cmocka_unit_test(balls_rest_where_they_fall),
        cmocka_unit_test(a_ball_rolls_down_a_slope),
        cmocka_unit_test(billiard_balls_exchange_their_momentum),
        cmocka_unit_test(blows_keep_all_momenta),
        cmocka_unit_test(overlaps_are_told_and_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
