// One frame: blending, then rounds of relaxing along the surface and marching across it.
#include "base/null.h"
#include "implicit/implicit.h"

#define GRAIN 8       // packs
#define VERTICES 1024 // per task
#define SETTLE 2      // steps across the surface before the first round, and after the last
// Over the reach: a pack whose points neither have so far to go nor are moved so far by relaxing rests.
#define QUIET 1e-3f
#define FADE                                                                                       \
    0.05f // of what the frame before added, so that what was shifted along the skin goes back
#define AT_REST 1e-3f // of an edge, that a point of a skin at rest may move in a frame
#define SETTLED 110   // frames after which a skin of which nothing moves is at rest in any case
#define AGREEMENTS 6  // passes of neighbours
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
                     skin->geometric[FIELD_LANES * number + lane]);
        pack->way[lane] = pack->touch[lane] = 0.0f;
    }
}

// Where points begin: where blending puts them, and what was added to that in the frame before.
static void begin_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    float kept = 1.0f - FADE * sn__implicit_vigour(skin);
    sn__implicit_blend(skin, FIELD_LANES * begin, FIELD_LANES * end);
    for (int i = FIELD_LANES * begin; i < FIELD_LANES * end; ++i) {
        SnVec3 x = skin->geometric[i];
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
}

static void offset_points(int begin, int end, int worker, void *context) {
    (void)worker;
    sn__implicit_offsets(context, FIELD_LANES * begin, FIELD_LANES * end);
}

static void relax_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    end = end < skin->tracked_packs ? end : skin->tracked_packs;
    for (int i = begin; i < end; ++i)
        if (!skin->packs[i].rigid)
            sn__implicit_relax(skin, FIELD_LANES * i, FIELD_LANES * (i + 1));
}

// A point that has left the field of its own part goes to where that part would carry it alone.
static void find_lost(SnImplicit *skin, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const FieldPack *pack = &skin->packs[i / FIELD_LANES];
        SnVec3 x = sn__pack_point(skin->packs, i);
        if (pack->way[i % FIELD_LANES] < FIELD_FAR && is_finite(x))
            continue;
        const BoundJoint *joint = &skin->joints[skin->parts[pack->own].joint];
        sn__pack_put(skin->packs, i,
                     sn__implicit_apply((const float(*)[4])joint->map, skin->points[i].rest));
    }
}

static void march(SnImplicit *skin, int begin, int end) {
    FieldScene scene = sn__field_scene(skin);
    skin->kernels->track(&scene, skin->packs + begin, end - begin);
    find_lost(skin, FIELD_LANES * begin, FIELD_LANES * end);
}

static bool has_arrived(const SnImplicit *skin, const FieldPack *pack) {
    float limit = QUIET * skin->fields[pack->own].reach_now, most = 0.0f;
    for (int lane = 0; lane < FIELD_LANES; ++lane)
        most = fmaxf(most, fabsf(pack->way[lane]));
    return most < limit;
}

static void settle_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    end = end < skin->tracked_packs ? end : skin->tracked_packs;
    for (int i = begin; i < end; ++i)
        for (int step = 0; step < SETTLE && !skin->packs[i].rigid; ++step) {
            march(skin, i, i + 1);
            if (has_arrived(skin, &skin->packs[i]))
                break;
        }
}

static bool is_quiet(const SnImplicit *skin, int number) {
    const FieldPack *pack = &skin->packs[number];
    float limit = QUIET * skin->fields[pack->own].reach_now, most = 0.0f;
    for (int lane = 0; lane < FIELD_LANES; ++lane) {
        int slot = FIELD_LANES * number + lane;
        SnVec3 way = sn_vec3_sub(skin->moved[slot], sn__pack_point(skin->packs, slot));
        most = fmaxf(most, sn_vec3_dot(way, way));
    }
    return most < limit * limit && has_arrived(skin, pack);
}

