// Muscle fields: profiles and K against quadrature, the projection against what it must be continuous
// with, volumes against counting, and all that a definition can have wrong.
#include "support.h"

#include "implicit/muscle_profile.h"
#include "math/vec.h"

enum { POINTS = 30, STEPS = 20000 };

typedef double Integrand(double s, const void *context);

// Simpson's rule over [0, 1].
static double integral(Integrand *f, const void *context) {
    double sum = f(0.0, context) + f(1.0, context);
    for (int i = 1; i < STEPS; ++i)
        sum += (i % 2 ? 4.0 : 2.0) * f((double)i / STEPS, context);
    return sum / (3.0 * STEPS);
}

typedef struct Pair {
    SnMuscleProfile a, b;
    double activation;
} Pair;

static double square(double s, const void *context) {
    const Pair *p = context;
    double value = sn__muscle_profile(p->a.alpha, p->a.beta, s);
    return value * value;
}

static double product(double s, const void *context) {
    const Pair *p = context;
    return sn__muscle_profile(p->a.alpha, p->a.beta, s) *
           sn__muscle_profile(p->b.alpha, p->b.beta, s);
}

static double blended(double s, const void *context) {
    const Pair *p = context;
    double value =
        sn__muscle_blend(&p->a, &p->b, sn__muscle_overlap(&p->a, &p->b), p->activation, s);
    return value * value;
}

static void profiles_keep_their_volume(void **state) {
    (void)state;
    for (int a = 1; a <= SN_MAX_MUSCLE_PROFILE; a += 2)
        for (int b = 1; b <= SN_MAX_MUSCLE_PROFILE; ++b) {
            Pair p = {{a, b, 0.0f}, {10 - b, a, 0.0f}, 0.0};
            assert_near(integral(square, &p), 1.0, 1e-9);
            assert_near(integral(product, &p), sn__muscle_overlap(&p.a, &p.b), 1e-9);
            for (p.activation = 0.0; p.activation <= 1.0; p.activation += 0.25)
                assert_near(integral(blended, &p), 1.0, 1e-9);
        }
}

static double sector(double t, const void *context) {
    double angle = 2.0 * SUPPORT_PI * t;
    double r = sn__muscle_ellipse(*(const double *)context, cos(angle), sin(angle));
    return 0.5 * r * r * 2.0 * SUPPORT_PI;
}

static void ellipses_keep_their_area(void **state) {
    (void)state;
    for (double e = 0.0; e < 0.96; e += 0.19) {
        assert_near(integral(sector, &e), SUPPORT_PI, 1e-6);
        double shorter = sn__muscle_ellipse(e, 0.0, 1.0), longer = sn__muscle_ellipse(e, 1.0, 0.0);
        assert_near(shorter * longer, 1.0, 1e-9);
        assert_near(1.0 - pow(shorter / longer, 2.0), e * e, 1e-9);
    }
}

// An arc of a circle in the plane of x and y, `turn` rad long; 0: straight.
static void make_arc(SnVec3 *line, double length, double turn) {
    for (int i = 0; i < POINTS; ++i) {
        double s = length * i / (POINTS - 1), r = turn > 0.0 ? length / turn : 0.0;
        line[i] = turn > 0.0 ? sn_vec3((float)(r * sin(s / r)), (float)(r * (1.0 - cos(s / r))), 0)
                             : sn_vec3((float)s, 0.0f, 0.0f);
    }
}

static SnMuscleField *make_muscle(double turn, float eccentricity) {
    SnVec3 line[POINTS];
    make_arc(line, 0.25, turn);
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = POINTS;
    def.line = line;
    def.volume = 2e-4f;
    def.first_normal = def.last_normal = sn_vec3(0.0f, 0.0f, 1.0f);
    def.rest.eccentricity = eccentricity;
    SnMuscleField *muscle;
    assert_ok(sn_muscle_field_create(&def, NULL, &muscle));
    return muscle;
}

static void straight_muscles_have_their_volume(void **state) {
    (void)state;
    SnMuscleField *muscle = make_muscle(0.0, 0.7f);
    for (int k = 0; k <= 4; ++k) {
        sn_muscle_field_activate(muscle, 0.25f * (float)k);
        assert_near(sn_muscle_field_volume(muscle), 2e-4, 0.005 * 2e-4);
    }
    sn_muscle_field_activate(muscle, 0.0f);
    // On the line, at half its length: the radius of the profile below and of the ellipse across.
    double radius = sn_muscle_field_radius(muscle, 0.5);
    double e = 0.7, u = sqrt(sqrt(1.0 - e * e));
    assert_near(sn_muscle_field_at(muscle, sn_vec3(0.125f, 0.0f, 0.05f)), 0.05 - radius / u, 1e-6);
    assert_near(sn_muscle_field_at(muscle, sn_vec3(0.125f, 0.05f, 0.0f)), 0.05 - radius * u, 1e-6);
    sn_muscle_field_destroy(muscle);
}

// A muscle that shortens gets thicker: w² l stays.
static void shorter_muscles_are_thicker(void **state) {
    (void)state;
    SnMuscleField *muscle = make_muscle(0.0, 0.0f);
    SnVec3 line[POINTS], normal = sn_vec3(0.0f, 0.0f, 1.0f);
    double before = sn_muscle_field_radius(muscle, 0.4);
    make_arc(line, 0.16, 0.0);
    assert_ok(sn_muscle_field_move(muscle, line, normal, normal));
    assert_near(sn_muscle_field_radius(muscle, 0.4), before * sqrt(0.25 / 0.16), 1e-6);
    sn_muscle_field_destroy(muscle);
}

