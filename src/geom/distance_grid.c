#include <assert.h>
#include <string.h>

#include "geom/solid.h"
#include "geom/trimesh.h"

// Cells around a triangle in which distances are measured, and cells around the mesh.
#define BAND 2.0
#define MARGIN 4.0

// Where the user leaves them open: cells along the mesh's longest side, and a shell's, in cells.
#define DEFAULT_CELLS 64.0
#define DEFAULT_SHELL 2.0

// Which triangle is nearest to each point, as far as known, and on which side the point is.
typedef struct Filling {
    DistanceGrid *grid;
    const TriMesh *mesh;
    int32_t *nearest; // −1: not known
    int8_t *side;     // 0: not known
} Filling;

static size_t index_of(const DistanceGrid *grid, int x, int y, int z) {
    assert(x >= 0 && x < grid->size[0] && y >= 0 && y < grid->size[1]);
    assert(z >= 0 && z < grid->size[2]);
    return ((size_t)z * (size_t)grid->size[1] + (size_t)y) * (size_t)grid->size[0] + (size_t)x;
}

static size_t point_count(const DistanceGrid *grid) {
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
}

static Vec3d point_at(const DistanceGrid *grid, int x, int y, int z) {
    return (Vec3d){grid->low[0] + x * grid->cell, grid->low[1] + y * grid->cell,
                   grid->low[2] + z * grid->cell};
}

static double longest_side(const TriMesh *mesh) {
    Vec3d size = subd(mesh->high, mesh->low);
    return fmax(size.x, fmax(size.y, size.z));
}

static SnResult choose_size(DistanceGrid *grid, const TriMesh *mesh, double cell, double shell) {
    assert(cell > 0.0 && shell >= 0.0);
    double low[3] = {mesh->low.x, mesh->low.y, mesh->low.z};
    double high[3] = {mesh->high.x, mesh->high.y, mesh->high.z};
    double margin = MARGIN * cell + 0.5 * shell, points = 1.0, size[3];
    for (int c = 0; c < 3; ++c) {
        size[c] = ceil((high[c] - low[c] + 2.0 * margin) / cell) + 1.0;
        grid->low[c] = 0.5 * (low[c] + high[c] - (size[c] - 1.0) * cell);
        points *= size[c];
    }
    if (!(points <= (double)MAX_GRID_POINTS))
        return sn_error(SN_ERROR_LIMIT,
                        "cell: %g m makes a grid of %.0f × %.0f × %.0f points, more than %d", cell,
                        size[0], size[1], size[2], MAX_GRID_POINTS);
    for (int c = 0; c < 3; ++c)
        grid->size[c] = (int)size[c];
    grid->cell = cell;
    return sn_ok();
}

// The grid points of one axis from `low` to `high`, within the grid.
static void range_of(const DistanceGrid *grid, int axis, double low, double high, int *first,
                     int *last) {
    *first = (int)fmax(0.0, ceil((low - grid->low[axis]) / grid->cell));
    *last = (int)fmin(grid->size[axis] - 1.0, floor((high - grid->low[axis]) / grid->cell));
}

static void measure_triangle(Filling *f, int triangle) {
    const MeshTriangle *t = f->mesh->triangles + triangle;
    DistanceGrid *grid = f->grid;
    if (dotd(t->normal, t->normal) == 0.0)
        return;
    double band = BAND * grid->cell;
    Vec3d a = t->corners[0], b = t->corners[1], c = t->corners[2];
    int x0, x1, y0, y1, z0, z1;
    range_of(grid, 0, fmin(a.x, fmin(b.x, c.x)) - band, fmax(a.x, fmax(b.x, c.x)) + band, &x0, &x1);
    range_of(grid, 1, fmin(a.y, fmin(b.y, c.y)) - band, fmax(a.y, fmax(b.y, c.y)) + band, &y0, &y1);
    range_of(grid, 2, fmin(a.z, fmin(b.z, c.z)) - band, fmax(a.z, fmax(b.z, c.z)) + band, &z0, &z1);
    for (int z = z0; z <= z1; ++z)
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) {
                Vec3d p = point_at(grid, x, y, z);
                size_t i = index_of(grid, x, y, z);
                if (fabs(dotd(subd(p, a), t->normal)) > fmin(band, (double)grid->distance[i]))
                    continue;
                int part;
                double d = lengthd(subd(p, sn__triangle_nearest(t->corners, p, &part)));
                if (d <= band && d < (double)grid->distance[i]) {
                    grid->distance[i] = (float)d;
                    f->nearest[i] = triangle;
                }
            }
}

