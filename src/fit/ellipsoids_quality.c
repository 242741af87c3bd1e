// How near the union of ellipsoids is to a mesh.
#include "fit/ellipsoids.h"
#include "fit/nearest.h"
#include "fit/pills.h"

#define MESH_SAMPLES 12000
#define UNION_SAMPLES 6000

// A question about the ellipsoids near a point.
typedef struct Search {
    const FitEllipsoids *all;
    Vec3d x;
    int except;
    double least; // distance; negative: x is inside of one
} Search;

static double box_distance(const BvhBox *box, void *context) {
    return sn__bvh_distance(box, ((const Search *)context)->x);
}

static double visit_distance(int item, double limit, void *context) {
    Search *s = context;
    s->least = fmin(limit, sn__fit_ellipsoid_distance(&s->all->list[item], s->x));
    return s->least;
}

// Ends the search as soon as one holds x.
static double visit_inside(int item, double limit, void *context) {
    Search *s = context;
    if (item == s->except || sn__fit_ellipsoid_level(&s->all->list[item], s->x) >= 1.0)
        return limit;
    s->least = -1.0;
    return -1.0;
}

static bool is_covered(const FitEllipsoids *all, const Bvh *bvh, Vec3d x, int except) {
    Search s = {all, x, except, 0.0};
    sn__bvh_search(bvh, 0.0, box_distance, visit_inside, &s);
    return s.least < 0.0;
}

static bool build(FitMemory *memory, const FitEllipsoids *all, Bvh *out) {
    FitBlock *mark = memory->last;
    BvhBox *boxes = sn__fit_alloc(memory, (size_t)all->count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int i = 0; i < all->count; ++i) {
        Vec3d c = all->list[i].centre, r = sn__fit_ellipsoid_reach(&all->list[i]);
        boxes[i] = (BvhBox){{c.x - r.x, c.y - r.y, c.z - r.z}, {c.x + r.x, c.y + r.y, c.z + r.z}};
    }
    *out = (Bvh){0};
    bool good = sn__bvh_build(out, &memory->allocator, boxes, all->count);
    sn__fit_release(memory, mark);
    return good;
}

// Points on the surface of the union, and a tree of them.
typedef struct Shell {
    Vec3d *points;
    int count, capacity;
    Bvh bvh;
} Shell;

// Points of an ellipsoid's surface that no other covers: equal steps along the first axis and turns by the
// golden angle.
static void add_points(const FitEllipsoids *all, const Bvh *bvh, int number, double spacing,
                       Shell *shell) {
    const FitEllipsoid *e = &all->list[number];
    double a = e->radii[0], b = e->radii[1], c = e->radii[2];
    double area = 4.0 * 3.1416 * (a * b + b * c + c * a) / 3.0;
    int count = (int)fmin(20000.0, area / (spacing * spacing)) + 12;
    double cosine = -0.7373688780783197, turn = 0.6754902942615238, u = 1.0, v = 0.0;
    for (int i = 0; i < count && shell->count < shell->capacity; ++i) {
        double z = -1.0 + 2.0 * (i + 0.5) / count, across = sqrt(1.0 - z * z);
        Vec3d local = {a * z, b * across * u, c * across * v};
        Vec3d x = addd(e->centre, rotated(e->axes, local));
        if (!is_covered(all, bvh, x, number))
            shell->points[shell->count++] = x;
        double next = u * cosine - v * turn;
        v = u * turn + v * cosine;
        u = next;
    }
}

static bool make_shell(FitMemory *memory, const FitEllipsoids *all, const Bvh *bvh,
                       const FitSurface *surface, Shell *shell) {
    double spacing = sqrt(surface->area / UNION_SAMPLES);
    shell->capacity = 4 * UNION_SAMPLES + 20 * all->count;
    shell->points = sn__fit_alloc(memory, (size_t)shell->capacity, sizeof *shell->points);
    if (shell->points == NULL)
        return false;
    for (int i = 0; i < all->count; ++i)
        add_points(all, bvh, i, spacing, shell);
    BvhBox *boxes = sn__fit_alloc(memory, (size_t)shell->count, sizeof *boxes);
    if (boxes == NULL)
        return false;
    for (int i = 0; i < shell->count; ++i) {
        Vec3d x = shell->points[i];
        boxes[i] = (BvhBox){{x.x, x.y, x.z}, {x.x, x.y, x.z}};
    }
    return sn__bvh_build(&shell->bvh, &memory->allocator, boxes, shell->count);
}

