// Binding skins: weights against brute force and on broken meshes, definitions, life and memory.
#include "skin_kit.h"

#include "geom/pill.h"
#include "skin/pill_bvh.h"

#include <stdlib.h>

static void tree_finds_the_nearest(void **state) {
    (void)state;
    enum { PILLS = 300, NEAR = 8 };
    Rng rng = {3};
    SnAllocator allocator = sn__default_allocator();
    Pill pills[PILLS];
    for (int round = 0; round < 4; ++round) {
        // Also all in one place, and all on a line.
        double size = round == 2 ? 0.0 : 10.0;
        for (int i = 0; i < PILLS; ++i) {
            Vec3d a = vec3d(rng_vec3(&rng, size));
            a = round == 3 ? (Vec3d){a.x, 0.0, 0.0} : a;
            pills[i] = (Pill){a, addd(a, vec3d(rng_vec3(&rng, 1.0))), rng_real(&rng, 0.01, 0.5),
                              rng_real(&rng, 0.01, 0.5)};
        }
        PillBvh *tree = sn__pill_bvh_create(&allocator, pills, PILLS);
        assert_non_null(tree);
        for (int q = 0; q < 200; ++q) {
            Vec3d x = vec3d(rng_vec3(&rng, 12.0));
            PillNear near[NEAR];
            assert_int_equal(sn__pill_bvh_nearest(tree, x, near, NEAR), NEAR);
            double t;
            for (int k = 0; k < NEAR; ++k) {
                assert_true(near[k].distance == sn__pill_distance(&pills[near[k].pill], x, &t));
                assert_true(k == 0 || near[k - 1].distance <= near[k].distance);
            }
            int nearer = 0;
            for (int i = 0; i < PILLS; ++i)
                nearer += sn__pill_distance(&pills[i], x, &t) < near[NEAR - 1].distance;
            assert_true(nearer < NEAR);
        }
        sn__pill_bvh_destroy(tree);
    }
}

static double weight_of(const SnSkinMesh *mesh, int vertex, int bone) {
    double sum = 0.0;
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        if (mesh->bones[SN_SKIN_BONES * vertex + k] == bone)
            sum += (double)mesh->weights[SN_SKIN_BONES * vertex + k];
    return sum;
}

static void assert_in_bounds(const SnSkinMesh *mesh) {
    for (int i = 0; i < mesh->vertex_count; ++i) {
        double sum = 0.0;
        for (int k = SN_SKIN_BONES * i; k < SN_SKIN_BONES * (i + 1); ++k) {
            assert_in_range(mesh->bones[k], 0, mesh->bone_count - 1);
            assert_true(mesh->weights[k] >= 0.0f && mesh->weights[k] <= 1.0f);
            sum += (double)mesh->weights[k];
        }
        assert_near(sum, 1.0, 1e-6);
    }
}

// Without fairing, over four bones, the weights are the formula.
static void initial_weights_are_inverse_squares(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Rng rng = {17};
    const SnVec3 x[2][2] = {{{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}},
                            {{0.0f, 1.0f, 0.0f}, {1.0f, 1.0f, 0.3f}}};
    const float radii[2][2] = {{0.1f, 0.2f}, {0.15f, 0.1f}};
    SnBodyId rods[2];
    Pill pills[2];
    for (int r = 0; r < 2; ++r) {
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 2;
        def.positions = x[r];
        def.radii = radii[r];
        assert_ok(sn_rod_create(world, &def, &rods[r]));
        pills[r] = (Pill){vec3d(x[r][0]), vec3d(x[r][1]), (double)radii[r][0], (double)radii[r][1]};
    }
    SnVec3 points[50];
    for (int i = 0; i < 50; ++i) // all outside the pills
        points[i] = sn_vec3(rng_float(&rng, -1.0, 2.0), rng_float(&rng, 1.3, 3.0),
                            rng_float(&rng, -1.0, 1.0));
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 2;
    def.bodies = rods;
    def.vertex_count = 50;
    def.positions = points;
    def.fairing = 0;
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    assert_int_equal(mesh.bone_count, 4);
    assert_in_bounds(&mesh);
    for (int i = 0; i < 50; ++i) {
        double t[2], w[2];
        for (int r = 0; r < 2; ++r) {
            double d = sn__pill_distance(&pills[r], vec3d(points[i]), &t[r]);
            w[r] = 1.0 / (d * d);
        }
        for (int b = 0; b < 4; ++b) {
            double share = w[b / 2] * (b % 2 ? t[b / 2] : 1.0 - t[b / 2]);
            assert_near(weight_of(&mesh, i, b), share / (w[0] + w[1]), 1e-5);
        }
    }
    sn_world_destroy(world);
}

