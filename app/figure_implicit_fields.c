// Muscles as fields (Roussellet et al. 2018, figures 4, 5, 6 and 9): the place on the line that points belong
// to, cross-sections, profiles, and how a muscle is joined to what lies over it.
#include "app/figure_kit.h"
#include "bench/joins.h"

#include <sinew/muscle_field.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE 420 // pixels of a map
#define POINTS 6
#define PATHS 200
#define STEPS 1000
#define STEP 5e-5f // m
#define NEAR 0.03f // m, of a path from the line: the belly of the muscle has a radius of 25 mm

// A line of few segments, as the paper's, 25 cm long and bent by 120° in all, in the plane z = 0.
static void make_line(SnVec3 *line) {
    double x = 0.0, y = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        line[i] = sn_vec3((float)x, (float)y, 0.0f);
        double angle = FIGURE_PI * (1.0 / 3.0 - 2.0 / 3.0 * i / (POINTS - 2));
        x += 0.05 * cos(angle);
        y += 0.05 * sin(angle);
    }
}

static SnResult make_muscle(const SnVec3 *line, int points, SnMuscleProfile rest,
                            SnMuscleField **out) {
    SnMuscleFieldDef def = sn_default_muscle_field_def();
    def.point_count = points;
    def.line = line;
    def.volume = 2e-4f;
    def.rest = rest;
    return sn_muscle_field_create(&def, NULL, out);
}

// The place of the nearest point of the line: what every projection starts from.
static double nearest_place(const SnVec3 *line, SnVec3 x) {
    double best = HUGE_VAL, place = 0.0;
    for (int i = 0; i + 1 < POINTS; ++i) {
        SnVec3 edge = sn_vec3_sub(line[i + 1], line[i]), from = sn_vec3_sub(x, line[i]);
        float t = fminf(fmaxf(sn_vec3_dot(from, edge) / sn_vec3_dot(edge, edge), 0.0f), 1.0f);
        double apart = (double)sn_vec3_length(sn_vec3_add_scaled(from, edge, -t));
        if (apart < best) {
            best = apart;
            place = (i + (double)t) / (POINTS - 1);
        }
    }
    return place;
}

static double distance_to(const SnVec3 *line, SnVec3 x) {
    double at = nearest_place(line, x) * (POINTS - 1);
    int k = at < POINTS - 2 ? (int)at : POINTS - 2;
    SnVec3 edge = sn_vec3_sub(line[k + 1], line[k]);
    return (double)sn_vec3_length(
        sn_vec3_sub(x, sn_vec3_add_scaled(line[k], edge, (float)(at - k))));
}

static double place_of(const SnMuscleField *muscle, const SnVec3 *line, int way, SnVec3 x) {
    return way == 0 ? nearest_place(line, x) : sn_muscle_field_project(muscle, x);
}

static double random_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

// The largest change of the place in one step of random straight paths through and around the line.
static double largest_jump(const SnMuscleField *muscle, const SnVec3 *line, int way) {
    double most = 0.0;
    uint32_t seed = 5;
    for (int path = 0; path < PATHS; ++path) {
        double s = random_number(&seed) * (POINTS - 1),
               turn = 2.0 * FIGURE_PI * random_number(&seed);
        int i = (int)s;
        SnVec3 x = sn_vec3_add_scaled(line[i], sn_vec3_sub(line[i + 1], line[i]), (float)(s - i));
        x.x += NEAR * (float)(2.0 * random_number(&seed) - 1.0);
        x.y += NEAR * (float)(2.0 * random_number(&seed) - 1.0);
        SnVec3 step = sn_vec3(STEP * (float)cos(turn), STEP * (float)sin(turn), 0.0f);
        double before = place_of(muscle, line, way, x);
        for (int k = 0; k < STEPS; ++k) {
            x = sn_vec3_add(x, step);
            double now = place_of(muscle, line, way, x);
            if (distance_to(line, x) < NEAR)
                most = fmax(most, fabs(now - before));
            before = now;
        }
    }
    return most;
}

