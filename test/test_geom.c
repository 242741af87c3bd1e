// Pills and boxes against brute force.
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