// A tube without some triangles, with a hole, a seam of repeated vertices, a far shell, vertices of
// no triangle (one at a bone, one on the axis, one very far), degenerate triangles.
static void broken_meshes_have_good_weights(void **state) {
    (void)state;
    enum { EXTRA = 12 };
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnVec3 x[TUBE_VERTICES + EXTRA];
    uint32_t triangles[3 * (TUBE_TRIANGLES + 5)];
    memcpy(x, tube.x, sizeof tube.x);
    const SnVec3 extra[EXTRA] = {
        {50.0f, 0.0f, 0.0f}, {51.0f, 0.0f, 0.0f},    {50.0f, 1.0f, 0.0f}, // a shell far away
        {0.5f, 0.0f, 0.0f},  {0.45f, 0.0f, 0.0f},    {1e8f, -1e8f, 3.0f}, // of no triangle
        tube.x[20 * SIDES],  tube.x[20 * SIDES + 1], tube.x[21 * SIDES],  // a seam
        {0.3f, 0.06f, 0.0f}, {0.3f, 0.06f, 0.0f},    {-0.0f, 0.0f, 0.0f},
    };
    memcpy(x + TUBE_VERTICES, extra, sizeof extra);
    memcpy(triangles, tube.triangles, sizeof tube.triangles);
    const uint32_t n = TUBE_VERTICES, corners[15] = {n, n + 1, n + 2, n + 6, n + 7, n + 8,  0,    0,
                                                     0, 5,     5,     9,     n + 9, n + 10, n + 9};
    memcpy(triangles, corners, sizeof corners); // in the place of the first, which leaves a hole
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    for (int fairing = 0; fairing <= 100; fairing += 50) {
        SnSkinDef def = sn_default_skin_def();
        def.body_count = 1;
        def.bodies = &rod;
        def.vertex_count = TUBE_VERTICES + EXTRA;
        def.triangle_count = TUBE_TRIANGLES;
        def.positions = x;
        def.triangles = triangles;
        def.fairing = fairing;
        SnSkinId skin = make_skin(world, &def);
        SnSkinMesh mesh = mesh_of(world, skin);
        assert_in_bounds(&mesh);
        // Far to the right, the last bone is nearest.
        assert_true(weight_of(&mesh, TUBE_VERTICES, BONES - 1) > 0.1);
        assert_true(mesh.bones[SN_SKIN_BONES * TUBE_VERTICES] == BONES - 1);
        for (int k = 0; k < SN_SKIN_BONES; ++k) { // seams stay closed
            assert_int_equal(mesh.bones[SN_SKIN_BONES * (TUBE_VERTICES + 6) + k],
                             mesh.bones[SN_SKIN_BONES * 20 * SIDES + k]);
            assert_true(mesh.weights[SN_SKIN_BONES * (TUBE_VERTICES + 6) + k] ==
                        mesh.weights[SN_SKIN_BONES * 20 * SIDES + k]);
        }
        bend_rod(world, rod, 0.5);
        SnSkinPoses poses = poses_of(world);
        for (int i = 0; i < 3 * poses.vertex_count; ++i)
            assert_true(isfinite(poses.positions[i]) && isfinite(poses.normals[i]));
        assert_ok(sn_skin_destroy(world, skin));
    }
    sn_world_destroy(world);
}

// The sum over edges of how much weights differ across them.
static double roughness(const SnSkinMesh *mesh) {
    double sum = 0.0;
    for (int e = 0; e < 3 * mesh->triangle_count; ++e) {
        int a = (int)mesh->triangles[e], b = (int)mesh->triangles[e - e % 3 + (e + 1) % 3];
        for (int bone = 0; bone < mesh->bone_count; ++bone)
            sum += pow(weight_of(mesh, a, bone) - weight_of(mesh, b, bone), 2.0);
    }
    return sum;
}

static void fairing_smooths(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnSkinDef def = tube_def(&tube, &rod);
    double before = INFINITY;
    for (int fairing = 0; fairing <= 20; fairing += 5) {
        def.fairing = fairing;
        SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
        double now = roughness(&mesh);
        assert_below(now, before);
        before = now;
    }
    sn_world_destroy(world);
}

static void own_weights_are_taken(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    const SnVec3 x[2] = {{0.0f, 1.0f, 0.0f}, {0.2f, 0.0f, 0.0f}};
    const int bones[8] = {3, 7, 0, 0, 2, 0, 0, 0};
    const float weights[8] = {1.0f, 3.0f, 0.0f, 0.0f, 5.0f, 0.0f, 0.0f, 0.0f};
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 1;
    def.bodies = &rod;
    def.vertex_count = 2;
    def.positions = x;
    def.bones = bones;
    def.weights = weights;
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    assert_near(weight_of(&mesh, 0, 3), 0.25, 1e-6);
    assert_near(weight_of(&mesh, 0, 7), 0.75, 1e-6);
    assert_near(weight_of(&mesh, 1, 2), 1.0, 1e-6);
    RodCopy c;
    copy_rod(world, rod, &c);
    c.x[3].y += 1.0f;
    SnBodyState moved = {.positions = c.x};
    assert_ok(sn_body_write(world, rod, &moved));
    SnSkinPoses poses = poses_of(world);
    assert_near(poses.positions[1], 1.25, 1e-6);
    assert_near(poses.positions[4], 0.0, 1e-6);
    sn_world_destroy(world);
}

