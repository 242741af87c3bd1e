// Which triangles of a skin cross.
//
// Triangles are looked at by packs. Two packs that hang together cannot cross where all of their
// normals lie within 90° of one direction: seen along it, such a piece of surface lies side by side
// (Volino and Magnenat-Thalmann 1994). That leaves folds, and packs that do not hang together but whose
// boxes overlap; there, triangles are compared one by one.
#include "implicit/crossings.h"

#include <float.h>
#include <string.h>

#include "geom/crossing.h"
#include "implicit/implicit.h"

#define GRAIN 8        // packs
#define FLATTEST 0.25f // cosine: how much less than 90° the cone of normals has to open
#define REST_PASSES 64 // until all that crosses at rest is known

static SnVec3 place(const SnImplicit *skin, int slot) { return skin->places[0][slot].at; }

static SnVec3 area_of(const SnImplicit *skin, const int corners[3]) {
    SnVec3 a = place(skin, corners[0]);
    return sn_vec3_cross(sn_vec3_sub(place(skin, corners[1]), a),
                         sn_vec3_sub(place(skin, corners[2]), a));
}

static float lesser(float a, float b) { return a < b ? a : b; }
static float greater(float a, float b) { return a > b ? a : b; }

// The box of a triangle, or of a pack from those of its triangles.
static void widen(float box[6], const float low[3], const float high[3]) {
    for (int k = 0; k < 3; ++k) {
        box[k] = lesser(box[k], low[k]);
        box[3 + k] = greater(box[3 + k], high[k]);
    }
}

#define NOWHERE                                                                                    \
    { FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX }

static void measure_pack(const SnImplicit *skin, int number) {
    const SkinCrossings *c = &skin->crossings;
    TrianglePack *pack = &c->packs[number];
    float box[6] = NOWHERE;
    SnVec3 sum = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int t = pack->begin; t < pack->begin + pack->count; ++t) {
        float own[6] = NOWHERE;
        for (int k = 0; k < 3; ++k) {
            SnVec3 x = place(skin, c->corners[t][k]);
            const float at[3] = {x.x, x.y, x.z};
            widen(own, at, at);
        }
        for (int k = 0; k < 6; ++k)
            c->sides[k][t] = own[k];
        widen(box, own, own + 3);
        sum = sn_vec3_add(sum, area_of(skin, c->corners[t]));
    }
    if (pack->count == 0) {
        SnVec3 x = place(skin, FIELD_LANES * number);
        const float at[3] = {x.x, x.y, x.z};
        widen(box, at, at);
    }
    pack->axis = sn_vec3_normalise(sum, sn_vec3(0.0f, 1.0f, 0.0f));
    pack->cosine = 1.0f;
    for (int t = pack->begin; t < pack->begin + pack->count; ++t) {
        SnVec3 area = area_of(skin, c->corners[t]);
        float length = sn_vec3_length(area), cosine = sn_vec3_dot(area, pack->axis);
        pack->cosine = length > 0.0f ? lesser(pack->cosine, cosine / length) : -1.0f;
    }
    for (int k = 0; k < 3; ++k) {
        c->boxes[number].low[k] = (double)box[k];
        c->boxes[number].high[k] = (double)box[3 + k];
    }
}

static void measure_packs(int begin, int end, int worker, void *context) {
    const SnImplicit *skin = context;
    (void)worker;
    for (int i = begin; i < end; ++i)
        if (skin->crossings.packs[i].moved)
            measure_pack(skin, i);
}

// With α the widest angle of a pack's normals from its axis, and θ between both axes: α + θ/2 < 90°.
static bool lie_side_by_side(const TrianglePack *a, const TrianglePack *b) {
    float cosine = sn_vec3_dot(a->axis, b->axis);
    float half = sqrtf(greater(0.0f, 0.5f * (1.0f - cosine)));
    return lesser(a->cosine, b->cosine) > half + FLATTEST;
}

// Whether the triangles of two packs may have a corner in common.
static bool hang_together(const TrianglePack *a, const TrianglePack *b) {
    for (int i = 0, k = 0; i < a->neighbour_count && k < b->neighbour_count;) {
        if (a->neighbours[i] == b->neighbours[k])
            return true;
        if (a->neighbours[i] < b->neighbours[k])
            ++i;
        else
            ++k;
    }
    return false;
}

