#include "geom/triangle.h"

static Vec3d nearest_on_edges(const Vec3d corners[3], Vec3d x, int *out_part) {
    Vec3d best = corners[0];
    double best_distance2 = INFINITY;
    *out_part = TRIANGLE_CORNER;
    for (int i = 0; i < 3; ++i) {
        int next = i == 2 ? 0 : i + 1;
        Vec3d edge = subd(corners[next], corners[i]);
        double t = dotd(subd(x, corners[i]), edge), length2 = dotd(edge, edge);
        int part = t <= 0.0 ? TRIANGLE_CORNER + i
                            : (t >= length2 ? TRIANGLE_CORNER + next : TRIANGLE_EDGE + i);
        Vec3d at = part >= TRIANGLE_EDGE ? addd(corners[i], scaled(edge, t / length2))
                                         : corners[part - TRIANGLE_CORNER];
        Vec3d way = subd(x, at);
        if (dotd(way, way) < best_distance2) {
            best_distance2 = dotd(way, way);
            best = at;
            *out_part = part;
        }
    }
    return best;
}

Vec3d sn__triangle_nearest(const Vec3d corners[3], Vec3d x, int *out_part) {
    Vec3d e1 = subd(corners[1], corners[0]), e2 = subd(corners[2], corners[0]);
    Vec3d y = subd(x, corners[0]), normal = crossd(e1, e2);
    // Coordinates of the foot point on the plane, times the normal's square.
    double area2 = dotd(normal, normal);
    double v = dotd(crossd(y, e2), normal), w = dotd(crossd(e1, y), normal);
    if (!(v > 0.0 && w > 0.0 && v + w < area2))
        return nearest_on_edges(corners, x, out_part);
    *out_part = TRIANGLE_FACE;
    return subd(x, scaled(normal, dotd(y, normal) / area2));
}
