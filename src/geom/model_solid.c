#include "geom/model_solid.h"

#include <math.h>
#include <string.h>

#include "base/null.h"

#define MOST_BALLS 40

// A sphere of a body, and the one that a pill goes to from here: its number, −1: none. A sphere beside
// the middle, z > 0 or x > 0 by the axis, is there on both sides.
typedef struct Ball {
    float x, y, z, radius;
    int to;
} Ball;

static const Ball dinosaur[] = {
    {-0.15f, 0.44f, 0.0f, 0.155f, -1}, // hips, belly, chest
    {0.05f, 0.43f, 0.0f, 0.175f, 0},      {0.24f, 0.47f, 0.0f, 0.135f, 1},
    {0.38f, 0.60f, 0.0f, 0.085f, 2}, // neck and head
    {0.46f, 0.77f, 0.0f, 0.062f, 3},      {0.52f, 0.92f, 0.0f, 0.055f, 4},
    {0.60f, 0.96f, 0.0f, 0.066f, 5},      {0.71f, 0.93f, 0.0f, 0.042f, 6},
    {-0.35f, 0.42f, 0.0f, 0.10f, 0}, // tail
    {-0.56f, 0.36f, 0.0f, 0.065f, 8},     {-0.76f, 0.32f, 0.0f, 0.042f, 9},
    {-0.94f, 0.33f, 0.0f, 0.024f, 10},    {-0.18f, 0.34f, 0.12f, 0.085f, 0}, // hind legs
    {-0.16f, 0.18f, 0.14f, 0.062f, 12},   {-0.16f, 0.055f, 0.14f, 0.052f, 13},
    {-0.10f, 0.045f, 0.145f, 0.042f, 14}, {0.22f, 0.36f, 0.11f, 0.072f, 2}, // fore legs
    {0.24f, 0.18f, 0.12f, 0.054f, 16},    {0.24f, 0.05f, 0.12f, 0.047f, 17},
    {0.29f, 0.042f, 0.125f, 0.040f, 18},
};

static const Ball rabbit[] = {
    {-0.18f, 0.26f, 0.0f, 0.22f, -1}, // rump, body, chest
    {0.0f, 0.30f, 0.0f, 0.245f, 0},     {0.17f, 0.33f, 0.0f, 0.18f, 1},
    {0.29f, 0.56f, 0.0f, 0.155f, 2},                                       // head
    {0.42f, 0.52f, 0.0f, 0.085f, 3},    {0.25f, 0.68f, 0.065f, 0.052f, 3}, // ears
    {0.19f, 0.84f, 0.09f, 0.062f, 5},   {0.12f, 1.02f, 0.11f, 0.032f, 6},
    {-0.45f, 0.30f, 0.0f, 0.085f, 0},  // tail
    {-0.12f, 0.19f, 0.17f, 0.135f, 0}, // hind legs
    {-0.04f, 0.06f, 0.20f, 0.066f, 9},  {0.12f, 0.05f, 0.23f, 0.055f, 10},
    {0.25f, 0.18f, 0.09f, 0.068f, 2}, // fore legs
    {0.31f, 0.05f, 0.095f, 0.052f, 12},
};

static const Ball figure[] = {
    {0.0f, 0.53f, 0.0f, 0.105f, -1}, // hips, waist, chest
    {0.0f, 0.63f, 0.0f, 0.095f, 0},    {0.0f, 0.76f, 0.0f, 0.125f, 1},
    {0.0f, 0.88f, 0.0f, 0.055f, 2},                                     // neck and head
    {0.0f, 0.99f, 0.01f, 0.092f, 3},   {0.15f, 0.80f, 0.0f, 0.065f, 2}, // arms
    {0.29f, 0.67f, -0.01f, 0.046f, 5}, {0.40f, 0.55f, 0.03f, 0.036f, 6},
    {0.45f, 0.49f, 0.05f, 0.042f, 7},  {0.08f, 0.48f, 0.0f, 0.085f, 0}, // legs
    {0.11f, 0.27f, 0.01f, 0.06f, 9},   {0.12f, 0.06f, -0.01f, 0.045f, 10},
    {0.13f, 0.04f, 0.09f, 0.038f, 11},
};

typedef struct Body {
    const Ball *balls;
    int count;
    bool across_x; // its sides lie along x, not along z
    float blend;
} Body;

