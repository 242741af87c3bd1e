// The volume of the union of ellipsoids.
#include "fit/ellipsoids.h"

#define MOST_CUBES 20000000.0
// The scale is found in so many halvings.
#define HALVINGS 14

// For every cube, the least scale of the ellipsoids at which its middle is inside.
typedef struct Levels {
    Vec3d low; // the middle of the first cube
    double side;
    int size[3];
    float *levels;
} Levels;

static bool make_levels(FitMemory *memory, const FitEllipsoids *all, double side, double most,
                        Levels *out) {
    Vec3d low = all->list[0].centre, high = low;
    for (int i = 0; i < all->count; ++i) {
        Vec3d r = scaled(sn__fit_ellipsoid_reach(&all->list[i]), most);
        Vec3d a = subd(all->list[i].centre, r), b = addd(all->list[i].centre, r);
        low = (Vec3d){fmin(low.x, a.x), fmin(low.y, a.y), fmin(low.z, a.z)};
        high = (Vec3d){fmax(high.x, b.x), fmax(high.y, b.y), fmax(high.z, b.z)};
    }
    Vec3d size = subd(high, low);
    double cubes = size.x * size.y * size.z / (side * side * side);
    if (cubes > MOST_CUBES)
        side *= cbrt(cubes / MOST_CUBES);
    *out = (Levels){.low = addd(low, (Vec3d){0.5 * side, 0.5 * side, 0.5 * side}), .side = side};
    out->size[0] = (int)(size.x / side) + 1;
    out->size[1] = (int)(size.y / side) + 1;
    out->size[2] = (int)(size.z / side) + 1;
    size_t count = (size_t)out->size[0] * (size_t)out->size[1] * (size_t)out->size[2];
    out->levels = sn__fit_alloc(memory, count, sizeof *out->levels);
    if (out->levels == NULL)
        return false;
    for (size_t i = 0; i < count; ++i)
        out->levels[i] = HUGE_VALF;
    return true;
}

static int first_cube(double from, double side) { return (int)fmax(0.0, ceil(from / side)); }

static void add_ellipsoid(Levels *l, const FitEllipsoid *e, double most) {
    Vec3d r = scaled(sn__fit_ellipsoid_reach(e), most), d = subd(e->centre, l->low);
    int x0 = first_cube(d.x - r.x, l->side), y0 = first_cube(d.y - r.y, l->side),
        z0 = first_cube(d.z - r.z, l->side);
    for (int z = z0; z < l->size[2] && z * l->side <= d.z + r.z; ++z)
        for (int y = y0; y < l->size[1] && y * l->side <= d.y + r.y; ++y)
            for (int x = x0; x < l->size[0] && x * l->side <= d.x + r.x; ++x) {
                Vec3d at = addd(l->low, scaled((Vec3d){x, y, z}, l->side));
                size_t row = (size_t)z * (size_t)l->size[1] + (size_t)y;
                float *level = &l->levels[row * (size_t)l->size[0] + (size_t)x];
                *level = fminf(*level, (float)sn__fit_ellipsoid_level(e, at));
            }
}

static double volume_at(const Levels *l, double scale) {
    size_t all = (size_t)l->size[0] * (size_t)l->size[1] * (size_t)l->size[2], count = 0;
    for (size_t i = 0; i < all; ++i)
        count += l->levels[i] < (float)scale;
    return (double)count * l->side * l->side * l->side;
}

bool sn__fit_match_ellipsoids(FitMemory *memory, FitEllipsoids *ellipsoids, double side,
                              double wanted, double most, double *out_volume) {
    FitBlock *mark = memory->last;
    Levels levels;
    if (!make_levels(memory, ellipsoids, side, most, &levels))
        return false;
    for (int i = 0; i < ellipsoids->count; ++i)
        add_ellipsoid(&levels, &ellipsoids->list[i], most);
    double low = 1.0 / most, high = most;
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (low + high);
        *(volume_at(&levels, middle) < wanted ? &low : &high) = middle;
    }
    double scale = 0.5 * (low + high);
    *out_volume = volume_at(&levels, scale);
    for (int i = 0; i < ellipsoids->count; ++i)
        for (int c = 0; c < 3; ++c)
            ellipsoids->list[i].radii[c] *= scale;
    sn__fit_release(memory, mark);
    return true;
}
