// What points have to do with their neighbours: relaxing along the surface, agreement, and normals.
//
// Relaxing is as rigid as possible: a point wants to lie from its neighbours as it did at rest, turned as
// blending turns them. Only what is along the surface is done; the rest is the fields' business.
//
// Neighbours agree: what the fields have added to blending at one point may not differ by more than an edge
// from what they have added around it. A point that has found another place than its neighbours, at the
// border of a field or in a fold, comes back to them.
#include "implicit/wide.h"
#include "math/lanes.h"

#define QUIET 1e-3f    // over the reach: what moves by less rests
#define PARALLEL 0.01f // squared sine of the angle between surfaces that are one
#define FOLDED 0.2f    // cosine of a triangle's turn from which on it counts as turned over
#define SMALL 0.02f    // from the mean of its neighbours, over the edges: it folds nothing
#define APART 0.3f     // that a point's addition may be from that mean, over its edges
#define TINY 1e-30f    // of what is divided by

INLINE Lanes3 gather3(const SkinPlace *places, const int *slots) {
    Lanes four[4];
    gather_fours(&places->at.x, 4, slots, four);
    return (Lanes3){four[0], four[1], four[2]};
}

INLINE Lanes4 gather4(const SnQuat *turns, const int *slots) {
    Lanes four[4];
    gather_fours(&turns->x, 4, slots, four);
    return (Lanes4){four[0], four[1], four[2], four[3]};
}

INLINE void scatter3(SkinPlace *places, const int *slots, Lanes3 x) {
    const Lanes four[4] = {x.x, x.y, x.z, splat(0.0f)};
    scatter_fours(&places->at.x, 4, slots, WIDE, four);
}

INLINE Lanes3 load3(const float *x, const float *y, const float *z) {
    return (Lanes3){load(x), load(y), load(z)};
}

// The slots of a pack's own points.
typedef struct OwnSlots {
    int32_t at[FIELD_LANES] __attribute__((aligned(64)));
} OwnSlots;

INLINE OwnSlots own_slots(int pack) {
    OwnSlots own;
    for (int lane = 0; lane < FIELD_LANES; ++lane)
        own.at[lane] = FIELD_LANES * pack + lane;
    return own;
}

// ½ Σ s_k (R_i + R_k)(x̄_i − x̄_k) over the neighbours k of a point i, with shares s_k that sum up to 1, in
// the scale of the frame.
void WIDE_FUNCTION(rings_offset)(const SkinRings *r, FieldPack *packs, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        OwnSlots own = own_slots(i);
        for (int lane = 0; lane < FIELD_LANES && !packs[i].rigid; lane += WIDE) {
            Lanes3 sum = {splat(0.0f), splat(0.0f), splat(0.0f)}, edges = sum;
            for (int k = r->ring_begin[i]; k < r->ring_begin[i + 1]; ++k) {
                const RingEdges *rest = &r->edges[k];
                Lanes3 edge = load3(rest->x + lane, rest->y + lane, rest->z + lane);
                edge = mul3(edge, load(r->rings[k].share + lane));
                Lanes4 turn = gather4(r->turns, r->rings[k].slot + lane);
                sum = add3(sum, quat_rotate(turn, edge));
                edges = add3(edges, edge);
            }
            sum = add3(sum, quat_rotate(gather4(r->turns, own.at + lane), edges));
            sum = mul3(sum, 0.5f * load(r->scales + FIELD_LANES * i + lane));
            store(packs[i].offset_x + lane, sum.x);
            store(packs[i].offset_y + lane, sum.y);
            store(packs[i].offset_z + lane, sum.z);
        }
    }
}

