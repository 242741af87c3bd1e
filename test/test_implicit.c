// Implicit skins: fields against what they interpolate and finite differences, skins against their rest
// pose, brute force for crossings, and the same bits whoever computes them.
#include "memory_count.h"
#include "odd_tasks.h"

#include "geom/crossing.h"
#include "implicit/hrbf.h"
#include "implicit/implicit.h"

#define WIDE 1
#define WIDE_NAME scalar
#include "implicit/operators.h"

#define POINTS 60
#define FRAMES 20

// Points spread over an ellipsoid, and its normals.
static void make_ellipsoid(Vec3d *points, Vec3d *normals) {
    const Vec3d half = {0.3, 0.05, 0.07};
    for (int i = 0; i < POINTS; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / POINTS, r = sqrt(1.0 - z * z), angle = 2.399963 * i;
        Vec3d u = {r * cos(angle), r * sin(angle), z};
        points[i] = (Vec3d){half.x * u.x, half.y * u.y, half.z * u.z};
        Vec3d n = {u.x / half.x, u.y / half.y, u.z / half.z};
        normals[i] = scaled(n, 1.0 / lengthd(n));
    }
}

static void hrbf_interpolates_points_and_normals(void **state) {
    (void)state;
    Vec3d points[POINTS], normals[POINTS], gradient;
    SnAllocator allocator = sn__default_allocator();
    static Hrbf hrbf;
    make_ellipsoid(points, normals);
    assert_ok(sn__hrbf_fit(&allocator, points, normals, POINTS, &hrbf));
    for (int i = 0; i < POINTS; ++i) {
        assert_near(sn__hrbf_at(&hrbf, points[i], &gradient), 0.0, 1e-9);
        assert_near(lengthd(subd(gradient, normals[i])), 0.0, 1e-7);
    }
    // Between the points it is near the surface; inside it is negative.
    assert_true(sn__hrbf_at(&hrbf, (Vec3d){0.0, 0.0, 0.0}, &gradient) < -0.02);
    assert_true(sn__hrbf_at(&hrbf, (Vec3d){0.0, 0.1, 0.0}, &gradient) > 0.02);
    points[1] = points[0];
    assert_error(sn__hrbf_fit(&allocator, points, normals, POINTS, &hrbf), SN_ERROR_INVALID,
                 "do not make a surface");
}

static void hrbf_gradient_is_its_derivative(void **state) {
    (void)state;
    Vec3d points[POINTS], normals[POINTS], gradient, unused;
    SnAllocator allocator = sn__default_allocator();
    static Hrbf hrbf;
    Rng rng = {1};
    make_ellipsoid(points, normals);
    assert_ok(sn__hrbf_fit(&allocator, points, normals, POINTS, &hrbf));
    for (int i = 0; i < 100; ++i) {
        Vec3d x = vec3d(rng_vec3(&rng, 0.4));
        sn__hrbf_at(&hrbf, x, &gradient);
        const double own[3] = {gradient.x, gradient.y, gradient.z};
        for (int c = 0; c < 3; ++c) {
            const double h = 1e-5;
            Vec3d step = {c == 0 ? h : 0.0, c == 1 ? h : 0.0, c == 2 ? h : 0.0};
            double slope = (sn__hrbf_at(&hrbf, addd(x, step), &unused) -
                            sn__hrbf_at(&hrbf, subd(x, step), &unused)) /
                           (2.0 * h);
            assert_near(slope, own[c], 1e-5 * (1.0 + fabs(own[c])));
        }
    }
}

static float at(Lanes x) { return x[0]; }

static void transfer_is_smooth_and_compact(void **state) {
    (void)state;
    Lanes slope, unused;
    assert_near(at(transfer(splat(0.0f), &slope)), 0.5, 1e-7);
    assert_near(at(transfer(splat(-1.5f), &slope)), 1.0, 1e-7);
    assert_near(at(transfer(splat(1.0f), &slope)), 0.0, 1e-7);
    assert_near(at(slope), 0.0, 1e-7);
    for (int i = -9; i <= 9; ++i) {
        float x = 0.1f * (float)i, h = 1e-2f;
        transfer(splat(x), &slope);
        float up = at(transfer(splat(x + h), &unused)), down = at(transfer(splat(x - h), &unused));
        assert_near((up - down) / (2.0f * h), at(slope), 3e-4);
    }
}

