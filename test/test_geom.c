// Pills, boxes and distance grids against brute force.
#include "support.h"

#include <float.h>
#include <stdlib.h>

#include "geom/pill.h"
#include "geom/solid.h"

static Vec3d random_point(Rng *rng, double size) {
    double x = rng_real(rng, -size, size), y = rng_real(rng, -size, size);
    return (Vec3d){x, y, rng_real(rng, -size, size)};
}

static Vec3d random_direction(Rng *rng) {
    for (;;) {
        Vec3d v = random_point(rng, 1.0);
        double n = lengthd(v);
        if (n > 0.1 && n < 1.0)
            return scaled(v, 1.0 / n);
    }
}

// Of any length, taper and thickness; some with one sphere inside the other, some without length.
static Pill random_pill(Rng *rng) {
    Pill pill;
    pill.a = random_point(rng, 1.0);
    double length = rng_int(rng, 0, 19) == 0 ? 0.0 : (double)rng_log(rng, 1e-3, 3.0);
    pill.b = addd(pill.a, scaled(random_direction(rng), length));
    pill.radius_a = (double)rng_log(rng, 1e-3, 1.0);
    pill.radius_b = rng_int(rng, 0, 3) == 0 ? pill.radius_a : (double)rng_log(rng, 1e-3, 1.0);
    return pill;
}

static Vec3d centre(const Pill *pill, double t) {
    return addd(scaled(pill->a, 1.0 - t), scaled(pill->b, t));
}

static double radius(const Pill *pill, double t) {
    return (1.0 - t) * pill->radius_a + t * pill->radius_b;
}

static double gap_at(const Pill *first, const Pill *second, double t, double u) {
    return lengthd(subd(centre(first, t), centre(second, u))) - radius(first, t) -
           radius(second, u);
}

#define GOLDEN 0.61803398874989484820
#define GOLDEN_STEPS 48

// Least value of a convex function of one number, by golden section.
typedef double Function(double t, const void *context);

static double least(Function *f, const void *context) {
    double low = 0.0, high = 1.0;
    double l = high - GOLDEN * (high - low), r = low + GOLDEN * (high - low);
    double fl = f(l, context), fr = f(r, context);
    for (int i = 0; i < GOLDEN_STEPS; ++i)
        if (fl <= fr) {
            high = r;
            r = l;
            fr = fl;
            l = high - GOLDEN * (high - low);
            fl = f(l, context);
        } else {
            low = l;
            l = r;
            fl = fr;
            r = low + GOLDEN * (high - low);
            fr = f(r, context);
        }
    return fmin(fmin(fl, fr), fmin(f(0.0, context), f(1.0, context)));
}

typedef struct PairAt {
    const Pill *first, *second;
    double t;
} PairAt;

static double gap_along_second(double u, const void *context) {
    const PairAt *at = context;
    return gap_at(at->first, at->second, at->t, u);
}

static double gap_along_first(double t, const void *context) {
    PairAt at = *(const PairAt *)context;
    at.t = t;
    return least(gap_along_second, &at);
}

static void check_pair(const Pill *first, const Pill *second) {
    PillPair pair = sn__pill_pair(first, second);
    PairAt at = {first, second, 0.0};
    double expected = least(gap_along_first, &at);
    assert_near(pair.gap, expected, 1e-9);
    assert_true(pair.t >= 0.0 && pair.t <= 1.0 && pair.u >= 0.0 && pair.u <= 1.0);
    assert_near(gap_at(first, second, pair.t, pair.u), pair.gap, 1e-14);
    assert_near(lengthd(pair.normal), 1.0, 1e-12);
    // Along the normal the centres part by their distance, so moving out by the gap separates.
    Vec3d offset = subd(centre(first, pair.t), centre(second, pair.u));
    assert_near(dotd(offset, pair.normal), lengthd(offset), 1e-8);
    PillPair back = sn__pill_pair(second, first);
    assert_near(back.gap, pair.gap, 1e-11);
}

