// Scene files with muscles: what is made of them, and what is said about those that cannot be.
#include "scene_kit.h"

#include <sinew/muscle.h>

#define SPINDLE "'spindle':{'from':[0,0,0],'to':[0,0.3,0],'radius':0.03}"
#define FIBRES "'fibres':[[[0,0,0],[0,0.1,0],[0,0.2,0]],[[0.01,0,0],[0.01,0.1,0],[0.01,0.2,0]]]"
#define MUSCLE(rest) "{'version':1,'muscles':[{'name':'arm'," rest "}]}"
#define WITH(rest, more) "{'version':1,'muscles':[{'name':'arm'," rest "}]," more "}"

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {MUSCLE("'drive':'force'"), "/muscles/0: needs one of: spindle, fibres"},
        {MUSCLE(SPINDLE "," FIBRES), "/muscles/0: needs one of: spindle, fibres"},
        {MUSCLE(FIBRES), "/muscles/0: \"fibres\" need a \"radius\""},
        {MUSCLE("'radius':0.01,'fibres':[]"), "/muscles/0/fibres: a muscle has at least one fibre"},
        {MUSCLE("'radius':0.01,'fibres':[[[0,0,0]]]"),
         "/fibres/0: a fibre has at least 2 points, not 1"},
        {MUSCLE("'radius':0.01,'fibres':[[[0,0,0],[0,1,0]],[[1,0,0]]]"),
         "/fibres/1: has 1 points; the first fibre has 2, and so must all"},
        {MUSCLE(FIBRES ",'radius':[[1,1,1]]"), "/radius: has 1 lists for 2 fibres"},
        {MUSCLE(FIBRES ",'radius':[[1,1,1],[1,1]]"), "/radius/1: has 2 radii for 3 vertices"},
        {MUSCLE(SPINDLE ",'activation':1.5"), "/muscles/0/activation: 1.5 is not in [0, 1]"},
        {MUSCLE(SPINDLE ",'tendon':0.5"), "/muscles/0/tendon: 0.5 is not in [0, 0.45]"},
        {MUSCLE(SPINDLE ",'shortning':0.5"),
         "unknown key \"shortning\"; did you mean \"shortening\"?"},
        {MUSCLE(SPINDLE ",'drive':'forse'"), "/drive: "},
        {MUSCLE(SPINDLE ",'hill':{'widht':1}"), "did you mean \"width\"?"},
        {MUSCLE(SPINDLE ",'fibre_activation':[1]"), "/fibre_activation: has 1 values for 8 fibres"},
        {WITH(SPINDLE ",'origin_frame':'sholder'", "'frames':[{'name':'shoulder'}]"),
         "/muscles/0/origin_frame: unknown frame \"sholder\"; did you mean \"shoulder\"?"},
        {MUSCLE("'spindle':{'from':[0,0,0],'to':[0,0,0],'radius':0.03}"),
         "/spindle: \"from\" and \"to\" are the same point"},
        {WITH(SPINDLE, "'animation':[{'target':'/muscles/arm/stress','keys':[[0,1]]}]"),
         "\"stress\" of a muscle is fixed when it is made and cannot be animated"},
        {WITH(SPINDLE, "'animation':[{'target':'/muscles/arm/activation','keys':[[0,2]]}]"),
         "2 is not in [0, 1]"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

// A number that is not animated.
static void activation_may_just_be_given(void **state) {
    (void)state;
    SnScene *scene = load_quoted(MUSCLE(SPINDLE ",'activation':0.5,'collide':false"));
    SnWorld *world = build(scene);
    SnMuscleState now;
    run(scene, world, 1, 1.0 / 60.0);
    assert_int_equal(sn_muscle_read(world, sn_world_find_body(world, "arm"), &now).code, SN_OK);
    assert_near((double)now.activation, 0.5, 1e-6);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void muscles_are_as_the_file_says(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        WITH(SPINDLE ",'origin_frame':'a','insertion_frame':'free','collide':false,'rise_time':0,"
                     "'fibre_activation':[1,1,1,1,0,0,0,0]",
             "'world':{'gravity':[0,0,0]},'frames':[{'name':'a'}],"
             "'animation':[{'target':'/muscles/arm/activation','keys':[[0,0],[1,1]]}]"));
    SnWorld *world = build(scene);
    SnBodyId id = sn_world_find_body(world, "arm");
    assert_true(sn_body_is_muscle(world, id));
    assert_int_equal(sn_body_point_count(world, id), 8 * 9);
    assert_int_equal(sn_body_element_count(world, id), 8 * 8);
    SnMuscleState rest, now;
    assert_int_equal(sn_muscle_read(world, id, &rest).code, SN_OK);
    assert_near((double)rest.length, 0.301, 0.002);
    // As wide as the section that it stands for.
    assert_near((double)rest.volume / (3.14159 * 0.03 * 0.03 * 0.3), 0.63, 0.03);
    run(scene, world, 60, 1.0 / 60.0);
    assert_int_equal(sn_muscle_read(world, id, &now).code, SN_OK);
    assert_near((double)now.activation, 1.0, 1e-6);
    assert_true(now.length < 0.95f * rest.length);
    destroy(scene, world);
}

static void fibres_and_radii_can_be_given(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted(MUSCLE(FIBRES ",'radius':[[0.01,0.02,0.01],[0.01,0.01,0.01]],'drive':'hill',"
                                  "'hill':{'width':0.4},'matching':'rigid','position':[1,0,0]"));
    SnWorld *world = build(scene);
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_int_equal(poses.body_count, 1);
    assert_point(&poses, 4, 1.01, 0.1, 0.0);
    assert_near((double)poses.radii[1], 0.02, 1e-7);
    destroy(scene, world);
}

static void damaged_files_do_no_harm(void **state) {
    (void)state;
    assert_survives(WITH(SPINDLE ",'origin_frame':'a','hill':{'width':0.4},'tendon':0.1,"
                                 "'fibre_activation':[1,1,1,1,1,1,1,1]",
                         "'frames':[{'name':'a'}]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(activation_may_just_be_given),
        cmocka_unit_test(muscles_are_as_the_file_says),
        cmocka_unit_test(fibres_and_radii_can_be_given),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
