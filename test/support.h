// What the tests of the core share: cmocka, checks with messages, random numbers, plain rods.
#pragma once

// cmocka.h needs these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sinew/sinew.h>

#define SUPPORT_PI 3.14159265358979323846

// Vertices that a RodCopy holds.
#define COPY_MAX 256

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        SnResult assert_ok_result = (call);                                                        \
        if (assert_ok_result.code != SN_OK)                                                        \
            fail_msg("%s: %s", #call, assert_ok_result.message);                                   \
    } while (0)

// The call fails with this code and its message has `part` in it.
#define assert_error(call, expected, part)                                                         \
    do {                                                                                           \
        SnResult assert_error_result = (call);                                                     \
        if (assert_error_result.code != (expected) ||                                              \
            strstr(assert_error_result.message, (part)) == NULL)                                   \
            fail_msg("%s: code %d, \"%s\", expected code %d and \"%s\"", #call,                    \
                     (int)assert_error_result.code, assert_error_result.message, (int)(expected),  \
                     (part));                                                                      \
    } while (0)

#define assert_near(value, expected, tolerance)                                                    \
    do {                                                                                           \
        double assert_near_v = (double)(value), assert_near_e = (double)(expected);                \
        if (!(fabs(assert_near_v - assert_near_e) <= (double)(tolerance)))                         \
            fail_msg("%s is %.9g, expected %.9g ± %g", #value, assert_near_v, assert_near_e,       \
                     (double)(tolerance));                                                         \
    } while (0)

