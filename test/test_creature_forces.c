// Rods that branch: their joints, potentials at branch points, and the direct pass, against an
// independent model.
#include "creature_reference.h"

#include "rod/graph.h"
#include "rod/rods.h"

static void the_octopus_has_72_joints(void **state) {
    (void)state;
    Creature c = octopus();
    SnRodDef def = def_of(&c);
    SnAllocator allocator = sn__default_allocator();
    RodGraph *graph = sn__graph_create(&allocator, &def);
    assert_non_null(graph);
    assert_int_equal(graph->vertices, 38);
    assert_int_equal(graph->segments, 38);
    assert_int_equal(graph->joints, 72);
    for (int k = 0; k < 72; ++k) {
        const GraphJoint *j = &graph->joint[k];
        assert_true(j->p < j->a);
        for (int l = 0; l < k; ++l)
            assert_false(graph->joint[l].p == j->p && graph->joint[l].a == j->a);
    }
    int closing = 0;
    for (int k = 0; k < graph->segments; ++k)
        closing += graph->walk[k].closes;
    assert_int_equal(closing, 1); // the triangle of the head
    sn__graph_destroy(&allocator, graph);
}

// One potential at a time, strongly deformed, in a step so short that the state moves little: what is
// left of the gradient is the error of the engine's gradient.
static void every_potential_has_the_gradient_of_its_energy(void **state) {
    (void)state;
    const struct {
        const char *name;
        size_t offset;
        float value;
    } terms[] = {{"stretch", offsetof(SnRodMaterial, stretch), 1e5f},
                 {"cross-section", offsetof(SnRodMaterial, cross_section), 1e3f},
                 {"scale gradient", offsetof(SnRodMaterial, scale_gradient), 1e5f},
                 {"bend", offsetof(SnRodMaterial, bend), 3e5f},
                 {"twist", offsetof(SnRodMaterial, twist), 3e4f},
                 {"scale bend", offsetof(SnRodMaterial, scale_bend), 20.0f},
                 {"volume bend", offsetof(SnRodMaterial, volume_bend), 5e4f},
                 {"volume", offsetof(SnRodMaterial, volume), 2e3f}};
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; ++t)
        for (int branches = 3; branches <= 9; branches += branches == 3 ? 2 : 4) {
            Creature c = star(branches, 2);
            SnRodDef def = def_of(&c);
            SnRodMaterial *m = &def.material;
            m->young = m->shear = m->volume = 0.0f;
            memcpy((char *)m + terms[t].offset, &terms[t].value, sizeof(float));
            RefNorms left = creature_left(&c, &def, 0.7, 1e-3, 20);
            assert_creature_left(terms[t].name, branches, left, 0.03);
        }
}

// Near rest the potentials are quadratic, and what many sweeps converge to is the minimum.
static void many_sweeps_minimise_the_objective(void **state) {
    (void)state;
    for (int branches = 3; branches <= 9; branches += branches == 3 ? 2 : 4)
        for (int classic = 0; classic < 2; ++classic) {
            Creature c = star(branches, 3);
            SnRodDef def = def_of(&c);
            def.classic = classic;
            def.material.young = 2e5f;
            def.material.shear = 7e4f;
            def.material.volume = 4e5f;
            def.material.volume_bend = 1e4f;
            RefNorms left = creature_left(&c, &def, 0.02, 4e-3, 1000);
            assert_creature_left(classic ? "classic" : "volume", branches, left, 0.02);
        }
}

// At any angle between segments, also 180° and 0°, and whatever way they point, rest is rest.
static void creatures_stay_at_rest(void **state) {
    (void)state;
    for (int n = 0; n < 6; ++n) {
        Creature c = n < 4 ? star(n < 2 ? 3 : 9, 3) : octopus();
        SnRodDef def = def_of(&c);
        def.classic = n % 2 == 1;
        def.material.volume_bend = 1e5f;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        static RodCopy first, now;
        copy_rod(world, rod, &first);
        for (int k = 0; k < 60; ++k)
            assert_int_equal(step_world(world, DT, 2, 2), SN_STEP_OK);
        copy_rod(world, rod, &now);
        assert_below(farthest(&first, &now), 5e-5);
        SnMeasures m = sn_world_measure(world);
        double sum = m.energy_elastic;
        assert_below(sum, 1e-5);
        assert_below(m.speed_max, 1e-4);
        sn_world_destroy(world);
    }
}

