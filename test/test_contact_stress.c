// Random and hostile worlds where everything touches: never NaN, never stuck.
#include "contact_kit.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
enum { WORLDS = 6, RODS = 12, STEPS = 6 };
#else
enum { WORLDS = 12, RODS = 12, STEPS = 6 };
#endif

static SnSurface random_surface(Rng *rng) {
    SnSurface s = sn_default_surface();
    s.friction = rng_int(rng, 0, 3) ? rng_float(rng, 0.0, 2.0) : 0.0f;
    s.restitution = rng_int(rng, 0, 3) ? 0.0f : rng_float(rng, 0.0, 1.0);
    s.compliance = rng_int(rng, 0, 3) ? 0.0f : rng_log(rng, 1e-8, 1.0);
    s.thickness = rng_int(rng, 0, 5) ? 0.0f : rng_log(rng, 1e-4, 0.1);
    return s;
}

// Everything is within a metre, so that it overlaps from the start.
static SnBodyId random_rod(Rng *rng, SnWorld *world, const double origin[3]) {
    SnVec3 x[60];
    float radii[60];
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = rng_int(rng, 2, rng_int(rng, 0, 4) ? 20 : 60);
    double step = (double)rng_log(rng, 0.003, 0.3);
    x[0] = rng_vec3(rng, 0.5);
    for (int i = 0; i < def.vertex_count; ++i) {
        SnVec3 d = rng_vec3(rng, step);
        if (i > 0)
            x[i] = sn_vec3(x[i - 1].x + d.x, x[i - 1].y + d.y, x[i - 1].z + (float)step);
        radii[i] = rng_log(rng, 1e-3, 0.2);
    }
    def.positions = x;
    def.radii = rng_int(rng, 0, 1) ? radii : NULL;
    def.radius = rng_log(rng, 1e-3, 0.2);
    def.material.density = rng_log(rng, 1.0, 1e6);
    def.material.young = rng_log(rng, 1e3, 1e10);
    def.material.shear = rng_log(rng, 1e3, 1e9);
    def.material.volume = rng_log(rng, 1e3, 1e10);
    def.classic = rng_int(rng, 0, 1);
    def.solver = (SnRodSolver)(def.vertex_count % 3);
    def.surface = random_surface(rng);
    def.velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e3));
    memcpy(def.origin, origin, sizeof def.origin);
    return add_rod(world, &def);
}

static SnBodyId random_creature(Rng *rng, SnWorld *world, const double origin[3]) {
    SnModel model;
    assert_ok(sn_octopus(rng_log(rng, 0.05, 2.0), NULL, &model));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = model.vertex_count;
    def.edge_count = model.edge_count;
    def.positions = model.positions;
    def.radii = model.radii;
    def.edges = model.edges;
    def.material.density = rng_log(rng, 1.0, 1e6);
    def.surface = random_surface(rng);
    def.angular_velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e3));
    memcpy(def.origin, origin, sizeof def.origin);
    SnBodyId rod = add_rod(world, &def);
    sn_model_destroy(&model);
    return rod;
}

static SnColliderId random_collider(Rng *rng, SnWorld *world, SnFrameId frame,
                                    const double origin[3]) {
    SnColliderDef def = sn_default_collider_def();
    def.kind = (SnColliderKind)rng_int(rng, 0, 4);
    def.pose = (SnPose){rng_vec3(rng, 0.5), rng_quat(rng)};
    def.radius_a = rng_log(rng, 1e-3, 1.0);
    def.radius_b = rng_log(rng, 1e-3, 1.0);
    def.a = rng_vec3(rng, 0.5);
    def.b = rng_vec3(rng, 0.5);
    def.half_size =
        sn_vec3(rng_log(rng, 1e-3, 1.0), rng_log(rng, 1e-3, 1.0), rng_log(rng, 1e-3, 1.0));
    def.surface = random_surface(rng);
    memcpy(def.origin, origin, sizeof def.origin);
    if (rng_int(rng, 0, 1)) {
        def.frame = frame;
        memset(def.origin, 0, sizeof def.origin);
    }
    SnVec3 vertices[12]; // a soup, open and inside out
    uint32_t triangles[24];
    for (int k = 0; k < 12; ++k)
        vertices[k] = rng_vec3(rng, 0.5);
    for (int k = 0; k < 24; ++k)
        triangles[k] = (uint32_t)((5 * k + k / 3) % 12);
    def.vertex_count = 12;
    def.vertices = vertices;
    def.triangle_count = 8;
    def.triangles = triangles;
    return add_collider(world, &def);
}

static void random_link(Rng *rng, SnWorld *world, const SnBodyId *rods, SnFrameId frame) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    SnBodyId a = rods[rng_int(rng, 0, RODS - 1)], b = rods[rng_int(rng, 0, RODS - 1)];
    def.a = (SnBodyPoint){a, rng_int(rng, 0, sn_body_element_count(world, a) - 1),
                          rng_float(rng, 0, 1)};
    if (rng_int(rng, 0, 1))
        def.b = (SnBodyPoint){b, rng_int(rng, 0, sn_body_element_count(world, b) - 1),
                              rng_float(rng, 0, 1)};
    else if (rng_int(rng, 0, 1))
        def.frame = frame;
    def.target = rng_vec3(rng, 1.0);
    def.length = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-3, 1.0);
    def.rope = rng_int(rng, 0, 1);
    def.compliance = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-8, 1.0);
    def.max_force = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-3, 1e6);
    SnResult result = sn_link_create(world, &def, NULL);
    assert_true(result.code == SN_OK || result.code == SN_ERROR_INVALID);
}

