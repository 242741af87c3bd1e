// An independent model of creatures in double precision: reference.h's, over graphs.
#pragma once

#include "creature_kit.h"
#include "reference.h"

// An independent model: reference.h's, with the potentials of section 5 taken over all edges and over
// all pairs of edges that meet, each of n (n − 1)/2 pairs weighted with 1/(n − 1).
static inline void make_reference(RefRod *r, const Creature *c, const SnRodDef *def,
                                  const RodCopy *rest, double h) {
    memset(r, 0, sizeof *r);
    r->vertices = c->vertices;
    r->segments = c->edge_count;
    r->classic = def->classic;
    r->swept = def->solver == SN_SOLVER_SWEEP;
    r->material = sn_rod_material_derived(def->material);
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
        r->across[j] = 0.25 * mass * (radius * radius + (r->swept ? l * l : 0.0));
        r->about[j] = 0.5 * mass * radius * radius;
    }
}

static inline double edge_energy(const RefRod *r, const Creature *c, const RefState *state, int j) {
    const SnRodMaterial *m = &r->material;
    int a = c->edges[2 * j], b = c->edges[2 * j + 1];
    double radius = 0.5 * (r->radius[a] + r->radius[b]), l = r->length[j];
    double s = 0.5 * (state->s[a] + state->s[b]), ds = (state->s[b] - state->s[a]) / l;
    Vec3d d = subd(state->x[b], state->x[a]), w = axis_z(state->q[j]);
    double along = lengthd(d), strain = along / r->active[j] - 1.0;
    double sum = ref_or(m->stretch, m->young) * strain * strain;
    sum += 2.0 * ref_transverse(r, s, j) * (along - dotd(w, d)) / r->active[j];
    if (!r->classic) {
        sum += (double)m->volume * ref_square(s * s * along / l - 1.0);
        sum += 2.0 * ref_or(m->cross_section, m->shear) *
               (ref_square(s - 1.0) + ref_square(l * ds) / 12.0);
        sum += 0.5 * radius * radius * ref_or(m->scale_gradient, m->shear) * ds * ds;
    }
    return 0.5 * SUPPORT_PI * radius * radius * l * sum;
}

static inline int branches_at(const Creature *c, int vertex) {
    int n = 0;
    for (int e = 0; e < 2 * c->edge_count; ++e)
        n += c->edges[e] == vertex;
    return n;
}

// Edges p and a that meet at a vertex, where their ends ep and ea (0 or 1) are.
static inline double pair_energy(const RefRod *r, const Creature *c, const RefState *state, int p,
                                 int ep, int a, int ea) {
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

static inline double creature_energy(const RefRod *r, const Creature *c, const RefState *state) {
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

static inline void creature_gradient(const RefRod *r, const Creature *c, const RefState *s,
                                     double *out) {
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
        if (ref_is_turn(r, k))
            out[k] += ref_torque(r, s, k);
    }
}

// What a step leaves of the gradient, for each kind of unknown, after a disturbance of this size.
// Measured energies must be those of the reference.
static inline RefNorms creature_left(const Creature *c, const SnRodDef *def, double size, double h,
                                     int iterations) {
    static RefRod ref;
    static double g[REF_DOF];
    static RodCopy copy;
    Rng rng = {(uint64_t)c->vertices};
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    copy_rod(world, rod, &copy);
    make_reference(&ref, c, def, &copy, h);
    disturb(&copy, &rng, size, def->classic);
    SnBodyState written = copy_arrays(&copy);
    assert_ok(sn_body_write(world, rod, &written));
    copy_rod(world, rod, &copy);
    ref.predicted = ref_state(&copy);
    SnMeasures m;
    assert_ok(sn_body_measure(world, rod, &m));
    double sum = m.energy_elastic;
    double expected = creature_energy(&ref, c, &ref.predicted), mass = 0.0;
    assert_true(expected > 0.0);
    assert_near(sum, expected, 1e-3 * expected);
    for (int i = 0; i < c->vertices; ++i)
        mass += ref.mass[i];
    assert_near(m.mass, mass, 1e-5 * mass);

    creature_gradient(&ref, c, &ref.predicted, g);
    RefNorms before = ref_norms(&ref, g);
    assert_int_equal(step_world(world, (float)h, 1, iterations), SN_STEP_OK);
    copy_rod(world, rod, &copy);
    RefState after = ref_state(&copy);
    creature_gradient(&ref, c, &after, g);
    RefNorms left = ref_norms(&ref, g);
    ref.h = ref_second_order(h);
    creature_gradient(&ref, c, &after, g);
    RefNorms second = ref_norms(&ref, g);
    left = left.x + left.s + left.turn < second.x + second.s + second.turn ? left : second;
    sn_world_destroy(world);
    double none = 1e-4 * (before.x + before.s + before.turn);
    return (RefNorms){before.x < none ? 0.0 : left.x / before.x,
                      before.s < none ? 0.0 : left.s / before.s,
                      before.turn < none ? 0.0 : left.turn / before.turn};
}

static inline void assert_creature_left(const char *name, int branches, RefNorms left,
                                        double tolerance) {
    if (!(left.x < tolerance && left.s < tolerance && left.turn < tolerance))
        fail_msg("%s, %d branches: gradient left: positions %.4f, scales %.4f, turns %.4f", name,
                 branches, left.x, left.s, left.turn);
}
