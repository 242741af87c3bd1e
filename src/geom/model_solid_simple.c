#include "geom/model_solid.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"

#define PI 3.14159265358979323846

// A rectangle of vertices, columns from left to right and rows upwards as seen from outside. Where it is
// closed, the last column or row is followed by the first.
typedef struct Grid {
    int columns, rows; // of quads
    bool closed_columns, closed_rows;
    Vec3d (*point)(const struct Grid *grid, double u, double v); // u and v from 0 to 1
    Vec3d (*normal)(const struct Grid *grid, double u, double v);
    Vec3d origin, right, up; // of a plane
    double radius, tube;     // of a torus; of the side of a cylinder, or of its ends
    double half;             // the height of a cylinder
} Grid;

static Vec3d plane_point(const Grid *g, double u, double v) {
    return addd(g->origin, addd(scaled(g->right, u), scaled(g->up, v)));
}

static Vec3d plane_normal(const Grid *g, double u, double v) {
    (void)u;
    (void)v;
    Vec3d n = crossd(g->right, g->up);
    return scaled(n, 1.0 / lengthd(n));
}

// Around y, from +z towards +x.
static Vec3d around(double u) { return (Vec3d){sin(2.0 * PI * u), 0.0, cos(2.0 * PI * u)}; }

static Vec3d torus_normal(const Grid *g, double u, double v) {
    (void)g;
    Vec3d n = scaled(around(u), cos(2.0 * PI * v));
    n.y = sin(2.0 * PI * v);
    return n;
}

static Vec3d torus_point(const Grid *g, double u, double v) {
    return addd(scaled(around(u), g->radius), scaled(torus_normal(g, u, v), g->tube));
}

static Vec3d side_normal(const Grid *g, double u, double v) {
    (void)g;
    (void)v;
    return around(u);
}

static Vec3d side_point(const Grid *g, double u, double v) {
    Vec3d x = scaled(around(u), g->radius);
    x.y = g->half * (2.0 * v - 1.0);
    return x;
}

// The end above for a positive height, where rows go inwards, or that below, where they go outwards.
static Vec3d end_normal(const Grid *g, double u, double v) {
    (void)u;
    (void)v;
    return (Vec3d){0.0, g->half > 0.0 ? 1.0 : -1.0, 0.0};
}

static Vec3d end_point(const Grid *g, double u, double v) {
    Vec3d x = scaled(around(u), g->radius * (g->half > 0.0 ? 1.0 - v : v));
    x.y = g->half;
    return x;
}

static int across(const Grid *g) { return g->columns + !g->closed_columns; }
static int along(const Grid *g) { return g->rows + !g->closed_rows; }

static void add_triangle(SnMesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
    SnVec3 p = mesh->positions[a];
    SnVec3 n =
        sn_vec3_cross(sn_vec3_sub(mesh->positions[b], p), sn_vec3_sub(mesh->positions[c], p));
    if (!(sn_vec3_length(n) > 0.0f)) // at the middle of an end, rows are a point
        return;
    uint32_t t[3] = {a, b, c};
    memcpy(mesh->triangles + 3 * mesh->triangle_count++, t, sizeof t);
}

static void add_grid(SnMesh *mesh, const Grid *g) {
    int first = mesh->vertex_count, wide = across(g), high = along(g);
    for (int j = 0; j < high; ++j)
        for (int i = 0; i < wide; ++i) {
            double u = (double)i / g->columns, v = (double)j / g->rows;
            mesh->positions[mesh->vertex_count] = vec3f(g->point(g, u, v));
            mesh->normals[mesh->vertex_count++] = vec3f(g->normal(g, u, v));
        }
    for (int j = 0; j < g->rows; ++j)
        for (int i = 0; i < g->columns; ++i) {
            int right = (i + 1) % wide, up = (j + 1) % high;
            uint32_t a = (uint32_t)(first + j * wide + i), b = (uint32_t)(first + j * wide + right);
            uint32_t c = (uint32_t)(first + up * wide + right),
                     d = (uint32_t)(first + up * wide + i);
            add_triangle(mesh, a, b, c);
            add_triangle(mesh, a, c, d);
        }
}

