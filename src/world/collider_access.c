// What can be asked of colliders, and changed.
#include <string.h>

#include "base/null.h"
#include "collide/surface.h"
#include "world/world.h"

// For functions that have no result to tell it with.
static const Collider *asked(const SnWorld *world, SnColliderId id) {
    return GIVEN(world) ? sn__collider_find(world, id) : NULL;
}

bool sn_collider_is_valid(const SnWorld *world, SnColliderId id) {
    return asked(world, id) != NULL;
}

void *sn_collider_user_data(const SnWorld *world, SnColliderId id) {
    const Collider *c = asked(world, id);
    return c ? c->user_data : NULL;
}

SnResult sn_collider_set_user_data(SnWorld *world, SnColliderId id, void *user_data) {
    Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    c->user_data = user_data;
    return sn_ok();
}

SnColliderId sn_world_next_collider(const SnWorld *world, SnColliderId id) {
    bool valid = GIVEN(world) && (id.index == 0 || sn__collider_find(world, id) != NULL);
    for (uint32_t slot = id.index + 1; valid && slot <= world->colliders.ids.slot_count; ++slot)
        if (sn__collider_in_use(&world->colliders, slot))
            return (SnColliderId){slot, world->colliders.ids.slots[slot - 1].generation};
    return (SnColliderId){0};
}

// Relative to this point.
static SnPose pose_from(const ColliderPose *pose, const double origin[3]) {
    Vec3d x = subd(pose->position, (Vec3d){origin[0], origin[1], origin[2]});
    return (SnPose){vec3f(x), quatf(pose->rotation)};
}

SnResult sn_collider_pose(const SnWorld *world, SnColliderId id, SnPose *out_pose) {
    const Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (out_pose == NULL)
        return sn__null("collider: out_pose");
    const double none[3] = {0.0, 0.0, 0.0};
    ColliderPose pose = sn__collider_pose(world, c, false);
    *out_pose = pose_from(&pose, none);
    return sn_ok();
}

SnResult sn_collider_set_pose(SnWorld *world, SnColliderId id, SnPose pose) {
    Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    SnResult result = sn__collider_check_pose(pose, "collider");
    if (result.code != SN_OK)
        return result;
    c->local = sn__collider_placed(pose, c->origin);
    c->placed = true;
    sn__wake_all(world);
    return result;
}

SnResult sn_collider_read(const SnWorld *world, SnColliderId id, SnColliderDef *out_def) {
    const Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (out_def == NULL)
        return sn__null("collider: out_def");
    *out_def = (SnColliderDef){.cookie = COLLIDER_COOKIE,
                               .kind = c->kind,
                               .frame = c->frame,
                               .pose = pose_from(&c->local, c->origin),
                               .radius_a = c->radius[0],
                               .radius_b = c->radius[1],
                               .a = vec3f(c->a),
                               .b = vec3f(c->b),
                               .half_size = vec3f(c->half),
                               .cell = (float)c->grid.cell,
                               .surface = c->surface,
                               .filter = c->filter,
                               .user_data = c->user_data};
    memcpy(out_def->origin, c->origin, sizeof c->origin);
    return sn_ok();
}

SnResult sn_collider_set_surface(SnWorld *world, SnColliderId id, const SnSurface *surface) {
    Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (surface == NULL)
        return sn__null("collider: surface");
    SnResult result = sn__surface_check(surface, "collider");
    if (result.code != SN_OK)
        return result;
    c->surface = *surface;
    sn__wake_all(world);
    return result;
}

SnResult sn_collider_surface(const SnWorld *world, SnColliderId id, SnSurface *out_surface) {
    const Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (out_surface == NULL)
        return sn__null("collider: out_surface");
    *out_surface = c->surface;
    return sn_ok();
}

SnResult sn_collider_set_filter(SnWorld *world, SnColliderId id, SnFilter filter) {
    Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    c->filter = filter;
    sn__wake_all(world);
    return sn_ok();
}

SnResult sn_collider_filter(const SnWorld *world, SnColliderId id, SnFilter *out_filter) {
    const Collider *c = sn__collider_find(world, id);
    if (c == NULL)
        return sn__collider_missing(world);
    if (out_filter == NULL)
        return sn__null("collider: out_filter");
    *out_filter = c->filter;
    return sn_ok();
}
