// sinew check: says what is wrong with scene files.
#include "app/commands.h"
#include "app/input.h"
#include "app/options.h"
#include "app/sweeps.h"
#include "app/terminal.h"

#include <stdio.h>

// A file may read well and still not build: some limits are the engine's. *out_soft: what its sweeps
// will miss is in the line.
static bool builds(SnScene *scene, bool *out_soft, char *out_line, size_t size) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world = NULL;
    SnResult result = sn_scene_build(scene, &def, &world);
    if (result.code != SN_OK) {
        say_result("%s\n", result.message);
        return false;
    }
    *out_soft = sweeps_are_soft(world, sn_scene_settings(scene), out_line, size);
    sn_world_destroy(world);
    return true;
}

static void print_count(int count, const char *what) {
    if (count > 0)
        say_result(", %d %s%s", count, what, count == 1 ? "" : "s");
}

static void print_bodies(const SnScene *scene) {
    int count = sn_scene_body_count(scene), rigid = rigid_count(scene), rods = rod_count(scene);
    int stiff = 0, solids = solid_count(scene);
    long long points = 0;
    for (int i = 0; i < count; ++i) {
        SnSceneBody body = sn_scene_body(scene, i);
        points += body.point_count;
        stiff += body.kind == SN_BODY_STIFF_ROD;
    }
    if (rods > 0 || rigid + solids == 0)
        say_result("%d rod%s, ", rods, rods == 1 ? "" : "s");
    if (rigid > 0)
        say_result("%d rigid bod%s, ", rigid, rigid == 1 ? "y" : "ies");
    if (solids > 0)
        say_result("%d solid%s, ", solids, solids == 1 ? "" : "s");
    say_result("%lld %s", points, points == 1 ? "vertex" : "vertices");
    print_count(sn_scene_collider_count(scene), "collider");
    print_count(sn_scene_link_count(scene), "link");
    print_count(sn_scene_skin_count(scene), "skin");
    print_count(stiff, "stiff rod");
}

static bool check_file(const char *path) {
    SnScene *scene;
    if (!load_scene(path, stdout, &scene))
        return false;
    char line[512];
    bool soft = false, good = builds(scene, &soft, line, sizeof line);
    if (good) {
        say_result("%s: ok (", path);
        print_bodies(scene);
        say_result(", %g s)\n", sn_scene_settings(scene).seconds);
    }
    if (soft)
        say_result("%s: note: %s\n", path, line);
    sn_scene_destroy(scene);
    return good;
}

int check_command(int argc, char **argv) {
    const CommandLine line = {
        "check",
        "SCENE.json…",
        "Reads scene files and builds their worlds. Prints every error with its place, one a line.",
        NULL,
        0,
        "  sinew check scenes/*.json\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc == 0)
        return options_wrong(&line, "no scene file given");
    bool good = true;
    for (int i = 0; i < argc; ++i)
        good &= check_file(argv[i]);
    return good ? STATUS_OK : STATUS_FAILED;
}
