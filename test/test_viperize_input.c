// Meshes and definitions that are not as they should be: mended, told, or refused with words that help.
#include "fit_kit.h"
#include "memory_count.h"

// Triangles that wind the other way, holes, a small shell, doubles and triangles without area.
static void spoiled_meshes_are_mended(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 6000);
    SnViperizeDef def = viperize_def(&soup, 6, 8);
    SnViper whole = convert(&def);
    int first = soup.triangle_count;
    for (int i = 0; i < first; i += 7) { // every seventh turned
        uint32_t swap = soup.triangles[3 * i + 1];
        soup.triangles[3 * i + 1] = soup.triangles[3 * i + 2];
        soup.triangles[3 * i + 2] = swap;
    }
    for (int i = 0; i < 20; ++i) // doubles
        memcpy(soup.triangles + 3 * soup.triangle_count++, soup.triangles + 3 * (100 + i),
               3 * sizeof *soup.triangles);
    for (int i = 0; i < 5; ++i) { // no area
        uint32_t *t = soup.triangles + 3 * soup.triangle_count++;
        t[0] = t[1] = (uint32_t)i;
        t[2] = (uint32_t)i + 1;
    }
    for (int i = 0; i < 4; ++i) { // a small tetrahedron far away
        static const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
        uint32_t *t = soup.triangles + 3 * soup.triangle_count++;
        for (int c = 0; c < 3; ++c)
            t[c] = (uint32_t)soup.vertex_count + corners[i][c];
    }
    for (int i = 0; i < 4; ++i)
        soup.positions[soup.vertex_count++] =
            sn_vec3(0.2f + 0.01f * (i == 1), 0.01f * (i == 2), 0.01f * (i == 3));
    for (int i = 0; i < 3; ++i) // holes
        memcpy(soup.triangles + 3 * (900 * i + 200), soup.triangles, 3 * sizeof *soup.triangles);
    def = viperize_def(&soup, 6, 8);
    SnViper mended = convert(&def);
    assert_true(says(&mended, "turned"));
    assert_true(says(&mended, "hole"));
    assert_true(says(&mended, "shells"));
    assert_true(says(&mended, "left out"));
    assert_near(mended.quality.volume / whole.quality.volume, 1.0, 0.003);
    assert_below(share(&mended), 0.04);
    sn_viper_destroy(&whole);
    sn_viper_destroy(&mended);
    soup_free(&soup);
}

// The source as a sphere at one end, and as vertices: the rods start there.
static void ends_can_be_given(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_STRAP, 1.0f, 4000);
    for (int reversed = 0; reversed < 2; ++reversed) {
        SnFitSphere sphere = {sn_vec3(0.0f, reversed ? 0.5f : -0.5f, 0.0f), 0.1f};
        SnViperizeDef def = viperize_def(&soup, 4, 6);
        def.source = (SnFitEnd){.sphere_count = 1, .spheres = &sphere};
        SnViper viper = convert(&def);
        for (int k = 0; k < 4; ++k)
            assert_true((viper.positions[6 * k].y < viper.positions[6 * k + 5].y) == !reversed);
        sn_viper_destroy(&viper);
    }
    int lowest = 0, highest = 0;
    for (int i = 0; i < soup.vertex_count; ++i) {
        if (soup.positions[i].y < soup.positions[lowest].y)
            lowest = i;
        if (soup.positions[i].y > soup.positions[highest].y)
            highest = i;
    }
    SnViperizeDef def = viperize_def(&soup, 4, 6);
    def.source = (SnFitEnd){.vertex_count = 1, .vertices = &highest};
    def.sink = (SnFitEnd){.vertex_count = 1, .vertices = &lowest};
    SnViper viper = convert(&def);
    for (int k = 0; k < 4; ++k)
        assert_true(viper.positions[6 * k].y > viper.positions[6 * k + 5].y);
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

// How high rods start in a strap whose vertices below −0.3 are its source.
static double start_of_painted(int triangles) {
    Soup soup = soup_of(SN_MUSCLE_STRAP, 1.0f, triangles);
    int *painted = calloc((size_t)soup.vertex_count, sizeof *painted);
    SnViperizeDef def = viperize_def(&soup, 4, 6);
    assert_non_null(painted);
    def.source.vertices = painted;
    for (int i = 0; i < soup.vertex_count; ++i)
        if (soup.positions[i].y < -0.3f)
            painted[def.source.vertex_count++] = i;
    SnViper viper = convert(&def);
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        assert_true(viper.positions[6 * k].y < viper.positions[6 * k + 5].y);
        sum += (double)viper.combed[6 * k].y / 4.0;
    }
    for (int i = 0; i < viper.vertex_count; ++i)
        assert_true(viper.mesh_positions[i].y > -0.301f ||
                    viper.mesh_places[i] == SN_FIT_AT_SOURCE);
    sn_viper_destroy(&viper);
    free(painted);
    soup_free(&soup);
    return sum;
}

