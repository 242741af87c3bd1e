// Muscles under implicit skins: their field in lanes against the one in double precision and against finite
// differences, skins against what the muscle under them does, and the same bits whoever computes them.
#include "odd_tasks.h"
#include "purse.h"
#include "support.h"

#include "implicit/implicit.h"

#include <sinew/character_model.h>

#include <stdlib.h>
#include <string.h>

#define POINTS 24
#define SAMPLES 4000

// Along the arm of character_model.h, at its inner side: y is up, where the elbow bends to.
static void make_line(SnVec3 *line, double bulge) {
    for (int i = 0; i < POINTS; ++i) {
        double t = (double)i / (POINTS - 1);
        line[i] = sn_vec3((float)(0.03 + 0.25 * t), (float)(0.034 + bulge * t * (1.0 - t)), 0.0f);
    }
}

static SnMuscleField *make_muscle(double bulge, float eccentricity) {
    SnVec3 line[POINTS];
    make_line(line, bulge);
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = POINTS;
    def.line = line;
    def.volume = 1.5e-4f;
    def.first_normal = sn_vec3(0.0f, 0.0f, 1.0f);
    def.last_normal = sn_vec3(0.0f, 0.3f, 1.0f);
    def.rest.eccentricity = eccentricity;
    SnMuscleField *muscle;
    assert_ok(sn_muscle_field_create(&def, NULL, &muscle));
    return muscle;
}

// The field and its gradient in lanes, at one point.
static double probe(const SnMuscleField *m, SnVec3 x, SnVec3 *out_gradient) {
    static MuscleNode nodes[POINTS];
    static FieldPack pack;
    double e = sn__muscle_field_eccentricity(m), u = sqrt(1.0 - e * e);
    FieldMuscle field = {nodes, POINTS, 0, (float)u, (float)(1.0 / u), 1.0f, 1.0f};
    sn__muscle_field_nodes(m, nodes);
    for (int lane = 0; lane < FIELD_LANES; ++lane) {
        pack.x[lane] = x.x;
        pack.y[lane] = x.y;
        pack.z[lane] = x.z;
    }
    sn__field_kernels(SN_ISA_SCALAR)->probe(&field, &pack, 1);
    *out_gradient = sn_vec3(pack.out_x[5], pack.out_y[5], pack.out_z[5]);
    return (double)pack.depth[5];
}

// The kernel's radius is a cubic between the points of the line, which is as good as 0.2 % of a radius.
static void lanes_have_the_field(void **state) {
    (void)state;
    Rng rng = {5};
    for (int k = 0; k < 3; ++k) {
        SnMuscleField *m = make_muscle(0.05 * k, 0.3f * (float)k);
        sn_muscle_field_activate(m, 0.5f * (float)k);
        double most = 0.0;
        for (int i = 0; i < SAMPLES; ++i) {
            SnVec3 x = sn_vec3_add(sn_vec3(0.15f, 0.03f, 0.0f), rng_vec3(&rng, 0.15)), unused;
            most = fmax(most, fabs(probe(m, x, &unused) - sn_muscle_field_at(m, x)));
        }
        print_message("lanes are within %.2g mm of the field\n", 1e3 * most);
        assert_below(most, 5e-5);
        sn_muscle_field_destroy(m);
    }
}

