// What frames of characters with muscles cost (Roussellet et al. 2018, figure 12 and tables 1 to 3), beside the
// paper's times on a Xeon E5-1650 at 3.6 GHz, with 30 particles per muscle where nothing else is said.
#include "app/figure_kit.h"
#include "bench/flesh.h"

#include <math.h>
#include <stdio.h>

#define SCENES 4
#define RUNS 2 // the fastest counts

static const char *const NAMES[SCENES] = {"arm shake", "biceps curl", "jump", "run"};
static const FleshCase CASES[SCENES] = {
    {SN_CHARACTER_ARM, 1, 1.0, 30, false, false},
    {SN_CHARACTER_ARM, 0, 1.0, 30, false, false},
    {SN_CHARACTER_FIGURE, 0, 1.6, 30, false, false},
    {SN_CHARACTER_FIGURE, 1, 0.7, 30, false, false},
};

// One thread, as nothing is said of the paper's.
static SnResult measure(const FleshCase *which, FleshTimes *out) {
    SnResult result = sn_ok();
    for (int run = 0; run < RUNS && result.code == SN_OK; ++run) {
        FleshTimes times;
        result = flesh_measure(which, 1, SN_ISA_BEST, &times);
        double lines = run ? fmin(out->lines, times.lines) : times.lines;
        double skin = run ? fmin(out->skin, times.skin) : times.skin;
        *out = times;
        out->lines = lines;
        out->skin = skin;
    }
    return result;
}

#define LENGTHS 5

// Figure 12: time against the number of particles per muscle.
SnResult figure_implicit_fig12(Figure *figure) {
    static const int points[LENGTHS] = {6, 10, 16, 22, 30};
    double x[LENGTHS], lines[LENGTHS], skin[LENGTHS];
    figure_table_begin("ms per frame of the jump, one thread");
    for (int i = 0; i < LENGTHS; ++i) {
        FleshCase which = CASES[2];
        FleshTimes times;
        char what[64];
        which.points = points[i];
        SnResult result = measure(&which, &times);
        if (result.code != SN_OK)
            return result;
        x[i] = points[i];
        lines[i] = times.lines;
        skin[i] = times.skin;
        snprintf(what, sizeof what, "%d particles, lines", points[i]);
        figure_table_note(what, lines[i], "ms");
        snprintf(what, sizeof what, "%d particles, skin", points[i]);
        figure_table_note(what, skin[i], "ms");
    }
    // Not with the square of the number of particles.
    double grow = (double)points[LENGTHS - 1] / points[0];
    figure_table_begin("30 particles by 6");
    figure_check_below(figure, "lines", lines[LENGTHS - 1] / lines[0], 3.0 * grow);
    figure_check_below(figure, "skin", skin[LENGTHS - 1] / skin[0], 0.5 * grow);
    const ViewPlotSeries series[] = {
        {"lines", LENGTHS, x, lines, VIEW_PLOT_MARKERS | VIEW_PLOT_LINE, NULL},
        {"skin", LENGTHS, x, skin, VIEW_PLOT_MARKERS | VIEW_PLOT_LINE, NULL}};
    const ViewPlot chart = {.title = "A frame of the jump, 50 muscles",
                            .x = {.label = "particles per muscle", .low = 0.0, .high = 32.0},
                            .y = {.label = "ms"},
                            .series = series,
                            .series_count = 2};
    return figure_write_plot(figure, &chart);
}

static SnResult plot_scenes(const Figure *figure, const char *title, const double *ours,
                            const double *paper) {
    double x[SCENES] = {1.0, 2.0, 3.0, 4.0};
    const ViewPlotSeries series[] = {
        {"Roussellet et al.", SCENES, x, paper, VIEW_PLOT_MARKERS | VIEW_PLOT_DASHES, NULL},
        {"here", SCENES, x, ours, VIEW_PLOT_MARKERS | VIEW_PLOT_LINE, NULL}};
    const ViewPlot chart = {
        .title = title,
        .x = {.label = "arm shake, biceps curl, jump, run", .low = 0.5, .high = 4.5},
        .y = {.log = true},
        .series = series,
        .series_count = 2};
    return figure_write_plot(figure, &chart);
}

