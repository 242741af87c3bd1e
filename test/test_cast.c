// Casts of spheres and pills against walks in small steps, with gaps from points along their axis.
#include "support.h"

#include "geom/pill.h"
#include "geom/solid.h"

#define RODS 12
#define POINTS 400
#define FAR 8.0

typedef struct Scene {
    SnWorld *world;
    SnBodyId rods[RODS];
    Pill pills[RODS];
    SnColliderId plane, ball, box, mesh;
} Scene;

static const SnVec3 box_at = {-2.0f, 2.0f, 0.5f}, mesh_at = {2.0f, 2.5f, -0.5f};

// A cube of 1 m as a mesh.
static SnColliderId mesh_cube(SnWorld *world) {
    SnVec3 x[8];
    for (int i = 0; i < 8; ++i)
        x[i] = sn_vec3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f);
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_MESH;
    def.vertices = x;
    def.vertex_count = 8;
    def.triangles = triangles;
    def.triangle_count = 12;
    def.pose.position = mesh_at;
    SnColliderId id;
    assert_ok(sn_collider_create(world, &def, &id));
    return id;
}

static void make_scene(Scene *scene, Rng *rng) {
    scene->world = weightless_world();
    for (int r = 0; r < RODS; ++r) {
        SnVec3 from = rng_vec3(rng, 3.0), step = rng_vec3(rng, 0.4);
        from.y += 2.0f;
        SnVec3 x[2] = {from, sn_vec3(from.x + step.x, from.y + step.y, from.z + 0.2f)};
        float radii[2] = {rng_log(rng, 0.02, 0.2), rng_log(rng, 0.02, 0.2)};
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 2;
        def.positions = x;
        def.radii = radii;
        assert_ok(sn_rod_create(scene->world, &def, &scene->rods[r]));
        scene->pills[r] = (Pill){vec3d(x[0]), vec3d(x[1]), (double)radii[0], (double)radii[1]};
    }
    SnColliderDef def = sn_default_collider_def();
    def.pose.position = sn_vec3(0.0f, -2.0f, 0.0f);
    assert_ok(sn_collider_create(scene->world, &def, &scene->plane));
    def.pose.position = sn_vec3(0.5f, 4.0f, 1.5f);
    def.kind = SN_COLLIDER_SPHERE;
    def.radius_a = 0.75f;
    assert_ok(sn_collider_create(scene->world, &def, &scene->ball));
    def.kind = SN_COLLIDER_BOX;
    def.pose.position = box_at;
    def.half_size = sn_vec3(0.25f, 0.5f, 0.75f);
    assert_ok(sn_collider_create(scene->world, &def, &scene->box));
    scene->mesh = mesh_cube(scene->world);
}

// Of a point from what has this number: rods first, then the colliders.
static double distance_to(const Scene *scene, int what, Vec3d x) {
    switch (what - RODS) {
    case 0:
        return x.y + 2.0;
    case 1:
        return lengthd(subd(x, (Vec3d){0.5, 4.0, 1.5})) - 0.75;
    case 2:
        return sn__box_distance((Vec3d){0.25, 0.5, 0.75}, subd(x, vec3d(box_at)), NULL);
    case 3:
        return sn__box_distance((Vec3d){0.5, 0.5, 0.5}, subd(x, vec3d(mesh_at)), NULL);
    default:
        return sn__pill_distance(&scene->pills[what], x, NULL);
    }
}

static double gap_to(const Scene *scene, int what, Vec3d a, Vec3d b, double radius) {
    double least = INFINITY;
    for (int k = 0; k <= POINTS; ++k) {
        Vec3d x = addd(a, scaled(subd(b, a), (double)k / POINTS));
        least = fmin(least, distance_to(scene, what, x));
    }
    return least - radius;
}

// How far the pill comes, by steps that are never longer than the gap.
static double walk(const Scene *scene, int what, Vec3d a, Vec3d b, double radius, Vec3d d) {
    double k = 0.0;
    for (int i = 0; i < 400 && k < FAR; ++i) {
        double gap = gap_to(scene, what, addd(a, scaled(d, k)), addd(b, scaled(d, k)), radius);
        if (gap < 1e-4)
            return k;
        k += gap;
    }
    return INFINITY;
}