// All but a few: at the borders of what belongs to two segments, the gradient has a kink.
static void gradients_are_derivatives(void **state) {
    (void)state;
    Rng rng = {6};
    for (int k = 0; k < 3; ++k) {
        SnMuscleField *m = make_muscle(0.1 * k, 0.35f * (float)k);
        int off = 0;
        for (int i = 0; i < SAMPLES; ++i) {
            SnVec3 x = sn_vec3_add(sn_vec3(0.15f, 0.03f, 0.0f), rng_vec3(&rng, 0.12)), g, unused;
            probe(m, x, &g);
            const float h = 5e-5f, own[3] = {g.x, g.y, g.z};
            double worst = 0.0;
            for (int c = 0; c < 3; ++c) {
                SnVec3 step = {c == 0 ? h : 0.0f, c == 1 ? h : 0.0f, c == 2 ? h : 0.0f};
                double slope = (probe(m, sn_vec3_add(x, step), &unused) -
                                probe(m, sn_vec3_sub(x, step), &unused)) /
                               (2.0 * (double)h);
                worst = fmax(worst, fabs(slope - (double)own[c]));
            }
            off += worst > 0.02;
        }
        print_message("gradients are off by more than 0.02 at %.2g %% of places\n",
                      100.0 * off / SAMPLES);
        assert_below(off, 0.03 * SAMPLES);
        sn_muscle_field_destroy(m);
    }
}

typedef struct Arm {
    SnSkeleton *skeleton;
    SnMuscleField *muscle;
    SnImplicit *skin;
    SnMap maps[3];
    SnVec3 *rest;
    int count;
} Arm;

static void pose_arm(Arm *arm, double time) {
    SnTransform locals[3];
    assert_ok(sn_skeleton_sample(arm->skeleton, 0, time, locals));
    assert_ok(sn_skeleton_maps(arm->skeleton, locals, NULL, arm->maps));
}

static void make_arm(Arm *arm, const SnTaskSystem *tasks, SnIsa isa) {
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &arm->skeleton));
    arm->muscle = make_muscle(0.0, 0.0f);
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = arm->skeleton;
    def.muscle_count = 1;
    const SnMuscleField *muscles[1] = {arm->muscle};
    def.muscles = muscles;
    if (tasks)
        def.tasks = *tasks;
    def.isa = isa;
    assert_ok(sn_implicit_create(&def, NULL, &arm->skin));
    SnSkeletonMesh mesh = sn_skeleton_mesh(arm->skeleton, 0);
    arm->count = mesh.vertex_count;
    arm->rest = calloc((size_t)arm->count, sizeof *arm->rest);
    memcpy(arm->rest, mesh.positions, (size_t)arm->count * sizeof *arm->rest);
    pose_arm(arm, 0.0);
}

static void free_arm(Arm *arm) {
    sn_implicit_destroy(arm->skin);
    sn_muscle_field_destroy(arm->muscle);
    sn_skeleton_destroy(arm->skeleton);
    free(arm->rest);
}

static void skins_rest_on_muscles_at_rest(void **state) {
    (void)state;
    Arm arm;
    make_arm(&arm, NULL, SN_ISA_BEST);
    assert_int_equal(sn_implicit_muscle_joint(arm.skin, 0), 0);
    assert_int_equal(sn_implicit_muscle_joint(arm.skin, 1), -1);
    for (int frame = 0; frame < 10; ++frame)
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    const SnVec3 *x = sn_implicit_mesh(arm.skin, 0).positions;
    double most = 0.0;
    for (int v = 0; v < arm.count; ++v)
        most = fmax(most, (double)sn_vec3_length(sn_vec3_sub(x[v], arm.rest[v])));
    print_message("rest is kept within %.2g mm\n", 1e3 * most);
    assert_below(most, 2e-4);
    free_arm(&arm);
}

