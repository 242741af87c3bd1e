// Where general contacts touch whose sides are ellipsoids.
#include "collide/contact_general.h"
#include "collide/ellipsoid.h"
#include "geom/pill.h"

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

// A pill seen from an ellipsoid: the sphere of it that is nearest to the ellipsoid's surface, which in turn
// depends on it.
#define PILL_STEPS 4

static void roundness(float out[6], double radius) {
    for (int k = 0; k < 6; ++k)
        out[k] = k < 3 ? (float)(radius * radius) : 0.0f;
}

static Pill pill_between(const Knot *a, const Knot *b, Vec3d offset) {
    return (Pill){addd(vec(a->start), offset), addd(vec(b->start), offset), (double)a->start[3],
                  (double)b->start[3]};
}

// The gap of a pill and an ellipsoid, the normal from the pill to the ellipsoid, and where on the pill.
static double pill_gap(const Pill *pill, Vec3d centre, const float *shape, Vec3d *out_normal,
                       double *out_t) {
    float ball[6];
    double gap = 0.0;
    sn__pill_distance(pill, centre, out_t);
    for (int k = 0; k < PILL_STEPS; ++k) {
        double t = *out_t;
        Vec3d at = addd(pill->a, scaled(subd(pill->b, pill->a), t)), out;
        roundness(ball, (1.0 - t) * pill->radius_a + t * pill->radius_b);
        gap = sn__ellipsoids_gap(subd(centre, at), shape, ball, out_normal);
        sn__ellipsoid_reach(shape, *out_normal, &out);
        sn__pill_distance(pill, subd(centre, out), out_t);
        if (fabs(*out_t - t) < 1e-4)
            break;
    }
    return gap;
}

// Where one side or both are ellipsoids, the spheres around them say only roughly where they touch.
void sn__general_refine(ContactBatch *batch, int i, const ContactGeneral *g,
                        const ContactRun *run) {
    const float *a = sn__side_shape(&g->side[0], run->turns),
                *b = sn__side_shape(&g->side[1], run->turns);
    const Knot *k = run->knots, *b1 = &k[batch->b1[i]], *b2 = &k[batch->b2[i]];
    Vec3d offset = {(double)batch->offset_x[i], (double)batch->offset_y[i],
                    (double)batch->offset_z[i]};
    Vec3d none = {0}, n = {0.0, 1.0, 0.0}, at = addd(vec(k[batch->a1[i]].start), offset);
    double gap, t = 0.0;
    if (a && b) {
        gap = sn__ellipsoids_gap(subd(at, vec(b1->start)), a, b, &n);
    } else if (a) {
        Pill pill = pill_between(b1, b2, none);
        gap = pill_gap(&pill, at, a, &n, &t);
        batch->u[i] = (float)t;
    } else {
        Pill pill = pill_between(&k[batch->a1[i]], &k[batch->a2[i]], offset);
        gap = pill_gap(&pill, vec(b1->start), b, &n, &t);
        n = scaled(n, -1.0);
        batch->t[i] = (float)t;
    }
    batch->gap[i] = (float)(gap - (double)batch->thickness[i]);
    batch->normal_x[i] = (float)n.x;
    batch->normal_y[i] = (float)n.y;
    batch->normal_z[i] = (float)n.z;
}
