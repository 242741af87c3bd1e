// The life of skins. Snapshots and the revision know nothing of them: they follow the poses.
#include "world/skins.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/null.h"
#include "world/world.h"

#define SKIN_COOKIE 0x534e534bu

SnSkinDef sn_default_skin_def(void) {
    SnSkinDef def = {0};
    def.cookie = SKIN_COOKIE;
    def.fairing = 10;
    return def;
}

static const char *name_of(const SnSkinDef *def) { return def->name ? def->name : "skin"; }

static SnResult check_numbers(const SnSkinDef *def, const char *name) {
    if (def->body_count < 1 || def->bodies == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: body_count: %d bodies, at least 1 is needed", name,
                        def->bodies ? def->body_count : 0);
    if (def->vertex_count < 1 || def->positions == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: vertex_count: %d vertices, at least 1 is needed",
                        name, def->positions ? def->vertex_count : 0);
    if (def->vertex_count > SN_MAX_SKIN_VERTICES)
        return sn_error(SN_ERROR_LIMIT, "%s: vertex_count: %d is more than %d", name,
                        def->vertex_count, SN_MAX_SKIN_VERTICES);
    if (def->triangle_count < 0 || (def->triangle_count > 0 && def->triangles == NULL))
        return sn_error(SN_ERROR_INVALID, "%s: triangle_count: %d, with%s triangles", name,
                        def->triangle_count, def->triangles ? "" : "out");
    if (def->triangle_count > SN_MAX_SKIN_TRIANGLES)
        return sn_error(SN_ERROR_LIMIT, "%s: triangle_count: %d is more than %d", name,
                        def->triangle_count, SN_MAX_SKIN_TRIANGLES);
    if (def->fairing < 0 || def->fairing > 1000)
        return sn_error(SN_ERROR_INVALID, "%s: fairing: %d is not in [0, 1000]", name,
                        def->fairing);
    for (int c = 0; c < 3; ++c)
        if (!(fabs(def->origin[c]) <= (double)SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: origin[%d]: %g is not within %g m", name, c,
                            def->origin[c], (double)SN_MAX_POSITION);
    return sn_ok();
}

static SnResult check_mesh(const SnSkinDef *def, const char *name) {
    for (int i = 0; i < def->vertex_count; ++i)
        if (!sn__within3(def->positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: positions[%d]: (%g, %g, %g) is not within %g m",
                            name, i, (double)def->positions[i].x, (double)def->positions[i].y,
                            (double)def->positions[i].z, (double)SN_MAX_POSITION);
    for (int i = 0; i < 3 * def->triangle_count; ++i)
        if (def->triangles[i] >= (uint32_t)def->vertex_count)
            return sn_error(SN_ERROR_INVALID, "%s: triangles[%d]: vertex %u is not in [0, %d)",
                            name, i / 3, def->triangles[i], def->vertex_count);
    return sn_ok();
}

static SnResult check_weights(const SnSkinDef *def, const char *name, int bone_count) {
    if ((def->weights == NULL) != (def->bones == NULL))
        return sn_error(SN_ERROR_INVALID, "%s: bones and weights go together; one is missing",
                        name);
    for (int i = 0; i < def->vertex_count && def->weights; ++i) {
        float sum = 0.0f;
        for (int k = SN_SKIN_BONES * i; k < SN_SKIN_BONES * (i + 1); ++k) {
            if (def->bones[k] < 0 || def->bones[k] >= bone_count)
                return sn_error(SN_ERROR_INVALID, "%s: bones[%d]: %d is not in [0, %d)", name, k,
                                def->bones[k], bone_count);
            if (!(def->weights[k] >= 0.0f && def->weights[k] <= 1e6f))
                return sn_error(SN_ERROR_INVALID, "%s: weights[%d]: %g is not in [0, 1e6]", name, k,
                                (double)def->weights[k]);
            sum += def->weights[k];
        }
        if (!(sum >= 1e-6f))
            return sn_error(SN_ERROR_INVALID, "%s: weights of vertex %d: their sum is %g, not > 0",
                            name, i, (double)sum);
    }
    return sn_ok();
}

// Bones and segments of all its rods.
static SnResult count_rods(const SnWorld *world, const SnSkinDef *def, int *bones, int *segments) {
    int64_t b = 0, s = 0;
    for (int i = 0; i < def->body_count; ++i) {
        const Body *body = sn__bodies_find(&world->bodies, def->bodies[i]);
        if (body == NULL)
            return sn_error(SN_ERROR_STALE, "%s: bodies[%d]: id is stale", name_of(def), i);
        for (int k = 0; k < i; ++k)
            if (def->bodies[k].index == def->bodies[i].index)
                return sn_error(SN_ERROR_INVALID, "%s: bodies[%d] is bodies[%d] again",
                                name_of(def), i, k);
        b += body->points;
        s += body->elements;
    }
    if (b > SN_MAX_ROD_VERTICES || s > SN_MAX_ROD_VERTICES)
        return sn_error(SN_ERROR_LIMIT, "%s: its bodies have %lld points, more than %d",
                        name_of(def), (long long)b, SN_MAX_ROD_VERTICES);
    *bones = (int)b;
    *segments = (int)s;
    return sn_ok();
}

static void add_rest(const Body *body, const double *origin, int first_bone, int first_segment,
                     SkinRest *rest) {
    assert(first_bone + body->points <= rest->bone_count);
    assert(first_segment + body->elements <= rest->segment_count);
    for (int i = 0; i < body->points; ++i) {
        SnVec3 x = body->rest_positions[i];
        rest->positions[first_bone + i] =
            sn_vec3((float)(body->rest_origin[0] - origin[0] + (double)x.x),
                    (float)(body->rest_origin[1] - origin[1] + (double)x.y),
                    (float)(body->rest_origin[2] - origin[2] + (double)x.z));
        rest->radii[first_bone + i] = body->kind->rest_radius(body, i);
    }
    for (int s = 0; s < body->elements; ++s) {
        int *edge = rest->edges + 2 * (size_t)(first_segment + s);
        body->kind->edge(body, s, edge);
        edge[0] += first_bone;
        edge[1] += first_bone;
    }
}

static bool same_model(const SkinModel *model, const SnSkinDef *def, uint64_t hash) {
    return model->hash == hash && model->vertex_count == def->vertex_count &&
           model->triangle_count == def->triangle_count &&
           memcmp(model->positions, def->positions, (size_t)def->vertex_count * sizeof(SnVec3)) ==
               0;
}

// An equal model that is there already, or a new one. NULL: no memory.
static SkinModel *find_model(SnWorld *world, const SnSkinDef *def, SkinRest *rest) {
    SkinSystem *system = &world->skins;
    uint64_t hash = sn__skin_model_hash(def, rest);
    for (int i = 0; i < system->model_count; ++i)
        if (same_model(system->models[i], def, hash)) {
            sn__skin_rest_destroy(&world->allocator, rest);
            return system->models[i];
        }
    if (!sn__reserve(&world->allocator, (void **)&system->models, &system->model_capacity,
                     system->model_count, sizeof(SkinModel *)))
        return NULL;
    SkinModel *model = sn__skin_model_create(&world->allocator, def, rest);
    if (model) {
        model->hash = hash;
        system->models[system->model_count++] = model;
    }
    return model;
}

static void release_model(SnWorld *world, SkinModel *model) {
    assert(model->uses > 0);
    SkinSystem *system = &world->skins;
    if (--model->uses > 0)
        return;
    for (int i = 0; i < system->model_count; ++i)
        if (system->models[i] == model)
            system->models[i] = system->models[--system->model_count];
    sn__skin_model_destroy(model);
}

static SkinModel *make_model(SnWorld *world, const SnSkinDef *def, int bones, int segments) {
    SkinRest rest;
    if (!sn__skin_rest_create(&world->allocator, bones, segments, &rest))
        return NULL;
    int b = 0, s = 0;
    for (int i = 0; i < def->body_count; ++i) {
        const Body *body = sn__bodies_find(&world->bodies, def->bodies[i]);
        add_rest(body, def->origin, b, s, &rest);
        b += body->points;
        s += body->elements;
    }
    SkinModel *model = find_model(world, def, &rest);
    if (model == NULL)
        sn__skin_rest_destroy(&world->allocator, &rest);
    else
        ++model->uses;
    return model;
}

static bool add_skin(SnWorld *world, const SnSkinDef *def, SkinModel *model, SnSkinId *out_id) {
    SkinSystem *system = &world->skins;
    const SnAllocator *a = &world->allocator;
    SnSkinId id;
    size_t size = (size_t)def->body_count * sizeof(SnBodyId);
    SnBodyId *rods = sn__alloc(a, size);
    if (rods == NULL ||
        !sn__reserve(a, (void **)&system->skins, &system->skin_capacity,
                     (int)system->ids.slot_count, sizeof(Skin)) ||
        !sn__reserve(a, (void **)&system->order, &system->order_capacity, system->order_count,
                     sizeof(SnSkinId)) ||
        !sn__ids_acquire(&system->ids, a, &id.index, &id.generation)) {
        sn__free(a, rods, size);
        return false;
    }
    memcpy(rods, def->bodies, size);
    system->skins[id.index - 1] = (Skin){model, rods, def->body_count, def->user_data};
    system->order[system->order_count++] = id;
    *out_id = id;
    return true;
}

SnResult sn_skin_create(SnWorld *world, const SnSkinDef *def, SnSkinId *out_skin) {
    if (world == NULL)
        return sn__null("skin: world");
    if (def == NULL || def->cookie != SKIN_COOKIE)
        return sn_error(SN_ERROR_INVALID, "skin: definition was not made by sn_default_skin_def");
    int bones = 0, segments = 0;
    SnResult result = check_numbers(def, name_of(def));
    if (result.code == SN_OK)
        result = check_mesh(def, name_of(def));
    if (result.code == SN_OK)
        result = count_rods(world, def, &bones, &segments);
    if (result.code == SN_OK)
        result = check_weights(def, name_of(def), bones);
    if (result.code != SN_OK)
        return result;
    SkinModel *model = make_model(world, def, bones, segments);
    SnSkinId id;
    if (model && add_skin(world, def, model, &id)) {
        if (out_skin)
            *out_skin = id;
        return sn_ok();
    }
    if (model)
        release_model(world, model);
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for %d vertices", name_of(def),
                    def->vertex_count);
}

Skin *sn__skins_find(const SnWorld *world, SnSkinId id) {
    const SkinSystem *system = &world->skins;
    return sn__ids_valid(&system->ids, id.index, id.generation) ? &system->skins[id.index - 1]
                                                                : NULL;
}

static void remove_at(SnWorld *world, int place) {
    assert(place >= 0 && place < world->skins.order_count);
    SkinSystem *system = &world->skins;
    SnSkinId id = system->order[place];
    Skin *skin = &system->skins[id.index - 1];
    release_model(world, skin->model);
    sn__free(&world->allocator, skin->bodies, (size_t)skin->body_count * sizeof(SnBodyId));
    sn__ids_release(&system->ids, id.index, id.generation);
    --system->order_count;
    memmove(system->order + place, system->order + place + 1,
            (size_t)(system->order_count - place) * sizeof(SnSkinId));
}

SnResult sn_skin_destroy(SnWorld *world, SnSkinId id) {
    if (world == NULL)
        return sn__null("skin: world");
    const SkinSystem *system = &world->skins;
    if (sn__skins_find(world, id) == NULL)
        return sn_error(SN_ERROR_STALE, "skin: id is stale");
    int place = 0;
    while (system->order[place].index != id.index)
        ++place;
    remove_at(world, place);
    return sn_ok();
}

bool sn_skin_is_valid(const SnWorld *world, SnSkinId id) {
    return GIVEN(world) && sn__skins_find(world, id) != NULL;
}

void *sn_skin_user_data(const SnWorld *world, SnSkinId id) {
    const Skin *skin = GIVEN(world) ? sn__skins_find(world, id) : NULL;
    return skin ? skin->user_data : NULL;
}

SnResult sn_skin_mesh(const SnWorld *world, SnSkinId id, SnSkinMesh *out_mesh) {
    if (world == NULL)
        return sn__null("skin: world");
    if (out_mesh == NULL)
        return sn__null("skin: out_mesh");
    const Skin *skin = sn__skins_find(world, id);
    if (skin == NULL)
        return sn_error(SN_ERROR_STALE, "skin: id is stale");
    const SkinModel *m = skin->model;
    *out_mesh = (SnSkinMesh){.vertex_count = m->vertex_count,
                             .triangle_count = m->triangle_count,
                             .bone_count = m->rest.bone_count,
                             .triangles = m->triangles,
                             .rest_positions = m->positions,
                             .rest_normals = m->normals,
                             .bones = m->bones,
                             .weights = m->weights,
                             .bodies = skin->bodies,
                             .body_count = skin->body_count,
                             .rest_bones = m->rest.positions};
    return sn_ok();
}

static bool follows(const Skin *skin, SnBodyId body) {
    for (int i = 0; i < skin->body_count; ++i)
        if (skin->bodies[i].index == body.index && skin->bodies[i].generation == body.generation)
            return true;
    return false;
}

void sn__skins_drop_body(SnWorld *world, SnBodyId body) {
    for (int i = world->skins.order_count - 1; i >= 0; --i)
        if (follows(&world->skins.skins[world->skins.order[i].index - 1], body))
            remove_at(world, i);
}

void sn__skins_destroy(SnWorld *world) {
    SkinSystem *system = &world->skins;
    const SnAllocator *a = &world->allocator;
    while (system->order_count > 0)
        remove_at(world, system->order_count - 1);
    sn__ids_destroy(&system->ids, a);
    sn__free(a, system->skins, (size_t)system->skin_capacity * sizeof(Skin));
    sn__free(a, system->order, (size_t)system->order_capacity * sizeof(SnSkinId));
    sn__free(a, system->models, (size_t)system->model_capacity * sizeof(SkinModel *));
    sn__free(a, system->memory, system->memory_size);
    *system = (SkinSystem){0};
}
