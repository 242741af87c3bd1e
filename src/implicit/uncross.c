// Undoing what crosses.
//
// Where the skin faces itself, as an arm does that lies at the chest, both sides go apart, each by half of
// the way, along the mean of their normals as blending turns them. Elsewhere the skin is folded over:
// points are drawn to the mean of their neighbours, by
//   x_i = (1 − w_i) a_i + w_i Σ s_k x_k,
// with a_i where the point would be and shares s_k that sum up to 1. Where w is 1, that is a harmonic
// map of a piece of the surface into its border, which has no folds (Tutte 1963; Floater 1997). The
// weights w, and how far sides have gone apart, grow until nothing crosses, and fade while joints move.
#include <math.h>

#include "implicit/implicit.h"

#define PASSES 24      // at most
#define DRAW 0.2f      // by which weights grow per pass
#define AROUND 0.35f   // of the reach: so far around what crosses, weights grow, too
#define MOST_AROUND 3  // in neighbours
#define SWEEPS 16      // towards the means of neighbours, per pass
#define FACING (-0.3f) // cosine between normals of what faces each other
#define APART 0.5f     // of the way that is left to go apart, per pass
#define GAP 0.02f      // of an edge, between what has gone apart
#define FADING 0.2f    // of weights and pushes, per frame
#define FORGET 0.01f   // weight, and push over an edge, that are none

// Neighbours of a slot: row after row of its pack, those of no share are none.
#define EACH_NEIGHBOUR(skin, slot, row)                                                            \
    for (int row = (skin)->ring_begin[(slot) / FIELD_LANES];                                       \
         row < (skin)->ring_begin[(slot) / FIELD_LANES + 1]; ++row)                                \
        if ((skin)->rings[row].share[(slot) % FIELD_LANES] > 0.0f &&                               \
            (skin)->rings[row].slot[(slot) % FIELD_LANES] != (slot))

static int neighbour(const SnImplicit *skin, int slot, int row) {
    return skin->rings[row].slot[slot % FIELD_LANES];
}

static float share(const SnImplicit *skin, int slot, int row) {
    return skin->rings[row].share[slot % FIELD_LANES];
}

static float edge_length(const SnImplicit *skin, int slot, int row) {
    const RingEdges *edges = &skin->ring_edges[row];
    int lane = slot % FIELD_LANES;
    return sn_vec3_length(sn_vec3(edges->x[lane], edges->y[lane], edges->z[lane]));
}

static void activate(SnImplicit *skin, int slot) {
    SkinCrossings *c = &skin->crossings;
    if (c->is_active[slot])
        return;
    c->is_active[slot] = true;
    c->active[c->active_count++] = slot;
    c->agreed[slot] = skin->places[0][slot].at;
    c->marks[slot] = 0.0f;
    c->shifts[slot] = sn_vec3(0.0f, 0.0f, 0.0f);
}

// Into the axes of blending and its scale; nothing where those are flat.
static SnVec3 to_blending(const SnImplicit *skin, int slot, SnVec3 way) {
    if (sn__implicit_follows_flat(skin, slot))
        return sn_vec3(0.0f, 0.0f, 0.0f);
    way = sn_quat_rotate(sn_quat_inverse(skin->turns[slot]), way);
    return sn_vec3_scale(way, 1.0f / skin->scales[slot]);
}

static SnVec3 from_blending(const SnImplicit *skin, int slot, SnVec3 way) {
    return sn_vec3_scale(sn_quat_rotate(skin->turns[slot], way), skin->scales[slot]);
}

// What is left of the frame before.
static void fade(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    c->active_count = 0;
    c->change = 0.0f;
    for (int i = 0; i < sn__slot_count(skin); ++i) {
        c->is_active[i] = false;
        float push = sn_vec3_length(c->pushes[i]);
        if (c->weights[i] == 0.0f && push == 0.0f)
            continue;
        c->held[i] = c->held[i] && skin->still > 0;
        float kept = skin->has_added ? (c->held[i] ? 1.0f : 1.0f - FADING) : 0.0f;
        c->change = fmaxf(c->change, (1.0f - kept) * c->weights[i]);
        c->weights[i] *= c->weights[i] * kept > FORGET ? kept : 0.0f;
        c->pushes[i] =
            sn_vec3_scale(c->pushes[i], push * kept > FORGET * skin->edges[i] ? kept : 0.0f);
        activate(skin, i);
        if (c->weights[i] > 0.0f && skin->has_added)
            skin->places[0][i].at = sn_vec3_add(c->agreed[i], from_blending(skin, i, c->drawn[i]));
    }
}