// Both move with one joint and nothing else.
static bool are_rigid(const FieldPack *a, const FieldPack *b) {
    return a->own >= 0 && a->own == b->own && a->rigid && b->rigid;
}

static bool share_corner(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; ++i)
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2])
            return true;
    return false;
}

static void corner_places(const SnImplicit *skin, int triangle, SnVec3 out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = place(skin, skin->crossings.corners[triangle][k]);
}

static bool do_cross(const SnVec3 a[3], const SnVec3 b[3]) {
    const Vec3d x[3] = {vec3d(a[0]), vec3d(a[1]), vec3d(a[2])};
    const Vec3d y[3] = {vec3d(b[0]), vec3d(b[1]), vec3d(b[2])};
    return sn__triangles_cross(x, y);
}

// Triangles and the sides of their boxes, side by side.
typedef struct BoxList {
    int count, triangles[PACK_TRIANGLES];
    float sides[6][PACK_TRIANGLES] __attribute__((aligned(64)));
} BoxList;

// The triangles of a pack whose boxes overlap another box.
static void list_near(const SnImplicit *skin, const TrianglePack *pack, const float box[6],
                      BoxList *out) {
    const SkinCrossings *c = &skin->crossings;
    const float *sides[6];
    int near[PACK_TRIANGLES];
    int count = pack->count < PACK_TRIANGLES ? pack->count : PACK_TRIANGLES;
    for (int k = 0; k < 6; ++k)
        sides[k] = c->sides[k];
    out->count = skin->kernels->boxes_near(sides, pack->begin, count, box, near);
    for (int i = 0; i < out->count; ++i) {
        out->triangles[i] = pack->begin + near[i];
        for (int k = 0; k < 6; ++k)
            out->sides[k][i] = sides[k][out->triangles[i]];
    }
}

static void compare_triangles(const SnImplicit *skin, TrianglePack *pack, int triangle, int other) {
    const SkinCrossings *c = &skin->crossings;
    SnVec3 x[3], y[3];
    if (pack->found == PACK_CROSSINGS || share_corner(c->corners[triangle], c->corners[other]))
        return;
    corner_places(skin, triangle, x);
    corner_places(skin, other, y);
    if (do_cross(x, y))
        pack->crossings[pack->found++] = (Crossing){triangle, other};
}

// One triangle with others, from the `first` of them on.
static void compare_list(const SnImplicit *skin, int number, int triangle, const BoxList *others,
                         int first) {
    const SkinCrossings *c = &skin->crossings;
    int near[PACK_TRIANGLES];
    const float *sides[6];
    float own[6];
    for (int k = 0; k < 6; ++k) {
        own[k] = c->sides[k][triangle];
        sides[k] = others->sides[k];
    }
    int count = skin->kernels->boxes_near(sides, 0, others->count, own, near);
    for (int i = 0; i < count; ++i)
        if (near[i] >= first)
            compare_triangles(skin, &c->packs[number], triangle, others->triangles[near[i]]);
}

// Only triangles that reach what the boxes of both packs have in common.
static void compare_all(const SnImplicit *skin, int number, int other) {
    const SkinCrossings *c = &skin->crossings;
    float common[6];
    BoxList from, to;
    for (int k = 0; k < 3; ++k) {
        common[k] = (float)fmax(c->boxes[number].low[k], c->boxes[other].low[k]);
        common[3 + k] = (float)fmin(c->boxes[number].high[k], c->boxes[other].high[k]);
    }
    list_near(skin, &c->packs[number], common, &from);
    if (from.count == 0)
        return;
    list_near(skin, &c->packs[other], common, &to);
    for (int i = 0; i < from.count; ++i)
        compare_list(skin, number, from.triangles[i], &to, number == other ? i + 1 : 0);
}

typedef struct PackSearch {
    const SnImplicit *skin;
    int number;
} PackSearch;

