// Muscles under implicit skins in scene files: what is made of them, their jiggle against the frequency that
// is asked for, their volume against counting, and what is said about those that cannot be.
#include "scene_kit.h"

#include <sinew/implicit.h>

#include "implicit/muscle_field.h"

#define ARM "'skeleton':{'model':'arm','implicit':true,'bones':false}"
#define BENT "'skeleton':{'model':'arm','clip':'bend','implicit':true,'bones':false,'loop':false}"
#define PATH                                                                                       \
    "'path':[{'frame':'upper arm','position':[0.01,0.036,0]},"                                     \
    "{'frame':'forearm','position':[0.04,0.025,0]}]"
#define SCENE(skeleton, rest)                                                                      \
    "{'version':1," skeleton ",'flesh':[{'name':'biceps','volume':1.8e-4," rest "}]}"
#define WITH(rest, more)                                                                           \
    "{'version':1," ARM ",'flesh':[{'name':'biceps','volume':1.8e-4," rest "}]," more "}"
#define STEP (1.0 / 60.0)

static void errors_name_path_and_value(void **state) {
    (void)state;
    static const Bad cases[] = {
        {SCENE(ARM, "'points':8"), "/flesh/0: \"path\" is missing"},
        {SCENE(ARM, "'path':[]"), "/path: has 0 points, not 2 to 8"},
        {SCENE(ARM, PATH ",'points':3"), "/points: 3 is not in [4, 256]"},
        {SCENE(ARM, "'path':[{'frame':'uper arm','position':[0,0,0]},{'frame':'hand',"
                    "'position':[0,0,0]}]"),
         "unknown frame \"uper arm\"; did you mean \"upper arm\"?"},
        {SCENE(ARM, "'path':[{'frame':'hand','position':[0,0,0]},{'frame':'hand',"
                    "'position':[0,0,0]}]"),
         "/flesh/0: its path has no length"},
        {SCENE(ARM, PATH ",'rest':{'alpha':10}"), "/rest/alpha: 10 is not in [1, 9]"},
        {SCENE(ARM, PATH ",'activated_by':{'frame':'forearm','from':20,'to':20}"),
         "\"from\" and \"to\" are the same angle"},
        {SCENE(ARM, PATH ",'copies':3"), "a muscle of a skeleton cannot be copied"},
        {SCENE(ARM, PATH ",'frequncy':3"), "did you mean \"frequency\"?"},
        {WITH("'path':[{'frame':'post','position':[0,0,0]},{'frame':'hand','position':[0,0,0]}]",
              "'frames':[{'name':'post'}]"),
         "is no joint of a skeleton"},
        {WITH(PATH, "'animation':[{'target':'/flesh/biceps/tendon','keys':[[0,0.2]]}]"),
         "\"tendon\" of a muscle is fixed when it is made and cannot be animated"},
        {"{'version':1," ARM ",'muscles':[{'under_skin':true,'spindle':{'from':[0,0,0],"
         "'to':[0.1,0,0],'radius':0.01}}]}",
         "neither end is at a joint of a skeleton with an implicit skin"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

static void read_line(const SnWorld *world, SnVec3 *line, SnVec3 *velocities) {
    SnBodyState state = {.positions = line, .velocities = velocities};
    assert_int_equal(sn_body_read(world, sn_world_find_body(world, "biceps"), &state).code, SN_OK);
}

static void resting_muscles_are_at_rest(void **state) {
    (void)state;
    SnScene *scene = load_quoted(SCENE(ARM, PATH));
    SnWorld *world = build(scene);
    SnVec3 before[16], after[16];
    read_line(world, before, NULL);
    run(scene, world, 60, STEP);
    read_line(world, after, NULL);
    for (int i = 0; i < 16; ++i)
        assert_near((double)sn_vec3_length(sn_vec3_sub(after[i], before[i])), 0.0, 5e-5);
    destroy(scene, world);
}

// Plucks the muscle across its line (0) or along it (1), and counts how often its middle goes through where it
// was in two seconds. Returns its frequency, Hz.
static double jiggle(const char *text, int along, int substeps, double *out_kept) {
    SnScene *scene = load_quoted(text);
    SnWorld *world = build(scene);
    SnVec3 rest[16], line[16], velocities[16];
    double last = 0.0, first = -1.0, end = 0.0, most = 0.0, late = 0.0;
    int crossings = 0;
    read_line(world, rest, velocities);
    for (int i = 2; i < 14; ++i)
        velocities[i] = along ? sn_vec3(0.3f * sinf(3.14159265f * (float)i / 15.0f), 0.0f, 0.0f)
                              : sn_vec3(0.0f, 0.0f, 0.3f * sinf(3.14159265f * (float)i / 15.0f));
    SnBodyState state = {.velocities = velocities};
    assert_int_equal(sn_body_write(world, sn_world_find_body(world, "biceps"), &state).code, SN_OK);
    for (int i = 1; i <= 1200; ++i) {
        const double step = 1.0 / 600.0;
        assert_int_equal(sn_scene_animate(scene, world, i * step, step).code, SN_OK);
        sn_world_step(world, (float)step, substeps, 1);
        read_line(world, line, NULL);
        double now = (double)(along ? line[8].x - rest[8].x : line[8].z - rest[8].z);
        most = fmax(most, fabs(now));
        late = i > 900 ? fmax(late, fabs(now)) : 0.0;
        if (last < 0.0 && now >= 0.0 && i > 1) {
            end = i * step;
            first = first < 0.0 ? end : first;
            ++crossings;
        }
        last = now;
    }
    assert_true(crossings > 3);
    *out_kept = late / most;
    destroy(scene, world);
    return (crossings - 1) / (end - first);
}

// Across its line, a muscle has the frequency that is asked for; along it, stiff tendons make it a little
// faster. It depends on neither steps nor sub-steps.
static void muscles_jiggle_as_asked(void **state) {
    (void)state;
    double kept;
    for (int along = 0; along < 2; ++along) {
        double slow = jiggle(SCENE(ARM, PATH ",'frequency':6,'damping':0"), along, 1, &kept);
        double fine = jiggle(SCENE(ARM, PATH ",'frequency':6,'damping':0"), along, 4, &kept);
        double fast = jiggle(SCENE(ARM, PATH ",'frequency':12,'damping':0"), along, 4, &kept);
        print_message("%s: %.2f and %.2f Hz for 6 Hz, %.2f Hz for 12 Hz\n",
                      along ? "along" : "across", slow, fine, fast);
        assert_near(slow, fine, 0.05 * fine);
        assert_near(fast, 2.0 * fine, 0.1 * fine);
        assert_near(fine, along ? 7.5 : 6.0, along ? 1.5 : 0.3);
        jiggle(SCENE(ARM, PATH ",'frequency':6,'damping':0.2"), along, 4, &kept);
        assert_true(kept < 0.02); // e^(−0.2 · 2π · 6 · 1.5) and less
    }
}

// At twice the frequency from the start on, as keyframes say.
static void frequency_is_keyframed(void **state) {
    (void)state;
    double kept,
        hertz = jiggle(
            WITH(PATH ",'frequency':6,'damping':0",
                 "'animation':[{'target':'/flesh/biceps/frequency','keys':[[0,12],[5,12]]}]"),
            0, 4, &kept);
    print_message("%.2f Hz\n", hertz);
    assert_near(hertz, 11.8, 0.4);
}

// Through a curl of 150°: the volume as it is counted, and the activation.
static void curled_muscles_keep_their_volume(void **state) {
    (void)state;
    SnScene *scene =
        load_quoted(SCENE(BENT, PATH ",'activated_by':{'frame':'forearm','from':10,'to':110}"));
    SnWorld *world = build(scene);
    SnSceneSkeleton skeleton = sn_scene_skeleton(scene, 0);
    SnSceneFlesh flesh = sn_scene_flesh(scene, 0);
    SnMuscleField *field;
    SnTransform locals[3];
    SnMap maps[3];
    SnPoses poses;
    double shortest = 1.0;
    float before = -1.0f;
    assert_int_equal(sn_scene_flesh_count(scene), 1);
    assert_int_equal(sn_muscle_field_create(&flesh.rest, NULL, &field).code, SN_OK);
    for (int i = 0; i <= 6; ++i) {
        double time = i / 6.0;
        for (int k = 1; k <= 10 && i > 0; ++k) {
            assert_int_equal(sn_scene_animate(scene, world, (10 * (i - 1) + k) * STEP, STEP).code,
                             SN_OK);
            sn_world_step(world, (float)STEP, 10, 1);
        }
        assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
        sn_skeleton_play(skeleton.skeleton, skeleton.cues, skeleton.cue_count, time, locals);
        sn_skeleton_maps(skeleton.skeleton, locals, &skeleton.place, maps);
        assert_int_equal(sn_scene_move_flesh(scene, 0, time, maps, &poses, field).code, SN_OK);
        float activation = sn_scene_flesh_activation(scene, 0, time, maps);
        assert_true(activation >= before);
        before = activation;
        double volume = sn_muscle_field_volume(field);
        assert_near(volume, 1.8e-4, 0.005 * 1.8e-4);
        double length = 0.0;
        for (int k = 1; k < 16; ++k) {
            const SnVec3 *p = (const SnVec3 *)(const void *)poses.positions;
            length += (double)sn_vec3_length(sn_vec3_sub(p[k], p[k - 1]));
        }
        shortest = fmin(shortest, length);
    }
    assert_near((double)before, 1.0, 1e-6);
    assert_true(shortest < 0.29); // it was 0.33 m long
    sn_muscle_field_destroy(field);
    destroy(scene, world);
}

static void activation_is_keyframed(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        WITH(PATH, "'animation':[{'target':'/flesh/biceps/activation','keys':[[0,0],[1,1]]}]"));
    assert_near((double)sn_scene_flesh_activation(scene, 0, 0.25, NULL), 0.25, 1e-6);
    assert_near((double)sn_scene_flesh_activation(scene, 0, 2.0, NULL), 1.0, 1e-6);
    assert_near((double)sn_scene_flesh_activation(scene, 1, 0.25, NULL), 0.0, 0.0);
    assert_int_equal(sn_scene_flesh(scene, 1).body, -1);
    assert_int_equal(sn_scene_body(scene, 0).flesh_of, 0);
    sn_scene_destroy(scene);
}

// Volume, exaggeration and eccentricity, too: at the end of a second the muscle has twice its volume, 1.2
// times its width beyond that, and is flat.
static void shapes_are_keyframed(void **state) {
    (void)state;
    SnScene *scene = load_quoted(
        WITH(PATH, "'animation':[{'target':'/flesh/biceps/volume','keys':[[0,1e-4],[1,2e-4]]},"
                   "{'target':'/flesh/biceps/exaggeration','keys':[[0,1],[1,1.2]]},"
                   "{'target':'/flesh/biceps/activation','keys':[[0,1]]},"
                   "{'target':'/flesh/biceps/active/eccentricity','keys':[[0,0],[1,0.8]]}]"));
    SnWorld *world = build(scene);
    SnMuscleField *field = NULL;
    SnMuscleFieldDef rest = sn_scene_flesh(scene, 0).rest;
    assert_int_equal(sn_muscle_field_create(&rest, NULL, &field).code, SN_OK);
    SnTransform locals[3];
    SnMap maps[3];
    const SnSkeleton *skeleton = sn_scene_skeleton(scene, 0).skeleton;
    assert_int_equal(sn_skeleton_rest(skeleton, locals).code, SN_OK);
    assert_int_equal(sn_skeleton_maps(skeleton, locals, NULL, maps).code, SN_OK);
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    assert_int_equal(sn_scene_move_flesh(scene, 0, 0.0, maps, &poses, field).code, SN_OK);
    double radius = sn_muscle_field_radius(field, 0.4);
    assert_int_equal(sn_scene_move_flesh(scene, 0, 1.0, maps, &poses, field).code, SN_OK);
    assert_near(sn_muscle_field_radius(field, 0.4), 1.2 * sqrt(2.0) * radius, 1e-5 * radius);
    assert_near(sn__muscle_field_eccentricity(field), 0.8, 1e-6);
    sn_muscle_field_destroy(field);
    destroy(scene, world);
}

// A bone in the way of a muscle that shortens and swells pushes it out; one that it overlaps at the start
// is passed through.
static void muscles_touch_bones(void **state) {
    (void)state;
    SnVec3 line[2][16];
    for (int far = 0; far < 2; ++far) {
        SnScene *scene = load_quoted(
            far ? "{'version':1,'skeleton':{'model':'arm','clip':'bend','implicit':true,"
                  "'loop':false,'bones':[{'joint':'upper arm','to':'forearm','radius':0.012}]},"
                  "'flesh':[{'name':'biceps','volume':1e-4," PATH "}]}"
                : "{'version':1," BENT ",'flesh':[{'name':'biceps','volume':1e-4," PATH "}]}");
        SnWorld *world = build(scene);
        run(scene, world, 66, STEP);
        read_line(world, line[far], NULL);
        destroy(scene, world);
    }
    double without = 1.0, with = 1.0;
    for (int i = 4; i < 12; ++i) {
        without = fmin(without, (double)line[0][i].y);
        with = fmin(with, (double)line[1][i].y);
    }
    print_message("the lowest part of the belly is %.1f mm over the bone's axis, without it %.1f\n",
                  1e3 * with, 1e3 * without);
    assert_true(with > without + 0.001);
}

// How deep the biceps is in the other muscle of the scene, over the sum of their radii, after some steps.
static double overlap_of_muscles(const char *text, int steps, double *out_moved) {
    SnScene *scene = load_quoted(text);
    SnWorld *world = build(scene);
    SnVec3 start[16];
    read_line(world, start, NULL);
    run(scene, world, steps, STEP);
    SnPoses poses;
    assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
    const SnVec3 *x = (const SnVec3 *)(const void *)poses.positions;
    const SnVec3 *y = x + poses.point_begin[1];
    const float *r = poses.radii, *q = r + poses.point_begin[1];
    double most = 0.0;
    *out_moved = 0.0;
    for (int i = 0; i < 16; ++i) {
        *out_moved = fmax(*out_moved, (double)sn_vec3_length(sn_vec3_sub(x[i], start[i])));
        for (int k = 0; k + 1 < 16; ++k) {
            SnVec3 edge = sn_vec3_sub(y[k + 1], y[k]), from = sn_vec3_sub(x[i], y[k]);
            float t = sn_vec3_dot(from, edge) / sn_vec3_dot(edge, edge);
            t = fminf(fmaxf(t, 0.0f), 1.0f);
            float apart = sn_vec3_length(sn_vec3_add_scaled(from, edge, -t));
            float radii = r[i] + (1.0f - t) * q[k] + t * q[k + 1];
            most = fmax(most, (double)(1.0f - apart / radii));
        }
    }
    destroy(scene, world);
    return most;
}

// Muscles that ask for it touch: as the elbow bends, the biceps would cut through a muscle that lies beneath it. Two that overlap where they
// begin do not push each other away.
static void muscles_touch_muscles(void **state) {
    (void)state;
#define BENEATH(more)                                                                              \
    "{'version':1," BENT ",'flesh':[{'name':'biceps','volume':1e-4," PATH more                     \
    "},{'name':'brachialis'" more                                                                  \
    ",'volume':4e-5,'path':[{'frame':'upper arm','position':[0.05,-0.002,0]},"                     \
    "{'frame':'upper arm','position':[0.2,-0.002,0]}]}]}"
    double moved, with = overlap_of_muscles(BENEATH(",'filter':{}"), 66, &moved);
    double without = overlap_of_muscles(BENEATH(""), 66, &moved);
    print_message("%.1f %% of the radii in each other, without contact %.1f %%\n", 1e2 * with,
                  1e2 * without);
    assert_true(without > 0.2);
    assert_true(with < 0.03);
    double shared = overlap_of_muscles(
        "{'version':1," ARM ",'flesh':[{'name':'biceps','volume':1e-4,'filter':{}," PATH
        "},{'name':'other head','filter':{},'volume':1e-4,'path':[{'frame':'upper arm','position':"
        "[0.01,0.036,0.02]},{'frame':'forearm','position':[0.04,0.025,0]}]}]}",
        30, &moved);
    assert_true(shared > 0.1);
    assert_near(moved, 0.0, 5e-5);
}

#define RODS                                                                                       \
    "'muscles':[{'name':'rods','under_skin':true,'spindle':{'from':[0.05,0.036,0],"                \
    "'to':[0.25,0.036,0],'radius':0.018,'rods':7,'segments':12},'insertion_frame':'free'"

// What the field of a bundle has where the mesh was bound, and by how much points over its belly lie higher
// when it has shortened to its origin than they do at the start.
static double skin_over_rods(const char *text, SnVec3 *out_middle, double *out_volume) {
    SnScene *scene = load_quoted(text);
    SnWorld *world = build(scene);
    SnMuscleField *field = NULL;
    SnSceneSkeleton skeleton = sn_scene_skeleton(scene, 0);
    assert_int_equal(sn_scene_flesh_count(scene), 1);
    SnSceneFlesh flesh = sn_scene_flesh(scene, 0);
    assert_true(flesh.is_bundle && sn_scene_body(scene, flesh.body).flesh_of == 0);
    assert_int_equal(sn_scene_flesh_field(scene, 0, NULL, &field).code, SN_OK);
    *out_middle = flesh.rest.line[6];
    *out_volume = sn_muscle_field_volume(field) / (double)flesh.rest.volume;
    SnImplicitDef def = sn_default_implicit_def();
    const SnMuscleField *muscles[1] = {field};
    def.skeleton = skeleton.skeleton;
    def.muscle_count = 1;
    def.muscles = muscles;
    SnImplicit *skin = NULL;
    assert_int_equal(sn_implicit_create(&def, NULL, &skin).code, SN_OK);
    SnTransform locals[3];
    SnMap maps[3];
    sn_skeleton_rest(skeleton.skeleton, locals);
    sn_skeleton_maps(skeleton.skeleton, locals, &skeleton.place, maps);
    double heights[2] = {0.0, 0.0};
    for (int frame = 0; frame < 20; ++frame) {
        SnPoses poses;
        run(scene, world, frame > 0 ? 3 : 0, STEP);
        assert_int_equal(sn_world_poses(world, &poses).code, SN_OK);
        assert_int_equal(sn_scene_move_flesh(scene, 0, 0.0, maps, &poses, field).code, SN_OK);
        assert_int_equal(sn_implicit_deform(skin, maps).code, SN_OK);
        SnImplicitMesh mesh = sn_implicit_mesh(skin, 0);
        SnSkeletonMesh rest = sn_skeleton_mesh(skeleton.skeleton, 0);
        for (int v = 0; v < mesh.vertex_count && frame % 19 == 0; ++v)
            if (fabsf(rest.positions[v].x - 0.12f) < 0.02f && rest.positions[v].y > 0.0f &&
                fabsf(rest.positions[v].z) < 0.006f)
                heights[frame / 19] =
                    fmax(heights[frame / 19],
                         (double)((mesh.positions[v].y - maps[0].origin.y) / maps[0].y.y));
    }
    sn_implicit_destroy(skin);
    sn_muscle_field_destroy(field);
    destroy(scene, world);
    return heights[1] - heights[0];
}

// One line puts a bundle under a skin, wherever the skeleton stands.
static void bundles_lie_under_skins(void **state) {
    (void)state;
    SnVec3 here, there;
    double volume,
        rise = skin_over_rods("{'version':1,'world':{'gravity':[0,0,0]}," ARM "," RODS
                              ",'origin_frame':'upper arm','activation':1,'rise_time':0.3,"
                              "'material':{'like':'muscle','damping':0.2}}]}",
                              &here, &volume);
    print_message("the skin rises by %.2f mm; the field has %.3f of the volume\n", 1e3 * rise,
                  volume);
    assert_true(rise > 1.5e-3 && rise < 5e-3);
    assert_near(volume, 1.0, 0.1); // its ends are round
    // The arm twice as large, elsewhere, and the muscle with it.
    double same = skin_over_rods(
        "{'version':1,'world':{'gravity':[0,0,0]},'skeleton':{'model':'arm','implicit':true,"
        "'bones':false,'scale':2,'position':[1,2,3]},'muscles':[{'name':'rods','under_skin':true,"
        "'spindle':{'from':[0.1,0.072,0],'to':[0.5,0.072,0],'radius':0.036,'rods':7,"
        "'segments':12},'position':[1,2,3],'insertion_frame':'free','origin_frame':'upper arm',"
        "'activation':1,'rise_time':0.3,"
        "'material':{'like':'muscle','damping':0.2}}]}",
        &there, &volume);
    print_message("twice as large, it rises by %.2f mm\n", 1e3 * same);
    assert_near(same, rise, 1e-3);
    assert_near((double)sn_vec3_length(sn_vec3_sub(here, there)), 0.0, 1e-5);
    assert_near(volume, 1.0, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_path_and_value),
        cmocka_unit_test(resting_muscles_are_at_rest),
        cmocka_unit_test(muscles_jiggle_as_asked),
        cmocka_unit_test(frequency_is_keyframed),
        cmocka_unit_test(curled_muscles_keep_their_volume),
        cmocka_unit_test(activation_is_keyframed),
        cmocka_unit_test(shapes_are_keyframed),
        cmocka_unit_test(muscles_touch_bones),
        cmocka_unit_test(muscles_touch_muscles),
        cmocka_unit_test(bundles_lie_under_skins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
