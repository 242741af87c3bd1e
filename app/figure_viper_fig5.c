// Figure 5 of the VIPER paper: rods stretched to 1.5 and compressed to 0.7 of their length between
// two clamps, beside classic rods that do the same.
//
// A rod that keeps its volume has the radius 1/√λ at stretch λ. The cross-section (eq. 12) resists
// that, 2G (s − 1) against 2 k_v (s²λ − 1) s λ of eq. 18, which leaves a volume error of about
// G (1 − s) / (k_v s λ); with k_v = 100 G it is 0.15 % and 0.23 % here.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

enum { VOLUME_ROD, CLASSIC_ROD }; // in the scenes

typedef struct Case {
    const char *scene, *verb;
    double stretch;
    double scale; // measured at mid-rod
} Case;

// The largest distance of the rod's middle line from the straight line between its clamps.
static double sideways(RodPose rod) {
    double largest = 0.0;
    for (int i = 0; i < rod.vertices; ++i) {
        double y = (double)(rod.positions[3 * i + 1] - rod.positions[1]);
        double z = (double)(rod.positions[3 * i + 2] - rod.positions[2]);
        largest = fmax(largest, hypot(y, z));
    }
    return largest;
}

static double length_between_ends(RodPose rod) {
    return (double)(rod.positions[3 * (rod.vertices - 1)] - rod.positions[0]);
}

static SnResult check(Figure *figure, FigureRun *run, Case *c, double rest_length) {
    SnPoses poses;
    SnMeasures measures = {0};
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK)
        return result;
    RodPose volume = figure_rod(&poses, VOLUME_ROD), classic = figure_rod(&poses, CLASSIC_ROD);
    c->scale = (double)volume.scales[volume.vertices / 2];
    double classic_scale = (double)classic.scales[classic.vertices / 2];
    double length = length_between_ends(volume) / rest_length, bent = sideways(volume);
    result = sn_body_measure(run->simulation.world, poses.bodies[VOLUME_ROD], &measures);

    char title[80];
    snprintf(title, sizeof title, "%s to %.1f of its length", c->verb, c->stretch);
    figure_table_begin(title);
    figure_check_near(figure, "length / rest length", length, c->stretch, 1e-4);
    figure_check_near(figure, "radius at mid-rod / rest radius", c->scale, 1.0 / sqrt(c->stretch),
                      0.01);
    figure_check_below(figure, "volume error, mean of all segments", measures.volume_error_mean,
                       0.005);
    figure_check_below(figure, "volume error, worst segment", measures.volume_error_max, 0.005);
    figure_check_below(figure, "sideways / rest length", bent / rest_length, 1e-3);
    figure_check_near(figure, "classic rod: radius / rest radius", classic_scale, 1.0, 1e-6);
    return result;
}

// `rest` may be NULL: both scenes start alike.
static SnResult run_case(Figure *figure, Case *c, FigureView *view, ViewImage *rest,
                         ViewImage *image) {
    const FigureLook look = {.rings = 13};
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, c->scene, &run);
    if (result.code == SN_OK && rest)
        result = figure_view_draw(view, &run, &look, rest);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK) {
        double rest_length = length_between_ends(figure_rod(&poses, VOLUME_ROD));
        result = figure_run_to(&run, run.simulation.settings.seconds);
        if (result.code == SN_OK)
            result = check(figure, &run, c, rest_length);
    }
    if (result.code == SN_OK)
        result = figure_view_draw(view, &run, &look, image);
    figure_run_end(&run);
    return result;
}

static SnResult write_picture(const Figure *figure, const Case *cases, ViewImage *images) {
    char texts[2][64];
    const char *captions[] = {"at rest: volume rod (red), classic rod (blue)", texts[0], texts[1]};
    for (int i = 0; i < 2; ++i)
        snprintf(texts[i], sizeof texts[i], "%s to %.1f: radius x %.3f", cases[i].verb,
                 cases[i].stretch, cases[i].scale);
    return figure_write_grid(figure, images, captions, 3, 3);
}

SnResult figure_viper_fig5(Figure *figure) {
    Case cases[] = {{"viper-fig5-stretch", "stretched", 1.5, 0.0},
                    {"viper-fig5-compress", "compressed", 0.7, 0.0}};
    FigureView view;
    ViewImage images[3] = {{0}};
    SnResult result = figure_view_begin(760, 540, &view);
    if (result.code == SN_OK)
        result = run_case(figure, &cases[0], &view, &images[0], &images[1]);
    if (result.code == SN_OK)
        result = run_case(figure, &cases[1], &view, NULL, &images[2]);
    figure_view_end(&view);
    if (result.code == SN_OK)
        return write_picture(figure, cases, images);
    for (int i = 0; i < 3; ++i)
        view_image_release(&images[i]);
    return result;
}
