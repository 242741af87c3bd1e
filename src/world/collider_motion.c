// Where colliders go in a step, and where rods touch them.
#include <assert.h>

#include "collide/ellipsoid.h"
#include "geom/pill.h"
#include "world/world.h"

// Interior points of a segment nearer than this to one of its ends are left to that end.
#define BETWEEN_MARGIN 0.02

static Vec3d from_array(const double v[3]) { return (Vec3d){v[0], v[1], v[2]}; }

static ColliderPose pose_in(const Collider *collider, SnPose frame) {
    Quatd q = quatd(frame.rotation);
    return (ColliderPose){addd(vec3d(frame.position), rotated(q, collider->local.position)),
                          normalisedq(mulqd(q, collider->local.rotation))};
}

ColliderPose sn__collider_pose(const SnWorld *world, const Collider *collider, bool target) {
    if (collider->frame.index == 0)
        return collider->local;
    return pose_in(collider, sn__frame_pose_or_identity(world, collider->frame, target));
}

void sn__colliders_drop_frame(SnWorld *world, SnFrameId frame) {
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        Collider *c = &world->colliders.colliders[slot - 1];
        if (!sn__collider_in_use(&world->colliders, slot) || c->frame.index != frame.index)
            continue;
        c->local = sn__collider_pose(world, c, false);
        c->frame = (SnFrameId){0};
        c->origin[0] = c->origin[1] = c->origin[2] = 0.0;
    }
}

// Once it is known where it starts and ends.
static void find_bend(const SnWorld *world, Collider *c) {
    const FrameVia *via = sn__frame_via(world, c->frame);
    c->curved = via != NULL;
    if (via == NULL)
        return;
    ColliderPose at[2];
    for (int i = 0; i < 2; ++i) {
        at[i] = pose_in(c, via->pose[i]);
        at[i].position = subd(at[i].position, from_array(c->base));
    }
    c->bend = bend_of_points(c->from.position, at[0].position, at[1].position, c->to.position);
    c->turn_bend = bend_of_turns(c->from.rotation, at[0].rotation, at[1].rotation, c->to.rotation);
}

void sn__colliders_begin_step(SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__collider_in_use(&world->colliders, slot))
            continue;
        Collider *c = &world->colliders.colliders[slot - 1];
        c->from = sn__collider_pose(world, c, false);
        c->to = sn__collider_pose(world, c, true);
        c->base[0] = c->from.position.x;
        c->base[1] = c->from.position.y;
        c->base[2] = c->from.position.z;
        c->to.position = subd(c->to.position, from_array(c->base));
        c->from.position = (Vec3d){0};
        // The shorter way round.
        Quatd a = c->from.rotation, b = c->to.rotation;
        if (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0)
            c->to.rotation = (Quatd){-b.x, -b.y, -b.z, -b.w};
        find_bend(world, c);
        c->start = c->end = c->from;
    }
}

static ColliderPose between(const Collider *c, double t) {
    assert(t >= 0.0 && t <= 1.0);
    Quatd a = c->from.rotation, b = c->to.rotation;
    Quatd q = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z),
               a.w + t * (b.w - a.w)};
    Vec3d x = scaled(c->to.position, t);
    if (c->curved) {
        x = addd(x, bend_point(&c->bend, t));
        q = bend_turn(&c->turn_bend, q, t);
    }
    return (ColliderPose){x, normalisedq(q)};
}

static Vec3d placed(const ColliderPose *pose, Vec3d x) {
    return addd(pose->position, rotated(pose->rotation, x));
}

static void place_knot(Knot *knot, const Collider *c, Vec3d x, float radius) {
    Vec3d start = placed(&c->start, x), motion = subd(placed(&c->end, x), start);
    *knot = (Knot){.start = {(float)start.x, (float)start.y, (float)start.z, radius},
                   .motion = {(float)motion.x, (float)motion.y, (float)motion.z, 0.0f}};
}

void sn__colliders_substep(SnWorld *world, int n, int count, Knot *knots) {
    assert(n >= 0 && n < count);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        if (!sn__collider_in_use(&world->colliders, slot))
            continue;
        Collider *c = &world->colliders.colliders[slot - 1];
        c->start = between(c, (double)n / (double)count);
        c->end = between(c, (double)(n + 1) / (double)count);
        if (sn__collider_is_round(c)) {
            place_knot(&knots[c->knots], c, c->a, c->radius[0]);
            place_knot(&knots[c->knots + 1], c, c->b, c->radius[1]);
        }
    }
}

double sn__collider_extent(const Collider *c) {
    switch (c->kind) {
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_PILL:
        return fmax(lengthd(c->a) + (double)c->radius[0], lengthd(c->b) + (double)c->radius[1]);
    case SN_COLLIDER_BOX:
        return lengthd(c->half);
    case SN_COLLIDER_MESH: {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double low = fabs(c->grid.low[k]);
            double high = fabs(c->grid.low[k] + c->grid.cell * (double)(c->grid.size[k] - 1));
            square += fmax(low, high) * fmax(low, high);
        }
        return sqrt(square);
    }
    case SN_COLLIDER_PLANE:
        break;
    }
    return 0.0;
}

