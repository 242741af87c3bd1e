// Rods that are solved directly and held where they overlap what they touch.
#include "contact_kit.h"

#include <math.h>

#define VERTICES 11
#define RADIUS 0.02f

typedef struct Peg {
    bool classic;
    float young;
    double height, slope; // of the hinge, over the radius; rad
    int vertex;           // that is held
} Peg;

// The fastest that a vertex is at the end of any step of the last half second; `out` are heights over the radius.
static double run_peg(const Peg *peg, double out[VERTICES]) {
    SnVec3 x[VERTICES];
    SnVec3 from = sn_vec3(0.0f, (float)peg->height * RADIUS, 0.0f);
    line_of_points(x, VERTICES, from,
                   sn_vec3((float)(0.1 * cos(peg->slope)), (float)(0.1 * sin(peg->slope)), 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = VERTICES;
    def.positions = x;
    def.radius = RADIUS;
    def.classic = peg->classic;
    def.solver = SN_SOLVER_DIRECT;
    def.material.young = peg->young;
    def.material.damping = 0.01f;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnBodyId rod = add_rod(world, &def);
    attach(world, rod, SN_ATTACH_VERTEX, peg->vertex, (SnFrameId){0, 0});
    run_steps(world, 150, 10);
    double fastest = 0.0;
    float scales[VERTICES];
    for (int n = 0; n < 30; ++n) {
        run_steps(world, 1, 10);
        fastest = fmax(fastest, sn_world_measure(world).speed_max);
    }
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.positions = x, .scales = scales}));
    for (int i = 0; i < VERTICES; ++i) {
        out[i] = (double)x[i].y / (double)RADIUS;
        assert_near(scales[i], 1.0, 0.05);
    }
    sn_world_destroy(world);
    return fastest;
}

static void what_is_held_in_a_floor_comes_to_rest(void **state) {
    (void)state;
    static const float youngs[] = {1e7f, 1e8f, 3e8f, 1e10f};
    double heights[VERTICES];
    for (int k = 0; k < 16; ++k) {
        bool end = k / 8 % 2;
        Peg peg = {k % 2, youngs[k / 2 % 4], 0.5, end ? 0.3 : 0.0, end ? 0 : VERTICES / 2};
        assert_true(run_peg(&peg, heights) < 0.005);
        assert_near(heights[peg.vertex], 0.5, 1e-3);
    }
}

// One that bends leaves the floor beside its hinge, and lies on it.
static void soft_rods_are_still_pushed_out(void **state) {
    (void)state;
    double heights[VERTICES];
    for (int classic = 0; classic < 2; ++classic) {
        run_peg(&(Peg){classic, 1e7f, 0.5, 0.3, 0}, heights);
        for (int i = 1; i < VERTICES; ++i)
            assert_true(heights[i] > 0.99 && heights[i] < 1.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_in_a_floor_comes_to_rest),
        cmocka_unit_test(soft_rods_are_still_pushed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
