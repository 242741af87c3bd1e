// Torn ends: where a joint broke, the vertex stays with the stem, and the end of the other segment
// becomes a point of its own. Contacts see it, and SnPoses tells of it: rods have the vertices they
// were made with.
#include <assert.h>
#include <string.h>

#include "stiff/stiff.h"

// All that is by point, in one block.
typedef struct Points {
    Vec3d *press, *moved, *pushed, *evades;
    double *press_size, *mass;
    float *radius;
    int *home;
    int (*ends)[2];
} Points;

static size_t bytes_of(size_t points, size_t segments) {
    return points * (4 * sizeof(Vec3d) + 2 * sizeof(double) + sizeof(int) + sizeof(float)) +
           segments * 2 * sizeof(int);
}

static Points lay_out(void *block, size_t points, size_t segments) {
    Points p;
    p.press = block;
    p.moved = p.press + points;
    p.pushed = p.moved + points;
    p.evades = p.pushed + points;
    p.press_size = (double *)(p.evades + points);
    p.mass = p.press_size + points;
    p.ends = (int(*)[2])(p.mass + points);
    p.home = (int *)(p.ends + segments);
    p.radius = (float *)(p.home + points);
    return p;
}

static void copy_point(const StiffRod *t, const Points *to, int from, int point) {
    to->press[point] = t->press[from];
    to->press_size[point] = t->press_size[from];
    to->pushed[point] = t->pushed[from];
    to->radius[point] = t->radius[from];
    to->home[point] = t->home[from];
}

// Vertices, then torn ends in the order of joints, whenever they broke.
static int fill_points(const StiffRod *t, const Points *to) {
    int count = t->vertices;
    for (int i = 0; i < t->vertices; ++i)
        copy_point(t, to, i, i);
    memcpy(to->ends, t->edge, (size_t)t->segments * sizeof to->ends[0]);
    for (int k = 0; k < t->joints; ++k) {
        const StiffJoint *j = &t->joint[k];
        int e = j->end_b > 0.0;
        if (!j->broken)
            continue;
        copy_point(t, to, t->ends[j->b][e], count);
        // Off a vertex just now: what pressed on that did not press on this.
        if (t->ends[j->b][e] < t->vertices) {
            to->press[count] = (Vec3d){0};
            to->press_size[count] = 0.0;
            to->pushed[count] = (Vec3d){0};
        }
        to->home[count] = 2 * j->b + e;
        to->ends[j->b][e] = count++;
    }
    return count;
}

// Half of each segment at each of its ends.
void sn__stiff_weigh_points(StiffRod *t) {
    for (int i = 0; i < t->points; ++i)
        t->knot_mass[i] = 0.0;
    for (int j = 0; j < t->segments; ++j)
        for (int e = 0; e < 2; ++e)
            t->knot_mass[t->ends[j][e]] += 0.5 * t->segment[j].mass;
}

bool sn__stiff_tear(StiffRod *t) {
    if (!t->tears)
        return true;
    const SnAllocator *a = &t->system->allocator;
    size_t points = (size_t)(t->vertices + t->broken), segments = (size_t)t->segments;
    size_t bytes = bytes_of(points, segments);
    void *block = sn__alloc(a, bytes);
    if (block == NULL)
        return false;
    Points to = lay_out(block, points, segments);
    t->points = fill_points(t, &to);
    assert((size_t)t->points == points);
    sn__free(a, t->torn, t->torn_bytes);
    t->torn = block;
    t->torn_bytes = bytes;
    t->press = to.press;
    t->moved = to.moved;
    t->pushed = to.pushed;
    t->press_size = to.press_size;
    t->evades = to.evades;
    t->knot_mass = to.mass;
    t->radius = to.radius;
    t->home = to.home;
    t->ends = to.ends;
    t->tears = false;
    sn__stiff_weigh_points(t);
    return true;
}

int sn__stiff_torn_count(const Body *body) { return stiff_of(body)->broken; }

// What the segment's own cross-section is at its end, where the vertex may be that of a thicker stem:
// the cross-section is the mean of both ends.
static double end_radius(const StiffRod *t, int segment, int end) {
    double here = (double)t->radius[t->edge[segment][end]];
    double other = (double)t->radius[t->edge[segment][1 - end]];
    double own = 2.0 * fmin(t->segment[segment].radius[0], t->segment[segment].radius[1]) - other;
    return fmax(fmin(own, fmax(here, other)), fmin(here, other));
}

bool sn__stiff_torn_end(const Body *body, int segment, int end, SnTornEnd *out_end) {
    assert(segment >= 0 && segment < body->elements && (end == 0 || end == 1));
    const StiffRod *t = stiff_of(body);
    for (int k = t->joints_begin[segment]; k < t->joints_begin[segment + 1]; ++k) {
        const StiffJoint *j = &t->joint[t->joints_of[k]];
        if (!j->broken || j->b != segment || (j->end_b > 0.0) != (end == 1))
            continue;
        StiffPose p = sn__stiff_pose(t, segment);
        Vec3d x = addd(p.x, scaled(axis_z(p.q), j->end_b));
        *out_end = (SnTornEnd){
            .element = segment,
            .end = end,
            .position = vec3f(addd((Vec3d){t->origin[0], t->origin[1], t->origin[2]}, x)),
            .radius = (float)end_radius(t, segment, end)};
        return true;
    }
    return false;
}
