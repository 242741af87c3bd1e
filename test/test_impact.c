// Bodies that hit each other and fly on: momentum, energy, restitution.
#include "contact_kit.h"

typedef struct Hit {
    const char *name;
    SnVec3 at, d; // of the second rod: centre and direction; the first lies along x at the origin
    SnVec3 velocity; // of the second rod, relative to the first
    SnVec3 spin;     // of both
    float radius;    // of the second rod
    float density;   // of the second rod
    float restitution, friction;
    bool volume;
} Hit;

static const Hit HITS[] = {
    {"head on", {0.9f, 0, 0}, {1, 0, 0}, {-3, 0, 0}, {0, 0, 0}, 0.03f, 1000, 0, 0.5f, false},
    {"crossing", {0, 0.2f, 0}, {0, 0, 1}, {0, -3, 0}, {0, 0, 0}, 0.03f, 1000, 0, 0.5f, false},
    {"oblique",
     {0.1f, 0.2f, 0.1f},
     {0.6f, 0, 0.8f},
     {1, -4, 2},
     {0, 0, 0},
     0.03f,
     1000,
     0,
     0.5f,
     true},
    {"parallel", {0.1f, 0.2f, 0}, {1, 0, 0}, {0.5f, -2, 0}, {0, 0, 0}, 0.03f, 1000, 0, 0.5f, true},
    {"spinning", {0, 0.25f, 0}, {0, 0, 1}, {0, -3, 0}, {5, 20, 10}, 0.03f, 1000, 0, 0.8f, true},
    {"heavy", {0.2f, 0.2f, 0}, {0, 0, 1}, {0, -3, 0}, {0, 0, 0}, 0.06f, 5000, 0, 0.5f, true},
    {"light", {0.2f, 0.2f, 0}, {0, 0, 1}, {0, -10, 0}, {0, 3, 0}, 0.015f, 100, 0, 0.5f, false},
    {"bouncing", {0.1f, 0.2f, 0}, {0, 0, 1}, {0, -3, 0}, {0, 0, 0}, 0.03f, 1000, 1, 0, true},
    {"bouncing, rough",
     {0.1f, 0.2f, 0.1f},
     {0.6f, 0, 0.8f},
     {1, -3, 0},
     {2, 2, 9},
     0.03f,
     1000,
     1,
     1,
     true},
};

static SnBodyId add_body(SnWorld *world, const Hit *hit, bool second) {
    SnVec3 x[9];
    SnVec3 at = second ? hit->at : sn_vec3(0, 0, 0), d = second ? hit->d : sn_vec3(1, 0, 0);
    SnRodDef def = line_def(x, 9, at, d, 0.8f, second ? hit->radius : 0.03f);
    def.material.damping = 0.0f;
    def.material.density = second ? hit->density : 1000.0f;
    def.surface = rough(hit->friction);
    def.surface.restitution = hit->restitution;
    def.classic = !hit->volume;
    def.velocity = second ? hit->velocity : sn_vec3(0, 0, 0);
    def.angular_velocity = hit->spin;
    return add_rod(world, &def);
}

static double energy_of(const SnMeasures *m) { return m->energy_kinetic + m->energy_elastic; }

// Momentum that the two bodies exchange at most, to measure its error by.
static double momentum_size(SnWorld *world, const SnBodyId rods[2]) {
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        SnMeasures m;
        assert_ok(sn_body_measure(world, rods[k], &m));
        sum += sqrt(m.momentum[0] * m.momentum[0] + m.momentum[1] * m.momentum[1] +
                    m.momentum[2] * m.momentum[2]);
    }
    return sum;
}

static void check_hit(const Hit *hit, int substeps) {
    SnWorld *world = weightless_world();
    SnBodyId rods[2] = {add_body(world, hit, false), add_body(world, hit, true)};
    SnMeasures first = sn_world_measure(world);
    double size = momentum_size(world, rods), most = energy_of(&first);
    bool touched = false;
    for (int n = 0; n < 30; ++n) {
        run_steps(world, 1, substeps);
        touched |= sn_world_contact_events(world).contact_count > 0;
        SnMeasures m = sn_world_measure(world);
        for (int c = 0; c < 3; ++c)
            if (!(fabs(m.momentum[c] - first.momentum[c]) <= 1e-5 * size))
                fail_msg("%s, %d sub-steps: momentum %d changes by %g of %g", hit->name, substeps,
                         c, m.momentum[c] - first.momentum[c], size);
        // What the sweeps leave of the volume, which is stiff, is no motion: it counts where the
        // sub-steps are short.
        double energy = substeps < 40 ? m.energy_kinetic : energy_of(&m);
        if (!(energy <= most * (substeps < 40 ? 1.02 : 1.001)))
            fail_msg("%s, %d sub-steps, step %d: energy grows from %g to %g J", hit->name, substeps,
                     n, most, energy);
    }
    if (!touched)
        fail_msg("%s: they miss each other", hit->name);
    sn_world_destroy(world);
}