// Bands of colour along the line, dark on the line itself.
static void paint(ViewImage *image, int pixel, double place, double distance) {
    double hue = 6.0 * place, band = 0.85 + 0.15 * cos(40.0 * FIGURE_PI * place);
    for (int c = 0; c < 3; ++c) {
        double wave = 0.5 + 0.5 * cos(FIGURE_PI / 3.0 * (hue - 2.0 * c));
        double dark = distance < 0.0015 ? 0.15 : 1.0;
        image->pixels[3 * pixel + c] = (uint8_t)(255.0 * dark * band * (0.25 + 0.75 * wave));
    }
}

static SnResult draw_places(const SnMuscleField *muscle, const SnVec3 *line, int way,
                            ViewImage *out) {
    SnResult result = view_image_create(SIDE, SIDE, 255, 255, 255, out);
    for (int i = 0; i < SIDE * SIDE && result.code == SN_OK; ++i) {
        SnVec3 x = {(float)(0.24 * (i % SIDE) / SIDE) - 0.02f,
                    0.14f - (float)(0.24 * (i / SIDE) / SIDE), 0.0f};
        paint(out, i, place_of(muscle, line, way, x), distance_to(line, x));
    }
    return result;
}

SnResult figure_implicit_fig4(Figure *figure) {
    static const char *const ways[2] = {"nearest point", "over from segment to segment"};
    SnVec3 line[POINTS];
    SnMuscleField *muscle = NULL;
    ViewImage images[2] = {{0}};
    make_line(line);
    SnResult result = make_muscle(line, POINTS, (SnMuscleProfile){3, 3, 0.0f}, &muscle);
    figure_table_begin("largest change of the place on a line of 25 cm, in steps of 0.05 mm");
    for (int way = 0; way < 2 && result.code == SN_OK; ++way) {
        double jump = largest_jump(muscle, line, way);
        if (way == 0)
            figure_table_note(ways[way], 100.0 * jump, "%");
        else
            figure_check_below(figure, "over from segment to segment, %", 100.0 * jump, 0.5);
        result = draw_places(muscle, line, way, &images[way]);
    }
    sn_muscle_field_destroy(muscle);
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, ways, 2, 2);
    figure_release(images, 2);
    return result;
}

#define SECTIONS 5
#define ANGLES 181

// How far the surface is from a point of a straight line along x, in a direction across it.
static double surface_at(const SnMuscleField *muscle, float x, double angle) {
    double low = 0.0, high = 0.2;
    for (int i = 0; i < 50; ++i) {
        double r = 0.5 * (low + high);
        SnVec3 at = {x, (float)(r * cos(angle)), (float)(r * sin(angle))};
        if (sn_muscle_field_at(muscle, at) < 0.0)
            low = r;
        else
            high = r;
    }
    return 0.5 * (low + high);
}