static double elastic_energy(SnWorld *world, SnBodyId rod) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, rod, &m));
    return m.energy_elastic;
}

// A chain is a graph like any other: same energies, same masses, and about the same motion.
static void a_chain_of_edges_is_a_chain(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic) {
        Creature c = {0};
        for (int i = 0; i < 12; ++i) {
            add_vertex(&c, 0.05 * i, 0.0, 0.0, 0.02);
            if (i > 0)
                add_edge(&c, i - 1, i);
        }
        SnRodDef def = def_of(&c);
        def.classic = classic;
        def.material.damping = 0.002f;
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnBodyId graph = create(world, &def);
        def.edges = NULL;
        def.edge_count = 0;
        SnBodyId chain = create(world, &def);
        static RodCopy a, b;
        Rng rng = {5};
        copy_rod(world, chain, &a);
        RodCopy rest = a;
        disturb(&a, &rng, 0.3, classic);
        SnBodyState written = copy_arrays(&a);
        assert_ok(sn_body_write(world, graph, &written));
        assert_ok(sn_body_write(world, chain, &written));
        double energy = elastic_energy(world, chain);
        assert_near(elastic_energy(world, graph), energy, 1e-5 * energy);

        written = copy_arrays(&rest);
        assert_ok(sn_body_write(world, graph, &written));
        assert_ok(sn_body_write(world, chain, &written));
        pin(world, graph, SN_ATTACH_VERTEX, 0);
        pin(world, chain, SN_ATTACH_VERTEX, 0);
        for (int n = 0; n < 30; ++n)
            assert_int_equal(step_world(world, DT, 10, 4), SN_STEP_OK);
        copy_rod(world, graph, &a);
        copy_rod(world, chain, &b);
        assert_true(distance(b.x[11], rest.x[11]) > 0.2);
        assert_below(farthest(&a, &b), 0.02);
        sn_world_destroy(world);
    }
}

// What the direct pass has left in one lane: how far its multipliers are from k W, and its moves
// from −A⁻¹ ∇Wᵀ μ, relative to the largest. The gradients are those before the pass.
static void check_direct_pass(const RodPack *pack, const RodWork *before, const RodState *start,
                              int lane) {
    const RodGraph *graph = pack->graph;
    static double move[COPY_MAX][4];
    memset(move, 0, sizeof move);
    double error = 0.0, largest = 0.0, off = 0.0, farthest_move = 0.0;
    for (int j = 0; j < graph->segments; ++j) {
        const RodWork *u = pack->work + j;
        const RodPrepared *p = pack->prepared + j;
        int a = graph->edge[j][0], b = graph->edge[j][1];
        const RodState *q = pack->state + j;
        Vec3d w = axis_z((Quatd){(double)q->qx[lane], (double)q->qy[lane], (double)q->qz[lane],
                                 (double)q->qw[lane]});
        double t[2], s[2], sum[2], difference = 0.0;
        for (int now = 0; now < 2; ++now) {
            const RodWork *v = now ? pack->work : before;
            const RodState *x = now ? pack->state : start;
            Vec3d d = {(double)u->ex[lane] + (double)v[b].ux[lane] - (double)v[a].ux[lane],
                       (double)u->ey[lane] + (double)v[b].uy[lane] - (double)v[a].uy[lane],
                       (double)u->ez[lane] + (double)v[b].uz[lane] - (double)v[a].uz[lane]};
            t[now] = dotd(w, d);
            sum[now] = (double)x[a].s[lane] + (double)x[b].s[lane];
            s[now] = 0.5 * sum[now];
            difference = (double)x[b].s[lane] - (double)x[a].s[lane];
        }
        double volume = s[0] * s[0] * t[1] + s[0] * t[0] * (sum[1] - sum[0]); // linearised
        double asked[4] = {(double)p->k_stretch[lane] * (t[1] - (double)p->active[lane]),
                           (double)p->k_volume[lane] * (volume - (double)p->length[lane]),
                           (double)p->k_cross[lane] * (sum[1] - 2.0),
                           (double)p->k_gradient[lane] * difference};
        Vec3d along = {(double)u->stretch_x[lane], (double)u->stretch_y[lane],
                       (double)u->stretch_z[lane]};
        double mu[4] = {dotd(w, along), (double)u->volume[lane], (double)u->cross[lane],
                        (double)u->gradient[lane]};
        for (int k = 0; k < 4; ++k) {
            error = fmax(error, fabs(mu[k] - asked[k]));
            largest = fmax(largest, fabs(mu[k]));
        }
        double push = mu[0] + s[0] * s[0] * mu[1], squeeze = s[0] * t[0] * mu[1] + mu[2];
        for (int end = 0; end < 2; ++end) {
            double *to = move[end ? b : a], sign = end ? -1.0 : 1.0;
            to[0] += sign * w.x * push;
            to[1] += sign * w.y * push;
            to[2] += sign * w.z * push;
            to[3] += -squeeze + sign * mu[3];
        }
    }
    for (int i = 0; i < graph->vertices; ++i) {
        const RodWork *u = pack->work + i, *v = before + i;
        double m = (double)pack->prepared[i].m[lane], ms = (double)pack->prepared[i].m_scale[lane];
        double moved[4] = {(double)u->ux[lane] - (double)v->ux[lane],
                           (double)u->uy[lane] - (double)v->uy[lane],
                           (double)u->uz[lane] - (double)v->uz[lane],
                           (double)pack->state[i].s[lane] - (double)start[i].s[lane]};
        for (int k = 0; k < 4; ++k) {
            off = fmax(off, fabs(moved[k] - (k < 3 ? m : ms) * move[i][k]));
            farthest_move = fmax(farthest_move, fabs(moved[k]));
        }
    }
    assert_true(largest > 0.0 && farthest_move > 1e-5);
    assert_below(error, 2e-3 * largest);
    assert_below(off, 2e-3 * farthest_move);
}

