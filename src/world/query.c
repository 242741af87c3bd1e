#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "collide/surface.h"
#include "world/queries.h"
#include "world/query_collider.h"

// After so many steps the tree is made anew: its boxes have grown into each other.
#define MAX_REFITS 64

static size_t mark_words(int count) { return (size_t)count / 64 + 1; }

static void free_segments(SnWorld *world, QueryBvh *index) {
    const SnAllocator *a = &world->allocator;
    sn__free(a, index->segments, (size_t)index->capacity * sizeof(QuerySegment));
    sn__free(a, index->boxes, (size_t)index->capacity * sizeof(BvhBox));
    sn__free(a, index->marks, mark_words(index->capacity) * sizeof(uint64_t));
    index->segments = NULL;
    index->boxes = NULL;
    index->marks = NULL;
    index->count = index->capacity = 0;
}

void sn__queries_destroy(SnWorld *world) {
    QueryBvh *index = world->queries;
    if (index == NULL)
        return;
    free_segments(world, index);
    sn__bvh_destroy(&index->bvh);
    sn__free(&world->allocator, index, sizeof *index);
    world->queries = NULL;
}

static bool reserve(SnWorld *world, QueryBvh *index, int count) {
    if (count <= index->capacity)
        return true;
    free_segments(world, index);
    const SnAllocator *a = &world->allocator;
    int capacity = count + count / 4;
    index->capacity = capacity;
    index->segments = sn__alloc_array(a, (size_t)capacity, sizeof(QuerySegment));
    index->boxes = sn__alloc_array(a, (size_t)capacity, sizeof(BvhBox));
    index->marks = sn__alloc_array(a, mark_words(capacity), sizeof(uint64_t));
    if (index->segments && index->boxes && index->marks)
        return true;
    free_segments(world, index);
    return false;
}

// A little larger than the pill, so that rounding loses nothing.
static BvhBox box_of(const Pill *p) {
    double a[3] = {p->a.x, p->a.y, p->a.z}, b[3] = {p->b.x, p->b.y, p->b.z};
    BvhBox box;
    for (int c = 0; c < 3; ++c) {
        double low = fmin(a[c] - p->radius_a, b[c] - p->radius_b);
        double high = fmax(a[c] + p->radius_a, b[c] + p->radius_b);
        double slack = 1e-12 * (fabs(low) + fabs(high));
        box.low[c] = low - slack;
        box.high[c] = high + slack;
    }
    return box;
}

static int count_segments(const SnWorld *world) {
    int count = 0;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        count += body->elements;
    return count;
}

static void gather(const SnWorld *world, QueryBvh *index) {
    index->count = 0;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        for (int j = 0; j < body->elements; ++j) {
            int ends[2];
            body->kind->ends(body, j, ends);
            assert(index->count < index->capacity);
            QuerySegment *s = index->segments + index->count;
            s->body = body->slot;
            s->index = j;
            s->pill.a = body->kind->point(body, ends[0], &s->pill.radius_a);
            s->pill.b = body->kind->point(body, ends[1], &s->pill.radius_b);
            index->boxes[index->count++] = box_of(&s->pill);
        }
}

QueryBvh *sn__query_tree(SnWorld *world) {
    if (world->queries == NULL)
        world->queries = sn__alloc(&world->allocator, sizeof(QueryBvh));
    QueryBvh *index = world->queries;
    if (index == NULL || (index->built && index->stamp == world->pose_stamp))
        return index;
    bool same = index->built && index->revision == world->revision && index->refits < MAX_REFITS;
    index->built = false;
    if (!reserve(world, index, count_segments(world)))
        return NULL;
    gather(world, index);
    if (same)
        sn__bvh_refit(&index->bvh, index->boxes);
    else if (!sn__bvh_build(&index->bvh, &world->allocator, index->boxes, index->count))
        return NULL;
    index->refits = same ? index->refits + 1 : 0;
    index->stamp = world->pose_stamp;
    index->revision = world->revision;
    index->built = true;
    return index;
}

