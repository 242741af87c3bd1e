// Keys that a recording leaves out are given back, within its tolerance, by players that know nothing of
// it: files are read again as skeletons, played, and their surfaces compared.
#include "support.h"

#include "folder.h"

#include <sinew/gltf.h>
#include <sinew/scene.h>
#include <sinew/skeleton_file.h>

#include <sys/stat.h>

#define FRAMES 150
#define FPS 30.0

// A creature under a skin, a chain and a rigid body fall on the floor; a rod swings about a frame; a
// skeleton waves.
static const char scene_text[] =
    "{\"version\": 1, \"name\": \"fall\", \"world\": {\"sleep_speed\": 0.1},"
    "\"materials\": {\"flesh\": {\"young\": 2e5, \"damping\": 0.05, \"drag\": 3, \"density\": "
    "300}},"
    "\"colliders\": [{\"plane\": {}}],"
    "\"skeleton\": {\"joints\": [{\"name\": \"a\", \"position\": [3, 0, 0]},"
    "{\"name\": \"b\", \"parent\": \"a\", \"position\": [0, 1, 0]}], \"clips\": [{\"name\": "
    "\"wave\","
    "\"channels\": [{\"joint\": \"a\", \"path\": \"rotation\", \"keys\": [[0, [0, 0, 0, 1]],"
    "[3, {\"axis\": [0, 0, 1], \"angle\": 120}]]}]}], \"clip\": \"wave\"},"
    "\"rods\": [{\"name\": \"octopus\", \"shape\": {\"octopus\": {\"size\": 0.5}},"
    "\"position\": [0, 0.6, 0], \"material\": \"flesh\"},"
    "{\"name\": \"worm\", \"shape\": {\"line\": {\"from\": [1, 0.5, 0], \"to\": [2, 0.8, 0],"
    "\"segments\": 12}}, \"radius\": 0.04, \"material\": \"flesh\"},"
    "{\"name\": \"rope\", \"shape\": {\"line\": {\"from\": [-1, 2, 0], \"to\": [-2, 2, 0],"
    "\"segments\": 20}}, \"radius\": 0.02, \"attach\": [{\"vertex\": \"first\"}]}],"
    "\"rigid\": [{\"name\": \"stone\", \"position\": [0, 1, 2], \"angular_velocity\": [3, 1, 2],"
    "\"parts\": [{\"centre\": [0, 0, 0], \"radius\": 0.2}]}],"
    "\"skins\": [{\"rods\": \"octopus\", \"iso\": {\"triangles\": 2000}}]}";

static SnGltf *begin(SnScene *scene, SnWorld *world, float tolerance, double seconds) {
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnSkinMesh skin;
    assert_ok(sn_skin_mesh(world, sn_scene_skin(scene, 0).id, &skin));
    SnSceneSkeleton from = sn_scene_skeleton(scene, 0);
    SnGltfActor actor = {.name = "arm",
                         .skeleton = from.skeleton,
                         .place = from.place,
                         .cue_count = from.cue_count,
                         .cues = from.cues,
                         .shows_mesh = true};
    SnGltfDef def = sn_default_gltf_def();
    assert_true(def.tolerance == 1.0e-4f);
    def.tolerance = tolerance;
    def.title = "fall";
    def.skin_count = 1;
    def.skins = &skin;
    def.actor_count = 1;
    def.actors = &actor;
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    assert_ok(sn_gltf_frame(gltf, &poses, seconds));
    return gltf;
}

// The same motion with two tolerances.
static void record(float tolerance, const char *exact_file, const char *file) {
    SnScene *scene;
    SnResult result = sn_scene_load_text("t.json", scene_text, strlen(scene_text), &scene, NULL);
    assert_ok(result);
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_scene_build(scene, &def, &world));
    SnGltf *exact = begin(scene, world, 0.0f, 0.0), *loose = begin(scene, world, tolerance, 0.0);
    for (int f = 1; f < FRAMES; ++f) {
        double step = 0.5 / FPS;
        for (int k = 1; k >= 0; --k) {
            assert_ok(sn_scene_animate(scene, world, f / FPS - k * step, step));
            sn_world_step(world, (float)step, 10, 1);
        }
        SnPoses poses;
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(exact, &poses, f / FPS));
        assert_ok(sn_gltf_frame(loose, &poses, f / FPS));
    }
    assert_ok(sn_gltf_finish(exact, path_of(exact_file)));
    assert_ok(sn_gltf_finish(loose, path_of(file)));
    sn_gltf_destroy(exact);
    sn_gltf_destroy(loose);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// All vertices of all meshes at a time, one mesh after the other. To be freed.
