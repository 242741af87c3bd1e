// One frame: blending, then rounds of relaxing along the surface and marching across it.
#include "base/null.h"
#include "implicit/implicit.h"

#define GRAIN 8       // packs
#define VERTICES 1024 // per task
#define SETTLE 2      // steps across the surface before the first round, and after the last
#define RELAX 0.5f    // of the way to where the neighbours want a point, per round
#define FADE                                                                                       \
    0.05f // of what the frame before added, so that what was shifted along the skin goes back
#define AT_REST 1e-3f // of an edge, that a point of a skin at rest may move in a frame
#define SETTLED 110   // frames after which a skin of which nothing moves is at rest in any case
#define AGREEMENTS 6  // passes of neighbours, an even number
#define ASTRAY 2.0f   // from where blending puts it, over the reach: it starts anew

static void each_pack(SnImplicit *skin, SnTask *task) {
    skin->tasks.parallel_for(skin->pack_count, GRAIN, task, skin, skin->tasks.context);
}

static bool is_finite(SnVec3 x) { return isfinite(x.x) && isfinite(x.y) && isfinite(x.z); }

// Points that follow their own part alone, where no other is near, are where blending puts them.
static void place_rigid(SnImplicit *skin, int number) {
    FieldPack *pack = &skin->packs[number];
    for (int lane = 0; lane < FIELD_LANES; ++lane) {
        sn__pack_put(skin->packs, FIELD_LANES * number + lane,
                     skin->geometric[FIELD_LANES * number + lane].at);
        pack->way[lane] = pack->touch[lane] = 0.0f;
    }
}

static void publish(SnImplicit *skin, int to, int begin, int end) {
    SkinRings rings = sn__skin_rings(skin);
    skin->kernels->publish(&rings, to, skin->packs, begin, end);
}

// Where points begin: where blending puts them, and what was added to that in the frame before.
static void begin_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    float kept = 1.0f - FADE * sn__implicit_vigour(skin);
    sn__implicit_blend(skin, FIELD_LANES * begin, FIELD_LANES * end);
    for (int i = FIELD_LANES * begin; i < FIELD_LANES * end; ++i) {
        SnVec3 x = skin->geometric[i].at;
        if (skin->has_added && i < FIELD_LANES * skin->tracked_packs)
            x = sn_vec3_add_scaled(x, sn_quat_rotate(skin->turns[i], skin->added[i]),
                                   kept * skin->scales[i]);
        sn__pack_put(skin->packs, i, x);
    }
    int tracked = end < skin->tracked_packs ? end : skin->tracked_packs;
    sn__implicit_meet_packs(skin, begin, tracked);
    for (int i = begin; i < tracked; ++i)
        if (skin->packs[i].rigid)
            place_rigid(skin, i);
    publish(skin, 0, begin, end);
    publish(skin, 1, begin, end);
}

static int last_tracked(const SnImplicit *skin, int end) {
    return end < skin->tracked_packs ? end : skin->tracked_packs;
}

static void offset_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    SkinRings rings = sn__skin_rings(skin);
    (void)worker;
    skin->kernels->offset(&rings, skin->packs, begin, last_tracked(skin, end));
}

// A point that has left the field of its own part goes to where that part would carry it alone.
static void find_lost(SnImplicit *skin, int number) {
    const FieldPack *pack = &skin->packs[number];
    for (int lane = 0; lane < FIELD_LANES; ++lane) {
        int slot = FIELD_LANES * number + lane;
        SnVec3 x = sn__pack_point(skin->packs, slot);
        if (pack->way[lane] < FIELD_FAR && is_finite(x))
            continue;
        const BoundJoint *joint = &skin->joints[skin->parts[pack->own].joint];
        sn__pack_put(skin->packs, slot,
                     sn__implicit_apply((const float(*)[4])joint->map, skin->points[slot].rest));
    }
}

static void march(SnImplicit *skin, int begin, int end) {
    FieldScene scene = sn__field_scene(skin);
    skin->kernels->track(&scene, skin->packs + begin, end - begin);
    for (int i = begin; i < end; ++i)
        if (skin->packs[i].lost)
            find_lost(skin, i);
}

