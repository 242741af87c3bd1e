// Random stiff rods in random worlds, with random things done to them: nothing but finite numbers,
// no crash, and a world that goes on.
#include "stiff_kit.h"

#define RODS 12
#define MAX_VERTICES 40

// A tree, a forest, or any graph: more edges than a tree needs close rings.
static int random_graph(Rng *rng, int vertices, SnVec3 *x, int *edges) {
    double size = (double)rng_log(rng, 1e-2, 1.0);
    for (int i = 0; i < vertices; ++i)
        x[i] = rng_vec3(rng, size);
    int count = 0, kind = rng_int(rng, 0, 2), extra = kind == 0 ? 0 : rng_int(rng, 0, 10);
    for (int i = 1; i < vertices; ++i) {
        edges[2 * count] = kind == 2 ? i - 1 : rng_int(rng, 0, i - 1);
        edges[2 * count++ + 1] = i;
    }
    for (int k = 0; k < extra; ++k) {
        int a = rng_int(rng, 0, vertices - 1), b = rng_int(rng, 0, vertices - 1);
        if (a == b)
            continue;
        edges[2 * count] = a;
        edges[2 * count++ + 1] = b;
    }
    return count;
}

static bool random_rod(SnWorld *world, Rng *rng, bool touching, SnBodyId *out) {
    SnVec3 x[MAX_VERTICES], start[MAX_VERTICES];
    int edges[2 * (MAX_VERTICES + 10)];
    SnSegmentDef segments[MAX_VERTICES + 10] = {0};
    int vertices = rng_int(rng, 2, MAX_VERTICES);
    int count = random_graph(rng, vertices, x, edges);
    double thick = touching ? 0.01 : 0.1;
    SnRodDef def = stiff_def(x, vertices, rng_log(rng, 1e-4, thick));
    def.edges = edges;
    def.edge_count = count;
    def.segments = segments;
    for (int j = 0; j < count && rng_int(rng, 0, 1); ++j)
        segments[j] = (SnSegmentDef){.young = rng_log(rng, 1.0, 1e12),
                                     .density = rng_log(rng, 1.0, 1e5),
                                     .radius_x = rng_log(rng, 1e-4, 0.1),
                                     .radius_y = rng_log(rng, 1e-4, 0.1)};
    if (rng_int(rng, 0, 3) == 0) { // far from its rest shape
        for (int i = 0; i < vertices; ++i)
            start[i] = rng_vec3(rng, 0.5);
        def.start_positions = start;
    }
    def.material.young = rng_int(rng, 0, 5) ? rng_log(rng, 1.0, 1e13) : 0.0f;
    def.material.shear = rng_int(rng, 0, 5) ? rng_log(rng, 1.0, 1e13) : 0.0f;
    def.material.density = rng_log(rng, 0.2, 1e5);
    def.material.damping = rng_int(rng, 0, 1) ? rng_log(rng, 1e-6, 1e3) : 0.0f;
    def.material.drag = rng_int(rng, 0, 1) ? rng_log(rng, 1e-3, 1e4) : 0.0f;
    def.material.yield = rng_int(rng, 0, 2) ? 0.0f : rng_log(rng, 1.0, 1e9);
    def.material.strength = rng_int(rng, 0, 2) ? 0.0f : rng_log(rng, 1e2, 1e10);
    def.velocity = rng_vec3(rng, (double)rng_log(rng, 1e-3, 1e3));
    def.angular_velocity = rng_vec3(rng, (double)rng_log(rng, 1e-3, 1e4));
    def.origin[0] = rng_int(rng, 0, 4) ? 0.0 : 1e5;
    def.filter.mask = touching ? ~0u : 0;
    def.self_collide = rng_int(rng, 0, 1);
    return sn_rod_create(world, &def, out).code == SN_OK;
}

static void disturb(SnWorld *world, Rng *rng, SnBodyId rod, SnFrameId frame) {
    int vertices = sn_body_point_count(world, rod), segments = sn_body_element_count(world, rod);
    int vertex = rng_int(rng, 0, vertices - 1), segment = rng_int(rng, 0, segments - 1);
    SnVec3 load = rng_vec3(rng, (double)rng_log(rng, 1e-3, 1e8));
    SnAttachmentDef hold = sn_default_attachment_def();
    SnRodMaterial material = sn_default_rod_material();
    hold.body = rod;
    switch (rng_int(rng, 0, 6)) {
    case 0:
        assert_ok(sn_body_add_force(world, rod, vertex, load));
        break;
    case 1:
        assert_ok(sn_body_add_torque(world, rod, segment, load));
        break;
    case 2:
        assert_ok(sn_body_add_impulse(world, rod, vertex, load));
        break;
    case 3:
    case 4:
        hold.kind = rng_int(rng, 0, 1) ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT;
        hold.index = hold.kind == SN_ATTACH_VERTEX ? vertex : segment;
        hold.frame = rng_int(rng, 0, 1) ? frame : (SnFrameId){0, 0};
        (void)sn_attachment_create(world, &hold, NULL);
        break;
    case 5:
        material.young = rng_log(rng, 1.0, 1e13);
        assert_ok(sn_rod_set_material(world, rod, &material));
        break;
    default:
        assert_ok(sn_frame_set_target(world, frame, (SnPose){rng_vec3(rng, 2.0), rng_quat(rng)}));
    }
}