// On a tree, the direct pass solves its equations exactly, for trees of all shapes.
static void the_direct_pass_is_exact(void **state) {
    (void)state;
    for (int branches = 2; branches <= 9; ++branches) {
        Creature c = star(branches, 4);
        for (int i = 1; i < 5; ++i) { // twigs on the arms
            int tip = add_vertex(&c, (double)c.x[i].x, 0.3, (double)c.x[i].z, 0.02);
            add_edge(&c, tip, i);
        }
        SnRodDef def = def_of(&c);
        def.material.young = 1e5f;
        def.material.volume = 3e5f;
        BodyRegister bodies = {.allocator = sn__default_allocator()};
        RodSystem rods;
        assert_true(sn__rods_init(&rods, &bodies.allocator, &bodies, 1));
        SnBodyId id;
        assert_ok(sn__rods_create(&rods, &def, &id));
        RodPack *pack = rods.packs[0];
        Rng rng = {(uint64_t)branches};
        for (int i = 0; i < c.vertices; ++i) {
            pack->state[i].x[0] += rng_float(&rng, -2e-3, 2e-3);
            pack->state[i].y[0] += rng_float(&rng, -2e-3, 2e-3);
            pack->state[i].s[0] += rng_float(&rng, -0.02, 0.02);
        }
        const RodKernels *kernels = sn__rod_kernels(SN_ISA_SCALAR);
        RodMotion motion = {.h = 0.002f};
        RodLent lent;
        assert_true(sn__lent_create(&rods.allocator, &lent));
        pack->work = lent.work;
        pack->branch = lent.branch;
        sn__pack_prepare(pack, motion.h);
        sn__rods_share(&rods);
        kernels->predict(pack, &motion);
        static RodWork before[COPY_MAX];
        static RodState start[COPY_MAX];
        memcpy(before, pack->work, (size_t)c.vertices * sizeof before[0]);
        memcpy(start, pack->state, (size_t)c.vertices * sizeof start[0]);
        kernels->axial(pack, true);
        check_direct_pass(pack, before, start, 0);
        sn__lent_destroy(&rods.allocator, &lent);
        sn__rods_release(&rods);
        sn__bodies_destroy(&bodies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_octopus_has_72_joints),
        cmocka_unit_test(every_potential_has_the_gradient_of_its_energy),
        cmocka_unit_test(many_sweeps_minimise_the_objective),
        cmocka_unit_test(creatures_stay_at_rest),
        cmocka_unit_test(a_chain_of_edges_is_a_chain),
        cmocka_unit_test(the_direct_pass_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
