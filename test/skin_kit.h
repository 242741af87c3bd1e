// What the tests of skins share: a tube around a straight rod, and poses of the rod.
#pragma once

#include "support.h"

#include "math/vec.h"

#define RINGS 41
#define SIDES 16
#define TUBE_VERTICES (RINGS * SIDES)
#define TUBE_TRIANGLES (2 * (RINGS - 1) * SIDES)
#define BONES 11

typedef struct Tube {
    SnVec3 x[TUBE_VERTICES];
    uint32_t triangles[3 * TUBE_TRIANGLES];
} Tube;

// An open tube along x, from 0 to `length`, that winds outwards.
static inline void make_tube(Tube *tube, double length, double radius) {
    for (int r = 0; r < RINGS; ++r)
        for (int s = 0; s < SIDES; ++s) {
            double a = 2.0 * SUPPORT_PI * s / SIDES;
            tube->x[r * SIDES + s] = sn_vec3((float)(length * r / (RINGS - 1)),
                                             (float)(radius * cos(a)), (float)(radius * sin(a)));
        }
    uint32_t *t = tube->triangles;
    for (uint32_t r = 0; r + 1 < RINGS; ++r)
        for (uint32_t s = 0; s < SIDES; ++s) {
            uint32_t a = r * SIDES + s, b = r * SIDES + (s + 1) % SIDES, c = a + SIDES,
                     d = b + SIDES;
            const uint32_t quad[6] = {a, b, d, a, d, c};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
}

static inline SnBodyId make_rod(SnWorld *world, double radius, const double *origin) {
    SnVec3 x[BONES];
    line_of_points(x, BONES, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = BONES;
    def.positions = x;
    def.radius = (float)radius;
    if (origin)
        memcpy(def.origin, origin, sizeof def.origin);
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static inline SnSkinDef tube_def(const Tube *tube, const SnBodyId *rod) {
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 1;
    def.bodies = rod;
    def.vertex_count = TUBE_VERTICES;
    def.triangle_count = TUBE_TRIANGLES;
    def.positions = tube->x;
    def.triangles = tube->triangles;
    return def;
}

static inline SnSkinId make_skin(SnWorld *world, const SnSkinDef *def) {
    SnSkinId skin;
    assert_ok(sn_skin_create(world, def, &skin));
    return skin;
}

static inline SnSkinPoses poses_of(SnWorld *world) {
    SnSkinPoses poses;
    assert_ok(sn_world_skins(world, &poses));
    return poses;
}

static inline SnSkinMesh mesh_of(const SnWorld *world, SnSkinId skin) {
    SnSkinMesh mesh;
    assert_ok(sn_skin_mesh(world, skin, &mesh));
    return mesh;
}

static inline Vec3d at3(const float *x, int i) {
    return (Vec3d){(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]};
}

static inline void assert_near3(Vec3d a, Vec3d b, double tolerance) {
    if (!(lengthd(subd(a, b)) <= tolerance))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g) ± %g", a.x, a.y, a.z, b.x, b.y, b.z, tolerance);
}

// A pose that bends, twists and swells smoothly, as `amount` says.
static inline void bend_rod(SnWorld *world, SnBodyId rod, double amount) {
    RodCopy c;
    copy_rod(world, rod, &c);
    double angle = 0.0;
    for (int i = 1; i < c.vertices; ++i) {
        angle = amount * (i - 0.5) / (c.vertices - 1);
        Vec3d step = {0.1 * cos(angle), 0.1 * sin(angle), 0.02 * amount * sin(3.0 * angle)};
        Vec3d x = addd(vec3d(c.x[i - 1]), step);
        c.x[i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
        Quatd bend = rotation_between((Vec3d){1.0, 0.0, 0.0}, scaled(step, 1.0 / lengthd(step)));
        Quatd twist = quatd(turn_about(1.0, 0.0, 0.0, 0.5 * angle));
        c.q[i - 1] = quatf(mulqd(mulqd(bend, twist), quatd(c.q[i - 1])));
    }
    for (int i = 0; i < c.vertices; ++i)
        c.s[i] = (float)(1.0 + 0.4 * amount * sin(SUPPORT_PI * i / (c.vertices - 1)));
    SnBodyState state = copy_arrays(&c);
    state.radii = NULL;
    assert_ok(sn_body_write(world, rod, &state));
}
