#include "world/query_collider.h"

#include <assert.h>

#include "geom/cast.h"
#include "world/world.h"

// A ray walks through a mesh's grid in steps of so much of the distance (which three-linear
// interpolation may change √3 times as fast as the way) and at least so many cells.
#define RAY_STEP 0.55
#define RAY_MIN_STEP 0.02
#define RAY_BISECTIONS 40
// Each is as long as the one before times the precision of a double, from 10³⁸ m on.
#define RAY_STRIDES 4

static Pill pill_of(const Collider *c) {
    return (Pill){c->a, c->b, (double)c->radius[0], (double)c->radius[1]};
}

static double pill_distance(const Collider *c, Vec3d x, Vec3d *out_normal) {
    Pill pill = pill_of(c);
    double t, distance = sn__pill_distance(&pill, x, &t);
    Vec3d way = subd(x, addd(pill.a, scaled(subd(pill.b, pill.a), t)));
    double length = lengthd(way);
    *out_normal = length > 0.0 ? scaled(way, 1.0 / length) : (Vec3d){0.0, 1.0, 0.0};
    return distance;
}

// In its own axes, as all below.
static double local_distance(const Collider *c, Vec3d x, Vec3d *out_normal) {
    switch (c->kind) {
    case SN_COLLIDER_PLANE:
        break;
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_PILL:
        return pill_distance(c, x, out_normal);
    case SN_COLLIDER_BOX:
        return sn__box_distance(c->half, x, out_normal);
    case SN_COLLIDER_MESH:
        return sn__distance_grid_at(&c->grid, x, out_normal);
    }
    *out_normal = (Vec3d){0.0, 1.0, 0.0};
    return x.y;
}

static double grid_at(const DistanceGrid *grid, Vec3d origin, Vec3d direction, double k) {
    return sn__distance_grid_at(grid, addd(origin, scaled(direction, k)), NULL);
}

// Where the ray is nearest to the point, and how far along that is. From far away, one stride is short
// of it, or long, by more than a mesh is large; the next ones make up for what rounding left.
static Vec3d approach(Vec3d origin, Vec3d direction, Vec3d point, double *out_way) {
    Vec3d place = origin;
    *out_way = 0.0;
    for (int i = 0; i < RAY_STRIDES; ++i) {
        double stride = dotd(subd(point, place), direction);
        place = addd(place, scaled(direction, stride));
        *out_way += stride;
    }
    return place;
}

// Between k, where the ray is outside, or begins, and the next one, where it is inside.
static double surface_between(const DistanceGrid *grid, Vec3d start, Vec3d direction,
                              double outside, double inside) {
    for (int i = 0; i < RAY_BISECTIONS; ++i) {
        double middle = 0.5 * (outside + inside);
        if (grid_at(grid, start, direction, middle) > 0.0)
            outside = middle;
        else
            inside = middle;
    }
    return inside;
}

// It walks from the border of the grid on, not from its origin: steps are then never too small to be
// added to the way gone, and there are at most as many as shortest steps across the grid.
static double mesh_ray(const DistanceGrid *grid, Vec3d origin, Vec3d direction, double most) {
    if (sn__distance_grid_at(grid, origin, NULL) <= 0.0)
        return 0.0;
    Vec3d half = {0.5 * (grid->size[0] - 1) * grid->cell, 0.5 * (grid->size[1] - 1) * grid->cell,
                  0.5 * (grid->size[2] - 1) * grid->cell};
    Vec3d centre = addd((Vec3d){grid->low[0], grid->low[1], grid->low[2]}, half);
    double reach = lengthd(half), skipped;
    Vec3d middle = approach(origin, direction, centre, &skipped);
    Vec3d start = subd(middle, scaled(direction, reach));
    Vec3d end = addd(middle, scaled(direction, reach));
    skipped -= reach;
    double k = sn__box_ray(half, subd(start, centre), direction);
    if (k < 0.0)
        return -1.0;
    // Where it leaves: the way in from the other side.
    double far = 2.0 * reach - sn__box_ray(half, subd(end, centre), scaled(direction, -1.0));
    k = fmax(k, -skipped);
    far = fmin(far, most - skipped);
    for (double before = k; k <= far;) {
        double d = grid_at(grid, start, direction, k);
        if (d <= 0.0)
            return skipped + surface_between(grid, start, direction, before, k);
        before = k;
        k += fmax(RAY_STEP * d, RAY_MIN_STEP * grid->cell);
    }
    return -1.0;
}

