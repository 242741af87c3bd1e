#include "geom/crossing.h"

#include "geom/bvh.h"

// Six times the volume of a tetrahedron; its sign tells on which side of a plane d is.
static double volume(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
    return dotd(subd(d, a), crossd(subd(b, a), subd(c, a)));
}

// Whether the segment from p to q goes through the inside of a triangle: its ends are on both sides of
// the plane, and all edges on one side of the segment's line.
static bool pierces(Vec3d p, Vec3d q, const Vec3d t[3]) {
    if (!(volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q) < 0.0))
        return false;
    double u = volume(p, q, t[0], t[1]), v = volume(p, q, t[1], t[2]), w = volume(p, q, t[2], t[0]);
    return (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
}

// Whether all corners of one triangle are on one side of the plane of another.
static bool beside_plane(const Vec3d a[3], const Vec3d b[3]) {
    Vec3d normal = crossd(subd(b[1], b[0]), subd(b[2], b[0]));
    double x = dotd(subd(a[0], b[0]), normal), y = dotd(subd(a[1], b[0]), normal);
    double z = dotd(subd(a[2], b[0]), normal);
    return (x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0);
}

bool sn__triangles_cross(const Vec3d a[3], const Vec3d b[3]) {
    if (beside_plane(a, b) || beside_plane(b, a))
        return false;
    for (int k = 0; k < 3; ++k)
        if (pierces(a[k], a[(k + 1) % 3], b) || pierces(b[k], b[(k + 1) % 3], a))
            return true;
    return false;
}

typedef struct Mesh {
    const SnVec3 *positions;
    const int *point;
    const uint32_t *triangles;
    const BvhBox *boxes;
    int triangle; // that others are compared with
    int count;
} Mesh;

static void corners(const Mesh *mesh, int triangle, Vec3d out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = vec3d(mesh->positions[mesh->triangles[3 * triangle + k]]);
}

static bool share_point(const Mesh *mesh, int a, int b) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (mesh->point[mesh->triangles[3 * a + i]] == mesh->point[mesh->triangles[3 * b + k]])
                return true;
    return false;
}

static double box_bound(const BvhBox *box, void *context) {
    const Mesh *mesh = context;
    const BvhBox *own = &mesh->boxes[mesh->triangle];
    for (int c = 0; c < 3; ++c)
        if (box->low[c] > own->high[c] || box->high[c] < own->low[c])
            return 1.0;
    return 0.0;
}

static double compare(int item, double limit, void *context) {
    Mesh *mesh = context;
    Vec3d a[3], b[3];
    if (item <= mesh->triangle || share_point(mesh, item, mesh->triangle))
        return limit;
    corners(mesh, mesh->triangle, a);
    corners(mesh, item, b);
    mesh->count += sn__triangles_cross(a, b);
    return limit;
}

int sn__count_crossings(const SnAllocator *allocator, const SnVec3 *positions, const int *point,
                        const uint32_t *triangles, int triangle_count) {
    size_t n = (size_t)triangle_count;
    BvhBox *boxes = sn__alloc_array(allocator, n, sizeof *boxes);
    Mesh mesh = {positions, point, triangles, boxes, 0, -1};
    Bvh tree = {.allocator = *allocator};
    for (int t = 0; t < triangle_count && boxes; ++t) {
        Vec3d c[3];
        corners(&mesh, t, c);
        boxes[t] = (BvhBox){{fmin(c[0].x, fmin(c[1].x, c[2].x)), fmin(c[0].y, fmin(c[1].y, c[2].y)),
                             fmin(c[0].z, fmin(c[1].z, c[2].z))},
                            {fmax(c[0].x, fmax(c[1].x, c[2].x)), fmax(c[0].y, fmax(c[1].y, c[2].y)),
                             fmax(c[0].z, fmax(c[1].z, c[2].z))}};
    }
    if (boxes && sn__bvh_build(&tree, allocator, boxes, triangle_count)) {
        mesh.count = 0;
        for (mesh.triangle = 0; mesh.triangle < triangle_count; ++mesh.triangle)
            sn__bvh_search(&tree, 0.5, box_bound, compare, &mesh);
    }
    sn__bvh_destroy(&tree);
    sn__free(allocator, boxes, n * sizeof *boxes);
    return mesh.count;
}
