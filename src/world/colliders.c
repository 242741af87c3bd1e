#include <string.h>

#include "base/null.h"
#include "collide/surface.h"
#include "world/world.h"

#define SIZE_MAX_M 1e6f
#define SIZE_MIN_M 1e-5f

SnColliderDef sn_default_collider_def(void) {
    SnColliderDef def = {.cookie = COLLIDER_COOKIE};
    def.pose = sn_pose_identity();
    def.radius_a = def.radius_b = 0.5f;
    def.half_size = sn_vec3(0.5f, 0.5f, 0.5f);
    def.surface = sn_default_surface();
    def.filter = sn_default_filter();
    return def;
}

SnResult sn__collider_missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "collider: id is stale") : sn__null("collider: world");
}

static bool size_is_valid(float size) { return size >= SIZE_MIN_M && size <= SIZE_MAX_M; }

static SnResult check_size(const char *name, const char *field, float value) {
    if (size_is_valid(value))
        return sn_ok();
    return sn_error(SN_ERROR_INVALID, "%s: %s: %g is not in [%g, %g] m", name, field, (double)value,
                    (double)SIZE_MIN_M, (double)SIZE_MAX_M);
}

static SnResult check_shape(const SnColliderDef *def, const char *name) {
    SnResult result = sn_ok();
    switch (def->kind) {
    case SN_COLLIDER_PLANE:
    case SN_COLLIDER_MESH:
        return result;
    case SN_COLLIDER_SPHERE:
        return check_size(name, "radius_a", def->radius_a);
    case SN_COLLIDER_PILL:
        result = check_size(name, "radius_a", def->radius_a);
        if (result.code == SN_OK)
            result = check_size(name, "radius_b", def->radius_b);
        if (result.code == SN_OK &&
            !(sn__within3(def->a, SIZE_MAX_M) && sn__within3(def->b, SIZE_MAX_M)))
            result = sn_error(SN_ERROR_INVALID, "%s: a and b must be within %g m of its pose", name,
                              (double)SIZE_MAX_M);
        return result;
    case SN_COLLIDER_BOX: {
        const float half[3] = {def->half_size.x, def->half_size.y, def->half_size.z};
        for (int c = 0; c < 3 && result.code == SN_OK; ++c)
            result = check_size(name, "half_size", half[c]);
        return result;
    }
    }
    return sn_error(SN_ERROR_INVALID, "%s: kind: %d is none of SnColliderKind", name,
                    (int)def->kind);
}

SnResult sn__collider_check_pose(SnPose pose, const char *name) {
    if (sn__pose_is_valid(pose))
        return sn_ok();
    return sn_error(SN_ERROR_INVALID,
                    "%s: pose: its position must be within 1e9 m and its rotation a unit "
                    "quaternion",
                    name);
}

ColliderPose sn__collider_placed(SnPose pose, const double origin[3]) {
    return (ColliderPose){addd(vec3d(pose.position), (Vec3d){origin[0], origin[1], origin[2]}),
                          normalisedq(quatd(pose.rotation))};
}

static SnResult check_def(const SnWorld *world, const SnColliderDef *def, const char *name) {
    SnResult result = sn__collider_check_pose(def->pose, name);
    if (result.code != SN_OK)
        return result;
    for (int c = 0; c < 3; ++c)
        if (!(fabs(def->origin[c]) <= (double)SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: origin: %g is not within 1e9 m", name,
                            def->origin[c]);
    bool framed = def->frame.index != 0;
    if (framed && !sn__ids_valid(&world->frame_ids, def->frame.index, def->frame.generation))
        return sn_error(SN_ERROR_STALE, "%s: frame: id is stale", name);
    if (framed && (def->origin[0] != 0.0 || def->origin[1] != 0.0 || def->origin[2] != 0.0))
        return sn_error(SN_ERROR_INVALID, "%s: origin is for colliders in the world", name);
    result = sn__surface_check(&def->surface, name);
    return result.code == SN_OK ? check_shape(def, name) : result;
}

// The grid of a mesh. Its errors do not name the collider; this does.
static SnResult make_grid(const SnAllocator *allocator, const SnColliderDef *def, const char *name,
                          DistanceGrid *out_grid) {
    SnResult result = sn__distance_grid_create(allocator, def->vertices, def->vertex_count,
                                               def->triangles, def->triangle_count,
                                               (double)def->cell, (double)def->shell, out_grid);
    if (result.code == SN_OK)
        return result;
    return sn_error(result.code, "%s: %s", name, result.message);
}

SnResult sn_collider_create(SnWorld *world, const SnColliderDef *def, SnColliderId *out_collider) {
    if (world == NULL)
        return sn__null("collider: world");
    if (def == NULL || def->cookie != COLLIDER_COOKIE)
        return sn__no_def(def, "collider", "sn_default_collider_def");
    const char *name = def->name ? def->name : "collider";
    SnResult result = check_def(world, def, name);
    if (result.code != SN_OK)
        return result;
    Collider c = {.kind = def->kind,
                  .frame = def->frame,
                  .radius = {def->radius_a, def->radius_b},
                  .half = vec3d(def->half_size),
                  .surface = def->surface,
                  .filter = def->filter,
                  .user_data = def->user_data};
    memcpy(c.origin, def->origin, sizeof c.origin);
    c.local = sn__collider_placed(def->pose, def->origin);
    if (def->kind == SN_COLLIDER_PILL) {
        c.a = vec3d(def->a);
        c.b = vec3d(def->b);
    } else {
        c.radius[1] = c.radius[0];
    }
    if (def->kind == SN_COLLIDER_MESH)
        result = make_grid(&world->allocator, def, name, &c.grid);
    if (result.code != SN_OK)
        return result;
    ColliderSystem *system = &world->colliders;
    SnColliderId id;
    if (!sn__reserve(&world->allocator, (void **)&system->colliders, &system->capacity,
                     (int)system->ids.slot_count, sizeof(Collider)) ||
        !sn__ids_acquire(&system->ids, &world->allocator, &id.index, &id.generation)) {
        if (def->kind == SN_COLLIDER_MESH)
            sn__distance_grid_destroy(&c.grid);
        return sn_error(SN_ERROR_MEMORY, "%s: no memory", name);
    }
    system->colliders[id.index - 1] = c;
    sn__world_changed(world, CREATE_COLLIDER, id.index, id.generation, (int)def->kind);
    if (out_collider)
        *out_collider = id;
    return result;
}

Collider *sn__collider_find(const SnWorld *world, SnColliderId id) {
    return world && sn__ids_valid(&world->colliders.ids, id.index, id.generation)
               ? &world->colliders.colliders[id.index - 1]
               : NULL;
}

SnResult sn_collider_destroy(SnWorld *world, SnColliderId id) {
    Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (c->kind == SN_COLLIDER_MESH)
        sn__distance_grid_destroy(&c->grid);
    sn__ignored_drop_collider(world, id);
    sn__ids_release(&world->colliders.ids, id.index, id.generation);
    sn__world_changed(world, DESTROY_COLLIDER, id.index, id.generation, 0);
    return sn_ok();
}

void sn__colliders_destroy(SnWorld *world) {
    ColliderSystem *system = &world->colliders;
    for (uint32_t slot = 1; slot <= system->ids.slot_count; ++slot)
        if (sn__collider_in_use(system, slot) &&
            system->colliders[slot - 1].kind == SN_COLLIDER_MESH)
            sn__distance_grid_destroy(&system->colliders[slot - 1].grid);
    sn__free(&world->allocator, system->colliders, (size_t)system->capacity * sizeof(Collider));
    sn__ids_destroy(&system->ids, &world->allocator);
}
