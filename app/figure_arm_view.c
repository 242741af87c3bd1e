// Pictures of an arm in four ways: the surfaces of its muscles, the rods inside them, the pills that
// these are, and the skin over it all.
#include "app/figure_arm.h"
#include "app/stage.h"

#include <stdlib.h>

#define SLENDER 0.62f // of a rod's own radius, so that rods are seen apart

const char *const arm_view_names[ARM_VIEWS] = {"mesh", "rods", "bundles", "skin"};

// Fibres as rods of their own, in the layout of ViewRods.
typedef struct Fibres {
    int count;
    int *vertex_begin, *segment_begin;
    float *radii;
    ViewLook *looks;
} Fibres;

static void release(Fibres *fibres) {
    free(fibres->vertex_begin);
    free(fibres->segment_begin);
    free(fibres->radii);
    free(fibres->looks);
}

// Every second fibre is lighter.
static ViewLook shade(ViewLook look, int fibre) {
    for (int c = 0; c < 3; ++c)
        look.colour[c] += fibre % 2 ? 0.45f * (1.0f - look.colour[c]) : 0.0f;
    look.rings = 10;
    return look;
}

// A chain begins where an edge does not go on from the one before.
static SnResult split(const SnPoses *poses, const ViewLook *looks, Fibres *out) {
    size_t most = (size_t)poses->element_count + 1;
    *out = (Fibres){.vertex_begin = malloc(most * sizeof(int)),
                    .segment_begin = malloc(most * sizeof(int)),
                    .radii = malloc((size_t)poses->point_count * sizeof(float) + 1),
                    .looks = malloc(most * sizeof(ViewLook))};
    if (!out->vertex_begin || !out->segment_begin || !out->radii || !out->looks)
        return sn_error(SN_ERROR_MEMORY, "figure: no memory for %zu fibres", most);
    for (int i = 0; i < poses->point_count; ++i)
        out->radii[i] = SLENDER * poses->radii[i];
    for (int body = 0; body < poses->body_count; ++body)
        for (int j = poses->element_begin[body], n = 0; j < poses->element_begin[body + 1]; ++j) {
            const int *edge = poses->edges + 2 * j;
            if (j > poses->element_begin[body] && edge[0] == edge[-1])
                continue;
            out->vertex_begin[out->count] = poses->point_begin[body] + edge[0];
            out->segment_begin[out->count] = j;
            out->looks[out->count++] = shade(looks[body], n++);
        }
    out->vertex_begin[out->count] = poses->point_count;
    out->segment_begin[out->count] = poses->element_count;
    return sn_ok();
}

static SnResult draw_stage(FigureView *view, Stage *stage, double time) {
    ViewBounds bounds = stage->view.bounds;
    ViewCamera framed = view_camera_frame(&bounds, (float)view->width / (float)view->height, false);
    ViewCamera camera = stage_camera(stage->scene, &framed, time);
    stage->view.peg_count = 0;
    return view_renderer_draw(view->renderer, &stage->view, &camera);
}

static SnResult draw_moment(FigureView *view, const Moment *moment, int which, Stage *stage) {
    const StageSkins skins[ARM_VIEWS] = {STAGE_INNER_SKINS, STAGE_NO_SKINS, STAGE_NO_SKINS,
                                         STAGE_ALL_SKINS};
    const StageShow show = {.skins = skins[which]};
    Fibres fibres = {0};
    SnResult result = stage_set(stage, moment, &show);
    for (int i = 0; i < stage->view.mesh_count; ++i)
        stage->meshes[i].look.clear = 0.0f;
    if (result.code == SN_OK && which == ARM_RODS) {
        result = split(&moment->rods, stage->looks, &fibres);
        ViewRods *rods = &stage->view.rods;
        rods->count = fibres.count;
        rods->vertex_begin = fibres.vertex_begin;
        rods->segment_begin = fibres.segment_begin;
        rods->radii = fibres.radii;
        rods->looks = fibres.looks;
        rods->edges = NULL;
    }
    if (result.code == SN_OK)
        result = draw_stage(view, stage, moment->time);
    release(&fibres);
    return result;
}

SnResult arm_draw(FigureView *view, FigureRun *run, int which, ViewImage *out_image) {
    Moment moment = {0};
    Stage stage = {0};
    SnResult result =
        moment_take(run->scene, run->simulation.world, simulation_time(&run->simulation), &moment);
    if (result.code == SN_OK) {
        const SnPoses *poses = &moment.rods;
        ViewBounds bounds = view_bounds_empty();
        view_bounds_add(&bounds, poses->positions, poses->radii, poses->point_count);
        result = stage_begin(run->scene, &bounds, &stage);
        if (result.code == SN_OK)
            result = draw_moment(view, &moment, which, &stage);
        stage_end(&stage);
    }
    moment_release(&moment);
    return result.code == SN_OK ? view_renderer_read(view->renderer, out_image) : result;
}
