#include "geom/trimesh.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define MAX_TRIANGLES (1 << 26)

static SnResult check_mesh(const SnVec3 *vertices, int vertex_count, const uint32_t *triangles,
                           int triangle_count) {
    if (vertices == NULL || vertex_count < 3)
        return sn_error(SN_ERROR_INVALID, "vertex_count: %d, at least 3 are needed",
                        vertices ? vertex_count : 0);
    if (triangles == NULL || triangle_count < 1)
        return sn_error(SN_ERROR_INVALID, "triangle_count: %d, at least 1 is needed",
                        triangles ? triangle_count : 0);
    if (triangle_count > MAX_TRIANGLES || vertex_count > 3 * MAX_TRIANGLES)
        return sn_error(SN_ERROR_LIMIT, "triangle_count: %d, at most %d are possible",
                        triangle_count, MAX_TRIANGLES);
    for (int i = 0; i < vertex_count; ++i)
        if (!sn__within3(vertices[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "vertices[%d] is not within %g m", i,
                            (double)SN_MAX_POSITION);
    for (int i = 0; i < 3 * triangle_count; ++i)
        if (triangles[i] >= (uint32_t)vertex_count)
            return sn_error(SN_ERROR_INVALID, "triangles[%d]: vertex %u is not in [0, %d)", i,
                            triangles[i], vertex_count);
    return sn_ok();
}

static int table_size(int count) {
    int size = 16;
    while (size / 2 < count)
        size *= 2;
    return size;
}

// For every vertex the first one at the same place, so that meshes cut open along seams, or with
// three vertices of their own per triangle, are closed. False: no memory.
static bool weld(const SnAllocator *allocator, const SnVec3 *vertices, int count, int *out_first) {
    int size = table_size(count);
    int *table = sn__alloc_array(allocator, (size_t)size, sizeof *table); // index + 1
    if (table == NULL)
        return false;
    for (int i = 0; i < count; ++i) {
        // Adding 0 makes −0 the same as 0.
        float key[3] = {vertices[i].x + 0.0f, vertices[i].y + 0.0f, vertices[i].z + 0.0f};
        uint64_t slot = sn__hash_bytes(0, key, sizeof key) & (uint64_t)(size - 1);
        out_first[i] = i;
        while (table[slot] != 0) {
            const SnVec3 *other = vertices + table[slot] - 1;
            if (other->x == key[0] && other->y == key[1] && other->z == key[2]) {
                out_first[i] = table[slot] - 1;
                break;
            }
            slot = (slot + 1) & (uint64_t)(size - 1);
        }
        if (out_first[i] == i)
            table[slot] = i + 1;
    }
    sn__free(allocator, table, (size_t)size * sizeof *table);
    return true;
}

static int find_edge(TriMesh *mesh, int a, int b) {
    assert(a != b && (mesh->edge_capacity & (mesh->edge_capacity - 1)) == 0);
    int low = a < b ? a : b, high = a < b ? b : a;
    uint64_t mask = (uint64_t)mesh->edge_capacity - 1;
    uint64_t slot = sn__hash_mix(sn__hash_mix(1, (uint64_t)low), (uint64_t)high) & mask;
    while (mesh->edges[slot].b != 0 && (mesh->edges[slot].a != low || mesh->edges[slot].b != high))
        slot = (slot + 1) & mask;
    mesh->edges[slot].a = low;
    mesh->edges[slot].b = high;
    return (int)slot;
}

// The angle between two directions, only used as a weight, and as the same bits everywhere: so a
// rational approximation of the arc cosine, good to 1 %.
static double angle_weight(Vec3d a, Vec3d b) {
    double n = lengthd(a) * lengthd(b), c = n > 0.0 ? dotd(a, b) / n : 0.0, x = fabs(c);
    double angle = sqrt(fmax(0.0, 1.0 - x)) * (1.5707288 + x * (-0.2121144 + x * 0.074261));
    return c < 0.0 ? 3.14159265358979 - angle : angle;
}

static void add_triangle(TriMesh *mesh, const SnVec3 *vertices, const int vertex[3]) {
    assert(mesh->triangle_count < mesh->triangle_capacity);
    MeshTriangle *t = mesh->triangles + mesh->triangle_count++;
    for (int i = 0; i < 3; ++i) {
        t->vertex[i] = vertex[i];
        t->corners[i] = vec3d(vertices[vertex[i]]);
    }
    Vec3d area = crossd(subd(t->corners[1], t->corners[0]), subd(t->corners[2], t->corners[0]));
    double length = lengthd(area);
    t->size = fmax(lengthd(subd(t->corners[1], t->corners[0])),
                   lengthd(subd(t->corners[2], t->corners[0])));
    if (length > 0.0)
        t->normal = scaled(area, 1.0 / length);
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3, last = (i + 2) % 3;
        t->edge[i] = find_edge(mesh, vertex[i], vertex[next]);
        MeshEdge *edge = mesh->edges + t->edge[i];
        edge->balance += vertex[i] < vertex[next] ? 1 : -1;
        edge->normal = addd(edge->normal, t->normal);
        double angle = angle_weight(subd(t->corners[next], t->corners[i]),
                                    subd(t->corners[last], t->corners[i]));
        Vec3d *normal = mesh->vertex_normals + vertex[i];
        *normal = addd(*normal, scaled(t->normal, angle));
    }
    Vec3d from = subd(t->corners[0], mesh->low);
    mesh->volume += dotd(from, area) / 6.0;
}

static void find_bounds(TriMesh *mesh, const SnVec3 *vertices, const uint32_t *triangles,
                        int triangle_count) {
    mesh->low = mesh->high = vec3d(vertices[triangles[0]]);
    for (int i = 1; i < 3 * triangle_count; ++i) {
        Vec3d x = vec3d(vertices[triangles[i]]);
        mesh->low = (Vec3d){fmin(mesh->low.x, x.x), fmin(mesh->low.y, x.y), fmin(mesh->low.z, x.z)};
        mesh->high =
            (Vec3d){fmax(mesh->high.x, x.x), fmax(mesh->high.y, x.y), fmax(mesh->high.z, x.z)};
    }
}

static bool fill(TriMesh *mesh, const SnVec3 *vertices, int vertex_count, const uint32_t *triangles,
                 int triangle_count) {
    const SnAllocator *a = &mesh->allocator;
    mesh->vertex_count = vertex_count;
    mesh->triangle_capacity = triangle_count;
    mesh->edge_capacity = table_size(3 * triangle_count);
    mesh->triangles = sn__alloc_array(a, (size_t)triangle_count, sizeof(MeshTriangle));
    mesh->vertex_normals = sn__alloc_array(a, (size_t)vertex_count, sizeof(Vec3d));
    mesh->edges = sn__alloc_array(a, (size_t)mesh->edge_capacity, sizeof(MeshEdge));
    int *first = sn__alloc_array(a, (size_t)vertex_count, sizeof *first);
    bool complete = mesh->triangles && mesh->vertex_normals && mesh->edges && first &&
                    weld(a, vertices, vertex_count, first);
    for (int i = 0; i < triangle_count && complete; ++i) {
        int vertex[3];
        for (int c = 0; c < 3; ++c)
            vertex[c] = first[triangles[3 * i + c]];
        // One that has shrunk to an edge or a point closes nothing and opens nothing.
        if (vertex[0] != vertex[1] && vertex[1] != vertex[2] && vertex[2] != vertex[0])
            add_triangle(mesh, vertices, vertex);
    }
    sn__free(a, first, (size_t)vertex_count * sizeof *first);
    return complete;
}

SnResult sn__trimesh_create(const SnAllocator *allocator, const SnVec3 *vertices, int vertex_count,
                            const uint32_t *triangles, int triangle_count, TriMesh *out) {
    memset(out, 0, sizeof *out);
    SnResult result = check_mesh(vertices, vertex_count, triangles, triangle_count);
    if (result.code != SN_OK)
        return result;
    out->allocator = *allocator;
    find_bounds(out, vertices, triangles, triangle_count);
    bool complete = fill(out, vertices, vertex_count, triangles, triangle_count);
    bool flat = true;
    for (int i = 0; i < out->triangle_count && flat; ++i)
        flat = dotd(out->triangles[i].normal, out->triangles[i].normal) == 0.0;
    if (!complete)
        result = sn_error(SN_ERROR_MEMORY, "no memory for %d triangles", triangle_count);
    else if (flat)
        result =
            sn_error(SN_ERROR_INVALID, "triangles: none of the %d has an area", triangle_count);
    if (result.code != SN_OK) {
        sn__trimesh_destroy(out);
        return result;
    }
    out->closed = true;
    for (int i = 0; i < out->edge_capacity; ++i)
        out->closed &= out->edges[i].balance == 0;
    return result;
}

void sn__trimesh_destroy(TriMesh *mesh) {
    const SnAllocator *a = &mesh->allocator;
    sn__free(a, mesh->triangles, (size_t)mesh->triangle_capacity * sizeof(MeshTriangle));
    sn__free(a, mesh->vertex_normals, (size_t)mesh->vertex_count * sizeof(Vec3d));
    sn__free(a, mesh->edges, (size_t)mesh->edge_capacity * sizeof(MeshEdge));
    memset(mesh, 0, sizeof *mesh);
}

double sn__trimesh_distance(const TriMesh *mesh, int triangle, Vec3d x) {
    assert(triangle >= 0 && triangle < mesh->triangle_count);
    const MeshTriangle *t = mesh->triangles + triangle;
    int part;
    Vec3d way = subd(x, sn__triangle_nearest(t->corners, x, &part));
    Vec3d normal = part == TRIANGLE_FACE   ? t->normal
                   : part >= TRIANGLE_EDGE ? mesh->edges[t->edge[part - TRIANGLE_EDGE]].normal
                                           : mesh->vertex_normals[t->vertex[part]];
    double distance = lengthd(way);
    return dotd(way, normal) < 0.0 ? -distance : distance;
}
