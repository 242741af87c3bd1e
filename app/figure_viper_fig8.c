// Figure 8 of the VIPER paper: a mesh skinned to a closed rod, here a rubber band that is stretched
// over two pegs until one of them lets go.
//
// Where nothing touches it, a segment stretched by λ has the radius 1/√λ, and the skin, too, keeps
// the volume it has at rest, which is that inside its triangles, Σ a·(b × c)/6.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

#define SHOTS 6
#define REST_RADIUS 0.3 // m, of the circle, as in the scene

static const double times[SHOTS] = {0.0, 2.4, 2.55, 2.6, 2.7, 8.0};
enum { STRETCHED = 1, LAST = SHOTS - 1 };

typedef struct Band {
    double stretch;      // length / rest length
    double radius_error; // worst of all vertices: radius × √stretch against the rest radius
    double skin_volume;  // m³
    double rod_volume;   // mean error
    double speed;        // m/s, of the fastest vertex
} Band;

static double volume_inside(const SnSkinMesh *mesh, const float *p) {
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const float *a = p + 3 * mesh->triangles[3 * i], *b = p + 3 * mesh->triangles[3 * i + 1],
                    *c = p + 3 * mesh->triangles[3 * i + 2];
        double x = (double)b[1] * (double)c[2] - (double)b[2] * (double)c[1];
        double y = (double)b[2] * (double)c[0] - (double)b[0] * (double)c[2];
        double z = (double)b[0] * (double)c[1] - (double)b[1] * (double)c[0];
        sum += (double)a[0] * x + (double)a[1] * y + (double)a[2] * z;
    }
    return sum / 6.0;
}

static void measure_rod(RodPose rod, Band *band) {
    int n = rod.vertices;
    double rest = 2.0 * REST_RADIUS * sin(FIGURE_PI / n), sum = 0.0;
    double before = figure_length(figure_between(rod.positions, n - 1, 0)) / rest;
    for (int i = 0; i < n; ++i) {
        double after = figure_length(figure_between(rod.positions, i, (i + 1) % n)) / rest;
        double radius = (double)rod.scales[i] * sqrt(0.5 * (before + after));
        band->radius_error = fmax(band->radius_error, fabs(radius - 1.0));
        sum += after;
        before = after;
    }
    band->stretch = sum / n;
}

static SnResult measure(FigureRun *run, Band *band) {
    SnPoses poses;
    SnSkinPoses skins;
    SnSkinMesh mesh;
    SnWorld *world = run->simulation.world;
    SnMeasures measures = sn_world_measure(world);
    *band = (Band){.rod_volume = measures.volume_error_mean, .speed = measures.speed_max};
    SnResult result = figure_run_poses(run, &poses);
    if (result.code == SN_OK) {
        measure_rod(figure_rod(&poses, 0), band);
        result = sn_world_skins(world, &skins);
    }
    if (result.code == SN_OK)
        result = sn_skin_mesh(world, skins.skins[0], &mesh);
    if (result.code == SN_OK)
        band->skin_volume = volume_inside(&mesh, skins.positions);
    return result;
}

static void report(Figure *figure, const Band *bands) {
    const Band *rest = &bands[0], *far = &bands[STRETCHED], *end = &bands[LAST];
    figure_table_begin("stretched over two pegs");
    figure_table_note("length / rest length", far->stretch, "");
    figure_check_below(figure, "radius x sqrt(stretch) against 1, worst vertex", far->radius_error,
                       0.03);
    figure_check_below(figure, "volume error, mean of all segments", far->rod_volume, 0.01);
    figure_check_near(figure, "volume of the skin / at rest", far->skin_volume / rest->skin_volume,
                      1.0, 0.05);
    figure_table_begin("at the end, on one peg");
    for (int i = STRETCHED + 1; i < LAST; ++i) {
        char what[80];
        snprintf(what, sizeof what, "fastest vertex at %.2f s", times[i]);
        figure_table_note(what, bands[i].speed, "m/s");
    }
    figure_check_near(figure, "length / rest length", end->stretch, 1.0, 0.03);
    figure_check_near(figure, "volume of the skin / at rest", end->skin_volume / rest->skin_volume,
                      1.0, 0.02);
    figure_check_below(figure, "volume error, mean of all segments", end->rod_volume, 0.01);
}

SnResult figure_viper_fig8(Figure *figure) {
    FigureRun run;
    FigureView view = {0};
    ViewImage shots[SHOTS] = {{0}};
    Band bands[SHOTS];
    char texts[SHOTS][32];
    const char *captions[SHOTS];
    SnResult result = figure_run_begin(figure, "../band", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(640, 400, &view);
    for (int i = 0; result.code == SN_OK && i < SHOTS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%.2f s", times[i]);
        captions[i] = texts[i];
        result = figure_run_to(&run, times[i]);
        if (result.code == SN_OK)
            result = measure(&run, &bands[i]);
        if (result.code == SN_OK)
            result = figure_view_draw(&view, &run, &(FigureLook){0}, &shots[i]);
    }
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    report(figure, bands);
    return figure_write_grid(figure, shots, captions, SHOTS, 3);
}
