// Torn ends: where a joint broke, the vertex stays with the stem, and the end of the other segment
// becomes a point of its own. Nobody but contacts sees it: rods have the vertices they were made with.
#include <string.h>

#include "tree/tree.h"

static int count_broken(const Tree *t) {
    int count = 0;
    for (int k = 0; k < t->joints; ++k)
        count += t->joint[k].broken;
    return count;
}

// All that is by point, in one block.
typedef struct Points {
    Vec3d *press, *moved;
    double *press_size, *mass;
    float *radius;
    int *home;
    int (*ends)[2];
} Points;

static size_t bytes_of(size_t points, size_t segments) {
    return points * (2 * sizeof(Vec3d) + 2 * sizeof(double) + sizeof(int) + sizeof(float)) +
           segments * 2 * sizeof(int);
}

static Points lay_out(void *block, size_t points, size_t segments) {
    Points p;
    p.press = block;
    p.moved = p.press + points;
    p.press_size = (double *)(p.moved + points);
    p.mass = p.press_size + points;
    p.ends = (int(*)[2])(p.mass + points);
    p.home = (int *)(p.ends + segments);
    p.radius = (float *)(p.home + points);
    return p;
}

static void copy_point(const Tree *t, const Points *to, int from, int point) {
    to->press[point] = t->press[from];
    to->press_size[point] = t->press_size[from];
    to->radius[point] = t->radius[from];
    to->home[point] = t->home[from];
}

// Vertices, then torn ends in the order of joints, whenever they broke.
static int fill_points(const Tree *t, const Points *to) {
    int count = t->vertices;
    for (int i = 0; i < t->vertices; ++i)
        copy_point(t, to, i, i);
    memcpy(to->ends, t->edge, (size_t)t->segments * sizeof to->ends[0]);
    for (int k = 0; k < t->joints; ++k) {
        const TreeJoint *j = &t->joint[k];
        int e = j->end_b > 0.0;
        if (!j->broken)
            continue;
        copy_point(t, to, t->ends[j->b][e], count);
        // Off a vertex just now: what pressed on that did not press on this.
        if (t->ends[j->b][e] < t->vertices) {
            to->press[count] = (Vec3d){0};
            to->press_size[count] = 0.0;
        }
        to->home[count] = 2 * j->b + e;
        to->ends[j->b][e] = count++;
    }
    return count;
}

// Half of each segment at each of its ends.
void sn__tree_weigh_points(Tree *t) {
    for (int i = 0; i < t->points; ++i)
        t->knot_mass[i] = 0.0;
    for (int j = 0; j < t->segments; ++j)
        for (int e = 0; e < 2; ++e)
            t->knot_mass[t->ends[j][e]] += 0.5 * t->segment[j].mass;
}

bool sn__tree_tear(Tree *t) {
    if (!t->tears)
        return true;
    const SnAllocator *a = &t->system->allocator;
    size_t points = (size_t)(t->vertices + count_broken(t)), segments = (size_t)t->segments;
    size_t bytes = bytes_of(points, segments);
    void *block = sn__alloc(a, bytes);
    if (block == NULL)
        return false;
    Points to = lay_out(block, points, segments);
    t->points = fill_points(t, &to);
    sn__free(a, t->torn, t->torn_bytes);
    t->torn = block;
    t->torn_bytes = bytes;
    t->press = to.press;
    t->moved = to.moved;
    t->press_size = to.press_size;
    t->knot_mass = to.mass;
    t->radius = to.radius;
    t->home = to.home;
    t->ends = to.ends;
    t->tears = false;
    sn__tree_weigh_points(t);
    return true;
}