static const Body bodies[] = {
    {dinosaur, sizeof dinosaur / sizeof dinosaur[0], false, 0.03f},
    {rabbit, sizeof rabbit / sizeof rabbit[0], false, 0.03f},
    {figure, sizeof figure / sizeof figure[0], true, 0.03f},
};

// The spheres of both sides, and the pills between them.
typedef struct Pills {
    SnVec3 positions[MOST_BALLS];
    float radii[MOST_BALLS];
    int edges[2 * MOST_BALLS];
    int vertex_count, edge_count;
} Pills;

static void make_pills(const Body *body, Pills *pills) {
    int numbers[2][MOST_BALLS];
    for (int i = 0; i < body->count; ++i) {
        const Ball *b = &body->balls[i];
        bool paired = (body->across_x ? b->x : b->z) > 0.0f;
        for (int side = 0; side < 2; ++side) {
            if (side == 1 && !paired) {
                numbers[1][i] = numbers[0][i];
                continue;
            }
            int at = numbers[side][i] = pills->vertex_count++;
            float sign = side == 1 ? -1.0f : 1.0f;
            pills->positions[at] = body->across_x ? sn_vec3(sign * b->x, b->y, b->z)
                                                  : sn_vec3(b->x, b->y, sign * b->z);
            pills->radii[at] = b->radius;
            if (b->to >= 0) {
                pills->edges[2 * pills->edge_count] = numbers[side][b->to];
                pills->edges[2 * pills->edge_count++ + 1] = at;
            }
        }
    }
}

// Moves and scales a mesh to where and as large as it is to be.
static void place(SnMesh *mesh, float size) {
    SnVec3 low = mesh->positions[0], high = low;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        SnVec3 x = mesh->positions[i];
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(low, high), 0.5f), box = sn_vec3_sub(high, low);
    float scale = size / fmaxf(box.x, fmaxf(box.y, box.z));
    for (int i = 0; i < mesh->vertex_count; ++i)
        mesh->positions[i] = sn_vec3_scale(sn_vec3_sub(mesh->positions[i], middle), scale);
}

static SnResult limbed_mesh(const Body *body, float size, int triangles,
                            const SnAllocator *allocator, SnMesh *out) {
    Pills pills = {0};
    make_pills(body, &pills);
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = pills.vertex_count;
    def.edge_count = pills.edge_count;
    def.positions = pills.positions;
    def.radii = pills.radii;
    def.edges = pills.edges;
    def.triangles = triangles;
    def.blend = body->blend;
    SnResult result = sn_iso_mesh(&def, allocator, out);
    if (result.code == SN_OK)
        place(out, size);
    return result;
}

const char *sn_solid_shape_name(SnSolidShape shape) {
    static const char *const names[SN_SOLID_SHAPE_COUNT] = {"dinosaur", "rabbit", "figure", "torus",
                                                            "bar",      "sheet",  "column"};
    return shape >= 0 && shape < SN_SOLID_SHAPE_COUNT ? names[shape] : "?";
}

SnResult sn_solid_mesh(SnSolidShape shape, float size, int triangles, const SnAllocator *allocator,
                       SnMesh *out_mesh) {
    if (out_mesh == NULL)
        return sn__null("solid: out_mesh");
    memset(out_mesh, 0, sizeof *out_mesh);
    if (shape < 0 || shape >= SN_SOLID_SHAPE_COUNT)
        return sn_error(SN_ERROR_INVALID, "solid: shape: %d is no SnSolidShape", (int)shape);
    if (!(size >= 1e-3f && size <= 1000.0f))
        return sn_error(SN_ERROR_INVALID, "solid: size: %g m is not in [0.001, 1000]",
                        (double)size);
    if (triangles < 200 || triangles > 1000000)
        return sn_error(SN_ERROR_INVALID, "solid: triangles: %d is not in [200, 1000000]",
                        triangles);
    SnResult result = shape <= SN_SOLID_FIGURE
                          ? limbed_mesh(&bodies[shape], size, triangles, allocator, out_mesh)
                          : sn__simple_solid_mesh(shape, size, triangles, allocator, out_mesh);
    if (result.code != SN_OK)
        memset(out_mesh, 0, sizeof *out_mesh);
    return result;
}
