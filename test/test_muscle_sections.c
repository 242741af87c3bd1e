// Bundles of rods under implicit skins: their cross-sections against closed forms, the field they make in lanes
// and by counting, and a skin that goes where a muscle goes.
#include "muscle_kit.h"

#include "implicit/implicit.h"

#define RODS 7
#define SLICES 16

// Along the arm of character_model.h, at its inner side, 3 cm wide across it and `flat` times that along z.
static void lay_in_arm(Spindle *s, double flat) {
    describe_spindle(s, RODS, SLICES, 0.6);
    for (int v = 0; v < RODS * SLICES; ++v) {
        SnVec3 x = s->shape.x[v];
        s->shape.x[v] = sn_vec3(0.05f + 1.1f * x.z, 0.042f + 1.2f * x.x, 1.2f * (float)flat * x.y);
        s->shape.radius[v] *= 1.2f;
    }
}

static void sections_have_area_and_axes_of_their_fibres(void **state) {
    (void)state;
    for (int flat = 1; flat <= 3; ++flat) {
        Spindle s;
        SnMuscleSection sections[SLICES];
        lay_in_arm(&s, flat);
        s.def.packing = 0.8f;
        create_spindle(&s, weightless_world());
        assert_ok(sn_muscle_sections(s.world, s.muscle, sections));
        for (int j = 0; j < SLICES; ++j) {
            // Six rods at a distance d around one, all of radius r = d/2: 3/7 d² + r²/4 each way.
            double t = (double)j / (SLICES - 1),
                   width = 1.0 - 0.6 * (2.0 * t - 1.0) * (2.0 * t - 1.0);
            double d = 0.012 * width, r = 0.5 * d;
            double small = 3.0 / 7.0 * d * d + 0.25 * r * r;
            double large = 3.0 / 7.0 * d * d * flat * flat + 0.25 * r * r;
            assert_near(sections[j].radius, sqrt(0.8 * RODS) * r, 1e-6);
            assert_near(sections[j].eccentricity, sqrt(1.0 - small / large),
                        flat > 1 ? 1e-4 : 0.02);
            assert_near(sections[j].position.x, 0.05 + 0.22 * t, 1e-6);
            assert_near(sections[j].position.y, 0.042, 1e-6);
            if (flat > 1)
                assert_near(fabsf(sections[j].normal.z), 1.0, 1e-4);
        }
        sn_world_destroy(s.world);
    }
}

typedef struct Outline {
    SnVec3 line[SLICES], normals[SLICES];
    float radii[SLICES], eccentricity;
} Outline;

static Outline shape_of(const Spindle *s) {
    Outline shape = {.eccentricity = 0.0f};
    SnMuscleSection sections[SLICES];
    assert_ok(sn_muscle_sections(s->world, s->muscle, sections));
    for (int j = 0; j < SLICES; ++j) {
        shape.line[j] = sections[j].position;
        shape.normals[j] = sections[j].normal;
        shape.radii[j] = sections[j].radius;
        shape.eccentricity += sections[j].eccentricity / SLICES;
    }
    return shape;
}

static SnMuscleField *field_of(const Spindle *s) {
    Outline shape = shape_of(s);
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = SLICES;
    def.line = shape.line;
    def.volume = 1e-4f;
    SnMuscleField *field;
    assert_ok(sn_muscle_field_create(&def, NULL, &field));
    assert_ok(
        sn_muscle_field_shape(field, shape.line, shape.normals, shape.radii, shape.eccentricity));
    return field;
}

static void fields_have_the_shape_of_the_bundle(void **state) {
    (void)state;
    Spindle s;
    lay_in_arm(&s, 2.0);
    create_spindle(&s, weightless_world());
    SnMuscleField *field = field_of(&s);
    // Its ends are round: half a ball at each, beyond what the rods have.
    double end = sn_muscle_field_radius(field, 0.0), volume = read_muscle(&s).volume;
    double balls = 4.0 / 3.0 * SUPPORT_PI * end * end * end;
    assert_near(sn_muscle_field_volume(field), volume + balls, 0.03 * volume);
    MuscleNode nodes[SLICES];
    FieldPack *pack = aligned_alloc(64, sizeof *pack);
    memset(pack, 0, sizeof *pack);
    double e = sn__muscle_field_eccentricity(field), u = sqrt(1.0 - e * e), most = 0.0;
    FieldMuscle muscle = {nodes, SLICES, 0, (float)u, (float)(1.0 / u), 1.0f, 1.0f};
    sn__muscle_field_nodes(field, nodes);
    Rng rng = {7};
    for (int i = 0; i < 1000; ++i) {
        SnVec3 x = sn_vec3_add(sn_vec3(0.16f, 0.034f, 0.0f), rng_vec3(&rng, 0.1));
        for (int lane = 0; lane < FIELD_LANES; ++lane) {
            pack->x[lane] = x.x;
            pack->y[lane] = x.y;
            pack->z[lane] = x.z;
        }
        sn__field_kernels(SN_ISA_SCALAR)->probe(&muscle, pack, 1);
        most = fmax(most, fabs((double)pack->depth[3] - sn_muscle_field_at(field, x)));
    }
    print_message("lanes are within %.2g mm of the field\n", 1e3 * most);
    assert_below(most, 5e-5);
    free(pack);
    sn_muscle_field_destroy(field);
    sn_world_destroy(s.world);
}