static float combined(float a, float b, float c, float mix) {
    return at(combine(splat(a), splat(b), splat(c), splat(mix), 0.3f).value);
}

static void operator_has_the_derivatives_it_says(void **state) {
    (void)state;
    Rng rng = {2};
    for (int i = 0; i < 2000; ++i) {
        float a = rng_float(&rng, 0.02, 0.98), b = rng_float(&rng, 0.02, 0.98), h = 2e-3f;
        float c = rng_float(&rng, -1.0, 1.0), mix = rng_float(&rng, 0.0, 1.0);
        Combined g = combine(splat(a), splat(b), splat(c), splat(mix), 0.3f);
        assert_near(combined(a, 0.0f, c, mix), a, 1e-6); // compact support
        float ramp = fminf(1.0f, fmaxf(0.0f, (c - FACING) / (BLENDED - FACING)));
        float share = mix * ramp * ramp * (3.0f - 2.0f * ramp);
        float kinks[2] = {fabsf(a - share * b), fabsf(b - 0.5f)};
        if (kinks[0] < 0.02f || kinks[1] < 2.0f * h)
            continue; // the maximum where there is no blend, and where the bulge ends
        float by_a = (combined(a + h, b, c, mix) - combined(a - h, b, c, mix)) / (2.0f * h);
        float by_b = (combined(a, b + h, c, mix) - combined(a, b - h, c, mix)) / (2.0f * h);
        // Kinks of the second derivative, where a blend begins, are within the tolerance.
        assert_near(by_a, at(g.by_a), 0.02);
        assert_near(by_b, at(g.by_b), 0.02);
    }
}

typedef struct Studio {
    SnSkeleton *skeleton;
    SnImplicit *skin;
    SnSkeletonMesh mesh;
    SnTransform locals[3];
    SnMap maps[3];
} Studio;

static void open_studio(Studio *s, SnCharacter character, const SnImplicitDef *from) {
    SnImplicitDef def = from ? *from : sn_default_implicit_def();
    assert_ok(sn_character_skeleton(character, NULL, &s->skeleton));
    def.skeleton = s->skeleton;
    s->mesh = sn_skeleton_mesh(s->skeleton, 0);
    assert_int_equal(s->mesh.vertex_count, 2172);
    assert_ok(sn_implicit_create(&def, NULL, &s->skin));
}

static void close_studio(Studio *s) {
    sn_implicit_destroy(s->skin);
    sn_skeleton_destroy(s->skeleton);
}

static SnImplicitMesh deform_at(Studio *s, double time, const SnMap *place) {
    assert_ok(sn_skeleton_sample(s->skeleton, 0, time, s->locals));
    assert_ok(sn_skeleton_maps(s->skeleton, s->locals, place, s->maps));
    assert_ok(sn_implicit_deform(s->skin, s->maps));
    return sn_implicit_mesh(s->skin, 0);
}

static double largest_difference(const SnVec3 *a, const SnVec3 *b, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, (double)sn_vec3_length(sn_vec3_sub(a[i], b[i])));
    return most;
}

static void skin_rests_where_it_was(void **state) {
    (void)state;
    Studio s;
    open_studio(&s, SN_CHARACTER_LEG, NULL);
    SnImplicitMesh mesh = deform_at(&s, 0.0, NULL);
    SnImplicitInfo info = sn_implicit_info(s.skin);
    assert_below(largest_difference(mesh.positions, s.mesh.positions, mesh.vertex_count), 1e-6);
    assert_below(largest_difference(mesh.normals, s.mesh.normals, mesh.vertex_count), 1e-4);
    assert_int_equal(info.part_count, 3);
    assert_int_equal(info.tracked, info.point_count);
    assert_below(info.fit, 0.002 * info.height);
    close_studio(&s);
}

// The least area of a triangle over its own at rest.
static double least_area(const SnSkeletonMesh *mesh, const SnVec3 *x) {
    double least = 1e9;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *v = mesh->triangles + 3 * t;
        const SnVec3 *const both[2] = {mesh->positions, x};
        double area[2];
        for (int k = 0; k < 2; ++k)
            area[k] =
                (double)sn_vec3_length(sn_vec3_cross(sn_vec3_sub(both[k][v[1]], both[k][v[0]]),
                                                     sn_vec3_sub(both[k][v[2]], both[k][v[0]])));
        least = fmin(least, area[1] / area[0]);
    }
    return least;
}