static double plane_ray(Vec3d origin, Vec3d direction) {
    if (origin.y <= 0.0)
        return 0.0;
    return direction.y < 0.0 ? origin.y / -direction.y : -1.0;
}

static double local_ray(const Collider *c, Vec3d origin, Vec3d direction, double most) {
    Pill pill = pill_of(c);
    switch (c->kind) {
    case SN_COLLIDER_PLANE:
        break;
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_PILL:
        return sn__pill_ray(&pill, origin, direction, NULL);
    case SN_COLLIDER_BOX:
        return sn__box_ray(c->half, origin, direction);
    case SN_COLLIDER_MESH:
        return mesh_ray(&c->grid, origin, direction, most);
    }
    return plane_ray(origin, direction);
}

// Where a pill, in the collider's axes, is nearest to a mesh: the best of places that are at most so
// many cells apart, and then between its neighbours.
#define MESH_SPACING 0.5
#define MESH_PLACES 256
#define MESH_NARROWINGS 24

static double mesh_gap(const DistanceGrid *grid, const Pill *pill, double t) {
    Vec3d x = addd(pill->a, scaled(subd(pill->b, pill->a), t));
    return sn__distance_grid_at(grid, x, NULL) -
           (pill->radius_a + t * (pill->radius_b - pill->radius_a));
}

static double mesh_pill(const DistanceGrid *grid, const Pill *pill) {
    double length = lengthd(subd(pill->b, pill->a));
    if (!(length > 0.0))
        return 0.0;
    double places = fmin(ceil(length / (MESH_SPACING * grid->cell)), (double)MESH_PLACES);
    double best = 0.0, least = mesh_gap(grid, pill, 0.0);
    for (int k = 1; k <= (int)places; ++k) {
        double t = (double)k / places, gap = mesh_gap(grid, pill, t);
        if (gap < least) {
            least = gap;
            best = t;
        }
    }
    double low = fmax(best - 1.0 / places, 0.0), high = fmin(best + 1.0 / places, 1.0);
    for (int k = 0; k < MESH_NARROWINGS; ++k) {
        double third = (high - low) / 3.0;
        if (mesh_gap(grid, pill, low + third) < mesh_gap(grid, pill, high - third))
            high -= third;
        else
            low += third;
    }
    double middle = 0.5 * (low + high);
    return mesh_gap(grid, pill, middle) < least ? middle : best;
}

static double local_nearest(const Collider *c, const Pill *pill) {
    Pill own = pill_of(c);
    switch (c->kind) {
    case SN_COLLIDER_PLANE:
        break;
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_PILL:
        return sn__pill_pair(pill, &own).t;
    case SN_COLLIDER_BOX:
        return sn__box_pill(c->half, pill->a, pill->radius_a, pill->b, pill->radius_b);
    case SN_COLLIDER_MESH:
        return mesh_pill(&c->grid, pill);
    }
    return pill->b.y - pill->radius_b < pill->a.y - pill->radius_a ? 1.0 : 0.0;
}

// In the collider's own axes, as the normal.
static ColliderGap local_gap(const Collider *c, const Pill *pill) {
    ColliderGap gap = {.t = local_nearest(c, pill)};
    Vec3d x = addd(pill->a, scaled(subd(pill->b, pill->a), gap.t));
    gap.gap = local_distance(c, x, &gap.normal) -
              (pill->radius_a + gap.t * (pill->radius_b - pill->radius_a));
    return gap;
}

static double convex_gap(const void *collider, const Pill *pill, Vec3d *out_normal) {
    ColliderGap gap = local_gap(collider, pill);
    *out_normal = gap.normal;
    return gap.gap;
}

// Between two parts of the way, of which the pill touches at the second.
static double touch_between(const Collider *c, const Pill *pill, Vec3d direction, double apart,
                            double touching) {
    for (int i = 0; i < RAY_BISECTIONS; ++i) {
        double middle = 0.5 * (apart + touching);
        Pill at = sn__pill_moved(pill, direction, middle);
        if (local_gap(c, &at).gap > 0.0)
            apart = middle;
        else
            touching = middle;
    }
    return touching;
}

