// Bodies in the world: what is asked of everything that moves.
#include <math.h>
#include <string.h>

#include "base/null.h"
#include "body/world.h"
#include "collide/surface.h"
#include "world/world.h"

#define MAX_GRAVITY_SCALE 1e3f

BodyRegister *sn__world_bodies(SnWorld *world) { return &world->bodies; }

void *sn__world_system(SnWorld *world, const BodyKind *kind) {
    for (int k = 0; k < BODY_KINDS; ++k)
        if (sn__body_kinds[k] == kind)
            return world->systems[k];
    return NULL;
}

void sn__world_body_created(SnWorld *world, SnBodyId id, int detail) {
    sn__world_changed(world, CREATE_BODY, id.index, id.generation, detail);
}

void sn__world_body_changed(SnWorld *world, SnBodyId id, int detail) {
    sn__world_changed(world, CHANGE_BODY, id.index, id.generation, detail);
}

void sn__world_moved(SnWorld *world) { ++world->pose_stamp; }

const Body *sn__world_body(const SnWorld *world, SnBodyId id) {
    return world ? sn__bodies_find(&world->bodies, id) : NULL;
}

Body *sn__world_awake(SnWorld *world, SnBodyId id) {
    Body *body = world ? sn__bodies_find(&world->bodies, id) : NULL;
    if (body)
        sn__body_set_asleep(body, false);
    return body;
}

// Why there is no such body.
static SnResult missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "body: id is stale") : sn__null("body: world");
}

// For functions that have no result to tell it with.
static const Body *asked(const SnWorld *world, SnBodyId id) {
    return GIVEN(world) ? sn__bodies_find(&world->bodies, id) : NULL;
}

SnResult sn_body_destroy(SnWorld *world, SnBodyId id) {
    Body *body = world ? sn__bodies_find(&world->bodies, id) : NULL;
    if (body == NULL)
        return missing(world);
    sn__muscles_drop_body(world, id);
    sn__attachments_drop_body(world, id);
    sn__links_drop_body(world, id);
    sn__hinges_drop_body(world, id);
    sn__ignored_drop_body(world, id);
    sn__skins_drop_body(world, id);
    body->kind->destroy(body);
    sn__bodies_remove(&world->bodies, id);
    sn__world_changed(world, DESTROY_BODY, id.index, id.generation, 0);
    return sn_ok();
}

bool sn_body_is_valid(const SnWorld *world, SnBodyId id) { return asked(world, id) != NULL; }

SnBodyKind sn_body_kind(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? body->kind->number : SN_BODY_NONE;
}

int sn_body_point_count(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? body->points : 0;
}

int sn_body_element_count(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? body->elements : 0;
}

const char *sn_body_name(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? (body->name ? body->name : "") : NULL;
}

SnBodyId sn_world_find_body(const SnWorld *world, const char *name) {
    if (!GIVEN(world) || !GIVEN(name))
        return (SnBodyId){0};
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        if (strcmp(body->name ? body->name : "", name) == 0)
            return sn__body_id(&world->bodies, body->slot);
    return (SnBodyId){0};
}

SnBodyId sn_world_next_body(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    if (world == NULL || (id.index != 0 && body == NULL))
        return (SnBodyId){0};
    int k = body ? body->order + 1 : 0;
    const Body *next = sn__bodies_next(&world->bodies, NULL, &k);
    return next ? sn__body_id(&world->bodies, next->slot) : (SnBodyId){0};
}

int sn_world_body_count(const SnWorld *world) {
    return GIVEN(world) ? (int)world->bodies.ids.live_count : 0;
}

void *sn_body_user_data(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? body->user_data : NULL;
}

SnResult sn_body_set_user_data(SnWorld *world, SnBodyId id, void *user_data) {
    Body *body = world ? sn__bodies_find(&world->bodies, id) : NULL;
    if (body == NULL)
        return missing(world);
    body->user_data = user_data;
    return sn_ok();
}