static void goes_with_its_rods(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rods[3];
    SnSkinId skins[3];
    for (int i = 0; i < 3; ++i) {
        rods[i] = make_rod(world, 0.05, NULL);
        SnSkinDef def = tube_def(&tube, &rods[i]);
        def.user_data = &rods[i];
        skins[i] = make_skin(world, &def);
        assert_ptr_equal(sn_skin_user_data(world, skins[i]), &rods[i]);
    }
    // Equal definitions share what does not move.
    assert_ptr_equal(mesh_of(world, skins[0]).weights, mesh_of(world, skins[2]).weights);
    assert_ok(sn_body_destroy(world, rods[1]));
    assert_false(sn_skin_is_valid(world, skins[1]));
    SnSkinPoses poses = poses_of(world);
    assert_int_equal(poses.skin_count, 2);
    assert_int_equal(poses.skins[1].index, skins[2].index);
    SnSkinMesh mesh;
    assert_error(sn_skin_mesh(world, skins[1], &mesh), SN_ERROR_STALE, "stale");
    assert_error(sn_skin_destroy(world, skins[1]), SN_ERROR_STALE, "stale");
    assert_null(sn_skin_user_data(world, skins[1]));
    assert_ok(sn_skin_destroy(world, skins[0]));
    assert_int_equal(mesh_of(world, skins[2]).vertex_count, TUBE_VERTICES);
    assert_ok(sn_skin_destroy(world, skins[2]));
    assert_int_equal(poses_of(world).skin_count, 0);
    sn_world_destroy(world);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    const SnSkinDef good = tube_def(&tube, &rod);
    SnSkinDef def = {0};
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "sn_default_skin_def");
    def = good;
    def.body_count = 0;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "body_count");
    const SnBodyId twice[2] = {rod, rod};
    def.body_count = 2;
    def.bodies = twice;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID,
                 "bodies[1] is bodies[0] again");
    const SnBodyId stale = {rod.index, rod.generation + 2};
    def = good;
    def.bodies = &stale;
    def.name = "fur";
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_STALE, "fur: bodies[0]");
    def = good;
    def.vertex_count = 0;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "vertex_count");
    def.vertex_count = SN_MAX_SKIN_VERTICES + 1;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_LIMIT, "vertex_count");
    def = good;
    def.triangles = NULL;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "triangle_count");
    def = good;
    def.fairing = -1;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "fairing: -1");
    def = good;
    def.vertex_count = 40;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "is not in [0, 40)");
    def = good;
    tube.x[7].y = NAN;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "positions[7]");
    tube.x[7].y = 0.0f;
    def.origin[1] = INFINITY;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "origin[1]");
    def = good;
    int bones[SN_SKIN_BONES * TUBE_VERTICES] = {0};
    float weights[SN_SKIN_BONES * TUBE_VERTICES] = {0};
    def.bones = bones;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "go together");
    def.weights = weights;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "vertex 0: their sum is 0");
    weights[0] = 1.0f;
    bones[2] = BONES;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "bones[2]: 11");
    bones[2] = 0;
    weights[1] = -1.0f;
    assert_error(sn_skin_create(world, &def, NULL), SN_ERROR_INVALID, "weights[1]");
    assert_int_equal(poses_of(world).skin_count, 0);
    sn_world_destroy(world);
}

// An allocator that counts, and fails after some time.
typedef struct Meter {
    long live, calls, left;
} Meter;

static void *meter_allocate(size_t size, size_t align, void *context) {
    Meter *meter = context;
    if (meter->left-- == 0)
        return NULL;
    ++meter->calls;
    ++meter->live;
    return aligned_alloc(align, size);
}

static void meter_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Meter *)context)->live;
    free(memory);
}

static void memory_is_given_back(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    for (long left = 0; left < 60; ++left) {
        Meter meter = {.left = -1};
        SnWorldDef world_def = sn_default_world_def();
        world_def.allocator = (SnAllocator){meter_allocate, meter_release, &meter};
        SnWorld *world;
        assert_ok(sn_world_create(&world_def, &world));
        SnBodyId rod = make_rod(world, 0.05, NULL);
        SnSkinDef def = tube_def(&tube, &rod);
        SnSkinId skin;
        meter.left = left;
        SnResult result = sn_skin_create(world, &def, &skin);
        assert_true(result.code == SN_OK || result.code == SN_ERROR_MEMORY);
        SnSkinPoses poses;
        if (result.code == SN_OK && sn_world_skins(world, &poses).code == SN_OK) {
            meter.left = 0; // a second call needs nothing
            assert_ok(sn_world_skins(world, &poses));
        }
        sn_world_destroy(world);
        assert_int_equal(meter.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_finds_the_nearest),
        cmocka_unit_test(initial_weights_are_inverse_squares),
        cmocka_unit_test(broken_meshes_have_good_weights),
        cmocka_unit_test(fairing_smooths),
        cmocka_unit_test(own_weights_are_taken),
        cmocka_unit_test(goes_with_its_rods),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
