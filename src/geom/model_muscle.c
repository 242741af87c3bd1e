#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "math/vec.h"
#include "sinew/muscle_model.h"

#define PI 3.14159265358979323846

// The cross-section at one place along a muscle of length 1: half its width and thickness.
typedef struct Section {
    double width, thickness;
} Section;

// 0 below a, 1 above b, smooth in between.
static double smooth(double x, double a, double b) {
    double t = fmin(1.0, fmax(0.0, (x - a) / (b - a)));
    return t * t * (3.0 - 2.0 * t);
}

// A belly from 0 to 1 that is 1 in its middle.
static double belly(double x) {
    double s = sin(PI * fmin(1.0, fmax(0.0, x)));
    return s * sqrt(s);
}

static Section section_at(SnMuscleShape shape, double x) {
    switch (shape) {
    case SN_MUSCLE_STRAP:
        return (Section){0.075 + 0.01 * belly(x), 0.026 + 0.006 * belly(x)};
    case SN_MUSCLE_FAN: {
        double open = smooth(x, -0.1, 1.1);
        return (Section){0.035 + 0.26 * open * x, 0.032 + 0.025 * belly(1.1 * x) - 0.008 * x};
    }
    case SN_MUSCLE_BIPENNATE: {
        double leaf = belly(fmin(1.0, (1.0 - x) / 0.78)), stalk = 0.028;
        double edge = x > 0.22 ? leaf : 0.0;
        return (Section){stalk + 0.12 * edge, stalk + 0.035 * edge};
    }
    default:
        return (Section){0.03 + 0.085 * belly(x), 0.03 + 0.07 * belly(x)};
    }
}

// How round the end of a muscle is: an ellipse over the first and last of its length.
static double end_factor(const Section *section, double x) {
    double reach = 1.2 * section->thickness, from_end = fmin(x, 1.0 - x);
    if (from_end >= reach)
        return 1.0;
    double t = 1.0 - from_end / reach;
    return sqrt(fmax(0.0, 1.0 - t * t));
}

// A point of the cross-section at x in the direction of `angle`. Flat muscles have blunt edges: their
// section is a superellipse, |u|³ + |v|³ = 1, others have an ellipse.
static Vec3d surface_point(SnMuscleShape shape, double x, double angle, double length) {
    Section section = section_at(shape, x);
    double end = end_factor(&section, x);
    double c = cos(angle), s = sin(angle), blunt = 1.0;
    if (shape == SN_MUSCLE_STRAP || shape == SN_MUSCLE_FAN)
        blunt = 1.0 / cbrt(fabs(c * c * c) + fabs(s * s * s));
    // The broad end is cut at right angles to its fibres; only its thickness is rounded off.
    double u = section.width * c * blunt *
               (shape == SN_MUSCLE_FAN && x > 0.5 ? 1.0 - 0.15 * (1.0 - end) : end);
    double v = section.thickness * s * blunt * end, y = x - 0.5;
    if (shape == SN_MUSCLE_CURVED) {
        // Around a circle of radius 1 / bend, bent over a bit more than a quarter turn.
        double bend = 1.9, radius = 1.0 / bend;
        return scaled(
            (Vec3d){(radius + u) * cos(bend * y) - radius, (radius + u) * sin(bend * y), v},
            length);
    }
    return scaled((Vec3d){u, y, v}, length);
}

static bool create_mesh(const SnAllocator *allocator, int vertices, int triangles, SnMesh *mesh) {
    size_t v = (size_t)vertices, t = (size_t)triangles;
    *mesh = (SnMesh){.vertex_count = vertices, .triangle_count = triangles};
    mesh->allocator = allocator ? *allocator : sn__default_allocator();
    mesh->size = 2 * v * sizeof(SnVec3) + 3 * t * sizeof(uint32_t);
    mesh->positions = sn__alloc(&mesh->allocator, mesh->size);
    if (mesh->positions == NULL)
        return false;
    mesh->normals = mesh->positions + v;
    mesh->triangles = (uint32_t *)(mesh->normals + v);
    return true;
}

// Sums of the triangles' normals, by area.
static void make_normals(SnMesh *mesh) {
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * i;
        SnVec3 a = mesh->positions[t[0]];
        SnVec3 n = sn_vec3_cross(sn_vec3_sub(mesh->positions[t[1]], a),
                                 sn_vec3_sub(mesh->positions[t[2]], a));
        for (int c = 0; c < 3; ++c)
            mesh->normals[t[c]] = sn_vec3_add(mesh->normals[t[c]], n);
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        float length = sn_vec3_length(mesh->normals[i]);
        if (length > 0.0f)
            mesh->normals[i] = sn_vec3_scale(mesh->normals[i], 1.0f / length);
    }
}

