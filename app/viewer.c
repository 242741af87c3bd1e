#include "app/viewer.h"

#include "app/seen.h"
#include "view/png.h"
#include "view/vec.h"

#define KEYS_SHOWN 8.0       // s at the start
#define STATISTICS_EVERY 0.3 // s
#define STEPS_AT_LEAST 0.05  // s of a picture's time that steps may take

static SnResult take_moment(Viewer *viewer) {
    return moment_take(viewer->scene, viewer->simulation.world,
                       simulation_time(&viewer->simulation), &viewer->moment);
}

// The bodies with their skins, what is near them, and the ground below them if they may fall on it.
static ViewBounds bounds_now(const Viewer *viewer) {
    const SnPoses *poses = &viewer->moment.rods;
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, poses->positions, poses->radii, poses->point_count);
    seen_add_pegs(viewer->stage.holders.pegs, viewer->stage.holders.count, &bounds);
    actors_bounds(&viewer->stage.actors, &bounds);
    const SnSkinPoses *skins = &viewer->moment.skins;
    seen_add_surface(skins->positions, skins->vertex_count, &bounds);
    seen_add_scenery(viewer->scene, viewer->simulation.world, &bounds);
    return bounds;
}

static float aspect_of(const Viewer *viewer) {
    int width, height;
    return window_size(viewer, &width, &height) ? (float)width / (float)height : 1.0f;
}

void viewer_frame_camera(Viewer *viewer) {
    ViewBounds bounds = bounds_now(viewer);
    viewer->camera = view_camera_frame(&bounds, aspect_of(viewer), false);
    viewer->camera_is_free = true;
}

static SnResult begin(Viewer *viewer) {
    SnResult result = simulation_begin(viewer->scene, &viewer->def, &viewer->simulation);
    return result.code == SN_OK ? take_moment(viewer) : result;
}

static SnResult restart(Viewer *viewer) {
    viewer->wants_reset = false;
    viewer->pace.owed = 0.0;
    mouse_release(viewer); // its link goes with the world
    simulation_end(&viewer->simulation);
    return begin(viewer);
}

static SnResult step(Viewer *viewer) {
    drag_apply(&viewer->drag, viewer->simulation.world);
    return simulation_step(&viewer->simulation);
}

// Steps that follow the wall clock, as long as there is time for them.
static SnResult advance(Viewer *viewer, double wall) {
    double length = viewer->simulation.settings.step, start = sn_now_ms();
    double budget = 1.0e3 * fmax(STEPS_AT_LEAST, 0.5 * wall);
    SnResult result = sn_ok();
    view_pace_begin_frame(&viewer->pace, wall, !viewer->paused);
    if (viewer->single_step) {
        viewer->single_step = false;
        return step(viewer);
    }
    while (result.code == SN_OK && sn_now_ms() - start < budget &&
           view_pace_take_step(&viewer->pace, length))
        result = step(viewer);
    view_pace_end_steps(&viewer->pace, length);
    return result;
}

// From one frame of a screenshot's run to the next.
static SnResult advance_to_frame(Viewer *viewer, int frame) {
    const SnSceneSettings *settings = &viewer->simulation.settings;
    SnResult result = sn_ok();
    if (viewer->single_step) {
        viewer->single_step = false;
        return step(viewer);
    }
    double due = frame / settings->fps;
    while (!viewer->paused && result.code == SN_OK &&
           simulation_time(&viewer->simulation) + 0.5 * settings->step < due)
        result = step(viewer);
    return result;
}