static SnResult build(const Grid *grids, int count, const SnAllocator *allocator, SnMesh *out) {
    size_t vertices = 0, triangles = 0;
    for (int i = 0; i < count; ++i) {
        vertices += (size_t)across(&grids[i]) * (size_t)along(&grids[i]);
        triangles += 2 * (size_t)grids[i].columns * (size_t)grids[i].rows;
    }
    SnMesh mesh = {.allocator = allocator ? *allocator : sn__default_allocator()};
    mesh.size = 2 * vertices * sizeof(SnVec3) + 3 * triangles * sizeof(uint32_t);
    mesh.positions = sn__alloc(&mesh.allocator, mesh.size);
    if (mesh.positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "solid: no memory for %zu triangles", triangles);
    mesh.normals = mesh.positions + vertices;
    mesh.triangles = (uint32_t *)(mesh.normals + vertices);
    for (int i = 0; i < count; ++i)
        add_grid(&mesh, &grids[i]);
    *out = mesh;
    return sn_ok();
}

static int at_least(double count, int least) { return count > least ? (int)count : least; }

static SnResult torus(double size, int triangles, const SnAllocator *allocator, SnMesh *out) {
    // Quads are about square: so many times more around the ring than around the tube.
    double tube = 0.5 * size * 0.4 / 1.4, radius = tube / 0.4;
    int rows = at_least(sqrt(0.5 * triangles * 0.4), 8);
    Grid grid = {.columns = at_least(0.5 * triangles / rows, 8),
                 .rows = rows,
                 .closed_columns = true,
                 .closed_rows = true,
                 .point = torus_point,
                 .normal = torus_normal,
                 .radius = radius,
                 .tube = tube};
    return build(&grid, 1, allocator, out);
}

static Grid plane(Vec3d centre, Vec3d right, Vec3d up, double quad) {
    return (Grid){.columns = at_least(lengthd(right) / quad + 0.5, 1),
                  .rows = at_least(lengthd(up) / quad + 0.5, 1),
                  .point = plane_point,
                  .normal = plane_normal,
                  .origin = subd(centre, scaled(addd(right, up), 0.5)),
                  .right = right,
                  .up = up};
}

static SnResult bar(double size, int triangles, const SnAllocator *allocator, SnMesh *out) {
    double w = size / 8.0, area = 4.0 * size * w + 2.0 * w * w, quad = sqrt(2.0 * area / triangles);
    Vec3d x = {size, 0.0, 0.0}, y = {0.0, w, 0.0}, z = {0.0, 0.0, w};
    const Grid grids[6] = {plane(scaled(x, 0.5), scaled(z, -1.0), y, quad),
                           plane(scaled(x, -0.5), z, y, quad),
                           plane(scaled(y, 0.5), x, scaled(z, -1.0), quad),
                           plane(scaled(y, -0.5), x, z, quad),
                           plane(scaled(z, 0.5), x, y, quad),
                           plane(scaled(z, -0.5), scaled(x, -1.0), y, quad)};
    return build(grids, 6, allocator, out);
}

static SnResult sheet(double size, int triangles, const SnAllocator *allocator, SnMesh *out) {
    Vec3d x = {size, 0.0, 0.0}, z = {0.0, 0.0, -size};
    Grid grid = plane((Vec3d){0.0, 0.0, 0.0}, x, z, size / sqrt(0.5 * triangles));
    return build(&grid, 1, allocator, out);
}

static SnResult column(double size, int triangles, const SnAllocator *allocator, SnMesh *out) {
    double r = size / 8.0, quad = sqrt(2.0 * 2.0 * PI * r * (size + r) / triangles);
    int columns = at_least(2.0 * PI * r / quad, 8);
    Grid side = {.columns = columns,
                 .rows = at_least(size / quad, 2),
                 .closed_columns = true,
                 .point = side_point,
                 .normal = side_normal,
                 .radius = r,
                 .half = 0.5 * size};
    Grid top = side;
    top.rows = at_least(r / quad, 1);
    top.point = end_point;
    top.normal = end_normal;
    Grid bottom = top;
    bottom.half = -0.5 * size;
    const Grid grids[3] = {side, top, bottom};
    return build(grids, 3, allocator, out);
}

SnResult sn__simple_solid_mesh(SnSolidShape shape, float size, int triangles,
                               const SnAllocator *allocator, SnMesh *out_mesh) {
    double length = (double)size;
    switch (shape) {
    case SN_SOLID_TORUS:
        return torus(length, triangles, allocator, out_mesh);
    case SN_SOLID_BAR:
        return bar(length, triangles, allocator, out_mesh);
    case SN_SOLID_SHEET:
        return sheet(length, triangles, allocator, out_mesh);
    default:
        return column(length, triangles, allocator, out_mesh);
    }
}
