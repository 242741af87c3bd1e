// Scene files: what rods want to be at rest, and how they are solved.
#include "scene_kit.h"

static void circles_may_be_straight_at_rest(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version': 1, 'rods': [{'shape': {'circle': {'radius': 1}}},"
                    "{'shape': {'circle': {'radius': 1}}, 'rest': 'shape'},"
                    "{'shape': {'circle': {'radius': 1}}, 'rest': 'straight', 'twist': 360}]}");
    SnWorld *world = build(scene);
    for (uint32_t k = 1; k <= 3; ++k) {
        SnMeasures m;
        assert_int_equal(sn_body_measure(world, (SnBodyId){k, 1}, &m).code, SN_OK);
        assert_true(k == 3 ? m.energy_bend > 1e-3 : m.energy_elastic < 1e-9);
        assert_true((m.energy_twist > 1e-3) == (k == 3));
    }
    destroy(scene, world);
}

static void rods_choose_their_solver(void **state) {
    (void)state;
    static const char text[] =
        "{'version': 1, 'rods': ["
        "{'solver': 'sweep', 'shape': {'points': [[0, 0, 0], [0.1, 0, 0]]}},"
        "{'solver': 'direct', 'shape': {'points': [[0, 1, 0], [0.1, 1, 0]]}},"
        "{'shape': {'points': [[0, 2, 0], [0.1, 2, 0]]}}]}";
    SnScene *scene = load_quoted(text);
    SnWorld *world = build(scene);
    assert_int_equal(sn_rod_solver(world, (SnBodyId){1, 1}), SN_SOLVER_SWEEP);
    assert_int_equal(sn_rod_solver(world, (SnBodyId){2, 1}), SN_SOLVER_DIRECT);
    assert_int_equal(sn_rod_solver(world, (SnBodyId){3, 1}), SN_SOLVER_DIRECT); // 1 MPa, 10 cm
    destroy(scene, world);
    const Bad bad[] = {{"{'version': 1, 'rods': [{'solver': 'dirct',"
                        "'shape': {'points': [[0, 1, 0], [0.1, 1, 0]]}}]}",
                        "/rods/0/solver"}};
    assert_refused(bad, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_may_be_straight_at_rest),
        cmocka_unit_test(rods_choose_their_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
