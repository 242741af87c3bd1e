// Spheres and pills that go along a ray.
#include "base/null.h"
#include "geom/cast.h"
#include "world/queries.h"
#include "world/query_collider.h"

static double cast_visit(int item, double limit, void *context) {
    Question *q = context;
    if (!sn__question_asks_segment(q, item))
        return limit;
    double k = sn__pill_cast(&q->index->segments[item].pill, &q->pill, q->direction, q->best);
    return k >= 0.0 ? sn__question_take(q, item, k) : limit;
}

static Vec3d middle_of(const Pill *pill) { return scaled(addd(pill->a, pill->b), 0.5); }

// Where the axis of the pill, which has come to the end of its way, is nearest to what it touches.
static Vec3d place_on_axis(const Question *q, const Pill *pill) {
    double t = 0.0;
    if (q->collider != 0)
        t = sn__collider_pill(q->world, q->collider, pill).t;
    else if (q->segment >= 0)
        t = sn__pill_pair(pill, &q->index->segments[q->segment].pill).t;
    return addd(pill->a, scaled(subd(pill->b, pill->a), t));
}

static bool cast(Question *q, SnHit *out_hit) {
    SnWorld *world = q->world;
    // One that is exactly at the limit counts.
    q->best = nextafter(q->best, (double)INFINITY);
    sn__bvh_search(&q->index->bvh, q->best, sn__question_way, cast_visit, q);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__question_asks_collider(q, slot))
            continue;
        double k = sn__collider_cast(world, slot, &q->pill, q->direction, q->best);
        if (k >= 0.0 && k < q->best) {
            q->best = k;
            q->collider = slot;
        }
    }
    Pill end = sn__pill_moved(&q->pill, q->direction, q->best);
    return sn__question_answer(q, place_on_axis(q, &end), out_hit);
}

bool sn_world_pill_cast(SnWorld *world, SnVec3 a, SnVec3 b, float radius, SnVec3 direction,
                        float max_distance, SnFilter filter, SnHit *out_hit) {
    Question q;
    double length = lengthd(vec3d(direction));
    if (!(length > 0.0) || !sn__finite3(direction) || !sn__finite3(b) || !(radius >= 0.0f) ||
        !isfinite(radius) || !sn__question_pose(world, a, max_distance, filter, &q))
        return false;
    q.direction = scaled(vec3d(direction), 1.0 / length);
    q.pill = (Pill){vec3d(a), vec3d(b), (double)radius, (double)radius};
    q.point = middle_of(&q.pill);
    Vec3d half = scaled(subd(q.pill.b, q.pill.a), 0.5);
    q.half = (Vec3d){fabs(half.x) + (double)radius, fabs(half.y) + (double)radius,
                     fabs(half.z) + (double)radius};
    return cast(&q, out_hit);
}

bool sn_world_sphere_cast(SnWorld *world, SnVec3 centre, float radius, SnVec3 direction,
                          float max_distance, SnFilter filter, SnHit *out_hit) {
    return sn_world_pill_cast(world, centre, centre, radius, direction, max_distance, filter,
                              out_hit);
}
