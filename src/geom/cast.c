#include "geom/cast.h"

#define CAST_STEPS 100
// Gaps below this, m and as a part of how far away it all is, are none.
#define TOUCH 1e-9
#define TOUCH_PART 1e-14

// The gap g(k) between two convex shapes, one of which is moved by k along d, is a convex function of k,
// and its slope is n·d with n the normal between the nearest points. So it lies above its tangents:
// Newton's step −g/g' leads closer to the touch and never beyond it, and where the gap does not
// close any more, it never will.
double sn__convex_cast(CastGap *gap, const void *solid, const Pill *pill, Vec3d direction,
                       double most) {
    double k = 0.0;
    for (int step = 0; step < CAST_STEPS && k <= most; ++step) {
        Pill at = sn__pill_moved(pill, direction, k);
        Vec3d normal;
        double g = gap(solid, &at, &normal);
        if (g <= TOUCH + TOUCH_PART * (lengthd(at.a) + k))
            return k;
        double closing = -dotd(normal, direction);
        if (!(closing > 0.0))
            return -1.0;
        k += g / closing;
    }
    return k <= most ? k : -1.0;
}

static double pill_gap(const void *solid, const Pill *pill, Vec3d *out_normal) {
    PillPair pair = sn__pill_pair(pill, solid);
    *out_normal = pair.normal;
    return pair.gap;
}

double sn__pill_cast(const Pill *still, const Pill *pill, Vec3d direction, double most) {
    return sn__convex_cast(pill_gap, still, pill, direction, most);
}
