// Points by parts, sixteen to a pack, the triangles around them, and what they have at rest.
#include "implicit/implicit.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ISO 0.02f // fields hardly change near 0 and 1: who is there at rest is only blended
#define GAP 0.15        // between parts that touch, over the mean length of edges
#define GAP_SLACK 0.01  // by which the gap at rest is larger than what is asked for, over the reach

// Whether a point of the part can be tracked at all.
static bool has_field(const SnImplicit *skin, int part) {
    return part >= 0 && skin->parts[part].grid.samples != NULL;
}

// A point in the order of packs.
typedef struct Placed {
    float key;
    int point;
} Placed;

static int compare_placed(const void *a, const void *b) {
    const Placed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static float coordinate(const SnImplicit *skin, int point, int axis) {
    return (&skin->rest[skin->surface.vertex[point]].x)[axis];
}

static int longest_axis(const SnImplicit *skin, const Placed *placed, int count) {
    int best = 0;
    float most = -1.0f;
    for (int axis = 0; axis < 3; ++axis) {
        float low = coordinate(skin, placed[0].point, axis), high = low;
        for (int i = 1; i < count; ++i) {
            float x = coordinate(skin, placed[i].point, axis);
            low = fminf(low, x);
            high = fmaxf(high, x);
        }
        best = high - low > most ? axis : best;
        most = fmaxf(most, high - low);
    }
    return best;
}

// Cuts points in two across their longest axis, again and again, so that packs are small; only the last
// one is not full.
static void cut(const SnImplicit *skin, Placed *placed, int count) {
    while (count > FIELD_LANES) {
        int axis = longest_axis(skin, placed, count);
        for (int i = 0; i < count; ++i)
            placed[i].key = coordinate(skin, placed[i].point, axis);
        qsort(placed, (size_t)count, sizeof *placed, compare_placed);
        int packs = (count + FIELD_LANES - 1) / FIELD_LANES, half = packs / 2 * FIELD_LANES;
        cut(skin, placed, half);
        placed += half;
        count -= half;
    }
}

// Appends the points of a part, or of none, in packs of their own.
static void add_points(SnImplicit *skin, const int *part, Placed *placed, int number) {
    int begin = skin->pack_count, count = 0;
    for (int i = 0; i < skin->surface.point_count; ++i)
        if ((has_field(skin, part[i]) ? part[i] : -1) == number)
            placed[count++].point = i;
    cut(skin, placed, count);
    for (int k = 0; k < count; ++k) {
        int slot = FIELD_LANES * begin + k;
        skin->slots[placed[k].point] = slot;
        skin->points[slot] = sn__implicit_point(skin, placed[k].point);
    }
    skin->pack_count += (count + FIELD_LANES - 1) / FIELD_LANES;
    for (int slot = FIELD_LANES * begin + count; slot < FIELD_LANES * skin->pack_count; ++slot)
        skin->points[slot] = skin->points[slot - 1];
    for (int i = begin; i < skin->pack_count; ++i)
        skin->packs[i].own = number;
    skin->tracked += number >= 0 ? count : 0;
}

static bool fill_packs(SnImplicit *skin, const int *part) {
    size_t points = (size_t)skin->surface.point_count;
    Placed *placed = sn__alloc_array(&skin->allocator, points, sizeof *placed);
    if (placed == NULL)
        return false;
    skin->pack_count = skin->tracked = 0;
    for (int i = 0; i < skin->part_count; ++i)
        if (has_field(skin, i))
            add_points(skin, part, placed, i);
    skin->tracked_packs = skin->pack_count;
    add_points(skin, part, placed, -1);
    sn__free(&skin->allocator, placed, points * sizeof *placed);
    return true;
}

static bool make_room(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    size_t packs = (size_t)(skin->surface.point_count / FIELD_LANES + skin->part_count + 2);
    size_t slots = packs * FIELD_LANES, parts = (size_t)skin->part_count;
    skin->pack_room = (int)packs;
    skin->packs = sn__alloc_array(a, packs, sizeof *skin->packs);
    skin->slots = sn__alloc_array(a, (size_t)skin->surface.point_count, sizeof(int));
    skin->points = sn__alloc_array(a, slots, sizeof *skin->points);
    skin->ring_begin = sn__alloc_array(a, packs + 1, sizeof(int));
    skin->fan_begin = sn__alloc_array(a, packs + 1, sizeof(int));
    skin->geometric = sn__alloc_array(a, slots, sizeof(SkinPlace));
    skin->turns = sn__alloc_array(a, slots, sizeof(SnQuat));
    skin->scales = sn__alloc_array(a, slots, sizeof(float));
    for (int k = 0; k < 2; ++k) {
        skin->places[k] = sn__alloc_array(a, slots, sizeof(SkinPlace));
        skin->shown[k] = sn__alloc_array(a, slots, sizeof(SkinPlace));
    }
    skin->added = sn__alloc_array(a, slots, sizeof(SnVec3));
    skin->edges = sn__alloc_array(a, slots, sizeof(float));
    skin->normal = sn__alloc_array(a, slots, sizeof(SkinPlace));
    skin->rest_normal = sn__alloc_array(a, slots, sizeof(SnVec3));
    skin->fields = sn__alloc_array(a, parts, sizeof *skin->fields);
    skin->boxes = sn__alloc_array(a, parts, sizeof *skin->boxes);
    skin->others = sn__alloc_array(a, parts * PART_OTHERS, sizeof(int));
    skin->bends = sn__alloc_array(a, parts * PART_OTHERS, sizeof *skin->bends);
    return skin->packs && skin->slots && skin->points && skin->ring_begin && skin->fan_begin &&
           skin->geometric && skin->turns && skin->scales && skin->places[0] && skin->places[1] &&
           skin->shown[0] && skin->shown[1] && skin->added && skin->normal && skin->rest_normal &&
           skin->fields && skin->boxes && skin->others && skin->bends && skin->edges;
}

// Of all edges around all points.
static double mean_edge(const SnImplicit *skin) {
    double sum = 0.0;
    for (int i = 0; i < sn__slot_count(skin); ++i)
        sum += (double)skin->edges[i];
    return skin->surface.point_count > 0 ? sum / skin->surface.point_count : 0.0;
}

// All joints as they were bound.
static void place_at_rest(SnImplicit *skin) {
    for (int i = 0; i < skin->joint_count; ++i) {
        const float identity[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
        memcpy(skin->joints[i].map, identity, sizeof identity);
        skin->joints[i].scale = 1.0f;
        skin->joints[i].turn = sn_quat_identity();
    }
}

// How much a point follows others than its own part; from a half on, all of it.
static float mix_of(const BoundPoint *p, int joint) {
    float other = 0.0f;
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        other += p->joints[k] == joint ? 0.0f : p->weights[k];
    return fminf(1.0f, 2.0f * other);
}

static void choose_mixes(SnImplicit *skin) {
    for (int i = 0; i < skin->tracked_packs; ++i) {
        FieldPack *pack = &skin->packs[i];
        pack->alone = true;
        for (int lane = 0; lane < FIELD_LANES; ++lane) {
            const BoundPoint *point = &skin->points[FIELD_LANES * i + lane];
            pack->mix[lane] = mix_of(point, skin->parts[pack->own].joint);
            pack->alone &= pack->mix[lane] == 0.0f;
        }
    }
}

static bool measure_at_rest(SnImplicit *skin) {
    place_at_rest(skin);
    sn__implicit_place_fields(skin);
    if (skin->tree.node_count == 0 &&
        !sn__bvh_build(&skin->tree, &skin->allocator, skin->boxes, skin->part_count))
        return false;
    sn__implicit_meet_parts(skin);
    for (int i = 0; i < sn__slot_count(skin); ++i)
        sn__pack_put(skin->packs, i, skin->points[i].rest);
    choose_mixes(skin);
    sn__implicit_meet_packs(skin, 0, skin->tracked_packs);
    FieldScene scene = sn__field_scene(skin);
    skin->kernels->measure(&scene, skin->packs, skin->tracked_packs);
    return true;
}

// Points whose place fields cannot tell are in no part; returns how many were.
static int drop_points(const SnImplicit *skin, int *part) {
    int dropped = 0;
    for (int i = 0; i < skin->surface.point_count; ++i) {
        const FieldPack *pack = &skin->packs[skin->slots[i] / FIELD_LANES];
        int lane = skin->slots[i] % FIELD_LANES;
        if (pack->own >= 0 && !(pack->iso[lane] > LEAST_ISO && pack->iso[lane] < 1.0f - LEAST_ISO &&
                                pack->depth[lane] < 0.5f * FIELD_FAR)) {
            part[i] = -1;
            ++dropped;
        }
    }
    return dropped;
}

// Near where two parts take over from each other they may be as near to both.
static void choose_gaps(SnImplicit *skin) {
    float gap = (float)(GAP * mean_edge(skin));
    for (int i = 0; i < FIELD_LANES * skin->tracked_packs; ++i) {
        FieldPack *pack = &skin->packs[i / FIELD_LANES];
        const Part *part = &skin->parts[pack->own];
        int lane = i % FIELD_LANES;
        float wanted = gap * fminf(1.0f, 2.0f * (1.0f - pack->mix[lane]));
        float slack = (float)(GAP_SLACK * part->grid.reach);
        pack->gap[lane] = fminf(wanted, pack->gap[lane] - slack);
    }
}

static void find_normals(SnImplicit *skin) {
    SkinRings rings = sn__skin_rings(skin);
    skin->kernels->publish(&rings, 0, skin->packs, 0, skin->pack_count);
    skin->kernels->normals(&rings, 0, skin->pack_count);
    for (int i = 0; i < sn__slot_count(skin); ++i) {
        FieldPack *pack = &skin->packs[i / FIELD_LANES];
        int lane = i % FIELD_LANES;
        SnVec3 normal = skin->rest_normal[i] = skin->normal[i].at;
        pack->rest_x[lane] = normal.x;
        pack->rest_y[lane] = normal.y;
        pack->rest_z[lane] = normal.z;
    }
}

static void measure_fit(SnImplicit *skin) {
    double sum = 0.0;
    for (int i = 0; i < skin->surface.point_count; ++i) {
        const FieldPack *pack = &skin->packs[skin->slots[i] / FIELD_LANES];
        if (pack->own >= 0)
            sum += fabs((double)pack->depth[skin->slots[i] % FIELD_LANES]);
    }
    skin->fit = skin->tracked > 0 ? sum / skin->tracked : 0.0;
}

SnResult sn__implicit_pack(SnImplicit *skin, int *part) {
    SnResult no_memory =
        sn_error(SN_ERROR_MEMORY, "implicit: no memory for %d points", skin->surface.point_count);
    if (!make_room(skin))
        return no_memory;
    bool good = fill_packs(skin, part) && measure_at_rest(skin);
    if (good && drop_points(skin, part) > 0)
        good = fill_packs(skin, part) && measure_at_rest(skin);
    if (!good || !sn__implicit_make_rings(skin))
        return no_memory;
    find_normals(skin);
    if (!sn__crossings_create(skin))
        return no_memory;
    measure_fit(skin);
    if (skin->muscle_count > 0 && !(sn__implicit_lower_parts(skin) && measure_at_rest(skin)))
        return no_memory;
    choose_gaps(skin);
    return sn_ok();
}