static void settle_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    end = last_tracked(skin, end);
    for (int i = begin; i < end; ++i)
        skin->packs[i].quiet = false;
    for (int step = 0; step < SETTLE; ++step) {
        march(skin, begin, end);
        for (int i = begin; i < end; ++i)
            skin->packs[i].quiet = skin->packs[i].arrived;
    }
    publish(skin, 0, begin, end);
}

// A round of relaxing along the surface and marching across it, from places[from] to the other ones.
typedef struct Round {
    SnImplicit *skin;
    int from;
} Round;

static void go_round(int begin, int end, int worker, void *context) {
    const Round *round = context;
    SnImplicit *skin = round->skin;
    SkinRings rings = sn__skin_rings(skin);
    (void)worker;
    end = last_tracked(skin, end);
    skin->kernels->relax(&rings, round->from, RELAX * sn__implicit_vigour(skin), skin->packs, begin,
                         end);
    march(skin, begin, end);
    publish(skin, 1 - round->from, begin, end);
}

// Where joints shrink to nothing, what is small now would be large in the next frame.
bool sn__implicit_follows_flat(const SnImplicit *skin, int slot) {
    const BoundPoint *p = &skin->points[slot];
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        if (p->weights[k] > 0.0f && skin->joints[p->joints[k]].flat)
            return true;
    return !(fabsf(skin->scales[slot]) > 0.0f);
}

// What the fields have added to blending. A point that has gone too far, or nowhere, is blended, and
// begins anew in the next frame. Points of a part that is flat now have no field to follow.
static void end_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    for (int i = FIELD_LANES * begin; i < FIELD_LANES * end; ++i) {
        FieldPack *pack = &skin->packs[i / FIELD_LANES];
        skin->shown[0][i].at = skin->shown[1][i].at = sn_vec3(0.0f, 0.0f, 0.0f);
        if (pack->own < 0)
            continue;
        const FieldPart *field = &skin->fields[pack->own];
        SnVec3 way = sn_vec3_sub(sn__pack_point(skin->packs, i), skin->geometric[i].at);
        bool kept = field->samples && pack->way[i % FIELD_LANES] < FIELD_FAR && is_finite(way) &&
                    sn_vec3_length(way) <= ASTRAY * field->reach_now;
        if (!kept) {
            sn__pack_put(skin->packs, i, skin->geometric[i].at);
            pack->way[i % FIELD_LANES] = FIELD_FAR;
            way = sn_vec3(0.0f, 0.0f, 0.0f);
        }
        SnVec3 before = skin->added[i];
        skin->added[i] = sn__implicit_follows_flat(skin, i)
                             ? sn_vec3(0.0f, 0.0f, 0.0f)
                             : sn_vec3_scale(sn_quat_rotate(sn_quat_inverse(skin->turns[i]), way),
                                             1.0f / skin->scales[i]);
        skin->shown[0][i].at = skin->shown[1][i].at = skin->added[i];
        float change = sn_vec3_length(sn_vec3_sub(skin->added[i], before));
        pack->change = fmaxf(i % FIELD_LANES > 0 ? pack->change : 0.0f,
                             skin->edges[i] > 0.0f ? change / skin->edges[i] : 0.0f);
    }
    publish(skin, 0, begin, end);
    publish(skin, 1, begin, end);
}

static void each_round(SnImplicit *skin, SnTask *task, int from) {
    Round round = {skin, from};
    skin->tasks.parallel_for(skin->pack_count, GRAIN, task, &round, skin->tasks.context);
}

static void agree_points(int begin, int end, int worker, void *context) {
    const Round *round = context;
    SkinRings rings = sn__skin_rings(round->skin);
    (void)worker;
    round->skin->kernels->agree(&rings, round->from, round->skin->packs, begin, end);
}

static void find_normals(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    SkinRings rings = sn__skin_rings(skin);
    (void)worker;
    skin->kernels->normals(&rings, begin, end);
}

// v turned by the smallest rotation that takes unit vector a to unit vector b:
// v − (a + b)((a + b)·v)/(1 + a·b) + 2 b (a·v).
static SnVec3 turn_along(SnVec3 a, SnVec3 b, SnVec3 v) {
    SnVec3 sum = sn_vec3_add(a, b);
    float over = 1.0f + sn_vec3_dot(a, b);
    if (!(over > 1e-4f))
        return sn_vec3_scale(v, -1.0f);
    SnVec3 turned = sn_vec3_add_scaled(v, sum, -sn_vec3_dot(sum, v) / over);
    return sn_vec3_add_scaled(turned, b, 2.0f * sn_vec3_dot(a, v));
}

