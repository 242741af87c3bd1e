// From the definition of a muscle to its body and what holds it.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "body/world.h"
#include "muscle/muscle.h"
#include "muscle/world.h"

#define MUSCLE_COOKIE 0x534e4d55u
#define MAX_STRESS 1e8f

SnMuscleDef sn_default_muscle_def(void) {
    SnRodDef rod = sn_default_rod_def();
    SnMuscleDef def = {.cookie = MUSCLE_COOKIE,
                       .radius = rod.radius,
                       .carry = 1.0f,
                       .packing = 1.0f,
                       .tendon_stiffening = 1000.0f,
                       .shortening = 0.3f,
                       .stress = 1e5f,
                       .surface = rod.surface,
                       .filter = rod.filter};
    def.hill = (SnHill){.optimal_length = 1.0f,
                        .width = 0.56f,
                        .max_velocity = 10.0f,
                        .curvature = 0.25f,
                        .eccentric = 1.5f,
                        .passive_strain = 0.0f};
    SnResult named = sn_rod_material_named("muscle", &def.material);
    assert(named.code == SN_OK);
    (void)named;
    return def;
}

typedef struct Limit {
    const char *field;
    float value, least, most;
} Limit;

static SnResult check_numbers(const SnMuscleDef *def, const char *name) {
    const Limit limits[] = {
        {"carry", def->carry, 0.0f, 1.0f},
        {"packing", def->packing, 0.01f, 10.0f},
        {"tendon", def->tendon, 0.0f, 0.45f},
        {"tendon_stiffening", def->tendon_stiffening, 1.0f, 1e6f},
        {"shortening", def->shortening, 0.0f, 0.85f},
        {"stress", def->stress, 0.0f, MAX_STRESS},
        {"rise_time", def->rise_time, 0.0f, 100.0f},
        {"fall_time", def->fall_time, 0.0f, 100.0f},
        {"hill.optimal_length", def->hill.optimal_length, 0.1f, 10.0f},
        {"hill.width", def->hill.width, 0.05f, 10.0f},
        {"hill.max_velocity", def->hill.max_velocity, 0.1f, 1e3f},
        {"hill.curvature", def->hill.curvature, 0.01f, 100.0f},
        {"hill.eccentric", def->hill.eccentric, 1.0f, 10.0f},
        {"hill.passive_strain", def->hill.passive_strain, 0.0f, 10.0f},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i)
        if (!(limits[i].value >= limits[i].least && limits[i].value <= limits[i].most))
            return sn_error(SN_ERROR_INVALID, "%s: %s: %g is not in [%g, %g]", name,
                            limits[i].field, (double)limits[i].value, (double)limits[i].least,
                            (double)limits[i].most);
    return sn_ok();
}