static void find_sides(Filling *f) {
    const DistanceGrid *grid = f->grid;
    for (int z = 0; z < grid->size[2]; ++z)
        for (int y = 0; y < grid->size[1]; ++y)
            for (int x = 0; x < grid->size[0]; ++x) {
                size_t i = index_of(grid, x, y, z);
                if (f->nearest[i] < 0)
                    continue;
                Vec3d p = point_at(grid, x, y, z);
                f->side[i] = sn__trimesh_distance(f->mesh, f->nearest[i], p) < 0.0 ? -1 : 1;
            }
}

// What is nearest to the neighbour is nearest to the point, or almost: the distance far from the mesh
// is too large by a few hundredths of a cell at most. Outside the band the surface does
// not come between neighbours, so that they are on the same side.
static void ask_neighbour(Filling *f, size_t i, size_t neighbour, Vec3d p) {
    int32_t triangle = f->nearest[neighbour];
    if (triangle < 0 || triangle == f->nearest[i])
        return;
    int part;
    const MeshTriangle *t = f->mesh->triangles + triangle;
    double known = (double)f->grid->distance[i], reach = known + t->size;
    Vec3d way = subd(p, t->corners[0]);
    if (dotd(way, way) >= reach * reach)
        return;
    double d = lengthd(subd(p, sn__triangle_nearest(t->corners, p, &part)));
    if (d >= known)
        return;
    f->grid->distance[i] = (float)d;
    f->nearest[i] = triangle;
    if (f->side[i] == 0)
        f->side[i] = f->side[neighbour];
}

// One sweep over all points away from one of the eight corners.
static void sweep(Filling *f, int corner) {
    const DistanceGrid *grid = f->grid;
    const int *size = grid->size;
    double band = BAND * grid->cell;
    int dx = corner & 1 ? -1 : 1, dy = corner & 2 ? -1 : 1, dz = corner & 4 ? -1 : 1;
    for (int k = 0; k < size[2]; ++k)
        for (int j = 0; j < size[1]; ++j)
            for (int n = 0; n < size[0]; ++n) {
                int x = dx > 0 ? n : size[0] - 1 - n, y = dy > 0 ? j : size[1] - 1 - j;
                int z = dz > 0 ? k : size[2] - 1 - k;
                size_t i = index_of(grid, x, y, z);
                if ((double)grid->distance[i] <= band)
                    continue;
                Vec3d p = point_at(grid, x, y, z);
                for (int b = 1; b < 8; ++b) {
                    int bx = b & 1, by = b >> 1 & 1, bz = b >> 2;
                    if (bx <= n && by <= j && bz <= k)
                        ask_neighbour(f, i, index_of(grid, x - bx * dx, y - by * dy, z - bz * dz),
                                      p);
                }
            }
}

static bool fill(DistanceGrid *grid, const TriMesh *mesh, double shell) {
    const SnAllocator *a = &grid->allocator;
    size_t count = point_count(grid);
    grid->distance = sn__alloc_array(a, count, sizeof(float));
    Filling f = {grid, mesh, sn__alloc_array(a, count, sizeof(int32_t)),
                 sn__alloc_array(a, count, sizeof(int8_t))};
    bool complete = grid->distance && f.nearest && f.side;
    if (complete) {
        for (size_t i = 0; i < count; ++i) {
            grid->distance[i] = INFINITY;
            f.nearest[i] = -1;
        }
        for (int i = 0; i < mesh->triangle_count; ++i)
            measure_triangle(&f, i);
        find_sides(&f);
        for (int corner = 0; corner < 8; ++corner)
            sweep(&f, corner);
        for (size_t i = 0; i < count; ++i) {
            float d = grid->distance[i];
            grid->distance[i] = mesh->closed ? (float)f.side[i] * d : d - (float)(0.5 * shell);
        }
    }
    sn__free(a, f.nearest, count * sizeof(int32_t));
    sn__free(a, f.side, count * sizeof(int8_t));
    return complete;
}