// Two straight halves with an angle between them.
// Exaggerated by a third, it has its volume at rest, and (4/3)² of that when it is active; also where it is
// so thin that cubes of a part of its length would not tell.
static void active_muscles_may_be_wider(void **state) {
    (void)state;
    SnVec3 line[2] = {{0.0f, 0.0f, 0.0f}, {0.4f, 0.0f, 0.0f}};
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = 2;
    def.line = line;
    def.volume = 2e-5f;
    def.exaggeration = 4.0f / 3.0f;
    SnMuscleField *muscle;
    assert_ok(sn_muscle_field_create(&def, NULL, &muscle));
    for (int i = 0; i <= 2; ++i) {
        double wider = 1.0 + i / 6.0;
        sn_muscle_field_activate(muscle, 0.5f * (float)i);
        assert_near(sn_muscle_field_volume(muscle) / (2e-5 * wider * wider), 1.0, 3e-3);
    }
    sn_muscle_field_destroy(muscle);
}

static void make_fold(SnVec3 *line, double length, double turn) {
    for (int i = 0; i < POINTS; ++i) {
        double s = length * i / (POINTS - 1) - 0.5 * length;
        line[i] = s < 0.0 ? sn_vec3((float)s, 0.0f, 0.0f)
                          : sn_vec3((float)(s * cos(turn)), (float)(s * sin(turn)), 0.0f);
    }
}

// One that is bent evenly has its volume by itself, as Pappus' theorem says; one that is folded does not.
static void bent_muscles_keep_their_volume(void **state) {
    (void)state;
    for (double turn = 0.5; turn <= 2.6; turn += 0.7) {
        SnMuscleField *muscle = make_muscle(turn, 0.0f);
        assert_near(sn_muscle_field_volume(muscle), 2e-4, 0.005 * 2e-4);
        SnVec3 line[POINTS], normal = sn_vec3(0.0f, 0.0f, 1.0f);
        make_fold(line, 0.25, turn);
        assert_ok(sn_muscle_field_move(muscle, line, normal, normal));
        if (turn > 1.8)
            assert_true(sn_muscle_field_volume(muscle) < 0.99 * 2e-4);
        sn_muscle_field_correct(muscle);
        assert_near(sn_muscle_field_volume(muscle), 2e-4, 0.005 * 2e-4);
        sn_muscle_field_destroy(muscle);
    }
}

// Along random paths through the muscle and around it, in steps of 0.05 mm, the place never jumps.
static void projection_is_continuous(void **state) {
    (void)state;
    SnMuscleField *muscle = make_muscle(1.5, 0.0f);
    Rng rng = {3};
    double most = 0.0;
    for (int path = 0; path < 40; ++path) {
        double place = rng_real(&rng, 0.0, 1.0) * 1.5, r = 0.25 / 1.5;
        SnVec3 from = sn_vec3((float)(r * sin(place)), (float)(r * (1.0 - cos(place))), 0.0f);
        from = sn_vec3_add(from, rng_vec3(&rng, 0.05));
        SnVec3 way = sn_vec3_normalise(rng_vec3(&rng, 1.0), sn_vec3(1.0f, 0.0f, 0.0f));
        double last = sn_muscle_field_project(muscle, from);
        for (int i = 1; i <= 1000; ++i) {
            SnVec3 x = sn_vec3_add_scaled(from, way, 5e-5f * (float)i);
            double now = sn_muscle_field_project(muscle, x);
            most = fmax(most, fabs(now - last));
            last = now;
        }
    }
    print_message("largest jump of the place: %.2g of the length\n", most);
    assert_below(most, 0.01);
    sn_muscle_field_destroy(muscle);
}

static void what_cannot_be_used_is_named(void **state) {
    (void)state;
    SnMuscleField *muscle;
    SnVec3 line[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    assert_error(sn_muscle_field_create(NULL, NULL, &muscle), SN_ERROR_INVALID,
                 "sn_default_muscle");
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "line: 0 points");
    def.line = line;
    def.point_count = 2;
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "volume");
    def.volume = 1e-4f;
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "length");
    line[1].x = NAN;
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "point 1");
    line[1].x = 0.2f;
    def.active.alpha = 12;
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "active: alpha 12");
    def.active.alpha = 1;
    def.rest.eccentricity = 1.0f;
    assert_error(sn_muscle_field_create(&def, NULL, &muscle), SN_ERROR_INVALID, "eccentricity: 1");
    def.rest.eccentricity = 0.0f;
    assert_ok(sn_muscle_field_create(&def, NULL, &muscle));
    sn_muscle_field_destroy(muscle);
    sn_muscle_field_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_keep_their_volume),
        cmocka_unit_test(ellipses_keep_their_area),
        cmocka_unit_test(straight_muscles_have_their_volume),
        cmocka_unit_test(shorter_muscles_are_thicker),
        cmocka_unit_test(active_muscles_may_be_wider),
        cmocka_unit_test(bent_muscles_keep_their_volume),
        cmocka_unit_test(projection_is_continuous),
        cmocka_unit_test(what_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
