// Scene files: creatures, colliders, links, skins, filters and arrangements of copies.
#include "scene_kit.h"

static SnVec3 vertex(SnWorld *world, SnBodyId rod, int index) {
    SnVec3 positions[64];
    SnBodyState state = {.positions = positions};
    assert_true(sn_body_point_count(world, rod) <= 64);
    assert_int_equal(sn_body_read(world, rod, &state).code, SN_OK);
    return positions[index];
}

static void assert_vec3(SnVec3 v, double x, double y, double z) {
    assert_near((double)v.x, x, 1e-4);
    assert_near((double)v.y, y, 1e-4);
    assert_near((double)v.z, z, 1e-4);
}

#define ROPE(name) "{'name':'" name "'," LINE "}"
#define WITH(rest) "{'version':1,'rods':[" ROPE("a") "," ROPE("b") "]," rest "}"
#define COLLIDER(rest) "{'version':1,'colliders':[{" rest "}]}"
#define LINK(rest) WITH("'links':[{" rest "}]")
#define SKIN(rest) WITH("'skins':[{" rest "}]")
#define ROD(rest) "{'version':1,'rods':[{" LINE "," rest "}]}"
#define GRAPH(rest) "{'version':1,'rods':[{'shape':{'points':[[0,0,0],[1,0,0],[0,1,0]]}," rest "}]}"

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {GRAPH("'edges':5"), "/rods/0/edges: 5 is not an array"},
        {GRAPH("'edges':[[0,1]]"),
         "t.json:1:76: /rods/0/edges: 1 edge cannot connect 3 points; it takes 2 or more"},
        {"{'version':1,\n'rods':{}}",
         "t.json:2:8: /rods: an object is not an array; write [{…}, …]"},
        {ROD("'radius':'2cm'"),
         "/rods/0/radius: \"2cm\" is not a number: digits without quotes and "
         "units, as 0.02"},
        {GRAPH("'edges':[]"), "/rods/0/edges: 0 edges are not in [1, 4096]"},
        {GRAPH("'edges':[[0,1],[0]]"), "/rods/0/edges/1: is not a pair of vertices [a, b]"},
        {GRAPH("'edges':[[0,3]]"), "/rods/0/edges/0/1: 3 is not in [0, 2]"},
        {GRAPH("'edges':[[0,1],[2,2]]"), "/rods/0/edges/1: joins vertex 2 to itself"},
        {GRAPH("'edges':[[0,1],[0,2]],'closed':true"), "/closed: a rod with edges is closed by"},
        {GRAPH("'edges':[[0,1],[0,2]],'rest':'straight'"), "/rest: a rod with edges cannot be"},
        {ROD("'rest':'bent'"), "/rods/0/rest"},
        {GRAPH("'edges':[[0,1],[0,2]],'twist':9"), "/twist: a rod with edges has no twist"},
        {GRAPH("'edges':[[0,1],[0,2]],'start':{'twist':9}"), "/start: a rod with edges has no"},
        {GRAPH("'edges':[[0,1],[0,2]],'radius':{'from':1,'to':2}"),
         "/radius: a rod with edges takes one number"},
        {GRAPH("'edges':[[0,1],[0,2]],'attach':[{'clamp':'first'}]"),
         "/attach/0/clamp: this rod is no chain and has no first end to clamp"},
        {ROD("'edges':[[0,1]]"), "/rods/0/edges: edges go with \"points\""},
        {"{'version':1,'rods':[{'shape':{'octopus':{'size':0}}}]}", "size: 0 is not in (0, "},
        {"{'version':1,'rods':[{'shape':{'octopus':{}},'radius':1}]}",
         "/rods/0/radius: the shape has radii of its own"},
        {"{'version':1,'rods':[{'shape':{'net':{'columns':2,'rows':2,'width':1}}}]}",
         "/shape/net: \"depth\" is missing"},
        {"{'version':1,'rods':[{'stiff':true,'shape':{'net':{'columns':1000,'rows':1000,"
         "'width':1,'depth':1}}}]}",
         "/shape/net: 2002000 segments are not in [1, 1048576]"},
        {ROD("'start':{'octopus':{}}"), "/start/octopus: unknown key \"octopus\""},
        {ROD("'surface':{'friction':-1}"), "/rods/0/surface/friction: -1 is not in [0, 100]"},
        {ROD("'surface':{'static_friction':0.2}"),
         "/rods/0/surface: \"static_friction\" 0.2 is less than \"friction\" 0.5"},
        {ROD("'surface':{'bounce':1}"), "unknown key \"bounce\""},
        {ROD("'filter':{'category':'arm'}"), "/filter/category: unknown category \"arm\""},
        {ROD("'filter':{'mask':[4]}"), "/filter/mask/0: 4 is not the name of a category"},
        {ROD("'filter':{'mask':-1}"), "/filter/mask: -1 is not in [0, 4294967295]"},
        {ROD("'filter':{'mask':0.5}"), "/filter/mask: is not a whole number"},
        {ROD("'filter':{'group':1e10}"), "/filter/group: 10000000000 is not in "},
        {ROD("'collide':1"), "/rods/0/collide: 1 is not true or false"},
        {ROD("'burst':{}"), "/rods/0/burst: \"speed\" is missing"},
        {"{'version':1,'categories':['a','a']}", "/categories/1: the name \"a\" is taken"},
        {"{'version':1,'categories':['default']}", "the name \"default\" is taken"},
        {"{'version':1,'categories':[3]}", "/categories/0: 3 is not a text"},
        {"{'version':1,'world':{'sleep_speed':-1}}", "/world/sleep_speed: -1 is not >= 0"},
        {ROD("'copies':{}"), "/rods/0/copies: needs one of: count, ring"},
        {ROD("'copies':{'count':[1,1,2]}"), "\"count\" and \"spacing\" go together"},
        {ROD("'copies':{'ring':{'count':2}}"), "/copies/ring: \"radius\" is missing"},
        {ROD("'copies':{'ring':{'count':2,'radius':1,'axis':[0,0,0]}}"), "axis has no length"},
        {ROD("'copies':{'ring':{'count':1000000,'radius':1},'count':[2,1,1],'spacing':[1,1,1]}"),
         "/copies/count: 2000000 copies are more than 1000000"},
        {ROD("'copies':{'ring':{'count':2,'radius':1},'jitter':{'colour':2}}"),
         "/jitter/colour: 2 is not in [0, 1]"},
        {COLLIDER(""), "/colliders/0: needs one of: plane, sphere, pill, box, mesh"},
        {COLLIDER("'plane':{},'sphere':{'radius':1}"), "/sphere: is a second shape, after"},
        {COLLIDER("'plane':{'normal':[0,0,0]}"), "/plane: the normal has no length"},
        {COLLIDER("'sphere':{}"), "/colliders/0/sphere: \"radius\" is missing"},
        {COLLIDER("'box':{'size':[1,0,1]}"), "/colliders/0/box/size/1: 0 is not > 0"},
        {COLLIDER("'pill':{'from':[0,0,0],'to':[0,1,0],'radius':-1}"), "/radius: -1 is not > 0"},
        {COLLIDER("'mesh':{'file':''}"), "/colliders/0/mesh: \"file\" is empty"},
        {COLLIDER("'plain':{}"),
         "/colliders/0/plain: unknown key \"plain\"; did you mean \"plane\""},
        {COLLIDER("'plane':{},'frame':'x'"),
         "/colliders/0/frame: unknown frame \"x\"; there is none"},
        {COLLIDER("'plane':{},'frame':4"), "/colliders/0/frame: 4 is not the name of a frame"},
        {"{'version':1,'frames':[{'name':'f'}],'colliders':[{'plane':{},'frame':'f',"
         "'origin':[0,0,0]}]}",
         "/colliders/0/origin: does not go with \"frame\""},
        {COLLIDER("'plane':{},'copies':{'count':[1000,1000,1],'spacing':[1,1,1]}"),
         "1000000 colliders; the limit is 100000"},
        {LINK(""), "/links/0: \"a\" is missing"},
        {LINK("'a':{'position':[0,0,0]}"), "/links/0/a: needs a \"rod\", the name of a body"},
        {LINK("'a':{'rod':'c','vertex':0}"), "/links/0/a/rod: unknown body \"c\""},
        {LINK("'a':{'rod':'a'}"), "/links/0/a: needs one of: vertex, segment"},
        {LINK("'a':{'rod':'a','vertex':5}"), "/links/0/a/vertex: there is no vertex 5"},
        {LINK("'a':{'rod':'a','segment':4}"), "/links/0/a/segment: there is no segment 4"},
        {LINK("'a':{'rod':'a','vertex':1,'t':0.5}"), "/links/0/a/t: goes with \"segment\""},
        {LINK("'a':{'rod':'a','vertex':1,'position':[0,0,0]}"), "does not go with \"rod\""},
        {LINK("'a':{'rod':'a','vertex':1},'b':{'t':0}"), "/links/0/b/t: needs a \"rod\""},
        {LINK("'a':{'rod':'a','vertex':1},'b':{'frame':'f'}"), "unknown frame \"f\""},
        {LINK("'a':{'rod':'a','vertex':1},'length':-1"), "/links/0/length: -1 is not >= 0"},
        {"{'version':1,'rods':[" ROPE("a") "," ROPE(
             "a") "],'links':[{'a':{'rod':'a','vertex':0}}]}",
         "\"a\" is the name of more than one body"},
        {"{'version':1,'rods':[{'name':'a'," LINE ",'copies':{'count':[2,1,1],'spacing':[1,1,1]}},"
         "{'name':'b'," LINE ",'copies':{'count':[3,1,1],'spacing':[1,1,1]}}],"
         "'links':[{'a':{'rod':'a','vertex':0},'b':{'rod':'b','vertex':0}}]}",
         "/links/0: 2 copies and 3 copies do not pair up"},
        {WITH("'ignore':[['a']]"), "/ignore/0: is not a pair of names"},
        {WITH("'ignore':[['a','c']]"), "/ignore/0/1: unknown body \"c\""},
        {WITH("'ignore':[['a','a']]"), "/ignore/0: use \"self_collide\""},
        {WITH("'ignore':[['x','y']],'colliders':[{'name':'x','plane':{}},{'name':'y','plane':{}}]"),
         "/ignore/0: colliders do not touch each other anyway"},
        {SKIN("'iso':{}"), "/skins/0: \"rods\" is missing"},
        {SKIN("'rods':'a'"), "/skins/0: needs one of: mesh, iso"},
        {SKIN("'rods':'a','iso':{},'mesh':{'file':'x.obj'}"), "/skins/0: needs one of: mesh, iso"},
        {SKIN("'rods':[],'iso':{}"), "/skins/0/rods: needs the name of a body or more"},
        {SKIN("'rods':['a','d'],'iso':{}"), "/skins/0/rods/1: unknown body \"d\""},
        {SKIN("'rods':'a','frames':['f'],'iso':{}"), "/skins/0/frames/0: unknown frame \"f\""},
        {SKIN("'rods':'a','iso':{},'opacity':2"), "/skins/0/opacity: 2 is not in [0, 1]"},
        {SKIN("'rods':'a','iso':{'close':-1}"), "/skins/0/iso/close: -1 is not >= 0"},
        {"{'version':1,'frames':[{'name':'f'}],'rods':[{'name':'a'," LINE
         ",'copies':{'count':[2,1,1],'spacing':[1,1,1]}}],'skins':[{'rods':'a','frames':['f'],"
         "'iso':{}}]}",
         "/skins/0/frames: does not go with copies; the bodies have 2"},
        {SKIN("'rods':'a','iso':{'triangles':99}"), "/iso/triangles: 99 is not in [100, 10000000]"},
        {SKIN("'rods':'a','mesh':{'file':'x.obj','cell':1}"), "/mesh/cell: is for colliders only"},
        {SKIN("'rods':'a','mesh':{'scale':1}"), "/skins/0/mesh: \"file\" is missing"},
        {"{'version':1,'rods':[" ROPE(
             "a") ",{'name':'b'," LINE ",'copies':{'count':[2,1,1],"
                  "'spacing':[1,1,1]}}],'skins':[{'rods':['a','b'],'iso':{}}]}",
         "/skins/0/rods/1: the bodies under one skin need the same number of copies"},
        {"{'version':1,'colliders':[{'name':'x','plane':{}}],'animation':[{'target':"
         "'/colliders/x/position','keys':[[0,[0,0,0]]]}]}",
         "/animation/0/target: \"colliders\" cannot be animated"},
        {"{'version':1,'rigid':[{'name':'x','material':{'drag':1},'parts':[{'centre':[0,0,0],"
         "'radius':1}]}],'animation':[{'target':'/rigid/x/material/drag','keys':[[0,0]]}]}",
         "/animation/0/target: \"material\" of a rigid body is fixed when it is made"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

static void creatures_are_built(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'rods':[{'shape':{'points':[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},"
                    "'edges':[[0,1],[0,2],[3,0]],'radius':[0.1,0.05,0.05,0.05],'position':[0,2,0]},"
                    "{'name':'o','shape':{'octopus':{'size':0.5}},'position':[3,1,0]}]}");
    SnWorld *world = build(scene);
    SnBodyId star = sn_scene_body_id(scene, 0), octopus = sn_scene_body_id(scene, 1);
    assert_int_equal(sn_body_element_count(world, star), 3);
    int edges[6];
    assert_int_equal(sn_body_edges(world, star, edges).code, SN_OK);
    assert_true(edges[4] == 3 && edges[5] == 0);
    assert_vec3(vertex(world, star, 3), 0, 2, 1);
    assert_int_equal(sn_body_point_count(world, octopus), 38);
    assert_int_equal(sn_body_element_count(world, octopus), 38);
    assert_int_equal(sn_scene_body_id(scene, 2).index, 0);
    destroy(scene, world);
}

static void a_net_is_built(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'rods':[{'stiff':true,'shape':{'net':{'columns':3,"
                                 "'rows':2,'width':3,'depth':4,'segments':2}},'radius':0.01}]}");
    SnWorld *world = build(scene);
    SnBodyId net = sn_scene_body_id(scene, 0);
    assert_int_equal(sn_body_point_count(world, net), 12 + 17);
    assert_int_equal(sn_body_element_count(world, net), 2 * 17);
    const int corners[4] = {0, 3, 8, 11};
    for (int k = 0; k < 4; ++k)
        assert_vec3(vertex(world, net, corners[k]), k % 2 ? 1.5f : -1.5f, 0, k < 2 ? -2.0f : 2.0f);
    int edges[2 * 34];
    assert_int_equal(sn_body_edges(world, net, edges).code, SN_OK);
    for (int j = 0; j < 34; ++j) {
        SnVec3 from = vertex(world, net, edges[2 * j]), to = vertex(world, net, edges[2 * j + 1]);
        double length = fabs((double)(to.x - from.x)) + fabs((double)(to.z - from.z));
        assert_true(fabs(length - 0.5) < 1e-6 || fabs(length - 1.0) < 1e-6);
    }
    destroy(scene, world);
}

// The engine says what is wrong with a graph; the scene says where.
static void bad_graphs_are_refused(void **state) {
    (void)state;
    char *text = quoted(GRAPH("'edges':[[0,1],[1,0]]"));
    SnScene *scene = load(text);
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    SnResult result = sn_scene_build(scene, &def, &world);
    assert_int_equal(result.code, SN_ERROR_INVALID);
    assert_non_null(strstr(result.message, "t.json:1: /rods/0: "));
    assert_null(world);
    sn_scene_destroy(scene);
    free(text);
}

static void rings_and_grids_are_placed(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'rods':[{'name':'petal'," LINE ",'position':[0,1,0],'colour':'#808080',"
        "'copies':{'ring':{'count':4,'radius':2},'count':[1,2,1],'spacing':[0,10,0],"
        "'jitter':{'colour':0.5}}}],"
        "'colliders':[{'name':'pillar','pill':{'from':[0,0,0],'to':[0,1,0],'radius':0.1},"
        "'copies':{'count':[2,1,3],'spacing':[1,0,2]}},"
        "{'sphere':{'radius':0.5},'copies':{'ring':{'count':3,'radius':1,'axis':[0,0,1],"
        "'step':90}}}]}");
    SnWorld *world = build(scene);
    assert_int_equal(sn_scene_body_count(scene), 8);
    // Rings turn about y, from x towards −z; the shape turns with them.
    assert_vec3(vertex(world, sn_scene_body_id(scene, 0), 4), 3, 1, 0);
    assert_vec3(vertex(world, sn_scene_body_id(scene, 1), 0), 0, 1, -2);
    assert_vec3(vertex(world, sn_scene_body_id(scene, 1), 4), 0, 1, -3);
    assert_vec3(vertex(world, sn_scene_body_id(scene, 6), 4), -3, 11, 0);
    SnColour first = sn_scene_body_colour(scene, 0), other = sn_scene_body_colour(scene, 5);
    assert_true(first.r != other.r && first.r > 0.1f && first.r < 0.35f);

    assert_int_equal(sn_scene_collider_count(scene), 9);
    SnPose pose;
    SnSceneCollider pillar = sn_scene_collider(scene, 5);
    assert_string_equal(pillar.name, "pillar 5");
    assert_int_equal(sn_collider_pose(world, pillar.id, &pose).code, SN_OK);
    assert_vec3(pose.position, 1, 0, 4);
    assert_int_equal(sn_collider_pose(world, sn_scene_collider(scene, 8).id, &pose).code, SN_OK);
    assert_vec3(pose.position, -1, 0, 0);
    destroy(scene, world);
}

static void colliders_are_described(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'categories':['arm','leg'],'frames':[{'name':'f','position':[0,5,0]}],"
        "'colliders':[{'name':'slope','plane':{'normal':[1,1,0]},'colour':'#ff0000'},"
        "{'box':{'size':[2,4,6]},'frame':'f','position':[1,0,0],'visible':false,"
        " 'surface':{'friction':0.9,'restitution':0.25},"
        " 'filter':{'category':'leg','mask':['default','arm'],'group':-3},"
        " 'copies':{'count':[1,1,2],'spacing':[0,0,7]}},"
        "{'pill':{'from':[0,0,0],'to':[1,0,0],'radius':{'from':0.2,'to':0.1}},"
        " 'origin':[0,1000,0],'filter':{'mask':6}}]}");
    SnWorld *world = build(scene);
    SnSceneCollider slope = sn_scene_collider(scene, 0), box = sn_scene_collider(scene, 1);
    SnSceneCollider second = sn_scene_collider(scene, 2), pill = sn_scene_collider(scene, 3);
    assert_string_equal(slope.name, "slope");
    assert_string_equal(box.name, "collider 0");
    assert_true(slope.colour.r == 1.0f && slope.visible && !box.visible);
    SnQuat q = slope.def.pose.rotation; // y to (1, 1, 0)/√2 is −45° about z
    assert_near((double)q.z, -sin(3.14159265 / 8), 1e-6);
    assert_near((double)q.w, cos(3.14159265 / 8), 1e-6);
    assert_int_equal(box.def.kind, SN_COLLIDER_BOX);
    assert_vec3(box.def.half_size, 1, 2, 3);
    assert_true(box.def.surface.friction == 0.9f && box.def.surface.restitution == 0.25f);
    assert_int_equal(box.def.filter.category, 4);
    assert_int_equal(box.def.filter.mask, 3);
    assert_int_equal(box.def.filter.group, -3);
    SnPose pose;
    assert_int_equal(sn_collider_pose(world, box.id, &pose).code, SN_OK);
    assert_vec3(pose.position, 1, 5, 0);
    assert_int_equal(sn_collider_pose(world, second.id, &pose).code, SN_OK);
    assert_vec3(pose.position, 1, 5, 7);
    assert_true(pill.def.radius_a == 0.2f && pill.def.radius_b == 0.1f);
    assert_true(pill.def.origin[1] == 1000 && pill.def.filter.mask == 6);
    assert_string_equal(sn_scene_collider(scene, 4).name, "");
    assert_int_equal(sn_scene_collider(scene, -1).id.index, 0);
    destroy(scene, world);
}

// Things that burst apart fly along the line from the centre.
static void a_burst_flies_apart(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'world':{'gravity':[0,0,0],'collide':false},'rods':[{'shape':{'line':{"
        "'from':[-0.1,0,0],'to':[0.1,0,0],'segments':2}},'copies':{'ring':{'count':8,'radius':1}},"
        "'position':[1,2,3],'burst':{'centre':[1,2,3],'speed':4},'velocity':[0,1,0]}]}");
    SnWorld *world = build(scene);
    run(scene, world, 10, 0.01);
    for (int i = 0; i < 8; ++i) {
        SnVec3 v = vertex(world, sn_scene_body_id(scene, i), 1);
        double out = hypot((double)v.x - 1, (double)v.z - 3);
        assert_near(out, 1.4, 1e-3);
        assert_near((double)v.y, 2.1, 1e-3);
    }
    destroy(scene, world);
}

// A rod lies on the ground unless something says that it does not touch it.
static void filters_reach_the_world(void **state) {
    (void)state;
#define FALLING                                                                                    \
    "{'shape':{'line':{'from':[0,0.05,0],'to':[0.4,0.05,0],'segments':4}},'radius':0.02,"
    SnScene *scene =
        load_quoted("{'version':1,'categories':['ghost'],'colliders':[{'name':'floor','plane':{}},"
                    "{'name':'roof','plane':{'normal':[0,-1,0]},'position':[0,9,0]}],"
                    "'rods':[" FALLING "'name':'lies'},"
                    "" FALLING "'position':[0,0,1],'collide':false},"
                    "" FALLING "'position':[0,0,2],'filter':{'mask':'ghost'}},"
                    "" FALLING "'position':[0,0,3],'name':'ignores'},"
                    "" FALLING "'position':[0,0,4],'filter':{'mask':'default'}}],"
                    "'ignore':[['floor','ignores']]}");
    SnWorld *world = build(scene);
    run(scene, world, 60, 1.0 / 60);
    static const bool held[] = {true, false, false, false, true};
    for (int i = 0; i < 5; ++i) {
        double y = (double)vertex(world, sn_scene_body_id(scene, i), 2).y;
        if (held[i] ? fabs(y - 0.02) > 0.004 : y > -3)
            fail_msg("rod %d is at %g", i, y);
    }
    assert_true(sn_world_contact_events(world).contact_count > 0);
    destroy(scene, world);
}

static void the_world_says_who_collides(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'world':{'collide':false,'sleep_speed':0.05},"
                                 "'rods':[" ROPE("a") ",{" LINE ",'collide':true}]}");
    assert_false(scene->bodies[0]->collide);
    assert_true(scene->bodies[1]->collide && scene->bodies[1]->self_collide);
    assert_true(scene->world.sleep_speed == 0.05f);
    sn_scene_destroy(scene);
}

static void links_hold_and_let_go(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'frames':[{'name':'hand','position':[0,3,0],'rotation':{'axis':[0,0,1],"
        "'angle':90}}],'rods':["
        "{'name':'a','shape':{'line':{'from':[0,0,0],'to':[0,-1,0],'segments':4}},'collide':false,"
        " 'copies':{'count':[2,1,1],'spacing':[1,0,0]}},"
        "{'name':'b','shape':{'line':{'from':[0,-1.5,0],'to':[0,-2,0],'segments':4}},"
        " 'collide':false,'copies':{'count':[2,1,1],'spacing':[1,0,0]}}],"
        "'links':[{'a':{'rod':'a','vertex':'first'}},"
        "{'a':{'rod':'a','vertex':'last'},'b':{'rod':'b','segment':0,'t':0},'release':0.5},"
        "{'a':{'rod':'b','vertex':'last'},'b':{'frame':'hand','position':[0,0,9]},'rope':true,"
        "'length':100,'compliance':1e-3,'max_force':1e4}]}");
    assert_int_equal(sn_scene_link_count(scene), 6);
    for (int round = 0; round < 2; ++round) { // a scene may build another world
        SnWorld *world = build(scene);
        run(scene, world, 25, 0.02);
        for (int copy = 0; copy < 2; ++copy) {
            SnBodyId a = sn_scene_body_id(scene, copy), b = sn_scene_body_id(scene, 2 + copy);
            assert_near((double)vertex(world, a, 0).y, 0, 5e-3);
            double gap = (double)vertex(world, a, 4).y - (double)vertex(world, b, 0).y;
            assert_near(gap, 0.5, 5e-3); // the distance at the start
        }
        for (int i = 26; i <= 50; ++i) {
            assert_int_equal(sn_scene_animate(scene, world, i * 0.02, 0.02).code, SN_OK);
            sn_world_step(world, 0.02f, 4, 1);
        }
        assert_near((double)vertex(world, sn_scene_body_id(scene, 1), 0).y, 0, 5e-3);
        assert_true(vertex(world, sn_scene_body_id(scene, 3), 0).y <
                    -2.3f); // half a second of fall
        sn_world_destroy(world);
    }
    sn_scene_destroy(scene);
}

// A box of 12 triangles, as a loader would read it from the file.
static SnResult load_box(const char *path, void *context, SnMesh *out_mesh) {
    static const uint32_t triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    char *seen = context;
    snprintf(seen, 64, "%s", path);
    if (strstr(path, "missing"))
        return (SnResult){SN_ERROR_FILE, "missing.obj: no such file"};
    SnIsoDef iso = sn_default_iso_def(); // the one way to get an SnMesh that can be destroyed
    const SnVec3 points[] = {{0, 0, 0}, {0, 1, 0}};
    const float radii[] = {1, 1};
    const int edge[] = {0, 1};
    iso.vertex_count = 2;
    iso.edge_count = 1;
    iso.positions = points;
    iso.radii = radii;
    iso.edges = edge;
    iso.triangles = 500;
    SnResult result = sn_iso_mesh(&iso, NULL, out_mesh);
    if (result.code == SN_OK) {
        for (int i = 0; i < 8; ++i)
            out_mesh->positions[i] = sn_vec3((float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2));
        memcpy(out_mesh->triangles, triangles, sizeof triangles);
        out_mesh->vertex_count = 8;
        out_mesh->triangle_count = 12;
    }
    return result;
}

static void meshes_are_loaded(void **state) {
    (void)state;
    char *text = quoted(
        "{'version':1,'rods':[{'name':'a'," LINE ",'radius':0.1,'position':[0,5,0],"
        "'copies':{'count':[1,1,2],'spacing':[0,0,3]},'colour':['#ff0000','#00ff00']}],"
        "'colliders':[{'mesh':{'file':'box.obj','scale':2,'position':[0,0,1],'rotation':"
        "{'axis':[0,0,1],'angle':90},'cell':0.1}}],"
        "'skins':[{'rods':'a','mesh':{'file':'box.obj','position':[0,-0.5,-0.5]},'fairing':3}]}");
    SnScene *scene;
    char seen[64] = "";
    assert_int_equal(sn_scene_load_text("dir/t.json", text, strlen(text), &scene, NULL).code,
                     SN_OK);
    sn_scene_set_mesh_loader(scene, load_box, seen);
    assert_null(sn_scene_collider(scene, 0).def.vertices);
    SnWorld *world = build(scene);
    assert_string_equal(seen, "dir/box.obj");
    SnSceneCollider collider = sn_scene_collider(scene, 0);
    assert_int_equal(collider.def.triangle_count, 12);
    assert_vec3(collider.def.vertices[1], 0, 2, 1);
    assert_true(collider.def.cell == 0.1f);
    assert_int_equal(sn_scene_skin_count(scene), 2);
    SnSceneSkin skin = sn_scene_skin(scene, 1);
    assert_string_equal(skin.name, "skin 1");
    assert_true(skin.colour.g == 1.0f && skin.colour.r == 0);
    SnSkinPoses poses;
    assert_int_equal(sn_world_skins(world, &poses).code, SN_OK);
    assert_int_equal(poses.skin_count, 2);
    assert_true(poses.skins[1].index == skin.id.index);
    const float *corner = poses.positions + 3 * poses.vertex_begin[1];
    assert_vec3(sn_vec3(corner[0], corner[1], corner[2]), 0, 4.5, 2.5);
    destroy(scene, world);
    free(text);
}

// The surface is wrapped around the ball on the frame, too, and the ball's part goes with the frame.
static void skins_follow_frames(void **state) {
    (void)state;
    char *text = quoted(
        "{'version':1,'frames':[{'name':'f','position':[3,0,0],'rotation':{'axis':[0,1,0],"
        "'angle':90}}],'rods':[{'name':'a'," LINE ",'radius':0.1,'attach':[{'clamp':'first'}],"
        "'gravity_scale':0}],'colliders':[{'frame':'f','sphere':{'radius':0.3},"
        "'position':[0,0.5,0]}],"
        "'skins':[{'rods':'a','frames':['f'],'iso':{'triangles':2000},'fairing':0,'opacity':0.3},"
        "{'rods':'a','iso':{'triangles':500}}]}");
    SnScene *scene;
    assert_int_equal(sn_scene_load_text("t.json", text, strlen(text), &scene, NULL).code, SN_OK);
    SnWorld *world = build(scene);
    assert_true(sn_scene_skin(scene, 0).opacity == 0.3f && sn_scene_skin(scene, 1).opacity == 1.0f);
    SnSkinPoses poses;
    SnFrameId frame = sn_scene_collider(scene, 0).def.frame;
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(sn_world_skins(world, &poses).code, SN_OK);
        float high = 0.0f;
        for (int i = 0; i < poses.vertex_begin[1]; ++i)
            high = fmaxf(high, poses.positions[3 * i + 1]);
        assert_true(fabsf(high - (turn ? 1.8f : 0.8f)) < 0.02f);
        SnPose pose = {{3.0f, 1.0f, 0.0f}, {0.0f, sqrtf(0.5f), 0.0f, sqrtf(0.5f)}};
        assert_int_equal(sn_frame_teleport(world, frame, pose).code, SN_OK);
    }
    destroy(scene, world);
    free(text);
}

static void missing_meshes_are_reported(void **state) {
    (void)state;
    static const char *const texts[] = {COLLIDER("'mesh':{'file':'missing.obj'}"),
                                        SKIN("'rods':'a','mesh':{'file':'missing.obj'}")};
    static const char *const places[] = {"t.json:1: /colliders/0: missing.obj: no such",
                                         "t.json:1: /skins/0: missing.obj: no such file"};
    for (int i = 0; i < 2; ++i) {
        SnScene *scene = load_quoted(texts[i]);
        SnWorldDef def = sn_default_world_def();
        SnWorld *world;
        char seen[64];
        SnResult result = sn_scene_build(scene, &def, &world);
        assert_int_equal(result.code, SN_ERROR_FILE); // without a loader, sn_mesh_read reads it
        sn_scene_set_mesh_loader(scene, load_box, seen);
        result = sn_scene_build(scene, &def, &world);
        assert_int_equal(result.code, SN_ERROR_FILE);
        assert_non_null(strstr(result.message, places[i]));
        sn_scene_destroy(scene);
    }
}

static const char menagerie[] =
    "{'version':1,'world':{'sleep_speed':0.01},'categories':['arm'],"
    "'frames':[{'name':'f','position':[0,2,0]}],'rods':["
    "{'name':'o','shape':{'octopus':{'size':1}},'position':[0,2,0],'self_collide':false,"
    " 'copies':{'ring':{'count':2,'radius':2,'step':90},'jitter':{'rotation':40,'colour':0.1}},"
    " 'burst':{'centre':[0,0,0],'speed':1}},"
    "{'name':'r','shape':{'points':[[0,0,0],[1,0,0],[0,1,0]]},'edges':[[0,1],[0,2]],"
    " 'surface':{'friction':0.3,'static_friction':0.6},'filter':{'category':'arm','mask':3}}],"
    "'colliders':[{'name':'floor','plane':{'normal':[0,1,0]}},"
    "{'pill':{'from':[0,0,0],'to':[0,1,0],'radius':{'from':0.2,'to':0.1}},'frame':'f',"
    " 'copies':{'count':[2,1,1],'spacing':[1,0,0]}},{'box':{'size':[1,1,1]},'origin':[9,0,0]}],"
    "'links':[{'a':{'rod':'o','vertex':0},'b':{'rod':'r','segment':'last','t':0.5},'length':4,"
    " 'rope':true},{'a':{'rod':'r','vertex':1},'b':{'frame':'f'},'compliance':0.1}],"
    "'ignore':[['o','floor'],['r','o']],"
    "'skins':[{'rods':['o'],'iso':{'triangles':300,'grow':0.01},'fairing':2}]}";

static void survives_mutations(void **state) {
    (void)state;
    assert_survives(menagerie);
}

// Skins over several rods lie around all of them, wherever the first one is placed.
static void skins_cover_their_rods(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'rods':[{'name':'a'," LINE ",'radius':0.1,'position':[0,5,0],"
                    "'rotation':{'axis':[0,0,1],'angle':90}},{'name':'b'," LINE ",'radius':0.1,"
                    "'position':[3,0,0]}],'skins':[{'rods':['a','b'],'iso':{'triangles':2000}}]}");
    for (int round = 0; round < 2; ++round) {
        SnWorld *world = build(scene);
        SnSkinPoses poses;
        assert_int_equal(sn_world_skins(world, &poses).code, SN_OK);
        float low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
        for (int i = 0; i < 3 * poses.vertex_count; ++i) {
            low[i % 3] = fminf(low[i % 3], poses.positions[i]);
            high[i % 3] = fmaxf(high[i % 3], poses.positions[i]);
        }
        // Rod a stands from y = 5 to 6 at x = 0, rod b lies from x = 3 to 4 at y = 0.
        assert_near((double)low[0], -0.1, 0.03);
        assert_near((double)low[1], -0.1, 0.03);
        assert_near((double)high[0], 4.1, 0.03);
        assert_near((double)high[1], 6.1, 0.03);
        sn_world_destroy(world);
    }
    sn_scene_destroy(scene);
}

static void the_same_bits_every_time(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i) {
        SnScene *scene = load_quoted(menagerie);
        SnWorld *world = build(scene);
        run(scene, world, 20, 0.01);
        hash[i] = sn_world_hash(world);
        destroy(scene, world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(creatures_are_built),
        cmocka_unit_test(a_net_is_built),
        cmocka_unit_test(bad_graphs_are_refused),
        cmocka_unit_test(rings_and_grids_are_placed),
        cmocka_unit_test(colliders_are_described),
        cmocka_unit_test(a_burst_flies_apart),
        cmocka_unit_test(filters_reach_the_world),
        cmocka_unit_test(the_world_says_who_collides),
        cmocka_unit_test(links_hold_and_let_go),
        cmocka_unit_test(meshes_are_loaded),
        cmocka_unit_test(skins_follow_frames),
        cmocka_unit_test(missing_meshes_are_reported),
        cmocka_unit_test(skins_cover_their_rods),
        cmocka_unit_test(the_same_bits_every_time),
        cmocka_unit_test(survives_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