static bool check_cast(const Scene *scene, Rng *rng, bool sphere) {
    SnVec3 a = rng_vec3(rng, 4.0), b = rng_vec3(rng, 0.5), direction = rng_vec3(rng, 1.0);
    float radius = rng_log(rng, 0.01, 0.5);
    a.y += 2.0f;
    b = sphere ? a : sn_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
    Vec3d d = vec3d(direction);
    d = scaled(d, 1.0 / lengthd(d));
    double expected = INFINITY, second = INFINITY;
    int what = -1;
    for (int k = 0; k < RODS + 4; ++k) {
        double way = walk(scene, k, vec3d(a), vec3d(b), (double)radius, d);
        second = fmin(second, fmax(way, expected));
        what = way < expected ? k : what;
        expected = fmin(expected, way);
    }
    SnHit hit = {0};
    SnFilter all = sn_default_filter();
    bool found =
        sphere ? sn_world_sphere_cast(scene->world, a, radius, direction, (float)FAR, all, &hit)
               : sn_world_pill_cast(scene->world, a, b, radius, direction, (float)FAR, all, &hit);
    if (expected == (double)INFINITY) {
        assert_false(found);
        return false;
    }
    assert_true(found);
    // Walks stop 0.1 mm before they touch, which takes longer at a flat angle; grids are 1/64 coarse.
    double slack = what == RODS + 3 ? 0.05 : 0.01;
    assert_near(hit.distance, expected, slack);
    if (second < expected + slack)
        return true;
    SnColliderId colliders[4] = {scene->plane, scene->ball, scene->box, scene->mesh};
    if (what < RODS)
        assert_int_equal(hit.body.index, scene->rods[what].index);
    else
        assert_int_equal(hit.collider.index, colliders[what - RODS].index);
    // The place is on the surface of both.
    assert_near(lengthd(vec3d(hit.normal)), 1.0, 1e-5);
    if (hit.distance > 0.0f) {
        double k = (double)hit.distance;
        Pill end = {addd(vec3d(a), scaled(d, k)), addd(vec3d(b), scaled(d, k)), (double)radius,
                    (double)radius};
        assert_near(distance_to(scene, what, vec3d(hit.position)), 0.0, slack);
        assert_near(sn__pill_distance(&end, vec3d(hit.position), NULL), 0.0, slack);
        assert_true(dotd(d, vec3d(hit.normal)) < 1e-3);
    }
    return true;
}

static void test_random_casts(void **state) {
    (void)state;
    Rng rng = {5};
    for (int world = 0; world < 3; ++world) {
        Scene scene;
        make_scene(&scene, &rng);
        int hits = 0;
        for (int i = 0; i < 60; ++i)
            hits += check_cast(&scene, &rng, i % 3 == 0);
        assert_true(hits > 15);
        sn_world_destroy(scene.world);
    }
}

// A pill that falls flat on a box comes as far as its radius says, to the last bits.
static void test_exact_distance(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_BOX;
    SnColliderId box;
    assert_ok(sn_collider_create(world, &def, &box));
    SnHit hit;
    SnVec3 a = {-0.25f, 2.0f, 0.0f}, b = {0.25f, 2.0f, 0.0f}, down = {0.0f, -3.0f, 0.0f};
    SnFilter all = sn_default_filter();
    assert_true(sn_world_pill_cast(world, a, b, 0.25f, down, 5.0f, all, &hit));
    assert_near(hit.distance, 1.25, 1e-6);
    assert_near(hit.position.y, 0.5, 1e-6);
    assert_near(hit.normal.y, 1.0, 1e-6);
    // At the limit it counts, before it does not.
    assert_true(sn_world_pill_cast(world, a, b, 0.25f, down, 1.2500001f, all, NULL));
    assert_false(sn_world_pill_cast(world, a, b, 0.25f, down, 1.2499f, all, NULL));
    // Beside it, and away from it.
    SnVec3 beside = {0.76f, 2.0f, 0.0f};
    assert_false(sn_world_sphere_cast(world, beside, 0.25f, down, 5.0f, all, NULL));
    assert_false(sn_world_sphere_cast(world, a, 0.25f, sn_vec3(0.0f, 1.0f, 0.0f), 5.0f, all, NULL));
    // What overlaps at the start.
    assert_true(
        sn_world_sphere_cast(world, sn_vec3(0.6f, 0.0f, 0.0f), 0.25f, down, 5.0f, all, &hit));
    assert_near(hit.distance, 0.0, 0.0);
    sn_world_destroy(world);
}

static void test_what_cannot_be_cast(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnColliderDef def = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &def, NULL));
    SnVec3 up = {0.0f, 1.0f, 0.0f}, down = {0.0f, -1.0f, 0.0f}, none = {0};
    SnVec3 bad = {0.0f, NAN, 0.0f};
    SnFilter all = sn_default_filter();
    assert_true(sn_world_sphere_cast(world, up, 0.1f, down, 5.0f, all, NULL));
    assert_false(sn_world_sphere_cast(world, up, 0.1f, none, 5.0f, all, NULL));
    assert_false(sn_world_sphere_cast(world, up, -0.1f, down, 5.0f, all, NULL));
    assert_false(sn_world_sphere_cast(world, up, INFINITY, down, 5.0f, all, NULL));
    assert_false(sn_world_sphere_cast(world, bad, 0.1f, down, 5.0f, all, NULL));
    assert_false(sn_world_pill_cast(world, up, bad, 0.1f, down, 5.0f, all, NULL));
    all.mask = 0;
    assert_false(sn_world_sphere_cast(world, up, 0.1f, down, 5.0f, all, NULL));
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_casts),
        cmocka_unit_test(test_exact_distance),
        cmocka_unit_test(test_what_cannot_be_cast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