static SnResult check(const SnMuscleDef *def) {
    if (def == NULL || def->cookie != MUSCLE_COOKIE)
        return sn__no_def(def, "muscle", "sn_default_muscle_def");
    const char *name = def->name ? def->name : "muscle";
    if (def->rod_count < 1)
        return sn_error(SN_ERROR_INVALID, "%s: rod_count: %d is not ≥ 1", name, def->rod_count);
    if (def->rod_count > SN_MAX_MUSCLE_RODS)
        return sn_error(SN_ERROR_LIMIT, "%s: rod_count: %d is more than SN_MAX_MUSCLE_RODS, %d",
                        name, def->rod_count, SN_MAX_MUSCLE_RODS);
    if (def->slice_count < 2)
        return sn_error(SN_ERROR_INVALID, "%s: slice_count: %d is not ≥ 2", name, def->slice_count);
    if (def->slice_count - 1 > SN_MAX_CREATURE_EDGES / def->rod_count)
        return sn_error(SN_ERROR_LIMIT,
                        "%s: %d fibres of %d slices have more than SN_MAX_CREATURE_EDGES segments",
                        name, def->rod_count, def->slice_count);
    if (def->positions == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: positions: is NULL", name);
    if (def->drive < SN_MUSCLE_SHORTEN || def->drive > SN_MUSCLE_HILL)
        return sn_error(SN_ERROR_INVALID, "%s: drive: %d is not one of SnMuscleDrive", name,
                        (int)def->drive);
    return check_numbers(def, name);
}

static Muscle *allocate(const SnAllocator *allocator, const SnMuscleDef *def) {
    Muscle *m = sn__alloc(allocator, sizeof *m);
    if (m == NULL)
        return NULL;
    size_t rods = (size_t)def->rod_count, slices = (size_t)def->slice_count;
    for (int pass = 0; pass < 2; ++pass) {
        Layout layout = {m->block, 0};
        m->along = sn__lay(&layout, slices, sizeof(float));
        m->tendon = sn__lay(&layout, slices, sizeof(bool));
        m->fibre = sn__lay(&layout, rods, sizeof(MuscleFibre));
        m->bytes = layout.used;
        if (pass == 0)
            m->block = sn__alloc(allocator, m->bytes);
        if (m->block == NULL) {
            sn__free(allocator, m, sizeof *m);
            return NULL;
        }
    }
    return m;
}

void sn__muscle_destroy(const SnAllocator *allocator, Muscle *muscle) {
    sn__free(allocator, muscle->block, muscle->bytes);
    sn__free(allocator, muscle, sizeof *muscle);
}

// How far along the muscle its slices are, by the mean length of the fibres up to there.
static void measure_along(Muscle *m, const SnVec3 *x) {
    double sum = 0.0;
    for (int j = 1; j < m->slices; ++j) {
        for (int k = 0; k < m->rods; ++k) {
            int v = sn__muscle_point(m, k, j);
            sum += lengthd(subd(vec3d(x[v]), vec3d(x[v - 1])));
        }
        m->along[j] = (float)sum;
    }
    for (int j = 1; j < m->slices && sum > 0.0; ++j)
        m->along[j] = (float)((double)m->along[j] / sum);
}

static void fill(Muscle *m, const SnMuscleDef *def) {
    m->rods = def->rod_count;
    m->slices = def->slice_count;
    m->drive = def->drive;
    m->shortening = def->shortening;
    m->stress = def->stress;
    m->carry = def->carry;
    m->packing = def->packing;
    m->rise_time = def->rise_time;
    m->fall_time = def->fall_time;
    m->hill = def->hill;
    m->end[0] = (MuscleEnd){.frame = def->origin, .held = !def->origin_free};
    m->end[1] = (MuscleEnd){.frame = def->insertion, .held = !def->insertion_free};
    for (int k = 0; k < m->rods; ++k)
        m->fibre[k].asked = 1.0f;
    measure_along(m, def->positions);
    for (int j = 0; j + 1 < m->slices; ++j) {
        float middle = 0.5f * (m->along[j] + m->along[j + 1]);
        m->tendon[j] = middle < def->tendon || middle > 1.0f - def->tendon;
    }
}

// What the body's definition needs beside the muscle's own arrays.
typedef struct MuscleRods {
    int *edges, *sections;
    float *stretch;
    size_t bytes;
    void *block;
} MuscleRods;

static bool make_rods(const SnAllocator *allocator, const Muscle *m, float stiffening,
                      MuscleRods *out) {
    int vertices = m->rods * m->slices, segments = m->rods * (m->slices - 1);
    MuscleRods r = {0};
    for (int pass = 0; pass < 2; ++pass) {
        Layout layout = {r.block, 0};
        r.edges = sn__lay(&layout, 2 * (size_t)segments, sizeof(int));
        r.sections = sn__lay(&layout, (size_t)vertices, sizeof(int));
        r.stretch = sn__lay(&layout, (size_t)segments, sizeof(float));
        r.bytes = layout.used;
        if (pass == 0)
            r.block = sn__alloc(allocator, r.bytes);
        if (r.block == NULL)
            return false;
    }
    for (int k = 0; k < m->rods; ++k)
        for (int j = 0; j < m->slices; ++j) {
            int v = sn__muscle_point(m, k, j);
            r.sections[v] = j;
            if (j + 1 == m->slices)
                continue;
            int s = sn__muscle_element(m, k, j);
            r.edges[2 * s] = v;
            r.edges[2 * s + 1] = v + 1;
            r.stretch[s] = m->tendon[j] ? stiffening : 1.0f;
        }
    *out = r;
    return true;
}

// Fibres that overlap have each their part of what is there.
static SnRodMaterial packed_material(const SnMuscleDef *def) {
    SnRodMaterial m = sn_rod_material_derived(def->material);
    float *const parts[] = {&m.density,       &m.young,          &m.shear,      &m.volume,
                            &m.stretch,       &m.transverse,     &m.bend,       &m.twist,
                            &m.cross_section, &m.scale_gradient, &m.scale_bend, &m.volume_bend};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (*parts[i] > 0.0f)
            *parts[i] *= def->packing;
    return m;
}

static SnResult create_body(SnWorld *world, const SnMuscleDef *def, const MuscleRods *rods,
                            SnBodyId *out_body) {
    SnRodDef rod = sn_default_rod_def();
    rod.name = def->name;
    rod.vertex_count = def->rod_count * def->slice_count;
    rod.edges = rods->edges;
    rod.edge_count = def->rod_count * (def->slice_count - 1);
    rod.sections = rods->sections;
    rod.section_compliance = def->section_compliance;
    rod.section_matching = def->section_matching;
    rod.stretch_factors = rods->stretch;
    rod.positions = def->positions;
    rod.radii = def->radii;
    rod.radius = def->radius;
    rod.material = def->packing == 1.0f ? def->material : packed_material(def);
    rod.surface = def->surface;
    rod.filter = def->filter;
    rod.self_collide = false;
    rod.user_data = def->user_data;
    memcpy(rod.origin, def->origin_point, sizeof rod.origin);
    return sn_rod_create(world, &rod, out_body);
}

static SnResult hold_ends(SnWorld *world, const Muscle *m) {
    SnResult result = sn_ok();
    for (int e = 0; e < 2; ++e)
        for (int k = 0; k < m->rods && m->end[e].held && result.code == SN_OK; ++k) {
            SnAttachmentDef hold = sn_default_attachment_def();
            hold.kind = SN_ATTACH_VERTEX;
            hold.body = m->body;
            hold.index = sn__muscle_point(m, k, e == 0 ? 0 : m->slices - 1);
            hold.frame = m->end[e].frame;
            result = sn_attachment_create(world, &hold, NULL);
        }
    return result;
}

// The muscle is in the list, and owns its body from then on.
static SnResult add(SnWorld *world, MuscleSystem *muscles, Muscle *m, const SnMuscleDef *def,
                    const MuscleRods *rods) {
    const SnAllocator *a = sn__world_allocator(world);
    if (!sn__reserve(a, (void **)&muscles->list, &muscles->capacity, muscles->count,
                     sizeof(Muscle *)))
        return sn_error(SN_ERROR_MEMORY, "muscle: no memory");
    return create_body(world, def, rods, &m->body);
}

SnResult sn_muscle_create(SnWorld *world, const SnMuscleDef *def, SnBodyId *out_muscle) {
    if (world == NULL)
        return sn__null("muscle: world");
    SnResult result = check(def);
    if (result.code != SN_OK)
        return result;
    const SnAllocator *allocator = sn__world_allocator(world);
    MuscleSystem *muscles = sn__world_muscles(world);
    Muscle *m = allocate(allocator, def);
    MuscleRods rods = {0};
    if (m)
        fill(m, def);
    if (m == NULL || !make_rods(allocator, m, def->tendon_stiffening, &rods)) {
        if (m)
            sn__muscle_destroy(allocator, m);
        return sn_error(SN_ERROR_MEMORY, "muscle: no memory for %d fibres", def->rod_count);
    }
    result = add(world, muscles, m, def, &rods);
    sn__free(allocator, rods.block, rods.bytes);
    if (result.code != SN_OK) {
        sn__muscle_destroy(allocator, m);
        return result;
    }
    muscles->list[muscles->count++] = m;
    result = hold_ends(world, m);
    if (result.code != SN_OK)
        sn_body_destroy(world, m->body); // takes the muscle with it
    else if (out_muscle)
        *out_muscle = m->body;
    return result;
}