static double overlap_bound(const BvhBox *box, void *context) {
    const PackSearch *search = context;
    const BvhBox *own = &search->skin->crossings.boxes[search->number];
    for (int c = 0; c < 3; ++c)
        if (box->low[c] > own->high[c] || box->high[c] < own->low[c])
            return 1.0;
    return 0.0;
}

static double compare_packs(int other, double limit, void *context) {
    const PackSearch *search = context;
    const SnImplicit *skin = search->skin;
    TrianglePack *a = &skin->crossings.packs[search->number], *b = &skin->crossings.packs[other];
    if ((b->moved && other < search->number) || (hang_together(a, b) && lie_side_by_side(a, b)) ||
        are_rigid(&skin->packs[search->number], &skin->packs[other]))
        return limit;
    compare_all(skin, search->number, other);
    return limit;
}

static void search_packs(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        PackSearch search = {skin, i};
        skin->crossings.packs[i].found = 0;
        if (skin->crossings.packs[i].moved && skin->crossings.packs[i].count > 0)
            sn__bvh_search(&skin->crossings.tree, 0.5, overlap_bound, compare_packs, &search);
    }
}

int sn__crossings_find(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    skin->tasks.parallel_for(skin->pack_count, GRAIN, measure_packs, skin, skin->tasks.context);
    sn__bvh_refit(&c->tree, c->boxes);
    skin->tasks.parallel_for(skin->pack_count, GRAIN, search_packs, skin, skin->tasks.context);
    int count = 0;
    for (int i = 0; i < skin->pack_count; ++i) {
        count += c->packs[i].found;
        c->packs[i].moved = false;
    }
    return count;
}

// Slots of a triangle, its first one in front; false if two of its corners are one point.
static bool find_corners(const SnImplicit *skin, int triangle, int out[3]) {
    int slot[3], first = 0;
    for (int k = 0; k < 3; ++k) {
        slot[k] = skin->slots[skin->surface.point[skin->triangles[3 * triangle + k]]];
        first = slot[k] < slot[first] ? k : first;
    }
    for (int k = 0; k < 3; ++k)
        out[k] = slot[(first + k) % 3];
    return slot[0] != slot[1] && slot[1] != slot[2] && slot[2] != slot[0];
}

static void add_neighbour(TrianglePack *pack, int number) {
    int at = pack->neighbour_count;
    while (at > 0 && pack->neighbours[at - 1] >= number)
        --at;
    bool known = at < pack->neighbour_count && pack->neighbours[at] == number;
    if (known || pack->neighbour_count == PACK_NEIGHBOURS)
        return;
    memmove(pack->neighbours + at + 1, pack->neighbours + at,
            (size_t)(pack->neighbour_count++ - at) * sizeof(int));
    pack->neighbours[at] = number;
}

static void list_triangles(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    int corners[3], begin = 0;
    for (int t = 0; t < skin->triangle_count; ++t)
        if (find_corners(skin, t, corners))
            ++c->packs[corners[0] / FIELD_LANES].count;
    for (int i = 0; i < skin->pack_count; ++i) {
        c->packs[i].begin = begin;
        begin += (c->packs[i].count + FIELD_LANES - 1) / FIELD_LANES * FIELD_LANES;
        c->packs[i].count = 0;
    }
    for (int t = 0; t < skin->triangle_count; ++t)
        if (find_corners(skin, t, corners)) {
            TrianglePack *pack = &c->packs[corners[0] / FIELD_LANES];
            memcpy(c->corners[pack->begin + pack->count++], corners, sizeof corners);
            for (int k = 0; k < 3; ++k)
                add_neighbour(pack, corners[k] / FIELD_LANES);
        }
}

// Takes triangles that cross out of all lists. A triangle that is out has the same corner three times.
static void leave_out(SkinCrossings *c, int pack_count) {
    for (int i = 0; i < pack_count; ++i)
        for (int k = 0; k < c->packs[i].found; ++k) {
            int *a = c->corners[c->packs[i].crossings[k].a];
            int *b = c->corners[c->packs[i].crossings[k].b];
            a[1] = a[2] = a[0];
            b[1] = b[2] = b[0];
        }
    for (int i = 0; i < pack_count; ++i) {
        TrianglePack *pack = &c->packs[i];
        int kept = 0;
        for (int t = pack->begin; t < pack->begin + pack->count; ++t)
            if (c->corners[t][0] != c->corners[t][1])
                memmove(c->corners[pack->begin + kept++], c->corners[t], sizeof c->corners[t]);
        pack->count = kept;
    }
}