SnResult figure_implicit_fig5(Figure *figure) {
    static const float eccentricities[SECTIONS] = {0.0f, 0.5f, 0.8f, 0.9f, 0.95f};
    static double x[SECTIONS][ANGLES], y[SECTIONS][ANGLES];
    static char labels[SECTIONS][32];
    ViewPlotSeries series[SECTIONS];
    const SnVec3 line[2] = {{0.0f, 0.0f, 0.0f}, {0.25f, 0.0f, 0.0f}};
    double round = 0.0;
    figure_table_begin("area of a cross-section by that of a round one");
    for (int k = 0; k < SECTIONS; ++k) {
        SnMuscleField *muscle = NULL;
        SnResult result = make_muscle(line, 2, (SnMuscleProfile){3, 3, eccentricities[k]}, &muscle);
        if (result.code != SN_OK)
            return result;
        double area = 0.0;
        for (int i = 0; i < ANGLES; ++i) {
            double angle = 2.0 * FIGURE_PI * i / (ANGLES - 1),
                   r = surface_at(muscle, 0.125f, angle);
            x[k][i] = 1000.0 * r * cos(angle);
            y[k][i] = 1000.0 * r * sin(angle);
            area += i > 0 ? 0.5 * (x[k][i - 1] * y[k][i] - x[k][i] * y[k][i - 1]) : 0.0;
        }
        sn_muscle_field_destroy(muscle);
        round = k == 0 ? area : round;
        snprintf(labels[k], sizeof labels[k], "eccentricity %g", (double)eccentricities[k]);
        figure_check_near(figure, labels[k], area / round, 1.0, 2e-3);
        series[k] = (ViewPlotSeries){labels[k], ANGLES, x[k], y[k], VIEW_PLOT_LINE, NULL};
    }
    // A section in its middle, of a profile s²(1 − s)² whose square has the integral 1: 630/256.
    double expected = 1e6 * 2e-4 / 0.25 * 630.0 / 256.0;
    figure_check_near(figure, "round, mm², by V/l · 630/256", round, expected, 2e-3);
    const ViewPlot chart = {.title = "Cross-sections of one area",
                            .x = {.label = "mm", .low = -60.0, .high = 60.0},
                            .y = {.label = "mm", .low = -60.0, .high = 60.0},
                            .series = series,
                            .series_count = SECTIONS,
                            .width = 900,
                            .height = 900};
    return figure_write_plot(figure, &chart);
}

#define PROFILES 5
#define PLACES 201

// Simpson's rule over the square of a radius.
static double volume_of(const double *radius) {
    double sum = 0.0;
    for (int i = 0; i < PLACES; ++i)
        sum += (i == 0 || i == PLACES - 1 ? 1.0 : i % 2 ? 4.0 : 2.0) * radius[i] * radius[i];
    return FIGURE_PI * 0.25 * sum / (3.0 * (PLACES - 1));
}

SnResult figure_implicit_fig6(Figure *figure) {
    static double at[PLACES], radius[PROFILES][PLACES], shown[PROFILES][PLACES];
    static char labels[PROFILES][32];
    ViewPlotSeries series[PROFILES];
    const SnVec3 line[2] = {{0.0f, 0.0f, 0.0f}, {0.25f, 0.0f, 0.0f}};
    SnMuscleField *muscle = NULL;
    SnResult result = make_muscle(line, 2, (SnMuscleProfile){3, 3, 0.0f}, &muscle);
    figure_table_begin("volume of the profile by that of the muscle, activation from 0 to 1");
    for (int k = 0; k < PROFILES && result.code == SN_OK; ++k) {
        sn_muscle_field_activate(muscle, (float)k / (PROFILES - 1));
        for (int i = 0; i < PLACES; ++i) {
            at[i] = (double)i / (PLACES - 1);
            radius[k][i] = sn_muscle_field_radius(muscle, at[i]);
            shown[k][i] = 1000.0 * radius[k][i];
        }
        snprintf(labels[k], sizeof labels[k], "activation %g", (double)k / (PROFILES - 1));
        figure_check_near(figure, labels[k], volume_of(radius[k]) / 2e-4, 1.0, 1e-5);
        series[k] = (ViewPlotSeries){labels[k], PLACES, at, shown[k], VIEW_PLOT_LINE, NULL};
    }
    sn_muscle_field_destroy(muscle);
    const ViewPlot chart = {.title = "From (3, 3) at rest to (4, 7) when active",
                            .x = {.label = "place on the line"},
                            .y = {.label = "radius, mm"},
                            .series = series,
                            .series_count = PROFILES};
    return result.code == SN_OK ? figure_write_plot(figure, &chart) : result;
}

#define REACH 0.05    // m, of the limb
#define LIMB 0.04     // m, its radius
#define BELLY 0.016   // of the muscle
#define OFF_AXIS 0.03 // of the muscle's line from the limb's