static void momentum_stays_and_energy_does_not_grow(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof HITS / sizeof HITS[0]; ++k) {
        check_hit(&HITS[k], 10);
        check_hit(&HITS[k], 40);
    }
}

// What comes back of the approach speed of a rod that falls flat.
static double bounced(float restitution, bool on_rod) {
    SnWorld *world = heavy_world();
    SnVec3 x[9];
    SnRodDef def = line_def(x, 9, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 0.8f, 0.04f);
    def.surface.restitution = restitution;
    def.classic = true; // all that gives way is the contact
    if (on_rod) {
        SnBodyId low = add_rod(world, &def);
        for (int i = 0; i < 9; ++i)
            pin(world, low, SN_ATTACH_VERTEX, i);
    } else {
        SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0.04f, 0), 0.5f);
        add_collider(world, &floor);
    }
    line_of_points(x, 9, sn_vec3(-0.4f, 0.09f, 0), sn_vec3(0.1f, 0, 0));
    def.velocity = sn_vec3(0, -2, 0);
    SnBodyId rod = add_rod(world, &def);
    double up = 0.0;
    for (int n = 0; n < 10; ++n) {
        assert_int_equal(step_world(world, 1.0f / 600.0f, 2, 1), SN_STEP_OK);
        up = fmax(up, middle_of(world, rod).v[1]);
    }
    sn_world_destroy(world);
    return up / sqrt(4.0 + 2.0 * GRAVITY * 0.01);
}

static void restitution_is_the_speed_that_comes_back(void **state) {
    (void)state;
    for (int on_rod = 0; on_rod < 2; ++on_rod) {
        assert_near(bounced(0.0f, on_rod), 0.0, 0.06);
        assert_near(bounced(0.5f, on_rod), 0.5, 0.05);
        assert_near(bounced(0.9f, on_rod), 0.9, 0.05);
    }
}

// A deep overlap at the start is taken apart without an explosion.
static void overlaps_come_apart_gently(void **state) {
    (void)state;
    for (int parallel = 0; parallel < 2; ++parallel) {
        SnWorld *world = weightless_world();
        SnVec3 x[9];
        SnRodDef def = line_def(x, 9, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 0.8f, 0.05f);
        add_rod(world, &def);
        SnVec3 d = parallel ? sn_vec3(1, 0, 0) : sn_vec3(0, 0, 1);
        SnVec3 from = sn_vec3(-0.4f * d.x, 0.02f, -0.4f * d.z);
        line_of_points(x, 9, from, sn_vec3(0.1f * d.x, 0, 0.1f * d.z));
        add_rod(world, &def);
        double fastest = 0.0;
        for (int n = 0; n < 120; ++n) {
            run_steps(world, 1, 10);
            fastest = fmax(fastest, sn_world_measure(world).speed_max);
        }
        assert_below(fastest, 0.5);
        assert_below(sn_world_measure(world).penetration_max, 0.02);
        sn_world_destroy(world);
    }
}

// A light rod hovers over the floor, farther than it falls in a step, and a heavy one comes down on it: within that step,
// the light one is on the floor, which must have been told.
static void who_is_knocked_down_is_stopped_by_the_floor(void **state) {
    (void)state;
    for (int k = 0; k < 8; ++k) {
        float height = 0.004f + 0.002f * (float)k, radius = 0.02f;
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        SnVec3 x[2][5];
        SnRodDef light =
            line_def(x[0], 5, sn_vec3(0, radius + height, 0), sn_vec3(1, 0, 0), 0.3f, radius);
        SnRodDef heavy = line_def(x[1], 5, sn_vec3(0, 3.0f * radius + height + 0.001f, 0),
                                  sn_vec3(0, 0, 1), 0.3f, radius);
        light.material.density = 100.0f;
        heavy.velocity = sn_vec3(0, -1.0f, 0);
        add_rod(world, &light);
        add_rod(world, &heavy);
        double deepest = 0.0;
        for (int n = 0; n < 10; ++n) {
            run_steps(world, 1, 10);
            deepest = fmax(deepest, sn_world_measure(world).penetration_max);
        }
        assert_true(deepest < 0.2);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_stays_and_energy_does_not_grow),
        cmocka_unit_test(restitution_is_the_speed_that_comes_back),
        cmocka_unit_test(overlaps_come_apart_gently),
        cmocka_unit_test(who_is_knocked_down_is_stopped_by_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