// Rings of vertices between two poles.
static void sweep(SnMuscleShape shape, double length, int rings, int sides, SnMesh *mesh) {
    int last = rings * sides + 1, count = 0;
    mesh->positions[0] = vec3f(surface_point(shape, 0.0, 0.0, length));
    mesh->positions[last] = vec3f(surface_point(shape, 1.0, 0.0, length));
    if (shape == SN_MUSCLE_FAN) // its broad end is an edge, not a point
        mesh->positions[last] = sn_vec3(0.0f, (float)(0.5 * length), 0.0f);
    for (int i = 0; i < rings; ++i) {
        // Denser towards the ends, where the section changes fast.
        double x = (i + 1.0) / (rings + 1.0), even = 0.35;
        x = even * x + (1.0 - even) * 0.5 * (1.0 - cos(PI * x));
        for (int k = 0; k < sides; ++k)
            mesh->positions[1 + i * sides + k] =
                vec3f(surface_point(shape, x, 2.0 * PI * k / sides, length));
    }
    for (int i = 0; i <= rings; ++i)
        for (int k = 0; k < sides; ++k) {
            int next = (k + 1) % sides;
            uint32_t a = (uint32_t)(i > 0 ? 1 + (i - 1) * sides + k : 0);
            uint32_t b = (uint32_t)(i > 0 ? 1 + (i - 1) * sides + next : 0);
            uint32_t c = (uint32_t)(i < rings ? 1 + i * sides + next : last);
            uint32_t d = (uint32_t)(i < rings ? 1 + i * sides + k : last);
            uint32_t lower[3] = {a, d, b}, upper[3] = {b, d, c};
            if (i > 0)
                memcpy(mesh->triangles + 3 * count++, lower, sizeof lower);
            if (i < rings)
                memcpy(mesh->triangles + 3 * count++, upper, sizeof upper);
            else
                memcpy(mesh->triangles + 3 * (count - 1), lower, sizeof lower);
        }
}

static SnResult swept_mesh(SnMuscleShape shape, float length, int triangles,
                           const SnAllocator *allocator, SnMesh *out) {
    // A ring of s vertices makes 2 s triangles; rings are about twice as many as sides.
    int sides = (int)sqrt(triangles / 4.0);
    sides = sides < 8 ? 8 : sides + sides % 2;
    int rings = triangles / (2 * sides);
    if (!create_mesh(allocator, rings * sides + 2, 2 * rings * sides, out))
        return sn_error(SN_ERROR_MEMORY, "muscle: no memory");
    sweep(shape, (double)length, rings, sides, out);
    make_normals(out);
    return sn_ok();
}

// Spheres along the heads and the belly that they make together, for a muscle of length 1.
typedef struct Ball {
    float x, y, z, radius;
} Ball;

static SnResult two_headed_mesh(float length, int triangles, const SnAllocator *allocator,
                                SnMesh *out) {
    static const Ball balls[] = {
        // The shared tendon and the belly above it.
        {0.0f, -0.475f, 0.0f, 0.025f},
        {0.0f, -0.38f, 0.0f, 0.034f},
        {0.0f, -0.25f, 0.0f, 0.075f},
        {0.0f, -0.12f, 0.0f, 0.09f},
        // The long head, then the short one.
        {0.055f, 0.03f, 0.0f, 0.075f},
        {0.10f, 0.18f, 0.0f, 0.062f},
        {0.125f, 0.33f, 0.0f, 0.036f},
        {0.135f, 0.472f, 0.0f, 0.028f},
        {-0.06f, 0.02f, 0.01f, 0.07f},
        {-0.11f, 0.14f, 0.02f, 0.055f},
        {-0.15f, 0.26f, 0.03f, 0.034f},
        {-0.17f, 0.36f, 0.03f, 0.027f},
    };
    static const int edges[] = {0, 1, 1, 2, 2, 3, 3, 4, 4,  5,  5,
                                6, 6, 7, 3, 8, 8, 9, 9, 10, 10, 11};
    enum { COUNT = sizeof balls / sizeof balls[0], EDGES = sizeof edges / sizeof edges[0] / 2 };
    SnVec3 positions[COUNT];
    float radii[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        positions[i] = sn_vec3(balls[i].x * length, balls[i].y * length, balls[i].z * length);
        radii[i] = balls[i].radius * length;
    }
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = COUNT;
    def.edge_count = EDGES;
    def.positions = positions;
    def.radii = radii;
    def.edges = edges;
    def.triangles = triangles;
    def.blend = 0.02f * length;
    return sn_iso_mesh(&def, allocator, out);
}

const char *sn_muscle_shape_name(SnMuscleShape shape) {
    static const char *const names[SN_MUSCLE_SHAPE_COUNT] = {"spindle", "strap",     "fan",
                                                             "curved",  "bipennate", "two-headed"};
    return shape >= 0 && shape < SN_MUSCLE_SHAPE_COUNT ? names[shape] : "?";
}

SnResult sn_muscle_mesh(SnMuscleShape shape, float length, int triangles,
                        const SnAllocator *allocator, SnMesh *out_mesh) {
    if (out_mesh == NULL)
        return sn__null("muscle: out_mesh");
    memset(out_mesh, 0, sizeof *out_mesh);
    if (shape < 0 || shape >= SN_MUSCLE_SHAPE_COUNT)
        return sn_error(SN_ERROR_INVALID, "muscle: shape: %d is no SnMuscleShape", (int)shape);
    if (!(length >= 1e-3f && length <= 1000.0f))
        return sn_error(SN_ERROR_INVALID, "muscle: length: %g m is not in [0.001, 1000]",
                        (double)length);
    if (triangles < 200 || triangles > 1000000)
        return sn_error(SN_ERROR_INVALID, "muscle: triangles: %d is not in [200, 1000000]",
                        triangles);
    SnResult result = shape == SN_MUSCLE_TWO_HEADED
                          ? two_headed_mesh(length, triangles, allocator, out_mesh)
                          : swept_mesh(shape, length, triangles, allocator, out_mesh);
    if (result.code != SN_OK)
        memset(out_mesh, 0, sizeof *out_mesh);
    return result;
}