static void march_points(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    end = end < skin->tracked_packs ? end : skin->tracked_packs;
    for (int i = begin; i < end; ++i) {
        if (skin->packs[i].rigid || is_quiet(skin, i))
            continue;
        for (int slot = FIELD_LANES * i; slot < FIELD_LANES * (i + 1); ++slot)
            sn__pack_put(skin->packs, slot, skin->moved[slot]);
        march(skin, i, i + 1);
    }
}

// Where joints shrink to nothing, what is small now would be large in the next frame.
static bool follows_flat(const SnImplicit *skin, int slot) {
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
        skin->offsets[i] = sn_vec3(0.0f, 0.0f, 0.0f);
        if (pack->own < 0)
            continue;
        const FieldPart *field = &skin->fields[pack->own];
        SnVec3 way = sn_vec3_sub(sn__pack_point(skin->packs, i), skin->geometric[i]);
        bool kept = field->samples && pack->way[i % FIELD_LANES] < FIELD_FAR && is_finite(way) &&
                    sn_vec3_length(way) <= ASTRAY * field->reach_now;
        if (!kept) {
            sn__pack_put(skin->packs, i, skin->geometric[i]);
            pack->way[i % FIELD_LANES] = FIELD_FAR;
            way = sn_vec3(0.0f, 0.0f, 0.0f);
        }
        SnVec3 before = skin->added[i];
        skin->added[i] = follows_flat(skin, i)
                             ? sn_vec3(0.0f, 0.0f, 0.0f)
                             : sn_vec3_scale(sn_quat_rotate(sn_quat_inverse(skin->turns[i]), way),
                                             1.0f / skin->scales[i]);
        skin->offsets[i] = skin->added[i];
        float change = sn_vec3_length(sn_vec3_sub(skin->added[i], before));
        pack->change = fmaxf(i % FIELD_LANES > 0 ? pack->change : 0.0f,
                             skin->edges[i] > 0.0f ? change / skin->edges[i] : 0.0f);
    }
}

static void agree_points(int begin, int end, int worker, void *context) {
    (void)worker;
    sn__implicit_agree(context, FIELD_LANES * begin, FIELD_LANES * end);
}

static void take_agreed(int begin, int end, int worker, void *context) {
    SnImplicit *skin = context;
    (void)worker;
    for (int i = FIELD_LANES * begin; i < FIELD_LANES * end; ++i) {
        skin->offsets[i] = skin->moved[i];
        if (i < FIELD_LANES * skin->tracked_packs)
            sn__pack_put(skin->packs, i,
                         sn_vec3_add_scaled(skin->geometric[i],
                                            sn_quat_rotate(skin->turns[i], skin->offsets[i]),
                                            skin->scales[i]));
    }
}

static void find_normals(int begin, int end, int worker, void *context) {
    (void)worker;
    sn__implicit_normals(context, FIELD_LANES * begin, FIELD_LANES * end);
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
        skin->positions[v] = sn__pack_point(skin->packs, slot);
        skin->blended[v] = skin->geometric[slot];
        SnVec3 before = sn_quat_rotate(skin->turns[slot], skin->rest_normal[slot]);
        SnVec3 own = sn_quat_rotate(skin->turns[slot], skin->rest_normals[v]);
        skin->normals[v] = turn_along(before, skin->normal[slot], own);
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
    return skin->still > 0 && (change < AT_REST || skin->still >= SETTLED);
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
    if (skin == NULL || maps == NULL)
        return sn__null(skin == NULL ? "implicit: skin" : "implicit: maps");
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
    for (int round = 0; round < skin->rounds; ++round) {
        each_pack(skin, relax_points);
        each_pack(skin, march_points);
    }
    each_pack(skin, settle_points);
    each_pack(skin, end_points);
    for (int pass = 0; pass < AGREEMENTS; ++pass) {
        each_pack(skin, agree_points);
        each_pack(skin, take_agreed);
    }
    each_pack(skin, find_normals);
    skin->tasks.parallel_for(skin->vertex_count, VERTICES, give_vertices, skin,
                             skin->tasks.context);
    skin->has_added = true;
    skin->has_settled = is_settled(skin);
    count_points(skin);
    return deform_rigid(skin, maps);
}