static void test_pill_pairs(void **state) {
    (void)state;
    Rng rng = {1};
    for (int i = 0; i < 12000; ++i) {
        Pill first = random_pill(&rng), second = random_pill(&rng);
        check_pair(&first, &second);
    }
}

// Pairs that are nearly or exactly parallel, crossing, or end to end.
static void test_pill_pairs_aligned(void **state) {
    (void)state;
    Rng rng = {2};
    for (int i = 0; i < 12000; ++i) {
        Pill first = random_pill(&rng), second = random_pill(&rng);
        double tilt = (double)rng_log(&rng, 1e-18, 1e-1), length = (double)rng_log(&rng, 0.01, 3.0);
        Vec3d along = addd(subd(first.b, first.a), scaled(random_point(&rng, 1.0), tilt));
        if (i % 3 == 0) {
            second.a = centre(&first, rng_real(&rng, -0.2, 1.2));
            second.b = addd(second.a, scaled(random_direction(&rng), length));
            second.a = subd(second.a, scaled(subd(second.b, second.a), rng_real(&rng, -0.2, 1.2)));
        } else {
            second.b = addd(second.a, scaled(along, length));
        }
        if (i % 3 == 1)
            second.radius_b = second.radius_a + length * (first.radius_b - first.radius_a);
        if (second.radius_b <= 0.0)
            continue;
        check_pair(&first, &second);
    }
}

static void test_parallel_pills_touch_in_the_middle(void **state) {
    (void)state;
    Pill first = {{0.0, 1.0, 0.0}, {4.0, 1.0, 0.0}, 0.3, 0.3};
    Pill second = {{6.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.2, 0.2};
    PillPair pair = sn__pill_pair(&first, &second);
    assert_near(pair.gap, 0.5, 1e-15);
    assert_near(pair.t, 0.625, 1e-12); // x = 2.5, the middle of [1, 4]
    assert_near(pair.u, 0.7, 1e-12);
    assert_near(pair.normal.y, 1.0, 1e-15);
    // One on top of the other, in the same line, and the same pill twice.
    second.a = first.a;
    second.b = first.b;
    pair = sn__pill_pair(&first, &second);
    assert_near(pair.gap, -0.5, 1e-15);
    assert_near(pair.normal.x, 0.0, 1e-12);
    pair = sn__pill_pair(&first, &first);
    assert_near(pair.gap, -0.6, 1e-15);
    assert_near(lengthd(pair.normal), 1.0, 1e-15);
    // Points at one place.
    Pill point = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, 0.1, 0.2};
    pair = sn__pill_pair(&point, &point);
    assert_near(pair.gap, -0.4, 1e-15);
    assert_near(lengthd(pair.normal), 1.0, 1e-15);
}

static void test_crossing_axes(void **state) {
    (void)state;
    Pill first = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.3, 0.3};
    Pill second = {{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}, 0.2, 0.2};
    PillPair pair = sn__pill_pair(&first, &second);
    assert_near(pair.gap, -0.5, 1e-15);
    assert_near(fabs(pair.normal.y), 1.0, 1e-15);
    // The side is kept as the axes come close.
    for (int side = -1; side <= 1; side += 2) {
        first.a.y = first.b.y = side * 1e-14;
        pair = sn__pill_pair(&first, &second);
        assert_near(pair.normal.y, side, 1e-12);
    }
}

static double distance_along(double t, const void *context) {
    const PairAt *at = context;
    return lengthd(subd(at->second->a, centre(at->first, t))) - radius(at->first, t);
}

