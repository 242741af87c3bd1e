// Rods that branch: definitions, potentials at branch points, motion, and the published octopus.
#include "reference.h"

#include "rod/graph.h"
#include "rod/rods.h"

#define DT (1.0f / 60.0f)

typedef struct Creature {
    int vertices, edge_count;
    SnVec3 x[COPY_MAX];
    float radius[COPY_MAX];
    int edges[2 * COPY_MAX];
} Creature;

static int add_vertex(Creature *c, double x, double y, double z, double radius) {
    c->x[c->vertices] = sn_vec3((float)x, (float)y, (float)z);
    c->radius[c->vertices] = (float)radius;
    return c->vertices++;
}

static void add_edge(Creature *c, int a, int b) {
    c->edges[2 * c->edge_count] = a;
    c->edges[2 * c->edge_count + 1] = b;
    c->edge_count += 1;
}

static SnRodDef def_of(const Creature *c) {
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = c->vertices;
    def.positions = c->x;
    def.radii = c->radius;
    def.edges = c->edges;
    def.edge_count = c->edge_count;
    def.filter.mask = 0; // this is about what holds them together
    return def;
}

// The published proportions, y up: a head of four vertices and two eyes, eight arms of four segments.
static Creature octopus(void) {
    Creature c = {0};
    const double ring[4] = {0.520, 0.888, 1.273, 1.885}, height[4] = {0.067, 0.017, -0.254, -0.636};
    const double radius[4] = {0.148, 0.148, 0.115, 0.077};
    int root = add_vertex(&c, 0.0, 0.179, 0.0, 0.358);
    int bottom = add_vertex(&c, 0.0, 0.844, 0.0, 0.513);
    int front = add_vertex(&c, 0.0, 1.148, 0.019, 0.592);
    int back = add_vertex(&c, 0.0, 1.202, -0.187, 0.592);
    int left = add_vertex(&c, -0.235, 0.881, 0.388, 0.249);
    int right = add_vertex(&c, 0.235, 0.881, 0.388, 0.249);
    add_edge(&c, root, bottom);
    add_edge(&c, bottom, left);
    add_edge(&c, bottom, right);
    add_edge(&c, bottom, front);
    add_edge(&c, bottom, back);
    add_edge(&c, front, back);
    for (int arm = 0; arm < 8; ++arm) {
        double angle = 2.0 * SUPPORT_PI * arm / 8.0;
        for (int k = 0, before = root; k < 4; ++k) {
            int v =
                add_vertex(&c, ring[k] * cos(angle), height[k], ring[k] * sin(angle), radius[k]);
            add_edge(&c, before, v);
            before = v;
        }
    }
    return c;
}

static SnRodMaterial flesh(void) {
    SnRodMaterial m = sn_default_rod_material();
    m.density = 1000.0f;
    m.young = 2e5f;
    m.shear = 7e4f;
    m.volume = 1e7f;
    return m;
}

// A hub with `branches` arms of `length` segments in all directions of a sphere; the first two are
// opposite, the third lies close to the first.
static Creature star(int branches, int length) {
    Creature c = {0};
    Rng rng = {(uint64_t)branches};
    int hub = add_vertex(&c, 0.1, 0.2, 0.3, 0.03);
    for (int b = 0; b < branches; ++b) {
        Vec3d d = vec3d(rng_vec3(&rng, 1.0));
        if (b < 3)
            d = (Vec3d){b == 1 ? -1.0 : 1.0, 0.0, b == 2 ? 0.3 : 0.0};
        d = scaled(d, 0.1 / lengthd(d));
        for (int k = 0, before = hub; k < length; ++k) {
            double f = k + 1.0;
            int v = add_vertex(&c, 0.1 + f * d.x, 0.2 + f * d.y, 0.3 + f * d.z, 0.03 - 0.002 * k);
            if (b % 2) // edges in either direction
                add_edge(&c, v, before);
            else
                add_edge(&c, before, v);
            before = v;
        }
    }
    return c;
}

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

