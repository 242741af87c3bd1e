// What the tests of stiff rods share: beams, ropes and trees in few words.
#pragma once

#include "contact_kit.h"

#define BIG 4096

// Arrays for rods that a RodCopy is too small for.
typedef struct Big {
    SnVec3 x[BIG], v[BIG], w[BIG];
    SnQuat q[BIG];
    int edges[2 * BIG];
    SnSegmentDef segments[BIG];
} Big;

// A stiff rod of `vertices` vertices that touches nothing.
static inline SnRodDef stiff_def(const SnVec3 *x, int vertices, float radius) {
    SnRodDef def = sn_default_rod_def();
    def.stiff = true;
    def.vertex_count = vertices;
    def.positions = x;
    def.radius = radius;
    def.filter.mask = 0;
    return def;
}

// From a wall at x = 0 along x.
static inline SnRodDef beam_def(SnVec3 *x, int segments, double length, float radius, float young) {
    for (int i = 0; i <= segments; ++i)
        x[i] = sn_vec3((float)(length / segments * i), 0.0f, 0.0f);
    SnRodDef def = stiff_def(x, segments + 1, radius);
    def.material.young = young;
    def.material.shear = 0.4f * young;
    def.material.damping = 0.1f; // so that it comes to rest
    return def;
}

// The segment and its first vertex.
static inline void clamp(SnWorld *world, SnBodyId rod, int segment, int vertex) {
    pin(world, rod, SN_ATTACH_SEGMENT, segment);
    pin(world, rod, SN_ATTACH_VERTEX, vertex);
}

static inline double round_area(double r) { return SUPPORT_PI * r * r; }
static inline double round_moment(double r) { return 0.25 * SUPPORT_PI * r * r * r * r; }

static inline SnVec3 vertex_at(const SnWorld *world, SnBodyId rod, int i) {
    static Big big;
    assert_true(sn_body_point_count(world, rod) <= BIG);
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.positions = big.x}));
    return big.x[i];
}

static inline SnVec3 velocity_at(const SnWorld *world, SnBodyId rod, int i) {
    static Big big;
    assert_true(sn_body_point_count(world, rod) <= BIG);
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.velocities = big.v}));
    return big.v[i];
}

// Long steps, which take the motion out, with a force on one vertex.
static inline void settle_under(SnWorld *world, SnBodyId rod, int vertex, SnVec3 force, int steps,
                                float dt) {
    for (int n = 0; n < steps; ++n) {
        assert_ok(sn_body_add_force(world, rod, vertex, force));
        assert_int_equal(sn_world_step(world, dt, 1, 5), SN_STEP_OK);
    }
}

// A random tree: every vertex but the first hangs on an earlier one. With `spread` 1 it is a chain.
static inline void random_tree(Rng *rng, int vertices, int spread, SnVec3 *x, int *edges) {
    x[0] = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int i = 1; i < vertices; ++i) {
        int from = rng_int(rng, i > spread ? i - spread : 0, i - 1);
        SnVec3 d = rng_vec3(rng, 0.1);
        d.y += 0.12f;
        x[i] = sn_vec3(x[from].x + d.x, x[from].y + d.y, x[from].z + d.z);
        edges[2 * i - 2] = from;
        edges[2 * i - 1] = i;
    }
}

static inline SnMeasures measures_of(SnWorld *world, SnBodyId rod) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, rod, &m));
    return m;
}
