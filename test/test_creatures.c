// Rods that branch, in the world: how they move, keep their volume and survive; the same bits in any
// company; what cannot be one.
#include "creature_kit.h"

// A stiff rope that parts into five hangs in one sub-step per step, and hardly stretches: the direct
// pass carries the load of all of it to the top at once, as it does in a chain.
static void stiff_branches_hardly_stretch(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic) {
        Creature c = {0};
        int fork = add_vertex(&c, 0.0, 0.0, 0.0, 0.02);
        for (int k = 1; k <= 10; ++k) {
            int v = add_vertex(&c, 0.0, -0.05 * k, 0.0, 0.02);
            add_edge(&c, k % 2 ? fork : v, k % 2 ? v : fork); // in either direction
            fork = v;
        }
        for (int b = 0; b < 5; ++b)
            for (int k = 1, last = fork; k <= 10; ++k) {
                int v = add_vertex(&c, 0.0, -0.5 - 0.05 * k, 0.0, 0.015);
                add_edge(&c, last, v);
                last = v;
            }
        SnRodDef def = def_of(&c);
        def.classic = classic;
        def.material.young = 1e9f;
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        double most = 0.0;
        for (int n = 0; n < 120; ++n) {
            assert_int_equal(step_world(world, DT, 1, 5), SN_STEP_OK);
            most = fmax(most, sn_world_measure(world).stretch_max);
        }
        assert_below(most, 1e-4);
        sn_world_destroy(world);
    }
}

// Arms that shorten grow thick: stretch and volume do not fight each other, however stiff it is.
static void activated_arms_keep_their_volume(void **state) {
    (void)state;
    double scale[2];
    for (int stiff = 0; stiff < 2; ++stiff) {
        Creature c = star(5, 6);
        SnRodDef def = def_of(&c);
        def.material.young = stiff ? 1e8f : 1e6f;
        def.material.shear = 0.35f * def.material.young;
        def.material.volume = 50.0f * def.material.young;
        def.material.drag = 2.0f;
        SnWorld *world = weightless_world();
        SnBodyId rod = create(world, &def);
        for (int n = 0; n < 120; ++n) {
            float length = n < 60 ? 1.0f - 0.005f * (float)n : 0.7f;
            assert_ok(sn_rod_set_length_scale(world, rod, 0, c.edge_count, length));
            assert_int_equal(step_world(world, DT, 10, 1), SN_STEP_OK);
        }
        static RodCopy copy;
        copy_rod(world, rod, &copy);
        scale[stiff] = (double)copy.s[3];
        assert_below(sn_world_measure(world).volume_error_mean, 0.01);
        sn_world_destroy(world);
    }
    // Where 2G (s − 1) + 2k_v (s²λ − 1) s λ = 0 and E (λ/0.7 − 1)/0.7 + k_v (s²λ − 1) s² = 0.
    assert_near(scale[0], 1.159, 0.005);
    assert_near(scale[1], 1.159, 0.005);
}

// Nothing outside acts on a creature that tumbles and swings in free fall, and its energy only falls.
static void momentum_is_conserved(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        Creature c = n < 2 ? star(7, 3) : octopus();
        SnRodDef def = def_of(&c);
        def.classic = n % 2;
        def.velocity = sn_vec3(1.0f, 2.0f, -0.5f);
        def.angular_velocity = sn_vec3(0.5f, 1.0f, 2.0f);
        SnWorld *world = weightless_world();
        SnBodyId rod = create(world, &def);
        static RodCopy copy;
        Rng rng = {(uint64_t)n};
        copy_rod(world, rod, &copy);
        disturb(&copy, &rng, 0.1, def.classic);
        SnBodyState written = copy_arrays(&copy);
        written.velocities = written.angular_velocities = NULL;
        assert_ok(sn_body_write(world, rod, &written));
        SnMeasures first = sn_world_measure(world);
        for (int k = 0; k < 30; ++k)
            assert_int_equal(step_world(world, DT, 8, 2), SN_STEP_OK);
        SnMeasures last = sn_world_measure(world);
        double p = 0.0, l = 0.0;
        for (int k = 0; k < 3; ++k) {
            p += first.momentum[k] * first.momentum[k];
            l += first.angular_momentum[k] * first.angular_momentum[k];
        }
        for (int k = 0; k < 3; ++k) {
            assert_near(last.momentum[k], first.momentum[k], 2e-5 * sqrt(p));
            assert_near(last.angular_momentum[k], first.angular_momentum[k], 0.02 * sqrt(l));
        }
        sn_world_destroy(world);
    }
}

