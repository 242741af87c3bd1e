#include "skin/surface.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static uint64_t place_hash(SnVec3 x) {
    // Adding zero makes −0 and 0 one place.
    const float key[4] = {x.x + 0.0f, x.y + 0.0f, x.z + 0.0f, 0.0f};
    return sn__hash_bytes(0, key, sizeof key);
}

static bool same_place(SnVec3 a, SnVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool join_points(SkinSurface *s, const SnVec3 *positions) {
    size_t room = 16;
    while (room < 2 * (size_t)s->vertex_count)
        room *= 2;
    int *table = sn__alloc_array(&s->allocator, room, sizeof *table); // point + 1
    if (table == NULL)
        return false;
    for (int i = 0; i < s->vertex_count; ++i) {
        size_t at = place_hash(positions[i]) & (room - 1);
        while (table[at] && !same_place(positions[s->vertex[table[at] - 1]], positions[i]))
            at = (at + 1) & (room - 1);
        if (table[at] == 0) {
            assert(s->point_count < s->vertex_count);
            s->vertex[s->point_count++] = i;
            table[at] = s->point_count;
        }
        s->point[i] = table[at] - 1;
    }
    sn__free(&s->allocator, table, room * sizeof *table);
    return true;
}

// Corner c of triangle t is followed by the two others, but for those at the same place.
static int others(const SkinSurface *s, const uint32_t *triangles, int t, int c, int out[2]) {
    int here = s->point[triangles[3 * t + c]], count = 0;
    for (int k = 1; k < 3; ++k) {
        int other = s->point[triangles[3 * t + (c + k) % 3]];
        if (other != here)
            out[count++] = other;
    }
    return count;
}

static bool list_neighbours(SkinSurface *s, const uint32_t *triangles, int triangle_count) {
    int out[2];
    for (int i = 0; i < 3 * triangle_count; ++i)
        s->begin[s->point[triangles[i]] + 1] += others(s, triangles, i / 3, i % 3, out);
    for (int p = 0; p < s->point_count; ++p)
        s->begin[p + 1] += s->begin[p];
    s->neighbour_count = s->begin[s->point_count];
    s->neighbours = sn__alloc_array(&s->allocator, (size_t)s->neighbour_count, sizeof(int));
    if (s->neighbours == NULL)
        return false;
    for (int i = 0; i < 3 * triangle_count; ++i) {
        int count = others(s, triangles, i / 3, i % 3, out);
        for (int k = 0; k < count; ++k)
            s->neighbours[s->begin[s->point[triangles[i]]]++] = out[k];
    }
    // Every begin has moved to its end, which is where the next one began.
    memmove(s->begin + 1, s->begin, (size_t)s->point_count * sizeof(int));
    s->begin[0] = 0;
    return true;
}

bool sn__skin_surface_create(const SnAllocator *allocator, const SnVec3 *positions,
                             int vertex_count, const uint32_t *triangles, int triangle_count,
                             SkinSurface *out_surface) {
    SkinSurface *s = out_surface;
    size_t n = (size_t)vertex_count;
    *s = (SkinSurface){.allocator = *allocator, .vertex_count = vertex_count};
    s->point = sn__alloc_array(allocator, n, sizeof(int));
    s->vertex = sn__alloc_array(allocator, n, sizeof(int));
    s->begin = sn__alloc_array(allocator, n + 1, sizeof(int));
    if (s->point && s->vertex && s->begin && join_points(s, positions) &&
        list_neighbours(s, triangles, triangle_count))
        return true;
    sn__skin_surface_destroy(s);
    return false;
}

void sn__skin_surface_destroy(SkinSurface *s) {
    size_t n = (size_t)s->vertex_count;
    sn__free(&s->allocator, s->point, n * sizeof(int));
    sn__free(&s->allocator, s->vertex, n * sizeof(int));
    sn__free(&s->allocator, s->begin, (n + 1) * sizeof(int));
    sn__free(&s->allocator, s->neighbours, (size_t)s->neighbour_count * sizeof(int));
    *s = (SkinSurface){.allocator = s->allocator};
}

void sn__skin_surface_normals(const SkinSurface *s, const SnVec3 *positions,
                              const uint32_t *triangles, int triangle_count, Vec3d *out_normals) {
    memset(out_normals, 0, (size_t)s->point_count * sizeof *out_normals);
    for (int t = 0; t < triangle_count; ++t) {
        const uint32_t *v = triangles + 3 * (size_t)t;
        for (int c = 0; c < 3; ++c) {
            Vec3d a = vec3d(positions[v[c]]), *normal = &out_normals[s->point[v[c]]];
            Vec3d e = subd(vec3d(positions[v[(c + 1) % 3]]), a);
            Vec3d f = subd(vec3d(positions[v[(c + 2) % 3]]), a);
            double squares = dotd(e, e) * dotd(f, f);
            if (squares > 0.0)
                *normal = addd(*normal, scaled(crossd(e, f), 1.0 / squares));
        }
    }
    for (int p = 0; p < s->point_count; ++p) {
        double length = lengthd(out_normals[p]);
        out_normals[p] =
            length > 1e-30 ? scaled(out_normals[p], 1.0 / length) : (Vec3d){0.0, 1.0, 0.0};
    }
}
