// sinew check: says what is wrong with scene files.
#include "app/commands.h"
#include "app/input.h"
#include "app/options.h"
#include "io/scene_data.h"

#include <stdio.h>

// A file may read well and still not build: some limits are the engine's.
static bool builds(SnScene *scene, const char *path) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world = NULL;
    SnResult result = sn_scene_build(scene, &def, &world);
    if (result.code != SN_OK) {
        printf("%s: %s\n", path, result.message);
        return false;
    }
    sn_world_destroy(world);
    return true;
}

static bool check_file(const char *path) {
    SnScene *scene;
    if (!load_scene(path, stdout, &scene)) {
        return false;
    }
    bool good = builds(scene, path);
    if (good) {
        printf("%s: ok (%d rod%s, %lld vertices, %g s)\n", path, scene->rod_count,
               scene->rod_count == 1 ? "" : "s", scene->vertex_count,
               sn_scene_settings(scene).seconds);
    }
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
    if (!options_parse(&line, &argc, argv, &status)) {
        return status;
    }
    if (argc == 0) {
        return options_wrong(&line, "no scene file given");
    }
    bool good = true;
    for (int i = 0; i < argc; i++) {
        good &= check_file(argv[i]);
    }
    return good ? STATUS_OK : STATUS_FAILED;
}
