// Ray casts, nearest surfaces and overlaps against brute force over all segments and colliders.
#include "support.h"

#include <stdlib.h>

#include "geom/bvh.h"
#include "geom/pill.h"
#include "geom/solid.h"

#define RODS 30
#define MAX_PILLS 600

// Segments as the public API tells them.
typedef struct Scene {
    SnWorld *world;
    SnBodyId rods[RODS];
    SnFilter filters[RODS];
    int pill_count;
    Pill pills[MAX_PILLS];
    int rod_of[MAX_PILLS], segment_of[MAX_PILLS];
    SnColliderId plane, ball, box;
} Scene;

static SnFilter filter_of(uint32_t category, uint32_t mask) {
    SnFilter filter = sn_default_filter();
    filter.category = category;
    filter.mask = mask;
    return filter;
}

static SnBodyId random_rod(SnWorld *world, Rng *rng, SnFilter filter) {
    SnVec3 x[24];
    float radii[24];
    int count = rng_int(rng, 2, 20);
    SnVec3 from = rng_vec3(rng, 3.0);
    from.y += 4.0f;
    line_of_points(x, count, from, rng_vec3(rng, 0.3));
    for (int i = 0; i < count; ++i) {
        x[i].x += rng_float(rng, -0.02, 0.02) + 0.05f * (float)i;
        radii[i] = rng_log(rng, 0.01, 0.1);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = count;
    def.positions = x;
    def.radii = radii;
    def.filter = filter;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static void read_pills(Scene *scene) {
    scene->pill_count = 0;
    for (int r = 0; r < RODS; ++r) {
        if (!sn_body_is_valid(scene->world, scene->rods[r]))
            continue;
        RodCopy copy;
        copy_rod(scene->world, scene->rods[r], &copy);
        for (int j = 0; j < copy.segments; ++j) {
            int i = scene->pill_count++;
            assert_true(i < MAX_PILLS);
            scene->pills[i] = (Pill){vec3d(copy.x[j]), vec3d(copy.x[j + 1]), (double)copy.radius[j],
                                     (double)copy.radius[j + 1]};
            scene->rod_of[i] = r;
            scene->segment_of[i] = j;
        }
    }
}

static void make_colliders(Scene *scene) {
    SnColliderDef def = sn_default_collider_def();
    assert_ok(sn_collider_create(scene->world, &def, &scene->plane)); // y = 0
    def.kind = SN_COLLIDER_SPHERE;
    def.pose.position = sn_vec3(1.0f, 3.0f, 0.5f);
    def.radius_a = 0.7f;
    assert_ok(sn_collider_create(scene->world, &def, &scene->ball));
    def.kind = SN_COLLIDER_BOX;
    def.pose.position = sn_vec3(-2.0f, 4.0f, 0.5f);
    def.pose.rotation = turn_about(1.0, 2.0, 3.0, 0.7);
    def.half_size = sn_vec3(0.3f, 0.5f, 0.8f);
    assert_ok(sn_collider_create(scene->world, &def, &scene->box));
}

static void make_scene(Scene *scene, uint64_t seed) {
    Rng rng = {seed};
    scene->world = weightless_world();
    for (int r = 0; r < RODS; ++r) {
        scene->filters[r] = filter_of(r % 3 == 0 ? 2 : 1, 0xffffffffu);
        scene->rods[r] = random_rod(scene->world, &rng, scene->filters[r]);
    }
    make_colliders(scene);
    read_pills(scene);
}

static double solid_distance(int which, Vec3d x) {
    if (which == 0)
        return x.y;
    if (which == 1)
        return lengthd(subd(x, (Vec3d){1.0, 3.0, 0.5})) - 0.699999988079071044921875;
    Quatd turn = normalisedq(quatd(turn_about(1.0, 2.0, 3.0, 0.7)));
    Vec3d half = {(double)0.3f, 0.5, (double)0.8f};
    return sn__box_distance(half, rotated(conjugated(turn), subd(x, (Vec3d){-2.0, 4.0, 0.5})),
                            NULL);
}

static double hit_distance(const Scene *scene, const SnHit *hit, Vec3d x) {
    if (hit->collider.index != 0) {
        assert_int_equal(hit->body.index, 0);
        return solid_distance(hit->collider.index == scene->plane.index  ? 0
                              : hit->collider.index == scene->ball.index ? 1
                                                                         : 2,
                              x);
    }
    for (int i = 0; i < scene->pill_count; ++i)
        if (scene->rods[scene->rod_of[i]].index == hit->body.index &&
            scene->rods[scene->rod_of[i]].generation == hit->body.generation &&
            scene->segment_of[i] == hit->element)
            return sn__pill_distance(scene->pills + i, x, NULL);
    fail_msg("a hit on something that is not there");
    return 0.0;
}

// The least distance over all that the mask lets through.
static double brute_distance(const Scene *scene, Vec3d x, uint32_t mask) {
    double least = INFINITY;
    for (int i = 0; i < scene->pill_count; ++i)
        if (scene->filters[scene->rod_of[i]].category & mask)
            least = fmin(least, sn__pill_distance(scene->pills + i, x, NULL));
    for (int which = 0; which < 3 && (mask & 1); ++which)
        least = fmin(least, solid_distance(which, x));
    return least;
}

static void check_nearest(const Scene *scene, Rng *rng) {
    SnVec3 point = rng_vec3(rng, 4.0);
    point.y += 3.5f;
    uint32_t mask = rng_int(rng, 0, 1) ? 0xffffffffu : 2u;
    SnHit hit;
    double expected = brute_distance(scene, vec3d(point), mask);
    assert_true(sn_world_nearest(scene->world, point, 100.0f, filter_of(1, mask), &hit));
    assert_near(hit.distance, expected, 1e-5);
    assert_near(hit_distance(scene, &hit, vec3d(point)), expected, 1e-5);
    // The place is on the surface, and the normal leads from it to the point.
    assert_near(hit_distance(scene, &hit, vec3d(hit.position)), 0.0, 1e-5);
    assert_near(lengthd(vec3d(hit.normal)), 1.0, 1e-6);
    Vec3d way = subd(vec3d(point), vec3d(hit.position));
    assert_near(dotd(way, vec3d(hit.normal)), hit.distance, 1e-5);
    // Within reach or not.
    if (expected > 0.0) {
        float reach = (float)expected;
        assert_true(
            sn_world_nearest(scene->world, point, reach * 1.001f, filter_of(1, mask), NULL));
        assert_false(
            sn_world_nearest(scene->world, point, reach * 0.999f, filter_of(1, mask), &hit));
    }
}

static void check_overlap(const Scene *scene, Rng *rng) {
    SnVec3 centre = rng_vec3(rng, 3.0);
    centre.y += 3.0f;
    float radius = rng_log(rng, 0.01, 3.0);
    uint32_t mask = rng_int(rng, 0, 1) ? 0xffffffffu : 2u;
    SnHit hits[MAX_PILLS + 3], few[5];
    int count =
        sn_world_overlap(scene->world, centre, radius, filter_of(1, mask), hits, MAX_PILLS + 3);
    int expected = 0;
    for (int i = 0; i < scene->pill_count; ++i) {
        double d = sn__pill_distance(scene->pills + i, vec3d(centre), NULL);
        if (!(scene->filters[scene->rod_of[i]].category & mask) || d > (double)radius)
            continue;
        // In order of creation.
        assert_true(expected < count);
        assert_int_equal(hits[expected].body.index, scene->rods[scene->rod_of[i]].index);
        assert_int_equal(hits[expected].element, scene->segment_of[i]);
        assert_near(hits[expected].distance, d, 1e-5);
        ++expected;
    }
    for (int which = 0; which < 3 && (mask & 1); ++which)
        expected += solid_distance(which, vec3d(centre)) <= (double)radius;
    assert_int_equal(count, expected);
    assert_int_equal(sn_world_overlap(scene->world, centre, radius, filter_of(1, mask), few, 5),
                     count);
    assert_memory_equal(few, hits, (size_t)(count < 5 ? count : 5) * sizeof *few);
    assert_int_equal(sn_world_overlap(scene->world, centre, radius, filter_of(1, mask), NULL, 0),
                     count);
}

static bool check_ray(const Scene *scene, Rng *rng) {
    SnVec3 origin = rng_vec3(rng, 6.0), direction = rng_vec3(rng, 1.0);
    origin.y += 3.0f;
    uint32_t mask = rng_int(rng, 0, 1) ? 0xffffffffu : 2u;
    Vec3d o = vec3d(origin), d = vec3d(direction);
    d = scaled(d, 1.0 / lengthd(d));
    double expected = INFINITY;
    for (int i = 0; i < scene->pill_count; ++i) {
        double k = sn__pill_ray(scene->pills + i, o, d, NULL);
        if ((scene->filters[scene->rod_of[i]].category & mask) && k >= 0.0)
            expected = fmin(expected, k);
    }
    // Convex solids, by small steps of at most the distance.
    for (int which = 0; which < 3 && (mask & 1); ++which) {
        double k = 0.0, s = solid_distance(which, o);
        for (int i = 0; i < 3000 && s > 1e-7 && k < 20.0; ++i) {
            k += s;
            s = solid_distance(which, addd(o, scaled(d, k)));
        }
        if (s <= 1e-7 && k < 20.0)
            expected = fmin(expected, k);
    }
    SnHit hit;
    bool found =
        sn_world_ray_cast(scene->world, origin, direction, 20.0f, filter_of(1, mask), &hit);
    assert_int_equal(found, expected <= 20.0);
    if (!found)
        return false;
    assert_near(hit.distance, expected, 2e-5);
    Vec3d at = addd(o, scaled(d, (double)hit.distance));
    if (hit.distance > 0.0f) {
        assert_near(hit_distance(scene, &hit, at), 0.0, 2e-5);
        assert_near(lengthd(subd(vec3d(hit.position), at)), 0.0, 2e-5);
        assert_true(dotd(d, vec3d(hit.normal)) < 1e-3); // it goes in
        assert_false(sn_world_ray_cast(scene->world, origin, direction, hit.distance * 0.999f,
                                       filter_of(1, mask), NULL));
    } else {
        assert_near(lengthd(subd(vec3d(hit.position), o)), 0.0, 0.0);
    }
    return true;
}

static void check_scene(const Scene *scene, Rng *rng, int rounds) {
    int hits = 0;
    for (int i = 0; i < rounds; ++i) {
        check_nearest(scene, rng);
        check_overlap(scene, rng);
        hits += check_ray(scene, rng);
    }
    assert_true(hits > rounds / 10);
}

static void test_random_worlds(void **state) {
    (void)state;
    Scene scene;
    Rng rng = {77};
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        make_scene(&scene, seed);
        check_scene(&scene, &rng, 300);
        sn_world_destroy(scene.world);
    }
}

// The answers follow what the world does: steps, writes, things that come and go.
static void test_changing_world(void **state) {
    (void)state;
    Scene scene;
    Rng rng = {78};
    make_scene(&scene, 9);
    assert_ok(sn_world_set_gravity(scene.world, sn_vec3(0.0f, -9.81f, 0.0f)));
    for (int i = 0; i < 5; ++i) {
        sn_world_step(scene.world, 1.0f / 60.0f, 4, 1);
        read_pills(&scene);
        check_scene(&scene, &rng, 60);
    }
    assert_ok(sn_body_destroy(scene.world, scene.rods[3]));
    read_pills(&scene);
    check_scene(&scene, &rng, 60);
    RodCopy copy;
    copy_rod(scene.world, scene.rods[5], &copy);
    for (int i = 0; i < copy.vertices; ++i)
        copy.x[i].y += 0.5f;
    SnBodyState moved = {.positions = copy.x};
    assert_ok(sn_body_write(scene.world, scene.rods[5], &moved));
    scene.filters[6] = filter_of(2, 0xffffffffu);
    assert_ok(sn_body_set_filter(scene.world, scene.rods[6], scene.filters[6]));
    read_pills(&scene);
    check_scene(&scene, &rng, 60);
    sn_world_destroy(scene.world);
}

// Inside of several rods, the one whose surface is farthest out counts, and its depth.
static void test_inside_many(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Rng rng = {13};
    enum { COUNT = 40 };
    Pill pills[COUNT];
    SnBodyId rods[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        SnVec3 x[2] = {rng_vec3(&rng, 0.5), rng_vec3(&rng, 0.5)};
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 2;
        def.positions = x;
        def.radius = rng_float(&rng, 0.1, 0.4);
        assert_ok(sn_rod_create(world, &def, rods + i));
        pills[i] = (Pill){vec3d(x[0]), vec3d(x[1]), (double)def.radius, (double)def.radius};
    }
    for (int round = 0; round < 300; ++round) {
        SnVec3 point = rng_vec3(&rng, 0.5);
        int deepest = 0;
        for (int i = 1; i < COUNT; ++i)
            if (sn__pill_distance(pills + i, vec3d(point), NULL) <
                sn__pill_distance(pills + deepest, vec3d(point), NULL))
                deepest = i;
        SnHit hit;
        assert_true(sn_world_nearest(world, point, 1.0f, sn_default_filter(), &hit));
        assert_near(hit.distance, sn__pill_distance(pills + deepest, vec3d(point), NULL), 1e-5);
        assert_int_equal(hit.body.index, rods[deepest].index);
    }
    sn_world_destroy(world);
}

static void test_creature(void **state) {
    (void)state;
    SnModel model;
    assert_ok(sn_octopus(1.885f, NULL, &model));
    SnWorld *world = weightless_world();
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = model.vertex_count;
    def.positions = model.positions;
    def.radii = model.radii;
    def.edges = model.edges;
    def.edge_count = model.edge_count;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    // From the tip of every arm outwards: the foot's sphere.
    for (int arm = 0; arm < 8; ++arm) {
        SnVec3 foot = model.positions[9 + 4 * arm];
        SnHit hit;
        SnVec3 above = sn_vec3(foot.x * 2.0f, foot.y, foot.z * 2.0f);
        assert_true(sn_world_nearest(world, above, 10.0f, sn_default_filter(), &hit));
        assert_int_equal(hit.element, 6 + 4 * arm + 3);
        assert_near(hit.distance, 1.885 - 0.077, 1e-5);
        assert_near(hit.t, 1.0, 1e-6);
    }
    sn_world_destroy(world);
    sn_model_destroy(&model);
}

// A tetrahedron of 1 m on the axes, at x = 10 m.
static SnColliderId make_tetrahedron(SnWorld *world) {
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
    uint32_t t[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_MESH;
    def.vertices = x;
    def.vertex_count = 4;
    def.triangles = t;
    def.triangle_count = 4;
    def.pose.position = sn_vec3(10.0f, 0.0f, 0.0f);
    SnColliderId id;
    assert_ok(sn_collider_create(world, &def, &id));
    return id;
}

static void test_mesh_ray(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnColliderId id = make_tetrahedron(world);
    SnHit hit;
    SnFilter all = sn_default_filter();
    SnVec3 back = sn_vec3(-2.0f, 0.0f, 0.0f);
    // The slanted face x + y + z = 1.
    assert_true(sn_world_ray_cast(world, sn_vec3(20.0f, 0.3f, 0.2f), back, 100.0f, all, &hit));
    assert_near(hit.distance, 9.5, 1e-3);
    assert_int_equal(hit.collider.index, id.index);
    assert_near(hit.normal.x, 1.0 / sqrt(3.0), 1e-2);
    assert_false(sn_world_ray_cast(world, sn_vec3(20.0f, 0.3f, 0.2f), back, 9.0f, all, &hit));
    assert_false(sn_world_ray_cast(world, sn_vec3(20.0f, 1.3f, 0.2f), back, 100.0f, all, &hit));
    assert_true(sn_world_ray_cast(world, sn_vec3(10.1f, 0.1f, 0.2f), back, 9.0f, all, &hit));
    assert_near(hit.distance, 0.0, 0.0);
    assert_true(sn_world_nearest(world, sn_vec3(10.2f, -1.0f, 0.2f), 9.0f, all, &hit));
    assert_near(hit.distance, 1.0, 1e-3);
    sn_world_destroy(world);
}

// From so far away that its steps would be lost in the distance, a ray must still arrive, or miss,
// within a bounded number of them.
static void test_far_mesh_rays(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnColliderId id = make_tetrahedron(world);
    Rng rng = {9};
    random_rod(world, &rng, sn_default_filter());
    SnFilter all = sn_default_filter();
    SnHit hit;
    for (float far = 1e3f; far < 2e30f; far *= 10.0f) {
        double slack = 1e-3 + 1e-7 * (double)far;
        // Along the axes nothing of the other coordinates is lost.
        assert_true(sn_world_ray_cast(world, sn_vec3(far, 0.3f, 0.2f), sn_vec3(-1.0f, 0.0f, 0.0f),
                                      INFINITY, all, &hit));
        assert_int_equal(hit.collider.index, id.index);
        assert_near(hit.distance, (double)far - 10.5, slack);
        assert_true(sn_world_ray_cast(world, sn_vec3(10.3f, -far, 0.2f), sn_vec3(0.0f, 1.0f, 0.0f),
                                      INFINITY, all, &hit));
        assert_near(hit.distance, (double)far, slack);
        assert_false(sn_world_ray_cast(world, sn_vec3(10.3f, -far, 0.2f), sn_vec3(0.0f, 1.0f, 0.0f),
                                       0.5f * far, all, &hit));
        assert_false(sn_world_ray_cast(world, sn_vec3(far, 0.3f, 0.2f), sn_vec3(1.0f, 0.0f, 0.0f),
                                       INFINITY, all, &hit));
        assert_false(sn_world_ray_cast(world, sn_vec3(far, 1.3f, 0.2f), sn_vec3(-1.0f, 0.0f, 0.0f),
                                       INFINITY, all, &hit));
        for (int i = 0; i < 200; ++i) {
            Vec3d way = vec3d(rng_vec3(&rng, 1.0));
            Vec3d from = addd((Vec3d){10.2, 0.2, 0.2}, scaled(way, (double)far));
            SnVec3 origin = sn_vec3((float)from.x, (float)from.y, (float)from.z);
            SnVec3 aim = sn_vec3((float)(10.2 - (double)origin.x), (float)(0.2 - (double)origin.y),
                                 (float)(0.2 - (double)origin.z));
            bool found = sn_world_ray_cast(world, origin, aim, INFINITY, all, &hit);
            if (far < 1e5f)
                assert_true(found);
            if (found)
                assert_near(hit.distance, lengthd(vec3d(aim)), 1.0 + slack);
        }
    }
    sn_world_destroy(world);
}

static void test_bad_questions(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnHit hit;
    SnFilter all = sn_default_filter();
    SnVec3 o = sn_vec3(0.0f, 1.0f, 0.0f), bad = sn_vec3(0.0f, NAN, 0.0f);
    SnVec3 down = sn_vec3(0.0f, -1.0f, 0.0f), none = sn_vec3(0.0f, 0.0f, 0.0f);
    for (int round = 0; round < 2; ++round) { // an empty world, and one with a rod
        assert_false(sn_world_ray_cast(world, bad, down, 1.0f, all, &hit));
        assert_false(sn_world_ray_cast(world, o, bad, 1.0f, all, &hit));
        assert_false(sn_world_ray_cast(world, o, none, 1.0f, all, &hit));
        assert_false(sn_world_ray_cast(world, o, down, NAN, all, &hit));
        assert_false(sn_world_ray_cast(world, o, down, -1.0f, all, &hit));
        assert_false(sn_world_nearest(world, bad, 1.0f, all, &hit));
        assert_false(sn_world_nearest(world, o, NAN, all, &hit));
        assert_int_equal(sn_world_overlap(world, o, NAN, all, &hit, 1), 0);
        assert_int_equal(sn_world_overlap(world, bad, 1.0f, all, &hit, 1), 0);
        assert_int_equal(sn_world_ray_cast(world, o, down, INFINITY, all, &hit), round);
        assert_int_equal(sn_world_overlap(world, o, 2.0f, all, &hit, -1) > 0, round);
        sn_body_set_filter(world, plain_rod(world, 5), all);
    }
    sn_world_destroy(world);
}

// All items are found, whatever the boxes: points, many in one place, huge ones.
static double every_bound(const BvhBox *box, void *context) {
    (void)context;
    return box->low[0] <= box->high[0] ? 0.0 : INFINITY;
}

static double count_visit(int item, double limit, void *context) {
    ++((int *)context)[item];
    return limit;
}

static void test_tree(void **state) {
    (void)state;
    SnAllocator allocator = sn__default_allocator();
    Rng rng = {5};
    Bvh bvh = {0};
    for (int count = 0; count < 3000; count = 2 * count + 1) {
        BvhBox *boxes = calloc((size_t)count + 1, sizeof *boxes);
        int *seen = calloc((size_t)count + 1, sizeof *seen);
        for (int i = 0; i < count; ++i)
            for (int c = 0; c < 3; ++c) {
                boxes[i].low[c] = i % 3 ? rng_real(&rng, -1.0, 1.0) : 0.5;
                boxes[i].high[c] = boxes[i].low[c] + (i % 5 ? 0.01 : 100.0);
            }
        assert_true(sn__bvh_build(&bvh, &allocator, boxes, count));
        sn__bvh_search(&bvh, 0.0, every_bound, count_visit, seen);
        for (int i = 0; i < count; ++i)
            assert_int_equal(seen[i], 1);
        free(boxes);
        free(seen);
    }
    sn__bvh_destroy(&bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),           cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_changing_world), cmocka_unit_test(test_creature),
        cmocka_unit_test(test_inside_many),    cmocka_unit_test(test_mesh_ray),
        cmocka_unit_test(test_far_mesh_rays),  cmocka_unit_test(test_bad_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
