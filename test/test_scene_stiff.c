// Scene files: stiff rods, trees, their skins and their GLB files.
#include "scene_kit.h"

#include "io/scene_rod.h"

#include <sinew/gltf.h>
#include <unistd.h>

#define ROD(rest) "{'version':1,'rods':[{" LINE "," rest "}]}"
#define TREE(tree, rest) "{'version':1,'rods':[{'name':'t','shape':{'tree':{" tree "}}" rest "}]}"
#define POINTS(edges)                                                                              \
    "{'version':1,'rods':[{'name':'r','stiff':true,'shape':{'points':[[0,0,0],[1,0,0],[1,1,0]]},"  \
    "'edges':[" edges "]}]}"
#define BIRCH "'kind':'birch','segments':400,'height':4,'seed':2"

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {ROD("'stiff':1"), "/rods/0/stiff: 1 is not true or false"},
        {ROD("'segments':{}"), "/rods/0/segments: needs \"stiff\": true"},
        {ROD("'stiff':true,'segments':7"), "/rods/0/segments: 7 is not an array"},
        {ROD("'stiff':true,'segments':[{},{'form':1}]"), "/rods/0/segments/1/form: unknown key"},
        {ROD("'stiff':true,'segments':{'from':4}"), "/segments/from: there is no segment 4: the"},
        {ROD("'stiff':true,'segments':{'from':3,'to':1}"), "/segments: segment 1, the last, comes"},
        {ROD("'stiff':true,'segments':{'young':0}"),
         "/rods/0/segments/young: 0 is not in (0, 1e15]"},
        {ROD("'stiff':true,'segments':{'radius':[1]}"),
         "/segments/radius: is neither a radius nor"},
        {ROD("'stiff':true,'segments':{'radius':[1,-1]}"),
         "/rods/0/segments/radius/1: -1 is not in"},
        {ROD("'stiff':true,'classic':true"), "/rods/0/classic: does not go with \"stiff\""},
        {ROD("'stiff':true,'activation':[]"), "/rods/0/activation: does not go with \"stiff\""},
        {ROD("'stiff':true,'start':{'stretch':2}"), "/rods/0/start/stretch: a stiff rod keeps its"},
        {ROD("'stiff':true,'attach':[{'scale':0}]"), "/attach/0/scale: a stiff rod has no scale"},
        {ROD("'stiff':true,'forces':[{'vertex':0,'radial':1}]"), "/forces/0: a stiff rod feels no"},
        {POINTS("[0,1],[1,3]"), "/rods/0/edges/1/1: 3 is not in [0, 2]"},
        {POINTS("[0,1],[1,1]"), "/rods/0/edges/1: joins vertex 1 to itself"},
        {ROD("'material':{'strength':-1}"), "/rods/0/material/strength: -1 is not in [0, 1e15]"},
        {"{'version':1,'world':{'tolerance':-1}}", "/world/tolerance: -1 is not >= 0"},
        {TREE("'segments':40", ""), "/rods/0/shape/tree: \"kind\" is missing"},
        {TREE("'kind':'oak'", ""),
         "/rods/0/shape/tree/kind: unknown word \"oak\"; there are: birch"},
        {TREE("'kind':'pine','segments':29", ""),
         "/shape/tree/segments: 29 is not in [30, 1000000]"},
        {TREE("'kind':'pine','height':0", ""), "/rods/0/shape/tree/height: 0 is not in (0, 1000]"},
        {TREE(BIRCH ",'sides':2", ""), "/shape/tree/sides: 2 is neither 0 nor in [3, 64]"},
        {TREE(BIRCH ",'leaves':{'thickness':0}", ""), "/tree/leaves/thickness: 0 is not in (0, 1]"},
        {TREE(BIRCH, ",'radius':1"), "/rods/0/radius: the shape has radii of its own"},
        {TREE(BIRCH, ",'stiff':false"), "/rods/0/stiff: a tree is always stiff"},
        {TREE(BIRCH, ",'attach':[{'clamp':'last'}]"),
         "/attach/0/clamp: this rod is no chain and has no last end"},
        {TREE(BIRCH, ",'attach':[{'vertex':401}]"), "/attach/0/vertex: there is no vertex 401"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

// What only shows when the rod is made.
static void what_cannot_be_built_is_named(void **state) {
    (void)state;
    static const Bad cases[] = {
        {ROD("'stiff':true,'name':'r','segments':{'radius':[1e-9,1]}"),
         "/rods/0: r: segments[0].radius_x: 1e-09 is neither 0 nor in [1e-07, 10000]"},
        {POINTS("[0,1],[1,2],[2,1]"), "/rods/0: r: edges[2]: joins the same vertices as edges[1]"},
        {POINTS("[0,1]"), "/rods/0: r: edges: none goes to vertex 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        SnScene *scene = load_quoted(cases[i].text);
        SnWorldDef def = sn_default_world_def();
        SnWorld *world;
        SnResult result = sn_scene_build(scene, &def, &world);
        if (strstr(result.message, cases[i].message) == NULL)
            fail_msg("%s\ngave \"%s\", not \"%s\"", cases[i].text, result.message,
                     cases[i].message);
        assert_null(world);
        sn_scene_destroy(scene);
    }
}

static double mass_of(SnScene *scene, SnWorld *world, int rod) {
    SnMeasures m;
    assert_int_equal(sn_body_measure(world, sn_scene_body_id(scene, rod), &m).code, SN_OK);
    return m.mass;
}

// Four segments of 0.25 m.
static void ranges_of_segments_add_up(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'rods':[{'stiff':true,'radius':0.1," LINE ",'segments':["
                    "{'density':500,'radius':[0.2,0.01]},{'from':-2,'density':200},{'from':1,'to':"
                    "1,'radius':0.1}]},"
                    "{'stiff':true,'radius':0.1," LINE "},"
                    "{'stiff':true,'radius':0.1," LINE ",'segments':{'radius':[0.05,0.2]}}]}");
    SnWorld *world = build(scene);
    const double pi = 3.14159265358979;
    assert_near(mass_of(scene, world, 0), 0.25 * pi * (500 * 0.002 + 500 * 0.01 + 400 * 0.002),
                1e-4);
    assert_near(mass_of(scene, world, 1), pi * 0.01 * 1000, 1e-3);
    const float *section = scene->bodies[1]->section;
    assert_true(section[0] == 0 && section[1] == 0);
    section = scene->bodies[2]->section;
    assert_near((double)section[0], 0.5, 1e-6);
    assert_near((double)section[1], 2, 1e-6);
    destroy(scene, world);
}

static void step_stiff(SnScene *scene, SnWorld *world, int steps) {
    for (int i = 1; i <= steps; ++i) {
        assert_int_equal(sn_scene_animate(scene, world, i / 60.0, 1 / 60.0).code, SN_OK);
        assert_int_equal(sn_world_step(world, 1.0f / 60, 1, 3), SN_STEP_OK);
    }
}

static void weak_rods_break_and_tolerance_ends_early(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'world':{'tolerance':1},'rods':[{'stiff':true,'attach':[{'clamp':'first'}],"
        "'radius':0.01,'material':{'young':1e9,'shear':4e8,'strength':1e5}," LINE "}]}");
    SnWorld *world = build(scene);
    step_stiff(scene, world, 20);
    SnMeasures m = sn_world_measure(world);
    assert_true(m.broken_joints > 0);
    assert_true(m.stiff_iterations < 3);
    destroy(scene, world);
}

static void a_tree_has_what_it_does_not_say(void **state) {
    (void)state;
    SnScene *scene = load_quoted(TREE(BIRCH, ""));
    const SceneBody *body = scene->bodies[0];
    assert_int_equal(body->element_count, 400);
    assert_true(sn__scene_rod(body)->stiff && !body->collide);
    assert_near((double)scene->materials[body->material].values.young, 12.5e9, 1e3);
    SnWorld *world = build(scene);
    SnSceneSkin skin = sn_scene_skin(scene, 0);
    assert_int_equal(sn_scene_skin_count(scene), 1);
    assert_string_equal(skin.name, "t");
    assert_true(skin.leaf_colour.g > skin.leaf_colour.r && skin.bark_triangle_count > 0);
    step_stiff(scene, world, 30); // its base is held
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_point(&poses, 0, 0, 0, 0);
    destroy(scene, world);

    scene = load_quoted(TREE(BIRCH ",'sides':0,'leaves':{'colour':'red'}",
                             ",'attach':[],'material':{'density':500},'segments':{'density':100}"));
    assert_int_equal(sn_scene_skin_count(scene), 0);
    assert_near((double)scene->materials[scene->bodies[0]->material].values.young, 12.5e9, 1e3);
    world = build(scene);
    step_stiff(scene, world, 30); // nothing holds it
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_near((double)poses.positions[1], -0.5 * 9.81 * 0.25, 0.1);
    destroy(scene, world);
}

// The same tree, upright and turned by a right angle about y, then by one about x.
static void skins_are_where_their_trees_are(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'world':{'gravity':[0,0,0]},'rods':["
                                 "{'name':'a','shape':{'tree':{" BIRCH
                                 "}},'position':[5,0,0],'rotation':{'axis':[0,1,0],'angle':90}},"
                                 "{'name':'b','shape':{'tree':{" BIRCH
                                 "}},'rotation':{'axis':[1,0,0],'angle':90},"
                                 " 'copies':{'count':[2,1,1],'spacing':[9,0,0]}}]}");
    SnWorld *world = build(scene);
    SnSkinPoses poses;
    SnSkinMesh mesh;
    step_stiff(scene, world, 3);
    assert_int_equal(sn_world_skins(world, &poses).code, SN_OK);
    assert_int_equal(poses.skin_count, 3);
    assert_int_equal(sn_skin_mesh(world, poses.skins[0], &mesh).code, SN_OK);
    const SnTreeSkin *skin = &scene->skins[0].tree_skin;
    assert_int_equal(mesh.vertex_count, skin->vertex_count);
    for (int i = 0; i < skin->vertex_count; ++i) {
        SnVec3 p = skin->positions[i];
        const float *a = poses.positions + 3 * (size_t)(poses.vertex_begin[0] + i);
        const float *c = poses.positions + 3 * (size_t)(poses.vertex_begin[2] + i);
        assert_near((double)a[0], 5 + (double)p.z, 1e-3);
        assert_near((double)a[2], -(double)p.x, 1e-3);
        assert_near((double)c[0], 9 + (double)p.x, 1e-3);
        assert_near((double)c[2], (double)p.y, 1e-3);
    }
    destroy(scene, world);
}

static SnVec3 turned(SnQuat q, Vec3d v) {
    Vec3d r = rotated(quatd(q), v);
    return sn_vec3((float)r.x, (float)r.y, (float)r.z);
}

#define STORM                                                                                      \
    "'fields':[{'kind':'wind','strength':15,'direction':[1,0,0],'turbulence':0.3}],"               \
    "'rods':[{'name':'t','shape':{'tree':{" BIRCH "}}}]}"

// In a storm, where leaves and side branches turn much more than what they grow from.
static void skins_follow_their_own_segments(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1," STORM);
    SnWorld *world = build(scene);
    step_stiff(scene, world, 40);
    SnSkinPoses skins;
    SnPoses rods;
    assert_int_equal(sn_world_skins(world, &skins).code, SN_OK);
    assert_int_equal(sn_world_poses(world, &rods).code, SN_OK);
    const SceneRod *rod = sn__scene_rod(scene->bodies[0]);
    const SnTreeSkin *skin = &scene->skins[0].tree_skin;
    double turn = 0;
    for (int i = 0; i < skin->vertex_count; ++i) {
        int bone = skin->bones[SN_SKIN_BONES * i], second = rod->bone_segments[2 * bone + 1];
        int edge = rod->bone_segments[2 * bone];
        bool leaf = i >= skin->bark_vertex_count;
        if ((!leaf && second >= 0) || skin->weights[SN_SKIN_BONES * i] < 1)
            continue; // between two segments
        // Where the one segment takes it.
        Vec3d from = subd(vec3d(skin->positions[i]), vec3d(rod->body.positions[bone]));
        Quatd rest = quatd(rod->frames[edge]);
        const float *q = rods.frames + 4 * edge, *x = rods.positions + 3 * bone;
        SnVec3 to = turned((SnQuat){q[0], q[1], q[2], q[3]}, rotated(conjugated(rest), from));
        const float *p = skins.positions + 3 * i;
        assert_near((double)p[0], (double)(x[0] + to.x), 1e-4);
        assert_near((double)p[1], (double)(x[1] + to.y), 1e-4);
        assert_near((double)p[2], (double)(x[2] + to.z), 1e-4);
        turn = fmax(turn, lengthd(subd(from, vec3d(to))));
    }
    assert_true(turn > 0.02); // they did move
    destroy(scene, world);
}

static void copies_turn_about_the_vertical(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'rods':[{'stiff':true," LINE ",'rotation':{'axis':[0,0,1],'angle':30},"
        "'copies':{'count':[9,1,1],'spacing':[2,0,0],'jitter':{'turn':180,'seed':5}}}]}");
    SnWorld *world = build(scene);
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    double least = 1, most = -1;
    for (int i = 0; i < 9; ++i) {
        const float *a = poses.positions + 15 * i, *b = a + 12;
        assert_near((double)(b[1] - a[1]), 0.5, 1e-5);
        least = fmin(least, (double)(b[2] - a[2]));
        most = fmax(most, (double)(b[2] - a[2]));
    }
    assert_true(least < -0.3 && most > 0.3);
    destroy(scene, world);
}

static SnGltfInfo recorded(SnScene *scene, SnWorld *world, int frames) {
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sinew-%ld-tree.glb", folder ? folder : "/tmp", (long)getpid());
    SnSkinMesh mesh;
    SnPoses poses;
    SnSceneSkin skin = sn_scene_skin(scene, 0);
    assert_int_equal(sn_skin_mesh(world, skin.id, &mesh).code, SN_OK);
    SnGltfDef def = sn_default_gltf_def();
    def.skin_count = 1;
    def.skins = &mesh;
    def.skin_colours = &skin.colour;
    def.skin_leaf_colours = &skin.leaf_colour;
    def.skin_bark = &skin.bark_triangle_count;
    SnGltf *gltf;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_int_equal(sn_gltf_begin(&poses, &def, &gltf).code, SN_OK);
    for (int i = 0; i < frames; ++i) {
        step_stiff(scene, world, 1);
        assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
        assert_int_equal(sn_gltf_frame(gltf, &poses, 0.1 * i).code, SN_OK);
    }
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    sn_gltf_destroy(gltf);
    SnGltfInfo info;
    assert_int_equal(sn_gltf_info(path, &info).code, SN_OK);
    remove(path);
    return info;
}

static void files_have_bark_leaves_and_not_too_many_joints(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1," STORM);
    SnWorld *world = build(scene);
    SnGltfInfo info = recorded(scene, world, 3);
    assert_int_equal(info.joints, 401);
    assert_int_equal(info.materials, 2);
    assert_int_equal(info.skins, 1);
    assert_int_equal(info.triangles, scene->skins[0].tree_skin.triangle_count);
    destroy(scene, world);

    scene = load_quoted(TREE("'kind':'pine','segments':20000,'sides':3", ""));
    world = build(scene);
    info = recorded(scene, world, 2);
    assert_true(info.joints > SN_MAX_GLTF_TREE_JOINTS / 4);
    assert_true(info.joints <= SN_MAX_GLTF_TREE_JOINTS);
    assert_int_equal(info.triangles, scene->skins[0].tree_skin.triangle_count);
    destroy(scene, world);
}

static void whatever_it_says_it_is_survived(void **state) {
    (void)state;
    assert_survives(
        "{'version':1,'world':{'tolerance':0.01},'frames':[{'name':'f'}],'rods':["
        "{'name':'g','stiff':true,'shape':{'line':{'from':[0,0,0],'to':[0,1,0],'segments':5}},"
        "'radius':0.01,'material':{'young':1e8,'yield':1e7,'strength':1e8},"
        "'segments':[{'from':1,'to':3,'radius':[0.01,0.02],'young':1e7},{'density':300}],"
        "'attach':[{'clamp':'first','frame':'f'}],'copies':{'count':[2,1,2],'spacing':[1,0,1],"
        "'jitter':{'turn':90}}},"
        "{'name':'t','shape':{'tree':{'kind':'willow','segments':60,'height':2,'seed':1,'sides':5,"
        "'leaves':{'young':1e8,'thickness':0.001,'colour':'green'}}},'position':[5,0,0]}]}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(what_cannot_be_built_is_named),
        cmocka_unit_test(ranges_of_segments_add_up),
        cmocka_unit_test(weak_rods_break_and_tolerance_ends_early),
        cmocka_unit_test(a_tree_has_what_it_does_not_say),
        cmocka_unit_test(skins_are_where_their_trees_are),
        cmocka_unit_test(skins_follow_their_own_segments),
        cmocka_unit_test(copies_turn_about_the_vertical),
        cmocka_unit_test(files_have_bark_leaves_and_not_too_many_joints),
        cmocka_unit_test(whatever_it_says_it_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
