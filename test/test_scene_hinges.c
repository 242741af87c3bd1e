// Hinges, sensors and links that let bodies pass, from scene files.
#include "scene_kit.h"

#define WHEEL(name, rest)                                                                          \
    "{'name':'" name "','parts':[{'from':[0,0,-0.3],'to':[0,0,0.3],'radius':0.2}]" rest "}"
#define AXLE ",'attach':[{'vertex':0},{'vertex':1}]"
#define SCENE(bodies, rest)                                                                        \
    "{'version':1,'world':{'gravity':[0,0,0]},'rigid':[" bodies "]," rest "}"

static SnHingeState state_of(SnWorld *world) {
    SnHingeState state;
    SnHingeId id = sn_world_next_hinge(world, (SnHingeId){0, 0});
    assert_int_equal(sn_hinge_state(world, id, &state).code, SN_OK);
    return state;
}

// The motor starts by animation, turns the wheel and stops at the limit, which is in degrees.
static void motors_and_limits(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        SCENE(WHEEL("w", AXLE), "'hinges':[{'name':'m','a':'w','axis':[0,0,2],'limits':[-90,180],"
                                "'max_torque':1e4}],"
                                "'animation':[{'target':'/hinges/m/speed',"
                                "'keys':[[0,0],[0.5,0],[0.6,4]]}]"));
    SnWorld *world = build(scene);
    run(scene, world, 30, 1.0 / 60.0);
    assert_near((double)state_of(world).angle, 0.0, 1e-4);
    run(scene, world, 54, 1.0 / 60.0);
    assert_near((double)state_of(world).speed, 4.0, 0.01);
    run(scene, world, 120, 1.0 / 60.0);
    assert_near((double)state_of(world).angle, 3.14159265, 1e-3);
    destroy(scene, world);
}

// A ball on a rope that is taken in by 0.25 m/s from the first second on, until it is let go.
static void links_are_winches(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'rigid':[{'name':'ball','parts':[{'centre':[0,0,0],'radius':0.1}]}],"
        "'links':[{'name':'winch','a':{'rod':'ball','vertex':0},'b':{'position':[0,2,0]},'rope':"
        "true,"
        "'length':2,'release':4}],"
        "'animation':[{'target':'/links/winch/length','keys':[[1,2],[3,1.5],[6,1]]}]}");
    SnWorld *world = build(scene);
    SnRigidState ball;
    SnBodyId id = sn_world_find_body(world, "ball");
    for (int step = 1; step <= 270; ++step) {
        const double heights[] = {0.0, 0.0, 0.25, 0.5, 0.6667};
        assert_int_equal(sn_scene_animate(scene, world, step / 60.0, 1.0 / 60.0).code, SN_OK);
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 4, 1), SN_STEP_OK);
        assert_int_equal(sn_rigid_read(world, id, &ball).code, SN_OK);
        if (step % 60 == 0)
            assert_near((double)ball.centre.y, heights[step / 60], 0.002);
    }
    assert_true(ball.centre.y < 0.0f); // let go
    destroy(scene, world);
}

// Two bars of stiff rods: one on a frame, the other one at its end, until both are at their limits.
static void elbows_of_stiff_rods(void **state) {
    (void)state;
#define BAR(name, from, to, rest)                                                                  \
    "{'name':'" name "','stiff':true,'material':'steel','radius':0.02,'shape':{'line':{"           \
    "'from':[" from ",0,0],'to':[" to ",0,0],'segments':3}}" rest "}"
    SnScene *scene = load_quoted(
        "{'version':1,'rods':[" BAR("arm", "0", "1", ",'attach':[{'vertex':0}]") "," BAR(
            "hand", "1", "2", "") "],"
                                  "'links':[{'a':{'rod':'hand','vertex':0},'b':{'rod':'arm','"
                                  "vertex':'last'},'length':0}],"
                                  "'hinges':[{'a':'arm','axis':[0,0,1],'limits':[-30,0]},"
                                  "{'a':'hand','b':{'rod':'arm','segment':'last'},'axis':[0,0,1],'"
                                  "limits':[-45,0]}]}");
    SnWorld *world = build(scene);
    run(scene, world, 240, 1.0 / 60.0);
    SnHingeId id = {0, 0};
    const double angles[2] = {-30.0, -45.0};
    for (int k = 0; k < 2; ++k) {
        SnHingeState s;
        id = sn_world_next_hinge(world, id);
        assert_int_equal(sn_hinge_state(world, id, &s).code, SN_OK);
        assert_near((double)s.angle, angles[k] * 3.14159265 / 180.0, 1e-3);
    }
    destroy(scene, world);
}