// Of a way, what is along the surface that the point lies on, and does not pass the next one: at an edge
// between two surfaces, points would else go from one to the other for ever.
INLINE Lanes3 along_surfaces(const FieldPack *pack, int lane, Lanes3 way) {
    Lanes3 out = load3(pack->out_x + lane, pack->out_y + lane, pack->out_z + lane);
    Lanes3 next = load3(pack->next_x + lane, pack->next_y + lane, pack->next_z + lane);
    way = sub3(way, mul3(out, dot3(way, out)));
    Lanes passed = lanes_max(dot3(way, next) - load(pack->next + lane), splat(0.0f));
    next = sub3(next, mul3(out, dot3(next, out)));
    Lanes square = dot3(next, next), parallel = splat(PARALLEL);
    passed = lanes_if_less(square, parallel, splat(0.0f), passed);
    return sub3(way, mul3(next, passed / lanes_max(square, parallel)));
}

void WIDE_FUNCTION(rings_relax)(const SkinRings *r, int from, float relax, FieldPack *packs,
                                int begin, int end) {
    for (int i = begin; i < end; ++i) {
        FieldPack *pack = &packs[i];
        Lanes limit = splat(QUIET * pack->reach_now * (QUIET * pack->reach_now));
        Lanes ways[FIELD_LANES / WIDE][3];
        bool quiet = pack->arrived;
        for (int lane = 0; lane < FIELD_LANES && !pack->rigid; lane += WIDE) {
            Lanes3 wanted =
                load3(pack->offset_x + lane, pack->offset_y + lane, pack->offset_z + lane);
            for (int k = r->ring_begin[i]; k < r->ring_begin[i + 1]; ++k)
                wanted = add3(wanted, mul3(gather3(r->places[from], r->rings[k].slot + lane),
                                           load(r->rings[k].share + lane)));
            Lanes3 way = sub3(wanted, load3(pack->x + lane, pack->y + lane, pack->z + lane));
            way = along_surfaces(pack, lane, mul3(way, splat(relax)));
            quiet = quiet && lanes_all_less(dot3(way, way), limit);
            ways[lane / WIDE][0] = way.x;
            ways[lane / WIDE][1] = way.y;
            ways[lane / WIDE][2] = way.z;
        }
        pack->quiet = quiet;
        for (int lane = 0; lane < FIELD_LANES && !pack->rigid && !quiet; lane += WIDE) {
            store(pack->x + lane, load(pack->x + lane) + ways[lane / WIDE][0]);
            store(pack->y + lane, load(pack->y + lane) + ways[lane / WIDE][1]);
            store(pack->z + lane, load(pack->z + lane) + ways[lane / WIDE][2]);
        }
    }
}

void WIDE_FUNCTION(rings_publish)(const SkinRings *r, int to, const FieldPack *packs, int begin,
                                  int end) {
    for (int i = begin; i < end; ++i) {
        OwnSlots own = own_slots(i);
        for (int lane = 0; lane < FIELD_LANES; lane += WIDE)
            scatter3(r->places[to], own.at + lane,
                     load3(packs[i].x + lane, packs[i].y + lane, packs[i].z + lane));
    }
}

// The least cosine of the angle between the normal of a triangle around a point and the one it had at rest, as
// blending turns it.
INLINE Lanes least_cosine(const SkinRings *r, const SkinPlace *places, int pack, int lane,
                          Lanes4 turn, Lanes3 x) {
    Lanes least = splat(1.0f);
    for (int k = r->fan_begin[pack]; k < r->fan_begin[pack + 1]; ++k) {
        const FanRow *fan = &r->fans[k];
        Lanes3 a = sub3(gather3(places, fan->a + lane), x);
        Lanes3 b = sub3(gather3(places, fan->b + lane), x), now = cross3(a, b);
        Lanes3 before = quat_rotate(turn, load3(fan->x + lane, fan->y + lane, fan->z + lane));
        Lanes square = dot3(now, now), cosine = dot3(now, before);
        cosine = cosine / lanes_sqrt(lanes_max(square, splat(TINY)));
        least = lanes_min(lanes_if_less(square, splat(TINY), splat(1.0f), cosine), least);
    }
    return least;
}