static int crossings(const Studio *s, const SnVec3 *x) {
    SnAllocator allocator = sn__default_allocator();
    int count = sn__count_crossings(&allocator, x, s->skin->surface.point, s->mesh.triangles,
                                    s->mesh.triangle_count);
    assert_true(count >= 0);
    return count;
}

static void bent_joints_do_not_cross(void **state) {
    (void)state;
    for (int character = 0; character <= SN_CHARACTER_LEG; ++character) {
        Studio s;
        open_studio(&s, (SnCharacter)character, NULL);
        SnImplicitMesh mesh = {0};
        for (int i = 0; i <= FRAMES; ++i) {
            mesh = deform_at(&s, (double)i / FRAMES, NULL);
            assert_int_equal(crossings(&s, mesh.positions), 0);
        }
        SnImplicitInfo info = sn_implicit_info(s.skin);
        assert_true(crossings(&s, mesh.blended) > 50);
        assert_true(info.touching > 50);
        assert_int_equal(info.lost, 0);
        assert_below(info.away, 1e-3 * info.height);
        assert_true(least_area(&s.mesh, mesh.positions) > 0.02);
        close_studio(&s);
    }
}

// From straight to 150° within one frame, from both kinds of blending.
static void skin_recovers_from_jumps(void **state) {
    (void)state;
    for (int start = SN_BLEND_LINEAR; start <= SN_BLEND_DUAL_QUATERNIONS; ++start) {
        SnImplicitDef def = sn_default_implicit_def();
        def.start = (SnBlending)start;
        Studio s;
        open_studio(&s, SN_CHARACTER_ARM, &def);
        deform_at(&s, 0.0, NULL);
        SnImplicitMesh mesh = deform_at(&s, 1.0, NULL);
        if (start == SN_BLEND_DUAL_QUATERNIONS)
            assert_int_equal(crossings(&s, mesh.positions), 0);
        else
            assert_true(crossings(&s, mesh.positions) < crossings(&s, mesh.blended));
        for (int i = 0; i < mesh.vertex_count; ++i)
            assert_true(sn__finite3(mesh.positions[i]) && sn__finite3(mesh.normals[i]));
        sn_implicit_reset(s.skin);
        mesh = deform_at(&s, 0.0, NULL);
        assert_below(largest_difference(mesh.positions, s.mesh.positions, mesh.vertex_count), 1e-6);
        close_studio(&s);
    }
}

// Shoulders that are raised as far as a jump raises them: points lie at edges between surfaces and in folds.
// A skin of which nothing moves comes to rest, and no point leaps meanwhile: what alternates from frame to frame
// (15 Hz) has less than 1e-5 of the energy of what the jump has moved.
static void held_skins_do_not_flicker(void **state) {
    (void)state;
    enum { HELD = 24, LATE = 12, FIGURE_JOINTS = 12 };
    SnSkeleton *skeleton;
    SnImplicit *skin;
    SnTransform locals[FIGURE_JOINTS];
    SnMap maps[FIGURE_JOINTS];
    assert_ok(sn_character_skeleton(SN_CHARACTER_FIGURE, NULL, &skeleton));
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton;
    assert_ok(sn_implicit_create(&def, NULL, &skin));
    SnImplicitMesh mesh = sn_implicit_mesh(skin, 0);
    size_t count = (size_t)mesh.vertex_count;
    SnVec3 *before = calloc(count, sizeof *before), *last = calloc(count, sizeof *last);
    double moved = 0.0, flicker = 0.0, leap = 0.0;
    for (int i = -8; i < HELD; ++i) {
        assert_ok(sn_skeleton_sample(skeleton, 0, 0.8 + fmin(0.0, i / 30.0), locals));
        assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
        assert_ok(sn_implicit_deform(skin, maps));
        for (size_t v = 0; v < count && i > -7; ++v) {
            SnVec3 step = sn_vec3_sub(mesh.positions[v], before[v]);
            SnVec3 earlier = sn_vec3_sub(before[v], last[v]);
            // Of a signal that alternates, neighbours differ by twice of it.
            SnVec3 half = sn_vec3_scale(sn_vec3_sub(step, earlier), 0.25f);
            if (i < 0)
                moved += (double)sn_vec3_dot(step, step);
            if (i >= LATE) {
                flicker += (double)sn_vec3_dot(half, half);
                leap = fmax(leap, (double)sn_vec3_length(step));
            }
        }
        memcpy(last, before, count * sizeof *last);
        memcpy(before, mesh.positions, count * sizeof *before);
    }
    print_message("flicker has %.2g of the energy, the largest step is %.2g mm\n", flicker / moved,
                  1000.0 * leap);
    assert_below(flicker, 1e-5 * moved);
    assert_below(leap, 4e-3);
    free(before);
    free(last);
    sn_implicit_destroy(skin);
    sn_skeleton_destroy(skeleton);
}