static void assert_finite(SnWorld *world, uint64_t seed, int n) {
    SnPoses p;
    assert_ok(sn_world_poses(world, &p));
    for (int i = 0; i < 3 * p.point_count; ++i)
        if (!(fabsf(p.positions[i]) < 1e7f))
            fail_msg("seed %d, step %d: a vertex is at %g", (int)seed, n, (double)p.positions[i]);
    for (int j = 0; j < p.element_count; ++j) {
        const float *q = p.frames + 4 * j;
        double norm = 0.0;
        for (int c = 0; c < 4; ++c)
            norm += (double)q[c] * (double)q[c];
        if (!(fabs(norm - 1.0) < 1e-5))
            fail_msg("seed %d, step %d: a frame of norm %g", (int)seed, n, sqrt(norm));
    }
    SnMeasures m = sn_world_measure(world);
    if (!isfinite(m.energy_kinetic + m.energy_elastic + m.momentum[0] + m.angular_momentum[1]))
        fail_msg("seed %d, step %d: speed %g, energy %g", (int)seed, n, m.speed_max,
                 m.energy_kinetic);
}

static void survive(uint64_t seed, bool touching) {
    Rng rng = {seed};
    SnWorld *world = heavy_world();
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    if (touching)
        add_floor(world, -0.5f, 0.5f);
    SnBodyId rods[RODS];
    int count = 0;
    for (int k = 0; k < (touching ? 4 : RODS); ++k)
        count += random_rod(world, &rng, touching, &rods[count]);
    for (int n = 0; n < 25 && count > 0; ++n) {
        for (int k = rng_int(&rng, 0, 3); k > 0; --k)
            disturb(world, &rng, rods[rng_int(&rng, 0, count - 1)], frame);
        uint32_t bits = sn_world_step(world, rng_log(&rng, 1e-3, 0.1), rng_int(&rng, 1, 3),
                                      rng_int(&rng, 1, 4));
        assert_int_equal(bits & (SN_STEP_BAD_TIME | SN_STEP_NO_MEMORY), 0);
        assert_finite(world, seed, n);
    }
    sn_world_destroy(world);
}

static void anything_is_survived(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; ++seed)
        survive(seed, false);
}

static void anything_that_touches_is_survived(void **state) {
    (void)state;
    for (uint64_t seed = 1001; seed <= 1008; ++seed)
        survive(seed, true);
}

// Trees of sane wood, shaken at 40 ms, stay together, and come to rest after it.
static void shaken_trees_stay_together(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        Rng rng = {seed};
        static SnVec3 x[200];
        static int edges[400];
        static float radii[200];
        SnWorld *world = heavy_world();
        random_tree(&rng, 200, 30, x, edges);
        for (int i = 0; i < 200; ++i)
            radii[i] = 0.03f / (1.0f + 0.1f * (float)i);
        SnRodDef def = stiff_def(x, 200, 0.01f);
        def.edges = edges;
        def.edge_count = 199;
        def.radii = radii;
        def.material.young = 1e10f;
        def.material.shear = 4e9f;
        def.material.damping = 0.02f;
        SnBodyId rod = add_rod(world, &def);
        clamp(world, rod, 0, 0);
        for (int n = 0; n < 400; ++n) {
            for (int k = 0; k < 20 && n < 50; ++k)
                assert_ok(
                    sn_body_add_force(world, rod, rng_int(&rng, 1, 199), rng_vec3(&rng, 0.1)));
            assert_int_equal(sn_world_step(world, 0.04f, 1, 3), SN_STEP_OK);
            assert_below(measures_of(world, rod).stretch_max, 0.05);
        }
        assert_below(measures_of(world, rod).speed_max, 0.01);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_is_survived),
        cmocka_unit_test(anything_that_touches_is_survived),
        cmocka_unit_test(shaken_trees_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