float sn__collider_travel(const Collider *c) {
    Quatd turn = mulqd(c->to.rotation, conjugated(c->from.rotation));
    double angle = 2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    double way = lengthd(c->to.position) + 1.6 * angle * sn__collider_extent(c);
    if (!c->curved)
        return (float)way;
    // t (1 − t) is 1/4 at most; a quaternion that is off by d turns by about 2 d.
    double bulge = 0.0, turn_bulge = 0.0;
    for (int i = 0; i < 2; ++i) {
        const Quatd *q = &c->turn_bend.c[i];
        bulge += 0.25 * lengthd(c->bend.c[i]);
        turn_bulge += 0.25 * sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    }
    return (float)(way + bulge + 3.2 * turn_bulge * sn__collider_extent(c));
}

// The half sizes of a box with the same axes as the world around a turned one.
static Vec3d turned_half(Quatd q, Vec3d half) {
    Vec3d x = rotated(q, (Vec3d){half.x, 0.0, 0.0}), y = rotated(q, (Vec3d){0.0, half.y, 0.0});
    Vec3d z = rotated(q, (Vec3d){0.0, 0.0, half.z});
    return (Vec3d){fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                   fabs(x.z) + fabs(y.z) + fabs(z.z)};
}

// The shape's box at the start of the step, relative to the base.
static void start_box(const Collider *c, Vec3d *low, Vec3d *high) {
    Vec3d centre = {0}, half = c->half;
    if (c->kind == SN_COLLIDER_SPHERE || c->kind == SN_COLLIDER_PILL) {
        Vec3d a = rotated(c->from.rotation, c->a), b = rotated(c->from.rotation, c->b);
        double ra = (double)c->radius[0], rb = (double)c->radius[1];
        *low =
            (Vec3d){fmin(a.x - ra, b.x - rb), fmin(a.y - ra, b.y - rb), fmin(a.z - ra, b.z - rb)};
        *high =
            (Vec3d){fmax(a.x + ra, b.x + rb), fmax(a.y + ra, b.y + rb), fmax(a.z + ra, b.z + rb)};
        return;
    }
    if (c->kind == SN_COLLIDER_MESH) {
        const DistanceGrid *g = &c->grid;
        half = (Vec3d){0.5 * g->cell * (double)(g->size[0] - 1),
                       0.5 * g->cell * (double)(g->size[1] - 1),
                       0.5 * g->cell * (double)(g->size[2] - 1)};
        centre = rotated(c->from.rotation, addd(from_array(g->low), half));
    }
    half = turned_half(c->from.rotation, half);
    *low = subd(centre, half);
    *high = addd(centre, half);
}

GridBox sn__collider_box(const Collider *c) {
    Vec3d low, high;
    start_box(c, &low, &high);
    double more = (double)sn__collider_travel(c) + (double)c->surface.thickness;
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    GridBox box;
    for (int k = 0; k < 3; ++k) {
        double rounding = 2e-7 * (fabs(c->base[k]) + fabs(l[k]) + fabs(h[k]));
        box.low[k] = (float)(c->base[k] + l[k] - more - rounding);
        box.high[k] = (float)(c->base[k] + h[k] + more + rounding);
    }
    return box;
}

// Distance to the shape in its own axes.
static double distance(const Collider *c, Vec3d x, Vec3d *gradient) {
    switch (c->kind) {
    case SN_COLLIDER_BOX:
        return sn__box_distance(c->half, x, gradient);
    case SN_COLLIDER_MESH:
        return sn__distance_grid_at(&c->grid, x, gradient);
    default:
        *gradient = (Vec3d){0.0, 1.0, 0.0};
        return x.y;
    }
}

bool sn__collider_is_round(const Collider *c) {
    return c->kind == SN_COLLIDER_SPHERE || c->kind == SN_COLLIDER_PILL;
}

bool sn__collider_holds(const Collider *c, Vec3d x) {
    Vec3d local = rotated(conjugated(c->start.rotation), subd(x, c->start.position)), gradient;
    Pill pill = {c->a, c->b, (double)c->radius[0], (double)c->radius[1]};
    return sn__collider_is_round(c) ? sn__pill_distance(&pill, local, NULL) < 0.0
                                    : distance(c, local, &gradient) < 0.0;
}

double sn__collider_gap(const Collider *c, Vec3d x, double radius, Vec3d *out_normal) {
    Vec3d gradient;
    Vec3d local = rotated(conjugated(c->start.rotation), subd(x, c->start.position));
    double gap = distance(c, local, &gradient) - radius;
    *out_normal = rotated(c->start.rotation, gradient);
    return gap;
}

typedef struct Segment {
    Vec3d a, b; // in the collider's axes
    double ra, rb;
} Segment;

