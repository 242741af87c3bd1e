// Definitions of stiff rods that cannot be: each is refused by a message that names what is wrong,
// the world goes on as before, and no memory is left behind.
#include "memory_count.h"
#include "stiff_fork.h"

#define PATH_MAX_VERTICES 8

typedef struct Case {
    SnWorld *world;
    SnRodDef def;
    SnVec3 x[PATH_MAX_VERTICES], start[PATH_MAX_VERTICES];
    SnQuat frames[PATH_MAX_VERTICES];
    float radii[PATH_MAX_VERTICES], scales[PATH_MAX_VERTICES];
    int edges[2 * PATH_MAX_VERTICES];
    SnSegmentDef segments[PATH_MAX_VERTICES];
} Case;

static Case make_case(const SnWorldDef *def) {
    Case c = {0};
    assert_ok(sn_world_create(def, &c.world));
    memcpy(c.x, FORK_AT, sizeof FORK_AT);
    memcpy(c.edges, FORK, sizeof FORK);
    c.def = fork_def();
    c.def.name = "twig";
    fork_rod(c.world);
    return c;
}

// Pointers into the case, which has moved since.
static SnResult create(Case *c) {
    c->def.positions = c->x;
    if (c->def.edge_count != 0)
        c->def.edges = c->edges;
    return sn_rod_create(c->world, &c->def, NULL);
}

static void finish(Case *c, Counter *counter) {
    assert_int_equal(sn_world_body_count(c->world), 1);
    step(c->world, 3);
    sn_world_destroy(c->world);
    assert_int_equal(counter->live, 0);
    assert_int_equal(counter->bytes, 0);
}

static void numbers_are_checked(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef world_def = counted_def(&counter);
    Case c = make_case(&world_def);
    c.def.radii = c.radii;
    c.def.segments = c.segments;
    c.def.frames = c.frames;
    c.def.start_positions = c.start;
    c.def.start_frames = c.frames;
    assert_ok(sn_body_read(c.world, (SnBodyId){1, 1}, &(SnBodyState){.frames = c.frames}));
    memcpy(c.start, c.x, sizeof c.x);
    for (int i = 0; i < 6; ++i)
        c.radii[i] = 0.01f;
    const struct {
        float *where;
        float value;
        const char *part;
    } cases[] = {
        {&c.def.material.young, NAN, "twig: material.young: nan"},
        {&c.def.material.young, -1e9f, "twig: material.young: -1e+09"},
        {&c.def.material.young, 1e16f, "twig: material.young: 1e+16"},
        {&c.def.material.shear, NAN, "twig: material.shear: nan"},
        {&c.def.material.shear, INFINITY, "twig: material.shear: inf"},
        {&c.def.material.density, 0.0f, "twig: material.density: 0"},
        {&c.def.material.drag, -1.0f, "twig: material.drag: -1"},
        {&c.def.material.strength, NAN, "twig: material.strength: nan"},
        {&c.radii[2], 0.0f, "twig: radii[2]: 0"},
        {&c.radii[3], -0.01f, "twig: radii[3]: -0.01"},
        {&c.radii[4], NAN, "twig: radii[4]: nan"},
        {&c.segments[1].radius_x, 1e-30f, "twig: segments[1].radius_x: 1e-30"},
        {&c.segments[2].radius_y, INFINITY, "twig: segments[2].radius_y: inf"},
        {&c.segments[3].density, 1e-9f, "twig: segments[3].density: 1e-09"},
        {&c.segments[4].young, 1e16f, "twig: segments[4].young: 1e+16"},
        {&c.x[1].y, NAN, "twig: positions[1]"},
        {&c.x[1].y, 0.0f, "twig: positions: segment 0 is 0 m long"},
        {&c.x[1].x, 2e6f, "twig: positions: segment 0 is 2e+06 m long"},
        {&c.start[5].z, NAN, "twig: start_positions[5]"},
        {&c.frames[2].w, NAN, "twig: frames[2]"},
        {&c.def.velocity.x, NAN, "twig: velocity"},
        {&c.def.angular_velocity.y, INFINITY, "twig: angular_velocity"},
        {&c.def.gravity_scale, NAN, "twig: gravity_scale: nan"},
        {&c.def.surface.friction, -1.0f, "friction"},
    };
    assert_ok(create(&c)); // as it is, it can be
    SnPoses poses;
    assert_ok(sn_world_poses(c.world, &poses));
    assert_ok(sn_body_destroy(c.world, poses.bodies[1]));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        float good = *cases[k].where;
        *cases[k].where = cases[k].value;
        assert_error(create(&c), SN_ERROR_INVALID, cases[k].part);
        *cases[k].where = good;
    }
    finish(&c, &counter);
}

