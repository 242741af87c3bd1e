// Figure 6 of Choi and Lee 2017: a sheet on a rod that turns, and a soft body that falls on a sheet.
#include "app/figure_kit.h"

#include <math.h>

#include <sinew/solid.h>

#define PICTURES 4

static double lowest_of(FigureRun *run, int body) {
    SnPoses poses;
    double low = (double)INFINITY;
    if (figure_run_poses(run, &poses).code != SN_OK)
        return -low;
    RodPose pose = figure_rod(&poses, body);
    for (int i = 0; i < pose.vertices; ++i)
        low = fmin(low, (double)pose.positions[3 * i + 1]);
    return low;
}

// The sheet flies out while the rod turns, and hangs again when it stands.
static SnResult turn_rod(Figure *figure, FigureView *view, ViewImage images[2]) {
    FigureRun run;
    double strain = 0.0, high = 0.0;
    SnResult result = figure_run_begin(figure, "arap-fig6-rod", &run);
    double rest = result.code == SN_OK ? lowest_of(&run, 0) : 0.0;
    for (int k = 1; k <= 40 && result.code == SN_OK; ++k) {
        result = figure_run_to(&run, 0.1 * k);
        strain = fmax(strain, sn_world_measure(run.simulation.world).stretch_max);
        high = fmax(high, lowest_of(&run, 0) - rest);
        if (result.code == SN_OK && (k == 12 || k == 40))
            result = figure_view_draw(view, &run, &(FigureLook){0}, &images[k == 40]);
    }
    if (result.code == SN_OK) {
        figure_table_begin("a sheet on a rod that is turned and swung to and fro");
        figure_table_note("its lowest particle rises by", high, "m");
        figure_check_below(figure, "largest strain of an edge", strain, 0.05);
    }
    figure_run_end(&run);
    return result;
}

// The rabbit lies in the sheet.
static SnResult drop_rabbit(Figure *figure, FigureView *view, ViewImage images[2]) {
    FigureRun run;
    SnResult result = figure_run_begin(figure, "arap-fig6-sheet", &run);
    for (int k = 0; k < 2 && result.code == SN_OK; ++k) {
        result = figure_run_to(&run, k == 0 ? 0.25 : 8.0);
        if (result.code == SN_OK)
            result = figure_view_draw(view, &run, &(FigureLook){0}, &images[k]);
    }
    if (result.code == SN_OK) {
        SnMeasures m = sn_world_measure(run.simulation.world);
        figure_table_begin("a soft rabbit on a sheet that is held at its corners, after 8 s");
        figure_check_below(figure, "fastest particle, m/s", m.speed_max, 0.05);
        figure_check_below(figure, "the rabbit is so far below the sheet's corners, m",
                           0.6 - lowest_of(&run, 1), 0.4);
        figure_check_below(figure, "the lowest of the rabbit is below that of the sheet by, m",
                           lowest_of(&run, 0) - lowest_of(&run, 1), 0.0);
    }
    figure_run_end(&run);
    return result;
}

SnResult figure_arap_fig6(Figure *figure) {
    static const char *const captions[PICTURES] = {"a sheet on a rod that swings",
                                                   "and goes on when it stands",
                                                   "a rabbit falls on a sheet", "and lies in it"};
    FigureView view = {0};
    ViewImage images[PICTURES] = {{0}};
    SnResult result = figure_view_begin(640, 480, &view);
    if (result.code == SN_OK)
        result = turn_rod(figure, &view, images);
    if (result.code == SN_OK)
        result = drop_rabbit(figure, &view, images + 2);
    figure_view_end(&view);
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, captions, PICTURES, 2);
    figure_release(images, PICTURES);
    return result;
}
