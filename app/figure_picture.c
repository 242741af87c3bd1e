// Pictures of figures: rods as they are, in grids with captions, and charts.
#include "app/figure_kit.h"
#include "app/picture.h"

#include "base/result.h"
#include "view/png.h"

#include <stdio.h>
#include <stdlib.h>

SnResult figure_view_begin(int width, int height, FigureView *out_view) {
    *out_view = (FigureView){.width = width, .height = height};
    SnResult result = snv_context_create(&out_view->context);
    if (result.code == SN_OK) {
        result = snv_renderer_create(width, height, &out_view->renderer);
    }
    return result;
}

void figure_view_end(FigureView *view) {
    if (view->renderer) {
        snv_renderer_destroy(view->renderer);
    }
    if (view->context) {
        snv_context_destroy(view->context);
    }
    *view = (FigureView){0};
}

static SnvLook *make_looks(const SnScene *scene, int count, const FigureLook *look) {
    SnvLook *looks = calloc((size_t)count + 1, sizeof *looks);
    for (int i = 0; looks && i < count; i++) {
        looks[i] = snv_palette(i);
        picture_srgb(sn_scene_rod_colour(scene, i), looks[i].colour);
        looks[i].stripes = look->stripes;
        looks[i].rings = look->rings;
    }
    return looks;
}

static SnvCamera camera_of(const FigureView *view, const SnScene *scene, const SnPoses *poses) {
    SnSceneCamera wish = sn_scene_camera(scene, 0.0);
    if (wish.has_position && wish.has_target) {
        return (SnvCamera){wish.position, wish.target, wish.fov};
    }
    SnvBounds bounds = snv_bounds_empty();
    snv_bounds_add(&bounds, poses->positions, poses->radii, poses->vertex_count);
    return snv_camera_frame(&bounds, (float)view->width / (float)view->height, false);
}

static SnResult draw_poses(FigureView *view, const SnScene *scene, const SnPoses *poses,
                           const SnvLook *looks) {
    SnSceneLook ground = sn_scene_look(scene);
    SnvScene shown = snv_default_scene();
    shown.has_ground = ground.has_ground;
    shown.ground_height = ground.ground_height;
    shown.rods = (SnvRods){.count = poses->rod_count,
                           .vertex_begin = poses->vertex_begin,
                           .segment_begin = poses->segment_begin,
                           .positions = poses->positions,
                           .radii = poses->radii,
                           .frames = poses->frames,
                           .looks = looks};
    SnvCamera camera = camera_of(view, scene, poses);
    return snv_renderer_draw(view->renderer, &shown, &camera);
}

SnResult figure_view_draw(FigureView *view, FigureRun *run, const FigureLook *look,
                          SnvImage *out_image) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK) {
        return result;
    }
    SnvLook *looks = make_looks(run->scene, poses.rod_count, look);
    if (!looks) {
        return sn__error(SN_ERROR_MEMORY, "figure: no memory for the looks of %d rods",
                         poses.rod_count);
    }
    result = draw_poses(view, run->scene, &poses, looks);
    free(looks);
    return result.code == SN_OK ? snv_renderer_read(view->renderer, out_image) : result;
}

static SnResult picture_path(const Figure *figure, char *path, size_t size) {
    int length = snprintf(path, size, "%s/%s.png", figure->folder, figure->name);
    if (length < 0 || (size_t)length >= size) {
        return sn__error(SN_ERROR_FILE, "figure: the folder %.80s... is too long", figure->folder);
    }
    return sn__ok();
}

SnResult figure_write_grid(const Figure *figure, SnvImage *images, const char *const *captions,
                           int count, int columns) {
    char path[512];
    SnvImage sheet = {0};
    SnResult result = picture_path(figure, path, sizeof path);
    if (result.code == SN_OK) {
        result = snv_image_grid(images, captions, count, columns, &sheet);
    }
    if (result.code == SN_OK) {
        result = snv_png_write(path, &sheet);
    }
    snv_image_release(&sheet);
    for (int i = 0; i < count; i++) {
        snv_image_release(&images[i]);
    }
    return result;
}

SnResult figure_write_plot(const Figure *figure, const SnvPlot *plot) {
    char path[512];
    SnResult result = picture_path(figure, path, sizeof path);
    return result.code == SN_OK ? snv_plot_write(path, plot) : result;
}
