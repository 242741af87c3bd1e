// Skeletons in scenes: joints as frames, bones as colliders, what plays when; and bad ones.
#include "scene_kit.h"

#define ARM                                                                                        \
    "'joints':[{'name':'shoulder','position':[0,1,0]},"                                            \
    "{'name':'elbow','parent':'shoulder','position':[0.5,0,0]},"                                   \
    "{'name':'hand','parent':'elbow','position':[0.5,0,0]}],"
#define CLIPS                                                                                      \
    "'clips':[{'name':'lift','channels':[{'joint':'shoulder','path':'rotation','keys':"            \
    "[[0,[0,0,0,1]],[1,{'axis':[0,0,1],'angle':90}]]}]},"                                          \
    "{'name':'slide','channels':[{'joint':'shoulder','path':'position','interpolation':'smooth',"  \
    "'keys':[[0,[0,1,0]],[1,[0,1,1]],[2,[0,1,2]]]},"                                               \
    "{'joint':'hand','path':'scale','interpolation':'cubic',"                                      \
    "'keys':[[0,[0,0,0],[1,1,1],[0,0,0]],[2,[0,0,0],[2,2,2],[0,0,0]]]}]}]"
#define ROPE                                                                                       \
    "'rods':[{'name':'rope','shape':{'line':{'from':[1,1,0],'to':[1,0,0],'segments':4}},"          \
    "'collide':false,'attach':[{'vertex':'first','frame':'hand'}]}]"

// The first vertex of the rope, which the hand holds.
static SnVec3 held_at(SnWorld *world) {
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    return sn_vec3(poses.positions[0], poses.positions[1], poses.positions[2]);
}

static void assert_held(SnWorld *world, double x, double y, double z) {
    SnVec3 at = held_at(world);
    assert_near((double)at.x, x, 1e-4);
    assert_near((double)at.y, y, 1e-4);
    assert_near((double)at.z, z, 1e-4);
}

static void joints_hold_bodies(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'skeleton':{" ARM CLIPS ",'clip':'lift','loop':false}," ROPE "}");
    SnWorld *world = build(scene);
    assert_int_equal(sn_scene_frame_count(scene), 3);
    assert_held(world, 1, 1, 0);
    run(scene, world, 30, 1.0 / 60);
    double half = sqrt(0.5);
    assert_held(world, half, 1 + half, 0);
    run(scene, world, 90, 1.0 / 60);
    assert_held(world, 0, 2, 0); // it stays at the end
    // Bones lie between joints and move with them.
    assert_int_equal(sn_scene_collider_count(scene), 2);
    SnSceneCollider bone = sn_scene_collider(scene, 1);
    assert_string_equal(bone.name, "elbow");
    assert_true(bone.visible);
    assert_near((double)bone.def.radius_a, 0.05, 1e-6);
    SnPose pose;
    assert_int_equal(sn_collider_pose(world, bone.id, &pose).code, SN_OK);
    SnVec3 end = sn_pose_apply(pose, bone.def.b);
    assert_near((double)end.y, 2, 1e-4);
    destroy(scene, world);
}

// From time 1 on it slides at twice the speed, after a fade.
static void clips_follow_each_other(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        "{'version':1,'skeleton':{'name':'man'," ARM CLIPS
        ",'bones':[{'joint':'shoulder','to':'hand','radius':0.2}],"
        "'play':[{'clip':'lift','loop':false},"
        "{'time':1,'clip':'slide','speed':2,'offset':0.5,'fade':0.5,'loop':false}]},"
        "'rods':[{'name':'rope','shape':{'line':{'from':[1,1,0],'to':[1,0,0],'segments':4}},"
        "'collide':false,'attach':[{'vertex':'first','frame':'man/hand'}]}],"
        "'ignore':[['rope','man/shoulder']]}");
    SnWorld *world = build(scene);
    assert_int_equal(sn_scene_collider_count(scene), 1);
    assert_near((double)sn_scene_collider(scene, 0).def.radius_b, 0.2, 1e-6);
    assert_near((double)sn_scene_collider(scene, 0).def.b.x, 1.0, 1e-6);
    run(scene, world, 60, 1.0 / 60);
    assert_held(world, 0, 2, 0);
    for (int i = 61; i <= 96; ++i) { // 0.6 s on: the fade is over, the clip at 0.5 + 1.2 s
        assert_int_equal(sn_scene_animate(scene, world, i / 60.0, 1.0 / 60).code, SN_OK);
        sn_world_step(world, 1.0f / 60, 4, 1);
    }
    double t =
        0.7; // of the last second of a curve with slope 1 at its beginning, and none at its end
    double wanted = 1 + t * (1 + t * (1 - t));
    assert_held(world, 1, 1, wanted);
    destroy(scene, world);
}

static void skeletons_are_placed(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted("{'version':1,'skeleton':[{" ARM "'clips':[],'scale':2,'position':[0,0,3],"
                    "'rotation':{'axis':[0,1,0],'angle':90}},{'name':'b'," ARM "'bones':false}],"
                    "'rods':[{'shape':{'line':{'from':[0,2,1],'to':[0,1,1]}},'collide':false,"
                    "'attach':[{'vertex':0,'frame':'hand','position':[0,0,0]}]}]}");
    SnWorld *world = build(scene);
    assert_int_equal(sn_scene_skeleton_count(scene), 2);
    assert_int_equal(sn_scene_collider_count(scene), 2);
    assert_string_equal(sn_scene_skeleton(scene, 1).name, "b");
    assert_held(world, 0, 2, 1); // x of the arm is −z of the world
    run(scene, world, 3, 1.0 / 60);
    assert_held(world, 0, 2, 1);
    SnWorld *second = build(scene); // a scene builds any number of worlds
    run(scene, second, 3, 1.0 / 60);
    sn_world_destroy(second);
    destroy(scene, world);
}

