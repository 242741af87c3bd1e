// The public functions of solids.
#include "base/null.h"
#include "body/world.h"
#include "collide/surface.h"
#include "solid/marks.h"
#include "solid/volume.h"

static SnResult no_memory(const SnSolidDef *def, bool crowded) {
    const char *name = def->name ? def->name : "solid";
    if (crowded)
        return sn_error(SN_ERROR_LIMIT,
                        "%s: %d particles with %d edges would take more than 1 GB to solve; use "
                        "fewer particles, or edges between nearer ones",
                        name, def->particle_count, def->edge_count);
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for %d particles", name, def->particle_count);
}

// The register's part of it; false without memory.
static bool add_body(SolidSystem *solids, Solid *s, const SnSolidDef *def, SnBodyId *out_id) {
    const SnAllocator *a = &solids->allocator;
    size_t size = (size_t)s->count * sizeof(SnQuat);
    SnQuat *frames = sn__alloc(a, size);
    if (frames == NULL)
        return false;
    for (int i = 0; i < s->count; ++i)
        frames[i] = quatf(s->particles[i].frame);
    BodyDef body = {.kind = &sn__solid_kind,
                    .system = solids,
                    .item = s,
                    .name = def->name,
                    .points = s->count,
                    .elements = s->count,
                    .surface = def->surface,
                    .filter = def->filter,
                    .self_collide = def->self_collide,
                    .gravity_scale = def->gravity_scale,
                    .rest_origin = def->origin,
                    .rest_positions = def->positions,
                    .rest_frames = frames,
                    .user_data = def->user_data};
    bool added = sn__bodies_add(solids->bodies, &body, out_id);
    sn__free(a, frames, size);
    return added;
}

SnResult sn_solid_create(SnWorld *world, const SnSolidDef *def, SnBodyId *out_body) {
    if (world == NULL)
        return sn__null("solid: world");
    SnResult result = sn__solid_check(def);
    if (result.code == SN_OK)
        result = sn__surface_check(&def->surface, def->name ? def->name : "solid");
    if (result.code != SN_OK)
        return result;
    SolidSystem *solids = sn__world_system(world, &sn__solid_kind);
    bool crowded = false;
    result = sn__solid_check_doubles(&solids->allocator, def);
    if (result.code != SN_OK)
        return result;
    if (!sn__reserve(&solids->allocator, (void **)&solids->list, &solids->capacity, solids->count,
                     sizeof(Solid *)) ||
        !sn__reserve(&solids->allocator, (void **)&solids->order, &solids->order_capacity,
                     solids->count, sizeof(Solid *)) ||
        !sn__reserve(&solids->allocator, (void **)&solids->groups, &solids->group_capacity,
                     solids->count, sizeof(int)))
        return no_memory(def, false);
    Solid *s = sn__solid_create(solids, def, &crowded);
    SnBodyId id;
    if (s == NULL || !add_body(solids, s, def, &id)) {
        if (s)
            sn__solid_destroy(s);
        return no_memory(def, crowded);
    }
    solids->list[solids->count++] = s;
    sn__world_body_created(world, id, s->count + 4096 * s->edge_count);
    if (out_body)
        *out_body = id;
    return result;
}

// A solid of this world, or why it is none.
static SnResult find(const SnWorld *world, const Body *body, Solid **out) {
    *out = body && body->kind == &sn__solid_kind ? solid_of(body) : NULL;
    if (world == NULL)
        return sn__null("solid: world");
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "solid: id is stale");
    if (*out == NULL)
        return sn_error(SN_ERROR_INVALID, "solid: the id is that of a %s", body->kind->name);
    return sn_ok();
}

static Solid *solid_at(const SnWorld *world, SnBodyId id) {
    Solid *s = NULL;
    if (world)
        find(world, sn__world_body(world, id), &s);
    return s;
}

