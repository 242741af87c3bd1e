// The public functions of rods of both kinds.
#include "base/null.h"
#include "body/world.h"
#include "rod/sweep_error.h"
#include "stiff/stiff.h"

SnResult sn_rod_create(SnWorld *world, const SnRodDef *def, SnBodyId *out_rod) {
    if (world == NULL)
        return sn__null("rod: world");
    SnResult result = sn__rod_def_check(def);
    if (result.code != SN_OK)
        return result;
    SnBodyId id;
    result = def->stiff ? sn__stiff_rods_create(sn__world_system(world, &sn__stiff_kind), def, &id)
                        : sn__rods_create(sn__world_system(world, &sn__rod_kind), def, &id);
    if (result.code != SN_OK)
        return result;
    int shape =
        4 * (def->vertex_count + def->edge_count) + 2 * def->closed + (def->classic || def->stiff);
    if (sn_rod_solver(world, id) == SN_SOLVER_DIRECT)
        shape = -shape; // it lies in another kind of pack
    sn__world_body_created(world, id, shape);
    if (out_rod)
        *out_rod = id;
    return result;
}

SnRodSolver sn_rod_solver(const SnWorld *world, SnBodyId id) {
    const Body *body = GIVEN(world) ? sn__world_body(world, id) : NULL;
    if (body == NULL)
        return SN_SOLVER_SWEEP;
    bool direct =
        body->kind == &sn__stiff_kind ||
        (body->kind == &sn__rod_kind && rods_of(body)->packs[rod_of(body)->pack]->aim != NULL);
    return direct ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
}

double sn_rod_sweep_error(const SnWorld *world, SnBodyId id, float dt, int substeps,
                          int iterations) {
    const Body *body = GIVEN(world) ? sn__world_body(world, id) : NULL;
    if (body == NULL || body->kind != &sn__rod_kind || !sn__step_is_valid(dt, substeps, iterations))
        return 0.0;
    const Rod *rod = rod_of(body);
    double h = (double)dt / (double)substeps;
    return sn__lane_sweep_error(rods_of(body)->packs[rod->pack], rod->lane, h, iterations);
}

// Why there is no such rod.
static SnResult missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "rod: id is stale") : sn__null("rod: world");
}

static SnResult refused(const Body *body, const char *what) {
    return sn_error(SN_ERROR_INVALID, "rod: %s: a %s has none", what, body->kind->name);
}

SnResult sn_rod_add_radial_force(SnWorld *world, SnBodyId id, int vertex, float gamma) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (vertex < 0 || vertex >= body->points)
        return sn_error(SN_ERROR_INVALID, "rod: vertex %d is not in [0, %d)", vertex, body->points);
    if (!isfinite(gamma))
        return sn_error(SN_ERROR_INVALID, "rod: load on vertex %d is not finite", vertex);
    if (body->kind->add_radial_force == NULL)
        return refused(body, "radial force");
    return body->kind->add_radial_force(body, vertex, gamma)
               ? sn_ok()
               : sn_error(SN_ERROR_MEMORY, "rod: no memory for loads");
}

SnResult sn_rod_set_length_scale(SnWorld *world, SnBodyId id, int first, int count,
                                 float length_scale) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (first < 0 || count < 0 || first > body->elements - count)
        return sn_error(SN_ERROR_INVALID, "rod: segments [%d, %d + %d) are not within [0, %d)",
                        first, first, count, body->elements);
    if (!(length_scale >= 0.1f && length_scale <= 10.0f))
        return sn_error(SN_ERROR_INVALID, "rod: length_scale: %g is not in [0.1, 10]",
                        (double)length_scale);
    if (body->kind->set_length_scale == NULL)
        return sn_error(SN_ERROR_INVALID, "rod: length_scale: a %s keeps its length",
                        body->kind->name);
    body->kind->set_length_scale(body, first, count, length_scale);
    return sn_ok();
}

SnResult sn_rod_set_material(SnWorld *world, SnBodyId id, const SnRodMaterial *material) {
    Body *body = sn__world_awake(world, id);
    if (body == NULL)
        return missing(world);
    if (material == NULL)
        return sn__null("rod: material");
    if (body->kind->set_material == NULL)
        return refused(body, "material");
    SnResult result = sn__rod_material_check(material, "rod");
    if (result.code == SN_OK)
        body->kind->set_material(body, material);
    return result;
}

SnResult sn_rod_length_scale(const SnWorld *world, SnBodyId id, int segment,
                             float *out_length_scale) {
    const Body *body = world ? sn__world_body(world, id) : NULL;
    if (body == NULL)
        return missing(world);
    if (out_length_scale == NULL)
        return sn__null("rod: out_length_scale");
    if (segment < 0 || segment >= body->elements)
        return sn_error(SN_ERROR_INVALID, "rod: segment %d is not in [0, %d)", segment,
                        body->elements);
    *out_length_scale = body->kind->length_scale ? body->kind->length_scale(body, segment) : 1.0f;
    return sn_ok();
}

SnResult sn_rod_material(const SnWorld *world, SnBodyId id, SnRodMaterial *out_material) {
    const Body *body = world ? sn__world_body(world, id) : NULL;
    if (body == NULL)
        return missing(world);
    if (out_material == NULL)
        return sn__null("rod: out_material");
    if (body->kind->material == NULL)
        return refused(body, "material");
    *out_material = *body->kind->material(body);
    return sn_ok();
}