static void check_finite(SnWorld *world, uint32_t bits, int seed) {
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    for (int k = 0; k < 3 * poses.point_count; ++k)
        if (!isfinite(poses.positions[k]))
            fail_msg("seed %d: a position is %g", seed, (double)poses.positions[k]);
    for (int k = 0; k < poses.point_count; ++k)
        if (!isfinite(poses.radii[k]) || !(poses.radii[k] > 0.0f))
            fail_msg("seed %d: a radius is %g", seed, (double)poses.radii[k]);
    SnContactEvents events = sn_world_contact_events(world);
    // A body that had to be recovered may have had such contacts before.
    for (int k = 0; k < events.contact_count && !(bits & SN_STEP_RECOVERED); ++k) {
        const SnContact *c = &events.contacts[k];
        if (!isfinite(c->impulse) || !isfinite(c->friction) || !isfinite(c->gap) ||
            !isfinite(c->normal.x + c->normal.y + c->normal.z))
            fail_msg("seed %d: contact %d has impulse %g, friction %g, gap %g", seed, k,
                     (double)c->impulse, (double)c->friction, (double)c->gap);
    }
    SnMeasures m = sn_world_measure(world);
    if (!isfinite(m.energy_kinetic) || !isfinite(m.speed_max) || !isfinite(m.penetration_max))
        fail_msg("seed %d: energy %g, speed %g, penetration %g", seed, m.energy_kinetic,
                 m.speed_max, m.penetration_max);
}

static void random_worlds_stay_finite(void **state) {
    (void)state;
    for (int seed = 0; seed < WORLDS; ++seed) {
        Rng rng = {(uint64_t)seed + 7000};
        SnWorldDef world_def = sn_default_world_def();
        world_def.gravity = rng_vec3(&rng, 30.0);
        world_def.sleep_speed = rng_int(&rng, 0, 1) ? 0.0f : rng_log(&rng, 1e-3, 1.0);
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        const double origin[3] = {seed % 4 ? 0.0 : 9000.0, 0.0, seed % 5 ? 0.0 : -1e4};
        SnFrameId frame;
        SnPose pose = {sn_vec3((float)origin[0], 0, (float)origin[2]), sn_quat_identity()};
        assert_ok(sn_frame_create(world, pose, &frame));
        SnBodyId rods[RODS];
        SnColliderId colliders[4];
        for (int k = 0; k < 4; ++k)
            colliders[k] = random_collider(&rng, world, frame, origin);
        for (int k = 0; k < RODS; ++k)
            rods[k] =
                k % 8 == 7 ? random_creature(&rng, world, origin) : random_rod(&rng, world, origin);
        for (int k = 0; k < 5; ++k)
            random_link(&rng, world, rods, frame);
        for (int n = 0; n < STEPS; ++n) {
            pose.position = sn_vec3((float)origin[0] + rng_float(&rng, -1, 1),
                                    rng_float(&rng, -1, 1), (float)origin[2]);
            pose.rotation = rng_quat(&rng);
            assert_ok(rng_int(&rng, 0, 3) ? sn_frame_set_target(world, frame, pose)
                                          : sn_frame_teleport(world, frame, pose));
            uint32_t bits = sn_world_step(world, 1.0f / rng_float(&rng, 30, 1000),
                                          rng_int(&rng, 1, 6), rng_int(&rng, 1, 3));
            if (bits & (SN_STEP_BAD_TIME | SN_STEP_NO_MEMORY))
                fail_msg("seed %d: step returned %u", seed, bits);
            check_finite(world, bits, seed);
            int k = rng_int(&rng, 0, RODS - 1), c = rng_int(&rng, 0, 3);
            assert_ok(sn_body_destroy(world, rods[k]));
            rods[k] = random_rod(&rng, world, origin);
            if (rng_int(&rng, 0, 1)) {
                assert_ok(sn_collider_destroy(world, colliders[c]));
                colliders[c] = random_collider(&rng, world, frame, origin);
            }
            (void)sn_bodies_ignore(world, rods[k], rods[(k + 1) % RODS], rng_int(&rng, 0, 1));
        }
        sn_world_destroy(world);
    }
}

// Fifty rods in the same place, and masses a million times apart on top of each other.
static void the_worst_overlaps_are_survived(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnVec3 x[6];
    for (int k = 0; k < 50; ++k) {
        SnRodDef def = line_def(x, 6, sn_vec3(0, 0.05f, 0), sn_vec3(1, 0, 0), 0.5f, 0.05f);
        def.material.density = k % 2 ? 1.0f : 1e6f;
        add_rod(world, &def);
    }
    for (int n = 0; n < 10; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 1) & (SN_STEP_BAD_TIME | SN_STEP_NO_MEMORY),
                         0);
    check_finite(world, 0, -1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_worlds_stay_finite),
        cmocka_unit_test(the_worst_overlaps_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
