#include "app/figure_kit.h"

#include "app/interrupt.h"

#include <math.h>
#include <stdio.h>

void figure_table_begin(const char *title) {
    printf("%s\n  %-50s %12s %12s %9s %9s\n", title, "", "measured", "expected", "error",
           "allowed");
}

static void finish_row(Figure *figure, const char *what, bool good) {
    printf("  %s\n", good ? "ok" : "FAIL");
    if (!good && figure->why[0] == '\0')
        snprintf(figure->why, sizeof figure->why, "%s", what);
}

void figure_check_near(Figure *figure, const char *what, double measured, double expected,
                       double tolerance) {
    double error = measured / expected - 1.0;
    printf("  %-50s %12.6g %12.6g %8.3f%% %8.3g%%", what, measured, expected, 100.0 * error,
           100.0 * tolerance);
    finish_row(figure, what, fabs(error) <= tolerance);
}

void figure_check_below(Figure *figure, const char *what, double measured, double limit) {
    char bound[32];
    snprintf(bound, sizeof bound, "<= %.4g", limit);
    printf("  %-50s %12.6g %12s %9s %9s", what, measured, bound, "", "");
    finish_row(figure, what, measured <= limit);
}

void figure_table_note(const char *what, double measured, const char *unit) {
    printf("  %-50s %12.6g %s\n", what, measured, unit);
}

SnResult figure_run_begin(const Figure *figure, const char *scene, FigureRun *out_run) {
    *out_run = (FigureRun){0};
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%s.json", figure->scenes, scene);
    if (length < 0 || (size_t)length >= sizeof path)
        return sn_error(SN_ERROR_INVALID, "figure: the folder %.80s... is too long",
                        figure->scenes);
    SnResult result = sn_scene_load_file(path, &out_run->scene, NULL);
    if (result.code != SN_OK)
        return result;
    SnWorldDef def = sn_default_world_def();
    def.thread_count = figure->threads;
    if (def.thread_count == FIGURE_THREADS_AUTO) // a few rods leave nothing to share
        def.thread_count = sn_scene_body_count(out_run->scene) < 32 ? 1 : 0;
    result = simulation_begin(out_run->scene, &def, &out_run->simulation);
    SnSceneSettings settings = out_run->simulation.settings;
    figure_run_set_steps(out_run, settings.step, settings.substeps, settings.iterations);
    return result;
}

void figure_run_end(FigureRun *run) {
    if (run->simulation.world)
        simulation_end(&run->simulation);
    sn_scene_destroy(run->scene);
    *run = (FigureRun){0};
}

void figure_run_set_steps(FigureRun *run, double step, int substeps, int iterations) {
    SnSceneSettings *settings = &run->simulation.settings;
    settings->step = step;
    settings->fps = 1.0 / step; // every step is a frame that can be asked for
    settings->substeps = substeps;
    settings->iterations = iterations;
}

static bool stop_when_interrupted(void *context) {
    (void)context;
    return interrupted();
}

SnResult figure_run_to(FigureRun *run, double time) {
    bool reached;
    int frame = (int)lround(time / run->simulation.settings.step);
    SnResult result =
        simulation_to_frame(&run->simulation, frame, stop_when_interrupted, NULL, &reached);
    if (result.code == SN_OK && !reached)
        return sn_error(SN_ERROR_INVALID, "interrupted at %.3g s of %.3g s",
                        simulation_time(&run->simulation), time);
    return result;
}

SnResult figure_run_poses(FigureRun *run, SnPoses *out_poses) {
    return sn_world_poses(run->simulation.world, out_poses);
}

double figure_energy(const SnMeasures *m) {
    return m->energy_elastic + m->energy_kinetic + m->energy_gravity;
}

SnVec3 figure_between(const float *positions, int i, int j) {
    const float *a = positions + 3 * i, *b = positions + 3 * j;
    return sn_vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

double figure_length(SnVec3 v) {
    double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return sqrt(x * x + y * y + z * z);
}

RodPose figure_rod(const SnPoses *poses, int rod) {
    int vertex = poses->point_begin[rod], segment = poses->element_begin[rod];
    return (RodPose){.vertices = poses->point_begin[rod + 1] - vertex,
                     .segments = poses->element_begin[rod + 1] - segment,
                     .positions = poses->positions + 3 * vertex,
                     .radii = poses->radii + vertex,
                     .scales = poses->scales + vertex,
                     .frames = poses->frames + 4 * segment};
}
