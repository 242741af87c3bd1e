// Skins that move: blending against an independent one in double precision, normals against those of
// the deformed triangles, the same bits everywhere.
#include "skin_kit.h"

#include <stdlib.h>

// Every place x of the rod goes to turn · x · scale + shift.
static void move_rod(SnWorld *world, SnBodyId rod, SnQuat turn, double scale, Vec3d shift) {
    RodCopy c;
    copy_rod(world, rod, &c);
    for (int i = 0; i < c.vertices; ++i) {
        Vec3d x = addd(scaled(rotated(quatd(turn), vec3d(c.x[i])), scale), shift);
        c.x[i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
        c.s[i] = (float)scale;
    }
    for (int j = 0; j < c.segments; ++j)
        c.q[j] = quatf(mulqd(quatd(turn), quatd(c.q[j])));
    SnBodyState state = copy_arrays(&c);
    state.radii = NULL;
    assert_ok(sn_body_write(world, rod, &state));
}

static void rest_is_rest(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnSkinDef def = tube_def(&tube, &rod);
    SnSkinId skin = make_skin(world, &def);
    SnSkinPoses poses = poses_of(world);
    SnSkinMesh mesh = mesh_of(world, skin);
    assert_int_equal(poses.skin_count, 1);
    assert_int_equal(poses.vertex_count, TUBE_VERTICES);
    assert_int_equal(poses.vertex_begin[1], TUBE_VERTICES);
    assert_true(poses.skins[0].index == skin.index && poses.skins[0].generation == skin.generation);
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        assert_near3(at3(poses.positions, i), vec3d(tube.x[i]), 1e-6);
        assert_near3(at3(poses.normals, i), vec3d(mesh.rest_normals[i]), 1e-5);
        Vec3d out = {0.0, (double)tube.x[i].y / 0.06, (double)tube.x[i].z / 0.06};
        assert_true(dotd(at3(poses.normals, i), out) > 0.99);
    }
    sn_world_destroy(world);
}

static void moves_with_its_rod(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    Rng rng = {11};
    for (int round = 0; round < 10; ++round) {
        SnWorld *world = weightless_world();
        SnBodyId rod = make_rod(world, 0.05, NULL);
        SnSkinDef def = tube_def(&tube, &rod);
        make_skin(world, &def);
        SnQuat turn = rng_quat(&rng);
        double scale = rng_real(&rng, 0.3, 3.0);
        Vec3d shift = vec3d(rng_vec3(&rng, 5.0));
        move_rod(world, rod, turn, scale, shift);
        SnSkinPoses poses = poses_of(world);
        for (int i = 0; i < TUBE_VERTICES; ++i) {
            Vec3d x = addd(scaled(rotated(quatd(turn), vec3d(tube.x[i])), scale), shift);
            assert_near3(at3(poses.positions, i), x, 5e-6);
            assert_near(lengthd(at3(poses.normals, i)), 1.0, 1e-5);
        }
        Vec3d out = rotated(quatd(turn), (Vec3d){0.0, 1.0, 0.0});
        assert_near3(at3(poses.normals, 20 * SIDES), out, 1e-3);
        sn_world_destroy(world);
    }
}

// The bound pose is the rest shape, not the one at the start.
static void binds_to_the_rest_shape(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnVec3 rest[BONES], start[BONES];
    line_of_points(rest, BONES, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    line_of_points(start, BONES, sn_vec3(1.0f, 2.0f, 3.0f), sn_vec3(0.0f, 0.2f, 0.0f));
    SnRodDef rod_def = sn_default_rod_def();
    rod_def.vertex_count = BONES;
    rod_def.positions = rest;
    rod_def.start_positions = start;
    rod_def.radius = 0.05f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &rod_def, &rod));
    SnSkinDef def = tube_def(&tube, &rod);
    make_skin(world, &def);
    SnSkinPoses poses = poses_of(world);
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        Vec3d x = at3(poses.positions, i);
        assert_near(hypot(x.x - 1.0, x.z - 3.0), 0.06, 1e-5);
        // Weights that are linear along the rod stretch the skin as the rod is; fairing moves them
        // a little near the ends.
        assert_near(x.y, 2.0 + 2.0 * (double)tube.x[i].x, 0.06);
    }
    sn_world_destroy(world);
}

// The mean turn of the segments around vertex i since the rest pose, which is along x.
static Quatd reference_turn(const RodCopy *now, const RodCopy *rest, int i) {
    Quatd sum = {0.0, 0.0, 0.0, 0.0};
    for (int j = i > 0 ? i - 1 : 0; j <= i && j < now->segments; ++j) {
        Quatd q = mulqd(quatd(now->q[j]), conjugated(quatd(rest->q[j])));
        double sign = sum.x * q.x + sum.y * q.y + sum.z * q.z + sum.w * q.w < 0.0 ? -1.0 : 1.0;
        sum =
            (Quatd){sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z, sum.w + sign * q.w};
    }
    return normalisedq(sum);
}

static void blends_like_the_reference(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnSkinDef def = tube_def(&tube, &rod);
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    RodCopy rest, now;
    copy_rod(world, rod, &rest);
    bend_rod(world, rod, 1.5);
    copy_rod(world, rod, &now);
    for (int j = 0; j < now.segments; j += 2) // q and −q are the same
        now.q[j] = (SnQuat){-now.q[j].x, -now.q[j].y, -now.q[j].z, -now.q[j].w};
    SnBodyState flipped = {.frames = now.q};
    assert_ok(sn_body_write(world, rod, &flipped));
    SnSkinPoses poses = poses_of(world);
    for (int v = 0; v < TUBE_VERTICES; ++v) {
        Vec3d sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            int b = mesh.bones[SN_SKIN_BONES * v + k];
            Vec3d x = subd(vec3d(tube.x[v]), vec3d(rest.x[b]));
            x = scaled(rotated(reference_turn(&now, &rest, b), x), (double)now.s[b]);
            sum = addd(
                sum, scaled(addd(x, vec3d(now.x[b])), (double)mesh.weights[SN_SKIN_BONES * v + k]));
        }
        assert_near3(at3(poses.positions, v), sum, 2e-6);
    }
    sn_world_destroy(world);
}

