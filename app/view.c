// sinew view: a scene in a window.
#include "app/commands.h"
#include "app/input.h"
#include "app/options.h"
#include "app/terminal.h"
#include "app/viewer.h"

#include <math.h>
#include <stdio.h>

typedef struct ViewOptions {
    int size[2];
    int threads; // 0: one per core
    SnIsa isa;
    const char *screenshot, *keys; // NULL: none
    int frames;                    // 0: until it is closed
} ViewOptions;

static bool parse(ViewOptions *view, int *argc, char **argv, int *out_status) {
    const Option options[] = {
        {"size", 0, OPTION_SIZE, view->size, 64, 8192, "WxH", "of the window (default: 1280x720)"},
        {"threads", 0, OPTION_INT, &view->threads, 1, 64, "N", "threads (default: one per core)"},
        {"isa", 0, OPTION_ISA, &view->isa, 0, 0, "NAME",
         "instruction set (default: the best there is)"},
        {"keys", 0, OPTION_TEXT, &view->keys, 0, 0, "NAMES",
         "presses keys at the start: space,period,right,r,1,2,3,4,plus,minus,s,f,h,f1,esc"},
        {"screenshot", 0, OPTION_TEXT, &view->screenshot, 0, 0, "OUT.png",
         "writes the last picture, when the window is closed"},
        {"frames", 0, OPTION_INT, &view->frames, 1, 1000000, "N",
         "closes it after so many frames of the scene, drawn as fast as it goes"},
    };
    const CommandLine line = {
        "view",
        "SCENE.json [options]",
        "Shows a scene in a window. The mouse turns the camera and drags bodies; H shows the keys.",
        options,
        sizeof options / sizeof options[0],
        "  sinew view scenes/demo.json\n"
        "  sinew view scenes/demo.json --screenshot demo.png --frames 60 --keys 3,s\n"};
    if (!options_parse(&line, argc, argv, out_status))
        return false;
    SnResult keys = view->keys ? keys_press_names(NULL, view->keys) : (SnResult){.code = SN_OK};
    if (*argc != 1)
        *out_status = options_wrong(&line, *argc == 0 ? "no scene file given"
                                                      : "more than one scene file given");
    else if (keys.code != SN_OK)
        *out_status = options_wrong(&line, "%s", keys.message);
    else
        return true;
    return false;
}

static int show(Viewer *viewer, const ViewOptions *view) {
    SnResult result = window_open(viewer, view->size[0], view->size[1], !view->frames);
    if (result.code == SN_OK && view->keys)
        result = keys_press_names(viewer, view->keys);
    if (result.code == SN_OK)
        result = view->frames ? viewer_run_frames(viewer, view->frames) : viewer_run(viewer);
    if (result.code == SN_OK && view->screenshot)
        result = viewer_write(viewer, view->screenshot);
    window_close(viewer);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_OUTPUT;
    }
    return STATUS_OK;
}

int view_command(int argc, char **argv) {
    ViewOptions view = {.size = {VIEW_DEFAULT_WIDTH, VIEW_DEFAULT_HEIGHT}};
    int status;
    if (!parse(&view, &argc, argv, &status))
        return status;
    Viewer viewer = {
        .show = {.skins = STAGE_ALL_SKINS}, .muscle = -1, .def = sn_default_world_def()};
    if (!load_scene(argv[0], stderr, &viewer.scene))
        return STATUS_INPUT;
    viewer.def.thread_count = view.threads ? view.threads : core_count();
    viewer.def.isa = view.isa;
    viewer.shows_keys = !view.frames;
    viewer.keys_until = view.frames ? 0.0 : INFINITY;
    SnResult result = viewer_begin(&viewer);
    if (result.code == SN_OK) {
        status = show(&viewer, &view);
    } else {
        say_error("%s: %s", sn_scene_name(viewer.scene), result.message);
        status = STATUS_INPUT;
    }
    viewer_end(&viewer);
    sn_scene_destroy(viewer.scene);
    return status;
}
