// The life of skins. Snapshots and the revision know nothing of them: they follow the poses.
#include "world/skins.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/null.h"
#include "sinew/solid.h"
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
    if (def->body_count < 0 || (def->body_count > 0 && def->bodies == NULL) ||
        def->frame_count < 0 || (def->frame_count > 0 && def->frames == NULL))
        return sn_error(SN_ERROR_INVALID, "%s: body_count: %d%s, frame_count: %d%s", name,
                        def->body_count, def->bodies ? "" : " without bodies", def->frame_count,
                        def->frames ? "" : " without frames");
    if (def->body_count == 0 && def->frame_count == 0)
        return sn_error(SN_ERROR_INVALID,
                        "%s: body_count and frame_count: both are 0, at least 1 body or frame is "
                        "needed",
                        name);
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

static SnResult check_split(const SnWorld *world, const SnSkinDef *def, const char *name) {
    SnSolidMaterial material;
    if (!def->split || (def->body_count == 1 && def->frame_count == 0 &&
                        sn_solid_material(world, def->bodies[0], &material).code == SN_OK))
        return sn_ok();
    return sn_error(SN_ERROR_INVALID, "%s: split: is for a skin that follows one solid alone",
                    name);
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

static bool same_model(const SkinModel *model, const SnSkinDef *def, uint64_t hash) {
    return model->hash == hash && (model->split != NULL) == def->split &&
           model->given_vertices == def->vertex_count &&
           model->given_triangles == def->triangle_count &&
           (def->split || memcmp(model->positions, def->positions,
                                 (size_t)def->vertex_count * sizeof(SnVec3)) == 0);
}

// An equal model that is there already, or a new one. NULL: no memory.
static SkinModel *find_model(SnWorld *world, const SnSkinDef *def, SkinRest *rest,
                             const SkinGraph *graph) {
    SkinSystem *system = &world->skins;
    uint64_t hash = sn__skin_model_hash(def, rest, graph);
    for (int i = 0; i < system->model_count; ++i)
        if (same_model(system->models[i], def, hash)) {
            sn__skin_rest_destroy(&world->allocator, rest);
            return system->models[i];
        }
    if (!sn__reserve(&world->allocator, (void **)&system->models, &system->model_capacity,
                     system->model_count, sizeof(SkinModel *)))
        return NULL;
    SkinModel *model = sn__skin_model_create(&world->allocator, def, rest, graph);
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

static SkinModel *make_model(SnWorld *world, const SnSkinDef *def, SkinCount count) {
    SkinRest rest;
    SkinGraph graph;
    if (!sn__skin_take_rest(world, def, count, &rest))
        return NULL;
    SkinModel *model = NULL;
    if (sn__skin_take_graph(world, def, &graph))
        model = find_model(world, def, &rest, &graph);
    sn__skin_drop_graph(&world->allocator, &graph);
    if (model == NULL)
        sn__skin_rest_destroy(&world->allocator, &rest);
    else
        ++model->uses;
    return model;
}

static void release_lists(const SnAllocator *a, const Skin *skin) {
    size_t frames = (size_t)skin->frame_count;
    sn__skin_end_split(a, skin);
    sn__free(a, skin->bodies, (size_t)skin->body_count * sizeof(SnBodyId));
    sn__free(a, skin->frames, frames * sizeof(SnFrameId));
    sn__free(a, skin->rest_frames, frames * sizeof(SnPose));
}

// What it follows. False: no memory.
static bool make_lists(const SnWorld *world, const SnSkinDef *def, Skin *skin) {
    const SnAllocator *a = &world->allocator;
    size_t bodies = (size_t)def->body_count, frames = (size_t)def->frame_count;
    skin->body_count = def->body_count;
    skin->frame_count = def->frame_count;
    skin->bodies = sn__alloc_array(a, bodies, sizeof(SnBodyId));
    skin->frames = sn__alloc_array(a, frames, sizeof(SnFrameId));
    skin->rest_frames = sn__alloc_array(a, frames, sizeof(SnPose));
    if ((bodies && skin->bodies == NULL) || (frames && !(skin->frames && skin->rest_frames)) ||
        !sn__skin_start_split(a, skin)) {
        release_lists(a, skin);
        return false;
    }
    for (size_t i = 0; i < bodies; ++i)
        skin->bodies[i] = def->bodies[i];
    for (size_t i = 0; i < frames; ++i) {
        skin->frames[i] = def->frames[i];
        skin->rest_frames[i] = sn__frame_pose_or_identity(world, def->frames[i], false);
    }
    return true;
}

static bool add_skin(SnWorld *world, const SnSkinDef *def, SkinModel *model, SnSkinId *out_id) {
    SkinSystem *system = &world->skins;
    const SnAllocator *a = &world->allocator;
    SnSkinId id;
    Skin skin = {.model = model, .user_data = def->user_data};
    if (!make_lists(world, def, &skin))
        return false;
    if (!sn__reserve(a, (void **)&system->skins, &system->skin_capacity,
                     (int)system->ids.slot_count, sizeof(Skin)) ||
        !sn__reserve(a, (void **)&system->order, &system->order_capacity, system->order_count,
                     sizeof(SnSkinId)) ||
        !sn__ids_acquire(&system->ids, a, &id.index, &id.generation)) {
        release_lists(a, &skin);
        return false;
    }
    system->skins[id.index - 1] = skin;
    system->order[system->order_count++] = id;
    *out_id = id;
    return true;
}

SnResult sn_skin_create(SnWorld *world, const SnSkinDef *def, SnSkinId *out_skin) {
    if (world == NULL)
        return sn__null("skin: world");
    if (def == NULL || def->cookie != SKIN_COOKIE)
        return sn__no_def(def, "skin", "sn_default_skin_def");
    SkinCount count = {0};
    SnResult result = check_numbers(def, name_of(def));
    if (result.code == SN_OK)
        result = check_mesh(def, name_of(def));
    if (result.code == SN_OK)
        result = sn__skin_count(world, def, &count);
    if (result.code == SN_OK)
        result = check_weights(def, name_of(def), count.bones);
    if (result.code == SN_OK)
        result = check_split(world, def, name_of(def));
    if (result.code != SN_OK)
        return result;
    SkinModel *model = make_model(world, def, count);
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
    release_lists(&world->allocator, skin);
    release_model(world, skin->model);
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
                             .cap_triangles =
                                 m->split ? m->triangle_count - m->split->surface_triangles : 0,
                             .lead_count = m->split ? m->split->lead_count : 0,
                             .leads = m->split ? (const int(*)[2])m->split->leads : NULL,
                             .vertex_leads = m->leads,
                             .bone_count = m->rest.bone_count,
                             .triangles = m->triangles,
                             .rest_positions = m->positions,
                             .rest_normals = m->normals,
                             .bones = m->bones,
                             .weights = m->weights,
                             .bodies = skin->bodies,
                             .body_count = skin->body_count,
                             .frames = skin->frames,
                             .rest_frames = skin->rest_frames,
                             .frame_count = skin->frame_count,
                             .rest_bones = m->rest.positions};
    return sn_ok();
}

static const Skin *skin_at(const SnWorld *world, int place) {
    return &world->skins.skins[world->skins.order[place].index - 1];
}

static bool follows_body(const Skin *skin, SnBodyId body) {
    for (int i = 0; i < skin->body_count; ++i)
        if (skin->bodies[i].index == body.index && skin->bodies[i].generation == body.generation)
            return true;
    return false;
}

void sn__skins_drop_body(SnWorld *world, SnBodyId body) {
    for (int i = world->skins.order_count - 1; i >= 0; --i)
        if (follows_body(skin_at(world, i), body))
            remove_at(world, i);
}

static bool follows_frame(const Skin *skin, SnFrameId frame) {
    for (int i = 0; i < skin->frame_count; ++i)
        if (skin->frames[i].index == frame.index && skin->frames[i].generation == frame.generation)
            return true;
    return false;
}

void sn__skins_drop_frame(SnWorld *world, SnFrameId frame) {
    for (int i = world->skins.order_count - 1; i >= 0; --i)
        if (follows_frame(skin_at(world, i), frame))
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
