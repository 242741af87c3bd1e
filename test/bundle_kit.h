// What the tests of bundles share: rods side by side, in rows of vertices that are sections.
#pragma once

#include "one_step.h"

#define BUNDLE_MAX 256

typedef struct Bundle {
    int rods, slices; // slices of vertices, one segment less along each rod
    SnVec3 x[BUNDLE_MAX];
    float radius[BUNDLE_MAX];
    int edges[2 * BUNDLE_MAX], sections[BUNDLE_MAX];
    SnRodDef def;
} Bundle;

static inline int bundle_vertex(const Bundle *b, int rod, int slice) {
    return rod * b->slices + slice;
}

// Where rod k of n is in a round section of radius 1: one in the middle, the others around it.
static inline void place_in_section(int k, int n, double *out_x, double *out_y) {
    double angle = 2.0 * SUPPORT_PI * (k - 1) / (n > 1 ? n - 1 : 1);
    *out_x = k == 0 ? 0.0 : cos(angle);
    *out_y = k == 0 ? 0.0 : sin(angle);
}

// A muscle along z, 20 cm long, 3 cm wide in the middle and a third of that at the ends; `slender`: 0
// for a straight one.
static inline void make_bundle(Bundle *b, int rods, int slices, double slender) {
    memset(b, 0, sizeof *b);
    b->rods = rods;
    b->slices = slices;
    int edges = 0;
    for (int k = 0; k < rods; ++k)
        for (int j = 0; j < slices; ++j) {
            double t = (double)j / (slices - 1), x, y;
            double width = 1.0 - slender * (2.0 * t - 1.0) * (2.0 * t - 1.0);
            place_in_section(k, rods, &x, &y);
            int v = bundle_vertex(b, k, j);
            b->x[v] =
                sn_vec3((float)(0.01 * width * x), (float)(0.01 * width * y), (float)(0.2 * t));
            b->radius[v] = (float)(0.005 * width);
            b->sections[v] = j;
            if (j > 0) {
                b->edges[2 * edges] = v - 1;
                b->edges[2 * edges + 1] = v;
                ++edges;
            }
        }
    b->def = sn_default_rod_def();
    b->def.vertex_count = rods * slices;
    b->def.positions = b->x;
    b->def.radii = b->radius;
    b->def.edges = b->edges;
    b->def.edge_count = edges;
    b->def.sections = b->sections;
    b->def.filter.mask = 0;
    b->def.self_collide = false;
    b->def.material.density = 1060.0f;
    b->def.material.young = 3e4f;
}

static inline SnBodyId create_bundle(SnWorld *world, const Bundle *b) {
    SnBodyId body;
    assert_ok(sn_rod_create(world, &b->def, &body));
    return body;
}

// The copy, moved, turned and scaled as a whole.
static inline void transform_copy(RodCopy *copy, Quatd turn, Vec3d move, double scale) {
    for (int i = 0; i < copy->vertices; ++i) {
        copy->x[i] = vec3f(addd(scaled(rotated(turn, vec3d(copy->x[i])), scale), move));
        copy->s[i] *= (float)scale;
    }
    for (int j = 0; j < copy->segments; ++j)
        copy->q[j] = quatf(normalisedq(mulqd(turn, quatd(copy->q[j]))));
}
