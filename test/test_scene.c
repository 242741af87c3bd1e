// Scene files: what they build, what is wrong with bad ones, and that keys, tables and schema agree.
#include "io/file.h"
#include "io/json.h"
#include "io/tables.h"
#include "scene_kit.h"

// ranges of one number in the schema against those of its table
static void compare_range(const JsonDoc *doc, const Json *schema, const KeyTable *table,
                          const KeyField *key) {
    static const char *const names[] = {"minimum", "exclusiveMinimum", "maximum"};
    bool low = key->range.min > -3e38, high = key->range.max < 3e38;
    const bool expected[] = {low && !key->range.open_min, low && key->range.open_min, high};
    const double values[] = {key->range.min, key->range.min, key->range.max};
    for (int i = 0; i < 3; ++i) {
        const Json *value = sn__json_member(doc, schema, names[i]);
        if ((value != NULL) != expected[i] || (value && value->number != values[i]))
            fail_msg("schema: %s of %s.%s differs", names[i], table->name, key->name);
    }
}

static bool schema_requires(const JsonDoc *doc, const Json *def, const char *name) {
    const Json *list = sn__json_member(doc, def, "required");
    for (const Json *v = list ? sn__json_first(list) : NULL; v; v = sn__json_next(doc, v))
        if (strcmp(sn__json_string(doc, v), name) == 0)
            return true;
    return false;
}

// An object that has a base refers to that, and refuses what neither of them knows; the base itself
// refuses nothing.
static void compare_closing(const JsonDoc *doc, const Json *def, const KeyTable *table) {
    const Json *all = sn__json_member(doc, def, "allOf");
    const Json *rest =
        sn__json_member(doc, def, table->base ? "unevaluatedProperties" : "additionalProperties");
    assert_int_equal(all != NULL, table->base != NULL);
    if (table == &sn__table_body) {
        assert_null(rest);
        return;
    }
    assert_true(rest && rest->kind == JSON_BOOL && !rest->boolean);
    if (table->base) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "#/$defs/%s", table->base->name);
        const Json *reference = sn__json_member(doc, sn__json_first(all), "$ref");
        assert_string_equal(sn__json_string(doc, reference), wanted);
    }
}

static void compare_table(const JsonDoc *doc, const Json *def, const KeyTable *table) {
    const Json *properties = sn__json_member(doc, def, "properties");
    assert_non_null(properties);
    compare_closing(doc, def, table);
    for (const Json *p = sn__json_first(properties); p; p = sn__json_next(doc, p)) {
        const KeyTable own = {table->name, table->keys, table->count, NULL};
        if (sn__key_find(&own, sn__json_key(doc, p)) == NULL)
            fail_msg("schema: \"%s\" has \"%s\", the reader not", table->name,
                     sn__json_key(doc, p));
    }
    for (int i = 0; i < table->count; ++i) {
        const KeyField *key = &table->keys[i];
        const Json *schema = sn__json_member(doc, properties, key->name);
        if (schema == NULL || schema_requires(doc, def, key->name) != key->required)
            fail_msg("schema: \"%s\" of \"%s\" is missing or its \"required\" differs", key->name,
                     table->name);
        if (key->type >= KEY_FLOAT && key->type <= KEY_INT) {
            const char *type = sn__json_string(doc, sn__json_member(doc, schema, "type"));
            assert_string_equal(type, key->type == KEY_INT ? "integer" : "number");
            compare_range(doc, schema, table, key);
        }
    }
}