// An independent model: reference.h's, with the potentials of section 5 taken over all edges and over
// all pairs of edges that meet, each of n (n − 1)/2 pairs weighted with 1/(n − 1).
static void make_reference(RefRod *r, const Creature *c, const SnRodDef *def, const RodCopy *rest,
                           double h) {
    memset(r, 0, sizeof *r);
    r->vertices = c->vertices;
    r->segments = c->edge_count;
    r->classic = def->classic;
    r->material = def->material;
    r->h = h;
    r->rest = ref_state(rest);
    for (int i = 0; i < c->vertices; ++i)
        r->radius[i] = (double)c->radius[i];
    for (int j = 0; j < c->edge_count; ++j) {
        const int *e = c->edges + 2 * j;
        double l = lengthd(subd(vec3d(c->x[e[1]]), vec3d(c->x[e[0]])));
        double radius = 0.5 * (r->radius[e[0]] + r->radius[e[1]]);
        double mass = (double)def->material.density * SUPPORT_PI * radius * radius * l;
        r->length[j] = r->active[j] = l;
        for (int k = 0; k < 2; ++k) {
            r->mass[e[k]] += 0.5 * mass;
            r->scale_inertia[e[k]] += 0.25 * mass * radius * radius;
        }
        r->across[j] = 0.25 * mass * (radius * radius + l * l);
        r->about[j] = 0.5 * mass * radius * radius;
    }
}

static double edge_energy(const RefRod *r, const Creature *c, const RefState *state, int j) {
    const SnRodMaterial *m = &r->material;
    int a = c->edges[2 * j], b = c->edges[2 * j + 1];
    double radius = 0.5 * (r->radius[a] + r->radius[b]), l = r->length[j];
    double s = 0.5 * (state->s[a] + state->s[b]), ds = (state->s[b] - state->s[a]) / l;
    Vec3d d = subd(state->x[b], state->x[a]), w = axis_z(state->q[j]);
    Vec3d strain = subd(scaled(d, 1.0 / r->active[j]), w);
    double sum = ref_or(m->stretch, m->young) * dotd(strain, strain);
    if (!r->classic) {
        Vec3d volume = subd(scaled(d, s * s / l), w);
        sum += (double)m->volume * dotd(volume, volume);
        sum += 2.0 * ref_or(m->cross_section, m->shear) * ref_square(s - 1.0);
        sum += 0.5 * radius * radius * ref_or(m->scale_gradient, m->shear) * ds * ds;
    }
    return 0.5 * SUPPORT_PI * radius * radius * l * sum;
}

static int branches_at(const Creature *c, int vertex) {
    int n = 0;
    for (int e = 0; e < 2 * c->edge_count; ++e)
        n += c->edges[e] == vertex;
    return n;
}

// Edges p and a that meet at a vertex, where their ends ep and ea (0 or 1) are.
static double pair_energy(const RefRod *r, const Creature *c, const RefState *state, int p, int ep,
                          int a, int ea) {
    const SnRodMaterial *m = &r->material;
    int v = c->edges[2 * p + ep];
    double lp = r->length[p], la = r->length[a], L = 0.5 * (lp + la), s = state->s[v];
    double second = 0.25 * SUPPORT_PI * pow(r->radius[v], 4.0) / (branches_at(c, v) - 1);
    Quatd rest = mulqd(conjugated(r->rest.q[p]), r->rest.q[a]);
    Vec3d o = ref_darboux(mulqd(state->q[p], rest), state->q[a], L);
    double sum = ref_or(m->bend, m->young) * s * s * (o.x * o.x + o.y * o.y) +
                 2.0 * ref_or(m->twist, m->shear) * s * s * o.z * o.z;
    if (!r->classic) {
        double far_p = state->s[c->edges[2 * p + 1 - ep]],
               far_a = state->s[c->edges[2 * a + 1 - ea]];
        double lap = ((far_a - s) / la - (s - far_p) / lp) / L;
        double surface = m->scale_bend >= 0.0f ? (double)m->scale_bend
                                               : (double)m->shear * ref_square(r->radius[v] / 4.0);
        sum += ref_or(m->volume_bend, 0.0f) * pow(s, 6.0) * (o.x * o.x + o.y * o.y);
        sum += 2.0 * surface * lap * lap;
    }
    return 0.5 * second * L * sum;
}

static double creature_energy(const RefRod *r, const Creature *c, const RefState *state) {
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; ++j)
        sum += edge_energy(r, c, state, j);
    for (int p = 0; p < c->edge_count; ++p)
        for (int a = p + 1; a < c->edge_count; ++a)
            for (int k = 0; k < 4; ++k)
                if (c->edges[2 * p + k / 2] == c->edges[2 * a + k % 2])
                    sum += pair_energy(r, c, state, p, k / 2, a, k % 2);
    return sum;
}