#define assert_below(value, limit)                                                                 \
    do {                                                                                           \
        double assert_below_v = (double)(value), assert_below_l = (double)(limit);                 \
        if (!(assert_below_v < assert_below_l))                                                    \
            fail_msg("%s is %.9g, not below %.9g", #value, assert_below_v, assert_below_l);        \
    } while (0)

// splitmix64: the same numbers everywhere.
typedef struct Rng {
    uint64_t state;
} Rng;

static inline uint64_t rng_next(Rng *rng) {
    uint64_t z = (rng->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double rng_real(Rng *rng, double low, double high) {
    return low + (high - low) * (double)(rng_next(rng) >> 11) * 0x1p-53;
}

static inline float rng_float(Rng *rng, double low, double high) {
    return (float)rng_real(rng, low, high);
}

// Evenly spread over orders of magnitude.
static inline float rng_log(Rng *rng, double low, double high) {
    return (float)exp(rng_real(rng, log(low), log(high)));
}

// In [low, high].
static inline int rng_int(Rng *rng, int low, int high) {
    return low + (int)(rng_next(rng) % (uint64_t)(high - low + 1));
}

static inline SnVec3 rng_vec3(Rng *rng, double size) {
    float x = rng_float(rng, -size, size), y = rng_float(rng, -size, size);
    return sn_vec3(x, y, rng_float(rng, -size, size));
}

static inline SnQuat rng_quat(Rng *rng) {
    for (;;) {
        double q[4], n = 0.0;
        for (int c = 0; c < 4; ++c) {
            q[c] = rng_real(rng, -1.0, 1.0);
            n += q[c] * q[c];
        }
        if (n < 0.01 || n > 1.0)
            continue;
        n = 1.0 / sqrt(n);
        return (SnQuat){(float)(q[0] * n), (float)(q[1] * n), (float)(q[2] * n), (float)(q[3] * n)};
    }
}

static inline SnQuat turn_about(double x, double y, double z, double angle) {
    double n = sin(0.5 * angle) / sqrt(x * x + y * y + z * z);
    return (SnQuat){(float)(x * n), (float)(y * n), (float)(z * n), (float)cos(0.5 * angle)};
}

static inline SnWorld *make_world(SnVec3 gravity) {
    SnWorldDef def = sn_default_world_def();
    def.gravity = gravity;
    SnWorld *world = NULL;
    assert_ok(sn_world_create(&def, &world));
    return world;
}

static inline SnWorld *weightless_world(void) { return make_world(sn_vec3(0.0f, 0.0f, 0.0f)); }

// What a step ran into. Many tests sweep rods on purpose that are too stiff for it.
static inline uint32_t step_world(SnWorld *world, float dt, int substeps, int iterations) {
    return sn_world_step(world, dt, substeps, iterations) & ~(uint32_t)SN_STEP_SOFT;
}

// `count` vertices from `from`, each `step` behind the one before.
static inline void line_of_points(SnVec3 *out, int count, SnVec3 from, SnVec3 step) {
    for (int i = 0; i < count; ++i)
        out[i] = sn_vec3(from.x + step.x * (float)i, from.y + step.y * (float)i,
                         from.z + step.z * (float)i);
}

// `count` vertices evenly on a circle in the xz plane.
static inline void circle_of_points(SnVec3 *out, int count, double radius) {
    for (int i = 0; i < count; ++i) {
        double angle = 2.0 * SUPPORT_PI * i / count;
        out[i] = sn_vec3((float)(radius * cos(angle)), 0.0f, (float)(radius * sin(angle)));
    }
}

// All of a rod's state.
typedef struct RodCopy {
    int vertices, segments;
    SnVec3 x[COPY_MAX], v[COPY_MAX], w[COPY_MAX];
    float s[COPY_MAX], radius[COPY_MAX], vs[COPY_MAX];
    SnQuat q[COPY_MAX];
} RodCopy;

static inline SnBodyState copy_arrays(RodCopy *copy) {
    SnBodyState state = {copy->x, copy->s, copy->radius, copy->q, copy->v, copy->vs, copy->w};
    return state;
}

static inline void copy_rod(const SnWorld *world, SnBodyId rod, RodCopy *copy) {
    copy->vertices = sn_body_point_count(world, rod);
    copy->segments = sn_body_element_count(world, rod);
    assert_true(copy->vertices > 0 && copy->vertices <= COPY_MAX);
    SnBodyState state = copy_arrays(copy);
    assert_ok(sn_body_read(world, rod, &state));
}

static inline double distance(SnVec3 a, SnVec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y,
           z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

// The angle between two frames, whatever their signs.
static inline double angle_between(SnQuat a, SnQuat b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y,
           z = (double)a.z - (double)b.z, w = (double)a.w - (double)b.w;
    double X = (double)a.x + (double)b.x, Y = (double)a.y + (double)b.y,
           Z = (double)a.z + (double)b.z, W = (double)a.w + (double)b.w;
    double chord = fmin(x * x + y * y + z * z + w * w, X * X + Y * Y + Z * Z + W * W);
    return 4.0 * asin(fmin(1.0, 0.5 * sqrt(chord)));
}

// Farthest any vertex of b is from the same one of a.
static inline double farthest(const RodCopy *a, const RodCopy *b) {
    assert_int_equal(a->vertices, b->vertices);
    double most = 0.0;
    for (int i = 0; i < a->vertices; ++i)
        most = fmax(most, distance(a->x[i], b->x[i]));
    return most;
}

static inline SnAttachmentId attach(SnWorld *world, SnBodyId rod, SnAttachmentKind kind, int index,
                                    SnFrameId frame) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = kind;
    def.body = rod;
    def.index = index;
    def.frame = frame;
    SnAttachmentId id;
    assert_ok(sn_attachment_create(world, &def, &id));
    return id;
}

static inline void pin(SnWorld *world, SnBodyId rod, SnAttachmentKind kind, int index) {
    attach(world, rod, kind, index, (SnFrameId){0, 0});
}

// A rod of the default material along x, 5 cm per segment, that touches nothing.
static inline SnBodyId plain_rod(SnWorld *world, int count) {
    SnVec3 x[COPY_MAX];
    line_of_points(x, count, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.05f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP;
    def.vertex_count = count;
    def.positions = x;
    def.filter.mask = 0;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}