SnResult sn_solid_set_material(SnWorld *world, SnBodyId id, const SnSolidMaterial *material) {
    Solid *s;
    SnResult result = find(world, world ? sn__world_awake(world, id) : NULL, &s);
    if (result.code == SN_OK && material == NULL)
        result = sn__null("solid: material");
    if (result.code == SN_OK)
        result = sn__solid_check_material(material, "solid");
    if (result.code != SN_OK)
        return result;
    // The spin stays, not the angular momentum.
    double by = (double)material->density / (double)s->material.density;
    for (int i = 0; i < s->count; ++i)
        s->l[i] = scaled(s->l[i], by);
    s->material = *material;
    sn__solid_set_stiffness(s);
    sn__solid_share(s); // without memory it shares nothing
    return result;
}

SnResult sn_solid_material(const SnWorld *world, SnBodyId id, SnSolidMaterial *out_material) {
    Solid *s;
    SnResult result = find(world, world ? sn__world_body(world, id) : NULL, &s);
    if (result.code == SN_OK && out_material == NULL)
        result = sn__null("solid: out_material");
    if (result.code == SN_OK)
        *out_material = s->material;
    return result;
}

SnResult sn_solid_radii(const SnWorld *world, SnBodyId id, SnVec3 *out_radii) {
    Solid *s;
    SnResult result = find(world, world ? sn__world_body(world, id) : NULL, &s);
    if (result.code == SN_OK && out_radii == NULL)
        result = sn__null("solid: out_radii");
    for (int i = 0; result.code == SN_OK && i < s->count; ++i)
        out_radii[i] = vec3f(s->particles[i].radii);
    return result;
}

int sn_solid_edge_count(const SnWorld *world, SnBodyId id) {
    const Solid *s = solid_at(world, id);
    return s ? s->edge_count : 0;
}

SnResult sn_solid_edges(const SnWorld *world, SnBodyId id, int (*out_edges)[2],
                        float *out_strains) {
    Solid *s;
    SnResult result = find(world, world ? sn__world_body(world, id) : NULL, &s);
    for (int k = 0; result.code == SN_OK && k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (out_edges) {
            out_edges[k][0] = e->i;
            out_edges[k][1] = e->j;
        }
        double length = lengthd(subd(s->x[e->j], s->x[e->i]));
        if (out_strains)
            out_strains[k] = e->broken ? -1.0f : (float)(length / lengthd(e->rest) - 1.0);
    }
    return result;
}

double sn_solid_volume(const SnWorld *world, SnBodyId id, double *out_rest) {
    Solid *s = solid_at(world, id);
    if (out_rest)
        *out_rest = s ? s->volume : 0.0;
    if (s == NULL)
        return 0.0;
    sn__solid_stand_still(s);
    return sn__solid_volume(s);
}

double sn_solid_energy(const SnWorld *world, SnBodyId id) {
    Solid *s = solid_at(world, id);
    return s ? sn__solid_energy_now(s) : 0.0;
}

SnResult sn_solid_add_mark(SnWorld *world, SnBodyId id, const SnSolidMark *mark, int *out_mark) {
    Solid *s;
    SnResult result = find(world, world ? sn__world_awake(world, id) : NULL, &s);
    if (result.code == SN_OK)
        result = sn__solid_add_mark(s, mark);
    if (result.code != SN_OK)
        return result;
    sn__world_body_changed(world, id, s->mark_count);
    if (out_mark)
        *out_mark = s->mark_count - 1;
    return result;
}

int sn_solid_mark_count(const SnWorld *world, SnBodyId id) {
    const Solid *s = solid_at(world, id);
    return s ? s->mark_count : 0;
}

SnResult sn_solid_mark(const SnWorld *world, SnBodyId id, int mark, SnVec3 *out_position,
                       SnVec3 *out_direction) {
    Solid *s;
    const Body *body = world ? sn__world_body(world, id) : NULL;
    SnResult result = find(world, body, &s);
    if (result.code == SN_OK && (mark < 0 || mark >= s->mark_count))
        result =
            sn_error(SN_ERROR_INVALID, "solid: mark: %d is not in [0, %d)", mark, s->mark_count);
    if (result.code != SN_OK)
        return result;
    HeldPose pose = sn__solid_mark_pose(body, mark);
    if (out_position)
        *out_position = vec3f(pose.position);
    if (out_direction)
        *out_direction = vec3f(sn__solid_mark_direction(s, &s->marks[mark]));
    return result;
}