// Painted vertices stand for the triangles between them: it does not matter how large these are.
static void painted_triangles_are_filled(void **state) {
    (void)state;
    double fine = start_of_painted(20000), coarse = start_of_painted(300);
    assert_near(coarse, fine, 0.05);
}

// A thin block as the mesh of a bone, from one corner to the opposite one.
typedef struct Block {
    SnVec3 corners[8];
    SnFitBone bone;
} Block;

static void make_block(Block *block, SnVec3 low, SnVec3 high) {
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; ++i)
        block->corners[i] =
            sn_vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    block->bone = (SnFitBone){8, 12, block->corners, triangles};
}

// Bones at both ends of a strap; and one that lies along all of it, whose end is the one away from the
// other bone.
static void bones_are_ends(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_STRAP, 1.0f, 4000);
    Block upper, lower, beside;
    make_block(&upper, sn_vec3(-0.1f, 0.52f, -0.1f), sn_vec3(0.1f, 0.6f, 0.1f));
    make_block(&lower, sn_vec3(-0.1f, -0.6f, -0.1f), sn_vec3(0.1f, -0.52f, 0.1f));
    make_block(&beside, sn_vec3(-0.05f, -0.6f, -0.3f), sn_vec3(0.05f, 0.6f, -0.2f));
    const SnFitBone *pairs[][2] = {{&upper.bone, &lower.bone},  {&lower.bone, &upper.bone},
                                   {&beside.bone, &upper.bone}, {&upper.bone, &beside.bone},
                                   {&lower.bone, NULL},         {NULL, &upper.bone}};
    const bool rises[] = {false, true, true, false, true, true};
    for (size_t i = 0; i < sizeof rises / sizeof rises[0]; ++i) {
        SnViperizeDef def = viperize_def(&soup, 4, 6);
        def.source = (SnFitEnd){.bone_count = pairs[i][0] != NULL, .bones = pairs[i][0]};
        def.sink = (SnFitEnd){.bone_count = pairs[i][1] != NULL, .bones = pairs[i][1]};
        SnViper viper = convert(&def);
        for (int k = 0; k < 4; ++k) {
            assert_true((viper.positions[6 * k + 5].y > viper.positions[6 * k].y) == rises[i]);
            // From end to end: the faces of the strap are the ends.
            float way = viper.positions[6 * k + 5].y - viper.positions[6 * k].y;
            assert_true(fabsf(way) > 0.85f);
        }
        assert_false(says(&viper, "away from the muscle"));
        sn_viper_destroy(&viper);
    }
    // What is far away is told, and what is wrong is refused.
    Block far;
    make_block(&far, sn_vec3(50.0f, 0.0f, 0.0f), sn_vec3(51.0f, 1.0f, 1.0f));
    SnViperizeDef def = viperize_def(&soup, 4, 6);
    def.source = (SnFitEnd){.bone_count = 1, .bones = &far.bone};
    SnViper viper = convert(&def);
    assert_true(says(&viper, "away from the muscle"));
    sn_viper_destroy(&viper);
    def.sink = def.source;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "name another bone");
    far.corners[3].x = NAN;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "source: bone 0: vertex 3");
    far.bone.triangle_count = 0;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID,
                 "source: bone 0 has 8 vertices");
    soup_free(&soup);
}

// Three beads on a thread that is thinner than any cell: what is left would be a third of it.
static void what_falls_apart_is_refused(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 4000);
    for (int i = 0; i < soup.vertex_count; ++i) {
        float way = soup.positions[i].y / 0.3f + 0.5f;
        float bead = fmaxf(1e-3f, powf(sinf(3.0f * 3.14159265f * way), 2.0f));
        float belly = hypotf(soup.positions[i].x, soup.positions[i].z);
        float factor = belly > 0.0f ? 0.03f * bead / belly : 1.0f;
        soup.positions[i].x *= factor;
        soup.positions[i].z *= factor;
    }
    SnViperizeDef def = viperize_def(&soup, 3, 4);
    SnViper viper;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "too thin a bridge");
    soup_free(&soup);
}