SnResult sn_body_edges(const SnWorld *world, SnBodyId id, int *out_edges) {
    const Body *body = sn__world_body(world, id);
    if (body == NULL)
        return missing(world);
    if (out_edges == NULL)
        return sn__null("body: out_edges");
    for (int j = 0; j < body->elements; ++j)
        body->kind->edge(body, j, out_edges + 2 * j);
    return sn_ok();
}

// Of a body that turns as a whole, its own velocity and spin are bounded, and those of its points by
// them: no body is so large and fast that they get beyond this.
#define MAX_TURNING_SPEED 1e10f

static float bounded(float x, float least, float most) { return fminf(fmaxf(x, least), most); }

// v, no component beyond `most`.
static SnVec3 bounded3(SnVec3 v, float most) {
    return sn_vec3(bounded(v.x, -most, most), bounded(v.y, -most, most), bounded(v.z, -most, most));
}

static float fastest_point(const Body *body) {
    return body->kind->turn ? MAX_TURNING_SPEED : SN_MAX_SPEED;
}

// What is read can be written. Solvers keep to the same bounds, but for rounding, and spins of light segments may be
// beyond them within a step.
static void bound_state(const Body *body, const SnBodyState *state) {
    for (int i = 0; i < body->points; ++i) {
        if (state->velocities)
            state->velocities[i] = bounded3(state->velocities[i], fastest_point(body));
        if (state->scales)
            state->scales[i] = bounded(state->scales[i], SCALE_MIN, SCALE_MAX);
        if (state->scale_velocities)
            state->scale_velocities[i] =
                bounded(state->scale_velocities[i], -SN_MAX_SPIN, SN_MAX_SPIN);
    }
    for (int j = 0; j < body->elements && state->angular_velocities; ++j)
        state->angular_velocities[j] = bounded3(state->angular_velocities[j], SN_MAX_SPIN);
}

SnResult sn_body_read(const SnWorld *world, SnBodyId id, const SnBodyState *out_state) {
    const Body *body = sn__world_body(world, id);
    if (body == NULL)
        return missing(world);
    if (out_state == NULL)
        return sn__null("body: out_state");
    body->kind->read(body, out_state);
    bound_state(body, out_state);
    return sn_ok();
}

static SnResult check_points(const Body *body, const SnBodyState *state) {
    float fastest = fastest_point(body);
    for (int i = 0; i < body->points; ++i) {
        if (state->positions && !sn__within3(state->positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "body: positions[%d] is not within %g m", i,
                            (double)SN_MAX_POSITION);
        if (state->velocities && !sn__within3(state->velocities[i], fastest))
            return sn_error(SN_ERROR_INVALID, "body: velocities[%d] is not within %g m/s", i,
                            (double)fastest);
        if (state->scales && !(state->scales[i] >= SCALE_MIN && state->scales[i] <= SCALE_MAX))
            return sn_error(SN_ERROR_INVALID, "body: scales[%d]: %g is not in [%g, %g]", i,
                            (double)state->scales[i], (double)SCALE_MIN, (double)SCALE_MAX);
        if (state->scale_velocities && !(fabsf(state->scale_velocities[i]) <= SN_MAX_SPIN))
            return sn_error(SN_ERROR_INVALID, "body: scale_velocities[%d] is not within %g 1/s", i,
                            (double)SN_MAX_SPIN);
    }
    return sn_ok();
}

static SnResult check_elements(const Body *body, const SnBodyState *state) {
    for (int j = 0; j < body->elements; ++j) {
        if (state->angular_velocities && !sn__within3(state->angular_velocities[j], SN_MAX_SPIN))
            return sn_error(SN_ERROR_INVALID, "body: angular_velocities[%d] is not within %g rad/s",
                            j, (double)SN_MAX_SPIN);
        if (state->frames == NULL)
            continue;
        Quatd q = quatd(state->frames[j]);
        double n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!(n > 0.5 && n < 2.0))
            return sn_error(SN_ERROR_INVALID, "body: frames[%d]: norm %g is not 1", j, sqrt(n));
    }
    return sn_ok();
}

