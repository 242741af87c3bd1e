// Contacts where bodies are stiff, held, linked, asleep or many, at default settings (1/60 s, 10
// sub-steps, 1 iteration) unless a row says otherwise. What is right needs no theory here: what lies
// stays, what hangs is still, what bounces gives back what its restitution says and nothing makes
// energy or momentum.
#include "app/figure_contacts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const contact_names[CONTACT_KINDS] = {"swept volume", "volume", "classic", "stiff"};

// What is not a number is far off.
static void record(Contacts *c, ContactKind kind, double off) {
    if (c->count == CONTACT_CHECKS_MAX)
        return;
    for (int i = 0; i < CONTACT_KINDS; ++i) {
        c->place[i][c->count] = c->count + 1;
        c->off[i][c->count] = NAN;
    }
    c->off[kind][c->count++] = off <= 1e3 ? fmax(off, 1e-3) : 1e3;
    c->good += off <= 1.0;
}

static void name_check(char *what, size_t size, ContactKind kind, const char *format,
                       va_list arguments) {
    int length = vsnprintf(what, size, format, arguments);
    if (length >= 0 && (size_t)length < size)
        snprintf(what + length, size - (size_t)length, ", %s", contact_names[kind]);
}

// Rods that give way by so much more than they should.
#define TOO_SOFT 10.0

void begin_checks(Contacts *c, const Yard *y, ContactKind kind, SnBodyId rod) {
    double error =
        sn_rod_sweep_error(y->world, rod, (float)DEFAULT_STEP, y->substeps, DEFAULT_ITERATIONS);
    if (!(error > TOO_SOFT))
        return;
    check_below(c, kind, y->untold, 0.0, "%.0f times too soft: steps that do not say so", error);
    c->shown = true;
}

void end_checks(Contacts *c) { c->shown = false; }

void check_below(Contacts *c, ContactKind kind, double measured, double limit, const char *format,
                 ...) {
    char what[96];
    va_list arguments;
    va_start(arguments, format);
    name_check(what, sizeof what, kind, format, arguments);
    va_end(arguments);
    if (c->shown) {
        figure_table_note(what, measured, "(not checked)");
        return;
    }
    figure_check_below(c->figure, what, measured, limit);
    if (limit > 0.0)
        record(c, kind, measured / limit);
    else
        record(c, kind, measured <= limit ? 0.0 : INFINITY);
}

void check_near_one(Contacts *c, ContactKind kind, double measured, double tolerance,
                    const char *format, ...) {
    char what[96];
    va_list arguments;
    va_start(arguments, format);
    name_check(what, sizeof what, kind, format, arguments);
    va_end(arguments);
    figure_check_near(c->figure, what, measured, 1.0, tolerance);
    record(c, kind, fabs(measured - 1.0) / tolerance);
}

static SnResult plot(const Figure *figure, const Contacts *c) {
    const double line_x[2] = {0.0, c->count + 1.0}, line_y[2] = {1.0, 1.0};
    ViewPlotSeries series[CONTACT_KINDS + 1];
    for (int kind = 0; kind < CONTACT_KINDS; ++kind)
        series[kind] = (ViewPlotSeries){.label = contact_names[kind],
                                        .count = c->count,
                                        .x = c->place[kind],
                                        .y = c->off[kind],
                                        .style = VIEW_PLOT_MARKERS};
    series[CONTACT_KINDS] = (ViewPlotSeries){
        .label = "allowed", .count = 2, .x = line_x, .y = line_y, .style = VIEW_PLOT_DASHES};
    const ViewPlot chart = {.title = "Contacts: measured over what is allowed, check by check",
                            .x = {.label = "check, in the order of the table"},
                            .y = {.label = "measured / allowed", .log = true},
                            .series = series,
                            .series_count = CONTACT_KINDS + 1};
    return figure_write_plot(figure, &chart);
}

SnResult figure_contacts(Figure *figure) {
    static const struct {
        const char *title;
        SnResult (*try)(Contacts *c);
    } trials[] = {
        {"rods that sleep on a floor while another swings, 5 s", try_sleepers},
        {"a rod with a hinge at the floor, 3 s", try_pegs},
        {"a strand between two holds, under tension, 3 s", try_clamps},
        {"a rope that swings a weight of 5 times its mass, 5 s", try_swings},
        {"a bridge with a weight of 50 times its mass, 10 s", try_bridges},
        {"a weight that hangs on a rod, 10 s", try_hanging},
        {"fifty rods of three sizes in a bin, 10 s", try_bins},
        {"a log cabin of 8 layers with notches, E = 1e7, 30 s", try_cabins},
        {"ten short, thick rods that fall as a stack with gaps, 3 s", try_stacks},
        {"twelve octopuses in a heap, awake, 10 s", try_octopuses},
        {"a rod that falls on a floor with restitution 1: height given back", try_bounces},
        {"rods in line that hit each other with restitution 1", try_rows},
        {"two free rods that collide", try_collisions},
    };
    static Contacts contacts;
    contacts = (Contacts){.figure = figure};
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; ++i) {
        figure_table_begin(trials[i].title);
        SnResult result = trials[i].try(&contacts);
        if (result.code != SN_OK)
            return result;
        fflush(stdout);
    }
    figure_table_note("within what is allowed", contacts.good, "checks");
    figure_table_note("off", contacts.count - contacts.good, "checks");
    return plot(figure, &contacts);
}