// Skin over the belly of the muscle stays as far from the muscle as it was: it goes where that goes, both
// when it swells and when it gets thin.
static void skins_follow_muscles(void **state) {
    (void)state;
    for (int thin = 0; thin < 2; ++thin) {
        Arm arm;
        make_arm(&arm, NULL, SN_ISA_BEST);
        double *before = calloc((size_t)arm.count, sizeof *before);
        for (int v = 0; v < arm.count; ++v)
            before[v] = sn_muscle_field_at(arm.muscle, arm.rest[v]);
        SnVec3 line[POINTS], normal = sn_vec3(0.0f, 0.0f, 1.0f);
        make_line(line, thin ? -0.02 : 0.03);
        assert_ok(sn_muscle_field_move(arm.muscle, line, normal, normal));
        for (int frame = 0; frame < 10; ++frame)
            assert_ok(sn_implicit_deform(arm.skin, arm.maps));
        const SnVec3 *x = sn_implicit_mesh(arm.skin, 0).positions;
        int above = 0, unmoved = 0;
        double error = 0.0, moved = 0.0;
        for (int v = 0; v < arm.count; ++v) {
            SnVec3 way = sn_vec3_sub(x[v], arm.rest[v]);
            bool belly = fabsf(arm.rest[v].x - 0.155f) < 0.04f;
            if (belly && before[v] < 0.006 && fabsf(arm.rest[v].z) < 0.015f) {
                double now = sn_muscle_field_at(arm.muscle, x[v]);
                error = fmax(error, fabs(now - before[v]));
                moved += (double)way.y;
                ++above;
            }
            if (arm.rest[v].x > 0.4f)
                unmoved += sn_vec3_length(way) < 1e-4f;
        }
        moved /= above;
        print_message("%d vertices over it went %.3g mm, within %.2g mm of where it went\n", above,
                      1e3 * moved, 1e3 * error);
        assert_true(above > 10);
        assert_true(thin ? moved < -0.003 : moved > 0.005);
        assert_below(error, 1e-3);
        assert_true(unmoved > 500);
        free(before);
        free_arm(&arm);
    }
}

// While nothing moves, the skin comes to rest, to the bit; it moves again as soon as the muscle or a joint does.
static void still_skins_are_still(void **state) {
    (void)state;
    Arm arm;
    make_arm(&arm, NULL, SN_ISA_BEST);
    SnVec3 *before = calloc((size_t)arm.count, sizeof *before);
    size_t size = (size_t)arm.count * sizeof *before;
    for (int i = 0; i <= 8; ++i) {
        pose_arm(&arm, 0.1 * i);
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    }
    for (int i = 0; i < 130; ++i)
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    const SnVec3 *x = sn_implicit_mesh(arm.skin, 0).positions;
    for (int i = 0; i < 3; ++i) {
        memcpy(before, x, size);
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
        assert_memory_equal(before, x, size);
    }
    sn_muscle_field_activate(arm.muscle, 1.0f);
    assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    assert_memory_not_equal(before, x, size);
    for (int i = 0; i < 130; ++i)
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    memcpy(before, x, size);
    pose_arm(&arm, 0.7);
    assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    assert_memory_not_equal(before, x, size);
    free(before);
    free_arm(&arm);
}

// A point never stands alone: what is added to blending there is near what is added around it.
static void agreement_cuts_what_stands_alone(void **state) {
    (void)state;
    Arm arm;
    make_arm(&arm, NULL, SN_ISA_BEST);
    for (int i = 0; i <= 10; ++i) {
        pose_arm(&arm, 0.1 * i);
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    }
    // Of what is shown: nobody is farther from the mean of its neighbours than the passes allow.
    const SnImplicit *s = arm.skin;
    double most = 0.0;
    for (int i = 0; i < FIELD_LANES * s->tracked_packs; ++i) {
        SnVec3 mean = {0.0f, 0.0f, 0.0f}, own = s->shown[0][i].at;
        int pack = i / FIELD_LANES, lane = i % FIELD_LANES;
        for (int k = s->ring_begin[pack]; k < s->ring_begin[pack + 1]; ++k)
            mean = sn_vec3_add_scaled(mean, s->shown[0][s->rings[k].slot[lane]].at,
                                      s->rings[k].share[lane]);
        if (s->edges[i] > 0.0f && !s->packs[pack].rigid)
            most = fmax(most, (double)(sn_vec3_length(sn_vec3_sub(own, mean)) / s->edges[i]));
    }
    print_message("additions differ by %.2g edges from their neighbours'\n", most);
    assert_below(most, 0.5);
    free_arm(&arm);
}