static void test_pill_points(void **state) {
    (void)state;
    Rng rng = {3};
    for (int i = 0; i < 20000; ++i) {
        Pill pill = random_pill(&rng);
        Pill point = {.a = random_point(&rng, 2.0)};
        if (i % 7 == 0)
            point.a = centre(&pill, rng_real(&rng, -0.5, 1.5)); // on the axis
        PairAt at = {&pill, &point, 0.0};
        double t, expected = least(distance_along, &at);
        assert_near(sn__pill_distance(&pill, point.a, &t), expected, 1e-9);
        assert_near(distance_along(t, &at), expected, 1e-9);
    }
}

// The distance to a convex solid is convex along a ray: its least value tells whether there is a
// hit, and bisection up to there where.
static double distance_on_ray(const Pill *pill, Vec3d origin, Vec3d direction, double k) {
    return sn__pill_distance(pill, addd(origin, scaled(direction, k)), NULL);
}

typedef struct RayAt {
    const Pill *pill;
    Vec3d origin, direction;
    double far;
} RayAt;

static double ray_function(double t, const void *context) {
    const RayAt *at = context;
    return distance_on_ray(at->pill, at->origin, at->direction, t * at->far);
}

static void test_pill_rays(void **state) {
    (void)state;
    Rng rng = {4};
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        Pill pill = random_pill(&rng);
        Vec3d origin = random_point(&rng, 3.0);
        Vec3d target =
            addd(centre(&pill, rng_real(&rng, -0.2, 1.2)),
                 scaled(random_direction(&rng), rng_real(&rng, 0.0, 1.3) * pill.radius_a));
        Vec3d direction = subd(target, origin);
        if (i % 5 == 0)
            direction = scaled(subd(pill.b, pill.a), i % 2 ? 1.0 : -1.0); // along the axis
        if (lengthd(direction) == 0.0)
            continue;
        direction = scaled(direction, 1.0 / lengthd(direction));
        double t = -1.0, k = sn__pill_ray(&pill, origin, direction, &t);
        if (sn__pill_distance(&pill, origin, NULL) <= 0.0) {
            assert_true(k == 0.0);
            continue;
        }
        RayAt at = {&pill, origin, direction, 12.0};
        double lowest = least(ray_function, &at);
        if (k < 0.0) {
            assert_true(lowest > -1e-10);
            continue;
        }
        assert_true(lowest < 1e-10);
        assert_near(distance_on_ray(&pill, origin, direction, k), 0.0, 1e-9);
        // Nothing was hit before.
        for (int j = 0; j < 8; ++j)
            assert_true(distance_on_ray(&pill, origin, direction, k * j / 8.0) > -1e-10);
        assert_true(t >= 0.0 && t <= 1.0);
        ++hits;
    }
    assert_true(hits > 8000);
}

static void test_far_ray(void **state) {
    (void)state;
    Pill pill = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.01, 0.02};
    Vec3d origin = {0.5, 1e6, 0.0};
    double k = sn__pill_ray(&pill, origin, (Vec3d){0.0, -1.0, 0.0}, NULL);
    double across = (0.01 + 0.5 * 0.01) / sqrt(1.0 - 1e-4); // h = (r_a + s sin θ) / cos θ
    assert_near(k, 1e6 - across, 1e-9);
    assert_true(sn__pill_ray(&pill, origin, (Vec3d){0.0, 1.0, 0.0}, NULL) < 0.0);
}

// Nearest point of the box's surface from inside: one of the six faces.
static double box_distance_by_faces(Vec3d half, Vec3d x) {
    Vec3d out = {fmax(fabs(x.x) - half.x, 0.0), fmax(fabs(x.y) - half.y, 0.0),
                 fmax(fabs(x.z) - half.z, 0.0)};
    double outside = lengthd(out);
    if (outside > 0.0)
        return outside;
    return -fmin(half.x - fabs(x.x), fmin(half.y - fabs(x.y), half.z - fabs(x.z)));
}