// Table 1: how large the scenes are.
SnResult figure_implicit_table1(Figure *figure) {
    static const double vertices[SCENES] = {2172, 2172, 19296, 19296},
                        bones[SCENES] = {3, 3, 12, 12};
    static const double muscles[SCENES] = {4, 4, 50, 50};
    double ours[SCENES];
    for (int i = 0; i < SCENES; ++i) {
        FleshCase which = CASES[i];
        FleshTimes times;
        which.seconds = 0.1;
        SnResult result = flesh_measure(&which, 1, SN_ISA_BEST, &times);
        if (result.code != SN_OK)
            return result;
        ours[i] = times.vertices;
        figure_table_begin(NAMES[i]);
        figure_check_near(figure, "vertices", times.vertices, vertices[i], 0.01);
        figure_check_near(figure, "bones", times.joints, bones[i], 0.0);
        figure_check_below(figure, "the paper's muscles by ours", muscles[i] / times.muscles, 1.0);
        figure_table_note("muscles", times.muscles, "");
        figure_table_note("particles that move", times.points, "");
    }
    return plot_scenes(figure, "Vertices", ours, vertices);
}

// Table 2: the whole frame.
SnResult figure_implicit_table2(Figure *figure) {
    static const double paper_bare[SCENES] = {8, 5, 50, 51},
                        paper_skin[SCENES] = {13, 15, 462, 473};
    static const double paper_lines[SCENES] = {55, 42, 96, 96};
    double ours[SCENES], paper[SCENES];
    for (int i = 0; i < SCENES; ++i) {
        FleshCase bare = CASES[i];
        FleshTimes times, alone = {0};
        bare.bare = true;
        SnResult result = measure(&CASES[i], &times);
        if (result.code == SN_OK)
            result = measure(&bare, &alone);
        if (result.code != SN_OK)
            return result;
        ours[i] = times.lines + times.skin;
        paper[i] = paper_skin[i] + paper_lines[i];
        figure_table_begin(NAMES[i]);
        figure_table_note("skin without muscles", alone.skin, "ms");
        figure_table_note("  the paper's", paper_bare[i], "ms");
        figure_table_note("skin with muscles", times.skin, "ms");
        figure_table_note("  the paper's", paper_skin[i], "ms");
        figure_table_note("lines", times.lines, "ms");
        figure_table_note("  the paper's", paper_lines[i], "ms");
        figure_check_below(figure, "total by the paper's", ours[i] / paper[i], 0.3);
    }
    return plot_scenes(figure, "A frame with muscles, ms", ours, paper);
}

// Table 3: lines without and with contact.
SnResult figure_implicit_table3(Figure *figure) {
    static const double paper_apart[SCENES] = {3, 3, 50, 48}, paper_all[SCENES] = {55, 42, 96, 96};
    double ours[SCENES];
    for (int i = 0; i < SCENES; ++i) {
        FleshCase apart = CASES[i];
        FleshTimes times, alone = {0};
        apart.apart = true;
        SnResult result = measure(&CASES[i], &times);
        if (result.code == SN_OK)
            result = measure(&apart, &alone);
        if (result.code != SN_OK)
            return result;
        ours[i] = times.lines;
        figure_table_begin(NAMES[i]);
        figure_table_note("lines that touch nothing", alone.lines, "ms");
        figure_table_note("  the paper's", paper_apart[i], "ms");
        figure_table_note("lines that touch bones", times.lines, "ms");
        figure_table_note("  the paper's", paper_all[i], "ms");
        figure_check_below(figure, "the latter by the paper's", times.lines / paper_all[i], 0.6);
    }
    return plot_scenes(figure, "Lines with contact, ms", ours, paper_all);
}
