// What a skin is bound to: the points and elements of its bodies, and its frames with the spheres and
// pills that hang on them.
#include <assert.h>
#include <math.h>

#include "world/skins.h"
#include "world/world.h"

static const char *name_of(const SnSkinDef *def) { return def->name ? def->name : "skin"; }

static bool is_wrapping(const SnWorld *world, uint32_t slot, SnFrameId frame) {
    if (!sn__collider_in_use(&world->colliders, slot))
        return false;
    const Collider *c = &world->colliders.colliders[slot - 1];
    return c->frame.index == frame.index && c->frame.generation == frame.generation &&
           (c->kind == SN_COLLIDER_SPHERE || c->kind == SN_COLLIDER_PILL);
}

static SnResult count_bodies(const SnWorld *world, const SnSkinDef *def, int64_t *bones,
                             int64_t *pills) {
    for (int i = 0; i < def->body_count; ++i) {
        const Body *body = sn__bodies_find(&world->bodies, def->bodies[i]);
        if (body == NULL)
            return sn_error(SN_ERROR_STALE, "%s: bodies[%d]: id is stale", name_of(def), i);
        for (int k = 0; k < i; ++k)
            if (def->bodies[k].index == def->bodies[i].index)
                return sn_error(SN_ERROR_INVALID, "%s: bodies[%d] is bodies[%d] again",
                                name_of(def), i, k);
        *bones += body->points;
        *pills += body->elements;
    }
    return sn_ok();
}

static SnResult count_frames(const SnWorld *world, const SnSkinDef *def, int64_t *bones,
                             int64_t *pills) {
    for (int i = 0; i < def->frame_count; ++i) {
        SnFrameId frame = def->frames[i];
        if (!sn__ids_valid(&world->frame_ids, frame.index, frame.generation))
            return sn_error(SN_ERROR_STALE, "%s: frames[%d]: id is stale", name_of(def), i);
        for (int k = 0; k < i; ++k)
            if (def->frames[k].index == frame.index)
                return sn_error(SN_ERROR_INVALID, "%s: frames[%d] is frames[%d] again",
                                name_of(def), i, k);
        int64_t before = *pills;
        for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
            *pills += is_wrapping(world, slot, frame);
        if (*pills == before && def->weights == NULL)
            return sn_error(
                SN_ERROR_INVALID,
                "%s: frames[%d] has no sphere or pill on it from which weights could be "
                "computed; put a collider there, or give weights",
                name_of(def), i);
        ++*bones;
    }
    return sn_ok();
}

SnResult sn__skin_count(const SnWorld *world, const SnSkinDef *def, SkinCount *out_count) {
    int64_t bones = 0, pills = 0;
    SnResult result = count_bodies(world, def, &bones, &pills);
    if (result.code == SN_OK)
        result = count_frames(world, def, &bones, &pills);
    if (result.code != SN_OK)
        return result;
    if (bones > SN_MAX_ROD_VERTICES || pills > SN_MAX_ROD_VERTICES)
        return sn_error(SN_ERROR_LIMIT, "%s: what it follows has %lld points, more than %d",
                        name_of(def), (long long)bones, SN_MAX_ROD_VERTICES);
    *out_count = (SkinCount){(int)bones, (int)pills};
    return result;
}

// What is filled up so far.
typedef struct Filler {
    const SnSkinDef *def;
    SkinRest *rest;
    int bones, pills;
} Filler;

static void add_bone(Filler *to, Vec3d place) {
    assert(to->bones < to->rest->bone_count);
    to->rest->positions[to->bones++] = vec3f(place);
}

static void add_pill(Filler *to, Pill pill, int first, int second) {
    assert(to->pills < to->rest->pill_count);
    to->rest->pills[to->pills] = pill;
    to->rest->edges[2 * to->pills] = first;
    to->rest->edges[2 * to->pills + 1] = second;
    ++to->pills;
}

static Vec3d from_origin(const SnSkinDef *def, Vec3d x) {
    return subd(x, (Vec3d){def->origin[0], def->origin[1], def->origin[2]});
}

// The point of a slice that lies nearest to its middle.
static int middle_of(const Muscle *m, const Body *body, int slice) {
    Vec3d middle = {0};
    for (int k = 0; k < m->rods; ++k)
        middle = addd(middle, scaled(vec3d(body->rest_positions[sn__muscle_point(m, k, slice)]),
                                     1.0 / m->rods));
    int nearest = 0;
    double least = INFINITY;
    for (int k = 0; k < m->rods; ++k) {
        int point = sn__muscle_point(m, k, slice);
        double away = lengthd(subd(vec3d(body->rest_positions[point]), middle));
        nearest = away < least ? point : nearest;
        least = fmin(away, least);
    }
    return nearest;
}

// The points of a muscle's slice all move as their section does (VIPER, section 7.4), so that one of
// them stands for all. A vertex has room for four bones: of single fibres, a skin over several muscles
// would have to leave out more than it takes, and others from vertex to vertex.
static void lead_by_sections(const Muscle *m, const Body *body, int first_bone, int first_pill,
                             Filler *to) {
    for (int i = 2 * first_pill; i < 2 * to->pills; ++i) {
        int *edge = &to->rest->edges[i];
        *edge = first_bone + middle_of(m, body, (*edge - first_bone) % m->slices);
    }
}

static void add_body(const SnWorld *world, SnBodyId id, Filler *to) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    int first = to->bones, first_pill = to->pills;
    const Vec3d shift = from_origin(
        to->def, (Vec3d){body->rest_origin[0], body->rest_origin[1], body->rest_origin[2]});
    for (int i = 0; i < body->points; ++i)
        add_bone(to, addd(shift, vec3d(body->rest_positions[i])));
    for (int s = 0; s < body->elements; ++s) {
        int edge[2];
        body->kind->edge(body, s, edge);
        int a = first + edge[0], b = first + edge[1];
        Pill pill = {vec3d(to->rest->positions[a]), vec3d(to->rest->positions[b]),
                     (double)body->kind->rest_radius(body, edge[0]),
                     (double)body->kind->rest_radius(body, edge[1])};
        add_pill(to, pill, a, b);
    }
    const Muscle *muscle = sn__muscle_of(&world->muscles, id);
    if (muscle)
        lead_by_sections(muscle, body, first, first_pill, to);
}

static void add_frame(const SnWorld *world, SnFrameId frame, Filler *to) {
    int bone = to->bones;
    add_bone(to,
             from_origin(to->def, vec3d(sn__frame_pose_or_identity(world, frame, false).position)));
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!is_wrapping(world, slot, frame))
            continue;
        const Collider *c = &world->colliders.colliders[slot - 1];
        ColliderPose pose = sn__collider_pose(world, c, false);
        Pill pill = {from_origin(to->def, addd(pose.position, rotated(pose.rotation, c->a))),
                     from_origin(to->def, addd(pose.position, rotated(pose.rotation, c->b))),
                     (double)c->radius[0], (double)c->radius[1]};
        add_pill(to, pill, bone, bone);
    }
}

bool sn__skin_take_rest(const SnWorld *world, const SnSkinDef *def, SkinCount count,
                        SkinRest *out_rest) {
    if (!sn__skin_rest_create(&world->allocator, count.bones, count.pills, out_rest))
        return false;
    Filler to = {def, out_rest, 0, 0};
    for (int i = 0; i < def->body_count; ++i)
        add_body(world, def->bodies[i], &to);
    for (int i = 0; i < def->frame_count; ++i)
        add_frame(world, def->frames[i], &to);
    assert(to.bones == count.bones && to.pills == count.pills);
    return true;
}