static void linear_blending_is_that_of_the_skeleton(void **state) {
    (void)state;
    SnImplicitDef def = sn_default_implicit_def();
    def.start = SN_BLEND_LINEAR;
    Studio s;
    static SnVec3 expected[2172];
    open_studio(&s, SN_CHARACTER_ARM, &def);
    SnImplicitMesh mesh = deform_at(&s, 0.7, NULL);
    assert_ok(sn_skeleton_deform(s.skeleton, 0, s.maps, expected, NULL));
    assert_below(largest_difference(mesh.blended, expected, mesh.vertex_count), 1e-6);
    close_studio(&s);
}

// A hundred times as large, turned and elsewhere, it is the same.
static void skin_scales_and_turns_with_its_place(void **state) {
    (void)state;
    const SnMap place = {
        {0.0f, 0.0f, -100.0f}, {0.0f, 100.0f, 0.0f}, {100.0f, 0.0f, 0.0f}, {30.0f, -20.0f, 10.0f}};
    Studio a, b;
    open_studio(&a, SN_CHARACTER_ARM, NULL);
    open_studio(&b, SN_CHARACTER_ARM, NULL);
    for (int i = 0; i <= 4; ++i) {
        SnImplicitMesh small = deform_at(&a, 0.2 * i, NULL), large = deform_at(&b, 0.2 * i, &place);
        for (int v = 0; v < small.vertex_count; ++v) {
            SnVec3 x = small.positions[v];
            SnVec3 expected =
                sn_vec3(100.0f * x.z + 30.0f, 100.0f * x.y - 20.0f, -100.0f * x.x + 10.0f);
            assert_below(sn_vec3_length(sn_vec3_sub(expected, large.positions[v])), 0.15);
        }
    }
    close_studio(&a);
    close_studio(&b);
}

static void flat_joints_leave_their_part_to_blending(void **state) {
    (void)state;
    Studio s;
    open_studio(&s, SN_CHARACTER_ARM, NULL);
    deform_at(&s, 0.5, NULL);
    s.locals[2].scale = sn_vec3(0.0f, 0.0f, 0.0f);
    assert_ok(sn_skeleton_maps(s.skeleton, s.locals, NULL, s.maps));
    assert_ok(sn_implicit_deform(s.skin, s.maps));
    SnImplicitMesh mesh = sn_implicit_mesh(s.skin, 0);
    for (int i = 0; i < mesh.vertex_count; ++i)
        assert_true(sn__finite3(mesh.positions[i]) && sn__finite3(mesh.normals[i]));
    // What bending has moved along the skin goes back within frames, not at once.
    mesh = deform_at(&s, 0.0, NULL);
    assert_below(largest_difference(mesh.positions, s.mesh.positions, mesh.vertex_count), 5e-3);
    close_studio(&s);
}

