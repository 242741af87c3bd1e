// Neighbours agree: what the fields have added to blending at one point may not differ by more than an edge
// from what they have added around it. A point that has found another place than its neighbours, at the
// border of a field or in a fold, comes back to them.
#include "implicit/implicit.h"

#define FOLDED 0.2f // cosine of a triangle's turn from which on it counts as turned over
#define SMALL 0.02f // from the mean of its neighbours, over the edges: it folds nothing
#define APART                                                                                      \
    0.3f // that a point's addition may be from the mean of its neighbours', over its edges

static SnVec3 corner_normal(SnVec3 a, SnVec3 b, SnVec3 c) {
    return sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
}

// The least cosine of the angle between the normal of a triangle around a point and the one it had at rest, as
// blending turns it: with points where they are now, and with points where blending puts them.
typedef struct Folds {
    float now, blended;
} Folds;

static float cosine(SnVec3 a, SnVec3 b) {
    float squares = sn_vec3_dot(a, a) * sn_vec3_dot(b, b);
    return squares > 1e-30f ? sn_vec3_dot(a, b) / sqrtf(squares) : 1.0f;
}

static Folds find_folds(const SnImplicit *skin, int i) {
    SnVec3 x = sn__pack_point(skin->packs, i), rest = skin->points[i].rest;
    const SnVec3 *g = skin->geometric;
    Folds folds = {1.0f, 1.0f};
    for (int k = skin->corner_begin[i]; k < skin->corner_begin[i + 1]; k += 2) {
        int a = skin->corners[k], b = skin->corners[k + 1];
        SnVec3 before = corner_normal(rest, skin->points[a].rest, skin->points[b].rest);
        before = sn_quat_rotate(skin->turns[i], before);
        SnVec3 now =
            corner_normal(x, sn__pack_point(skin->packs, a), sn__pack_point(skin->packs, b));
        folds.now = fminf(folds.now, cosine(now, before));
        folds.blended = fminf(folds.blended, cosine(corner_normal(g[i], g[a], g[b]), before));
    }
    return folds;
}

// How much of its neighbours' addition a point takes in a pass: where fields have turned a triangle over that
// blending alone has not.
static float folded(const SnImplicit *skin, int i) {
    Folds folds = find_folds(skin, i);
    float over = fminf(fmaxf((FOLDED - folds.now) / (2.0f * FOLDED), 0.0f), 1.0f);
    float sound = fminf(fmaxf(folds.blended / (2.0f * FOLDED), 0.0f), 1.0f);
    return over * sound;
}

// With a the addition of a point in the axes of blending, and m the mean of its neighbours', by their shares:
// a becomes m + (a − m) min(1, APART edge/|a − m|).
void sn__implicit_agree(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        SnVec3 mean = {0.0f, 0.0f, 0.0f}, own = skin->offsets[i];
        skin->moved[i] = own;
        const FieldPack *pack = &skin->packs[i / FIELD_LANES];
        if (pack->own < 0 || pack->rigid || skin->corner_begin[i] == skin->corner_begin[i + 1])
            continue;
        for (int k = skin->corner_begin[i]; k < skin->corner_begin[i + 1]; ++k)
            mean = sn_vec3_add_scaled(mean, skin->offsets[skin->corners[k]], skin->shares[k]);
        SnVec3 apart = sn_vec3_sub(own, mean);
        float length = sn_vec3_length(apart), most = APART * skin->edges[i];
        if (length > most)
            skin->moved[i] = sn_vec3_add_scaled(mean, apart, most / length);
        if (length > SMALL * skin->edges[i] && !(pack->touch[i % FIELD_LANES] > 0.0f)) {
            float share = folded(skin, i);
            skin->moved[i] =
                sn_vec3_add_scaled(sn_vec3_scale(skin->moved[i], 1.0f - share), mean, share);
        }
    }
}
