// What a user gets who writes ten lines: rods of every kind and of materials from jelly to steel, at
// default settings (1/60 s, 10 sub-steps, 1 iteration, the default solver), against theory. Where the
// expected values come from is said beside each measurement.
//
// Frequencies are those of motions that a sub-step resolves (hω below 0.3): others are not what any
// step of this length can show.
#include "app/figure_defaults.h"

#include <math.h>
#include <stdio.h>

// Stiff along, soft across.
static const Stuff stuff_laminate = {"soft in shear", 1e6, 1e4, 5e7, 1000.0};
static const Stuff stuff_cord = {"cord", 1e8, 1e8 / 3.0, 5e9, 1000.0};
// Young's modulus alone.
static const Stuff stuff_young = {"E alone", 1e8, 0.0, 0.0, 1000.0};

static const Case statics[] = {
    {"sag", measure_sag, &stuff_steel, 1.0, 0.01, 60, 0, ALL_RODS, 0.02},
    {"sag, SN_SOLVER_AUTO", measure_sag_auto, &stuff_steel, 1.0, 0.01, 60, 0, ELASTIC_RODS, 0.02},
    {"tip load", measure_tip, &stuff_jelly, 0.3, 0.02, 30, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_rubber, 1.0, 0.01, 30, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_nylon, 1.0, 0.005, 5, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_nylon, 1.0, 0.005, 30, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_nylon, 1.0, 0.005, 100, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_steel, 1.0, 0.01, 30, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_steel, 3.0, 0.1, 20, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_steel, 1.0, 0.001, 500, 0.01, ALL_RODS, 0.02},
    {"tip load", measure_tip, &stuff_laminate, 0.6, 0.05, 30, 0.01, ELASTIC_RODS, 0.01},
    {"spring", measure_spring, &stuff_rubber, 1.2, 0.005, 120, 5, ALL_RODS, 0.02},
    {"spring", measure_spring, &stuff_steel, 1.2, 0.001, 120, 5, ALL_RODS, 0.02},
    {"buckling", measure_column, &stuff_rubber, 1.0, 0.02, 30, 0, ALL_RODS, 0.02},
    {"buckling", measure_column, &stuff_nylon, 1.0, 0.005, 30, 0, ALL_RODS, 0.02},
    {"buckling", measure_column, &stuff_steel, 1.0, 0.005, 30, 0, ALL_RODS, 0.02},
    {"ring, pressed", measure_squash, &stuff_rubber, 1.5, 0.01, 60, 0.002, ALL_RODS, 0.02},
    {"ring, pressed", measure_squash, &stuff_steel, 1.5, 0.002, 60, 0.002, ALL_RODS, 0.02},
    {"twist", measure_turn, &stuff_rubber, 1.0, 0.01, 30, 0.2, ALL_RODS, 0.02},
    {"twist", measure_turn, &stuff_young, 1.0, 0.01, 30, 0.01, ALL_RODS, 0.05},
    {"rope, stretch", measure_hang, &stuff_cord, 1.0, 0.001, 40, 0, ELASTIC_RODS, 0.02},
    {"rope, loaded", measure_hang, &stuff_cord, 1.0, 0.001, 40, 20, ELASTIC_RODS, 0.02},
    {"rope, pulled", measure_pull, &stuff_rubber, 1.0, 0.002, 40, 50, ELASTIC_RODS, 0.02},
    {"arc by a moment", measure_arc, &stuff_rubber, 1.0, 0.01, 30, 0.4, ALL_RODS, 0.02},
    {"arc by a moment", measure_arc, &stuff_steel, 0.3, 0.01, 30, 0.4, ALL_RODS, 0.02},
    {"arc by a moment", measure_arc, &stuff_steel, 0.3, 0.01, 30, 1.0, ALL_RODS, 0.02},
    {"wall, force", measure_wall_force, &stuff_rubber, 0.2, 0.01, 20, 0, ALL_RODS, 0.02},
    {"wall, force", measure_wall_force, &stuff_nylon, 1.0, 0.01, 30, 0, ALL_RODS, 0.02},
    {"wall, force", measure_wall_force, &stuff_steel, 1.0, 0.01, 60, 0, ALL_RODS, 0.02},
    {"wall, moment", measure_wall_moment, &stuff_rubber, 0.2, 0.01, 20, 0, ALL_RODS, 0.02},
    {"wall, moment", measure_wall_moment, &stuff_nylon, 1.0, 0.01, 30, 0, ALL_RODS, 0.02},
    {"wall, moment", measure_wall_moment, &stuff_steel, 1.0, 0.01, 60, 0, ALL_RODS, 0.02},
};