static void test_box_distance(void **state) {
    (void)state;
    Rng rng = {5};
    Vec3d half = {0.5, 1.0, 0.2};
    for (int i = 0; i < 10000; ++i) {
        Vec3d x = random_point(&rng, i % 2 ? 2.0 : 0.6), g;
        double d = sn__box_distance(half, x, &g);
        assert_near(d, box_distance_by_faces(half, x), 1e-15);
        assert_near(lengthd(g), 1.0, 1e-12);
        // The gradient leads to the surface.
        assert_near(sn__box_distance(half, subd(x, scaled(g, d)), NULL), 0.0, 1e-12);
    }
    Vec3d g;
    assert_near(sn__box_distance(half, (Vec3d){0.0, 0.0, 0.0}, &g), -0.2, 0.0);
    assert_near(fabs(g.z), 1.0, 0.0);
    sn__box_distance(half, (Vec3d){0.5, 0.3, 0.1}, &g); // on a face
    assert_near(g.x, 1.0, 0.0);
}

static void test_box_rays(void **state) {
    (void)state;
    Rng rng = {6};
    Vec3d half = {0.5, 1.0, 0.2};
    int hits = 0;
    for (int i = 0; i < 10000; ++i) {
        Vec3d origin = random_point(&rng, 2.0), direction = random_direction(&rng);
        if (i % 4 == 0)
            direction = (Vec3d){0.0, i % 8 ? 1.0 : -1.0, 0.0};
        double k = sn__box_ray(half, origin, direction), lowest = DBL_MAX;
        for (int j = 0; j <= 2000; ++j) {
            Vec3d x = addd(origin, scaled(direction, j * 0.003));
            lowest = fmin(lowest, sn__box_distance(half, x, NULL));
            if (k > 0.0 && j * 0.003 < k)
                assert_true(lowest > -1e-12);
        }
        if (k < 0.0) {
            assert_true(lowest > 0.0);
            continue;
        }
        ++hits;
        if (k > 0.0)
            assert_near(sn__box_distance(half, addd(origin, scaled(direction, k)), NULL), 0.0,
                        1e-12);
        else
            assert_true(sn__box_distance(half, origin, NULL) <= 0.0);
    }
    assert_true(hits > 500);
}

typedef struct BoxAt {
    Vec3d half;
    const Pill *pill;
} BoxAt;

static double box_gap(double t, const void *context) {
    const BoxAt *at = context;
    return sn__box_distance(at->half, centre(at->pill, t), NULL) - radius(at->pill, t);
}

static void test_box_pills(void **state) {
    (void)state;
    Rng rng = {7};
    for (int i = 0; i < 10000; ++i) {
        Pill pill = random_pill(&rng);
        BoxAt at = {{0.5, 1.0, 0.2}, &pill};
        double t = sn__box_pill(at.half, pill.a, pill.radius_a, pill.b, pill.radius_b);
        assert_true(t >= 0.0 && t <= 1.0);
        assert_near(box_gap(t, &at), least(box_gap, &at), 1e-9);
    }
    // Lying flat on a face and reaching over its edge: the middle of what lies on it.
    Vec3d half = {1.0, 1.0, 1.0};
    double t = sn__box_pill(half, (Vec3d){0.0, 1.1, 0.0}, 0.1, (Vec3d){4.0, 1.1, 0.0}, 0.1);
    assert_near(t, 0.125, 1e-9);
}

// A torus with bumps: closed, with saddles and creases that a coarse mesh makes.
#define RING 60
#define TUBE 50

typedef struct Mesh {
    SnVec3 *vertices;
    uint32_t *triangles;
    int vertex_count, triangle_count;
} Mesh;