// Every triangle with vertices of its own, as STL has them: what was one place stays one.
static void seams_stay_closed(void **state) {
    (void)state;
    Studio s;
    open_studio(&s, SN_CHARACTER_ARM, NULL);
    enum { MOST = 3 * 2 * 31 * 70 };
    static SnVec3 positions[MOST], normals[MOST];
    static uint32_t triangles[MOST];
    static int joints[SN_MESH_JOINTS * MOST];
    static float weights[SN_MESH_JOINTS * MOST];
    int count = 3 * s.mesh.triangle_count;
    assert_true(count <= MOST);
    for (int i = 0; i < count; ++i) {
        uint32_t v = s.mesh.triangles[i];
        positions[i] = s.mesh.positions[v];
        normals[i] = s.mesh.normals[v];
        triangles[i] = (uint32_t)i;
        for (int k = 0; k < SN_MESH_JOINTS; ++k) {
            joints[SN_MESH_JOINTS * i + k] = s.mesh.vertex_joints[SN_MESH_JOINTS * v + (uint32_t)k];
            weights[SN_MESH_JOINTS * i + k] =
                s.mesh.vertex_weights[SN_MESH_JOINTS * v + (uint32_t)k];
        }
    }
    SnSkeletonMesh torn = s.mesh;
    torn.vertex_count = count;
    torn.positions = positions;
    torn.normals = normals;
    torn.triangles = triangles;
    torn.vertex_joints = joints;
    torn.vertex_weights = weights;
    SnJointDef bones[3];
    for (int i = 0; i < 3; ++i)
        bones[i] = sn_skeleton_joint(s.skeleton, i);
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 3;
    def.joints = bones;
    def.mesh_count = 1;
    def.meshes = &torn;
    SnSkeleton *skeleton;
    SnImplicit *skin;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    SnImplicitDef skin_def = sn_default_implicit_def();
    skin_def.skeleton = skeleton;
    assert_ok(sn_implicit_create(&skin_def, NULL, &skin));
    assert_int_equal(sn_implicit_info(skin).point_count, 2172);
    for (int i = 0; i <= 5; ++i) {
        SnImplicitMesh whole = deform_at(&s, 0.2 * i, NULL);
        assert_ok(sn_implicit_deform(skin, s.maps));
        SnImplicitMesh split = sn_implicit_mesh(skin, 0);
        for (int v = 0; v < count; ++v) // the order of points differs, and with it rounding
            assert_below(sn_vec3_length(
                             sn_vec3_sub(split.positions[v], whole.positions[s.mesh.triangles[v]])),
                         2e-3);
        for (int v = 0; v < count; ++v)
            for (int u = v + 1; u < count && u < v + 40; ++u)
                if (s.mesh.triangles[u] == s.mesh.triangles[v])
                    assert_memory_equal(&split.positions[u], &split.positions[v], sizeof(SnVec3));
    }
    sn_implicit_destroy(skin);
    sn_skeleton_destroy(skeleton);
    close_studio(&s);
}

static void all_instruction_sets_and_threads_give_the_same_bits(void **state) {
    (void)state;
    static SnVec3 first[2172];
    int calls = 0;
    for (int run = 0; run < 8; ++run) {
        SnImplicitDef def = sn_default_implicit_def();
        const SnIsa sets[8] = {SN_ISA_SCALAR, SN_ISA_128,    SN_ISA_AVX2,   SN_ISA_AVX512,
                               SN_ISA_BEST,   SN_ISA_SCALAR, SN_ISA_SCALAR, SN_ISA_BEST};
        def.isa = sets[run];
        def.thread_count = run == 4 ? 2 : 1;
        if (run == 5 || run == 7)
            def.tasks = (SnTaskSystem){8, run == 5 ? backwards : odd_cuts, &calls};
        if (!sn_isa_available(def.isa))
            continue;
        Studio s;
        open_studio(&s, SN_CHARACTER_ARM, &def);
        SnImplicitMesh mesh = {0};
        for (int i = 0; i <= 3; ++i)
            mesh = deform_at(&s, 0.3 * i, NULL);
        if (run == 0)
            memcpy(first, mesh.positions, sizeof first);
        assert_memory_equal(mesh.positions, first, sizeof first);
        close_studio(&s);
    }
    assert_true(calls > 0);
}

static void frames_allocate_nothing_and_all_is_given_back(void **state) {
    (void)state;
    Counter counter = {0};
    SnAllocator allocator = {count_allocate, count_release, &counter};
    Studio s;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &s.skeleton));
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = s.skeleton;
    def.centres = 8;
    assert_ok(sn_implicit_create(&def, &allocator, &s.skin));
    long calls = counter.calls;
    deform_at(&s, 0.5, NULL);
    assert_int_equal(counter.calls, calls);
    sn_implicit_destroy(s.skin);
    assert_int_equal(counter.live, 0);
    for (long fail = 1; fail <= calls; ++fail) {
        counter = (Counter){.fail_at = fail};
        SnResult result = sn_implicit_create(&def, &allocator, &s.skin);
        assert_true(result.code == SN_ERROR_MEMORY || result.code == SN_OK);
        if (result.code == SN_OK)
            sn_implicit_destroy(s.skin);
        assert_int_equal(counter.live, 0);
    }
    sn_skeleton_destroy(s.skeleton);
}

