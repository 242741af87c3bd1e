// As rigid as possible, along the surface: a point wants to lie from its neighbours as it did at rest,
// turned as blending turns them. The rest is the fields' business.
#include "implicit/implicit.h"

#define PARALLEL 0.01f // squared sine of the angle between surfaces that are one
#define RELAX 0.5f     // of the way to where the neighbours want a point, per round

// ½ Σ s_k (R_i + R_k)(x̄_i − x̄_k) over the corners k around a point i, with shares s_k that sum up to 1,
// in the scale of the frame.
void sn__implicit_offsets(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        SnVec3 sum = {0.0f, 0.0f, 0.0f}, edges = sum;
        for (int k = skin->corner_begin[i]; k < skin->corner_begin[i + 1]; ++k) {
            int other = skin->corners[k];
            SnVec3 edge = sn_vec3_sub(skin->points[i].rest, skin->points[other].rest);
            edge = sn_vec3_scale(edge, skin->shares[k]);
            sum = sn_vec3_add(sum, sn_quat_rotate(skin->turns[other], edge));
            edges = sn_vec3_add(edges, edge);
        }
        sum = sn_vec3_add(sum, sn_quat_rotate(skin->turns[i], edges));
        skin->offsets[i] = sn_vec3_scale(sum, 0.5f * skin->scales[i]);
    }
}

// Of a way, what is along the surface that the point lies on, and does not pass the next one: at an edge
// between two surfaces, points would else go from one to the other for ever.
static SnVec3 along_surfaces(const FieldPack *pack, int lane, SnVec3 way) {
    SnVec3 out = sn_vec3(pack->out_x[lane], pack->out_y[lane], pack->out_z[lane]);
    way = sn_vec3_add_scaled(way, out, -sn_vec3_dot(way, out));
    SnVec3 next = sn_vec3(pack->next_x[lane], pack->next_y[lane], pack->next_z[lane]);
    float passed = sn_vec3_dot(way, next) - pack->next[lane];
    next = sn_vec3_add_scaled(next, out, -sn_vec3_dot(next, out));
    float square = sn_vec3_dot(next, next);
    if (!(passed > 0.0f) || !(square > PARALLEL))
        return way;
    return sn_vec3_add_scaled(way, next, -passed / square);
}

void sn__implicit_relax(SnImplicit *skin, int begin, int end) {
    float relax = RELAX * sn__implicit_vigour(skin);
    for (int i = begin; i < end; ++i) {
        const FieldPack *pack = &skin->packs[i / FIELD_LANES];
        int lane = i % FIELD_LANES;
        SnVec3 x = sn__pack_point(skin->packs, i), wanted = skin->offsets[i];
        skin->moved[i] = x;
        if (skin->corner_begin[i] == skin->corner_begin[i + 1])
            continue;
        for (int k = skin->corner_begin[i]; k < skin->corner_begin[i + 1]; ++k)
            wanted = sn_vec3_add_scaled(wanted, sn__pack_point(skin->packs, skin->corners[k]),
                                        skin->shares[k]);
        SnVec3 way = sn_vec3_scale(sn_vec3_sub(wanted, x), relax);
        skin->moved[i] = sn_vec3_add(x, along_surfaces(pack, lane, way));
    }
}

// A corner counts by its triangle's area over the squares of both its sides (Max 1999).
void sn__implicit_normals(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        SnVec3 x = sn__pack_point(skin->packs, i), sum = {0.0f, 0.0f, 0.0f};
        for (int k = skin->corner_begin[i]; k < skin->corner_begin[i + 1]; k += 2) {
            SnVec3 e = sn_vec3_sub(sn__pack_point(skin->packs, skin->corners[k]), x);
            SnVec3 f = sn_vec3_sub(sn__pack_point(skin->packs, skin->corners[k + 1]), x);
            float squares = sn_vec3_dot(e, e) * sn_vec3_dot(f, f);
            if (squares > 0.0f)
                sum = sn_vec3_add_scaled(sum, sn_vec3_cross(e, f), 1.0f / squares);
        }
        skin->normal[i] = sn_vec3_normalise(sum, sn_vec3(0.0f, 1.0f, 0.0f));
    }
}