static void the_octopus_hangs_by_its_head(void **state) {
    (void)state;
    Creature c = octopus();
    SnRodDef def = def_of(&c);
    def.material.damping = 0.02f;
    def.material.drag = 2.0f;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnBodyId rod = create(world, &def);
    attach(world, rod, SN_ATTACH_VERTEX, 2, frame);
    attach(world, rod, SN_ATTACH_VERTEX, 3, frame);
    attach(world, rod, SN_ATTACH_SEGMENT, 5, frame);
    double error = 0.0;
    for (int n = 0; n < 420; ++n) {
        assert_int_equal(step_world(world, DT, 10, 1), SN_STEP_OK);
        error = fmax(error, sn_world_measure(world).volume_error_max);
    }
    SnMeasures m = sn_world_measure(world);
    assert_below(error, 0.02);
    assert_below(m.volume_error_max, 0.01);
    assert_below(m.stretch_max, 0.02);
    assert_below(m.speed_max, 0.005);
    static RodCopy copy;
    copy_rod(world, rod, &copy);
    for (int arm = 0; arm < 8; ++arm) // all arms hang
        assert_below(copy.x[9 + 4 * arm].y, c.x[9 + 4 * arm].y - 0.05f);
    sn_world_destroy(world);
}

// Thrown, spun, torn apart and let go, it stays finite, keeps its volume again and comes to rest.
static void a_creature_survives_being_thrown(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        Creature c = n < 2 ? octopus() : star(9, 4);
        SnRodDef def = def_of(&c);
        def.material = flesh();
        def.material.damping = 0.05f;
        def.material.drag = 1.0f;
        def.velocity = sn_vec3(30.0f, 20.0f, 0.0f);
        def.angular_velocity = sn_vec3(0.0f, 5.0f, n % 2 ? 100.0f : 30.0f);
        SnWorld *world = weightless_world();
        SnBodyId rod = create(world, &def);
        static RodCopy copy;
        Rng rng = {(uint64_t)n};
        for (int k = 0; k < 400; ++k) {
            if (k == 30) {
                copy_rod(world, rod, &copy);
                disturb(&copy, &rng, n < 2 ? 5.0 : 2.0, false);
                for (int i = 0; i < copy.vertices; ++i)
                    copy.s[i] = fmaxf(0.3f, copy.s[i]);
                SnBodyState written = copy_arrays(&copy);
                assert_ok(sn_body_write(world, rod, &written));
            }
            uint32_t bits = step_world(world, DT, 10, 1);
            assert_int_equal(bits & ~(uint32_t)SN_STEP_CLAMPED, SN_STEP_OK);
        }
        SnMeasures m = sn_world_measure(world);
        assert_below(m.volume_error_max, 0.01);
        assert_below(m.stretch_max, 0.02);
        sn_world_destroy(world);
    }
}

// One of 100 in packs moves like one alone, whatever its lane and instruction set.
static void neighbours_do_not_matter(void **state) {
    (void)state;
    static RodCopy alone, crowded;
    Creature c = octopus();
    SnRodDef def = def_of(&c);
    def.material = flesh();
    for (int k = 0; k < 100; k += 33) {
        for (int others = 0; others < 2; ++others) {
            SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
            SnBodyId rod = {0};
            for (int n = others ? 0 : k; n < (others ? 100 : k + 1); ++n) {
                def.angular_velocity = sn_vec3(0.1f * (float)n, 1.0f, 2.0f);
                SnBodyId id = create(world, &def);
                if (n == k)
                    rod = id;
            }
            pin(world, rod, SN_ATTACH_VERTEX, 1);
            for (int n = 0; n < 5; ++n)
                (void)sn_world_step(world, DT, 10, 1);
            copy_rod(world, rod, others ? &crowded : &alone);
            sn_world_destroy(world);
        }
        assert_memory_equal(&alone, &crowded, sizeof alone);
    }
}

