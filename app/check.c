// sinew check: says what is wrong with scene files.
#include "app/commands.h"
#include "app/input.h"
#include "app/options.h"
#include "app/skin_fit.h"
#include "app/stretched.h"
#include "app/sweeps.h"
#include "app/terminal.h"

#include <stdio.h>

// A file may read well and still not build: some limits are the engine's. NULL: it does not.
static SnWorld *build(SnScene *scene) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world = NULL;
    SnResult result = sn_scene_build(scene, &def, &world);
    if (result.code != SN_OK)
        say_result("%s\n", result.message);
    return world;
}

// What is no error and still worth a look.
static void print_notes(const char *path, const SnScene *scene, SnWorld *world) {
    char line[512];
    if (sweeps_are_soft(world, sn_scene_settings(scene), line, sizeof line))
        say_result("%s: note: %s\n", path, line);
    int off = 0;
    for (int i = 0; i < sn_scene_skin_count(scene); ++i)
        if (skin_is_off(scene, world, i, line, sizeof line) && off++ == 0)
            say_result("%s: warning: %s\n", path, line);
    if (off > 1)
        say_result("%s: warning: so are %d other skins\n", path, off - 1);
    if (starts_stretched(world, line, sizeof line))
        say_result("%s: warning: %s\n", path, line);
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
    SnWorld *world = build(scene);
    if (world) {
        say_result("%s: ok (", path);
        print_bodies(scene);
        say_result(", %g s)\n", sn_scene_settings(scene).seconds);
    }
    if (world)
        print_notes(path, scene, world);
    bool good = world != NULL;
    sn_world_destroy(world);
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