static Vec3d along(const Segment *s, double t) { return addd(s->a, scaled(subd(s->b, s->a), t)); }

static double gap_along(const Collider *c, const Segment *s, double t) {
    Vec3d gradient;
    return distance(c, along(s, t), &gradient) - (s->ra + t * (s->rb - s->ra));
}

// Meshes: the best of a few places, then halved steps around it.
static double mesh_between(const Collider *c, const Segment *s) {
    double best = 0.5, step = 0.125, least = gap_along(c, s, best);
    for (int k = 1; k < 8; ++k) {
        double gap = gap_along(c, s, 0.125 * (double)k);
        if (gap < least) {
            least = gap;
            best = 0.125 * (double)k;
        }
    }
    for (int k = 0; k < 6; ++k) {
        step *= 0.5;
        for (int side = -1; side <= 1; side += 2) {
            double t = best + (double)side * step, gap = gap_along(c, s, t);
            if (gap < least) {
                least = gap;
                best = t;
            }
        }
    }
    return best;
}

static double place_between(const Collider *c, const Segment *s) {
    if (c->kind == SN_COLLIDER_BOX)
        return sn__box_pill(c->half, s->a, s->ra, s->b, s->rb);
    return mesh_between(c, s);
}

static double surface_distance(const void *collider, Vec3d x, Vec3d *gradient) {
    return distance(collider, x, gradient);
}

// An ellipsoid in the axes of the collider: R S Rᵀ.
static void turn_shape(Quatd q, const float shape[6], float out[6]) {
    const Vec3d rows[3] = {rotated(q, (Vec3d){shape[0], shape[3], shape[4]}),
                           rotated(q, (Vec3d){shape[3], shape[1], shape[5]}),
                           rotated(q, (Vec3d){shape[4], shape[5], shape[2]})};
    Vec3d x = rotated(q, (Vec3d){rows[0].x, rows[1].x, rows[2].x});
    Vec3d y = rotated(q, (Vec3d){rows[0].y, rows[1].y, rows[2].y});
    Vec3d z = rotated(q, (Vec3d){rows[0].z, rows[1].z, rows[2].z});
    const double all[6] = {x.x, y.y, z.z, x.y, x.z, y.z};
    for (int k = 0; k < 6; ++k)
        out[k] = (float)all[k];
}

static void touch_lane(const Collider *c, ContactBatch *batch, int i, SolidPart part,
                       const Knot *knots, const KnotTurn *turn) {
    const Knot *k[2] = {&knots[batch->a1[i]], &knots[batch->a2[i]]};
    Vec3d offset = {batch->offset_x[i], batch->offset_y[i], batch->offset_z[i]}, x[2];
    Quatd back = conjugated(c->start.rotation);
    for (int v = 0; v < 2; ++v) {
        Vec3d place = {k[v]->start[0], k[v]->start[1], k[v]->start[2]};
        x[v] = rotated(back, subd(addd(place, offset), c->start.position));
    }
    Segment s = {x[0], x[1], (double)k[0]->start[3], (double)k[1]->start[3]};
    double t = part == SOLID_FIRST ? 0.0 : part == SOLID_SECOND ? 1.0 : place_between(c, &s);
    Vec3d at = along(&s, t), gradient;
    double gap = distance(c, at, &gradient) - (s.ra + t * (s.rb - s.ra));
    if (turn->shape[0] > 0.0f) {
        float shape[6];
        turn_shape(back, turn->shape, shape);
        gap = sn__ellipsoid_surface_gap(at, shape, surface_distance, c, &gradient);
    }
    Vec3d n = rotated(c->start.rotation, gradient);
    Vec3d drift = subd(placed(&c->end, at), placed(&c->start, at));
    bool none = part == SOLID_BETWEEN && (t < BETWEEN_MARGIN || t > 1.0 - BETWEEN_MARGIN);
    batch->t[i] = (float)t;
    batch->gap[i] = none ? NO_TOUCH : (float)gap - batch->thickness[i];
    batch->normal_x[i] = (float)n.x;
    batch->normal_y[i] = (float)n.y;
    batch->normal_z[i] = (float)n.z;
    batch->drift_x[i] = (float)drift.x;
    batch->drift_y[i] = (float)drift.y;
    batch->drift_z[i] = (float)drift.z;
}

void sn__colliders_touch(ContactBatch *batch, const ContactSeed *seeds, const Knot *knots,
                         void *context) {
    const SnWorld *world = context;
    for (int i = 0; i < batch->count; ++i) {
        const ContactSeed *seed = &seeds[batch->origin[i]];
        assert(seed->kind == CONTACT_SOLID && seed->other >= 1);
        assert((uint32_t)seed->other <= world->colliders.ids.slot_count);
        const KnotTurn *turn = &world->contacts.turns[world->contacts.owners[batch->a[i]].turn];
        touch_lane(&world->colliders.colliders[seed->other - 1], batch, i, seed->part, knots, turn);
    }
}