// A muscle that is thinner than so many rods can be told apart by its cells.
static void too_many_rods_for_a_slice_are_refused(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 2000);
    for (int i = 0; i < soup.vertex_count; ++i)
        soup.positions[i].y *= 200.0f;
    SnViperizeDef def = viperize_def(&soup, 256, 4);
    SnViper viper;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "ask for fewer rods");
    soup_free(&soup);
}

// One rod, two slices, and as many rods as a slice holds only just.
static void few_and_many_rods(void **state) {
    (void)state;
    static const int sizes[][2] = {{1, 2}, {1, 9}, {3, 2}, {40, 3}, {2, 24}};
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 2000);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        SnViperizeDef def = viperize_def(&soup, sizes[i][0], sizes[i][1]);
        SnViper viper = convert(&def);
        for (int k = 0; k < sizes[i][0] * sizes[i][1]; ++k) {
            SnVec3 x = viper.positions[k];
            assert_true(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
            assert_true(viper.radii[k] > 0.0f);
        }
        assert_near(viper.quality.volume_ratio, 1.0, 0.02);
        sn_viper_destroy(&viper);
    }
    // What is long and thin has more slices by default.
    SnViperizeDef def = viperize_def(&soup, 4, 0);
    SnViper thick = convert(&def);
    assert_int_equal(thick.slice_count, 8);
    for (int i = 0; i < soup.vertex_count; ++i)
        soup.positions[i].y *= 4.0f;
    SnViper thin = convert(&def);
    assert_true(thin.slice_count > 12);
    sn_viper_destroy(&thick);
    sn_viper_destroy(&thin);
    soup_free(&soup);
}

// A single rod in a muscle of two heads can only be in one of them.
static void one_rod_for_two_heads_is_told(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_TWO_HEADED, 0.3f, 2000);
    SnViperizeDef def = viperize_def(&soup, 1, 8);
    SnViper viper = convert(&def);
    assert_true(says(&viper, "too few"));
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

static bool stop(const char *stage, double done, void *context) {
    (void)stage;
    double *last = context;
    assert_true(done >= *last && done <= 1.0);
    *last = done;
    return done < 0.3;
}

static bool go_on(const char *stage, double done, void *context) {
    assert_non_null(stage);
    *(double *)context = done;
    return true;
}

static void progress_is_told_and_can_stop(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 1000);
    SnViperizeDef def = viperize_def(&soup, 3, 4);
    double done = 0.0;
    def.progress = stop;
    def.progress_context = &done;
    SnViper viper;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "stopped");
    def.progress = go_on;
    viper = convert(&def);
    assert_near(done, 1.0, 0.0);
    assert_true(viper.report.stage_count >= 5);
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 1000);
    SnViperizeDef def = viperize_def(&soup, 3, 4), wrong;
    SnViper viper;
    assert_error(sn_viperize(NULL, NULL, &viper), SN_ERROR_INVALID, "def");
    assert_error(sn_viperize(&def, NULL, NULL), SN_ERROR_INVALID, "out_viper");
    SnViperizeDef zero = {0};
    assert_error(sn_viperize(&zero, NULL, &viper), SN_ERROR_INVALID, "sn_default_viperize_def");
    wrong = viperize_def(&soup, 0, 4);
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "rods: 0");
    wrong = viperize_def(&soup, 3, 1);
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "slices: 1");
    int vertex = soup.vertex_count;
    wrong = def;
    wrong.sink = (SnFitEnd){.vertex_count = 1, .vertices = &vertex};
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "sink: vertex");
    SnFitSphere sphere = {sn_vec3(0.0f, NAN, 0.0f), 1.0f};
    wrong = def;
    wrong.source = (SnFitEnd){.sphere_count = 1, .spheres = &sphere};
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "source: sphere 0");
    // The whole muscle is a source; and source and sink side by side.
    SnFitSphere all = {sn_vec3(0.0f, 0.0f, 0.0f), 1.0f}, end = {sn_vec3(0.0f, 0.1f, 0.0f), 0.02f};
    wrong.source = (SnFitEnd){.sphere_count = 1, .spheres = &all};
    wrong.sink = (SnFitEnd){.sphere_count = 1, .spheres = &end};
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "touches the sink");
    SnFitSphere lower = {sn_vec3(0.0f, -0.1f, 0.0f), 0.1f},
                upper = {sn_vec3(0.0f, 0.1f, 0.0f), 0.1f};
    wrong.source = (SnFitEnd){.sphere_count = 1, .spheres = &lower};
    wrong.sink = (SnFitEnd){.sphere_count = 1, .spheres = &upper};
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "touches the sink");
    soup_free(&soup);
}

