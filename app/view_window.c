// The window of the viewer: GLFW, with the same renderer as pictures have.
#include "app/viewer.h"

#include <epoxy/gl.h>
// After epoxy, which brings OpenGL.
#include <GLFW/glfw3.h>

#include <math.h>
#include <stdio.h>

#define TEXT_SIZE 10.0f // height of a capital, in pixels of a plain display
#define SMALLEST_TEXT 4.5f
#define LINES_OF_TEXT 38.0f // heights of capitals that a window has room for, at least

static SnResult window_error(const char *what) {
    const char *why = NULL;
    glfwGetError(&why);
    return sn_error(SN_ERROR_INVALID, "view: %s: %s", what, why ? why : "no reason given");
}

static Viewer *viewer_of(GLFWwindow *window) { return glfwGetWindowUserPointer(window); }

static void on_key(GLFWwindow *window, int key, int code, int action, int modifiers) {
    (void)code;
    (void)modifiers;
    bool repeats = key == GLFW_KEY_PERIOD || key == GLFW_KEY_RIGHT;
    if (action == GLFW_PRESS || (action == GLFW_REPEAT && repeats))
        keys_press(viewer_of(window), key);
}

static void on_button(GLFWwindow *window, int button, int action, int modifiers) {
    if (action == GLFW_PRESS)
        mouse_press(viewer_of(window), button == GLFW_MOUSE_BUTTON_LEFT,
                    modifiers & GLFW_MOD_SHIFT);
    else
        mouse_release(viewer_of(window));
}

static void on_move(GLFWwindow *window, double x, double y) { mouse_move(viewer_of(window), x, y); }

static void on_scroll(GLFWwindow *window, double columns, double lines) {
    (void)columns;
    mouse_scroll(viewer_of(window), lines);
}

static SnResult create_drawing(Viewer *viewer) {
    int width, height;
    glfwGetFramebufferSize(viewer->window, &width, &height);
    SnResult result = view_renderer_create(width, height, &viewer->renderer);
    ViewOverlay **panels[] = {&viewer->statistics_panel, &viewer->keys_panel, &viewer->state_panel,
                              &viewer->muscle_panel};
    for (int i = 0; i < 4 && result.code == SN_OK; ++i)
        result = view_overlay_create(panels[i]);
    return result;
}

SnResult window_open(Viewer *viewer, int width, int height, bool paced) {
    if (!glfwInit())
        return window_error("no display");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    char title[160];
    snprintf(title, sizeof title, "%s - sinew", sn_scene_name(viewer->scene));
    viewer->window = glfwCreateWindow(width, height, title, NULL, NULL);
    if (viewer->window == NULL)
        return window_error("no window with OpenGL 3.3");
    glfwMakeContextCurrent(viewer->window);
    glfwSwapInterval(paced ? 1 : 0);
    glfwSetWindowUserPointer(viewer->window, viewer);
    glfwSetKeyCallback(viewer->window, on_key);
    glfwSetMouseButtonCallback(viewer->window, on_button);
    glfwSetCursorPosCallback(viewer->window, on_move);
    glfwSetScrollCallback(viewer->window, on_scroll);
    glfwGetCursorPos(viewer->window, &viewer->mouse.x, &viewer->mouse.y);
    return create_drawing(viewer);
}

void window_close(Viewer *viewer) {
    if (viewer->window) {
        view_overlay_destroy(viewer->statistics_panel);
        view_overlay_destroy(viewer->keys_panel);
        view_overlay_destroy(viewer->state_panel);
        view_overlay_destroy(viewer->muscle_panel);
        view_renderer_destroy(viewer->renderer);
        glfwDestroyWindow(viewer->window);
    }
    glfwTerminate();
}

bool window_should_close(const Viewer *viewer) { return glfwWindowShouldClose(viewer->window); }

void window_listen(Viewer *viewer, bool idle) {
    (void)viewer;
    if (idle)
        glfwWaitEventsTimeout(0.1);
    else
        glfwPollEvents();
}

bool window_size(const Viewer *viewer, int *out_width, int *out_height) {
    glfwGetFramebufferSize(viewer->window, out_width, out_height);
    return *out_width >= 16 && *out_height >= 16;
}

// Smaller in small windows, so that the longest panel fits.
float window_text_size(const Viewer *viewer) {
    float x = 1.0f, y = 1.0f;
    int width, height;
    glfwGetWindowContentScale(viewer->window, &x, &y);
    glfwGetFramebufferSize(viewer->window, &width, &height);
    return fmaxf(fminf(TEXT_SIZE * fmaxf(y, 1.0f), (float)height / LINES_OF_TEXT), SMALLEST_TEXT);
}

void window_show(Viewer *viewer) {
    view_renderer_show(viewer->renderer);
    glfwSwapBuffers(viewer->window);
}