SnResult sn__distance_grid_create(const SnAllocator *allocator, const SnVec3 *vertices,
                                  int vertex_count, const uint32_t *triangles, int triangle_count,
                                  double cell, double shell, DistanceGrid *out_grid) {
    memset(out_grid, 0, sizeof *out_grid);
    out_grid->allocator = *allocator;
    if (!(cell >= 0.0 && cell <= (double)SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "cell: %g m is not in [0, %g]", cell,
                        (double)SN_MAX_POSITION);
    if (!(shell >= 0.0 && shell <= (double)SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "shell: %g m is not in [0, %g]", shell,
                        (double)SN_MAX_POSITION);
    TriMesh mesh;
    SnResult result =
        sn__trimesh_create(allocator, vertices, vertex_count, triangles, triangle_count, &mesh);
    if (result.code != SN_OK)
        return result;
    if (cell == 0.0)
        cell = longest_side(&mesh) / DEFAULT_CELLS;
    if (shell == 0.0)
        shell = DEFAULT_SHELL * cell;
    if (mesh.closed)
        shell = 0.0;
    if (mesh.closed && mesh.volume <= 0.0)
        result = sn_error(SN_ERROR_INVALID,
                          "triangles: the mesh is inside out (its volume is %g "
                          "m³); they must wind anticlockwise as seen from outside",
                          mesh.volume);
    else
        result = choose_size(out_grid, &mesh, cell, shell);
    if (result.code == SN_OK && !fill(out_grid, &mesh, shell)) {
        result = sn_error(SN_ERROR_MEMORY, "no memory for a grid of %d × %d × %d points",
                          out_grid->size[0], out_grid->size[1], out_grid->size[2]);
        sn__distance_grid_destroy(out_grid);
    }
    sn__trimesh_destroy(&mesh);
    return result;
}

void sn__distance_grid_destroy(DistanceGrid *grid) {
    sn__free(&grid->allocator, grid->distance, point_count(grid) * sizeof(float));
    memset(grid, 0, sizeof *grid);
}

// The cell that a coordinate is in, and how far across it is. What is outside the grid, or is not a
// number, is moved to its border.
static int cell_of(const DistanceGrid *grid, int axis, double x, double *out_t) {
    assert(grid->size[axis] >= 2 && grid->cell > 0.0);
    double at = fmin(fmax((x - grid->low[axis]) / grid->cell, 0.0), grid->size[axis] - 1.0);
    int i = (int)at;
    if (i > grid->size[axis] - 2)
        i = grid->size[axis] - 2;
    *out_t = at - i;
    return i;
}

static double mix(double a, double b, double t) { return a + (b - a) * t; }

// The three-linear interpolation and its gradient, inside the grid.
static double interpolate(const DistanceGrid *grid, Vec3d x, Vec3d *gradient) {
    double u, v, w;
    int i = cell_of(grid, 0, x.x, &u), j = cell_of(grid, 1, x.y, &v), k = cell_of(grid, 2, x.z, &w);
    double rows[2][2][2]; // z, y: the value in the row, and its slope along x
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 2; ++y) {
            const float *d = grid->distance + index_of(grid, i, j + y, k + z);
            rows[z][y][0] = mix((double)d[0], (double)d[1], u);
            rows[z][y][1] = (double)d[1] - (double)d[0];
        }
    double low = mix(rows[0][0][0], rows[0][1][0], v), high = mix(rows[1][0][0], rows[1][1][0], v);
    gradient->x =
        mix(mix(rows[0][0][1], rows[0][1][1], v), mix(rows[1][0][1], rows[1][1][1], v), w);
    gradient->y = mix(rows[0][1][0] - rows[0][0][0], rows[1][1][0] - rows[1][0][0], w);
    gradient->z = high - low;
    return mix(low, high, w);
}

static Vec3d unit_or_up(Vec3d v) {
    double n = lengthd(v);
    return n > 0.0 ? scaled(v, 1.0 / n) : (Vec3d){0.0, 1.0, 0.0};
}

double sn__distance_grid_at(const DistanceGrid *grid, Vec3d x, Vec3d *out_gradient) {
    double c[3] = {x.x, x.y, x.z};
    for (int axis = 0; axis < 3; ++axis) {
        double high = grid->low[axis] + (grid->size[axis] - 1) * grid->cell;
        c[axis] = fmin(fmax(c[axis], grid->low[axis]), high);
    }
    Vec3d inside = {c[0], c[1], c[2]}, gradient;
    double distance = interpolate(grid, inside, &gradient);
    gradient = unit_or_up(gradient);
    if (inside.x != x.x || inside.y != x.y || inside.z != x.z) {
        // The border point's foot on the surface is about the nearest to the point, too.
        Vec3d foot = subd(inside, scaled(gradient, distance));
        gradient = unit_or_up(subd(x, foot));
        distance = lengthd(subd(x, foot));
    }
    if (out_gradient)
        *out_gradient = gradient;
    return distance;
}
