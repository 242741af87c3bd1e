// Gaps of ellipsoids against brute force over their surfaces.
#include "support.h"

#include "collide/ellipsoid.h"

typedef struct Egg {
    Vec3d centre, radii;
    Quatd turn;
    float shape[6];
} Egg;

static Egg random_egg(Rng *rng, double flat) {
    Egg e = {.turn = quatd(rng_quat(rng))};
    e.radii = (Vec3d){(double)rng_log(rng, flat, 1.0), (double)rng_log(rng, flat, 1.0), 1.0};
    double S[3][3] = {{0}};
    const double r[3] = {e.radii.x, e.radii.y, e.radii.z};
    for (int k = 0; k < 3; ++k) {
        Vec3d axis = rotated(e.turn, (Vec3d){k == 0, k == 1, k == 2});
        const double x[3] = {axis.x, axis.y, axis.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                S[i][j] += r[k] * r[k] * x[i] * x[j];
    }
    const double all[6] = {S[0][0], S[1][1], S[2][2], S[0][1], S[0][2], S[1][2]};
    for (int k = 0; k < 6; ++k)
        e.shape[k] = (float)all[k];
    return e;
}

// Below 0 inside, as if it were a unit sphere.
static double depth(const Egg *e, Vec3d x) {
    Vec3d y = rotated(conjugated(e->turn), subd(x, e->centre));
    return lengthd((Vec3d){y.x / e->radii.x, y.y / e->radii.y, y.z / e->radii.z}) - 1.0;
}

// The largest distance between planes that keep both apart, over many directions.
static double best_gap(const Egg *a, const Egg *b, Rng *rng, Vec3d around) {
    double best = -1e9;
    Vec3d apart = subd(a->centre, b->centre);
    for (int k = 0; k < 4000; ++k) {
        double spread = k < 2000 ? 4.0 : k < 3000 ? 0.1 : 0.003;
        Vec3d n = addd(around, vec3d(rng_vec3(rng, spread)));
        n = scaled(n, 1.0 / lengthd(n));
        double gap = dotd(n, apart) - sn__ellipsoid_reach(a->shape, n, NULL) -
                     sn__ellipsoid_reach(b->shape, n, NULL);
        best = fmax(best, gap);
    }
    return best;
}

static void test_gaps_are_the_largest_there_are(void **state) {
    (void)state;
    Rng rng = {3};
    for (int k = 0; k < 200; ++k) {
        Egg a = random_egg(&rng, 0.1), b = random_egg(&rng, 0.1);
        a.centre = scaled(vec3d(rng_vec3(&rng, 1.0)), k % 2 ? 6.0 : 3.0);
        Vec3d n;
        double gap = sn__ellipsoids_gap(subd(a.centre, b.centre), a.shape, b.shape, &n);
        assert_near(lengthd(n), 1.0, 1e-9);
        double best = best_gap(&a, &b, &rng, n);
        // Where they overlap it is a way out, not always the shortest.
        if (best > 0.0)
            assert_near(gap, best, 2e-3);
        else
            assert_below(gap, 1e-6);
        if (!(gap > 0.0))
            continue;
        // The points that face each other are on both surfaces, and as far apart.
        Vec3d p, q;
        sn__ellipsoid_reach(a.shape, n, &p);
        sn__ellipsoid_reach(b.shape, n, &q);
        p = subd(a.centre, p);
        q = addd(b.centre, q);
        assert_near(depth(&a, p), 0.0, 1e-5);
        assert_near(depth(&b, q), 0.0, 1e-5);
        assert_near(lengthd(subd(p, q)), gap, 1e-4);
    }
}

static double to_ball(const void *surface, Vec3d x, Vec3d *out_gradient) {
    const double *radius = surface;
    *out_gradient = scaled(x, 1.0 / lengthd(x));
    return lengthd(x) - *radius;
}

static void test_spheres_and_surfaces_are_exact(void **state) {
    (void)state;
    Rng rng = {4};
    for (int k = 0; k < 100; ++k) {
        const float a[6] = {0.04f, 0.04f, 0.04f}, b[6] = {0.25f, 0.25f, 0.25f};
        Vec3d apart = vec3d(rng_vec3(&rng, 2.0)), n;
        double gap = sn__ellipsoids_gap(apart, a, b, &n), radius = 0.5;
        assert_near(gap, lengthd(apart) - 0.7, 1e-7);
        assert_near(dotd(n, apart), lengthd(apart), 1e-7);
        gap = sn__ellipsoid_surface_gap(apart, a, to_ball, &radius, &n);
        assert_near(gap, lengthd(apart) - 0.7, 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps_are_the_largest_there_are),
        cmocka_unit_test(test_spheres_and_surfaces_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
