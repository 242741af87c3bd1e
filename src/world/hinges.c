// Hinges: what they are, and who asks for them. How they are solved is in hinge_solve.c.
#include <assert.h>

#include "base/null.h"
#include "world/world.h"

#define HINGE_COOKIE 0x534e4849u
#define MAX_ANGLE 1e6f   // rad
#define MAX_TORQUE 1e12f // N·m

SnHingeDef sn_default_hinge_def(void) {
    return (SnHingeDef){.cookie = HINGE_COOKIE, .axis = {0.0f, 1.0f, 0.0f}};
}

static SnResult missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "hinge: id is stale") : sn__null("hinge: world");
}

static Hinge *find(const SnWorld *world, SnHingeId id) {
    return world && sn__ids_valid(&world->hinges.ids, id.index, id.generation)
               ? &world->hinges.hinges[id.index - 1]
               : NULL;
}

static SnResult check_body(const SnWorld *world, SnBodyId id, int element, const char *name) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "hinge: %s: id is stale", name);
    if (body->kind->number != SN_BODY_RIGID && body->kind->tie_turn == NULL)
        return sn_error(SN_ERROR_INVALID,
                        "hinge: %s: a %s has no hinges: it must be a rigid body or a stiff rod",
                        name, body->kind->name);
    if (body->kind->tie_turn && (element < 0 || element >= body->elements))
        return sn_error(SN_ERROR_INVALID, "hinge: element_%s: %d is not in 0 to %d", name, element,
                        body->elements - 1);
    return sn_ok();
}

static SnResult check_motor(float speed, float max_torque) {
    if (!(fabsf(speed) <= SN_MAX_SPIN))
        return sn_error(SN_ERROR_INVALID, "hinge: speed: %g is not within %g rad/s", (double)speed,
                        (double)SN_MAX_SPIN);
    if (!(max_torque >= 0.0f && max_torque <= MAX_TORQUE))
        return sn_error(SN_ERROR_INVALID, "hinge: max_torque: %g is not in [0, %g] N·m",
                        (double)max_torque, (double)MAX_TORQUE);
    return sn_ok();
}

static SnResult check_limits(float low, float high) {
    if (low >= -MAX_ANGLE && low <= high && high <= MAX_ANGLE)
        return sn_ok();
    return sn_error(SN_ERROR_INVALID,
                    "hinge: low %g and high %g: they must be within 1e6 rad, and low <= high",
                    (double)low, (double)high);
}

static SnResult check_def(const SnWorld *world, const SnHingeDef *def) {
    if (def == NULL || def->cookie != HINGE_COOKIE)
        return sn__no_def(def, "hinge", "sn_default_hinge_def");
    SnResult result = check_body(world, def->a, def->element_a, "a");
    if (result.code == SN_OK && def->b.index != 0)
        result = check_body(world, def->b, def->element_b, "b");
    if (result.code != SN_OK)
        return result;
    bool whole = sn__bodies_find(&world->bodies, def->a)->kind->turn != NULL;
    if (def->a.index == def->b.index && (whole || def->element_a == def->element_b))
        return sn_error(SN_ERROR_INVALID, "hinge: a and b are the same %s",
                        whole ? "body" : "segment");
    if (def->frame.index != 0 &&
        !sn__ids_valid(&world->frame_ids, def->frame.index, def->frame.generation))
        return sn_error(SN_ERROR_STALE, "hinge: frame: id is stale");
    if (!sn__finite3(def->axis) || !(lengthd(vec3d(def->axis)) > 1e-12))
        return sn_error(SN_ERROR_INVALID, "hinge: axis: (%g, %g, %g) has no direction",
                        (double)def->axis.x, (double)def->axis.y, (double)def->axis.z);
    result = check_motor(def->speed, def->max_torque);
    return result.code == SN_OK ? check_limits(def->low, def->high) : result;
}

// Bodies with hinges need knots, whatever else touches them.
static void count_on(SnWorld *world, const Hinge *hinge, int by) {
    const SnBodyId ids[2] = {hinge->def.a, hinge->def.b};
    for (int s = 0; s < 2; ++s) {
        Body *body = sn__bodies_find(&world->bodies, ids[s]);
        if (body)
            body->hinges += by;
    }
}

// What turns as a whole does so as its first element.
static int segment_of(const SnWorld *world, SnBodyId id, int element) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    return body && body->kind->tie_turn ? element : 0;
}

static Quatd rotation_of(const SnWorld *world, SnBodyId id, int element, SnFrameId frame) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    if (body)
        return body->kind->held_pose(body, element).rotation;
    return quatd(sn__frame_pose_or_identity(world, frame, false).rotation);
}

