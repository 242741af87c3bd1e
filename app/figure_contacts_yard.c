// The yard in which the figure `contacts` tries its rods.
#include "app/figure_contacts.h"
#include "app/interrupt.h"
#include "bench/overlap.h"

#include <sinew/rigid.h>

#include <math.h>

#define WEIGHT_RADIUS 0.05f // m

void yard_begin(Yard *y, double gravity, double sleep_speed) {
    *y = (Yard){.result = sn_ok(), .substeps = DEFAULT_SUBSTEPS};
    SnWorldDef def = sn_default_world_def();
    def.gravity = sn_vec3(0.0f, (float)-gravity, 0.0f);
    def.sleep_speed = (float)sleep_speed;
    y->result = sn_world_create(&def, &y->world);
}

SnResult yard_end(Yard *y) {
    sn_world_destroy(y->world);
    y->world = NULL;
    return y->result;
}

void yard_plane(Yard *y, SnVec3 point, SnQuat turn, double restitution) {
    SnColliderDef def = sn_default_collider_def();
    def.pose.position = point;
    def.pose.rotation = turn;
    def.surface.restitution = (float)restitution;
    if (y->result.code == SN_OK)
        y->result = sn_collider_create(y->world, &def, NULL);
}

void yard_floor(Yard *y, double restitution) {
    yard_plane(y, sn_vec3(0.0f, 0.0f, 0.0f), sn_quat_identity(), restitution);
}

static SnVec3 between(SnVec3 a, SnVec3 b, double t) {
    return sn_vec3_add_scaled(a, sn_vec3_sub(b, a), (float)t);
}

static double stick_length(const Stick *stick) {
    return stick->over ? figure_length(sn_vec3_sub(*stick->over, stick->from)) +
                             figure_length(sn_vec3_sub(stick->to, *stick->over))
                       : figure_length(sn_vec3_sub(stick->to, stick->from));
}

double stick_mass(const Stick *stick) {
    return (double)sn_default_rod_material().density * FIGURE_PI * stick->radius * stick->radius *
           stick_length(stick);
}

void yard_set_kind(SnRodDef *def, ContactKind kind) {
    def->classic = kind == CONTACT_CLASSIC;
    def->stiff = kind == CONTACT_STIFF;
    if (!def->stiff)
        def->solver = kind == CONTACT_SWEPT ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT;
}

SnBodyId yard_stick(Yard *y, const Stick *stick) {
    SnVec3 positions[STICK_MAX + 1];
    SnBodyId rod = {0, 0};
    for (int i = 0; i <= stick->segments && i <= STICK_MAX; ++i) {
        double t = (double)i / stick->segments;
        positions[i] = between(stick->from, stick->to, t);
        if (stick->over)
            positions[i] = t < 0.5 ? between(stick->from, *stick->over, 2.0 * t)
                                   : between(*stick->over, stick->to, 2.0 * t - 1.0);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = stick->segments + 1;
    def.positions = positions;
    def.straight = stick->over != NULL;
    def.radius = (float)stick->radius;
    def.material.young = (float)stick->young;
    def.material.damping = (float)stick->damping;
    def.material.drag = (float)stick->drag;
    def.surface.restitution = (float)stick->restitution;
    def.velocity = stick->velocity;
    yard_set_kind(&def, stick->kind);
    if (stick->ghost)
        def.filter.mask = 0;
    if (stick->segments > STICK_MAX && y->result.code == SN_OK)
        y->result = sn_error(SN_ERROR_LIMIT, "yard: %d segments are too many", stick->segments);
    if (y->result.code == SN_OK)
        y->result = sn_rod_create(y->world, &def, &rod);
    return rod;
}

SnBodyId yard_weight(Yard *y, SnVec3 centre, double mass, double drag) {
    SnBodyId body = {0, 0};
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), WEIGHT_RADIUS);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.mass = (float)mass;
    def.drag = (float)drag;
    def.pose.position = centre;
    def.filter.mask = 0;
    if (y->result.code == SN_OK)
        y->result = sn_rigid_create(y->world, &def, &body);
    return body;
}

void yard_link(Yard *y, SnBodyId rod, int element, double t, SnBodyId weight) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){rod, element, (float)t};
    def.b = (SnBodyPoint){weight, 0, 0.0f};
    if (y->result.code == SN_OK)
        y->result = sn_link_create(y->world, &def, NULL);
}

void yard_hold(Yard *y, SnBodyId rod, SnAttachmentKind kind, int index) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = kind;
    def.body = rod;
    def.index = index;
    if (y->result.code == SN_OK)
        y->result = sn_attachment_create(y->world, &def, NULL);
}

void yard_step(Yard *y) {
    if (y->result.code == SN_OK && interrupted())
        y->result = sn_error(SN_ERROR_INVALID, "interrupted");
    if (y->result.code != SN_OK)
        return;
    uint32_t bits = sn_world_step(y->world, (float)DEFAULT_STEP, y->substeps, DEFAULT_ITERATIONS);
    y->untold += !(bits & SN_STEP_SOFT);
}

void yard_run(Yard *y, double seconds) {
    int steps = (int)lround(seconds / DEFAULT_STEP);
    for (int i = 0; i < steps; ++i)
        yard_step(y);
}

SnMeasures yard_measure(const Yard *y) {
    return y->result.code == SN_OK ? sn_world_measure(y->world) : (SnMeasures){0};
}

double yard_fastest(Yard *y, double seconds) {
    int steps = (int)lround(seconds / DEFAULT_STEP);
    double fastest = 0.0;
    for (int i = 0; i < steps; ++i) {
        yard_step(y);
        fastest = fmax(fastest, yard_measure(y).speed_max);
    }
    return fastest;
}

SnVec3 yard_point(Yard *y, SnBodyId body, int point) {
    SnVec3 positions[STICK_MAX + 1] = {{0.0f, 0.0f, 0.0f}};
    if (y->result.code == SN_OK && sn_body_point_count(y->world, body) <= STICK_MAX + 1)
        y->result = sn_body_read(y->world, body, &(SnBodyState){.positions = positions});
    return positions[point];
}

double yard_overlap(Yard *y) {
    SnPoses poses;
    double overlap = yard_measure(y).penetration_max;
    if (y->result.code == SN_OK)
        y->result = sn_world_poses(y->world, &poses);
    return y->result.code == SN_OK ? fmax(overlap, overlap_between_rods(&poses)) : 0.0;
}

double yard_noise(int number) {
    uint32_t bits = (uint32_t)number * 2654435761u;
    bits = (bits ^ (bits >> 15)) * 2246822519u;
    bits ^= bits >> 13;
    return (double)bits / 2147483648.0 - 1.0;
}