// Pendulums start at so many degrees.
static const Case motions[] = {
    {"bending, mode 1", measure_bending, &stuff_rubber, 1.0, 0.01, 20, 1, ALL_RODS, 0.02},
    {"bending, mode 2", measure_bending, &stuff_rubber, 1.0, 0.01, 20, 2, ALL_RODS, 0.05},
    {"bending, mode 3", measure_bending, &stuff_rubber, 1.0, 0.01, 20, 3, ALL_RODS, 0.05},
    {"bending, mode 1", measure_bending, &stuff_nylon, 1.0, 0.002, 20, 1, ALL_RODS, 0.02},
    {"bending, mode 2", measure_bending, &stuff_nylon, 1.0, 0.002, 20, 2, ALL_RODS, 0.05},
    {"bending, mode 3", measure_bending, &stuff_nylon, 1.0, 0.002, 20, 3, ALL_RODS, 0.05},
    {"bending, mode 1", measure_bending, &stuff_steel, 1.0, 0.001, 20, 1, ALL_RODS, 0.02},
    {"bending, mode 2", measure_bending, &stuff_steel, 1.0, 0.001, 20, 2, ALL_RODS, 0.05},
    {"bending, mode 3", measure_bending, &stuff_steel, 1.0, 0.001, 20, 3, ALL_RODS, 0.05},
    {"torsion", measure_torsion, &stuff_jelly, 1.0, 0.02, 20, 0, ALL_RODS, 0.02},
    {"torsion", measure_torsion, &stuff_rubber, 2.0, 0.01, 20, 0, ALL_RODS, 0.02},
    {"torsion", measure_torsion, &stuff_nylon, 40.0, 0.1, 20, 0, ALL_RODS, 0.02},
    {"amplitude", measure_amplitude, &stuff_rubber, 1.0, 0.01, 20, 0, ALL_RODS, 0.01},
    {"amplitude", measure_amplitude, &stuff_nylon, 1.0, 0.01, 20, 0, ALL_RODS, 0.01},
    {"amplitude", measure_amplitude, &stuff_steel, 1.0, 0.005, 20, 0, ALL_RODS, 0.01},
    {"spin, 2 rad/s", measure_spin, &stuff_rubber, 1.0, 0.02, 20, 2, ALL_RODS, 0.001},
    {"spin, 10 rad/s", measure_spin, &stuff_rubber, 1.0, 0.02, 20, 10, ALL_RODS, 0.01},
    {"spin, 2 rad/s", measure_spin, &stuff_steel, 1.0, 0.01, 20, 2, ALL_RODS, 0.001},
    {"spin, 10 rad/s", measure_spin, &stuff_steel, 1.0, 0.01, 20, 10, ALL_RODS, 0.01},
    {"pendulum, 30", measure_period, &stuff_steel, 1.0, 0.01, 20, 30, ALL_RODS, 0.02},
    {"pendulum, 60", measure_period, &stuff_steel, 1.0, 0.01, 20, 60, ALL_RODS, 0.02},
    {"short pendulum, 30", measure_period, &stuff_steel, 0.2, 0.01, 20, 30, ALL_RODS, 0.02},
    {"short pendulum, 60", measure_period, &stuff_steel, 0.2, 0.01, 20, 60, ALL_RODS, 0.02},
    {"its amplitude", measure_swing, &stuff_steel, 1.0, 0.01, 20, 30, ALL_RODS, 0.01},
    {"torque on a free rod", measure_torque, &stuff_rubber, 1.0, 0.01, 20, 0.05, ALL_RODS, 0.01},
    {"torque on a free rod", measure_torque, &stuff_nylon, 1.0, 0.01, 20, 1, ALL_RODS, 0.01},
    {"torque on a free rod", measure_torque, &stuff_steel, 1.0, 0.01, 20, 1, ALL_RODS, 0.01},
    {"blow at its end", measure_blow, &stuff_rubber, 1.0, 0.01, 20, 1, ALL_RODS, 0.02},
    {"blow at its end", measure_blow, &stuff_nylon, 1.0, 0.01, 20, 1, ALL_RODS, 0.02},
    {"blow at its end", measure_blow, &stuff_steel, 1.0, 0.01, 20, 1, ALL_RODS, 0.02},
    {"force at its end", measure_pushed, &stuff_rubber, 1.0, 0.01, 20, 1, ALL_RODS, 0.001},
    {"force at its end", measure_pushed, &stuff_nylon, 1.0, 0.01, 20, 1, ALL_RODS, 0.001},
    {"force at its end", measure_pushed, &stuff_steel, 1.0, 0.01, 20, 1, ALL_RODS, 0.001},
};