// Creatures of three topologies, classic and not, with all that can act on them.
static SnWorld *mixed_creatures(const SnWorldDef *world_def) {
    SnWorld *world;
    assert_ok(sn_world_create(world_def, &world));
    for (int n = 0; n < 40; ++n) {
        Creature c = n % 3 == 0 ? octopus() : star(n % 3 == 1 ? 4 : 9, 3);
        SnRodDef def = def_of(&c);
        def.classic = n % 4 == 1;
        def.material.young = n % 5 == 0 ? 1e5f : 1e6f;
        def.material.damping = n % 7 < 3 ? 0.01f : 0.0f;
        def.material.volume_bend = n % 6 == 0 ? 1e4f : SN_DERIVED;
        def.angular_velocity = sn_vec3(0.1f * (float)n, 0.0f, 1.0f);
        def.origin[1] = n == 7 ? 3000.0 : 0.0;
        SnBodyId rod = create(world, &def);
        if (n % 2)
            pin(world, rod, (SnAttachmentKind)(n % 4 == 1 ? SN_ATTACH_VERTEX : n / 2 % 3), n % 5);
    }
    SnFieldDef field = sn_default_field_def();
    field.kind = SN_FIELD_WIND;
    field.strength = 10.0f;
    field.direction = sn_vec3(1.0f, 0.2f, 0.0f);
    SnFieldId id;
    assert_ok(sn_field_create(world, &field, &id));
    return world;
}

static void step_mixed(SnWorld *world, int count) {
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    static SnBodyId rods[64];
    memcpy(rods, poses.bodies, (size_t)poses.body_count * sizeof rods[0]);
    for (int n = 0; n < count; ++n) {
        for (int k = 0; k < poses.body_count; k += 3) {
            assert_ok(sn_body_add_force(world, rods[k], 2, sn_vec3(1.0f, 2.0f, 0.0f)));
            assert_ok(sn_body_add_torque(world, rods[k], 3, sn_vec3(0.1f, 0.0f, 0.0f)));
            assert_ok(sn_rod_add_radial_force(world, rods[k], 1, 1e-3f));
            assert_ok(sn_rod_set_length_scale(world, rods[k], 1, 2, 1.0f - 0.01f * (float)n));
        }
        assert_int_equal(step_world(world, DT, 3, 2), SN_STEP_OK);
    }
}

static void instruction_sets_threads_and_snapshots_agree(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 4 && sn_isa_available((SnIsa)isa); threads *= 2) {
            SnWorldDef def = sn_default_world_def();
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            SnWorld *world = mixed_creatures(&def);
            static unsigned char saved[1 << 20];
            size_t size = sn_world_snapshot_size(world);
            assert_true(size <= sizeof saved);
            assert_ok(sn_world_save(world, saved, size));
            step_mixed(world, 10);
            uint64_t hash = sn_world_hash(world);
            assert_ok(sn_world_restore(world, saved, size));
            assert_true(sn_world_hash(world) != hash);
            step_mixed(world, 10);
            assert_true(sn_world_hash(world) == hash);
            assert_true(expected == 0 || hash == expected);
            expected = hash;
            sn_world_destroy(world);
        }
}

// Their packs come and go with them; what is left goes on as before.
static void creatures_come_and_go(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rods[60] = {{0}};
    Rng rng = {3};
    for (int n = 0; n < 600; ++n) {
        int k = rng_int(&rng, 0, 59);
        if (sn_body_is_valid(world, rods[k])) {
            assert_ok(sn_body_destroy(world, rods[k]));
            continue;
        }
        Creature c = star(3 + k % 3, 2);
        SnRodDef def = def_of(&c);
        if (k % 4 == 0)
            def.edges = NULL, def.edge_count = 0;
        def.classic = k % 2;
        rods[k] = create(world, &def);
        if (n % 20 == 0)
            assert_int_equal(step_world(world, DT, 2, 1), SN_STEP_OK);
    }
    for (int k = 0; k < 60; ++k)
        if (sn_body_is_valid(world, rods[k]))
            assert_ok(sn_body_destroy(world, rods[k]));
    assert_int_equal(sn_world_body_count(world), 0);
    assert_int_equal(step_world(world, DT, 2, 1), SN_STEP_OK);
    sn_world_destroy(world);
}

