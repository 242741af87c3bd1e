// Materials in scenes: built-in ones by name, the scene's own, and those that start from another.
#include "scene_kit.h"

static const SnRodMaterial *material_of(const SnScene *scene, int body) {
    return &scene->materials[scene->bodies[body]->material].values;
}

static double mass_of(const SnScene *scene, SnWorld *world, int body) {
    SnMeasures measures;
    SnResult result = sn_body_measure(world, scene->body_ids[body], &measures);
    if (result.code != SN_OK)
        fail_msg("%s", result.message);
    return measures.mass;
}

static void bodies_weigh_what_their_material_weighs(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'rods':[{" LINE ",'radius':0.01,'material':'steel'},"
                    "{" LINE ",'radius':0.01,'material':'steel','stiff':true}],"
                    "'rigid':[{'material':'oak','parts':[{'centre':[0,5,0],'radius':0.1}]}]}");
    SnWorld *world = build(scene);
    double steel = 7850 * 3.14159265 * 0.01 * 0.01, oak = 700 * 4.0 / 3.0 * 3.14159265 * 1e-3;
    assert_near(mass_of(scene, world, 0), steel, 1e-3 * steel);
    assert_near(mass_of(scene, world, 1), steel, 1e-3 * steel);
    assert_near(mass_of(scene, world, 2), oak, 1e-3 * oak);
    assert_string_equal(sn_scene_material(scene, sn_scene_body(scene, 0).material).name, "steel");
    destroy(scene, world);
}

static void a_material_of_the_scene_wins(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'materials':{'soft':{},'oak':{'young':2e9}},"
                                 "'rods':[{" LINE ",'material':'oak'},{" LINE
                                 ",'material':'soft'},{" LINE ",'material':'steel'}]}");
    assert_true(material_of(scene, 0)->young == 2e9f && material_of(scene, 0)->density == 1000);
    assert_true(material_of(scene, 1)->young == sn_default_rod_material().young);
    assert_true(material_of(scene, 2)->young == 200e9f);
    sn_scene_destroy(scene);
}

static void a_material_starts_from_what_it_is_like(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'materials':{'spring':{'damping':0.01,'like':'steel'},"
        "'oak':{'like':'oak','density':900}},"
        "'rods':[{" LINE ",'material':'spring'},{" LINE ",'material':'oak'},"
        "{" LINE ",'material':{'like':'spring','drag':2}},"
        "{'shape':{'tree':{'kind':'birch','segments':60}},'material':{'like':'grass'}}]}");
    const SnRodMaterial *spring = material_of(scene, 0), *oak = material_of(scene, 1),
                        *inside = material_of(scene, 2), *tree = material_of(scene, 3);
    assert_true(spring->density == 7850 && spring->young == 200e9f && spring->damping == 0.01f);
    assert_true(oak->density == 900 && oak->young == 12.5e9f);
    assert_true(inside->density == 7850 && inside->damping == 0.01f && inside->drag == 2);
    assert_true(tree->young == 0.8e9f && tree->damping == 0);
    sn_scene_destroy(scene);
}

static void built_in_materials_can_be_animated(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'rods':[{" LINE ",'material':'jelly'}],"
                    "'animation':[{'target':'/materials/jelly/young','keys':[[0,1e4],[1,2e4]]}]}");
    SnWorld *world = build(scene);
    run(scene, world, 10, 0.05);
    assert_near((double)material_of(scene, 0)->young, 1.5e4, 1);
    destroy(scene, world);
}

static void unknown_materials_are_refused(void **state) {
    (void)state;
    static const Bad cases[] = {
        {"{'version':1,'materials':{'brass':{}},'rods':[{" LINE ",'material':'xyzzy'}]}",
         "/rods/0/material: unknown material \"xyzzy\"; there are: brass, grass, hair, jelly, "
         "muscle, nylon, oak, rope, rubber, silicone, steel, tendon"},
        {"{'version':1,'rods':[{" LINE ",'material':'stele'}]}", "did you mean \"steel\"?"},
        {"{'version':1,'materials':{'my':{'like':'xyzzy'}}}",
         "/materials/my/like: unknown material \"xyzzy\"; there are: grass, hair"},
        {"{'version':1,'materials':{'my':{'like':'my'}}}", "unknown material \"my\""},
        {"{'version':1,'materials':{'my':{'like':7}}}",
         "/materials/my/like: 7 is not the name of a material"},
        {"{'version':1,'rods':[{" LINE ",'material':{'like':'my'}}]}",
         "/rods/0/material/like: unknown material \"my\""},
        {"{'version':1,'materials':{'my':7}}", "/materials/my: 7 is not an object"},
        {"{'version':1,'materials':{'my':{'like':'oak'}},'animation':[{'target':"
         "'/materials/my/like','keys':[[0,1]]}]}",
         "/animation/0/target"},
        {"{'version':1,'materials':{'oak':{}},'animation':[{'target':'/materials/xyzzy/drag',"
         "'keys':[[0,1]]}]}",
         "/animation/0/target: unknown material \"xyzzy\"; there are: oak, steel, nylon, rubber, "},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_weigh_what_their_material_weighs),
        cmocka_unit_test(a_material_of_the_scene_wins),
        cmocka_unit_test(a_material_starts_from_what_it_is_like),
        cmocka_unit_test(built_in_materials_can_be_animated),
        cmocka_unit_test(unknown_materials_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
