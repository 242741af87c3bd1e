// Figure 6 of the VIPER paper: a bulge released at one end of a rod whose ends are held runs along
// it as a wave of volume.
//
// Small waves, with displacement u along the rod and scale 1 + σ, have per length and area
//
//     kinetic  ½ρ (u̇² + ½ r² σ̇²)
//     elastic  ½E u'² + ½k_v (u' + 2σ)² + ½·2G σ² + ½·½ r²G (σ'² + r²σ''²)       (eqs 11 to 13, 15, 18)
//
// Long ones keep 2Gσ + 2k_v (u' + 2σ) = 0 at all times, so they run at c² = (E + G k_v/(2k_v + G))/ρ,
// which is (E + G/2)/ρ for a rod that keeps its volume. Shorter ones are slower: the inertia of the
// scale, ρ r²k²/8 beside ρ, is Love's correction of the bar wave. It is kept in wave_speed.
//
// Nothing damps the wave: it keeps its energy, and its height but for its dispersion.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scenes.
#define LENGTH 2.4    // m
#define RADIUS 0.06   // m
#define BULGE 0.24    // m, w: the bulge is exp(−(x/w)²)
#define DENSITY 1.0e3 // kg/m³
#define YOUNG 3.0e4   // Pa
#define SHEAR 1.0e4
#define VOLUME 1.0e6

#define SHOTS 6           // in the picture
#define SHOT_PERIOD 0.075 // s

// A run, as it is measured on the way.
typedef struct Wave {
    double speed;                     // m/s, by least squares over the middle of the rod
    double first_height, last_height; // of the bulge at both ends of that stretch
    double first_time, last_time;
    double first_energy, last_energy, energy_at_start;
    double energy_growth; // the largest of any step, relative to the start
    double length_error;  // of the distance between the ends
} Wave;

// Sums of a straight line through the points (t, x).
typedef struct Line {
    double n, t, x, tt, tx;
    bool done; // the wave has left the stretch that is measured
} Line;

static void line_add(Line *line, double t, double x) {
    line->n += 1.0;
    line->t += t;
    line->x += x;
    line->tt += t * t;
    line->tx += t * x;
}

static double line_slope(const Line *line) {
    return (line->n * line->tx - line->t * line->x) / (line->n * line->tt - line->t * line->t);
}

// Where along the material the rod is thickest, and how much thicker than where the wave has not
// been yet; by a parabola through the three largest scales.
static double peak(RodPose rod, double base, double *out_height) {
    int top = 1;
    for (int i = 1; i + 1 < rod.vertices; ++i)
        top = rod.scales[i] > rod.scales[top] ? i : top;
    double a = (double)rod.scales[top - 1], b = (double)rod.scales[top],
           c = (double)rod.scales[top + 1];
    double curve = a - 2.0 * b + c, shift = curve < 0.0 ? 0.5 * (a - c) / curve : 0.0;
    *out_height = b - 0.25 * (a - c) * shift - base;
    return (top + shift) * LENGTH / rod.segments;
}

static void measure_step(Wave *wave, Line *line, double time, double x, double height,
                         double energy) {
    line->done = line->done || x > 0.8 * LENGTH; // what comes back was reflected
    if (x < 0.3 * LENGTH || line->done)
        return;
    if (line->n == 0.0) {
        wave->first_height = height;
        wave->first_time = time;
        wave->first_energy = energy;
    }
    wave->last_height = height;
    wave->last_time = time;
    wave->last_energy = energy;
    line_add(line, time, x);
}

static SnResult run_wave(FigureRun *run, Wave *wave, FigureView *view, ViewImage *shots) {
    double step = run->simulation.settings.step, before = 0.0, base = 0.0;
    int count = (int)lround(run->simulation.settings.seconds / step), shot = 0;
    Line line = {0};
    *wave = (Wave){0};
    for (int i = 0; i <= count; ++i) {
        SnPoses poses;
        SnResult result = figure_run_to(run, i * step);
        if (result.code == SN_OK && shots && shot < SHOTS &&
            i == (int)lround(shot * SHOT_PERIOD / step)) {
            result = figure_view_draw(view, run, &(FigureLook){.rings = 49}, &shots[shot]);
            ++shot;
        }
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        if (result.code != SN_OK)
            return result;
        RodPose rod = figure_rod(&poses, 0);
        SnMeasures measures = sn_world_measure(run->simulation.world);
        double energy = figure_energy(&measures), height;
        if (i == 0) {
            wave->energy_at_start = before = energy;
            base = (double)rod.scales[rod.vertices - 1];
        }
        double x = peak(rod, base, &height);
        measure_step(wave, &line, i * step, x, height, energy);
        wave->energy_growth = fmax(wave->energy_growth, (energy - before) / wave->energy_at_start);
        before = energy;
        double length = (double)(rod.positions[3 * rod.vertices - 3] - rod.positions[0]);
        wave->length_error = fmax(wave->length_error, fabs(length / LENGTH - 1.0));
    }
    wave->speed = line.n > 2.0 ? line_slope(&line) : 0.0;
    return sn_ok();
}