static void creature_gradient(const RefRod *r, const Creature *c, const RefState *s, double *out) {
    const double step = 1e-6;
    RefState moved = *s;
    for (int k = 0; k < ref_unknowns(r); ++k) {
        out[k] = 0.0;
        if (r->classic && ref_is_scale(r, k))
            continue;
        for (int side = -1; side <= 1; side += 2) {
            ref_move(r, &moved, k, side * step);
            double value = creature_energy(r, c, &moved) + ref_inertia(r, &moved);
            out[k] += side * value / (2.0 * step);
            moved = *s;
        }
    }
}

static void disturb(RodCopy *copy, Rng *rng, double size, bool classic) {
    for (int i = 0; i < copy->vertices; ++i) {
        SnVec3 by = rng_vec3(rng, 0.02 * size);
        copy->x[i] = sn_vec3(copy->x[i].x + by.x, copy->x[i].y + by.y, copy->x[i].z + by.z);
        copy->s[i] = classic ? 1.0f : 1.0f + rng_float(rng, -0.2 * size, 0.2 * size);
    }
    for (int j = 0; j < copy->segments; ++j) {
        SnVec3 t = rng_vec3(rng, 0.3 * size);
        Quatd turn = {(double)t.x, (double)t.y, (double)t.z, 1.0};
        copy->q[j] = quatf(normalisedq(mulqd(turn, quatd(copy->q[j]))));
    }
}

// What a step leaves of the gradient, for each kind of unknown, after a disturbance of this size.
// Measured energies must be those of the reference.
static RefNorms left_of_gradient(const Creature *c, const SnRodDef *def, double size, double h,
                                 int iterations) {
    static RefRod ref;
    static double g[REF_DOF];
    static RodCopy copy;
    Rng rng = {(uint64_t)c->vertices};
    SnWorld *world = weightless_world();
    SnRodId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    copy_rod(world, rod, &copy);
    make_reference(&ref, c, def, &copy, h);
    disturb(&copy, &rng, size, def->classic);
    SnRodState written = copy_arrays(&copy);
    assert_ok(sn_rod_write(world, rod, &written));
    copy_rod(world, rod, &copy);
    ref.predicted = ref_state(&copy);
    SnMeasures m;
    assert_ok(sn_rod_measure(world, rod, &m));
    double sum = m.energy_stretch + m.energy_scale + m.energy_bend + m.energy_volume;
    double expected = creature_energy(&ref, c, &ref.predicted), mass = 0.0;
    assert_true(expected > 0.0);
    assert_near(sum, expected, 1e-3 * expected);
    for (int i = 0; i < c->vertices; ++i)
        mass += ref.mass[i];
    assert_near(m.mass, mass, 1e-5 * mass);

    creature_gradient(&ref, c, &ref.predicted, g);
    RefNorms before = ref_norms(&ref, g);
    assert_int_equal(sn_world_step(world, (float)h, 1, iterations), SN_STEP_OK);
    copy_rod(world, rod, &copy);
    RefState after = ref_state(&copy);
    creature_gradient(&ref, c, &after, g);
    RefNorms left = ref_norms(&ref, g);
    sn_world_destroy(world);
    double none = 1e-4 * (before.x + before.s + before.turn);
    return (RefNorms){before.x < none ? 0.0 : left.x / before.x,
                      before.s < none ? 0.0 : left.s / before.s,
                      before.turn < none ? 0.0 : left.turn / before.turn};
}

static void assert_little_left(const char *name, int branches, RefNorms left, double tolerance) {
    if (!(left.x < tolerance && left.s < tolerance && left.turn < tolerance))
        fail_msg("%s, %d branches: gradient left: positions %.4f, scales %.4f, turns %.4f", name,
                 branches, left.x, left.s, left.turn);
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
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; ++t) {
        for (int branches = 3; branches <= 9; branches += branches == 3 ? 2 : 4) {
            Creature c = star(branches, 2);
            SnRodDef def = def_of(&c);
            SnRodMaterial *m = &def.material;
            m->young = m->shear = m->volume = 0.0f;
            memcpy((char *)m + terms[t].offset, &terms[t].value, sizeof(float));
            RefNorms left = left_of_gradient(&c, &def, 0.7, 1e-3, 20);
            assert_little_left(terms[t].name, branches, left, 0.03);
        }
    }
}