// The tolerance is the largest speed in m/s, or ratio.
static const Case rests[] = {
    {"ring, speed", measure_ring, &stuff_rubber, 1.5, 0.01, 30, 0, ALL_RODS, 0.001},
    {"ring, speed", measure_ring, &stuff_rubber, 1.5, 0.01, 60, 0, ALL_RODS, 0.001},
    {"ring, volume error", measure_ring_volume, &stuff_rubber, 1.5, 0.01, 60, 0, VOLUME_RODS, 0.01},
    {"on floor, speed", measure_ring_floor, &stuff_rubber, 1.5, 0.01, 30, 0, ALL_RODS, 0.01},
    {"on floor, speed", measure_ring_floor, &stuff_rubber, 1.5, 0.01, 60, 0, ALL_RODS, 0.01},
    {"twisted, off plane", measure_ring_twist, &stuff_rubber, 1.5, 0.01, 60, 0.5, ALL_RODS, 0.01},
    {"twisted, off plane", measure_ring_twist, &stuff_steel, 1.5, 0.002, 60, 0.5, ALL_RODS, 0.01},
    {"twisted, off plane", measure_ring_twist, &stuff_steel, 1.5, 0.01, 30, 0.5, ALL_RODS, 0.01},
    {"twisted, off plane", measure_ring_twist, &stuff_steel, 1.5, 0.01, 60, 0.5, ALL_RODS, 0.01},
    {"rope, speed", measure_hang_speed, &stuff_cord, 1.0, 0.001, 40, 0, ALL_RODS, 0.01},
    {"rope, loaded, speed", measure_hang_speed, &stuff_cord, 1.0, 0.001, 40, 20, ALL_RODS, 0.01},
    {"rope, falls loaded", measure_fall_speed, &stuff_cord, 1.0, 0.001, 40, 20, ALL_RODS, 0.01},
    {"rope, falls loaded", measure_fall_speed, &stuff_young, 1.0, 0.001, 40, 20, VOLUME_RODS, 0.01},
    {"arc by a moment", measure_arc_speed, &stuff_steel, 0.3, 0.01, 30, 0.4, ALL_RODS, 0.001},
    {"arc by a moment", measure_arc_speed, &stuff_steel, 0.3, 0.01, 30, 1.0, ALL_RODS, 0.001},
    {"energy, growth", measure_growth, &stuff_rubber, 1.0, 0.01, 20, 0.5, ALL_RODS, 0.001},
    {"energy, growth", measure_growth, &stuff_nylon, 1.0, 0.005, 20, 0.1, ALL_RODS, 0.001},
};

