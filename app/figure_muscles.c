// Figures 9 and 10 of the VIPER paper: sections of a bundle that may scale, beside classic shape
// matching, which keeps their size.
#include "app/figure_kit.h"

#include <math.h>

#include <sinew/muscle.h>

#define SHOTS 2

// How wide a slice of a muscle is against the radii of its fibres, both over what they are at rest.
typedef struct Slice {
    double spread; // mean distance of the fibres from their centre
    double scale;  // mean of their scales
} Slice;

static Slice measure_slice(const RodPose *muscle, int rods, int slice) {
    int slices = muscle->vertices / rods;
    double centre[3] = {0};
    Slice out = {0};
    for (int k = 0; k < rods; ++k)
        for (int c = 0; c < 3; ++c)
            centre[c] += (double)muscle->positions[3 * (k * slices + slice) + c] / rods;
    for (int k = 0; k < rods; ++k) {
        double square = 0.0;
        for (int c = 0; c < 3; ++c)
            square += pow((double)muscle->positions[3 * (k * slices + slice) + c] - centre[c], 2.0);
        out.spread += sqrt(square) / rods;
        out.scale += (double)muscle->scales[k * slices + slice] / rods;
    }
    return out;
}

// The slice in the middle of a muscle of the scene, and its volume.
typedef struct Belly {
    Slice slice;
    double volume;
} Belly;

static SnResult measure_belly(FigureRun *run, const char *name, int number, int rods, Belly *out) {
    SnPoses poses;
    SnMuscleState state;
    SnWorld *world = run->simulation.world;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code == SN_OK)
        result = sn_muscle_read(world, sn_world_find_body(world, name), &state);
    if (result.code != SN_OK)
        return result;
    RodPose muscle = figure_rod(&poses, number);
    out->slice = measure_slice(&muscle, rods, muscle.vertices / rods / 2);
    out->volume = (double)state.volume;
    return result;
}

typedef struct MuscleFigure {
    const char *scene;
    int classic, scaled, rods; // numbers of both muscles among the bodies
    double end;                // s
    const char *captions[SHOTS];
} MuscleFigure;

static SnResult take(const MuscleFigure *of, FigureRun *run, FigureView *view, ViewImage *shots,
                     Belly belly[2][2]) {
    SnResult result = sn_ok();
    for (int i = 0; i < SHOTS && result.code == SN_OK; ++i) {
        result = figure_run_to(run, i == 0 ? 0.0 : of->end);
        if (result.code == SN_OK)
            result = measure_belly(run, "classic", of->classic, of->rods, &belly[0][i]);
        if (result.code == SN_OK)
            result = measure_belly(run, "scaled", of->scaled, of->rods, &belly[1][i]);
        if (result.code == SN_OK)
            result = figure_view_draw(view, run, &(FigureLook){0}, &shots[i]);
    }
    return result;
}

static SnResult make(Figure *figure, const MuscleFigure *of, Belly belly[2][2]) {
    FigureView view;
    FigureRun run = {0};
    ViewImage shots[SHOTS] = {{0}};
    SnResult result = figure_view_begin(800, 500, &view);
    if (result.code == SN_OK) {
        result = figure_run_begin(figure, of->scene, &run);
        if (result.code == SN_OK)
            result = take(of, &run, &view, shots, belly);
        figure_run_end(&run);
    }
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    return figure_write_grid(figure, shots, of->captions, SHOTS, 2);
}

static double grown(const Belly belly[2]) { return belly[1].slice.spread / belly[0].slice.spread; }

SnResult figure_viper_fig9(Figure *figure) {
    const MuscleFigure of = {"viper-fig9", 0, 1, 12, 2.0, {"at rest", "shortened"}};
    Belly belly[2][2];
    SnResult result = make(figure, &of, belly);
    if (result.code != SN_OK)
        return result;
    figure_table_begin("sections of free bundles whose fibres are told to be half as long");
    figure_table_note("classic: radii of the fibres", belly[0][1].slice.scale, "");
    figure_check_near(figure, "classic: width", grown(belly[0]), 1.0, 0.01);
    figure_table_note("scaled: radii of the fibres", belly[1][1].slice.scale, "");
    figure_check_near(figure, "scaled: width", grown(belly[1]), belly[1][1].slice.scale, 0.005);
    figure_check_near(figure, "scaled: volume", belly[1][1].volume, belly[1][0].volume, 0.005);
    return result;
}

SnResult figure_viper_fig10(Figure *figure) {
    const MuscleFigure of = {"viper-fig10", 1, 2, 12, 3.0, {"at rest", "excited"}};
    Belly belly[2][2];
    SnResult result = make(figure, &of, belly);
    if (result.code != SN_OK)
        return result;
    figure_table_begin("a muscle that is excited: classic matching, and sections that scale");
    figure_check_near(figure, "classic: width of the belly", grown(belly[0]), 1.0, 0.02);
    figure_check_near(figure, "scaled: width over radii", grown(belly[1]), belly[1][1].slice.scale,
                      0.03);
    figure_table_note("scaled: width of the belly", grown(belly[1]), "");
    figure_check_near(figure, "classic: volume", belly[0][1].volume, belly[0][0].volume, 0.01);
    figure_check_near(figure, "scaled: volume", belly[1][1].volume, belly[1][0].volume, 0.01);
    return result;
}