static void give_vertices(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        int slot = skin->slots[skin->surface.point[v]];
        skin->positions[v] = skin->places[0][slot].at;
        skin->blended[v] = skin->geometric[slot].at;
        SnVec3 before = sn_quat_rotate(skin->turns[slot], skin->rest_normal[slot]);
        SnVec3 own = sn_quat_rotate(skin->turns[slot], skin->rest_normals[v]);
        skin->normals[v] = turn_along(before, skin->normal[slot].at, own);
    }
}

static void count_points(SnImplicit *skin) {
    skin->lost = skin->touching = 0;
    skin->away = 0.0;
    for (int p = 0; p < skin->surface.point_count; ++p) {
        const FieldPack *pack = &skin->packs[skin->slots[p] / FIELD_LANES];
        int lane = skin->slots[p] % FIELD_LANES;
        if (pack->own < 0)
            continue;
        bool lost = !(pack->way[lane] < FIELD_FAR);
        skin->lost += lost;
        skin->touching += !lost && pack->touch[lane] > 0.0f;
        if (!lost)
            skin->away = fmax(skin->away, fabs((double)pack->way[lane]));
    }
}

static bool is_settled(const SnImplicit *skin) {
    float change = 0.0f;
    for (int i = 0; i < skin->tracked_packs; ++i)
        change = fmaxf(change, skin->packs[i].change);
    change = fmaxf(change, skin->crossings.change);
    float away = 0.0f; // fat swings as long as it likes
    for (int i = 0; i < skin->pack_count && skin->fat_away; ++i)
        away = fmaxf(away, skin->fat_away[i]);
    return skin->still > 0 && away < AT_REST && (change < AT_REST || skin->still >= SETTLED);
}

static SnResult deform_rigid(SnImplicit *skin, const SnMap *maps) {
    SnResult result = sn_ok();
    for (int i = 0; i < skin->mesh_count && result.code == SN_OK; ++i)
        if (skin->meshes[i].first < 0)
            result =
                sn_skeleton_deform(skin->skeleton, i, maps, skin->positions + skin->meshes[i].at,
                                   skin->normals + skin->meshes[i].at);
    return result;
}

SnResult sn_implicit_deform(SnImplicit *skin, const SnMap *maps) {
    return sn_implicit_deform_after(skin, maps, 0.0f);
}

SnResult sn_implicit_deform_after(SnImplicit *skin, const SnMap *maps, float seconds) {
    if (skin == NULL || maps == NULL)
        return sn__null(skin == NULL ? "implicit: skin" : "implicit: maps");
    if (!(seconds >= 0.0f && isfinite(seconds)))
        return sn_error(SN_ERROR_INVALID, "implicit: seconds: %g is not in [0, ∞)",
                        (double)seconds);
    bool moved = sn__implicit_place_joints(skin, maps);
    moved |= sn__implicit_place_fields(skin);
    skin->still = moved || !skin->has_added ? 0 : skin->still + 1;
    skin->has_settled &= skin->still > 0;
    if (skin->has_settled)
        return deform_rigid(skin, maps);
    sn__implicit_meet_parts(skin);
    each_pack(skin, begin_points);
    each_pack(skin, offset_points);
    each_pack(skin, settle_points);
    for (int k = 0; k < skin->rounds; ++k)
        each_round(skin, go_round, k % 2);
    each_pack(skin, settle_points);
    each_pack(skin, end_points);
    for (int k = 0; k < AGREEMENTS; ++k)
        each_round(skin, agree_points, k % 2);
    sn__implicit_swing(skin, seconds);
    sn__implicit_uncross(skin);
    each_pack(skin, find_normals);
    skin->tasks.parallel_for(skin->vertex_count, VERTICES, give_vertices, skin,
                             skin->tasks.context);
    skin->has_added = true;
    skin->has_settled = is_settled(skin);
    count_points(skin);
    return deform_rigid(skin, maps);
}