static void tables_and_schema_agree(void **state) {
    (void)state;
    char *text;
    size_t size;
    JsonDoc doc;
    assert_int_equal(sn__file_read("docs/scene.schema.json", 1 << 20, &text, &size).code, SN_OK);
    assert_int_equal(sn__json_parse("schema", text, size, &doc, NULL, NULL).code, SN_OK);
    const Json *root = sn__json_root(&doc), *defs = sn__json_member(&doc, root, "$defs");
    int count, objects = 0;
    const KeyTable *const *tables = sn__tables(&count);
    for (int i = 0; i < count; ++i) {
        const Json *def = tables[i]->name[0] ? sn__json_member(&doc, defs, tables[i]->name) : root;
        if (def == NULL)
            fail_msg("schema: has no \"%s\"", tables[i]->name);
        compare_table(&doc, def, tables[i]);
    }
    for (const Json *d = sn__json_first(defs); d; d = sn__json_next(&doc, d))
        objects += sn__json_member(&doc, d, "properties") != NULL;
    assert_int_equal(objects + 1, count); // no object of the schema without a table
    sn__json_free(&doc);
    free(text);
}

static void defaults_are_there(void **state) {
    (void)state;
    SnScene *scene = load("{\"version\": 1}");
    SnSceneSettings s = sn_scene_settings(scene);
    assert_true(s.seconds == 5 && s.fps == 30 && s.step == 1.0 / 60);
    assert_int_equal(s.substeps, 10);
    assert_int_equal(s.iterations, 1);
    assert_string_equal(sn_scene_name(scene), "t.json");
    assert_false(sn_scene_camera(scene, 0).has_position);
    assert_false(sn_scene_look(scene).has_ground);
    assert_int_equal(sn_scene_body_count(scene), 0);
    assert_null(sn_scene_body_name(scene, 0));
    SnWorld *world = build(scene);
    assert_near((double)sn_world_gravity(world).y, -9.81, 1e-6);
    destroy(scene, world);
}

// Who draws a rod, or wraps it, asks the scene for its radii before there is a world.
static void radii_are_there_without_being_given(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'rods':[{" LINE "},{'stiff':true," LINE "},"
                                 "{'shape':{'points':[[0,0,0],[1,0,0],[0,1,0]]},"
                                 " 'edges':[[0,1],[0,2]]}]}");
    for (int r = 0; r < scene->body_entry_count; ++r) {
        assert_non_null(scene->bodies[r]->radii);
        for (int i = 0; i < scene->bodies[r]->point_count; ++i)
            assert_true(scene->bodies[r]->radii[i] == sn_default_rod_def().radius);
    }
    destroy(scene, build(scene));
}

static const char shapes[] =
    "{'version':1,'world':{'gravity':[0,0,0]},'rods':["
    "{'shape':{'line':{'from':[0,0,0],'to':[1,0,0],'segments':4}},'radius':{'from':0.1,'to':0.02}},"
    "{'shape':{'arc':{'centre':[0,0,5],'axis':[0,0,2],'radius':2,'to':90,'segments':2}},"
    " 'radius':[0.1,0.2,0.3],'position':[0,0,1]},"
    "{'shape':{'circle':{'axis':[0,0,1],'radius':1,'segments':4}},'radius':0.05},"
    "{'shape':{'helix':{'axis':[0,0,1],'radius':1,'pitch':2,'turns':1.5,'segments':6}}},"
    "{'shape':{'points':[[0,0,0],[1,0,0],[1,1,0],[0,1,0]]},'closed':true,"
    " 'rotation':{'axis':[0,0,1],'angle':90},'position':[10,0,0]},"
    "{'shape':{'line':{'from':[0,0,0],'to':[0,0,2],'segments':2}},'start':{'stretch':1.5,"
    " 'scales':0.8},'radius':[[0,0.1],[0.25,0.3],[1,0.3]],'origin':[0,1000,0]}]}";

