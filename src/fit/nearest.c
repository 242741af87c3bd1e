#include "fit/nearest.h"

#include "geom/triangle.h"

typedef struct Search {
    const FitNearest *nearest;
    Vec3d x;
    double least;
} Search;

static double box_distance(const BvhBox *box, void *context) {
    return sn__bvh_distance(box, ((const Search *)context)->x);
}

static double visit_triangle(int item, double limit, void *context) {
    Search *search = context;
    const int *t = search->nearest->triangles[item];
    Vec3d corners[3];
    int part;
    for (int c = 0; c < 3; ++c)
        corners[c] = search->nearest->points[t[c]];
    Vec3d foot = sn__triangle_nearest(corners, search->x, &part);
    search->least = fmin(limit, lengthd(subd(foot, search->x)));
    return search->least;
}

static BvhBox box_of(const Vec3d *points, const int triangle[3]) {
    BvhBox box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int k = 0; k < 3; ++k) {
        Vec3d p = points[triangle[k]];
        double x[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; ++c) {
            box.low[c] = fmin(box.low[c], x[c]);
            box.high[c] = fmax(box.high[c], x[c]);
        }
    }
    return box;
}

bool sn__fit_nearest_begin(FitMemory *memory, const Vec3d *points, int (*triangles)[3], int count,
                           FitNearest *out) {
    *out = (FitNearest){.points = points, .triangles = triangles};
    FitBlock *mark = memory->last;
    BvhBox *boxes = sn__fit_alloc(memory, (size_t)count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int i = 0; i < count; ++i)
        boxes[i] = box_of(points, triangles[i]);
    bool good = sn__bvh_build(&out->bvh, &memory->allocator, boxes, count);
    sn__fit_release(memory, mark);
    return good;
}

void sn__fit_nearest_end(FitNearest *nearest) { sn__bvh_destroy(&nearest->bvh); }

double sn__fit_nearest(const FitNearest *nearest, Vec3d x) {
    Search search = {nearest, x, HUGE_VAL};
    sn__bvh_search(&nearest->bvh, HUGE_VAL, box_distance, visit_triangle, &search);
    return search.least;
}
