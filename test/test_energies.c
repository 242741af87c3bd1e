// The elastic energy of rods by part, against closed forms: each deformation has one part and no other.
#include "support.h"

#include "math/vec.h"

#define SEGMENTS 40
#define LENGTH 1.0
#define RADIUS 0.02
#define YOUNG 1e6
#define SHEAR 0.4e6

typedef enum Kind { VOLUME, CLASSIC, STIFF, KINDS } Kind;

static SnBodyId rod_of(SnWorld *world, Kind kind, const SnVec3 *start) {
    SnVec3 x[SEGMENTS + 1];
    line_of_points(x, SEGMENTS + 1, sn_vec3(0.0f, 0.0f, 0.0f),
                   sn_vec3((float)(LENGTH / SEGMENTS), 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = SEGMENTS + 1;
    def.positions = x;
    def.start_positions = start;
    def.radius = (float)RADIUS;
    def.material.young = (float)YOUNG;
    def.material.shear = (float)SHEAR;
    def.material.volume = 0.0f;
    def.classic = kind == CLASSIC;
    def.stiff = kind == STIFF;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static SnMeasures measure(SnWorld *world, SnBodyId rod) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, rod, &m));
    return m;
}

// `part` is all there is.
static void check(const SnMeasures *m, double part, double expected, double tolerance) {
    assert_near(part, expected, tolerance * expected);
    assert_near(m->energy_elastic, part, 3e-3 * expected);
    assert_near(m->energy_stretch + m->energy_shear + m->energy_bend + m->energy_twist +
                    m->energy_scale + m->energy_volume,
                m->energy_elastic, 1e-9 * expected);
}

static void stretch_and_shear_are_apart(void **state) {
    (void)state;
    double area = SUPPORT_PI * RADIUS * RADIUS, strain = 0.05;
    for (int kind = VOLUME; kind <= CLASSIC; ++kind)
        for (int across = 0; across < 2; ++across) {
            SnWorld *world = weightless_world();
            SnBodyId rod = rod_of(world, kind, NULL);
            RodCopy now;
            copy_rod(world, rod, &now);
            for (int i = 0; i <= SEGMENTS; ++i)
                *(across ? &now.x[i].y : &now.x[i].x) += (float)(strain * LENGTH * i / SEGMENTS);
            SnBodyState written = {.positions = now.x};
            assert_ok(sn_body_write(world, rod, &written));
            SnMeasures m = measure(world, rod);
            check(&m, across ? m.energy_shear : m.energy_stretch,
                  0.5 * (across ? 0.9 * SHEAR : YOUNG) * area * LENGTH * strain * strain, 2e-3);
            sn_world_destroy(world);
        }
}

static void twist_is_apart_from_bend(void **state) {
    (void)state;
    double polar = 0.5 * SUPPORT_PI * pow(RADIUS, 4.0), angle = 1.0;
    for (int kind = VOLUME; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        SnBodyId rod = rod_of(world, kind, NULL);
        RodCopy now;
        copy_rod(world, rod, &now);
        for (int j = 0; j < SEGMENTS; ++j) {
            Quatd turn = quatd(turn_about(1.0, 0.0, 0.0, angle * j / SEGMENTS + 1e-9));
            now.q[j] = quatf(mulqd(turn, quatd(now.q[j])));
        }
        SnBodyState written = {.frames = now.q};
        assert_ok(sn_body_write(world, rod, &written));
        SnMeasures m = measure(world, rod);
        double joints = (SEGMENTS - 1.0) / SEGMENTS;
        check(&m, m.energy_twist, 0.5 * SHEAR * polar * angle * angle / LENGTH * joints, 1e-3);
        sn_world_destroy(world);
    }
}

static void bend_is_apart_from_twist(void **state) {
    (void)state;
    double second = 0.25 * SUPPORT_PI * pow(RADIUS, 4.0), angle = 1.5;
    SnVec3 arc[SEGMENTS + 1] = {{0.0f, 0.0f, 0.0f}};
    for (int i = 0; i < SEGMENTS; ++i) {
        double at = angle * (i + 0.5) / SEGMENTS, l = LENGTH / SEGMENTS;
        arc[i + 1] =
            sn_vec3(arc[i].x + (float)(l * cos(at)), arc[i].y + (float)(l * sin(at)), 0.0f);
    }
    for (int kind = VOLUME; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        SnBodyId rod = rod_of(world, kind, arc);
        SnMeasures m = measure(world, rod);
        double joints = (SEGMENTS - 1.0) / SEGMENTS;
        check(&m, m.energy_bend, 0.5 * YOUNG * second * angle * angle / LENGTH * joints, 1e-3);
        sn_world_destroy(world);
    }
}

// A joint that is curved at rest is turned once round: its energy is ½ K/L² (2 sin ½(θ − a))², whatever side of half a
// turn it is on, and does not leap there.
static void a_curved_joint_folds_without_a_leap(void **state) {
    (void)state;
    const double bow = 0.9, l = 0.1, second = 0.25 * SUPPORT_PI * pow(RADIUS, 4.0);
    for (int kind = VOLUME; kind <= CLASSIC; ++kind)
        for (int k = 0; k < 2; ++k) {
            SnVec3 x[3] = {{(float)-l, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
            x[2] = sn_vec3((float)(l * cos(bow)), (float)(l * sin(bow)), 0.0f);
            SnRodDef def = sn_default_rod_def();
            def.vertex_count = 3;
            def.positions = x;
            def.radius = (float)RADIUS;
            def.material.young = (float)YOUNG;
            def.classic = kind == CLASSIC;
            def.solver = k == 0 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
            SnWorld *world = weightless_world();
            SnBodyId rod;
            assert_ok(sn_rod_create(world, &def, &rod));
            RodCopy now;
            copy_rod(world, rod, &now);
            const SnQuat rest = now.q[1];
            for (int n = 0; n <= 62; ++n) {
                double by = 0.1 * n, bent = 2.0 * sin(0.5 * by);
                now.q[1] = sn_quat_multiply(turn_about(0.0, 0.0, 1.0, by), rest);
                SnBodyState written = {.frames = now.q};
                assert_ok(sn_body_write(world, rod, &written));
                SnMeasures m = measure(world, rod);
                assert_near(m.energy_bend, 0.5 * YOUNG * second / l * bent * bent, 1e-6);
            }
            sn_world_destroy(world);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_and_shear_are_apart),
        cmocka_unit_test(twist_is_apart_from_bend),
        cmocka_unit_test(bend_is_apart_from_twist),
        cmocka_unit_test(a_curved_joint_folds_without_a_leap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
