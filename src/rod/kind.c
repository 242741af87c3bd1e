// Volume-preserving and classic rods and creatures, as a kind of body.
#include "rod/access.h"
#include "rod/hold.h"
#include "rod/measure.h"
#include "rod/reaction.h"
#include "rod/sections.h"
#include "rod/step.h"
#include "rod/touch.h"
#include "rod/validate.h"

static void *create_system(const SnAllocator *allocator, BodyRegister *bodies, int workers) {
    RodSystem *rods = sn__alloc(allocator, sizeof(RodSystem));
    if (rods == NULL || sn__rods_init(rods, allocator, bodies, workers))
        return rods;
    sn__rods_release(rods);
    sn__free(allocator, rods, sizeof(RodSystem));
    return NULL;
}

static void destroy_system(void *system) {
    SnAllocator allocator = ((RodSystem *)system)->allocator;
    sn__rods_release(system);
    sn__free(&allocator, system, sizeof(RodSystem));
}

const BodyKind sn__rod_kind = {
    .name = "rod",
    .number = SN_BODY_ROD,
    .create_system = create_system,
    .destroy_system = destroy_system,

    .begin = sn__rods_begin,
    .step_alone = sn__rods_step_alone,
    .pass = sn__rods_pass,
    .end = sn__rods_end,
    .report = sn__rods_report,

    .number_knots = sn__rods_number,
    .own = sn__rods_own,
    .add_velocity = sn__rods_add_velocity,
    .bounds = sn__rods_bounds,
    .touch = sn__rod_touch,
    .untouch = sn__rods_untouch,
    .passes = sn__rods_passes,
    .calm = sn__rods_calm,
    .tie = sn__rod_tie,
    .answer = sn__rod_answer,
    .limit = sn__rod_limit,
    .stretch = sn__rod_stretch,
    .sectioned = sn__rod_sectioned,
    .knot = sn__rod_knot,
    .knot_origin = sn__rod_knot_origin,
    .are_neighbours = sn__rod_are_neighbours,

    .destroy = sn__rod_destroy,
    .edge = sn__rod_ends,
    .ends = sn__rod_ends,
    .point = sn__rod_vertex,
    .rest_radius = sn__rod_rest_radius,
    .read = sn__rod_read,
    .write = sn__rod_write,
    .origin = sn__rod_origin,
    .add_force = sn__rod_add_force,
    .add_torque = sn__rod_add_torque,
    .add_impulse = sn__rod_add_impulse,
    .gravity_scale_changed = sn__rod_gravity_scale_changed,
    .sleep_changed = sn__rod_sleep_changed,
    .speed = sn__rod_speed,
    .measure = sn__rod_measure,
    .hash = sn__rod_hash,
    .match_turns = sn__rod_match_turns,
    .add_radial_force = sn__rod_add_radial_force,
    .set_length_scale = sn__rod_set_length_scale,
    .length_scale = sn__rod_length_scale,
    .set_material = sn__rod_set_material,
    .material = sn__rod_material,

    .is_held = sn__rod_is_held,
    .held_pose = sn__rod_held_pose,
    .hold = sn__rod_hold,
    .release = sn__rod_release,
    .lead = sn__rod_lead,
    .settle = sn__rod_settle,
    .jump = sn__rod_jump,
    .lead_owner = sn__rod_lead_owner,
    .reaction = sn__rod_reaction,

    .visit = sn__rods_visit,
    .restored = sn__rods_restored,
    .validate = sn__rods_validate,
};