// A muscle that shortens to its origin gets thicker, and so does the arm over it.
static void skins_follow_bundles(void **state) {
    (void)state;
    Spindle s;
    lay_in_arm(&s, 1.0);
    s.def.insertion_free = true;
    s.def.material.damping = 0.05f;
    create_spindle(&s, weightless_world());
    SnMuscleField *field = field_of(&s);
    SnSkeleton *skeleton;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &skeleton));
    SnImplicitDef def = sn_default_implicit_def();
    const SnMuscleField *muscles[1] = {field};
    def.skeleton = skeleton;
    def.muscle_count = 1;
    def.muscles = muscles;
    SnImplicit *skin;
    assert_ok(sn_implicit_create(&def, NULL, &skin));
    SnTransform locals[3];
    SnMap maps[3];
    assert_ok(sn_skeleton_rest(skeleton, locals));
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, 0);
    double *before = calloc((size_t)mesh.vertex_count, sizeof *before);
    for (int v = 0; v < mesh.vertex_count; ++v)
        before[v] = sn_muscle_field_at(field, mesh.positions[v]);
    assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
    for (int frame = 0; frame < 20; ++frame) {
        step_spindle(&s, 3);
        Outline shape = shape_of(&s);
        assert_ok(sn_muscle_field_shape(field, shape.line, shape.normals, shape.radii,
                                        shape.eccentricity));
        assert_ok(sn_implicit_deform(skin, maps));
    }
    const SnVec3 *x = sn_implicit_mesh(skin, 0).positions;
    double middle = 0.05 + 0.5 * 0.22 * 0.7, error = 0.0, moved = 0.0;
    int above = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (before[v] > 0.006 || fabs((double)mesh.positions[v].x - middle) > 0.03 ||
            fabsf(mesh.positions[v].z) > 0.015f)
            continue;
        error = fmax(error, fabs(sn_muscle_field_at(field, x[v]) - before[v]));
        moved += (double)(x[v].y - mesh.positions[v].y);
        ++above;
    }
    print_message("%d vertices over it went %.2g mm, within %.2g mm of where it went\n", above,
                  1e3 * moved / above, 1e3 * error);
    assert_true(above > 5);
    assert_true(moved / above > 1e-3);
    assert_below(error, 2e-3);
    free(before);
    sn_implicit_destroy(skin);
    sn_skeleton_destroy(skeleton);
    sn_muscle_field_destroy(field);
    sn_world_destroy(s.world);
}

static void what_cannot_be_used_is_named(void **state) {
    (void)state;
    Spindle s;
    lay_in_arm(&s, 1.0);
    create_spindle(&s, weightless_world());
    SnMuscleField *field = field_of(&s);
    Outline shape = shape_of(&s);
    double radius = sn_muscle_field_radius(field, 0.5);
    assert_error(sn_muscle_sections(s.world, s.muscle, NULL), SN_ERROR_INVALID, "out_sections");
    assert_error(sn_muscle_sections(s.world, (SnBodyId){0}, NULL), SN_ERROR_STALE, "stale");
    assert_error(sn_muscle_field_shape(field, NULL, shape.normals, shape.radii, 0.0f),
                 SN_ERROR_INVALID, "line");
    assert_error(sn_muscle_field_shape(field, shape.line, shape.normals, shape.radii, 1.0f),
                 SN_ERROR_INVALID, "eccentricity: 1 is not in");
    shape.radii[3] = NAN;
    assert_error(sn_muscle_field_shape(field, shape.line, shape.normals, shape.radii, 0.0f),
                 SN_ERROR_INVALID, "radius 3");
    memset(shape.radii, 0, sizeof shape.radii);
    assert_error(sn_muscle_field_shape(field, shape.line, shape.normals, shape.radii, 0.0f),
                 SN_ERROR_INVALID, "no radius is positive");
    assert_near(sn_muscle_field_radius(field, 0.5), radius, 0.0);
    assert_ok(sn_muscle_field_move(field, shape.line, (SnVec3){0}, (SnVec3){0}));
    assert_true(fabs(sn_muscle_field_radius(field, 0.5) - radius) > 1e-3);
    sn_muscle_field_destroy(field);
    sn_world_destroy(s.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_have_area_and_axes_of_their_fibres),
        cmocka_unit_test(fields_have_the_shape_of_the_bundle),
        cmocka_unit_test(skins_follow_bundles),
        cmocka_unit_test(what_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
