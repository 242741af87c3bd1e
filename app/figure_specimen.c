#include "app/figure_specimen.h"

#include "app/figure_kit.h"
#include "app/interrupt.h"

#include <math.h>

const char *const kind_names[KIND_COUNT] = {"volume", "classic", "stiff"};

const Stuff stuff_jelly = {"jelly", 1e4, 1e4 / 3.0, 5e5, 1000.0};
const Stuff stuff_rubber = {"rubber", 5e6, 5e6 / 3.0, 2.5e8, 1000.0};
const Stuff stuff_nylon = {"nylon", 2e9, 2e9 / 2.8, 2e9 / 0.6, 1150.0};
const Stuff stuff_steel = {"steel", 2e11, 2e11 / 2.6, 2e11 / 1.2, 7850.0};

// With the strain e along the rod and σ of its radius, ½E e² + G σ² + ½k (2σ + e)² is least at
// σ = −k e/(G + 2k).
static double stretch_modulus(RodKind kind, const SnRodMaterial *m) {
    double young = (double)m->young, shear = (double)m->shear, volume = (double)m->volume;
    return kind == KIND_VOLUME ? young + volume * shear / (shear + 2.0 * volume) : young;
}

void specimen_init(Specimen *s, RodKind kind, const Stuff *stuff, double radius, int segments) {
    *s = (Specimen){.result = sn_ok(), .kind = kind, .segments = segments, .radius = radius};
    s->def = sn_default_rod_def();
    s->def.name = stuff->name;
    s->def.classic = kind == KIND_CLASSIC;
    s->def.stiff = kind == KIND_STIFF;
    s->def.radius = (float)radius;
    s->def.filter.mask = 0;
    s->def.material.young = (float)stuff->young;
    if (stuff->shear > 0.0) {
        s->def.material.shear = (float)stuff->shear;
        s->def.material.volume = (float)stuff->volume;
    }
    s->def.material.density = (float)stuff->density;
    s->young = stuff->young;
    s->shear = stuff->shear;
    s->stretch_modulus = stretch_modulus(kind, &s->def.material);
    s->area = FIGURE_PI * radius * radius;
    s->inertia = 0.25 * s->area * radius * radius;
    for (int i = 0; i < SPECIMEN_MAX; ++i)
        s->start_scales[i] = 1.0f;
}

// The third axis is `angle` from z towards y.
static SnQuat frame_at(double angle, double twist) {
    SnQuat bend = sn_quat_about(sn_vec3(1.0f, 0.0f, 0.0f), (float)-angle);
    return sn_quat_multiply(bend, sn_quat_about(sn_vec3(0.0f, 0.0f, 1.0f), (float)twist));
}

static void set_shape(Specimen *s, double length, int vertices) {
    s->length = length;
    s->vertices = vertices;
    s->mass = (double)s->def.material.density * s->area * length;
    s->def.vertex_count = vertices;
    s->def.positions = s->rest;
    if (vertices > SPECIMEN_MAX)
        s->result = sn_error(SN_ERROR_LIMIT, "specimen: %d vertices are too many", vertices);
}

void specimen_straight(Specimen *s, double length, double angle) {
    set_shape(s, length, s->segments + 1);
    for (int i = 0; s->result.code == SN_OK && i < s->vertices; ++i) {
        double z = length * i / s->segments;
        s->rest[i] = sn_vec3(0.0f, (float)(z * sin(angle)), (float)(z * cos(angle)));
        s->rest_frames[i] = frame_at(angle, 0.0);
    }
    s->def.frames = s->rest_frames;
}

void specimen_circle(Specimen *s, double radius) {
    // Segments are chords; the length is that of all of them.
    set_shape(s, 2.0 * radius * s->segments * sin(FIGURE_PI / s->segments), s->segments);
    for (int i = 0; s->result.code == SN_OK && i < s->vertices; ++i) {
        double turn = 2.0 * FIGURE_PI * i / s->segments;
        s->rest[i] = sn_vec3((float)(radius * cos(turn)), 0.0f, (float)(radius * sin(turn)));
    }
    s->def.closed = true;
}

void specimen_start(Specimen *s, const double *angles, const double *twists) {
    double y = 0.0, z = 0.0, part = s->length / s->segments;
    if (s->result.code != SN_OK)
        return;
    for (int i = 0; i < s->vertices; ++i) {
        s->start[i] = sn_vec3(0.0f, (float)y, (float)z);
        if (i == s->segments)
            break;
        s->start_frames[i] = frame_at(angles[i], twists ? twists[i] : 0.0);
        y += part * sin(angles[i]);
        z += part * cos(angles[i]);
    }
    s->def.start_positions = s->start;
    s->def.start_frames = s->start_frames;
}

