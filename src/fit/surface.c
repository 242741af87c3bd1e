#include "fit/surface.h"

#include <string.h>

// Points that are nearer than this part of the mesh's size are one.
#define WELD 1e-6

static uint32_t hash3(int64_t x, int64_t y, int64_t z) {
    uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)z * 0x165667B19E3779F9u;
    return (uint32_t)(h ^ h >> 29 ^ h >> 47);
}

static uint32_t table_mask(size_t count) {
    uint32_t size = 64;
    while (size < 2 * count)
        size *= 2;
    return size - 1;
}

static SnResult check_input(const SnVec3 *positions, int vertex_count, const uint32_t *triangles,
                            int triangle_count) {
    for (int i = 0; i < vertex_count; ++i)
        if (!sn__finite3(positions[i]) || !sn__within3(positions[i], LARGEST_NUMBER))
            return sn_error(SN_ERROR_INVALID, "mesh: vertex %d is at (%g, %g, %g), not finite", i,
                            (double)positions[i].x, (double)positions[i].y, (double)positions[i].z);
    for (int i = 0; i < 3 * triangle_count; ++i)
        if (triangles[i] >= (uint32_t)vertex_count)
            return sn_error(SN_ERROR_INVALID, "mesh: triangle %d uses vertex %u of %d", i / 3,
                            triangles[i], vertex_count);
    return sn_ok();
}

static void find_box(FitSurface *surface, const SnVec3 *positions, int count) {
    Vec3d low = vec3d(positions[0]), high = low;
    for (int i = 1; i < count; ++i) {
        Vec3d x = vec3d(positions[i]);
        low = (Vec3d){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (Vec3d){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    surface->centre = scaled(addd(low, high), 0.5);
    surface->size = lengthd(subd(high, low));
}

// Gives every vertex the number of the first one at its place; false: no memory.
static bool weld(FitMemory *memory, FitSurface *surface, const SnVec3 *positions, int count,
                 int *number) {
    uint32_t mask = table_mask((size_t)count);
    int *slots = sn__fit_alloc(memory, (size_t)mask + 1, sizeof *slots);
    int64_t(*keys)[3] = sn__fit_alloc(memory, (size_t)count, sizeof *keys);
    surface->points = sn__fit_alloc(memory, (size_t)count, sizeof *surface->points);
    if (slots == NULL || keys == NULL || surface->points == NULL)
        return false;
    double unit = 1.0 / (WELD * surface->size);
    for (int i = 0; i < count; ++i) {
        Vec3d x = subd(vec3d(positions[i]), surface->centre);
        int64_t key[3] = {(int64_t)floor(x.x * unit + 0.5), (int64_t)floor(x.y * unit + 0.5),
                          (int64_t)floor(x.z * unit + 0.5)};
        uint32_t slot = hash3(key[0], key[1], key[2]) & mask;
        while (slots[slot] != 0 && memcmp(keys[slots[slot] - 1], key, sizeof key) != 0)
            slot = (slot + 1) & mask;
        if (slots[slot] == 0) {
            memcpy(keys[surface->point_count], key, sizeof key);
            surface->points[surface->point_count] = x;
            slots[slot] = ++surface->point_count;
        }
        number[i] = slots[slot] - 1;
    }
    return true;
}

static bool has_area(const FitSurface *surface, const int t[3]) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
        return false;
    Vec3d a = surface->points[t[0]], b = surface->points[t[1]], c = surface->points[t[2]];
    Vec3d n = crossd(subd(b, a), subd(c, a));
    double least = WELD * WELD * surface->size * surface->size;
    return lengthd(n) > 1e-3 * least;
}

// Whether three corners, in any order, were already given; they are remembered.
static bool is_double(int (*slots)[3], uint32_t mask, const int t[3]) {
    int low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0], middle = t[2];
    if (middle < low) {
        int swap = low;
        low = middle;
        middle = swap;
    } else if (middle > high) {
        int swap = high;
        high = middle;
        middle = swap;
    }
    uint32_t slot = hash3(low, middle, high) & mask;
    for (; slots[slot][2] != 0; slot = (slot + 1) & mask)
        if (slots[slot][0] == low && slots[slot][1] == middle && slots[slot][2] == high)
            return true;
    slots[slot][0] = low;
    slots[slot][1] = middle;
    slots[slot][2] = high;
    return false;
}

static bool copy_triangles(FitMemory *memory, FitSurface *surface, const uint32_t *triangles,
                           int count, const int *number) {
    uint32_t mask = table_mask((size_t)count);
    int(*slots)[3] = sn__fit_alloc(memory, (size_t)mask + 1, sizeof *slots);
    surface->triangles = sn__fit_alloc(memory, (size_t)count, sizeof *surface->triangles);
    if (slots == NULL || surface->triangles == NULL)
        return false;
    for (int i = 0; i < count; ++i) {
        int t[3];
        for (int c = 0; c < 3; ++c)
            t[c] = number[triangles[3 * i + c]];
        if (has_area(surface, t) && !is_double(slots, mask, t))
            memcpy(surface->triangles[surface->triangle_count++], t, sizeof t);
        else
            ++surface->degenerate;
    }
    return true;
}

bool sn__fit_find_edges(FitMemory *memory, const FitSurface *surface, FitEdges *out) {
    out->mask = table_mask(2 * (size_t)surface->triangle_count);
    out->slots = sn__fit_alloc(memory, (size_t)out->mask + 1, sizeof *out->slots);
    if (out->slots == NULL)
        return false;
    for (int i = 0; i < surface->triangle_count; ++i)
        for (int c = 0; c < 3; ++c) {
            int a = surface->triangles[i][c], b = surface->triangles[i][(c + 1) % 3];
            int low = a < b ? a : b, high = a < b ? b : a;
            uint32_t slot = hash3(low, high, 0) & out->mask;
            while (out->slots[slot].count > 0 &&
                   (out->slots[slot].a != low || out->slots[slot].b != high))
                slot = (slot + 1) & out->mask;
            FitEdge *edge = out->slots + slot;
            edge->a = low;
            edge->b = high;
            if (edge->count < 2)
                edge->triangles[edge->count] = i;
            ++edge->count;
        }
    return true;
}

FitEdge *sn__fit_edge(const FitEdges *edges, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    uint32_t slot = hash3(low, high, 0) & edges->mask;
    for (; edges->slots[slot].count > 0; slot = (slot + 1) & edges->mask)
        if (edges->slots[slot].a == low && edges->slots[slot].b == high)
            return edges->slots + slot;
    return NULL;
}

void sn__fit_measure(FitSurface *surface) {
    surface->area = surface->volume = 0.0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        const int *t = surface->triangles[i];
        Vec3d a = surface->points[t[0]], b = surface->points[t[1]], c = surface->points[t[2]];
        surface->area += 0.5 * lengthd(crossd(subd(b, a), subd(c, a)));
        surface->volume += dotd(a, crossd(b, c)) / 6.0;
    }
}

