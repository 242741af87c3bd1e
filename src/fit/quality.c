#include "fit/nearest.h"
#include "fit/pills.h"

#define PI 3.14159265358979323846
#define MESH_SAMPLES 16000
#define UNION_SAMPLES 6000

// Points on the surface of the union.
typedef struct Shell {
    Vec3d *points;
    int count, capacity;
} Shell;

// Two vectors across the axis of a pill.
static void make_axes(Vec3d axis, Vec3d *u, Vec3d *v) {
    Vec3d other = fabs(axis.x) < 0.6 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    *u = crossd(axis, other);
    *u = scaled(*u, 1.0 / lengthd(*u));
    *v = crossd(axis, *u);
}

// Takes the points of a pill's surface that are inside of no other pill. They lie on a spiral: equal
// steps along the axis and turns by the golden angle. `sine` is that of the angle between the side of
// the cone and its axis, by which normals lean.
static void add_pill(const FitPills *pills, int edge, double spacing, Shell *shell) {
    Pill p = sn__fit_pill(pills, edge);
    Vec3d axis = subd(p.b, p.a), u, v;
    double length = lengthd(axis), sine = length > 0.0 ? (p.radius_a - p.radius_b) / length : 2.0;
    if (fabs(sine) >= 1.0) { // a sphere
        p.b = p.a = p.radius_a > p.radius_b ? p.a : p.b;
        p.radius_a = p.radius_b = fmax(p.radius_a, p.radius_b);
        length = sine = 0.0;
        axis = (Vec3d){0.0, 0.0, 1.0};
    } else {
        axis = scaled(axis, 1.0 / length);
    }
    make_axes(axis, &u, &v);
    // Heights along the axis: the round end at a, the cone, the round end at b.
    double low = -p.radius_a, from = sine * p.radius_a, to = length + sine * p.radius_b;
    double high = length + p.radius_b, radius = fmax(p.radius_a, p.radius_b);
    int count = (int)fmin(20000.0, 2.0 * PI * radius * (high - low) / (spacing * spacing)) + 12;
    // The golden angle's cosine and sine, turned again and again.
    double cosine = -0.7373688780783197, turn = 0.6754902942615238, c = 1.0, s = 0.0;
    for (int i = 0; i < count && shell->count < shell->capacity; ++i) {
        double z = low + (high - low) * (i + 0.5) / count, across;
        if (z < from)
            across = sqrt(fmax(0.0, p.radius_a * p.radius_a - z * z));
        else if (z > to)
            across = sqrt(fmax(0.0, p.radius_b * p.radius_b - (z - length) * (z - length)));
        else {
            double part = to > from ? (z - from) / (to - from) : 0.0;
            across = (p.radius_a + (p.radius_b - p.radius_a) * part) * sqrt(1.0 - sine * sine);
        }
        Vec3d x =
            addd(addd(p.a, scaled(axis, z)), addd(scaled(u, across * c), scaled(v, across * s)));
        if (sn__fit_touch(pills, x, edge).distance > -1e-3 * radius)
            shell->points[shell->count++] = x;
        double next = c * cosine - s * turn;
        s = c * turn + s * cosine;
        c = next;
    }
}

static bool make_shell(FitMemory *memory, const FitSurface *surface, const FitPills *pills,
                       Shell *shell) {
    double spacing = sqrt(surface->area / UNION_SAMPLES);
    shell->capacity = 8 * UNION_SAMPLES;
    shell->points = sn__fit_alloc(memory, (size_t)shell->capacity, sizeof *shell->points);
    if (shell->points == NULL)
        return false;
    for (int i = 0; i < pills->edge_count; ++i)
        add_pill(pills, i, spacing, shell);
    return true;
}

// From a point inside the union to its surface. Where the nearest point of the pill that it is deepest
// in is itself covered, by a search over all points of the surface.
static double depth_in_union(const FitPills *pills, const Shell *shell, Vec3d x,
                             const FitTouch *touch) {
    Pill p = sn__fit_pill(pills, touch->edge);
    Vec3d centre = addd(scaled(p.a, 1.0 - touch->t), scaled(p.b, touch->t));
    Vec3d d = subd(x, centre);
    double length = lengthd(d), depth = -touch->distance;
    double radius = p.radius_a + (p.radius_b - p.radius_a) * touch->t;
    if (length > 0.0) {
        Vec3d foot = addd(centre, scaled(d, radius / length));
        if (sn__fit_touch(pills, foot, touch->edge).distance > -0.02 * radius)
            return depth;
    }
    double least = HUGE_VAL;
    for (int i = 0; i < shell->count; ++i) {
        Vec3d e = subd(shell->points[i], x);
        least = fmin(least, dotd(e, e));
    }
    return fmax(depth, sqrt(least));
}

// The farthest that a point of the union's surface is from the mesh.
static bool measure_back(FitMemory *memory, const FitSurface *surface, const Shell *shell,
                         double *most) {
    FitNearest nearest;
    if (!sn__fit_nearest_begin(memory, surface->points, surface->triangles, surface->triangle_count,
                               &nearest))
        return false;
    for (int i = 0; i < shell->count; i += 1 + shell->count / UNION_SAMPLES) {
        double distance = sn__fit_nearest(&nearest, shell->points[i]);
        *most = fmax(*most, distance);
    }
    sn__fit_nearest_end(&nearest);
    return true;
}

bool sn__fit_judge(FitMemory *memory, const FitSurface *surface, const FitPills *pills,
                   SnFitQuality *quality) {
    FitBlock *mark = memory->last;
    Shell shell = {0};
    Vec3d *samples = sn__fit_alloc(memory, MESH_SAMPLES, sizeof *samples);
    bool good = samples != NULL && make_shell(memory, surface, pills, &shell);
    double sum = 0.0, most = 0.0;
    if (good) {
        sn__fit_sample_mesh(surface, MESH_SAMPLES, samples, NULL);
        FitTouch touch = {0};
        for (int i = 0; i < MESH_SAMPLES; ++i) {
            touch = sn__fit_touch(pills, samples[i], touch.edge);
            double distance = touch.distance < 0.0
                                  ? depth_in_union(pills, &shell, samples[i], &touch)
                                  : touch.distance;
            sum += distance * distance / MESH_SAMPLES;
            most = fmax(most, distance);
        }
        good = measure_back(memory, surface, &shell, &most);
    }
    quality->rms = sqrt(sum);
    quality->hausdorff = most;
    sn__fit_release(memory, mark);
    return good;
}
