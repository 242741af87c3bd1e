// A little stiff tree, for the tests of the API.
#pragma once

#include "stiff_kit.h"

// A little tree: a stem of three segments along y with two branches.
static const int FORK[] = {0, 1, 1, 2, 2, 3, 2, 4, 4, 5};
static const SnVec3 FORK_AT[] = {{0, 0, 0},        {0, 0.2f, 0},    {0, 0.4f, 0},
                                 {-0.2f, 0.6f, 0}, {0.2f, 0.6f, 0}, {0.4f, 0.7f, 0.1f}};

static inline SnRodDef fork_def(void) {
    SnRodDef def = stiff_def(FORK_AT, 6, 0.01f);
    def.edges = FORK;
    def.edge_count = 5;
    return def;
}

static inline SnBodyId fork_rod(SnWorld *world) {
    SnRodDef def = fork_def();
    return add_rod(world, &def);
}

static inline void step(SnWorld *world, int steps) {
    for (int n = 0; n < steps; ++n)
        assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
}

// A quarter about z.
static inline SnVec3 quarter(SnVec3 a) { return sn_vec3(-a.y, a.x, a.z); }

static inline SnQuat quarter_frame(SnQuat q) {
    float c = 0.70710678f;
    return (SnQuat){c * (q.x - q.y), c * (q.y + q.x), c * (q.z + q.w), c * (q.w - q.z)};
}