static SnResult draw_panels(Viewer *viewer) {
    float size = window_text_size(viewer);
    double now = 1.0e-3 * sn_now_ms();
    char keys[1024] = "", state[128], muscle[256];
    SnResult result = sn_ok();
    if (viewer->shows_statistics) {
        if (now - viewer->statistics_time > STATISTICS_EVERY) {
            text_statistics(viewer, viewer->statistics, sizeof viewer->statistics);
            viewer->statistics_time = now;
        }
        result = view_overlay_draw(viewer->statistics_panel, viewer->renderer, viewer->statistics,
                                   VIEW_TOP_LEFT, size);
    }
    if (viewer->keys_until > 0.0 && now > viewer->keys_until)
        viewer->shows_keys = false;
    if (viewer->shows_keys && result.code == SN_OK) {
        keys_describe(keys, sizeof keys);
        result =
            view_overlay_draw(viewer->keys_panel, viewer->renderer, keys, VIEW_TOP_RIGHT, size);
    }
    text_muscle(viewer, muscle, sizeof muscle);
    if (result.code == SN_OK)
        result = view_overlay_draw(viewer->muscle_panel, viewer->renderer, muscle,
                                   VIEW_BOTTOM_RIGHT, size);
    text_state(viewer, state, sizeof state);
    return result.code == SN_OK ? view_overlay_draw(viewer->state_panel, viewer->renderer, state,
                                                    VIEW_BOTTOM_LEFT, size)
                                : result;
}

static SnResult draw(Viewer *viewer) {
    int width, height;
    if (!window_size(viewer, &width, &height))
        return sn_ok();
    SnResult result = view_renderer_resize(viewer->renderer, width, height);
    if (result.code == SN_OK)
        result = take_moment(viewer);
    if (result.code == SN_OK)
        result = stage_set(&viewer->stage, &viewer->moment, &viewer->show);
    if (!viewer->camera_is_free) {
        ViewCamera framed =
            view_camera_frame(&viewer->stage.view.bounds, (float)width / (float)height, false);
        viewer->camera = stage_camera(viewer->scene, &framed, viewer->moment.time);
    }
    if (result.code == SN_OK)
        result = view_renderer_draw(viewer->renderer, &viewer->stage.view, &viewer->camera);
    return result.code == SN_OK ? draw_panels(viewer) : result;
}

SnResult viewer_run(Viewer *viewer) {
    SnResult result = draw(viewer); // the first takes long, and is not worth catching up with
    double before = sn_now_ms();
    if (isinf(viewer->keys_until))
        viewer->keys_until = 1.0e-3 * before + KEYS_SHOWN;
    while (result.code == SN_OK && !window_should_close(viewer)) {
        int width, height;
        window_listen(viewer, !window_size(viewer, &width, &height));
        double now = sn_now_ms();
        result = viewer->wants_reset ? restart(viewer) : sn_ok();
        if (result.code == SN_OK)
            result = advance(viewer, 1.0e-3 * (now - before));
        before = now;
        if (result.code == SN_OK)
            result = draw(viewer);
        if (result.code == SN_OK)
            window_show(viewer);
    }
    return result;
}

SnResult viewer_run_frames(Viewer *viewer, int frames) {
    SnResult result = sn_ok();
    for (int frame = 0; frame < frames && result.code == SN_OK && !window_should_close(viewer);
         ++frame) {
        window_listen(viewer, false);
        result = viewer->wants_reset ? restart(viewer) : sn_ok();
        if (result.code == SN_OK)
            result = advance_to_frame(viewer, frame);
        if (result.code == SN_OK)
            result = draw(viewer);
        if (result.code == SN_OK)
            window_show(viewer);
    }
    return result;
}

SnResult viewer_write(Viewer *viewer, const char *path) {
    ViewImage image = {0};
    SnResult result = view_renderer_read(viewer->renderer, &image);
    if (result.code == SN_OK)
        result = view_png_write(path, &image);
    view_image_release(&image);
    return result;
}

// What the scene holds at its start is what the camera and the shadows are made for.
static SnResult begin_stage(Viewer *viewer) {
    ViewBounds nothing = view_bounds_empty();
    SnResult result = stage_begin(viewer->scene, &nothing, &viewer->stage);
    if (result.code == SN_OK)
        result = stage_set(&viewer->stage, &viewer->moment, &viewer->show);
    ViewBounds bounds = bounds_now(viewer);
    stage_end(&viewer->stage);
    return result.code == SN_OK ? stage_begin(viewer->scene, &bounds, &viewer->stage) : result;
}

SnResult viewer_begin(Viewer *viewer) {
    SnResult result = begin(viewer);
    return result.code == SN_OK ? begin_stage(viewer) : result;
}

void viewer_end(Viewer *viewer) {
    stage_end(&viewer->stage);
    moment_release(&viewer->moment);
    if (viewer->simulation.world)
        simulation_end(&viewer->simulation);
}
