// Scene files with solids: what they make, and what is said about those that cannot be.
#include "scene_kit.h"

#define SOLIDS(body) "{'version':1,'solids':[" body "]}"
#define PAIR(rest)                                                                                 \
    SOLIDS("{'positions':[[0,0,0],[1,0,0]],'radii':[[0.5,0.2,0.1],[0.5,0.2,0.1]]" rest "}")

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {SOLIDS("{}"), "needs \"positions\" and \"radii\", a \"grid\", a \"mesh\" or a \"model\""},
        {SOLIDS("{'positions':[]}"), "/solids/0/positions: 0 particles are not in [1, 16384]"},
        {SOLIDS("{'positions':[[0,0,0]]}"), "/solids/0: needs \"radii\""},
        {SOLIDS("{'positions':[[0,0,0]],'radii':[]}"), "/radii: has 0 items for 1 positions"},
        {SOLIDS("{'positions':[[0,0,0]],'radii':[[1,1,0]]}"), "/radii/0/2: 0 is not in ["},
        {PAIR(",'edges':[[0,2]]"), "/solids/0/edges/0/1: 2 is not in [0, 1]"},
        {PAIR(",'edges':[[0]]"), "/edges/0: is not a pair of particles [a, b]"},
        {PAIR(",'edges':[[1,1]]"), "/edges/0: joins particle 1 to itself"},
        {PAIR(",'volumes':[1]"), "/volumes: has 1 items for 2 positions"},
        {PAIR(",'edges':[[0,1]],'stiffness':[1,1]"), "/stiffness: has 2 items for 1 edges"},
        {SOLIDS("{'grid':[2,2]}"), "/grid: is not [columns, rows, layers]"},
        {SOLIDS("{'grid':[2,2,0],'size':[1,1,1]}"), "/grid/2: 0 is not in [1, 1024]"},
        {SOLIDS("{'grid':[100,100,100],'size':[1,1,1]}"), "/grid: 1000000 particles are more than"},
        {SOLIDS("{'grid':[2,2,2]}"), "/grid: needs a \"size\""},
        {SOLIDS("{'grid':[2,2,2],'size':[1,1,1],'radii':[]}"), "/radii: a grid has no \"radii\""},
        {SOLIDS("{'grid':[2,2,2],'size':[1,1,1],'particles':9}"),
         "/particles: a grid has no \"particles\""},
        {PAIR(",'size':[1,1,1]"), "/size: a list of positions has no \"size\""},
        {PAIR(",'fill':'shell'"), "/fill: a list of positions has no \"fill\""},
        {SOLIDS("{'model':'bar','edges':[]}"), "/edges: a model has no \"edges\""},
        {SOLIDS("{'mesh':'bar.obj','length':1}"), "/length: a mesh has no \"length\""},
        {PAIR(",'edges':[[0,1]],'areas':[1,1]"), "/areas: has 2 items for 1 edges"},
        {PAIR(",'edges':[[0,1]],'areas':[-1]"), "/areas/0: -1 is not in [0, 100000000]"},
        {PAIR(",'attach':[{'scale':0}]"), "/scale: a solid has no scale to hold"},
        {PAIR(",'attach':[{'vertex':2}]"), "there is no vertex 2: the solid has 2"},
        {PAIR(",'attach':[{'mark':0}]"), "/attach/0/mark: this solid has no \"marks\""},
        {PAIR(",'marks':[{}]"), "/marks/0: needs either a \"position\" or a \"vertex\""},
        {PAIR(",'marks':[{'vertex':3}]"), "/marks/0/vertex: this solid has no mesh"},
        {PAIR(",'marks':[{'position':[0,0,0],'direction':[0,0,0]}]"), "direction has no length"},
        {PAIR(",'marks':[{'position':[0,0,0]}],'attach':[{'direction':1}]"),
         "there is no mark 1: the solid has 1"},
        {PAIR(",'marks':[{'position':[0,0,0]}],'attach':[{'mark':0,'rotation':[0,0,0,1]}]"),
         "/rotation: does not go with \"mark\""},
        {SOLIDS("{'model':'bar','particles':8,'triangles':200,'marks':[{'vertex':100000}]}"),
         "/marks/0/vertex: 100000 is not in [0, "},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

// A vertex of a mesh is drawn up by an animated attachment, and its direction by a frame.
static void marks_are_led(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'world':{'gravity':[0,0,0]},"
        "'frames':[{'name':'hand','rotation':{'axis':[0,0,1],'angle':0},'animation':["
        "{'target':'rotation/angle','keys':[[0,0],[1,90]]}]}],"
        "'solids':[{'name':'bar','model':'bar','particles':20,'triangles':400,"
        "'position':[0,2,0],'marks':[{'vertex':7,'direction':[1,0,0]}],"
        "'attach':[{'mark':0,'position':[0,2,0]},{'direction':0,'frame':'hand'}]}],"
        "'animation':[{'target':'/solids/0/attach/0/position/1','keys':[[0,2],[1,3]]}]}");
    SnWorld *world = build(scene);
    SnBodyId bar = sn_world_find_body(world, "bar");
    assert_int_equal(sn_solid_mark_count(world, bar), 1);
    run(scene, world, 180, 1.0 / 60.0);
    SnVec3 at, direction;
    assert_int_equal(sn_solid_mark(world, bar, 0, &at, &direction).code, SN_OK);
    assert_near((double)at.x, 0.0, 1e-3);
    assert_near((double)at.y, 3.0, 1e-3);
    assert_near((double)direction.y, 1.0, 1e-3);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void grids_and_particles_become_bodies(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'solids':["
                    "{'name':'bar','grid':[4,2,1],'size':[0.4,0.2,0.1],'position':[0,1,0],"
                    "'material':{'young':1e5},'attach':[{'vertex':0},{'segment':0}]},"
                    "{'name':'two','positions':[[0,0,0],[0.2,0,0]],"
                    "'radii':[[0.1,0.05,0.05],[0.1,0.05,0.05]],'edges':[[0,1]],"
                    "'copies':{'count':[3,1,1],'spacing':[1,1,1]}}]}");
    SnWorld *world = build(scene);
    SnBodyId bar = sn_world_find_body(world, "bar");
    assert_int_equal(sn_world_body_count(world), 4);
    assert_int_equal(sn_body_kind(world, bar), SN_BODY_SOLID);
    assert_int_equal(sn_body_point_count(world, bar), 8);
    assert_int_equal(sn_solid_edge_count(world, bar), 10);
    SnMeasures m = sn_world_measure(world);
    assert_near(m.mass, 8.0 + 3.0 * 2.0 * 4.18879e-3 * 0.1 * 0.05 * 0.05 / 1e-6, 1e-3);
    run(scene, world, 30, 1.0 / 60.0);
    SnVec3 x[8];
    SnBodyState out = {.positions = x};
    assert_int_equal(sn_body_read(world, bar, &out).code, SN_OK);
    assert_near((double)x[0].x, -0.15, 1e-6);
    assert_near((double)x[0].y, 0.95, 1e-6);
    assert_true(x[3].y < 0.94f);
    destroy(scene, world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(marks_are_led),
        cmocka_unit_test(grids_and_particles_become_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