static void refused(SnWorld *world, const SnRodDef *def, const char *part) {
    SnBodyId rod;
    assert_error(sn_rod_create(world, def, &rod), SN_ERROR_INVALID, part);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Creature good = star(4, 2), c = good;
    SnRodDef def = def_of(&c);
    c.edges[6] = 9;
    refused(world, &def, "edges[3]: vertex 9 is not in [0, 9)");
    c.edges[6] = -1;
    refused(world, &def, "edges[3]: vertex -1 is not in");
    c = good;
    c.edges[2] = c.edges[3];
    refused(world, &def, "edges[1]: goes from vertex 2 to itself");
    c = good;
    c.edges[14] = c.edges[1];
    c.edges[15] = c.edges[0];
    refused(world, &def, "edges[7]: joins the same vertices as edges[0]");
    c = good;
    add_edge(&c, 1, 3);
    def = def_of(&c);
    c.edges[14] = 2;
    c.edges[15] = 4;
    refused(world, &def, "is not connected to vertex 0");
    c = good;
    def = def_of(&c);
    def.edge_count = 7;
    refused(world, &def, "edge_count: 7 cannot connect 9 vertices");
    def.edge_count = 0;
    refused(world, &def, "edge_count: 0");
    def.edge_count = -5;
    refused(world, &def, "edge_count: -5");
    def = def_of(&c);
    def.closed = true;
    refused(world, &def, "closed");
    def = def_of(&c);
    def.edges = NULL;
    refused(world, &def, "edges: is NULL");
    def = def_of(&c);
    def.edge_count = SN_MAX_CREATURE_EDGES + 1;
    SnBodyId rod;
    assert_error(sn_rod_create(world, &def, &rod), SN_ERROR_LIMIT, "edge_count");
    c.x[2] = c.x[1];
    def = def_of(&c);
    refused(world, &def, "segment 1 is 0 m long");
    def.surface.friction = -1.0f;
    c = good;
    refused(world, &def, "surface.friction");
    c = star(SN_MAX_BRANCHES, 1);
    def = def_of(&c);
    assert_ok(sn_rod_create(world, &def, &rod));
    c = star(SN_MAX_BRANCHES + 1, 1);
    def = def_of(&c);
    assert_error(sn_rod_create(world, &def, &rod), SN_ERROR_LIMIT, "vertex 0 has more than 32");
    sn_world_destroy(world);
}

// The largest that is allowed: a grid with 4096 edges, which is full of cycles.
static void the_largest_creature_works(void **state) {
    (void)state;
    enum { SIDE = 45 };
    static SnVec3 x[SIDE * SIDE];
    static int edges[2 * SN_MAX_CREATURE_EDGES];
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        x[i] = sn_vec3(0.1f * (float)(i % SIDE), 0.0f, 0.1f * (float)(i / SIDE));
        for (int k = 0; k < 2; ++k) {
            bool inside = k == 0 ? i % SIDE + 1 < SIDE : i / SIDE + 1 < SIDE;
            if (inside && count < SN_MAX_CREATURE_EDGES) {
                edges[2 * count] = i;
                edges[2 * count++ + 1] = k == 0 ? i + 1 : i + SIDE;
            }
        }
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = SIDE * SIDE;
    def.positions = x;
    def.edges = edges;
    def.edge_count = count;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod = create(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    for (int n = 0; n < 5; ++n)
        assert_int_equal(step_world(world, DT, 2, 1), SN_STEP_OK);
    assert_below(sn_world_measure(world).stretch_max, 0.1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_branches_hardly_stretch),
        cmocka_unit_test(activated_arms_keep_their_volume),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(the_octopus_hangs_by_its_head),
        cmocka_unit_test(a_creature_survives_being_thrown),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(instruction_sets_threads_and_snapshots_agree),
        cmocka_unit_test(creatures_come_and_go),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(the_largest_creature_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