static void what_cannot_be_used_is_named(void **state) {
    (void)state;
    SnImplicit *skin;
    SnSkeleton *skeleton, *bare;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &skeleton));
    SnImplicitDef def = sn_default_implicit_def();
    assert_error(sn_implicit_create(NULL, NULL, &skin), SN_ERROR_INVALID,
                 "sn_default_implicit_def");
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "skeleton is NULL");
    def.skeleton = skeleton;
    def.centres = 1000;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID,
                 "centres: 1000 is not in [8, 96]");
    def.centres = 50;
    def.bulge = NAN;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "bulge");
    def.bulge = 0.0f;
    def.rounds = 0;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "rounds: 0");
    def.rounds = 8;
    SnSkeletonDef bones = sn_default_skeleton_def();
    SnJointDef joint = sn_skeleton_joint(skeleton, 0);
    bones.joints = &joint;
    bones.joint_count = 1;
    assert_ok(sn_skeleton_create(&bones, NULL, &bare));
    def.skeleton = bare;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID, "has no mesh");
    SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, 0);
    static int zeros[SN_MESH_JOINTS * 2172];
    mesh.vertex_joints = zeros;
    mesh.joint_count = 1;
    bones.meshes = &mesh;
    bones.mesh_count = 1;
    sn_skeleton_destroy(bare);
    assert_ok(sn_skeleton_create(&bones, NULL, &bare));
    def.skeleton = bare;
    assert_error(sn_implicit_create(&def, NULL, &skin), SN_ERROR_INVALID,
                 "no mesh follows two joints");
    assert_error(sn_character_skeleton(SN_CHARACTER_COUNT, NULL, &bare), SN_ERROR_INVALID,
                 "no character");
    sn_skeleton_destroy(bare);
    sn_skeleton_destroy(skeleton);
}

// Random triangles, all pairs by hand.
static void crossings_are_those_of_brute_force(void **state) {
    (void)state;
    enum { TRIANGLES = 300 };
    static SnVec3 x[3 * TRIANGLES];
    static int point[3 * TRIANGLES];
    static uint32_t triangles[3 * TRIANGLES];
    SnAllocator allocator = sn__default_allocator();
    Rng rng = {5};
    for (int t = 0; t < TRIANGLES; ++t) {
        SnVec3 middle = rng_vec3(&rng, 1.0);
        for (int k = 3 * t; k < 3 * t + 3; ++k) {
            x[k] = sn_vec3_add(middle, rng_vec3(&rng, 0.3));
            point[k] = k;
            triangles[k] = (uint32_t)k;
        }
    }
    int expected = 0;
    for (int s = 0; s < TRIANGLES; ++s)
        for (int t = s + 1; t < TRIANGLES; ++t) {
            Vec3d a[3], b[3];
            for (int k = 0; k < 3; ++k) {
                a[k] = vec3d(x[3 * s + k]);
                b[k] = vec3d(x[3 * t + k]);
            }
            expected += sn__triangles_cross(a, b);
        }
    assert_true(expected > 100);
    assert_int_equal(sn__count_crossings(&allocator, x, point, triangles, TRIANGLES), expected);
    const Vec3d flat[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    const Vec3d through[3] = {{0, 0, -1}, {0, 0, 1}, {3, 0, 1}};
    const Vec3d beside[3] = {{2, 0, -1}, {2, 0, 1}, {3, 0, 1}};
    assert_true(sn__triangles_cross(flat, through));
    assert_false(sn__triangles_cross(flat, beside));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hrbf_interpolates_points_and_normals),
        cmocka_unit_test(hrbf_gradient_is_its_derivative),
        cmocka_unit_test(transfer_is_smooth_and_compact),
        cmocka_unit_test(operator_has_the_derivatives_it_says),
        cmocka_unit_test(skin_rests_where_it_was),
        cmocka_unit_test(bent_joints_do_not_cross),
        cmocka_unit_test(skin_recovers_from_jumps),
        cmocka_unit_test(held_skins_do_not_flicker),
        cmocka_unit_test(linear_blending_is_that_of_the_skeleton),
        cmocka_unit_test(skin_scales_and_turns_with_its_place),
        cmocka_unit_test(flat_joints_leave_their_part_to_blending),
        cmocka_unit_test(seams_stay_closed),
        cmocka_unit_test(all_instruction_sets_and_threads_give_the_same_bits),
        cmocka_unit_test(frames_allocate_nothing_and_all_is_given_back),
        cmocka_unit_test(what_cannot_be_used_is_named),
        cmocka_unit_test(crossings_are_those_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