static void shapes_are_built(void **state) {
    (void)state;
    SnScene *scene = load_quoted(shapes);
    SnWorld *world = build(scene);
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_int_equal(poses.body_count, 6);
    assert_point(&poses, 1, 0.25, 0, 0);
    assert_near((double)poses.radii[2], 0.06, 1e-6);
    int arc = poses.point_begin[1];
    assert_point(&poses, arc, 2, 0, 6);
    assert_point(&poses, arc + 2, 0, 2, 6);
    assert_near((double)poses.radii[arc + 1], 0.2, 1e-6);
    int circle = poses.point_begin[2];
    assert_int_equal(poses.element_begin[3] - poses.element_begin[2], 4);
    assert_point(&poses, circle + 1, 0, 1, 0);
    int helix = poses.point_begin[3];
    assert_point(&poses, helix + 4, 1, 0, 2);
    assert_near((double)poses.radii[helix], 0.01, 1e-7);
    int triangle = poses.point_begin[4];
    assert_point(&poses, triangle + 1, 10, 1, 0);
    assert_int_equal(poses.element_begin[5] - poses.element_begin[4], 4);
    int stretched = poses.point_begin[5];
    assert_near((double)poses.positions[3 * (stretched + 2) + 2], 3, 1e-5);
    assert_near((double)poses.positions[3 * stretched + 1], 1000, 1e-3);
    assert_near((double)poses.scales[stretched], 0.8, 1e-6);
    assert_near((double)poses.radii[stretched + 1], 0.3 * 0.8, 1e-6);
    destroy(scene, world);
}