// Meshes have hollows: the pill walks as a ray does, from where balls around both touch on.
static double mesh_cast(const Collider *c, const Pill *pill, Vec3d direction, double most) {
    const DistanceGrid *grid = &c->grid;
    if (local_gap(c, pill).gap <= 0.0)
        return 0.0;
    Vec3d half = {0.5 * (grid->size[0] - 1) * grid->cell, 0.5 * (grid->size[1] - 1) * grid->cell,
                  0.5 * (grid->size[2] - 1) * grid->cell};
    Vec3d centre = addd((Vec3d){grid->low[0], grid->low[1], grid->low[2]}, half);
    Vec3d middle = scaled(addd(pill->a, pill->b), 0.5);
    double reach = lengthd(half) + 0.5 * lengthd(subd(pill->b, pill->a)) +
                   fmax(pill->radius_a, pill->radius_b);
    double way;
    Vec3d nearest = approach(middle, direction, centre, &way);
    if (lengthd(subd(nearest, centre)) > reach)
        return -1.0;
    double skipped = fmax(way - reach, 0.0), far = fmin(way + reach, most) - skipped;
    Pill start = sn__pill_moved(pill, direction, skipped);
    for (double k = 0.0, before = 0.0; k <= far;) {
        Pill at = sn__pill_moved(&start, direction, k);
        double gap = local_gap(c, &at).gap;
        if (gap <= 0.0)
            return skipped + touch_between(c, &start, direction, before, k);
        before = k;
        k += fmax(RAY_STEP * gap, RAY_MIN_STEP * grid->cell);
    }
    return -1.0;
}

static Vec3d into(const ColliderPose *pose, Vec3d x) {
    return rotated(conjugated(pose->rotation), subd(x, pose->position));
}

double sn__collider_distance(const SnWorld *world, uint32_t slot, Vec3d x, Vec3d *out_normal) {
    assert(sn__collider_in_use(&world->colliders, slot));
    const Collider *c = world->colliders.colliders + slot - 1;
    ColliderPose pose = sn__collider_pose(world, c, false);
    Vec3d normal;
    double distance = local_distance(c, into(&pose, x), &normal);
    if (out_normal)
        *out_normal = rotated(pose.rotation, normal);
    return distance;
}

double sn__collider_ray(const SnWorld *world, uint32_t slot, Vec3d origin, Vec3d direction,
                        double max_distance) {
    assert(sn__collider_in_use(&world->colliders, slot));
    const Collider *c = world->colliders.colliders + slot - 1;
    ColliderPose pose = sn__collider_pose(world, c, false);
    return local_ray(c, into(&pose, origin), rotated(conjugated(pose.rotation), direction),
                     max_distance);
}

static Pill pill_into(const ColliderPose *pose, const Pill *pill) {
    return (Pill){into(pose, pill->a), into(pose, pill->b), pill->radius_a, pill->radius_b};
}

ColliderGap sn__collider_pill(const SnWorld *world, uint32_t slot, const Pill *pill) {
    assert(sn__collider_in_use(&world->colliders, slot));
    const Collider *c = world->colliders.colliders + slot - 1;
    ColliderPose pose = sn__collider_pose(world, c, false);
    Pill own = pill_into(&pose, pill);
    ColliderGap gap = local_gap(c, &own);
    gap.normal = rotated(pose.rotation, gap.normal);
    return gap;
}

double sn__collider_cast(const SnWorld *world, uint32_t slot, const Pill *pill, Vec3d direction,
                         double max_distance) {
    assert(sn__collider_in_use(&world->colliders, slot));
    const Collider *c = world->colliders.colliders + slot - 1;
    ColliderPose pose = sn__collider_pose(world, c, false);
    Pill own = pill_into(&pose, pill);
    Vec3d along = rotated(conjugated(pose.rotation), direction);
    return c->kind == SN_COLLIDER_MESH ? mesh_cast(c, &own, along, max_distance)
                                       : sn__convex_cast(convex_gap, c, &own, along, max_distance);
}