static SnVec3 *surface_at(const SnSkeleton *skeleton, double time, int *out_count) {
    int joints = sn_skeleton_joint_count(skeleton), count = 0;
    SnTransform *locals = malloc((size_t)joints * sizeof *locals);
    SnMap *maps = malloc((size_t)joints * sizeof *maps);
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    cue.loop = false;
    assert_ok(sn_skeleton_play(skeleton, &cue, 1, time, locals));
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    for (int m = 0; m < sn_skeleton_mesh_count(skeleton); ++m)
        count += sn_skeleton_mesh(skeleton, m).vertex_count;
    SnVec3 *out = malloc((size_t)count * sizeof *out);
    int at = 0;
    for (int m = 0; m < sn_skeleton_mesh_count(skeleton); ++m) {
        assert_ok(sn_skeleton_deform(skeleton, m, maps, out + at, NULL));
        at += sn_skeleton_mesh(skeleton, m).vertex_count;
    }
    free(locals);
    free(maps);
    *out_count = count;
    return out;
}

static double largest_error(const char *exact_file, const char *file) {
    SnSkeleton *exact, *loose;
    assert_ok(sn_skeleton_load_file(path_of(exact_file), NULL, &exact));
    assert_ok(sn_skeleton_load_file(path_of(file), NULL, &loose));
    double largest = 0.0;
    for (int f = 0; f < FRAMES; ++f) {
        int count, other;
        SnVec3 *a = surface_at(exact, f / FPS, &count), *b = surface_at(loose, f / FPS, &other);
        assert_int_equal(count, other);
        assert_true(count > 1000);
        for (int i = 0; i < count; ++i)
            largest = fmax(largest, distance(a[i], b[i]));
        free(a);
        free(b);
    }
    sn_skeleton_destroy(exact);
    sn_skeleton_destroy(loose);
    return largest;
}

static double bytes_of(const char *file) {
    struct stat about;
    assert_int_equal(stat(path_of(file), &about), 0);
    return (double)about.st_size;
}

static void surfaces_keep_to_the_tolerance(void **state) {
    (void)state;
    const float tolerances[] = {1.0e-4f, 1.0e-3f};
    double before = 1.0;
    for (int k = 0; k < 2; ++k) {
        record(tolerances[k], "exact.glb", "loose.glb");
        double error = largest_error("exact.glb", "loose.glb");
        double part = bytes_of("loose.glb") / bytes_of("exact.glb");
        if (!(error <= (double)tolerances[k] && error > 0.0))
            fail_msg("%g m away, the tolerance is %g", error, (double)tolerances[k]);
        if (!(part < 0.95 * before))
            fail_msg("%g of the bytes at a tolerance of %g", part, (double)tolerances[k]);
        before = part;
        SnGltfInfo info, all;
        assert_ok(sn_gltf_info(path_of("loose.glb"), &info));
        assert_ok(sn_gltf_info(path_of("exact.glb"), &all));
        assert_true(fabs(info.duration - (FRAMES - 1) / FPS) < 1e-6 &&
                    fabs(all.duration - (FRAMES - 1) / FPS) < 1e-6);
    }
    remove(path_of("exact.glb"));
    remove(path_of("loose.glb"));
}

static void bad_tolerances_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    plain_rod(world, 4);
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    const float bad[] = {-1.0f, NAN};
    for (int k = 0; k < 2; ++k) {
        def.tolerance = bad[k];
        assert_error(sn_gltf_begin(&poses, &def, &gltf), SN_ERROR_INVALID, "tolerance");
    }
    sn_world_destroy(world);
}

// What flies as a whole is moved by one node, the parent of its joints.
static void flying_joints_have_no_keys(void **state) {
    (void)state;
    static const char text[] =
        "{\"version\": 1, \"rods\": [{\"name\": \"stick\", \"velocity\": [1, 2, 0], \"shape\":"
        "{\"line\": {\"from\": [0, 2, 0], \"to\": [1, 2, 0], \"segments\": 12}},"
        "\"radius\": 0.04}]}";
    SnScene *scene;
    SnWorld *world;
    SnWorldDef def = sn_default_world_def();
    assert_ok(sn_scene_load_text("t.json", text, strlen(text), &scene, NULL));
    assert_ok(sn_scene_build(scene, &def, &world));
    SnPoses poses;
    SnGltfDef gltf_def = sn_default_gltf_def();
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &gltf_def, &gltf));
    for (int f = 0; f < 30; ++f) {
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, f / FPS));
        sn_world_step(world, (float)(1.0 / FPS), 10, 1);
    }
    assert_ok(sn_gltf_finish(gltf, path_of("flying.glb")));
    SnGltfInfo info;
    assert_ok(sn_gltf_info(path_of("flying.glb"), &info));
    assert_int_equal(info.channels, 1);
    remove(path_of("flying.glb"));
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_keep_to_the_tolerance),
        cmocka_unit_test(flying_joints_have_no_keys),
        cmocka_unit_test(bad_tolerances_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