// Near rest the potentials are quadratic, and what many sweeps converge to is the minimum.
static void many_sweeps_minimise_the_objective(void **state) {
    (void)state;
    for (int branches = 3; branches <= 9; branches += branches == 3 ? 2 : 4) {
        for (int classic = 0; classic < 2; ++classic) {
            Creature c = star(branches, 3);
            SnRodDef def = def_of(&c);
            def.classic = classic;
            def.material.young = 2e5f;
            def.material.shear = 7e4f;
            def.material.volume = 4e5f;
            def.material.volume_bend = 1e4f;
            RefNorms left = left_of_gradient(&c, &def, 0.02, 4e-3, 1000);
            assert_little_left(classic ? "classic" : "volume", branches, left, 0.02);
        }
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
        SnRodId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        static RodCopy first, now;
        copy_rod(world, rod, &first);
        for (int k = 0; k < 60; ++k)
            assert_int_equal(sn_world_step(world, DT, 2, 2), SN_STEP_OK);
        copy_rod(world, rod, &now);
        assert_below(farthest(&first, &now), 5e-5);
        SnMeasures m = sn_world_measure(world);
        double sum = m.energy_stretch + m.energy_scale + m.energy_bend + m.energy_volume;
        assert_below(sum, 1e-5);
        assert_below(m.speed_max, 1e-4);
        sn_world_destroy(world);
    }
}

static SnRodId create(SnWorld *world, const SnRodDef *def) {
    SnRodId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    return rod;
}