// Sweeps go on where those of this frame have ended.
static void keep_drawn(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    for (int i = 0; i < c->active_count; ++i) {
        int slot = c->active[i];
        SnVec3 way = sn_vec3_sub(skin->places[0][slot].at, c->agreed[slot]);
        c->drawn[slot] = to_blending(skin, slot, way);
    }
}

static SnVec3 pushed(const SnImplicit *skin, int slot) {
    return sn_vec3_add(skin->crossings.agreed[slot],
                       from_blending(skin, slot, skin->crossings.pushes[slot]));
}

static void draw_point(SnImplicit *skin, int slot) {
    float weight = skin->crossings.weights[slot];
    SnVec3 mean = sn_vec3(0.0f, 0.0f, 0.0f);
    EACH_NEIGHBOUR(skin, slot, row)
    mean = sn_vec3_add_scaled(mean, skin->places[0][neighbour(skin, slot, row)].at,
                              share(skin, slot, row));
    skin->places[0][slot].at =
        sn_vec3_add_scaled(sn_vec3_scale(pushed(skin, slot), 1.0f - weight), mean, weight);
}

// Gauss and Seidel's sweeps over the points that are drawn, back and forth.
static void place_active(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    for (int i = 0; i < c->active_count; ++i) {
        int slot = c->active[i];
        if (c->weights[slot] == 0.0f)
            skin->places[0][slot].at = pushed(skin, slot);
        c->packs[slot / FIELD_LANES].moved = true;
        EACH_NEIGHBOUR(skin, slot, row)
        c->packs[neighbour(skin, slot, row) / FIELD_LANES].moved = true;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int i = 0; i < c->active_count; ++i) {
            int slot = c->active[sweep % 2 ? c->active_count - 1 - i : i];
            if (c->weights[slot] > 0.0f)
                draw_point(skin, slot);
        }
}

static SnVec3 blended_normal(const SnImplicit *skin, const int corners[3]) {
    SnVec3 sum = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 3; ++k)
        sum = sn_vec3_add(sum,
                          sn_quat_rotate(skin->turns[corners[k]], skin->rest_normal[corners[k]]));
    return sn_vec3_normalise(sum, sn_vec3(0.0f, 1.0f, 0.0f));
}

// The farthest that any of the corners lies along a unit vector.
static float farthest(const SnImplicit *skin, const int corners[3], SnVec3 along) {
    float most = sn_vec3_dot(skin->places[0][corners[0]].at, along);
    for (int k = 1; k < 3; ++k)
        most = fmaxf(most, sn_vec3_dot(skin->places[0][corners[k]].at, along));
    return most;
}

// Corners that are not as far along a unit vector as `limit` are to go a part of the way there. A point of
// several triangles goes the longest way.
static void shift_corners(SnImplicit *skin, const int corners[3], SnVec3 along, float limit) {
    SkinCrossings *c = &skin->crossings;
    for (int k = 0; k < 3; ++k) {
        int slot = corners[k];
        activate(skin, slot);
        c->held[slot] = true;
        float way = limit - sn_vec3_dot(skin->places[0][slot].at, along);
        way = 0.5f * APART * (way + GAP * skin->edges[slot] * fabsf(skin->scales[slot]));
        if (way > sn_vec3_length(c->shifts[slot]))
            c->shifts[slot] = sn_vec3_scale(along, way);
    }
}

// Both sides of a crossing that face each other go apart; of a fold, corners are marked. Shells that do not
// face each other lie on each other, as clothes on skin; neither is a fold.
static void answer(SnImplicit *skin, const Crossing *crossing) {
    SkinCrossings *c = &skin->crossings;
    const int *a = c->corners[crossing->a], *b = c->corners[crossing->b];
    SnVec3 normal = blended_normal(skin, a), other = blended_normal(skin, b);
    if (sn_vec3_dot(normal, other) < FACING) {
        SnVec3 out = sn_vec3_normalise(sn_vec3_sub(other, normal), other);
        SnVec3 back = sn_vec3_scale(out, -1.0f);
        float top = farthest(skin, b, out), bottom = farthest(skin, a, back);
        shift_corners(skin, a, out, top);
        shift_corners(skin, b, back, bottom);
    } else if (c->shells[a[0]] == c->shells[b[0]]) {
        for (int k = 0; k < 6; ++k) {
            int slot = k < 3 ? a[k] : b[k - 3];
            activate(skin, slot);
            c->marks[slot] = 1.0f;
            c->held[slot] = true;
        }
    }
}

