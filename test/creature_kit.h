// What the tests of creatures share: stars, the published octopus, disturbed poses.
#pragma once

#include "support.h"

#include "math/vec.h"

#define DT (1.0f / 60.0f)

typedef struct Creature {
    int vertices, edge_count;
    SnVec3 x[COPY_MAX];
    float radius[COPY_MAX];
    int edges[2 * COPY_MAX];
} Creature;

static inline int add_vertex(Creature *c, double x, double y, double z, double radius) {
    c->x[c->vertices] = sn_vec3((float)x, (float)y, (float)z);
    c->radius[c->vertices] = (float)radius;
    return c->vertices++;
}

static inline void add_edge(Creature *c, int a, int b) {
    c->edges[2 * c->edge_count] = a;
    c->edges[2 * c->edge_count + 1] = b;
    c->edge_count += 1;
}

static inline SnRodDef def_of(const Creature *c) {
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP;
    def.vertex_count = c->vertices;
    def.positions = c->x;
    def.radii = c->radius;
    def.edges = c->edges;
    def.edge_count = c->edge_count;
    def.filter.mask = 0; // this is about what holds them together
    return def;
}

// The published proportions, y up: a head of four vertices and two eyes, eight arms of four segments.
static inline Creature octopus(void) {
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

static inline SnRodMaterial flesh(void) {
    SnRodMaterial m = sn_default_rod_material();
    m.density = 1000.0f;
    m.young = 2e5f;
    m.shear = 7e4f;
    m.volume = 1e7f;
    return m;
}

// A hub with `branches` arms of `length` segments in all directions of a sphere; the first two are
// opposite, the third lies close to the first.
static inline Creature star(int branches, int length) {
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

static inline void disturb(RodCopy *copy, Rng *rng, double size, bool classic) {
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

static inline SnBodyId create(SnWorld *world, const SnRodDef *def) {
    SnBodyId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    return rod;
}