// dω/dk of the linear wave at the wave number k, for 2σ = −u' × the share below.
static double wave_speed(double k) {
    double share = 2.0 * VOLUME / (2.0 * VOLUME + SHEAR);
    double modulus = YOUNG + 0.5 * SHEAR * share;
    double rr = RADIUS * RADIUS;
    double h = 1e-4 * k, omega[2];
    for (int i = 0; i < 2; ++i) {
        double kk = (k + (i == 0 ? -h : h)) * (k + (i == 0 ? -h : h));
        double stiff = modulus + 0.125 * SHEAR * rr * kk * (1.0 + rr * kk);
        omega[i] = sqrt(kk * stiff / (DENSITY * (1.0 + 0.125 * rr * kk)));
    }
    return (omega[1] - omega[0]) / (2.0 * h);
}

static void report(Figure *figure, const Wave *small, const Wave *large) {
    // |f̂|² of the bulge is exp(−k²w²/2): k² is 1/w² in the mean.
    double speed = wave_speed(1.0 / BULGE);
    figure_table_begin("a bulge of 1 %, against the linear wave");
    figure_table_note("speed of long waves, sqrt((E + G/2) / rho)", wave_speed(1e-3), "m/s");
    figure_check_near(figure, "speed, m/s", small->speed, speed, 0.02);
    figure_check_near(figure, "height kept from 0.3 to 0.8 of the rod",
                      small->last_height / small->first_height, 1.0, 0.02);
    figure_check_near(figure, "energy kept meanwhile", small->last_energy / small->first_energy,
                      1.0, 0.005);
    figure_check_below(figure, "largest growth of energy in a step", small->energy_growth, 1e-4);
    figure_check_below(figure, "change of length", small->length_error, 1e-6);

    figure_table_begin("a bulge of 40 %, in the picture");
    figure_table_note("speed", large->speed, "m/s");
    figure_table_note("height kept from 0.3 to 0.8 of the rod",
                      large->last_height / large->first_height, "");
    figure_table_note("energy kept meanwhile", large->last_energy / large->first_energy, "");
    figure_check_below(figure, "largest growth of energy in a step", large->energy_growth, 3e-3);
    figure_check_below(figure, "change of length", large->length_error, 1e-6);
}

static SnResult write_strip(const Figure *figure, ViewImage *shots) {
    char texts[SHOTS][32];
    const char *captions[SHOTS];
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%.0f ms", 1000.0 * i * SHOT_PERIOD);
        captions[i] = texts[i];
    }
    return figure_write_grid(figure, shots, captions, SHOTS, 1);
}

SnResult figure_viper_fig6(Figure *figure) {
    FigureRun small_run, large_run = {0};
    FigureView view = {0};
    Wave small, large;
    ViewImage shots[SHOTS] = {{0}};
    SnResult result = figure_run_begin(figure, "viper-fig6-small", &small_run);
    if (result.code == SN_OK)
        result = run_wave(&small_run, &small, NULL, NULL);
    if (result.code == SN_OK)
        result = figure_run_begin(figure, "viper-fig6", &large_run);
    if (result.code == SN_OK)
        result = figure_view_begin(1200, 180, &view);
    if (result.code == SN_OK)
        result = run_wave(&large_run, &large, &view, shots);
    figure_view_end(&view);
    figure_run_end(&small_run);
    figure_run_end(&large_run);
    if (result.code == SN_OK) {
        report(figure, &small, &large);
        return write_strip(figure, shots);
    }
    for (int i = 0; i < SHOTS; ++i)
        view_image_release(&shots[i]);
    return result;
}
