// Pictures of figures: scenes as they are, in grids with captions, and charts.
#include "app/figure_kit.h"
#include "app/stage.h"

#include "view/png.h"

#include <stdio.h>

SnResult figure_view_begin(int width, int height, FigureView *out_view) {
    *out_view = (FigureView){.width = width, .height = height};
    SnResult result = view_context_create(&out_view->context);
    if (result.code == SN_OK)
        result = view_renderer_create(width, height, &out_view->renderer);
    return result;
}

void figure_view_end(FigureView *view) {
    if (view->renderer)
        view_renderer_destroy(view->renderer);
    if (view->context)
        view_context_destroy(view->context);
    *view = (FigureView){0};
}

static ViewCamera camera_of(const FigureView *view, const SnScene *scene,
                            const ViewBounds *bounds) {
    SnSceneCamera wish = sn_scene_camera(scene, 0.0);
    if (wish.has_position && wish.has_target)
        return (ViewCamera){wish.position, wish.target, wish.fov};
    return view_camera_frame(bounds, (float)view->width / (float)view->height, false);
}

static SnResult draw_moment(FigureView *view, const SnScene *scene, const Moment *moment,
                            const FigureLook *look) {
    const SnPoses *poses = &moment->rods;
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, poses->positions, poses->radii, poses->point_count);
    Stage stage;
    SnResult result = stage_begin(scene, &bounds, &stage);
    for (int i = 0; result.code == SN_OK && i < poses->body_count; ++i) {
        stage.looks[i].stripes = look->stripes;
        stage.looks[i].rings = look->rings;
    }
    if (result.code == SN_OK)
        result = stage_set(&stage, moment, &(StageShow){.skins = STAGE_ALL_SKINS});
    if (result.code == SN_OK) {
        stage.view.peg_count = 0; // figures show rods alone, not what holds them
        ViewCamera camera = camera_of(view, scene, &bounds);
        result = view_renderer_draw(view->renderer, &stage.view, &camera);
    }
    stage_end(&stage);
    return result;
}

SnResult figure_view_draw(FigureView *view, FigureRun *run, const FigureLook *look,
                          ViewImage *out_image) {
    Moment moment = {0};
    SnResult result =
        moment_take(run->scene, run->simulation.world, simulation_time(&run->simulation), &moment);
    if (result.code == SN_OK)
        result = draw_moment(view, run->scene, &moment, look);
    moment_release(&moment);
    return result.code == SN_OK ? view_renderer_read(view->renderer, out_image) : result;
}

static SnResult picture_path(const Figure *figure, char *path, size_t size) {
    int length = snprintf(path, size, "%s/%s.png", figure->folder, figure->name);
    if (length < 0 || (size_t)length >= size)
        return sn_error(SN_ERROR_FILE, "figure: the folder %.80s... is too long", figure->folder);
    return sn_ok();
}

void figure_release(ViewImage *images, int count) {
    for (int i = 0; i < count; ++i)
        view_image_release(&images[i]);
}

SnResult figure_write_grid(const Figure *figure, ViewImage *images, const char *const *captions,
                           int count, int columns) {
    char path[512];
    ViewImage sheet = {0};
    SnResult result = picture_path(figure, path, sizeof path);
    if (result.code == SN_OK)
        result = view_image_grid(images, captions, count, columns, &sheet);
    if (result.code == SN_OK)
        result = view_png_write(path, &sheet);
    view_image_release(&sheet);
    figure_release(images, count);
    return result;
}

SnResult figure_write_plot(const Figure *figure, const ViewPlot *plot) {
    char path[512];
    SnResult result = picture_path(figure, path, sizeof path);
    return result.code == SN_OK ? view_plot_write(path, plot) : result;
}