// Each copy of a wheel has a hinge of its own.
static void hinges_of_copies(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted(SCENE(WHEEL("w", ",'copies':{'count':[3,1,1],'spacing':[2,1,1]}"),
                          "'hinges':[{'a':'w','axis':[0,0,1],'speed':2,'max_torque':10}]"));
    SnWorld *world = build(scene);
    int count = 0;
    for (SnHingeId id = sn_world_next_hinge(world, (SnHingeId){0, 0}); id.index != 0;
         id = sn_world_next_hinge(world, id))
        ++count;
    assert_int_equal(count, 3);
    destroy(scene, world);
}

static void sensors_and_passing_links(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        SCENE(WHEEL("a", "") "," WHEEL("b", ",'position':[0.1,0,0]"),
              "'colliders':[{'sphere':{'radius':1},'surface':{'sensor':true}}],"
              "'links':[{'a':{'rod':'a','vertex':0},'b':{'rod':'b','vertex':0},'ignore':true}]"));
    SnWorld *world = build(scene);
    run(scene, world, 1, 1.0 / 60.0);
    SnContactEvents events = sn_world_contact_events(world);
    assert_int_equal(events.contact_count, 0);
    assert_int_equal(events.touch_count, 2);
    assert_true(events.touches[0].sensor && events.touches[1].sensor);
    destroy(scene, world);
}

static void errors_name_path_and_value(void **state) {
    (void)state;
#define HINGE(rest) SCENE(WHEEL("w", ""), "'hinges':[{" rest "}]")
    static const Bad cases[] = {
        {HINGE("'axis':[0,0,1]"), "/hinges/0: \"a\" is missing"},
        {HINGE("'a':{'segment':1},'axis':[0,0,1]"), "/hinges/0/a: \"rod\" is missing"},
        {HINGE("'a':{'rod':'w','segment':7},'axis':[0,0,1]"), "/hinges/0/a/segment: "},
        {HINGE("'a':'w'"), "/hinges/0: \"axis\" is missing"},
        {HINGE("'a':'v','axis':[0,0,1]"), "/hinges/0/a: unknown body \"v\""},
        {HINGE("'a':'w','axis':[0,0,1],'limits':90"), "/hinges/0/limits: is not [low, high]"},
        {HINGE("'a':'w','axis':[0,0,1],'limits':[9,1]"),
         "/hinges/0/limits: the lower limit 9 is above the upper one, 1"},
        {HINGE("'a':'w','axis':[0,0,1],'b':'w','frame':'f'"), "does not go with \"b\""},
        {HINGE("'a':'w','axis':[0,0,1],'max_torque':-1"), "/hinges/0/max_torque: -1 is not in"},
        {SCENE(WHEEL("w", ""), "'hinges':[{'a':'w','axis':[0,0,1]}],'animation':[{'target':"
                               "'/hinges/0/axis','keys':[[0,[0,0,1]]]}]"),
         "cannot be animated"},
        {"{'version':1,'rods':[{" LINE ",'activation':[{'animation':[[0,1]]}]}]}",
         "/rods/0/activation/0/animation/0: is not {\"target\""},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motors_and_limits),         cmocka_unit_test(links_are_winches),
        cmocka_unit_test(elbows_of_stiff_rods),      cmocka_unit_test(hinges_of_copies),
        cmocka_unit_test(sensors_and_passing_links), cmocka_unit_test(errors_name_path_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
