#include "bench/turns.h"

#include "math/vec.h"

#define PI 3.14159265358979323846
#define FAR 100.0 // m

// Vertices of the rod, and before and after them the far ends that it is carried on to.
static Vec3d point_at(const SnPoses *poses, int rod, int i) {
    int first = poses->point_begin[rod], last = poses->point_begin[rod + 1] - 1;
    int vertex = first + i < first ? first : first + i > last ? last : first + i;
    const float *p = poses->positions + 3 * vertex;
    double beyond = first + i < first ? -FAR : first + i > last ? FAR : 0.0;
    return (Vec3d){(double)p[0], (double)p[1], (double)p[2] + beyond};
}

static Quatd frame_at(const SnPoses *poses, int segment) {
    const float *q = poses->frames + 4 * segment;
    return (Quatd){(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
}

// At the joints: a turn about the segments' axis.
double turns_twist(const SnPoses *poses, int rod) {
    double sum = 0.0;
    for (int i = poses->element_begin[rod]; i + 1 < poses->element_begin[rod + 1]; ++i) {
        Quatd rel = mulqd(conjugated(frame_at(poses, i)), frame_at(poses, i + 1));
        sum += remainder(2.0 * atan2(rel.z, rel.w), 2.0 * PI);
    }
    return sum / (2.0 * PI);
}

static double angle_between(Vec3d a, Vec3d b) {
    double length = lengthd(a) * lengthd(b);
    return length > 0.0 ? asin(fmax(-1.0, fmin(1.0, dotd(a, b) / length))) : 0.0;
}

// Gauss' integral over two straight segments, without 1/4π: the solid angle of the directions in
// which they are seen to cross, with the sign of the crossing.
static double crossing(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
    Vec3d ac = subd(c, a), ad = subd(d, a), bc = subd(c, b), bd = subd(d, b);
    Vec3d n1 = crossd(ac, ad), n2 = crossd(ad, bd), n3 = crossd(bd, bc), n4 = crossd(bc, ac);
    double angle = angle_between(n1, n2) + angle_between(n2, n3) + angle_between(n3, n4) +
                   angle_between(n4, n1);
    double side = dotd(crossd(subd(d, c), subd(b, a)), ac);
    return side > 0.0 ? angle : -angle;
}

// The double sum of the angles that pairs of segments are seen under (Klenin and Langowski,
// Computation of writhe in modelling of supercoiled DNA, 2000). Neighbours are in one plane.
double turns_writhe(const SnPoses *poses, int rod) {
    int vertices = poses->point_begin[rod + 1] - poses->point_begin[rod];
    double sum = 0.0;
    for (int i = 1; i < vertices; ++i) {
        Vec3d a = point_at(poses, rod, i), b = point_at(poses, rod, i + 1);
        for (int j = -1; j + 1 < i; ++j)
            sum += crossing(a, b, point_at(poses, rod, j), point_at(poses, rod, j + 1));
    }
    return 2.0 * sum / (4.0 * PI);
}