static Mesh make_torus(void) {
    Mesh mesh = {calloc(RING * TUBE, sizeof(SnVec3)), calloc(6 * RING * TUBE, sizeof(uint32_t)),
                 RING * TUBE, 2 * RING * TUBE};
    for (int i = 0; i < RING; ++i)
        for (int j = 0; j < TUBE; ++j) {
            double u = 2.0 * SUPPORT_PI * i / RING, v = 2.0 * SUPPORT_PI * j / TUBE;
            double r = 0.3 + 0.1 * sin(5.0 * u) * cos(3.0 * v), ring = 1.0 + r * cos(v);
            mesh.vertices[i * TUBE + j] =
                sn_vec3((float)(ring * cos(u)), (float)(r * sin(v)), (float)(-ring * sin(u)));
            uint32_t a = (uint32_t)(i * TUBE + j), b = (uint32_t)((i + 1) % RING * TUBE + j);
            uint32_t c = (uint32_t)(i * TUBE + (j + 1) % TUBE),
                     d = (uint32_t)((i + 1) % RING * TUBE + (j + 1) % TUBE);
            uint32_t *t = mesh.triangles + 6 * (i * TUBE + j);
            memcpy(t, (uint32_t[6]){a, b, d, a, d, c}, 6 * sizeof *t);
        }
    return mesh;
}

// Every triangle with vertices of its own.
static Mesh take_apart(const Mesh *mesh) {
    int count = 3 * mesh->triangle_count;
    Mesh out = {calloc((size_t)count, sizeof(SnVec3)), calloc((size_t)count, sizeof(uint32_t)),
                count, mesh->triangle_count};
    for (int i = 0; i < count; ++i) {
        out.vertices[i] = mesh->vertices[mesh->triangles[i]];
        out.triangles[i] = (uint32_t)i;
    }
    return out;
}

static void free_mesh(Mesh *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
}

static Vec3d corner(const Mesh *mesh, int triangle, int i) {
    return vec3d(mesh->vertices[mesh->triangles[3 * triangle + i]]);
}

// Distance to a segment, clamped; and to a triangle as the least over its plane, where the foot is
// inside, and its edges.
static double segment_distance(Vec3d a, Vec3d b, Vec3d x) {
    Vec3d e = subd(b, a);
    double t = fmin(fmax(dotd(subd(x, a), e) / dotd(e, e), 0.0), 1.0);
    return lengthd(subd(x, addd(a, scaled(e, t))));
}

static double triangle_distance(Vec3d a, Vec3d b, Vec3d c, Vec3d x) {
    Vec3d n = crossd(subd(b, a), subd(c, a));
    double inside = fmin(
        dotd(crossd(subd(b, a), subd(x, a)), n),
        fmin(dotd(crossd(subd(c, b), subd(x, b)), n), dotd(crossd(subd(a, c), subd(x, c)), n)));
    double edges =
        fmin(segment_distance(a, b, x), fmin(segment_distance(b, c, x), segment_distance(c, a, x)));
    return inside >= 0.0 ? fabs(dotd(subd(x, a), n)) / lengthd(n) : edges;
}

// Signed by the solid angle that the mesh has as seen from x.
static double mesh_distance(const Mesh *mesh, Vec3d x, bool closed) {
    double least_distance = DBL_MAX, winding = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        Vec3d a = corner(mesh, i, 0), b = corner(mesh, i, 1), c = corner(mesh, i, 2);
        least_distance = fmin(least_distance, triangle_distance(a, b, c, x));
        a = subd(a, x), b = subd(b, x), c = subd(c, x);
        double la = lengthd(a), lb = lengthd(b), lc = lengthd(c);
        winding += 2.0 * atan2(dotd(a, crossd(b, c)),
                               la * lb * lc + dotd(a, b) * lc + dotd(b, c) * la + dotd(c, a) * lb);
    }
    return closed && winding > 2.0 * SUPPORT_PI ? -least_distance : least_distance;
}

static DistanceGrid make_grid(const Mesh *mesh, double cell, double shell) {
    SnAllocator allocator = sn__default_allocator();
    DistanceGrid grid;
    assert_ok(sn__distance_grid_create(&allocator, mesh->vertices, mesh->vertex_count,
                                       mesh->triangles, mesh->triangle_count, cell, shell, &grid));
    return grid;
}

