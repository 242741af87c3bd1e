// What the figures share: a table of measured against expected, runs of their scenes, pictures.
#pragma once

#include <sinew/scene.h>

#include "app/simulation.h"
#include "view/context.h"
#include "view/plot.h"
#include "view/renderer.h"

// A figure being made.
typedef struct Figure {
    const char *name;
    const char *scenes; // folder of its scene files
    const char *folder; // where its picture goes, as NAME.png
    int threads;        // of its runs; 0: one per core
    char why[160];      // the first check that failed; empty: none so far
} Figure;

#define FIGURE_THREADS_AUTO (-1)
#define FIGURE_PI 3.14159265358979323846

// The table, on stdout. A check prints its row and remembers that it failed.
void figure_table_begin(const char *title);
// |measured / expected − 1| ≤ tolerance.
void figure_check_near(Figure *figure, const char *what, double measured, double expected,
                       double tolerance);
// measured ≤ limit.
void figure_check_below(Figure *figure, const char *what, double measured, double limit);
// A row without a check.
void figure_table_note(const char *what, double measured, const char *unit);

// A scene of the figure in motion.
typedef struct FigureRun {
    SnScene *scene;
    Simulation simulation;
} FigureRun;

// Loads SCENES/scene.json. Fine to end after a failure, too.
SnResult figure_run_begin(const Figure *figure, const char *scene, FigureRun *out_run);
void figure_run_end(FigureRun *run);
// Other steps than the scene's; before the first one.
void figure_run_set_steps(FigureRun *run, double step, int substeps, int iterations);
// Up to the step that ends nearest to `time`; an error if the user interrupts.
SnResult figure_run_to(FigureRun *run, double time);
SnResult figure_run_poses(FigureRun *run, SnPoses *out_poses);
double figure_energy(const SnMeasures *measures); // J, all of it

// The vector from vertex i to vertex j.
SnVec3 figure_between(const float *positions, int i, int j);
double figure_length(SnVec3 v);

// What of a rod a figure asks for.
typedef struct RodPose {
    int vertices, segments;
    const float *positions, *radii, *scales, *frames;
} RodPose;

RodPose figure_rod(const SnPoses *poses, int rod);

// A headless renderer for pictures of one size.
typedef struct FigureView {
    int width, height;
    ViewContext *context;
    ViewRenderer *renderer;
} FigureView;

SnResult figure_view_begin(int width, int height, FigureView *out_view);
void figure_view_end(FigureView *view); // fine after a begin that failed, too

// Lines along the rods, which show twist, and around them, which show stretch.
typedef struct FigureLook {
    int stripes, rings;
} FigureLook;

// The rods of a run as they are now, in the colours of their scene and from its camera.
SnResult figure_view_draw(FigureView *view, FigureRun *run, const FigureLook *look,
                          ViewImage *out_image);

// NAME.png: pictures with captions in a grid, or a chart. The pictures are released.
SnResult figure_write_grid(const Figure *figure, ViewImage *images, const char *const *captions,
                           int count, int columns);
SnResult figure_write_plot(const Figure *figure, const ViewPlot *plot);
void figure_release(ViewImage *images, int count);

// The figures. An error means that the figure could not be made; a check that fails is none.
SnResult figure_viper_fig1(Figure *figure);
SnResult figure_viper_fig2(Figure *figure);
SnResult figure_viper_fig5(Figure *figure);
SnResult figure_viper_fig6(Figure *figure);
SnResult figure_cantilever(Figure *figure);
SnResult figure_twist(Figure *figure);
SnResult figure_independence(Figure *figure);
SnResult figure_volume_direct(Figure *figure);
SnResult figure_defaults(Figure *figure);
SnResult figure_damping(Figure *figure);
SnResult figure_contacts(Figure *figure);
SnResult figure_drift(Figure *figure);
SnResult figure_viper_fig7(Figure *figure);
SnResult figure_viper_fig8(Figure *figure);
SnResult figure_viper_fig9(Figure *figure);
SnResult figure_viper_fig10(Figure *figure);
SnResult figure_viper_fig11(Figure *figure);
SnResult figure_viper_fig12(Figure *figure);
SnResult figure_rope_pile(Figure *figure);
SnResult figure_carry(Figure *figure);
SnResult figure_friction(Figure *figure);
SnResult figure_capstan(Figure *figure);
SnResult figure_knot(Figure *figure);
SnResult figure_squeeze(Figure *figure);
SnResult figure_rods_cantilever(Figure *figure);
SnResult figure_rods_fig5(Figure *figure);
SnResult figure_rods_slinky(Figure *figure);
SnResult figure_rods_fig6(Figure *figure);
SnResult figure_rods_fig7(Figure *figure);
SnResult figure_rods_fig8(Figure *figure);
SnResult figure_rods_fig9(Figure *figure);
SnResult figure_rods_fig10(Figure *figure);
SnResult figure_rods_table1(Figure *figure);
SnResult figure_rods_table2(Figure *figure);
SnResult figure_arap_fig1(Figure *figure);
SnResult figure_arap_fig2(Figure *figure);
SnResult figure_arap_fig3(Figure *figure);
SnResult figure_arap_fig4(Figure *figure);
SnResult figure_arap_fig5(Figure *figure);
SnResult figure_arap_fig6(Figure *figure);
SnResult figure_arap_fig7(Figure *figure);
SnResult figure_arap_table1(Figure *figure);
SnResult figure_implicit_bends(Figure *figure);
SnResult figure_implicit_curl(Figure *figure);
SnResult figure_implicit_fig2(Figure *figure);
SnResult figure_implicit_fig4(Figure *figure);
SnResult figure_implicit_fig5(Figure *figure);
SnResult figure_implicit_fig6(Figure *figure);
SnResult figure_implicit_fig7(Figure *figure);
SnResult figure_implicit_fig9(Figure *figure);
SnResult figure_implicit_fig11(Figure *figure);
SnResult figure_implicit_fig12(Figure *figure);
SnResult figure_implicit_fig13(Figure *figure);
SnResult figure_implicit_fig14(Figure *figure);
SnResult figure_implicit_table1(Figure *figure);
SnResult figure_implicit_table2(Figure *figure);
SnResult figure_implicit_table3(Figure *figure);