static uint64_t hash_frames(const SnTaskSystem *tasks, SnIsa isa) {
    Arm arm;
    uint64_t hash = 1;
    make_arm(&arm, tasks, isa);
    for (int frame = 0; frame < 6; ++frame) {
        pose_arm(&arm, 0.15 * frame);
        sn_muscle_field_activate(arm.muscle, 0.2f * (float)frame);
        assert_ok(sn_implicit_deform(arm.skin, arm.maps));
    }
    const SnVec3 *x = sn_implicit_mesh(arm.skin, 0).positions;
    for (int v = 0; v < arm.count; ++v) {
        uint32_t bits[3];
        memcpy(bits, &x[v], sizeof bits);
        for (int c = 0; c < 3; ++c)
            hash = (hash ^ bits[c]) * 0x100000001b3u;
    }
    free_arm(&arm);
    return hash;
}

static void bits_are_the_same(void **state) {
    (void)state;
    uint64_t expected = hash_frames(NULL, SN_ISA_SCALAR);
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            assert_true(hash_frames(NULL, (SnIsa)isa) == expected);
    int calls = 0;
    SnTaskSystem odd = {8, odd_cuts, &calls};
    assert_true(hash_frames(&odd, SN_ISA_BEST) == expected);
}

// Joints as the mesh was bound: those of the arm are where they are at rest.
static void bound_maps_are_those_of_the_binds(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    SnMap maps[12], rest[12];
    SnTransform locals[12];
    for (int c = 0; c < SN_CHARACTER_COUNT; ++c) {
        assert_ok(sn_character_skeleton((SnCharacter)c, NULL, &skeleton));
        assert_ok(sn_skeleton_rest(skeleton, locals));
        assert_ok(sn_skeleton_maps(skeleton, locals, NULL, rest));
        assert_ok(sn_skeleton_bound_maps(skeleton, maps));
        for (int i = 0; i < sn_skeleton_joint_count(skeleton); ++i)
            assert_near(sn_vec3_length(sn_vec3_sub(maps[i].origin, rest[i].origin)), 0.0, 1e-6);
        sn_skeleton_destroy(skeleton);
    }
    assert_error(sn_skeleton_bound_maps(NULL, maps), SN_ERROR_INVALID, "skeleton");
}

static void bad_muscles_are_named(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    SnImplicit *skin;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &skeleton));
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton;
    def.muscle_count = 1;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "muscles: 1 are not");
    const SnMuscleField *none[1] = {NULL};
    def.muscles = none;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "number 0 is NULL");
    sn_skeleton_destroy(skeleton);
}

// Wherever memory ends, it is told, and nothing is left behind.
static void memory_that_ends_is_told(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    SnMuscleField *muscle = make_muscle(0.0, 0.0f);
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &skeleton));
    const SnMuscleField *muscles[1] = {muscle};
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton;
    def.muscle_count = 1;
    def.muscles = muscles;
    SnResult result = sn_error(SN_ERROR_MEMORY, "not tried");
    int runs = 0;
    for (; result.code != SN_OK; ++runs) {
        Purse purse = {3 * runs, 0};
        SnAllocator allocator = {purse_allocate, purse_release, &purse};
        SnImplicit *skin;
        result = sn_implicit_create(&def, &allocator, &skin);
        assert_int_equal(result.code, skin ? SN_OK : SN_ERROR_MEMORY);
        sn_implicit_destroy(skin);
        assert_int_equal(purse.held, 0);
    }
    assert_true(runs > 10);
    sn_muscle_field_destroy(muscle);
    sn_skeleton_destroy(skeleton);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_the_field),
        cmocka_unit_test(gradients_are_derivatives),
        cmocka_unit_test(skins_rest_on_muscles_at_rest),
        cmocka_unit_test(skins_follow_muscles),
        cmocka_unit_test(still_skins_are_still),
        cmocka_unit_test(agreement_cuts_what_stands_alone),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(bound_maps_are_those_of_the_binds),
        cmocka_unit_test(bad_muscles_are_named),
        cmocka_unit_test(memory_that_ends_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