// At the grid's own points: what is stored there is exact near the mesh, and almost so far from it.
static void check_grid_points(const DistanceGrid *grid, const Mesh *mesh, bool closed,
                              double shell) {
    Rng rng = {8};
    for (int n = 0; n < 500; ++n) {
        int at[3];
        for (int c = 0; c < 3; ++c)
            at[c] = rng_int(&rng, 0, grid->size[c] - 1);
        Vec3d x = {grid->low[0] + at[0] * grid->cell, grid->low[1] + at[1] * grid->cell,
                   grid->low[2] + at[2] * grid->cell};
        double expected = mesh_distance(mesh, x, closed);
        double tolerance = fabs(expected) < 2.0 * grid->cell ? 1e-6 : 0.05 * grid->cell;
        assert_near(sn__distance_grid_at(grid, x, NULL), expected - shell, tolerance);
    }
}

static void test_distance_grid(void **state) {
    (void)state;
    Mesh torus = make_torus(), parts = take_apart(&torus);
    DistanceGrid grid = make_grid(&torus, 2.8 / 40.0, 0.0);
    check_grid_points(&grid, &torus, true, 0.0);
    // Vertices at one place are one: the same bits, closed or cut into single triangles.
    DistanceGrid same = make_grid(&parts, 2.8 / 40.0, 0.0);
    size_t count = (size_t)grid.size[0] * (size_t)grid.size[1] * (size_t)grid.size[2];
    for (size_t i = 0; i < count; ++i)
        assert_near(same.distance[i], grid.distance[i], 0.0);
    sn__distance_grid_destroy(&same);
    sn__distance_grid_destroy(&grid);
    assert_null(grid.distance);
    free_mesh(&torus);
    free_mesh(&parts);
}

static void test_open_mesh_is_a_shell(void **state) {
    (void)state;
    Mesh torus = make_torus();
    torus.triangle_count -= TUBE; // a gap
    DistanceGrid grid = make_grid(&torus, 0.07, 0.1);
    check_grid_points(&grid, &torus, false, 0.05);
    sn__distance_grid_destroy(&grid);
    free_mesh(&torus);
}

// Sharp corners: a thin wedge, on whose edges a plain face normal would have the wrong sign.
static void test_sharp_mesh(void **state) {
    (void)state;
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.5f, 0.05f, 0.4f}, {0.4f, 1.0f, 0.1f}};
    uint32_t t[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    Mesh wedge = {x, t, 4, 4};
    // Not the same winding as make_torus' by accident: the tetrahedron must be seen from outside.
    Vec3d n = crossd(subd(vec3d(x[1]), vec3d(x[0])), subd(vec3d(x[2]), vec3d(x[0])));
    if (dotd(n, subd(vec3d(x[3]), vec3d(x[0]))) > 0.0)
        for (int i = 0; i < 4; ++i) {
            uint32_t swap = t[3 * i + 1];
            t[3 * i + 1] = t[3 * i + 2];
            t[3 * i + 2] = swap;
        }
    DistanceGrid grid = make_grid(&wedge, 0.02, 0.0);
    check_grid_points(&grid, &wedge, true, 0.0);
    sn__distance_grid_destroy(&grid);
}