bool sn__question_asks_segment(const Question *q, int item) {
    assert(q->index->built && item >= 0 && item < q->index->count);
    const Body *body = sn__body_at(&q->world->bodies, q->index->segments[item].body);
    return !body->sensor && sn__filter_passes(q->filter, body->filter);
}

double sn__question_take(Question *q, int item, double value) {
    if (value < q->best || (value == q->best && q->segment >= 0 && item < q->segment)) {
        q->best = value;
        q->segment = item;
    }
    return q->best;
}

double sn__question_way(const BvhBox *box, void *context) {
    const Question *q = context;
    Vec3d half = {0.5 * (box->high[0] - box->low[0]) + q->half.x,
                  0.5 * (box->high[1] - box->low[1]) + q->half.y,
                  0.5 * (box->high[2] - box->low[2]) + q->half.z};
    Vec3d centre = {0.5 * (box->high[0] + box->low[0]), 0.5 * (box->high[1] + box->low[1]),
                    0.5 * (box->high[2] + box->low[2])};
    double k = sn__box_ray(half, subd(q->point, centre), q->direction);
    return k < 0.0 ? (double)INFINITY : k;
}

static double ray_visit(int item, double limit, void *context) {
    Question *q = context;
    if (!sn__question_asks_segment(q, item))
        return limit;
    double k = sn__pill_ray(&q->index->segments[item].pill, q->point, q->direction, NULL);
    return k >= 0.0 ? sn__question_take(q, item, k) : limit;
}

// From inside a box anything may be nearer than its border.
static double point_bound(const BvhBox *box, void *context) {
    const Question *q = context;
    double x[3] = {q->point.x, q->point.y, q->point.z}, sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        double out = fmax(fmax(box->low[c] - x[c], x[c] - box->high[c]), 0.0);
        sum += out * out;
    }
    return sum > 0.0 ? sqrt(sum) : -(double)INFINITY;
}

static double nearest_visit(int item, double limit, void *context) {
    Question *q = context;
    if (!sn__question_asks_segment(q, item))
        return limit;
    return sn__question_take(q, item,
                             sn__pill_distance(&q->index->segments[item].pill, q->point, NULL));
}

static double overlap_visit(int item, double limit, void *context) {
    Question *q = context;
    if (sn__question_asks_segment(q, item) &&
        sn__pill_distance(&q->index->segments[item].pill, q->point, NULL) <= limit) {
        q->index->marks[item / 64] |= (uint64_t)1 << (item % 64);
        ++q->found;
    }
    return limit;
}

// The place on the surface that is nearest to x, which is `distance` from it.
static SnHit segment_hit(const Question *q, int item, Vec3d x, double distance) {
    const QuerySegment *s = q->index->segments + item;
    double t;
    double from_surface = sn__pill_distance(&s->pill, x, &t);
    Vec3d centre = addd(s->pill.a, scaled(subd(s->pill.b, s->pill.a), t));
    Vec3d normal = subd(x, centre);
    double length = lengthd(normal);
    normal = length > 0.0 ? scaled(normal, 1.0 / length) : (Vec3d){0.0, 1.0, 0.0};
    return (SnHit){.body = sn__body_id(&q->world->bodies, s->body),
                   .element = s->index,
                   .t = (float)t,
                   .position = vec3f(subd(x, scaled(normal, from_surface))),
                   .normal = vec3f(normal),
                   .distance = (float)distance};
}

static SnHit collider_hit(const Question *q, uint32_t slot, Vec3d x, double distance) {
    Vec3d normal;
    double from_surface = sn__collider_distance(q->world, slot, x, &normal);
    return (SnHit){.collider = {slot, q->world->colliders.ids.slots[slot - 1].generation},
                   .element = -1,
                   .position = vec3f(subd(x, scaled(normal, from_surface))),
                   .normal = vec3f(normal),
                   .distance = (float)distance};
}

bool sn__question_answer(const Question *q, Vec3d x, SnHit *out_hit) {
    if (out_hit && q->collider != 0)
        *out_hit = collider_hit(q, q->collider, x, q->best);
    else if (out_hit && q->segment >= 0)
        *out_hit = segment_hit(q, q->segment, x, q->best);
    return q->collider != 0 || q->segment >= 0;
}

