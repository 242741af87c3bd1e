// Measurements of bodies and of the whole world.
#include "base/null.h"
#include "world/world.h"

SnMeasures sn_world_measure(SnWorld *world) {
    BodySums sums = {0};
    if (!GIVEN(world))
        return sums.m;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        body->kind->measure(body, world->gravity, &sums);
    SnMeasures measures = sn__body_measures(&sums);
    measures.penetration_max = sn__contacts_penetration(world);
    measures.stiff_residual = world->report.residual;
    measures.stiff_iterations = world->report.iterations;
    measures.broken_joints = (int)world->breaks;
    return measures;
}

SnResult sn_body_measure(SnWorld *world, SnBodyId id, SnMeasures *out_measures) {
    if (world == NULL)
        return sn__null("body: world");
    if (out_measures == NULL)
        return sn__null("body: out_measures");
    const Body *body = sn__bodies_find(&world->bodies, id);
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "body: id is stale");
    BodySums sums = {0};
    body->kind->measure(body, world->gravity, &sums);
    *out_measures = sn__body_measures(&sums);
    return sn_ok();
}
