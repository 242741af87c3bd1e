// The neighbours of points, in rows for the wide kernels.
#include "implicit/implicit.h"

#include <string.h>

// Other corners of the triangles around each slot, two per triangle, one slot after the other.
typedef struct Corners {
    int *begin, *slots;
    int count;
} Corners;

// Slots of a triangle; false if two of its corners are one point.
static bool triangle_slots(const SnImplicit *skin, int triangle, int out[3]) {
    for (int c = 0; c < 3; ++c)
        out[c] = skin->slots[skin->surface.point[skin->triangles[3 * triangle + c]]];
    return out[0] != out[1] && out[1] != out[2] && out[2] != out[0];
}

static bool list_corners(SnImplicit *skin, Corners *c) {
    int slots = sn__slot_count(skin), s[3];
    c->begin = sn__alloc_array(&skin->allocator, (size_t)slots + 1, sizeof(int));
    if (c->begin == NULL)
        return false;
    for (int t = 0; t < skin->triangle_count; ++t)
        for (int k = 0; k < 3 && triangle_slots(skin, t, s); ++k)
            c->begin[s[k] + 1] += 2;
    for (int i = 0; i < slots; ++i)
        c->begin[i + 1] += c->begin[i];
    c->count = c->begin[slots];
    c->slots = sn__alloc_array(&skin->allocator, (size_t)c->count, sizeof(int));
    for (int t = 0; t < skin->triangle_count && c->slots; ++t)
        for (int k = 0; k < 3 && triangle_slots(skin, t, s); ++k) {
            int *at = c->slots + c->begin[s[k]];
            at[0] = s[(k + 1) % 3];
            at[1] = s[(k + 2) % 3];
            c->begin[s[k]] += 2;
        }
    // Every begin has moved to its end, which is where the next one began.
    memmove(c->begin + 1, c->begin, (size_t)slots * sizeof(int));
    c->begin[0] = 0;
    return c->slots != NULL;
}

// Moves the first of each neighbour of a slot to the front; returns how many there are.
static int keep_once(const Corners *c, int slot, int *neighbours) {
    int count = 0;
    for (int k = c->begin[slot]; k < c->begin[slot + 1]; ++k) {
        bool known = false;
        for (int i = 0; i < count && !known; ++i)
            known = neighbours[i] == c->slots[k];
        if (!known)
            neighbours[count++] = c->slots[k];
    }
    return count;
}

// The rows that each pack needs: as many as the point with most of them has; at least one ring, so that
// lonely points are their own neighbours.
static bool count_rows(SnImplicit *skin, const Corners *c, int *neighbours) {
    skin->ring_begin[0] = skin->fan_begin[0] = 0;
    for (int p = 0; p < skin->pack_count; ++p) {
        int rings = 1, fans = 0;
        for (int i = FIELD_LANES * p; i < FIELD_LANES * (p + 1); ++i) {
            int ring = keep_once(c, i, neighbours), fan = (c->begin[i + 1] - c->begin[i]) / 2;
            rings = ring > rings ? ring : rings;
            fans = fan > fans ? fan : fans;
        }
        skin->ring_begin[p + 1] = skin->ring_begin[p] + rings;
        skin->fan_begin[p + 1] = skin->fan_begin[p] + fans;
    }
    skin->ring_count = skin->ring_begin[skin->pack_count];
    skin->fan_count = skin->fan_begin[skin->pack_count];
    const SnAllocator *a = &skin->allocator;
    skin->rings = sn__alloc_array(a, (size_t)skin->ring_count, sizeof *skin->rings);
    skin->ring_edges = sn__alloc_array(a, (size_t)skin->ring_count, sizeof *skin->ring_edges);
    skin->fans = sn__alloc_array(a, (size_t)skin->fan_count, sizeof *skin->fans);
    return skin->rings && skin->ring_edges && skin->fans;
}

// Neighbours count by one over their squared distance, as the ends of long thin triangles tell little.
static void fill_ring(SnImplicit *skin, int slot, const int *neighbours, int count) {
    int pack = slot / FIELD_LANES, lane = slot % FIELD_LANES;
    Vec3d rest = vec3d(skin->points[slot].rest);
    double sum = 0.0, lengths = 0.0;
    for (int k = 0; k < count; ++k) {
        Vec3d edge = subd(rest, vec3d(skin->points[neighbours[k]].rest));
        sum += 1.0 / dotd(edge, edge); // they are apart
        lengths += lengthd(edge);
    }
    skin->edges[slot] = count > 0 ? (float)(lengths / count) : 0.0f;
    for (int row = skin->ring_begin[pack], k = 0; row < skin->ring_begin[pack + 1]; ++row, ++k) {
        RingRow *ring = &skin->rings[row];
        ring->slot[lane] = k < count ? neighbours[k] : slot;
        ring->share[lane] = count == 0 && k == 0 ? 1.0f : 0.0f;
        if (k >= count)
            continue;
        Vec3d edge = subd(rest, vec3d(skin->points[neighbours[k]].rest));
        ring->share[lane] = (float)(1.0 / (dotd(edge, edge) * sum));
        skin->ring_edges[row].x[lane] = (float)edge.x;
        skin->ring_edges[row].y[lane] = (float)edge.y;
        skin->ring_edges[row].z[lane] = (float)edge.z;
    }
}

static void fill_fan(SnImplicit *skin, int slot, const Corners *c) {
    int pack = slot / FIELD_LANES, lane = slot % FIELD_LANES;
    Vec3d rest = vec3d(skin->points[slot].rest);
    int k = c->begin[slot], end = c->begin[slot + 1];
    for (int row = skin->fan_begin[pack]; row < skin->fan_begin[pack + 1]; ++row, k += 2) {
        FanRow *fan = &skin->fans[row];
        fan->a[lane] = k < end ? c->slots[k] : slot;
        fan->b[lane] = k < end ? c->slots[k + 1] : slot;
        Vec3d a = subd(vec3d(skin->points[fan->a[lane]].rest), rest);
        Vec3d b = subd(vec3d(skin->points[fan->b[lane]].rest), rest);
        Vec3d normal = crossd(a, b);
        double length = lengthd(normal);
        normal = length > 0.0 ? scaled(normal, 1.0 / length) : normal;
        fan->x[lane] = (float)normal.x;
        fan->y[lane] = (float)normal.y;
        fan->z[lane] = (float)normal.z;
    }
}

bool sn__implicit_make_rings(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    size_t slots = (size_t)sn__slot_count(skin);
    Corners corners = {0};
    bool good = list_corners(skin, &corners);
    int *neighbours = good ? sn__alloc_array(a, (size_t)corners.count + 1, sizeof(int)) : NULL;
    good = neighbours && count_rows(skin, &corners, neighbours);
    for (int i = 0; i < (int)slots && good; ++i) {
        fill_ring(skin, i, neighbours, keep_once(&corners, i, neighbours));
        fill_fan(skin, i, &corners);
    }
    sn__free(a, neighbours, ((size_t)corners.count + 1) * sizeof(int));
    sn__free(a, corners.slots, (size_t)corners.count * sizeof(int));
    sn__free(a, corners.begin, (slots + 1) * sizeof(int));
    return good;
}

void sn__implicit_free_rings(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    sn__free(a, skin->rings, (size_t)skin->ring_count * sizeof *skin->rings);
    sn__free(a, skin->ring_edges, (size_t)skin->ring_count * sizeof *skin->ring_edges);
    sn__free(a, skin->fans, (size_t)skin->fan_count * sizeof *skin->fans);
}