#define COUNT_OF(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define CASES (COUNT_OF(statics) + COUNT_OF(motions) + COUNT_OF(rests))

// How far every case is off, over what is allowed, for the picture.
typedef struct Outcome {
    int count;
    double place[KIND_COUNT][CASES], off[KIND_COUNT][CASES];
    int good, bad;
} Outcome;

static void judge(Figure *figure, const Case *c, RodKind kind, const Finding *found,
                  Outcome *outcome) {
    char what[96];
    snprintf(what, sizeof what, "%s, %s, r %g mm, n %d, %s", c->what, c->stuff->name,
             1e3 * c->radius, c->segments, kind_names[kind]);
    double error = found->measured;
    if (found->expected != 0.0) {
        figure_check_near(figure, what, found->measured, found->expected, c->tolerance);
        error = found->measured / found->expected - 1.0;
    } else
        figure_check_below(figure, what, found->measured, c->tolerance);
    double off = fabs(error) / c->tolerance;
    outcome->off[kind][outcome->count] =
        fmin(fmax(off, 1e-3), 1e3); // what is not a number is far off
    *(off <= 1.0 ? &outcome->good : &outcome->bad) += 1;
}

static SnResult run_cases(Figure *figure, const char *title, const Case *cases, int count,
                          Outcome *outcome) {
    static Specimen specimen;
    figure_table_begin(title);
    for (int i = 0; i < count; ++i) {
        for (int kind = 0; kind < KIND_COUNT; ++kind) {
            outcome->place[kind][outcome->count] = outcome->count + 1;
            outcome->off[kind][outcome->count] = NAN;
            if ((cases[i].kinds & KIND_BIT(kind)) == 0)
                continue;
            Finding found = {0};
            SnResult result = cases[i].measure(&cases[i], (RodKind)kind, &specimen, &found);
            if (result.code != SN_OK)
                return result;
            judge(figure, &cases[i], (RodKind)kind, &found, outcome);
        }
        fflush(stdout);
        ++outcome->count;
    }
    return sn_ok();
}

static SnResult plot(const Figure *figure, const Outcome *outcome) {
    static const double line_x[2] = {0.0, CASES + 1.0}, line_y[2] = {1.0, 1.0};
    ViewPlotSeries series[KIND_COUNT + 1];
    for (int kind = 0; kind < KIND_COUNT; ++kind)
        series[kind] = (ViewPlotSeries){.label = kind_names[kind],
                                        .count = outcome->count,
                                        .x = outcome->place[kind],
                                        .y = outcome->off[kind],
                                        .style = VIEW_PLOT_MARKERS};
    series[KIND_COUNT] = (ViewPlotSeries){
        .label = "allowed", .count = 2, .x = line_x, .y = line_y, .style = VIEW_PLOT_DASHES};
    const ViewPlot chart = {.title = "Default settings: error over what is allowed, case by case",
                            .x = {.label = "case, in the order of the table"},
                            .y = {.label = "error / allowed", .log = true},
                            .series = series,
                            .series_count = KIND_COUNT + 1};
    return figure_write_plot(figure, &chart);
}

SnResult figure_defaults(Figure *figure) {
    static Outcome outcome;
    outcome = (Outcome){0};
    SnResult result = run_cases(figure, "at rest under a load (m, N/m, N, rad)", statics,
                                COUNT_OF(statics), &outcome);
    if (result.code == SN_OK)
        result =
            run_cases(figure, "in motion (Hz, s, ratios)", motions, COUNT_OF(motions), &outcome);
    if (result.code == SN_OK)
        result = run_cases(figure, "left alone (m/s, ratios)", rests, COUNT_OF(rests), &outcome);
    if (result.code != SN_OK)
        return result;
    figure_table_note("within what is allowed", outcome.good, "cases");
    figure_table_note("off", outcome.bad, "cases");
    return plot(figure, &outcome);
}
