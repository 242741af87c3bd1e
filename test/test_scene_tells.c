// What a scene tells about its bodies to those who draw and count them.
#include "scene_kit.h"

static void bodies_are_described(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'frames':[{'name':'wall'},{'name':'hand'}],"
        "'materials':{'oak':{'young':2e9}},'fields':[{'kind':'wind','strength':1}],"
        "'rods':[{" LINE ",'position':[0,2,0],'collide':false,'copies':{'count':[3,1,1],"
        "'spacing':[0,0,1]},'attach':[{'vertex':0},{'vertex':4,'frame':'hand'}]},"
        "{" LINE ",'stiff':true,'radius':0.1,'material':'oak','segments':{'radius':[0.2,0.05]}},"
        "{'shape':{'tree':{'kind':'birch','segments':60}}},"
        "{'shape':{'points':[[0,0,0],[1,0,0],[0,1,0]]},'edges':[[0,1],[2,0]]}]}");
    assert_int_equal(sn_scene_body_count(scene), 6);
    assert_int_equal(sn_scene_frame_count(scene), 2);
    assert_int_equal(sn_scene_field_count(scene), 1);
    assert_int_equal(sn_scene_animated_count(scene), 0);
    for (int i = 0; i < 3; ++i) {
        SnSceneBody rod = sn_scene_body(scene, i);
        assert_int_equal(rod.kind, SN_BODY_ROD);
        assert_true(rod.point_count == 5 && rod.element_count == 4 && rod.edges == NULL);
        assert_near((double)rod.positions[4].x, 1, 1e-6); // before it is placed
        assert_near((double)rod.positions[4].y, 0, 1e-6);
        assert_true(rod.radii[4] == sn_default_rod_def().radius);
        assert_true(!rod.touches && !rod.tree && rod.section[0] == 0);
        assert_int_equal(rod.attachment_count, 2);
        SnSceneAttachment wall = sn_scene_attachment(scene, i, 0);
        SnSceneAttachment hand = sn_scene_attachment(scene, i, 1);
        assert_true(wall.kind == SN_ATTACH_VERTEX && wall.index == 0 && wall.frame == -1);
        assert_true(hand.kind == SN_ATTACH_VERTEX && hand.index == 4 && hand.frame == 1);
    }
    SnSceneBody flat = sn_scene_body(scene, 3);
    assert_int_equal(flat.kind, SN_BODY_STIFF_ROD);
    assert_true(flat.touches && flat.radii[4] == 0.1f && flat.segments[1].radius_x == 0.2f);
    assert_near((double)flat.section[0], 2, 1e-5);
    assert_near((double)flat.section[1], 0.5, 1e-5);
    assert_string_equal(sn_scene_material(scene, flat.material).name, "oak");
    assert_true(sn_scene_material(scene, flat.material).values.young == 2e9f);
    assert_true(flat.material < sn_scene_material_count(scene));
    SnSceneBody tree = sn_scene_body(scene, 4);
    assert_true(tree.tree && tree.kind == SN_BODY_STIFF_ROD && tree.element_count == 60);
    assert_int_equal(tree.edges[1], 1);
    SnSceneBody fork = sn_scene_body(scene, 5);
    assert_true(fork.edges[2] == 2 && fork.edges[3] == 0 && fork.attachment_count == 0);
    sn_scene_destroy(scene);
}

static void nothing_is_told_of_what_is_not_there(void **state) {
    (void)state;
    SnScene *scene = load_quoted("{'version':1,'rods':[{" LINE "}]}");
    assert_int_equal(sn_scene_body(scene, -1).kind, SN_BODY_NONE);
    assert_int_equal(sn_scene_body(scene, 1).kind, SN_BODY_NONE);
    assert_null(sn_scene_body(scene, 1).positions);
    assert_int_equal(sn_scene_attachment(scene, 0, 0).frame, -1);
    assert_int_equal(sn_scene_attachment(scene, 7, 0).frame, -1);
    assert_string_equal(sn_scene_material(scene, -1).name, "");
    assert_string_equal(sn_scene_material(scene, sn_scene_material_count(scene)).name, "");
    sn_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_described),
        cmocka_unit_test(nothing_is_told_of_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