static double triangle_area(const FitSurface *surface, int i) {
    const int *t = surface->triangles[i];
    Vec3d a = surface->points[t[0]];
    return 0.5 * lengthd(crossd(subd(surface->points[t[1]], a), subd(surface->points[t[2]], a)));
}

static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

// Keeps the triangles that hang together by edges and have the largest area.
static bool keep_largest_shell(FitMemory *memory, FitSurface *surface) {
    FitEdges edges;
    int *parents = sn__fit_alloc(memory, (size_t)surface->triangle_count, sizeof *parents);
    double *areas = sn__fit_alloc(memory, (size_t)surface->triangle_count, sizeof *areas);
    if (parents == NULL || areas == NULL || !sn__fit_find_edges(memory, surface, &edges))
        return false;
    for (int i = 0; i < surface->triangle_count; ++i)
        parents[i] = i;
    for (int i = 0; i < surface->triangle_count; ++i)
        for (int c = 0; c < 3; ++c) {
            const int *t = surface->triangles[i];
            int other = sn__fit_edge(&edges, t[c], t[(c + 1) % 3])->triangles[0];
            parents[find_root(parents, i)] = find_root(parents, other);
        }
    for (int i = 0; i < surface->triangle_count; ++i)
        areas[find_root(parents, i)] += triangle_area(surface, i);
    int best = 0;
    double second = 0.0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        surface->shells += areas[i] > 0.0;
        if (areas[i] > areas[best])
            best = i;
    }
    for (int i = 0; i < surface->triangle_count; ++i)
        if (i != best)
            second = fmax(second, areas[i]);
    surface->second = second / areas[best];
    int kept = 0;
    for (int i = 0; i < surface->triangle_count; ++i)
        if (find_root(parents, i) == best)
            memcpy(surface->triangles[kept++], surface->triangles[i], sizeof *surface->triangles);
    surface->triangle_count = kept;
    return true;
}