void specimen_begin(Specimen *s, SnVec3 gravity) {
    SnWorldDef world = sn_default_world_def();
    world.gravity = gravity;
    if (s->result.code == SN_OK)
        s->result = sn_world_create(&world, &s->world);
    if (s->result.code == SN_OK)
        s->result = sn_rod_create(s->world, &s->def, &s->rod);
}

SnResult specimen_end(Specimen *s) {
    sn_world_destroy(s->world);
    s->world = NULL;
    return s->result;
}

void specimen_hold(Specimen *s, SnAttachmentKind kind, int index) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = kind;
    def.body = s->rod;
    def.index = index;
    if (s->result.code == SN_OK)
        s->result = sn_attachment_create(s->world, &def, NULL);
}

void specimen_hold_end(Specimen *s, int vertex, double angle, double twist) {
    SnAttachmentDef def = sn_default_attachment_def();
    SnAttachmentId id;
    specimen_hold(s, SN_ATTACH_VERTEX, vertex);
    def.kind = SN_ATTACH_SEGMENT;
    def.body = s->rod;
    def.index = vertex == 0 ? 0 : vertex - 1;
    if (s->result.code == SN_OK)
        s->result = sn_attachment_create(s->world, &def, &id);
    if (s->result.code == SN_OK)
        s->result = sn_attachment_set_target(s->world, id, sn_vec3(0.0f, 0.0f, 0.0f),
                                             frame_at(angle, twist), 1.0f);
}

void specimen_clamp(Specimen *s) {
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    specimen_hold(s, SN_ATTACH_SEGMENT, 0);
}

static void add_load(Specimen *s, int point, int element, SnVec3 value) {
    if (s->load_count < SPECIMEN_LOADS)
        s->loads[s->load_count++] = (SpecimenLoad){point, element, value};
    else if (s->result.code == SN_OK)
        s->result = sn_error(SN_ERROR_LIMIT, "specimen: too many loads");
}

void specimen_add_force(Specimen *s, int vertex, SnVec3 force) { add_load(s, vertex, -1, force); }

void specimen_add_torque(Specimen *s, int segment, SnVec3 torque) {
    add_load(s, -1, segment, torque);
}

void specimen_step(Specimen *s) {
    for (int i = 0; s->result.code == SN_OK && i < s->load_count; ++i) {
        const SpecimenLoad *load = &s->loads[i];
        s->result = load->point >= 0
                        ? sn_body_add_force(s->world, s->rod, load->point, load->value)
                        : sn_body_add_torque(s->world, s->rod, load->element, load->value);
    }
    if (s->result.code == SN_OK && interrupted())
        s->result = sn_error(SN_ERROR_INVALID, "interrupted");
    if (s->result.code == SN_OK)
        sn_world_step(s->world, (float)DEFAULT_STEP, DEFAULT_SUBSTEPS, DEFAULT_ITERATIONS);
}

void specimen_run(Specimen *s, double seconds) {
    int steps = (int)ceil(seconds / DEFAULT_STEP);
    for (int i = 0; i < steps; ++i)
        specimen_step(s);
}

void specimen_read(Specimen *s) {
    const SnBodyState state = {.positions = s->positions,
                               .scales = s->scales,
                               .frames = s->frames,
                               .velocities = s->velocities,
                               .scale_velocities = s->scale_rates,
                               .angular_velocities = s->spins};
    if (s->result.code == SN_OK)
        s->result = sn_body_read(s->world, s->rod, &state);
}

// The farthest that a vertex is from where it was made.
static double farthest_moved(const Specimen *s) {
    double most = 0.0;
    for (int i = 0; i < s->vertices; ++i)
        most = fmax(most, figure_length(sn_vec3_sub(s->positions[i], s->rest[i])));
    return most;
}

void specimen_settle(Specimen *s, double rate) {
    // Critical for the slowest motion, e^(−ωt) (1 + ωt): below 1e-4 at 12. What is too soft is slower.
    SnRodMaterial material = s->def.material;
    material.drag = (float)(2.0 * rate);
    if (s->result.code == SN_OK)
        s->result = sn_rod_set_material(s->world, s->rod, &material);
    for (int i = 0; s->result.code == SN_OK && i < 5; ++i) {
        specimen_run(s, fmax(12.0 / rate, 0.5));
        specimen_read(s);
        if (sn_world_measure(s->world).speed_max < 1e-3 * rate * farthest_moved(s))
            break;
    }
}

double specimen_twist(const Specimen *s, int segment) {
    SnQuat q = s->frames[segment];
    return 2.0 * atan2((double)q.z, (double)q.w);
}