static void bad_meshes_are_refused(void **state) {
    (void)state;
    SnViper viper;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 2000);
    SnViperizeDef def = viperize_def(&soup, 3, 4), wrong = def;
    wrong.triangle_count = 0;
    assert_error(sn_viperize(&wrong, NULL, &viper), SN_ERROR_INVALID, "empty");
    // Half of it: an open bowl whose rim is small beside it is closed, a sheet is not.
    wrong = def;
    wrong.triangle_count = def.triangle_count / 2;
    assert_ok(sn_viperize(&wrong, NULL, &viper));
    assert_true(says(&viper, "open"));
    sn_viper_destroy(&viper);
    for (int i = 0; i < soup.vertex_count; ++i)
        soup.positions[i].z = 0.0f;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "mesh: ");
    soup.positions[17].x = NAN;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "vertex 17");
    soup.positions[17].x = 0.0f;
    soup.triangles[30] = 1u << 30;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "triangle 10");
    for (int i = 0; i < 3 * soup.triangle_count; ++i)
        soup.triangles[i] = 5;
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "no area");
    for (int i = 0; i < soup.vertex_count; ++i)
        soup.positions[i] = sn_vec3(1.0f, 2.0f, 3.0f);
    assert_error(sn_viperize(&def, NULL, &viper), SN_ERROR_INVALID, "one place");
    soup_free(&soup);
}

// Two muscles of one size in one file: one of them is taken, and that is told.
static void two_muscles_in_one_mesh_are_told(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 2000);
    int vertices = soup.vertex_count, triangles = soup.triangle_count;
    for (int i = 0; i < vertices; ++i)
        soup.positions[soup.vertex_count++] =
            sn_vec3_add(soup.positions[i], sn_vec3(0.2f, 0.0f, 0.0f));
    for (int i = 0; i < 3 * triangles; ++i)
        soup.triangles[3 * triangles + i] = soup.triangles[i] + (uint32_t)vertices;
    soup.triangle_count *= 2;
    SnViperizeDef def = viperize_def(&soup, 3, 4);
    SnViper viper = convert(&def);
    assert_true(says(&viper, "several muscles"));
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

// Whatever allocation fails, the call says so, and all memory is given back.
static void no_memory_is_an_error(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 400);
    SnViperizeDef def = viperize_def(&soup, 2, 3);
    SnBonifyDef bone = sn_default_bonify_def();
    bone.vertex_count = soup.vertex_count;
    bone.positions = soup.positions;
    bone.triangle_count = soup.triangle_count;
    bone.triangles = soup.triangles;
    bone.pills = 3;
    for (int kind = 0; kind < 2; ++kind) {
        bool failed = true;
        for (long at = 1; failed; at += 1 + at / 5) {
            Counter counter = {.fail_at = at};
            SnAllocator allocator = {count_allocate, count_release, &counter};
            SnViper viper;
            SnBonePills pills;
            SnResult result = kind == 0 ? sn_viperize(&def, &allocator, &viper)
                                        : sn_bonify(&bone, &allocator, &pills);
            failed = counter.calls >= at;
            assert_int_equal(result.code, failed ? SN_ERROR_MEMORY : SN_OK);
            if (!failed && kind == 0)
                sn_viper_destroy(&viper);
            else if (!failed)
                sn_bone_pills_destroy(&pills);
            assert_int_equal(counter.live, 0);
        }
    }
    soup_free(&soup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoiled_meshes_are_mended),
        cmocka_unit_test(ends_can_be_given),
        cmocka_unit_test(painted_triangles_are_filled),
        cmocka_unit_test(bones_are_ends),
        cmocka_unit_test(what_falls_apart_is_refused),
        cmocka_unit_test(too_many_rods_for_a_slice_are_refused),
        cmocka_unit_test(few_and_many_rods),
        cmocka_unit_test(one_rod_for_two_heads_is_told),
        cmocka_unit_test(progress_is_told_and_can_stop),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(two_muscles_in_one_mesh_are_told),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