static void mark_neighbours(SnImplicit *skin, int slot) {
    SkinCrossings *c = &skin->crossings;
    int own = skin->packs[slot / FIELD_LANES].own;
    float around = AROUND * (own >= 0 ? (float)skin->parts[own].grid.reach : skin->edges[slot]);
    EACH_NEIGHBOUR(skin, slot, row) {
        int other = neighbour(skin, slot, row);
        float mark = c->marks[slot] - edge_length(skin, slot, row) / around;
        if (mark <= 0.0f)
            continue;
        activate(skin, other);
        c->held[other] = true;
        c->marks[other] = fmaxf(c->marks[other], mark);
    }
}

// Neighbours of what goes apart come along, by their share.
static void shift_neighbours(SnImplicit *skin, int slot) {
    SkinCrossings *c = &skin->crossings;
    EACH_NEIGHBOUR(skin, slot, row) {
        int other = neighbour(skin, slot, row);
        activate(skin, other);
        c->held[other] = true;
    }
}

static SnVec3 mean_shift(const SnImplicit *skin, int slot) {
    const SkinCrossings *c = &skin->crossings;
    SnVec3 mean = sn_vec3(0.0f, 0.0f, 0.0f);
    EACH_NEIGHBOUR(skin, slot, row) {
        int other = neighbour(skin, slot, row);
        if (c->is_active[other])
            mean = sn_vec3_add_scaled(mean, c->shifts[other], share(skin, slot, row));
    }
    return mean;
}

static void grow(SnImplicit *skin, int slot, SnVec3 shift) {
    SkinCrossings *c = &skin->crossings;
    float weight = fminf(1.0f, c->weights[slot] + DRAW * c->marks[slot]);
    c->change = fmaxf(c->change, weight - c->weights[slot]);
    c->weights[slot] = weight;
    c->pushes[slot] = sn_vec3_add(c->pushes[slot], to_blending(skin, slot, shift));
    float size = fabsf(skin->scales[slot]) * skin->edges[slot], length = sn_vec3_length(shift);
    c->change = fmaxf(c->change, size > 0.0f ? length / size : 0.0f);
}

static void answer_all(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    for (int i = 0; i < skin->pack_count; ++i)
        for (int k = 0; k < c->packs[i].found; ++k)
            answer(skin, &c->packs[i].crossings[k]);
    int apart = c->active_count;
    for (int ring = 0; ring < MOST_AROUND; ++ring)
        for (int i = 0, count = c->active_count; i < count; ++i)
            if (c->marks[c->active[i]] > 0.0f)
                mark_neighbours(skin, c->active[i]);
    for (int i = 0; i < apart; ++i)
        if (sn_vec3_length(c->shifts[c->active[i]]) > 0.0f)
            shift_neighbours(skin, c->active[i]);
    for (int i = 0; i < c->active_count; ++i) {
        int slot = c->active[i];
        bool own = sn_vec3_length(c->shifts[slot]) > 0.0f;
        grow(skin, slot, own ? c->shifts[slot] : mean_shift(skin, slot));
    }
    for (int i = 0; i < c->active_count; ++i) {
        c->marks[c->active[i]] = 0.0f;
        c->shifts[c->active[i]] = sn_vec3(0.0f, 0.0f, 0.0f);
    }
}

void sn__implicit_uncross(SnImplicit *skin) {
    SkinCrossings *c = &skin->crossings;
    fade(skin);
    for (int i = 0; i < skin->pack_count; ++i)
        c->packs[i].moved = true;
    for (int pass = 0;; ++pass) {
        place_active(skin);
        c->left = sn__crossings_find(skin);
        if (c->left == 0 || pass == PASSES)
            break;
        answer_all(skin);
    }
    keep_drawn(skin);
}