static void test_grid_between_points(void **state) {
    (void)state;
    // The corner of a box: three-linear interpolation is exact above its faces.
    SnVec3 x[8];
    for (int i = 0; i < 8; ++i)
        x[i] = sn_vec3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    uint32_t t[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    Mesh box = {x, t, 8, 12};
    DistanceGrid grid = make_grid(&box, 0.1, 0.0);
    Vec3d half = {1.0, 1.0, 1.0};
    Rng rng = {9};
    for (int i = 0; i < 5000; ++i) {
        Vec3d p = random_point(&rng, 1.8), g, expected;
        double d = sn__box_distance(half, p, &expected), got = sn__distance_grid_at(&grid, p, &g);
        assert_near(lengthd(g), 1.0, 1e-12);
        bool over_face = fabs(p.x) < 0.8 && fabs(p.z) < 0.8 && p.y > 0.85;
        assert_near(got, d, over_face ? 1e-6 : 0.07);
        if (over_face)
            assert_near(g.y, 1.0, 1e-5);
    }
    // Outside the grid, too.
    assert_near(sn__distance_grid_at(&grid, (Vec3d){0.2, 50.0, 0.3}, NULL), 49.0, 1e-4);
    sn__distance_grid_destroy(&grid);
}

static void test_grid_errors(void **state) {
    (void)state;
    SnAllocator a = sn__default_allocator();
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
    uint32_t t[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}; // seen from outside
    DistanceGrid g;
    assert_ok(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, 0.0, &g));
    sn__distance_grid_destroy(&g);
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 1e-6, 0.0, &g), SN_ERROR_LIMIT, "cell");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, NAN, 0.0, &g), SN_ERROR_INVALID, "cell");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, -0.1, 0.0, &g), SN_ERROR_INVALID, "cell");
    assert_ok(sn__distance_grid_create(&a, x, 4, t, 4, 0.0, 0.0, &g));
    assert_near(g.cell, 1.0 / 64.0, 1e-15);
    sn__distance_grid_destroy(&g);
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, -1.0, &g), SN_ERROR_INVALID,
                 "shell");
    assert_error(sn__distance_grid_create(&a, x, 3, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "triangles[4]: vertex 3");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 0, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "triangle_count");
    assert_error(sn__distance_grid_create(&a, NULL, 4, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "vertex_count");
    uint32_t flat[6] = {0, 1, 1, 2, 2, 2};
    assert_error(sn__distance_grid_create(&a, x, 4, flat, 2, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "area");
    uint32_t inverted[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    assert_error(sn__distance_grid_create(&a, x, 4, inverted, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "inside out");
    x[2].y = NAN;
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "vertices[2]");
}

// An allocator that has nothing left after a while, and counts what was not given back.
typedef struct Purse {
    int left, held;
} Purse;

static void *purse_allocate(size_t size, size_t align, void *context) {
    Purse *purse = context;
    if (purse->left-- <= 0)
        return NULL;
    ++purse->held;
    return aligned_alloc(align, size);
}

static void purse_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Purse *)context)->held;
    free(memory);
}

static void test_grid_without_memory(void **state) {
    (void)state;
    SnVec3 x[3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    uint32_t t[3] = {0, 1, 2};
    SnCode code = SN_ERROR_MEMORY;
    for (int budget = 0; code != SN_OK; ++budget) {
        Purse purse = {budget, 0};
        SnAllocator a = {purse_allocate, purse_release, &purse};
        DistanceGrid grid;
        code = sn__distance_grid_create(&a, x, 3, t, 1, 0.1, 0.0, &grid).code;
        assert_true(code == SN_OK || code == SN_ERROR_MEMORY);
        assert_int_equal(purse.held, code == SN_OK);
        sn__distance_grid_destroy(&grid);
        assert_int_equal(purse.held, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pill_pairs),
        cmocka_unit_test(test_pill_pairs_aligned),
        cmocka_unit_test(test_parallel_pills_touch_in_the_middle),
        cmocka_unit_test(test_crossing_axes),
        cmocka_unit_test(test_pill_points),
        cmocka_unit_test(test_pill_rays),
        cmocka_unit_test(test_far_ray),
        cmocka_unit_test(test_box_distance),
        cmocka_unit_test(test_box_rays),
        cmocka_unit_test(test_box_pills),
        cmocka_unit_test(test_distance_grid),
        cmocka_unit_test(test_open_mesh_is_a_shell),
        cmocka_unit_test(test_sharp_mesh),
        cmocka_unit_test(test_grid_between_points),
        cmocka_unit_test(test_grid_errors),
        cmocka_unit_test(test_grid_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