static void bad_skeletons_are_named(void **state) {
    (void)state;
    static const Bad cases[] = {
        {"{'version':1,'skeleton':{}}", "/skeleton: needs one of: file, model, joints"},
        {"{'version':1,'skeleton':{'model':'lge'}}", "did you mean \"leg\"?"},
        {"{'version':1,'skeleton':{'model':'arm','file':'a.glb'}}", "does not go with \"file\""},
        {"{'version':1,'skeleton':{'model':'arm'," ARM "'scale':1}}", "does not go with \"model\""},
        {"{'version':1,'skeleton':{" ARM "'implicit':true}}",
         "/skeleton/implicit: the skeleton has no mesh"},
        {"{'version':1,'skeleton':{'model':'arm','clip':'bned'}}", "did you mean \"bend\"?"},
        {"{'version':1,'skeleton':{'fiel':'a.glb'}}", "did you mean \"file\"?"},
        {"{'version':1,'skeleton':{'file':'none.glb'}}", "/skeleton/file: none.glb"},
        {"{'version':1,'skeleton':{'file':'none.fbx'}}", "are read from .glb, .gltf and .bvh"},
        {"{'version':1,'skeleton':{'file':'a.glb'," ARM "'scale':1}}", "does not go with \"file\""},
        {"{'version':1,'skeleton':{'joints':[]}}", "needs one joint or more"},
        {"{'version':1,'skeleton':{'joints':[{'name':'a','parent':'b'},{'name':'b'}]}}",
         "/skeleton/joints/0/parent: unknown joint \"b\"; there is none"},
        {"{'version':1,'skeleton':{'joints':[{'name':'a'},{'name':'a'}]}}", "\"a\" is taken"},
        {"{'version':1,'skeleton':{'joints':[{}]}}", "\"name\" is missing"},
        {"{'version':1,'skeleton':{" ARM CLIPS ",'clip':'lfit'}}",
         "/skeleton/clip: unknown clip \"lfit\"; did you mean \"lift\"?"},
        {"{'version':1,'skeleton':{" ARM "'clip':'walk'}}", "unknown clip \"walk\"; there is none"},
        {"{'version':1,'skeleton':{" ARM "'clips':[{'name':'x','channels':[]}],'clip':'x'}}",
         "moves no joint"},
        {"{'version':1,'skeleton':{" ARM "'bones':[{'joint':'elbow','to':'hnad','radius':1}]}}",
         "/skeleton/bones/0/to: unknown joint \"hnad\"; did you mean \"hand\"?"},
        {"{'version':1,'skeleton':{" ARM "'bones':[{'joint':'elbow','radius':1}]}}",
         "/skeleton/bones/0: needs \"to\" and \"radius\", or \"mesh\""},
        {"{'version':1,'skeleton':{" ARM "'bones':[{'joint':'elbow','mesh':'x'}]}}",
         "/skeleton/bones/0/mesh: unknown mesh \"x\"; there is none"},
        {"{'version':1,'skeleton':{" ARM "'bones':7}}", "is not true, false or a list of bones"},
        {"{'version':1,'skeleton':{" ARM "'play':[{'time':2},{'time':1}]}}", "is before the entry"},
        {"{'version':1,'skeleton':{" ARM "'play':[],'speed':2}}", "does not go with \"play\""},
        {"{'version':1,'skeleton':{" ARM "'clips':[{'name':'x','channels':[{'joint':'toe',"
         "'path':'scale','keys':[[0,[1,1,1]]]}]}]}}",
         "/channels/0/joint: unknown joint \"toe\"; there are: shoulder, elbow, hand"},
        {"{'version':1,'skeleton':{" ARM "'clips':[{'name':'x','channels':[{'joint':'hand',"
         "'path':'scale','keys':[[0,[1,1,1]],[0,[1,1,1]]]}]}]}}",
         "0 s is not after the key before"},
        {"{'version':1,'skeleton':{" ARM "'clips':[{'name':'x','channels':[{'joint':'hand',"
         "'path':'scale','interpolation':'cubic','keys':[[0,[1,1,1]]]}]}]}}",
         "is not a key [t, slope, value, slope]"},
        {"{'version':1,'skeleton':{" ARM "'scale':0}}", "0 is not > 0"},
        {"{'version':1,'skeleton':{" ARM "'bones':false}," LINE "}", "unknown key \"shape\""},
        {"{'version':1,'skeleton':{" ARM "'name':'m'},'rods':[{" LINE
         ",'attach':[{'vertex':0,'frame':'m/hnad'}]}]}",
         "unknown frame \"m/hnad\"; did you mean \"m/hand\"?"},
        {"{'version':1,'frames':[{'name':'hand'}],'skeleton':{" ARM "'scale':1},'rods':[{" LINE
         ",'attach':[{'vertex':0,'frame':'hand'}]}]}",
         "\"hand\" is the name of more than one frame"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

static void damage_is_survived(void **state) {
    (void)state;
    assert_survives("{'version':1,'skeleton':{" ARM CLIPS
                    ",'play':[{'clip':'lift'},{'time':1,'clip':'slide','speed':2,'fade':0.5}],"
                    "'bones':[{'joint':'elbow','to':'hand','radius':0.1}]}," ROPE "}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_hold_bodies),   cmocka_unit_test(clips_follow_each_other),
        cmocka_unit_test(skeletons_are_placed), cmocka_unit_test(bad_skeletons_are_named),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