static SnResult check_solid(const FitSurface *surface) {
    if (surface->hole_area > 0.4)
        return sn_error(SN_ERROR_INVALID,
                        "mesh: it is open: closing its %d hole%s takes %.0f %% of its area; close "
                        "it, or give a mesh that is nearly closed",
                        surface->holes, surface->holes == 1 ? "" : "s", 100.0 * surface->hole_area);
    // A sphere has a volume of area^1.5 / (6 √π).
    double sphere = surface->area * sqrt(surface->area) / 10.6347231;
    if (!(surface->volume > 1e-3 * sphere))
        return sn_error(
            SN_ERROR_INVALID,
            "mesh: it has next to no inside (volume %g, area %g): a sheet, or triangles "
            "that wind at random; give a closed mesh",
            surface->volume, surface->area);
    return sn_ok();
}

SnResult sn__fit_weld(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                      const uint32_t *triangles, int triangle_count, FitSurface *out) {
    memset(out, 0, sizeof *out);
    if (vertex_count < 3 || triangle_count < 1)
        return sn_error(SN_ERROR_INVALID, "mesh: it is empty: %d vertices, %d triangles",
                        vertex_count, triangle_count);
    SnResult result = check_input(positions, vertex_count, triangles, triangle_count);
    if (result.code != SN_OK)
        return result;
    find_box(out, positions, vertex_count);
    if (!(out->size > 0.0))
        return sn_error(SN_ERROR_INVALID, "mesh: all its vertices are at one place");
    int *number = sn__fit_alloc(memory, (size_t)vertex_count, sizeof *number);
    if (number == NULL || !weld(memory, out, positions, vertex_count, number) ||
        !copy_triangles(memory, out, triangles, triangle_count, number))
        return sn_error(SN_ERROR_MEMORY, "mesh: no memory");
    if (out->triangle_count < 1)
        return sn_error(SN_ERROR_INVALID, "mesh: its %d triangles have no area", triangle_count);
    out->numbers = number;
    sn__fit_measure(out);
    return sn_ok();
}

static SnResult weld_solid(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                           const uint32_t *triangles, int triangle_count, FitSurface *out) {
    memset(out, 0, sizeof *out);
    if (vertex_count < 4 || triangle_count < 4)
        return sn_error(SN_ERROR_INVALID,
                        "mesh: it is empty, or too small to have an inside: %d vertices, %d "
                        "triangles",
                        vertex_count, triangle_count);
    SnResult result = sn__fit_weld(memory, positions, vertex_count, triangles, triangle_count, out);
    if (result.code == SN_OK && out->triangle_count < 4)
        return sn_error(SN_ERROR_INVALID,
                        "mesh: it has no inside: of its %d triangles, %d have no area or "
                        "are given twice",
                        triangle_count, out->degenerate);
    return result;
}

SnResult sn__fit_clean(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                       const uint32_t *triangles, int triangle_count, FitSurface *out) {
    SnResult result = weld_solid(memory, positions, vertex_count, triangles, triangle_count, out);
    if (result.code != SN_OK)
        return result;
    if (!keep_largest_shell(memory, out) || !sn__fit_mend_winding(memory, out) ||
        !sn__fit_close_holes(memory, out))
        return sn_error(SN_ERROR_MEMORY, "mesh: no memory");
    sn__fit_measure(out);
    return check_solid(out);
}

SnResult sn__fit_clean_shells(FitMemory *memory, const SnVec3 *positions, int vertex_count,
                              const uint32_t *triangles, int triangle_count, FitSurface *out) {
    SnResult result = weld_solid(memory, positions, vertex_count, triangles, triangle_count, out);
    if (result.code != SN_OK)
        return result;
    if (!sn__fit_mend_shells(memory, out) || !sn__fit_close_holes(memory, out))
        return sn_error(SN_ERROR_MEMORY, "mesh: no memory");
    sn__fit_measure(out);
    return check_solid(out);
}
