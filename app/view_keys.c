// What keys do: one table for pressing, naming and explaining them.
#include "app/viewer.h"

#include "app/options.h"

#include <GLFW/glfw3.h>

#include <sinew/muscle.h>

#include <stdio.h>
#include <string.h>

static void toggle_pause(Viewer *viewer) { viewer->paused = !viewer->paused; }

static void step_once(Viewer *viewer) { viewer->paused = viewer->single_step = true; }

static void reset(Viewer *viewer) { viewer->wants_reset = true; }

static bool has_outer_skins(const SnScene *scene) {
    for (int i = 0; i < sn_scene_skin_count(scene); ++i)
        if (sn_scene_skin(scene, i).outer)
            return true;
    return false;
}

// All of them, then without those that lie over others, if there are any, then none.
static void next_skins(Viewer *viewer) {
    StageSkins *skins = &viewer->show.skins;
    if (*skins == STAGE_NO_SKINS)
        *skins = STAGE_ALL_SKINS;
    else if (*skins == STAGE_ALL_SKINS && has_outer_skins(viewer->scene))
        *skins = STAGE_INNER_SKINS;
    else
        *skins = STAGE_NO_SKINS;
}

static void toggle_pills(Viewer *viewer) { viewer->show.pills = !viewer->show.pills; }

static void toggle_frames(Viewer *viewer) { viewer->show.frames = !viewer->show.frames; }

static void toggle_contacts(Viewer *viewer) { viewer->show.contacts = !viewer->show.contacts; }

static void go_faster(Viewer *viewer) { viewer->pace.speed += viewer->pace.speed < VIEW_FASTEST; }

static void go_slower(Viewer *viewer) { viewer->pace.speed -= viewer->pace.speed > VIEW_SLOWEST; }

static void toggle_statistics(Viewer *viewer) {
    viewer->shows_statistics = !viewer->shows_statistics;
    viewer->statistics_time = 0.0; // measured at once
}

// The muscle behind the one that is chosen, and behind the last none.
static void next_muscle(Viewer *viewer) {
    const SnPoses *poses = &viewer->moment.rods;
    do {
        ++viewer->muscle;
    } while (viewer->muscle < poses->body_count &&
             !sn_body_is_muscle(viewer->simulation.world, poses->bodies[viewer->muscle]));
    viewer->muscle = viewer->muscle < poses->body_count ? viewer->muscle : -1;
}

static void toggle_keys(Viewer *viewer) {
    viewer->shows_keys = !viewer->shows_keys;
    viewer->keys_until = 0.0;
}

static void quit(Viewer *viewer) { glfwSetWindowShouldClose(viewer->window, GLFW_TRUE); }

typedef struct KeyEntry {
    const char *name;
    int key;
    void (*act)(Viewer *viewer);
    const char *label, *help; // NULL: told with the one before
} KeyEntry;

static const KeyEntry keys[] = {
    {"space", GLFW_KEY_SPACE, toggle_pause, "space", "pause, go on"},
    {"period", GLFW_KEY_PERIOD, step_once, ". or right", "one step"},
    {"right", GLFW_KEY_RIGHT, step_once, NULL, NULL},
    {"r", GLFW_KEY_R, reset, "R", "back to the start"},
    {"1", GLFW_KEY_1, next_skins, "1", "skins"},
    {"2", GLFW_KEY_2, toggle_pills, "2", "pills: what collides"},
    {"3", GLFW_KEY_3, toggle_frames, "3", "frames of segments"},
    {"4", GLFW_KEY_4, toggle_contacts, "4", "contacts"},
    {"plus", GLFW_KEY_EQUAL, go_faster, "+ and -", "faster, slower"},
    {"plus", GLFW_KEY_KP_ADD, go_faster, NULL, NULL},
    {"minus", GLFW_KEY_MINUS, go_slower, NULL, NULL},
    {"minus", GLFW_KEY_KP_SUBTRACT, go_slower, NULL, NULL},
    {"m", GLFW_KEY_M, next_muscle, "M", "readings of the next muscle"},
    {"s", GLFW_KEY_S, toggle_statistics, "S", "statistics"},
    {"f", GLFW_KEY_F, viewer_frame_camera, "F", "frame the camera"},
    {"h", GLFW_KEY_H, toggle_keys, "H or F1", "these keys"},
    {"f1", GLFW_KEY_F1, toggle_keys, NULL, NULL},
    {"esc", GLFW_KEY_ESCAPE, quit, "esc", "quit"},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

void keys_press(Viewer *viewer, int key) {
    for (int i = 0; i < KEY_COUNT; ++i)
        if (keys[i].key == key) {
            keys[i].act(viewer);
            return;
        }
}

static SnResult press_name(Viewer *viewer, const char *name) {
    const char *names[KEY_COUNT];
    for (int i = 0; i < KEY_COUNT; ++i) {
        names[i] = keys[i].name;
        if (strcmp(name, keys[i].name) == 0) {
            if (viewer)
                keys[i].act(viewer);
            return sn_ok();
        }
    }
    char hint[80];
    options_suggest(hint, sizeof hint, name, "", names, KEY_COUNT);
    return sn_error(SN_ERROR_INVALID, "--keys: no key is called \"%s\"%s", name, hint);
}

SnResult keys_press_names(Viewer *viewer, const char *names) {
    SnResult result = sn_ok();
    while (*names && result.code == SN_OK) {
        char name[16];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 15 ? length : 15), names);
        result = press_name(viewer, name);
        names += length;
        names += *names == ',';
    }
    return result;
}

void keys_describe(char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s",
                                   "left mouse\tdrag a body, or turn\n"
                                   "right mouse\tmove (or shift and left)\n"
                                   "wheel\tzoom\n");
    for (int i = 0; i < KEY_COUNT && used < size; ++i)
        if (keys[i].label)
            used +=
                (size_t)snprintf(text + used, size - used, "%s\t%s\n", keys[i].label, keys[i].help);
}
