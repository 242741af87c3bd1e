// What the tests of contact share: colliders and rods in few words.
#pragma once

#include "support.h"

#define DT (1.0f / 60.0f)
#define GRAVITY 9.81

static inline SnWorld *heavy_world(void) {
    return make_world(sn_vec3(0.0f, -(float)GRAVITY, 0.0f));
}

static inline SnSurface rough(float friction) {
    SnSurface s = sn_default_surface();
    s.friction = friction;
    return s;
}

static inline SnColliderDef collider_def(SnColliderKind kind, SnVec3 at, float friction) {
    SnColliderDef def = sn_default_collider_def();
    def.kind = kind;
    def.pose.position = at;
    def.surface = rough(friction);
    return def;
}

static inline SnColliderId add_collider(SnWorld *world, const SnColliderDef *def) {
    SnColliderId id;
    assert_ok(sn_collider_create(world, def, &id));
    return id;
}

// Everything below `height`.
static inline SnColliderId add_floor(SnWorld *world, float height, float friction) {
    SnColliderDef def = collider_def(SN_COLLIDER_PLANE, sn_vec3(0.0f, height, 0.0f), friction);
    return add_collider(world, &def);
}

// A rod of `count` vertices around `centre`, along the unit vector `d`.
static inline SnRodDef line_def(SnVec3 *x, int count, SnVec3 centre, SnVec3 d, float length,
                                float radius) {
    float step = length / (float)(count - 1);
    SnVec3 from = sn_vec3(centre.x - 0.5f * length * d.x, centre.y - 0.5f * length * d.y,
                          centre.z - 0.5f * length * d.z);
    line_of_points(x, count, from, sn_vec3(step * d.x, step * d.y, step * d.z));
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP; // as crowds are
    def.vertex_count = count;
    def.positions = x;
    def.radius = radius;
    def.material.damping = 0.01f;
    return def;
}

static inline SnBodyId add_rod(SnWorld *world, const SnRodDef *def) {
    SnBodyId id;
    assert_ok(sn_rod_create(world, def, &id));
    return id;
}

static inline void run_steps(SnWorld *world, int count, int substeps) {
    for (int n = 0; n < count; ++n)
        assert_int_equal(step_world(world, DT, substeps, 1), SN_STEP_OK);
}

// Mean position and velocity of a rod's vertices.
typedef struct Middle {
    double x[3], v[3];
} Middle;

static inline Middle middle_of(const SnWorld *world, SnBodyId rod) {
    static RodCopy now;
    copy_rod(world, rod, &now);
    Middle m = {{0.0}, {0.0}};
    for (int i = 0; i < now.vertices; ++i) {
        const float x[3] = {now.x[i].x, now.x[i].y, now.x[i].z};
        const float v[3] = {now.v[i].x, now.v[i].y, now.v[i].z};
        for (int c = 0; c < 3; ++c) {
            m.x[c] += (double)x[c] / now.vertices;
            m.v[c] += (double)v[c] / now.vertices;
        }
    }
    return m;
}

static inline double rod_mass(SnWorld *world, SnBodyId rod) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, rod, &m));
    return m.mass;
}
