// The state of `sinew view`: a scene in motion, and a window that shows it.
#pragma once

#include "app/simulation.h"
#include "app/stage.h"
#include "app/view_drag.h"
#include "view/overlay.h"
#include "view/pace.h"

typedef struct GLFWwindow GLFWwindow;

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_DRAG } MouseMode;

typedef struct Mouse {
    MouseMode mode;
    double x, y; // in the window
} Mouse;

typedef struct Viewer {
    SnScene *scene; // not owned
    SnWorldDef def; // of its worlds
    Simulation simulation;
    Moment moment; // what is shown
    Stage stage;
    StageShow show;
    ViewPace pace;
    bool paused, single_step, wants_reset;
    bool shows_statistics, shows_keys;
    int muscle; // the body whose readings as a muscle are shown; -1: none
    // s of wall time: when the keys go away by themselves. 0: they stay; infinite: some time after
    // the start.
    double keys_until;

    GLFWwindow *window;
    ViewRenderer *renderer;
    ViewOverlay *statistics_panel, *keys_panel, *state_panel, *muscle_panel;
    char statistics[1024]; // as they were measured last
    double statistics_time;
    ViewCamera camera;
    bool camera_is_free; // moved by hand; until then it does what the scene says
    Mouse mouse;
    Drag drag;
} Viewer;

// A world at its start, of the scene and definition that are set. Fine to end after a failure.
SnResult viewer_begin(Viewer *viewer);
void viewer_end(Viewer *viewer);
// Shows it in the open window until that is closed: at the pace of the wall clock, or a number of
// frames at the scene's fps, as fast as it goes.
SnResult viewer_run(Viewer *viewer);
SnResult viewer_run_frames(Viewer *viewer, int frames);
// The last picture, panels included.
SnResult viewer_write(Viewer *viewer, const char *path);
void viewer_frame_camera(Viewer *viewer);

// view_window.c: the window, and what it hears.
SnResult window_open(Viewer *viewer, int width, int height, bool paced);
void window_close(Viewer *viewer); // fine after a window_open that failed, too
bool window_should_close(const Viewer *viewer);
// Hears what happened since the last call. `idle`: nothing is to be drawn, so it may wait for it.
void window_listen(Viewer *viewer, bool idle);
// Of the picture in pixels; false while there is nothing to draw on.
bool window_size(const Viewer *viewer, int *out_width, int *out_height);
float window_text_size(const Viewer *viewer);
void window_show(Viewer *viewer);

// view_keys.c: what keys do.
void keys_press(Viewer *viewer, int key); // one of GLFW's
// Presses keys by name, "space,1,f1"; an error names the one it does not know. Without a viewer it
// only looks whether all are known.
SnResult keys_press_names(Viewer *viewer, const char *names);
void keys_describe(char *text, size_t size);

// view_mouse.c: what the mouse does.
void mouse_press(Viewer *viewer, bool left, bool shift);
void mouse_release(Viewer *viewer);
void mouse_move(Viewer *viewer, double x, double y);
void mouse_scroll(Viewer *viewer, double lines);

// view_text.c: what stands in the panels.
void text_statistics(const Viewer *viewer, char *text, size_t size);
void text_state(const Viewer *viewer, char *text, size_t size);
void text_muscle(const Viewer *viewer, char *text, size_t size); // empty where none is chosen