bool sn__question_asks_collider(const Question *q, uint32_t slot) {
    const ColliderSystem *system = &q->world->colliders;
    return sn__collider_in_use(system, slot) && !system->colliders[slot - 1].surface.sensor &&
           sn__filter_passes(q->filter, system->colliders[slot - 1].filter);
}

bool sn__question_pose(SnWorld *world, SnVec3 point, float reach, SnFilter filter, Question *q) {
    if (!GIVEN(world) || !sn__finite3(point) || !(reach >= 0.0f))
        return false;
    *q = (Question){.world = world,
                    .point = vec3d(point),
                    .filter = filter,
                    .best = (double)reach,
                    .segment = -1};
    q->index = sn__query_tree(world);
    return q->index != NULL;
}

bool sn_world_ray_cast(SnWorld *world, SnVec3 origin, SnVec3 direction, float max_distance,
                       SnFilter filter, SnHit *out_hit) {
    Question q;
    double length = lengthd(vec3d(direction));
    if (!(length > 0.0) || !sn__finite3(direction) ||
        !sn__question_pose(world, origin, max_distance, filter, &q))
        return false;
    q.direction = scaled(vec3d(direction), 1.0 / length);
    // One that is exactly at the limit counts.
    q.best = nextafter(q.best, (double)INFINITY);
    sn__bvh_search(&q.index->bvh, q.best, sn__question_way, ray_visit, &q);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__question_asks_collider(&q, slot))
            continue;
        double k = sn__collider_ray(world, slot, q.point, q.direction, q.best);
        if (k >= 0.0 && k < q.best) {
            q.best = k;
            q.collider = slot;
        }
    }
    bool found = sn__question_answer(&q, addd(q.point, scaled(q.direction, q.best)), out_hit);
    // From inside, the place is where the ray starts.
    if (found && out_hit && q.best == 0.0)
        out_hit->position = origin;
    return found;
}

bool sn_world_nearest(SnWorld *world, SnVec3 point, float max_distance, SnFilter filter,
                      SnHit *out_hit) {
    Question q;
    if (!sn__question_pose(world, point, max_distance, filter, &q))
        return false;
    q.best = nextafter(q.best, (double)INFINITY);
    sn__bvh_search(&q.index->bvh, q.best, point_bound, nearest_visit, &q);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__question_asks_collider(&q, slot))
            continue;
        double d = sn__collider_distance(world, slot, q.point, NULL);
        if (d < q.best) {
            q.best = d;
            q.collider = slot;
        }
    }
    return sn__question_answer(&q, q.point, out_hit);
}

// Takes the marks back, in order.
static int write_segments(const Question *q, SnHit *out_hits, int capacity) {
    int written = 0;
    for (size_t word = 0; word < mark_words(q->index->count); ++word)
        for (uint64_t bits = q->index->marks[word]; bits != 0; bits &= bits - 1) {
            int item = (int)(64 * word) + __builtin_ctzll(bits);
            if (written >= capacity)
                continue;
            double d = sn__pill_distance(&q->index->segments[item].pill, q->point, NULL);
            out_hits[written++] = segment_hit(q, item, q->point, d);
        }
    memset(q->index->marks, 0, mark_words(q->index->count) * sizeof(uint64_t));
    return written;
}

int sn_world_overlap(SnWorld *world, SnVec3 centre, float radius, SnFilter filter, SnHit *out_hits,
                     int capacity) {
    Question q;
    if (!sn__question_pose(world, centre, radius, filter, &q))
        return 0;
    if (out_hits == NULL)
        capacity = 0;
    int written = 0;
    if (q.index->count > 0) {
        sn__bvh_search(&q.index->bvh, q.best, point_bound, overlap_visit, &q);
        written = write_segments(&q, out_hits, capacity);
    }
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__question_asks_collider(&q, slot))
            continue;
        double d = sn__collider_distance(world, slot, q.point, NULL);
        if (!(d <= (double)radius))
            continue;
        ++q.found;
        if (written < capacity)
            out_hits[written++] = collider_hit(&q, slot, q.point, d);
    }
    return q.found;
}