// A question about the points near one; the search comes first, as box_distance wants it.
typedef struct Depth {
    Search search;
    const Shell *shell;
} Depth;

static double visit_point(int item, double limit, void *context) {
    Depth *d = context;
    d->search.least = fmin(limit, lengthd(subd(d->shell->points[item], d->search.x)));
    return d->search.least;
}

// From a point inside the union to its surface.
static double depth_of(const Shell *shell, Vec3d x) {
    Depth d = {{.x = x, .least = HUGE_VAL}, shell};
    sn__bvh_search(&shell->bvh, HUGE_VAL, box_distance, visit_point, &d);
    return shell->count > 0 ? d.search.least : 0.0;
}

static double covered_part(const FitPieces *pieces, const FitEllipsoids *all, const Bvh *bvh) {
    double sum = 0.0, covered = 0.0;
    for (int i = 0; i < pieces->count; i += 1 + pieces->count / 50000) {
        sum += pieces->weights[i];
        if (is_covered(all, bvh, pieces->centres[i], -1))
            covered += pieces->weights[i];
    }
    return covered / sum;
}

static bool is_in_cell(const FitCells *cells, Vec3d x) {
    Vec3d d = scaled(subd(x, cells->low), 1.0 / cells->side);
    const int at[3] = {(int)floor(d.x + 0.5), (int)floor(d.y + 0.5), (int)floor(d.z + 0.5)};
    return sn__fit_is_on_grid(cells, at) && cells->number[sn__fit_cube(cells, at)] >= 0;
}

// The farthest that a point of the union's surface outside of the mesh is from it.
static bool measure_back(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                         const Shell *shell, double *most) {
    FitNearest nearest;
    if (!sn__fit_nearest_begin(memory, surface->points, surface->triangles, surface->triangle_count,
                               &nearest))
        return false;
    for (int i = 0; i < shell->count; i += 1 + shell->count / UNION_SAMPLES)
        if (cells == NULL || !is_in_cell(cells, shell->points[i]))
            *most = fmax(*most, sn__fit_nearest(&nearest, shell->points[i]));
    sn__fit_nearest_end(&nearest);
    return true;
}

bool sn__fit_judge_ellipsoids(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                              const FitPieces *pieces, const FitEllipsoids *ellipsoids,
                              SnParticlesQuality *quality) {
    FitBlock *mark = memory->last;
    Bvh bvh;
    Shell shell = {0};
    Vec3d *samples = sn__fit_alloc(memory, MESH_SAMPLES, sizeof *samples);
    if (samples == NULL || !build(memory, ellipsoids, &bvh))
        return false;
    bool good = make_shell(memory, ellipsoids, &bvh, surface, &shell);
    double sum = 0.0, most = 0.0;
    if (good) {
        quality->covered = covered_part(pieces, ellipsoids, &bvh);
        sn__fit_sample_mesh(surface, MESH_SAMPLES, samples, NULL);
        for (int i = 0; i < MESH_SAMPLES; ++i) {
            Search s = {ellipsoids, samples[i], -1, HUGE_VAL};
            sn__bvh_search(&bvh, HUGE_VAL, box_distance, visit_distance, &s);
            double inside = cells != NULL ? 1.0 : 0.0;
            double distance = s.least < 0.0 ? inside * depth_of(&shell, samples[i]) : s.least;
            sum += distance * distance / MESH_SAMPLES;
            most = fmax(most, distance);
        }
        good = measure_back(memory, surface, cells, &shell, &most);
    }
    quality->rms = sqrt(sum);
    quality->hausdorff = most;
    sn__bvh_destroy(&bvh);
    sn__bvh_destroy(&shell.bvh);
    sn__fit_release(memory, mark);
    return good;
}