SnResult sn_body_write(SnWorld *world, SnBodyId id, const SnBodyState *state) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (state == NULL)
        return sn__null("body: state");
    SnResult result = check_points(body, state);
    if (result.code == SN_OK)
        result = check_elements(body, state);
    if (result.code != SN_OK)
        return result;
    body->kind->write(body, state);
    sn__world_moved(world);
    return result;
}

SnResult sn_body_origin(const SnWorld *world, SnBodyId id, double out_origin[3]) {
    const Body *body = sn__world_body(world, id);
    if (body == NULL)
        return missing(world);
    if (out_origin == NULL)
        return sn__null("body: out_origin");
    body->kind->origin(body, out_origin);
    return sn_ok();
}

static SnResult check_load(int index, int count, const char *what, SnVec3 load) {
    if (index < 0 || index >= count)
        return sn_error(SN_ERROR_INVALID, "body: %s %d is not in [0, %d)", what, index, count);
    if (!sn__finite3(load))
        return sn_error(SN_ERROR_INVALID, "body: load on %s %d is not finite", what, index);
    return sn_ok();
}

static SnResult loaded(bool done) {
    return done ? sn_ok() : sn_error(SN_ERROR_MEMORY, "body: no memory for loads");
}

SnResult sn_body_add_force(SnWorld *world, SnBodyId id, int point, SnVec3 force) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    SnResult result = check_load(point, body->points, "point", force);
    return result.code == SN_OK ? loaded(body->kind->add_force(body, point, force)) : result;
}

SnResult sn_body_add_torque(SnWorld *world, SnBodyId id, int element, SnVec3 torque) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    SnResult result = check_load(element, body->elements, "element", torque);
    return result.code == SN_OK ? loaded(body->kind->add_torque(body, element, torque)) : result;
}

SnResult sn_body_add_impulse(SnWorld *world, SnBodyId id, int point, SnVec3 impulse) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    SnResult result = check_load(point, body->points, "point", impulse);
    if (result.code == SN_OK)
        body->kind->add_impulse(body, point, impulse);
    return result;
}

SnResult sn_body_set_gravity_scale(SnWorld *world, SnBodyId id, float gravity_scale) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (!(fabsf(gravity_scale) <= MAX_GRAVITY_SCALE))
        return sn_error(SN_ERROR_INVALID, "body: gravity_scale: %g is not within %g",
                        (double)gravity_scale, (double)MAX_GRAVITY_SCALE);
    body->gravity_scale = gravity_scale;
    body->kind->gravity_scale_changed(body);
    return sn_ok();
}

float sn_body_gravity_scale(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body ? body->gravity_scale : 0.0f;
}

SnResult sn_body_set_surface(SnWorld *world, SnBodyId id, const SnSurface *surface) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (surface == NULL)
        return sn__null("body: surface");
    SnResult result = sn__surface_check(surface, "body");
    if (result.code != SN_OK)
        return result;
    body->surface = *surface;
    body->sensor = surface->sensor;
    return result;
}

SnResult sn_body_surface(const SnWorld *world, SnBodyId id, SnSurface *out_surface) {
    const Body *body = sn__world_body(world, id);
    if (body == NULL)
        return missing(world);
    if (out_surface == NULL)
        return sn__null("body: out_surface");
    *out_surface = body->surface;
    return sn_ok();
}

SnResult sn_body_set_filter(SnWorld *world, SnBodyId id, SnFilter filter) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    body->filter = filter;
    world->contacts.numbered = false;
    ++world->pose_stamp;
    return sn_ok();
}

SnResult sn_body_filter(const SnWorld *world, SnBodyId id, SnFilter *out_filter) {
    const Body *body = sn__world_body(world, id);
    if (body == NULL)
        return missing(world);
    if (out_filter == NULL)
        return sn__null("body: out_filter");
    *out_filter = body->filter;
    return sn_ok();
}

bool sn_body_is_asleep(const SnWorld *world, SnBodyId id) {
    const Body *body = asked(world, id);
    return body && body->sleep.asleep;
}

SnResult sn_body_wake(SnWorld *world, SnBodyId id) {
    return sn__world_awake(world, id) ? sn_ok() : missing(world);
}