static void twist_is_in_the_frames(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'rods':[{'shape':{'line':{'from':[0,0,0],'to':[0,0,1],'segments':10}},"
        "'twist':90,'start':{'twist':-30}}]}");
    SnWorld *world = build(scene);
    SnPoses poses;
    sn_world_poses(world, &poses);
    const float *first = poses.frames, *last = poses.frames + 4 * 9;
    double dot = 0;
    for (int c = 0; c < 4; ++c)
        dot += (double)first[c] * (double)last[c];
    assert_near(2 * acos(fabs(dot)), 60 * 3.14159265358979 / 180, 1e-3);
    destroy(scene, world);
}

static void copies_are_placed(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'rods':[{'name':'hair','shape':{'line':{'from':[0,0,0],'to':[0,1,0],"
        "'segments':3}},'copies':{'count':[3,1,2],'spacing':[1,0,2]},"
        "'colour':['#ff0000','#000000']},"
        "{'shape':{'line':{'from':[0,0,0],'to':[0,1,0]}},'colour':[0,0,1]},"
        "{'name':'jit','shape':{'line':{'from':[0,0,0],'to':[0,1,0]}},'copies':{'count':[1,9,1],"
        "'spacing':[0,5,0],'jitter':{'position':[0.5,0,0],'rotation':10,'seed':4}}}]}");
    assert_int_equal(sn_scene_body_count(scene), 6 + 1 + 9);
    assert_string_equal(sn_scene_body_name(scene, 0), "hair 0");
    assert_string_equal(sn_scene_body_name(scene, 5), "hair 5");
    assert_string_equal(sn_scene_body_name(scene, 6), "rod 1");
    assert_true(sn_scene_body_colour(scene, 2).r == 1.0f && sn_scene_body_colour(scene, 3).r == 0);
    assert_true(sn_scene_body_colour(scene, 6).b == 1.0f);
    SnWorld *world = build(scene);
    SnPoses poses;
    sn_world_poses(world, &poses);
    assert_point(&poses, poses.point_begin[5], 2, 0, 2);
    double spread = 0;
    for (int r = 7; r < 16; ++r) {
        double x = (double)poses.positions[3 * poses.point_begin[r]];
        assert_true(fabs(x) <= 0.5);
        spread = fmax(spread, fabs(x));
    }
    assert_true(spread > 0.1);
    destroy(scene, world);
}

static const char moving[] =
    "{'version':1,'world':{'gravity':[0,0,0],'step':0.01},"
    "'materials':{'soft':{'young':1e5,'damping':0.01}},"
    "'frames':[{'name':'hand','position':[0,0,0],'rotation':{'axis':[0,0,1],'angle':0},"
    "  'animation':[{'target':'position','keys':[[0,[0,0,0]],[0.1,[0,0.2,0]]]},"
    "               {'target':'rotation/angle','keys':[[0,0],[0.2,720]]}]}],"
    "'fields':[{'kind':'uniform','strength':0,'direction':[0,0,1]}],"
    "'rods':[{'name':'arm','shape':{'line':{'from':[0,0,0],'to':[1,0,0],'segments':8}},"
    "  'radius':0.05,'material':'soft','attach':[{'clamp':'first','frame':'hand'}]},"
    " {'name':'muscle','shape':{'line':{'from':[0,5,0],'to':[1,5,0],'segments':8}},'radius':0.05,"
    "  'material':'soft','attach':[{'vertex':0},{'vertex':-1,'position':[1,5,0]}],"
    "  'activation':[{'segments':[0,'last'],'animation':["
    "  {'target':'length_scale','keys':[[0,1],[0.2,0.7]]}]}]}],"
    "'camera':{'fov':20},"
    "'animation':[{'target':'/rods/muscle/attach/1/position/0','keys':[[0,1],[0.2,0.7]]},"
    " {'target':'/world/gravity','keys':[[0,[0,0,0]],[0.2,[0,0,3]]]},"
    " {'target':'/fields/0/strength','keys':[[0,0],[0.2,1]]},"
    " {'target':'/materials/soft/young','keys':[[0,1e5],[0.2,2e5]]},"
    " {'target':'/camera/fov','keys':[[0,20],[1,40]]}]}";

static void animation_reaches_the_world(void **state) {
    (void)state;
    SnScene *scene = load_quoted(moving);
    SnWorld *world = build(scene);
    run(scene, world, 5, 0.01);
    SnPoses poses;
    sn_world_poses(world, &poses);
    assert_point(&poses, 0, 0, 0.1, 0);
    assert_near((double)scene->frames[0].turn.angle, 180, 1e-3);
    for (int i = 6; i <= 20; ++i) {
        assert_int_equal(sn_scene_animate(scene, world, i * 0.01, 0.01).code, SN_OK);
        sn_world_step(world, 0.01f, 8, 1);
    }
    sn_world_poses(world, &poses);
    assert_point(&poses, 0, 0, 0.2, 0);
    int muscle = poses.point_begin[1];
    assert_point(&poses, muscle + 8, 0.7, 5, 0);
    assert_true(poses.scales[muscle + 4] > 1.02f); // shorter and thicker
    assert_near((double)sn_world_gravity(world).z, 3, 1e-5);
    assert_near((double)scene->materials[1].applied.young, 2e5, 1);
    assert_near((double)sn_scene_camera(scene, 0.5).fov, 30, 1e-4);
    destroy(scene, world);
}

static void a_scene_builds_twice_alike(void **state) {
    (void)state;
    SnScene *scene = load_quoted(moving);
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i) {
        SnWorld *world = build(scene);
        run(scene, world, 20, 0.01);
        hash[i] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    sn_scene_destroy(scene);
}

// The impulse of a force is the same for every step, also where it begins within one.
static void forces_give_their_impulse(void **state) {
    (void)state;
    static const double steps[] = {0.1, 0.03, 0.01};
    for (int i = 0; i < 3; ++i) {
        SnScene *scene = load_quoted(
            "{'version':1,'world':{'gravity':[0,0,0]},'rods':[{'shape':{'line':{'from':[0,0,0],"
            "'to':[1,0,0],'segments':4}},'radius':0.05,'forces':[{'vertex':2,'force':[0,1,0],"
            "'from':0.05,'to':0.25}]}]}");
        SnWorld *world = build(scene);
        run(scene, world, (int)(0.3 / steps[i] + 0.5), steps[i]);
        assert_near(sn_world_measure(world).momentum[1], 0.2, 1e-3);
        destroy(scene, world);
    }
}

static void curves_pass_through_their_keys(void **state) {
    (void)state;
    const double times[] = {1, 2, 4};
    const float values[] = {0, 10, 10};
    KeyCurve curve = {1, INTERPOLATE_LINEAR, false, 3, times, values};
    float x;
    sn__curve_evaluate(&curve, 0, &x);
    assert_true(x == 0);
    sn__curve_evaluate(&curve, 1.25, &x);
    assert_near((double)x, 2.5, 1e-6);
    sn__curve_evaluate(&curve, 9, &x);
    assert_true(x == 10);
    curve.interpolation = INTERPOLATE_STEP;
    sn__curve_evaluate(&curve, 1.99, &x);
    assert_true(x == 0);
    curve.interpolation = INTERPOLATE_SMOOTH;
    for (int i = 0; i <= 100; ++i) {
        sn__curve_evaluate(&curve, 1 + i * 0.03, &x);
        assert_true(x >= 0 && x <= 10.00001f); // never beyond the keys
    }
    sn__curve_evaluate(&curve, 1.5, &x);
    assert_near((double)x, 5, 1e-5);
    const float peak[] = {0, 10, 4};
    curve.values = peak;
    for (int i = 0; i <= 100; ++i) {
        sn__curve_evaluate(&curve, 1 + i * 0.03, &x);
        assert_true(x >= 0 && x <= 10.00001f);
    }
    curve.values = values;
    curve.interpolation = INTERPOLATE_LINEAR;
    curve.repeat = true;
    sn__curve_evaluate(&curve, 4 + 0.5, &x);
    assert_near((double)x, 5, 1e-5);
    const float turns[] = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, 1, 0};
    KeyCurve turn = {4, INTERPOLATE_LINEAR, false, 3, times, turns};
    float q[4];
    sn__curve_evaluate(&turn, 1.5, q);
    assert_near((double)q[2], sin(3.14159265 / 8), 1e-6);
}

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {"{}", "t.json:1:1: /: \"version\" is missing"},
        {"[]", "t.json:1:1: /: an array is not an object"},
        {"{'version':2}", "t.json:1:12: /version: this program reads version 1, not 2"},
        {"{'version':1,'rods':[{" LINE ",'radius':-0.2}]}", "/rods/0/radius: -0.2 is not > 0"},
        {"{'version':1,'rods':[{" LINE ",'raduis':1}]}",
         "/rods/0/raduis: unknown key \"raduis\"; did you mean \"radius\"?"},
        {"{'version':1,'rods':[{'radius':1}]}", "/rods/0: \"shape\" is missing"},
        {"{'version':1,'world':{'sleep':1}}", "did you mean \"sleep_speed\"?"},
        {"{'version':1,'world':{'step':0}}", "/world/step: 0 is not in [1e-9, 1]"},
        {"{'version':1,'world':{'step':1e-40}}", "/world/step: 1e-40 is not in [1e-9, 1]"},
        {"{'version':1,'world':{'substeps':1001}}", "/world/substeps: 1001 is not in [1, 1000]"},
        {"{'version':1,'world':{'substeps':1.5}}", "1.5 is not a whole number"},
        {"{'version':1,'world':{'seconds':3601}}", "3601 is not in (0, 3600]"},
        {"{'version':1,'world':{'gravity':[1e39,0,0]}}",
         "/world/gravity/0: 1e39 is not a number of single precision"},
        {"{'version':1,'rods':[{" LINE ",'radius':[1,2]}]}", "2 numbers for the 5 vertices"},
        {"{'version':1,'rods':[{" LINE ",'radius':1e-300}]}", "too small for single precision"},
        {"{'version':1,'rods':[{'shape':{'points':[[0,0,0]]}}]}",
         "a rod needs 2 to 1048576 points, not 1"},
        {"{'version':1,'rods':[{'shape':{'points':[[0,0,0],[0,0,0]]}}]}",
         "/rods/0/shape/points/1: is the same point"},
        {"{'version':1,'rods':[{'shape':{'line':{'from':[0,0,0],'to':[0,0,0]}}}]}",
         "the same point"},
        {"{'version':1,'rods':[{'shape':{'line':{'from':[0,0,0],'to':[1,0,0],'segments':10000000}"
         "}}]}",
         "segments: 10000000 is not in [1, 1048575]"},
        {"{'version':1,'rods':[{" LINE ",'copies':{'count':[1000,1000,2],'spacing':[1,1,1]}}]}",
         "2000000 copies are more than 1000000"},
        {"{'version':1,'rods':[{'shape':{'line':{'from':[0,0,0],'to':[1,0,0],'segments':1000}},"
         "'copies':{'count':[300,100,1],'spacing':[1,1,1]}}]}",
         "30000 rods of 30030000 vertices"},
        {"{'version':1,'rods':[{" LINE ",'material':'x'}]}", "unknown material \"x\""},
        {"{'version':1,'rods':[{" LINE ",'attach':[{'vertex':5}]}]}",
         "/rods/0/attach/0/vertex: there is no vertex 5: the rod has 5"},
        {"{'version':1,'rods':[{" LINE ",'attach':[{'vertex':0},{'clamp':'first'}]}]}",
         "vertex 0 is attached already"},
        {"{'version':1,'rods':[{" LINE ",'attach':[{'segment':0,'position':[0,0,0]}]}]}",
         "does not go with \"segment\""},
        {"{'version':1,'rods':[{" LINE ",'forces':[{'vertex':0,'torque':[0,0,0]}]}]}",
         "\"torque\" acts on a \"segment\""},
        {"{'version':1,'rods':[{" LINE ",'closed':true}]}", "only \"points\" and \"circle\""},
        {"{'version':1,'rods':[{" LINE ",'colour':'#12'}]}", "not of the form \"#rrggbb\""},
        {"{'version':1,'animation':[{'target':'/world/seconds','keys':[[0,1]]}]}",
         "/animation/0/target: \"seconds\" is fixed when the world is built"},
        {"{'version':1,'rods':[{" LINE "}],'animation':[{'target':'/rods/0/radius','keys':[[0,1]"
         "]}]}",
         "\"radius\" of a rod is fixed when it is made"},
        {"{'version':1,'animation':[{'target':'/world/gravity','keys':[[0,[0,0,0]]]},"
         "{'target':'/world/gravity/1','keys':[[0,1]]}]}",
         "/animation/1/target: this value is animated twice"},
        {"{'version':1,'rods':[{" LINE ",'activation':[{'animation':[{'target':"
         "'length_scale','keys':[[0,20]]}]}]}]}",
         "/rods/0/activation/0/animation/0/keys/0/1: 20 is not in [0.1, 10]"},
        {"{'version':1,'frames':[{}],'animation':[{'target':'/frames/1/position','keys':[]}]}",
         "there is no frame \"1\"; there is one"},
        {"{'version':1", "t.json:1:13: expected ',' or '}', found the end of the file"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

static void errors_come_together(void **state) {
    (void)state;
    char *text = quoted("{'version':1,\n'world':{'step':-1,\n'stpe':1},\n"
                        "'rods':[{'shape':{}},{'shape':5}]}");
    SnScene *scene;
    SnSceneErrors errors;
    SnResult result = sn_scene_load_text("dir/t.json", text, strlen(text), &scene, &errors);
    assert_int_equal(result.code, SN_ERROR_FORMAT);
    assert_int_equal(errors.count, 4);
    assert_int_equal(errors.items[0].line, 2);
    assert_int_equal(errors.items[1].line, 3);
    assert_int_equal(errors.items[3].line, 4);
    assert_non_null(strstr(result.message, "/world/step: -1 is not in [1e-9, 1] (and 3 more)"));
    free(text);

    char many[4000] = "{\"version\":1";
    for (int i = 0; i < 100; ++i)
        sprintf(many + strlen(many), ",\"key%d\":0", i);
    strcat(many, "}");
    sn_scene_load_text("t", many, strlen(many), &scene, &errors);
    assert_int_equal(errors.count, SN_MAX_SCENE_ERRORS);
    assert_true(errors.more);

    result = sn_scene_load_file("does/not/exist.json", &scene, &errors);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_int_equal(errors.count, 1);
    assert_non_null(strstr(result.message, "does/not/exist.json: "));
}

static void survives_mutations(void **state) {
    (void)state;
    assert_survives(shapes);
    assert_survives(moving);
}

static void the_demo_scene_runs(void **state) {
    (void)state;
    SnScene *scene;
    SnResult result = sn_scene_load_file("scenes/demo.json", &scene, NULL);
    if (result.code != SN_OK)
        fail_msg("%s", result.message);
    SnWorld *world = build(scene);
    run(scene, world, 10, sn_scene_settings(scene).step);
    SnMeasures measures = sn_world_measure(world);
    assert_true(isfinite(measures.energy_kinetic) && measures.volume_error_mean < 0.05);
    destroy(scene, world);
}

// A rod hangs on nothing but its attachment: it falls when that lets go, and rises when its gravity
// is turned around.
static void attachments_are_released_and_gravity_scaled(void **state) {
    (void)state;
    const char *text =
        "{\"version\": 1, \"rods\": [{\"shape\": {\"line\": {\"from\": [0, 0, 0],"
        "\"to\": [0, -1, 0], \"segments\": 8}}, \"copies\": {\"count\": [2, 1, 1],"
        "\"spacing\": [1, 0, 0]}, \"attach\": [{\"clamp\": \"first\", \"release\": 0.5}]}],"
        "\"animation\": [{\"target\": \"/rods/0/gravity_scale\", \"interpolation\":"
        "\"step\", \"keys\": [[0, 1], [1, -1]]}]}";
    SnScene *scene;
    assert_int_equal(sn_scene_load_text("drop", text, strlen(text), &scene, NULL).code, SN_OK);
    for (int round = 0; round < 2; ++round) { // a scene may build another world
        SnWorldDef def = sn_default_world_def();
        SnWorld *world;
        assert_int_equal(sn_scene_build(scene, &def, &world).code, SN_OK);
        float height[4] = {0};
        for (int n = 0; n < 200; ++n) {
            if (n % 50 == 0) {
                SnPoses poses;
                assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
                height[n / 50] = poses.positions[1];
                assert_true(fabsf(poses.positions[1] - poses.positions[1 + 3 * 9]) < 1e-4f);
            }
            assert_int_equal(sn_scene_animate(scene, world, (n + 1) * 0.01, 0.01).code, SN_OK);
            sn_world_step(world, 0.01f, 4, 1);
        }
        assert_true(fabsf(height[1]) < 1e-6f); // held

        // Half a second of fall; it may have been on its way up or down, as it swings along its length.
        assert_true(fabsf(height[2] + 0.5f * 9.81f * 0.25f) < 0.1f);
        assert_true(height[3] > 2.0f * height[2] - 0.5f * 9.81f * 0.25f); // slowed down
        sn_world_destroy(world);
    }
    sn_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_are_released_and_gravity_scaled),
        cmocka_unit_test(tables_and_schema_agree),
        cmocka_unit_test(defaults_are_there),
        cmocka_unit_test(radii_are_there_without_being_given),
        cmocka_unit_test(shapes_are_built),
        cmocka_unit_test(twist_is_in_the_frames),
        cmocka_unit_test(copies_are_placed),
        cmocka_unit_test(animation_reaches_the_world),
        cmocka_unit_test(a_scene_builds_twice_alike),
        cmocka_unit_test(forces_give_their_impulse),
        cmocka_unit_test(curves_pass_through_their_keys),
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(errors_come_together),
        cmocka_unit_test(survives_mutations),
        cmocka_unit_test(the_demo_scene_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