static double elastic_energy(SnWorld *world, SnRodId rod) {
    SnMeasures m;
    assert_ok(sn_rod_measure(world, rod, &m));
    return m.energy_stretch + m.energy_scale + m.energy_bend + m.energy_volume;
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
        SnRodId graph = create(world, &def);
        def.edges = NULL;
        def.edge_count = 0;
        SnRodId chain = create(world, &def);
        static RodCopy a, b;
        Rng rng = {5};
        copy_rod(world, chain, &a);
        RodCopy rest = a;
        disturb(&a, &rng, 0.3, classic);
        SnRodState written = copy_arrays(&a);
        assert_ok(sn_rod_write(world, graph, &written));
        assert_ok(sn_rod_write(world, chain, &written));
        double energy = elastic_energy(world, chain);
        assert_near(elastic_energy(world, graph), energy, 1e-5 * energy);

        written = copy_arrays(&rest);
        assert_ok(sn_rod_write(world, graph, &written));
        assert_ok(sn_rod_write(world, chain, &written));
        pin(world, graph, SN_ATTACH_VERTEX, 0);
        pin(world, chain, SN_ATTACH_VERTEX, 0);
        for (int n = 0; n < 30; ++n)
            assert_int_equal(sn_world_step(world, DT, 10, 4), SN_STEP_OK);
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
        RodSystem rods = {.allocator = sn__default_allocator()};
        SnRodId id;
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
        sn__rods_destroy(&rods);
    }
}

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
        for (int b = 0; b < 5; ++b) {
            for (int k = 1, last = fork; k <= 10; ++k) {
                int v = add_vertex(&c, 0.0, -0.5 - 0.05 * k, 0.0, 0.015);
                add_edge(&c, last, v);
                last = v;
            }
        }
        SnRodDef def = def_of(&c);
        def.classic = classic;
        def.material.young = 1e9f;
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnRodId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        double most = 0.0;
        for (int n = 0; n < 120; ++n) {
            assert_int_equal(sn_world_step(world, DT, 1, 5), SN_STEP_OK);
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
        SnRodId rod = create(world, &def);
        for (int n = 0; n < 120; ++n) {
            float length = n < 60 ? 1.0f - 0.005f * (float)n : 0.7f;
            assert_ok(sn_rod_set_length_scale(world, rod, 0, c.edge_count, length));
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
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
        SnRodId rod = create(world, &def);
        static RodCopy copy;
        Rng rng = {(uint64_t)n};
        copy_rod(world, rod, &copy);
        disturb(&copy, &rng, 0.1, def.classic);
        SnRodState written = copy_arrays(&copy);
        written.velocities = written.angular_velocities = NULL;
        assert_ok(sn_rod_write(world, rod, &written));
        SnMeasures first = sn_world_measure(world);
        for (int k = 0; k < 30; ++k)
            assert_int_equal(sn_world_step(world, DT, 8, 2), SN_STEP_OK);
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
    SnRodId rod = create(world, &def);
    attach(world, rod, SN_ATTACH_VERTEX, 2, frame);
    attach(world, rod, SN_ATTACH_VERTEX, 3, frame);
    attach(world, rod, SN_ATTACH_SEGMENT, 5, frame);
    double error = 0.0;
    for (int n = 0; n < 420; ++n) {
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
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
        SnRodId rod = create(world, &def);
        static RodCopy copy;
        Rng rng = {(uint64_t)n};
        for (int k = 0; k < 400; ++k) {
            if (k == 30) {
                copy_rod(world, rod, &copy);
                disturb(&copy, &rng, n < 2 ? 5.0 : 2.0, false);
                for (int i = 0; i < copy.vertices; ++i)
                    copy.s[i] = fmaxf(0.3f, copy.s[i]);
                SnRodState written = copy_arrays(&copy);
                assert_ok(sn_rod_write(world, rod, &written));
            }
            uint32_t bits = sn_world_step(world, DT, 10, 1);
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
            SnRodId rod = {0};
            for (int n = others ? 0 : k; n < (others ? 100 : k + 1); ++n) {
                def.angular_velocity = sn_vec3(0.1f * (float)n, 1.0f, 2.0f);
                SnRodId id = create(world, &def);
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
        SnRodId rod = create(world, &def);
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
    static SnRodId rods[64];
    memcpy(rods, poses.rods, (size_t)poses.rod_count * sizeof rods[0]);
    for (int n = 0; n < count; ++n) {
        for (int k = 0; k < poses.rod_count; k += 3) {
            assert_ok(sn_rod_add_force(world, rods[k], 2, sn_vec3(1.0f, 2.0f, 0.0f)));
            assert_ok(sn_rod_add_torque(world, rods[k], 3, sn_vec3(0.1f, 0.0f, 0.0f)));
            assert_ok(sn_rod_add_radial_force(world, rods[k], 1, 1e-3f));
            assert_ok(sn_rod_set_length_scale(world, rods[k], 1, 2, 1.0f - 0.01f * (float)n));
        }
        assert_int_equal(sn_world_step(world, DT, 3, 2), SN_STEP_OK);
    }
}

static void instruction_sets_threads_and_snapshots_agree(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa) {
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
}

// Their packs come and go with them; what is left goes on as before.
static void creatures_come_and_go(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnRodId rods[60] = {{0}};
    Rng rng = {3};
    for (int n = 0; n < 600; ++n) {
        int k = rng_int(&rng, 0, 59);
        if (sn_rod_is_valid(world, rods[k])) {
            assert_ok(sn_rod_destroy(world, rods[k]));
            continue;
        }
        Creature c = star(3 + k % 3, 2);
        SnRodDef def = def_of(&c);
        if (k % 4 == 0)
            def.edges = NULL, def.edge_count = 0;
        def.classic = k % 2;
        rods[k] = create(world, &def);
        if (n % 20 == 0)
            assert_int_equal(sn_world_step(world, DT, 2, 1), SN_STEP_OK);
    }
    for (int k = 0; k < 60; ++k)
        if (sn_rod_is_valid(world, rods[k]))
            assert_ok(sn_rod_destroy(world, rods[k]));
    assert_int_equal(sn_world_rod_count(world), 0);
    assert_int_equal(sn_world_step(world, DT, 2, 1), SN_STEP_OK);
    sn_world_destroy(world);
}

static void refused(SnWorld *world, const SnRodDef *def, const char *part) {
    SnRodId rod;
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
    SnRodId rod;
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
    SnRodId rod = create(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    for (int n = 0; n < 5; ++n)
        assert_int_equal(sn_world_step(world, DT, 2, 1), SN_STEP_OK);
    assert_below(sn_world_measure(world).stretch_max, 0.1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_octopus_has_72_joints),
        cmocka_unit_test(every_potential_has_the_gradient_of_its_energy),
        cmocka_unit_test(many_sweeps_minimise_the_objective),
        cmocka_unit_test(creatures_stay_at_rest),
        cmocka_unit_test(a_chain_of_edges_is_a_chain),
        cmocka_unit_test(the_direct_pass_is_exact),
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