// The limb is a cylinder along z; the muscle lies beside its axis.
static JoinedField round_field(double x, double y, double from, double radius) {
    double length = fmax(hypot(x, y - from), 1e-9);
    return (JoinedField){length - radius, {x / length, (y - from) / length, 0.0}};
}

typedef struct JoinMeasure {
    double weakest; // length of a gradient within the fillet around the surface
    double inward;  // part of the places there where the gradient points into the limb
} JoinMeasure;

static SnResult draw_join(JoinKind kind, JoinMeasure *out, ViewImage *image) {
    SnResult result = view_image_create(SIDE, SIDE, 255, 255, 255, image);
    int places = 0, wrong = 0;
    *out = (JoinMeasure){1.0, 0.0};
    for (int i = 0; i < SIDE * SIDE && result.code == SN_OK; ++i) {
        double x = 0.14 * ((i % SIDE + 0.5) / SIDE - 0.5),
               y = 0.14 * (0.5 - (i / SIDE + 0.5) / SIDE);
        JoinedField limb = round_field(x, y, 0.0, LIMB),
                    muscle = round_field(x, y, OFF_AXIS, BELLY);
        JoinedField f = joined_field(kind, limb, muscle, REACH);
        double length = hypot(f.gradient[0], f.gradient[1]);
        double out_of_limb = (f.gradient[0] * x + f.gradient[1] * y) / fmax(hypot(x, y), 1e-9);
        bool tracked = fabs(f.value) < 0.4 * REACH && hypot(x, y) > 0.2 * LIMB;
        places += tracked;
        wrong += tracked && out_of_limb < 0.0;
        if (tracked)
            out->weakest = fmin(out->weakest, length);
        double angle = acos(fmin(fmax(out_of_limb / fmax(length, 1e-9), -1.0), 1.0)) / FIGURE_PI;
        double line = fabs(f.value) < 0.0006                ? 0.0
                      : fmod(fabs(f.value), 0.005) < 0.0004 ? 0.75
                                                            : 1.0;
        const double colour[3] = {0.35 + 0.65 * angle, 0.75 - 0.5 * angle, 0.9 - 0.75 * angle};
        for (int c = 0; c < 3; ++c)
            image->pixels[3 * i + c] = (uint8_t)(255.0 * line * colour[c]);
    }
    out->inward = places > 0 ? (double)wrong / places : 0.0;
    return result;
}

SnResult figure_implicit_fig9(Figure *figure) {
    static const char *const names[JOIN_COUNT] = {"union", "clean union", "detail"};
    JoinMeasure measures[JOIN_COUNT];
    ViewImage images[JOIN_COUNT] = {{0}};
    SnResult result = sn_ok();
    for (int k = 0; k < JOIN_COUNT && result.code == SN_OK; ++k)
        result = draw_join((JoinKind)k, &measures[k], &images[k]);
    if (result.code != SN_OK) {
        figure_release(images, JOIN_COUNT);
        return result;
    }
    figure_table_begin("places near the surface whose gradient points into the limb, %");
    figure_table_note(names[JOIN_UNION], 100.0 * measures[JOIN_UNION].inward, "");
    figure_table_note(names[JOIN_CLEAN_UNION], 100.0 * measures[JOIN_CLEAN_UNION].inward, "");
    figure_check_below(figure, names[JOIN_DETAIL], 100.0 * measures[JOIN_DETAIL].inward, 0.0);
    figure_table_begin("one minus the length of the shortest gradient there");
    figure_table_note(names[JOIN_CLEAN_UNION], 1.0 - measures[JOIN_CLEAN_UNION].weakest, "");
    figure_check_below(figure, names[JOIN_DETAIL], 1.0 - measures[JOIN_DETAIL].weakest, 0.8);
    return figure_write_grid(figure, images, names, JOIN_COUNT, JOIN_COUNT);
}
