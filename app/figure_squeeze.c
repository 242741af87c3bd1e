// A soft rod between two plates without friction. Its radius follows the plates, s times that at
// rest, and its length grows to λ so that s²λ = 1.
//
// The energy per volume at rest is ½E(λ − 1)² + G(s − 1)² + ½k_v(s²λ − 1)² (eqs 11, 12, 18); λ is
// where it is least. A plate that comes nearer by dr on each side does the work F·2dr, so that
//
//     F = −V/(2r) ∂/∂s = −V/(2r) (2G(s − 1) + 2 k_v s λ (s²λ − 1)),
//
// and at the least energy k_v (s²λ − 1) s² = −E(λ − 1).
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scene.
#define LENGTH 1.0  // m
#define RADIUS 0.1  // m
#define YOUNG 1.0e4 // Pa
#define SHEAR 3.0e3
#define VOLUME 5.0e6
#define TOP_START 0.1 // m, half the gap between the plates at first, and at the end
#define TOP_END 0.075

#define SHOTS 2
#define STEPS_MAX 400

typedef struct Squeeze {
    int count;
    double scale[STEPS_MAX], load[STEPS_MAX], expected[STEPS_MAX];
    double radius_error, volume_error, length;
} Squeeze;

static double expected_load(double s) {
    double ss = s * s, stretch = (YOUNG + VOLUME * ss) / (YOUNG + VOLUME * ss * ss);
    double slope = 2.0 * SHEAR * (s - 1.0) + 2.0 * VOLUME * s * stretch * (ss * stretch - 1.0);
    return -FIGURE_PI * RADIUS * LENGTH / 2.0 * slope;
}

// N on one plate: half of what presses on both.
static double load_of(FigureRun *run) {
    SnContactEvents events = sn_world_contact_events(run->simulation.world);
    double impulse = 0.0;
    for (int i = 0; i < events.contact_count; ++i)
        impulse += (double)events.contacts[i].impulse;
    return 0.5 * impulse / run->simulation.settings.step;
}

static SnResult read_step(FigureRun *run, double gap, Squeeze *squeeze) {
    SnPoses poses;
    SnMeasures measures = sn_world_measure(run->simulation.world);
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK || squeeze->count == STEPS_MAX)
        return result;
    RodPose rod = figure_rod(&poses, 0);
    double scale = (double)rod.scales[rod.vertices / 2];
    squeeze->scale[squeeze->count] = scale;
    squeeze->load[squeeze->count] = load_of(run);
    squeeze->expected[squeeze->count++] = expected_load(scale);
    for (int i = 0; i < rod.vertices; ++i)
        squeeze->radius_error = fmax(squeeze->radius_error, fabs((double)rod.radii[i] / gap - 1.0));
    squeeze->volume_error = fmax(squeeze->volume_error, measures.volume_error_max);
    squeeze->length = (double)(rod.positions[3 * rod.vertices - 3] - rod.positions[0]) / LENGTH;
    return result;
}

static SnResult run_squeeze(FigureRun *run, Squeeze *squeeze, FigureView *view, ViewImage *shots) {
    double step = run->simulation.settings.step, seconds = run->simulation.settings.seconds;
    int count = (int)lround(seconds / step);
    SnResult result = figure_view_draw(view, run, &(FigureLook){.rings = 11}, &shots[0]);
    for (int k = 1; result.code == SN_OK && k <= count; ++k) {
        result = figure_run_to(run, k * step);
        double gap = TOP_START + (TOP_END - TOP_START) * k / count;
        if (result.code == SN_OK)
            result = read_step(run, gap, squeeze);
    }
    return result.code == SN_OK ? figure_view_draw(view, run, &(FigureLook){.rings = 11}, &shots[1])
                                : result;
}

// The worst, relative to the largest, of means over a tenth of a second.
static double load_error(const Squeeze *squeeze) {
    const int window = 6;
    double worst = 0.0, largest = squeeze->expected[squeeze->count - 1];
    for (int i = window; i <= squeeze->count; ++i) {
        double sum = 0.0;
        for (int j = i - window; j < i; ++j)
            sum += squeeze->load[j] - squeeze->expected[j];
        worst = fmax(worst, fabs(sum / window) / largest);
    }
    return worst;
}

static void report(Figure *figure, const Squeeze *squeeze) {
    double s = TOP_END / TOP_START;
    figure_table_begin("squeezed to 0.75 of its radius");
    figure_check_below(figure, "radius against half the gap, worst vertex", squeeze->radius_error,
                       0.01);
    figure_check_near(figure, "length / rest length", squeeze->length, 1.0 / (s * s), 0.01);
    figure_check_below(figure, "volume error, worst segment of all steps", squeeze->volume_error,
                       0.01);
    figure_check_near(figure, "load on a plate at the end, N", squeeze->load[squeeze->count - 1],
                      squeeze->expected[squeeze->count - 1], 0.05);
    figure_check_below(figure, "load, worst of all steps / load at the end", load_error(squeeze),
                       0.05);
}

static SnResult write_picture(const Figure *figure, const Squeeze *squeeze, const FigureView *view,
                              ViewImage *shots) {
    static const char *const captions[] = {"at rest", "squeezed to 0.75 of its radius",
                                           "load against radius"};
    const ViewPlotSeries series[] = {
        {.label = "measured", .count = squeeze->count, .x = squeeze->scale, .y = squeeze->load},
        {.label = "expected",
         .count = squeeze->count,
         .x = squeeze->scale,
         .y = squeeze->expected,
         .style = VIEW_PLOT_DASHES}};
    const ViewPlot plot = {.x = {.label = "radius / rest radius"},
                           .y = {.label = "load on a plate, N"},
                           .series = series,
                           .series_count = 2,
                           .width = view->width,
                           .height = view->height};
    ViewImage images[SHOTS + 1] = {shots[0], shots[1]};
    SnResult result = view_plot_draw(&plot, &images[SHOTS]);
    if (result.code != SN_OK) {
        figure_release(images, SHOTS);
        return result;
    }
    return figure_write_grid(figure, images, captions, SHOTS + 1, SHOTS + 1);
}

SnResult figure_squeeze(Figure *figure) {
    FigureRun run;
    FigureView view = {0};
    static const FigureView size = {.width = 640, .height = 480};
    Squeeze squeeze = {0};
    ViewImage shots[SHOTS] = {{0}};
    SnResult result = figure_run_begin(figure, "squeeze", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(size.width, size.height, &view);
    if (result.code == SN_OK)
        result = run_squeeze(&run, &squeeze, &view, shots);
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code != SN_OK || squeeze.count == 0) {
        figure_release(shots, SHOTS);
        return result;
    }
    report(figure, &squeeze);
    return write_picture(figure, &squeeze, &size, shots);
}
