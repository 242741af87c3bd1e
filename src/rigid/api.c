// The public functions of rigid bodies.
#include "base/null.h"
#include "body/world.h"
#include "collide/surface.h"
#include "rigid/rigid.h"

static SnResult no_memory(const SnRigidDef *def) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for %d parts",
                    def->name ? def->name : "rigid body", def->part_count);
}

// The register's part of it; false without memory.
static bool add_body(RigidSystem *rigids, Rigid *r, const SnRigidDef *def, SnBodyId *out_id) {
    const SnAllocator *a = &rigids->allocator;
    size_t points = (size_t)r->points * sizeof(SnVec3), parts = (size_t)r->parts * sizeof(SnQuat);
    SnVec3 *positions = sn__alloc(a, points);
    SnQuat *frames = sn__alloc(a, parts);
    bool added = positions && frames;
    for (int i = 0; added && i < r->points; ++i)
        positions[i] = vec3f(sn__rigid_point(r, &r->pose, i));
    for (int j = 0; added && j < r->parts; ++j)
        frames[j] = quatf(normalisedq(mulqd(r->pose.q, r->frame[j])));
    BodyDef body = {.kind = &sn__rigid_kind,
                    .system = rigids,
                    .item = r,
                    .name = def->name,
                    .points = r->points,
                    .elements = r->parts,
                    .surface = def->surface,
                    .filter = def->filter,
                    .gravity_scale = def->gravity_scale,
                    .rest_origin = def->origin,
                    .rest_positions = positions,
                    .rest_frames = frames,
                    .user_data = def->user_data};
    added = added && sn__bodies_add(rigids->bodies, &body, out_id);
    sn__free(a, positions, points);
    sn__free(a, frames, parts);
    return added;
}

SnResult sn_rigid_create(SnWorld *world, const SnRigidDef *def, SnBodyId *out_body) {
    if (world == NULL)
        return sn__null("rigid body: world");
    SnResult result = sn__rigid_check(def);
    if (result.code == SN_OK)
        result = sn__surface_check(&def->surface, def->name ? def->name : "rigid body");
    if (result.code != SN_OK)
        return result;
    RigidSystem *rigids = sn__world_system(world, &sn__rigid_kind);
    if (!sn__reserve(&rigids->allocator, (void **)&rigids->list, &rigids->capacity, rigids->count,
                     sizeof(Rigid *)))
        return no_memory(def);
    Rigid *r = sn__rigid_create(&rigids->allocator, def);
    SnBodyId id;
    if (r == NULL || !add_body(rigids, r, def, &id)) {
        if (r)
            sn__rigid_destroy(&rigids->allocator, r);
        return no_memory(def);
    }
    r->system = rigids;
    rigids->list[rigids->count++] = r;
    sn__world_body_created(world, id, r->points + 4096 * r->parts);
    if (out_body)
        *out_body = id;
    return result;
}

// A rigid body of this world, or why it is none.
static SnResult find(const SnWorld *world, const Body *body, Rigid **out) {
    *out = body && body->kind == &sn__rigid_kind ? rigid_of(body) : NULL;
    if (world == NULL)
        return sn__null("rigid body: world");
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "rigid body: id is stale");
    if (*out == NULL)
        return sn_error(SN_ERROR_INVALID, "rigid body: the id is that of a %s", body->kind->name);
    return sn_ok();
}

SnResult sn_rigid_read(const SnWorld *world, SnBodyId id, SnRigidState *out_state) {
    Rigid *r;
    SnResult result = find(world, sn__world_body(world, id), &r);
    if (result.code != SN_OK)
        return result;
    if (out_state == NULL)
        return sn__null("rigid body: out_state");
    Vec3d origin = {r->origin[0], r->origin[1], r->origin[2]}, x = addd(origin, r->pose.x);
    *out_state = (SnRigidState){.pose = {vec3f(addd(x, rotated(r->pose.q, r->own_origin))),
                                         quatf(normalisedq(mulqd(r->pose.q, r->own_axes)))},
                                .centre = vec3f(x),
                                .velocity = vec3f(r->v),
                                .angular_velocity = vec3f(sn__rigid_spin(r))};
    return result;
}

SnResult sn_rigid_write(SnWorld *world, SnBodyId id, const SnRigidState *state) {
    Rigid *r;
    Body *body = sn__world_awake(world, id);
    SnResult result = find(world, body, &r);
    if (result.code != SN_OK)
        return result;
    if (state == NULL)
        return sn__null("rigid body: state");
    Quatd q = quatd(state->pose.rotation);
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!sn__within3(state->pose.position, SN_MAX_POSITION) || !(norm > 0.5 && norm < 2.0) ||
        !sn__within3(state->velocity, SN_MAX_SPEED) ||
        !sn__within3(state->angular_velocity, SN_MAX_SPIN))
        return sn_error(SN_ERROR_INVALID,
                        "rigid body: the state is not within %g m, %g m/s and %g rad/s, or its "
                        "rotation is no unit quaternion",
                        (double)SN_MAX_POSITION, (double)SN_MAX_SPEED, (double)SN_MAX_SPIN);
    Vec3d origin = {r->origin[0], r->origin[1], r->origin[2]};
    r->pose.q = normalisedq(mulqd(q, conjugated(r->own_axes)));
    r->pose.x = subd(subd(vec3d(state->pose.position), origin), rotated(r->pose.q, r->own_origin));
    r->v = vec3d(state->velocity);
    sn__rigid_set_spin(r, vec3d(state->angular_velocity));
    sn__rigid_obey_holds(r);
    sn__world_moved(world);
    return result;
}

SnResult sn_rigid_inertia(const SnWorld *world, SnBodyId id, float *out_mass,
                          float out_inertia[6]) {
    Rigid *r;
    SnResult result = find(world, sn__world_body(world, id), &r);
    if (result.code != SN_OK)
        return result;
    if (out_mass)
        *out_mass = (float)r->mass;
    if (out_inertia == NULL)
        return result;
    Vec3d columns[3];
    for (int c = 0; c < 3; ++c) {
        Vec3d e = {c == 0, c == 1, c == 2}, own = rotated(r->own_axes, e);
        Vec3d L = {own.x * r->inertia.x, own.y * r->inertia.y, own.z * r->inertia.z};
        columns[c] = rotated(conjugated(r->own_axes), L);
    }
    const double all[6] = {columns[0].x, columns[1].y, columns[2].z,
                           columns[0].y, columns[0].z, columns[1].z};
    for (int k = 0; k < 6; ++k)
        out_inertia[k] = (float)all[k];
    return result;
}