// How much of its neighbours' mean a point takes: where fields have turned a triangle over that blending alone
// has not.
INLINE Lanes folded(const SkinRings *r, int from, int pack, int lane, const OwnSlots *own) {
    Lanes4 turn = gather4(r->turns, own->at + lane);
    Lanes3 x = gather3(r->places[from], own->at + lane);
    Lanes now = least_cosine(r, r->places[from], pack, lane, turn, x);
    Lanes over = lanes_clamp((FOLDED - now) / (2.0f * FOLDED), 0.0f, 1.0f);
    if (!lanes_any_less(splat(0.0f), over))
        return over;
    x = gather3(r->geometric, own->at + lane);
    Lanes blended = least_cosine(r, r->geometric, pack, lane, turn, x);
    return over * lanes_clamp(blended / (2.0f * FOLDED), 0.0f, 1.0f);
}

INLINE void agree(const SkinRings *r, int from, const FieldPack *pack, int number, int lane) {
    OwnSlots slots = own_slots(number);
    const int32_t *own = slots.at + lane;
    Lanes3 mean = {splat(0.0f), splat(0.0f), splat(0.0f)}, a = gather3(r->shown[from], own);
    for (int k = r->ring_begin[number]; k < r->ring_begin[number + 1]; ++k)
        mean = add3(mean, mul3(gather3(r->shown[from], r->rings[k].slot + lane),
                               load(r->rings[k].share + lane)));
    Lanes3 apart = sub3(a, mean);
    Lanes edge = load(r->point_edges + FIELD_LANES * number + lane);
    Lanes length = lanes_sqrt(lanes_max(dot3(apart, apart), splat(TINY)));
    Lanes kept = lanes_min(APART * edge / length, splat(1.0f));
    // Points that touch another part may be folded.
    Lanes small = SMALL * edge + load(pack->touch + lane) * 1e6f;
    if (lanes_any_less(small, length)) {
        Lanes share = folded(r, from, number, lane, &slots);
        kept *= 1.0f - lanes_if_less(small, length, share, splat(0.0f));
    }
    a = add3(mean, mul3(apart, kept));
    scatter3(r->shown[1 - from], own, a);
    Lanes3 turned = quat_rotate(gather4(r->turns, own), a);
    turned = mul3(turned, load(r->scales + FIELD_LANES * number + lane));
    scatter3(r->places[1 - from], own, add3(gather3(r->geometric, own), turned));
}

// With a the addition of a point in the axes of blending, and m the mean of its neighbours', by their shares:
// a becomes m + (a − m) min(1, APART edge/|a − m|).
void WIDE_FUNCTION(rings_agree)(const SkinRings *r, int from, const FieldPack *packs, int begin,
                                int end) {
    for (int i = begin; i < end; ++i)
        for (int lane = 0; lane < FIELD_LANES && packs[i].own >= 0 && !packs[i].rigid; lane += WIDE)
            agree(r, from, &packs[i], i, lane);
}

// A corner counts by its triangle's area over the squares of both its sides (Max 1999).
void WIDE_FUNCTION(rings_normals)(const SkinRings *r, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        OwnSlots own = own_slots(i);
        for (int lane = 0; lane < FIELD_LANES; lane += WIDE) {
            Lanes3 x = gather3(r->places[0], own.at + lane);
            Lanes3 sum = {splat(0.0f), splat(0.0f), splat(0.0f)};
            for (int k = r->fan_begin[i]; k < r->fan_begin[i + 1]; ++k) {
                Lanes3 e = sub3(gather3(r->places[0], r->fans[k].a + lane), x);
                Lanes3 f = sub3(gather3(r->places[0], r->fans[k].b + lane), x);
                Lanes squares = lanes_max(dot3(e, e) * dot3(f, f), splat(TINY));
                sum = add3(sum, mul3(cross3(e, f), 1.0f / squares));
            }
            Lanes square = dot3(sum, sum), none = splat(TINY);
            Lanes over = 1.0f / lanes_sqrt(lanes_max(square, none));
            Lanes3 normal = {lanes_if_less(square, none, splat(0.0f), sum.x * over),
                             lanes_if_less(square, none, splat(1.0f), sum.y * over),
                             lanes_if_less(square, none, splat(0.0f), sum.z * over)};
            scatter3(r->normals, own.at + lane, normal);
        }
    }
}