static void move_all(SnImplicit *skin) {
    for (int i = 0; i < skin->pack_count; ++i)
        skin->crossings.packs[i].moved = true;
}

static bool make_room(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    SkinCrossings *c = &skin->crossings;
    size_t slots = (size_t)sn__slot_count(skin), packs = (size_t)skin->pack_count;
    // Packs begin at whole vectors.
    c->corner_room = skin->triangle_count + FIELD_LANES * skin->pack_count;
    c->corners = sn__alloc_array(a, (size_t)c->corner_room, sizeof *c->corners);
    for (int k = 0; k < 6; ++k)
        c->sides[k] = sn__alloc_array(a, (size_t)c->corner_room, sizeof(float));
    c->packs = sn__alloc_array(a, packs, sizeof *c->packs);
    c->boxes = sn__alloc_array(a, packs, sizeof *c->boxes);
    c->shells = sn__alloc_array(a, slots, sizeof *c->shells);
    c->weights = sn__alloc_array(a, slots, sizeof *c->weights);
    c->pushes = sn__alloc_array(a, slots, sizeof *c->pushes);
    c->drawn = sn__alloc_array(a, slots, sizeof *c->drawn);
    c->held = sn__alloc_array(a, slots, sizeof *c->held);
    c->active = sn__alloc_array(a, slots, sizeof *c->active);
    c->is_active = sn__alloc_array(a, slots, sizeof *c->is_active);
    c->agreed = sn__alloc_array(a, slots, sizeof *c->agreed);
    c->marks = sn__alloc_array(a, slots, sizeof *c->marks);
    c->shifts = sn__alloc_array(a, slots, sizeof *c->shifts);
    for (int k = 0; k < 6; ++k)
        if (c->sides[k] == NULL)
            return false;
    return c->corners && c->packs && c->boxes && c->shells && c->weights && c->pushes && c->drawn &&
           c->held && c->active && c->is_active && c->agreed && c->marks && c->shifts;
}

bool sn__crossings_create(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    if (!make_room(skin))
        return false;
    for (int i = 0; i < skin->surface.point_count; ++i)
        c->shells[skin->slots[i]] = skin->shells[i];
    list_triangles(skin);
    move_all(skin);
    measure_packs(0, skin->pack_count, 0, skin);
    if (!sn__bvh_build(&c->tree, &skin->allocator, c->boxes, skin->pack_count))
        return false;
    // What crosses at rest was made so: eyelids, pockets, clothes.
    for (int i = 0; i < REST_PASSES && sn__crossings_find(skin) > 0; ++i) {
        leave_out(c, skin->pack_count);
        move_all(skin);
    }
    return true;
}

void sn__crossings_destroy(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    SkinCrossings *c = &skin->crossings;
    size_t slots = (size_t)sn__slot_count(skin), packs = (size_t)skin->pack_count;
    sn__free(a, c->corners, (size_t)c->corner_room * sizeof *c->corners);
    for (int k = 0; k < 6; ++k)
        sn__free(a, c->sides[k], (size_t)c->corner_room * sizeof(float));
    sn__free(a, c->packs, packs * sizeof *c->packs);
    sn__free(a, c->boxes, packs * sizeof *c->boxes);
    sn__free(a, c->shells, slots * sizeof *c->shells);
    sn__free(a, c->weights, slots * sizeof *c->weights);
    sn__free(a, c->pushes, slots * sizeof *c->pushes);
    sn__free(a, c->drawn, slots * sizeof *c->drawn);
    sn__free(a, c->held, slots * sizeof *c->held);
    sn__free(a, c->active, slots * sizeof *c->active);
    sn__free(a, c->is_active, slots * sizeof *c->is_active);
    sn__free(a, c->agreed, slots * sizeof *c->agreed);
    sn__free(a, c->marks, slots * sizeof *c->marks);
    sn__free(a, c->shifts, slots * sizeof *c->shifts);
    sn__bvh_destroy(&c->tree);
}