SnResult sn_hinge_create(SnWorld *world, const SnHingeDef *def, SnHingeId *out_hinge) {
    if (world == NULL)
        return sn__null("hinge: world");
    SnResult result = check_def(world, def);
    if (result.code != SN_OK)
        return result;
    HingeSystem *system = &world->hinges;
    SnHingeId id;
    if (!sn__reserve(&world->allocator, (void **)&system->hinges, &system->capacity,
                     (int)system->ids.slot_count, sizeof(Hinge)) ||
        !sn__ids_acquire(&system->ids, &world->allocator, &id.index, &id.generation))
        return sn_error(SN_ERROR_MEMORY, "hinge: no memory");
    Hinge *hinge = &system->hinges[id.index - 1];
    *hinge = (Hinge){.def = *def};
    hinge->def.element_a = segment_of(world, def->a, def->element_a);
    hinge->def.element_b = segment_of(world, def->b, def->element_b);
    def = &hinge->def;
    Vec3d axis = vec3d(def->axis);
    Quatd a = rotation_of(world, def->a, def->element_a, def->frame);
    Quatd b = rotation_of(world, def->b, def->element_b, def->frame);
    hinge->axis = rotated(conjugated(b), scaled(axis, 1.0 / lengthd(axis)));
    hinge->rest = normalisedq(mulqd(conjugated(b), a));
    count_on(world, hinge, 1);
    sn__world_changed(world, CREATE_HINGE, id.index, id.generation, 0);
    if (out_hinge)
        *out_hinge = id;
    return result;
}

SnResult sn_hinge_destroy(SnWorld *world, SnHingeId id) {
    Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    count_on(world, hinge, -1);
    sn__ids_release(&world->hinges.ids, id.index, id.generation);
    sn__world_changed(world, DESTROY_HINGE, id.index, id.generation, 0);
    return sn_ok();
}

static SnHingeId id_at(const SnWorld *world, uint32_t slot) {
    return (SnHingeId){slot, world->hinges.ids.slots[slot - 1].generation};
}

void sn__hinges_drop_body(SnWorld *world, SnBodyId body) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        const Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (sn__hinge_in_use(&world->hinges, slot) &&
            (hinge->def.a.index == body.index || hinge->def.b.index == body.index))
            sn_hinge_destroy(world, id_at(world, slot));
    }
}

// It goes on as it stands, against the world.
void sn__hinges_drop_frame(SnWorld *world, SnFrameId frame) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (!sn__hinge_in_use(&world->hinges, slot) || hinge->def.frame.index != frame.index)
            continue;
        if (hinge->def.b.index == 0) {
            Quatd turn = quatd(sn__frame_pose_or_identity(world, frame, false).rotation);
            hinge->axis = rotated(turn, hinge->axis);
            hinge->rest = normalisedq(mulqd(turn, hinge->rest));
        }
        hinge->def.frame = (SnFrameId){0};
    }
}

void sn__hinges_destroy(SnWorld *world) {
    HingeSystem *system = &world->hinges;
    sn__free(&world->allocator, system->hinges, (size_t)system->capacity * sizeof(Hinge));
    sn__ids_destroy(&system->ids, &world->allocator);
}

bool sn_hinge_is_valid(const SnWorld *world, SnHingeId id) {
    return GIVEN(world) && find(world, id) != NULL;
}

SnHingeId sn_world_next_hinge(const SnWorld *world, SnHingeId id) {
    bool valid = GIVEN(world) && (id.index == 0 || find(world, id) != NULL);
    for (uint32_t slot = id.index + 1; valid && slot <= world->hinges.ids.slot_count; ++slot)
        if (sn__hinge_in_use(&world->hinges, slot))
            return id_at(world, slot);
    return (SnHingeId){0};
}

static void wake(SnWorld *world, const Hinge *hinge) {
    sn_body_wake(world, hinge->def.a);
    if (hinge->def.b.index != 0)
        sn_body_wake(world, hinge->def.b);
}

SnResult sn_hinge_set_motor(SnWorld *world, SnHingeId id, float speed, float max_torque) {
    Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    SnResult result = check_motor(speed, max_torque);
    if (result.code != SN_OK)
        return result;
    hinge->def.speed = speed;
    hinge->def.max_torque = max_torque;
    wake(world, hinge);
    return result;
}

SnResult sn_hinge_set_limits(SnWorld *world, SnHingeId id, bool limited, float low, float high) {
    Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    SnResult result = check_limits(low, high);
    if (result.code != SN_OK)
        return result;
    hinge->def.limited = limited;
    hinge->def.low = low;
    hinge->def.high = high;
    wake(world, hinge);
    return result;
}

SnResult sn_hinge_read(const SnWorld *world, SnHingeId id, SnHingeDef *out_def) {
    const Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    if (out_def == NULL)
        return sn__null("hinge: out_def");
    *out_def = hinge->def;
    out_def->axis = vec3f(sn__hinge_axis(world, hinge));
    return sn_ok();
}

SnResult sn_hinge_state(const SnWorld *world, SnHingeId id, SnHingeState *out_state) {
    const Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    if (out_state == NULL)
        return sn__null("hinge: out_state");
    *out_state = (SnHingeState){.angle = (float)sn__hinge_angle(world, hinge, hinge->angle),
                                .speed = (float)hinge->speed,
                                .motor_torque = hinge->motor_torque,
                                .limit_torque = hinge->limit_torque};
    return sn_ok();
}

void *sn_hinge_user_data(const SnWorld *world, SnHingeId id) {
    const Hinge *hinge = GIVEN(world) ? find(world, id) : NULL;
    return hinge ? hinge->def.user_data : NULL;
}

SnResult sn_hinge_set_user_data(SnWorld *world, SnHingeId id, void *user_data) {
    Hinge *hinge = find(world, id);
    if (hinge == NULL)
        return missing(world);
    hinge->def.user_data = user_data;
    return sn_ok();
}
