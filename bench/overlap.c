#include "bench/overlap.h"

#include "geom/pill.h"

static Pill pill_of(const SnPoses *poses, int rod, int segment) {
    const int *edge = poses->edges + 2 * segment;
    int a = poses->point_begin[rod] + edge[0], b = poses->point_begin[rod] + edge[1];
    const float *p = poses->positions + 3 * a, *q = poses->positions + 3 * b;
    return (Pill){{(double)p[0], (double)p[1], (double)p[2]},
                  {(double)q[0], (double)q[1], (double)q[2]},
                  (double)poses->radii[a],
                  (double)poses->radii[b]};
}

// Whether two pills are so far apart along x, y or z that they cannot touch.
static bool are_apart(const Pill *p, const Pill *q) {
    double reach = fmax(p->radius_a, p->radius_b) + fmax(q->radius_a, q->radius_b);
    const Vec3d *a = &p->a, *b = &p->b, *c = &q->a, *d = &q->b;
    return fmin(a->x, b->x) - fmax(c->x, d->x) > reach ||
           fmin(c->x, d->x) - fmax(a->x, b->x) > reach ||
           fmin(a->y, b->y) - fmax(c->y, d->y) > reach ||
           fmin(c->y, d->y) - fmax(a->y, b->y) > reach ||
           fmin(a->z, b->z) - fmax(c->z, d->z) > reach ||
           fmin(c->z, d->z) - fmax(a->z, b->z) > reach;
}

static double overlap(const Pill *p, const Pill *q) {
    if (are_apart(p, q))
        return 0.0;
    PillPair pair = sn__pill_pair(p, q);
    double r = p->radius_a + pair.t * (p->radius_b - p->radius_a);
    double s = q->radius_a + pair.u * (q->radius_b - q->radius_a);
    return fmax(0.0, -pair.gap / fmin(r, s));
}

double overlap_between_rods(const SnPoses *poses) {
    double deepest = 0.0;
    for (int i = 0; i < poses->body_count; ++i)
        for (int k = poses->element_begin[i]; k < poses->element_begin[i + 1]; ++k) {
            Pill pill = pill_of(poses, i, k);
            for (int j = i + 1; j < poses->body_count; ++j)
                for (int l = poses->element_begin[j]; l < poses->element_begin[j + 1]; ++l) {
                    Pill other = pill_of(poses, j, l);
                    deepest = fmax(deepest, overlap(&pill, &other));
                }
        }
    return deepest;
}

double overlap_within_strand(const SnPoses *poses, int rod, double radius, int apart) {
    int begin = poses->element_begin[rod], end = poses->element_begin[rod + 1];
    double deepest = 0.0;
    for (int k = begin; k < end; ++k) {
        Pill pill = pill_of(poses, rod, k);
        pill.radius_a = pill.radius_b = radius;
        for (int l = k + apart; l < end; ++l) {
            Pill other = pill_of(poses, rod, l);
            other.radius_a = other.radius_b = radius;
            deepest = fmax(deepest, overlap(&pill, &other));
        }
    }
    return deepest;
}