// Area-weighted normals of the deformed mesh.
static Vec3d triangle_normal(const SnSkinMesh *mesh, const float *x, int vertex) {
    Vec3d sum = {0.0, 0.0, 0.0};
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *c = mesh->triangles + 3 * t;
        if (c[0] != (uint32_t)vertex && c[1] != (uint32_t)vertex && c[2] != (uint32_t)vertex)
            continue;
        Vec3d a = at3(x, (int)c[0]);
        sum = addd(sum, crossd(subd(at3(x, (int)c[1]), a), subd(at3(x, (int)c[2]), a)));
    }
    return scaled(sum, 1.0 / lengthd(sum));
}

static void normals_fit_the_deformed_surface(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnSkinDef def = tube_def(&tube, &rod);
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    bend_rod(world, rod, 2.0);
    SnSkinPoses poses = poses_of(world);
    double worst = 0.0, squares = 0.0;
    for (int v = SIDES; v < TUBE_VERTICES - SIDES; ++v) {
        Vec3d n = triangle_normal(&mesh, poses.positions, v);
        double angle = 2.0 * asin(fmin(1.0, 0.5 * lengthd(subd(n, at3(poses.normals, v)))));
        worst = fmax(worst, angle);
        squares += angle * angle;
    }
    assert_below(sqrt(squares / (TUBE_VERTICES - 2 * SIDES)) * 180.0 / SUPPORT_PI, 1.0);
    assert_below(worst * 180.0 / SUPPORT_PI, 4.0);
    sn_world_destroy(world);
}

static void same_bits_everywhere(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    float *first = NULL;
    for (SnIsa isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 4 && sn_isa_available(isa); threads *= 2) {
            SnWorldDef world_def = sn_default_world_def();
            world_def.isa = isa;
            world_def.thread_count = threads;
            SnWorld *world;
            assert_ok(sn_world_create(&world_def, &world));
            for (int k = 0; k < 9; ++k) {
                SnBodyId rod = make_rod(world, 0.05, NULL);
                bend_rod(world, rod, 0.3 * k);
                SnSkinDef def = tube_def(&tube, &rod);
                def.fairing = k % 3;
                make_skin(world, &def);
            }
            SnSkinPoses poses = poses_of(world);
            size_t size = 3 * (size_t)poses.vertex_count * sizeof(float);
            if (first == NULL) {
                first = malloc(2 * size);
                memcpy(first, poses.positions, size);
                memcpy((char *)first + size, poses.normals, size);
            }
            assert_memory_equal(first, poses.positions, size);
            assert_memory_equal((char *)first + size, poses.normals, size);
            sn_world_destroy(world);
        }
    free(first);
}

// Own normals are used as they are; one of no length is replaced.
static void own_normals_are_taken(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnVec3 normals[TUBE_VERTICES];
    for (int i = 0; i < TUBE_VERTICES; ++i)
        normals[i] = sn_vec3(0.0f, 2.0f * tube.x[i].y, 2.0f * tube.x[i].z);
    normals[300] = sn_vec3(0.0f, 0.0f, 0.0f);
    normals[301] = sn_vec3(NAN, 0.0f, 0.0f);
    SnWorld *world = weightless_world();
    SnBodyId rod = make_rod(world, 0.05, NULL);
    SnSkinDef def = tube_def(&tube, &rod);
    SnSkinMesh plain = mesh_of(world, make_skin(world, &def));
    def.normals = normals;
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    assert_ptr_not_equal(plain.weights, mesh.weights);
    SnSkinPoses poses = poses_of(world);
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        Vec3d n = scaled((Vec3d){0.0, (double)tube.x[i].y, (double)tube.x[i].z}, 1.0 / 0.06);
        bool replaced = i == 300 || i == 301;
        assert_near3(at3(poses.normals, TUBE_VERTICES + i), n, replaced ? 0.1 : 1e-5);
    }
    sn_world_destroy(world);
}

// 10 km away, skin and rod keep their shape but for how coarse floats are there.
static void far_from_the_origin(void **state) {
    (void)state;
    Tube tube;
    make_tube(&tube, 1.0, 0.06);
    SnWorld *world = weightless_world();
    const double away[3] = {1e4, -1e4, 1e4};
    SnBodyId rod = make_rod(world, 0.05, away);
    SnSkinDef def = tube_def(&tube, &rod);
    memcpy(def.origin, away, sizeof away);
    SnSkinMesh mesh = mesh_of(world, make_skin(world, &def));
    SnSkinPoses poses = poses_of(world);
    for (int i = 0; i < TUBE_VERTICES; ++i) {
        Vec3d x = addd(vec3d(tube.x[i]), (Vec3d){away[0], away[1], away[2]});
        assert_near3(at3(poses.positions, i), x, 1e-3);
        assert_near3(at3(poses.normals, i), vec3d(mesh.rest_normals[i]), 1e-4);
    }
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_rest),
        cmocka_unit_test(moves_with_its_rod),
        cmocka_unit_test(binds_to_the_rest_shape),
        cmocka_unit_test(blends_like_the_reference),
        cmocka_unit_test(normals_fit_the_deformed_surface),
        cmocka_unit_test(same_bits_everywhere),
        cmocka_unit_test(own_normals_are_taken),
        cmocka_unit_test(far_from_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