static void graphs_are_checked(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef world_def = counted_def(&counter);
    Case c = make_case(&world_def);
    const struct {
        int vertices, count;
        int edges[14];
        const char *part; // NULL: it can be
    } cases[] = {
        {6, 5, {0, 1, 1, 2, 2, 3, 2, 4, 4, 5}, NULL},
        {6, 5, {5, 4, 4, 2, 3, 2, 2, 1, 1, 0}, NULL},       // in any order
        {6, 4, {0, 1, 1, 2, 3, 4, 4, 5}, NULL},             // two trees
        {6, 6, {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0}, NULL}, // a ring
        {6,
         6,
         {0, 1, 1, 2, 2, 3, 2, 4, 4, 5, 1, 2},
         "edges[5]: joins the same vertices as edges[1]"},
        {6,
         6,
         {0, 1, 1, 2, 2, 3, 2, 4, 4, 5, 5, 4},
         "edges[5]: joins the same vertices as edges[4]"},
        // Two that close rings: neither leads anywhere first.
        {6, 7, {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 4, 5, 5, 4}, "edges[6]: joins the same vertices"},
        {6, 5, {0, 1, 1, 2, 2, 2, 2, 4, 4, 5}, "edges[2]: goes from vertex 2 to itself"},
        {6, 5, {0, 1, 1, 2, 2, 3, 2, 4, 4, 6}, "edges[4]: vertex 6 is not in [0, 6)"},
        {6, 5, {0, 1, 1, 2, 2, 3, 2, -7, 4, 5}, "edges[3]: vertex -7 is not in [0, 6)"},
        {6, 4, {0, 1, 1, 2, 2, 3, 2, 4}, "edges: none goes to vertex 5"},
        {6, 5, {0, 1, 1, 2, 2, 3, 3, 1, 0, 2}, "edges: none goes to vertex 4"},
        {6, -1, {0, 1}, "edge_count: -1 is not in [1, "},
        {6, 1 << 30, {0, 1}, "edge_count: 1073741824 is not in [1, "},
        {1, 5, {0, 1}, "vertex_count: 1 is not"},
        {0, 5, {0, 1}, "vertex_count: 0 is not"},
        {-3, 5, {0, 1}, "vertex_count: -3 is not"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        memset(c.edges, 0, sizeof c.edges);
        memcpy(c.edges, cases[k].edges, sizeof cases[k].edges);
        c.def.vertex_count = cases[k].vertices;
        c.def.edge_count = cases[k].count;
        if (cases[k].part) {
            assert_error(create(&c), SN_ERROR_INVALID, cases[k].part);
            continue;
        }
        assert_ok(create(&c));
        step(c.world, 1);
        SnPoses poses;
        assert_ok(sn_world_poses(c.world, &poses));
        assert_ok(sn_body_destroy(c.world, poses.bodies[1]));
    }
    c.def.vertex_count = 6;
    c.def.edge_count = 0;
    c.def.edges = c.edges; // given, but none
    assert_error(create(&c), SN_ERROR_INVALID, "twig: edge_count: 0 is not in [1, ");
    c.def.edges = NULL;
    c.def.positions = NULL;
    assert_error(sn_rod_create(c.world, &c.def, NULL), SN_ERROR_INVALID,
                 "twig: positions: is NULL");
    finish(&c, &counter);
}

// What belongs to the other kind of rod.
static void soft_things_are_refused(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef world_def = counted_def(&counter);
    Case c = make_case(&world_def);
    c.def.classic = true;
    assert_error(create(&c), SN_ERROR_INVALID, "twig: classic: is true, which a stiff rod");
    c.def.classic = false;
    for (int i = 0; i < PATH_MAX_VERTICES; ++i)
        c.scales[i] = 1.0f;
    c.def.start_scales = c.scales;
    assert_error(create(&c), SN_ERROR_INVALID, "twig: start_scales");
    c.def.start_scales = NULL;
    c.def.stiff = false;
    c.def.segments = c.segments;
    assert_error(create(&c), SN_ERROR_INVALID, "twig: segments: are given, but the rod is not");
    c.def.cookie = 0;
    assert_error(create(&c), SN_ERROR_INVALID, "sn_default_rod_def");
    SnPoses poses;
    assert_ok(sn_world_poses(c.world, &poses));
    SnBodyId rod = poses.bodies[0];
    float scales[6] = {2, 2, 2, 2, 2, 2};
    assert_ok(sn_body_write(c.world, rod, &(SnBodyState){.scales = scales})); // harmless
    assert_ok(sn_body_read(c.world, rod, &(SnBodyState){.scales = scales}));
    assert_near(scales[3], 1.0, 0.0);
    assert_error(sn_rod_set_length_scale(c.world, rod, 0, 5, 0.5f), SN_ERROR_INVALID, "stiff");
    SnAttachmentDef hold = sn_default_attachment_def();
    hold.body = rod;
    hold.kind = SN_ATTACH_SCALE;
    assert_error(sn_attachment_create(c.world, &hold, NULL), SN_ERROR_INVALID, "scale");
    finish(&c, &counter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(graphs_are_checked),
        cmocka_unit_test(soft_things_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
