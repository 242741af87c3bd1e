// Internal damping of Kelvin and Voigt, at default settings. What is elastic resists with τ times its
// stiffness to the rate of its strain, so a mode of frequency ω decays at the rate τω²/2: the damping
// ratio is ζ = τω/2. It is no force on what rests: a hanging rope stretches as it does without.
//
// The breathing rod has all its vertices held. A uniform scale s costs π r² (G (s − 1)² + ½k (s² − 1)²)
// per length and has the inertia ½ρ π r⁴, so ω² = (4G + 8k)/(ρ r²).
#include "app/figure_kit.h"
#include "app/figure_modes.h"

#include <math.h>
#include <stdio.h>

#define RATIOS 3
static const double ratios[RATIOS] = {0.01, 0.1, 0.5};

#define TIMES 3
static const double times[TIMES] = {0.1, 1.0, 100.0}; // s
#define ROPE_SECONDS 10.0

static const Stuff soft_rubber = {"soft rubber", 1e6, 1e6 / 3.0, 5e7, 1000.0};
static const Stuff foam = {"foam", 1e3, 100.0, 200.0, 1000.0};

typedef enum Motion { MOTION_BENDING, MOTION_TWISTING, MOTION_BREATHING, MOTION_COUNT } Motion;
static const char *const motion_names[MOTION_COUNT] = {"cantilever", "twisting rod",
                                                       "breathing radius"};

typedef struct Results {
    double decay[MOTION_COUNT][KIND_COUNT][RATIOS]; // over τω²/2; not a number where there is none
} Results;

static double breathing_frequency(const Specimen *s) {
    double stiffness = 4.0 * (double)s->def.material.shear + 8.0 * (double)s->def.material.volume;
    return sqrt(stiffness / (double)s->def.material.density) / s->radius;
}

// The specimen as it starts, and its frequency, rad/s.
static double shape_motion(Motion motion, RodKind kind, Specimen *s) {
    if (motion == MOTION_BREATHING) {
        specimen_init(s, kind, &foam, 0.1, 10);
        specimen_straight(s, 1.0, 0.0);
        for (int i = 0; i < s->vertices; ++i)
            s->start_scales[i] = 1.003f;
        s->def.start_scales = s->start_scales;
        return breathing_frequency(s);
    }
    specimen_init(s, kind, &soft_rubber, 0.02, 20);
    if (motion == MOTION_TWISTING) {
        specimen_straight(s, 4.0, 0.0);
        start_torsion(s, 0.2);
        return torsion_frequency(s);
    }
    specimen_straight(s, 0.6, 0.0);
    start_bending(s, 1, 0.05);
    return bending_frequency(s, 1);
}

static SnResult measure_decay(Motion motion, RodKind kind, double ratio, double *out) {
    static Specimen specimen;
    static Series series;
    Specimen *s = &specimen;
    double frequency = shape_motion(motion, kind, s);
    double tau = 2.0 * ratio / frequency;
    // Until a tenth is left, but one period at least and four at most.
    double period = 2.0 * FIGURE_PI / frequency;
    double seconds = fmin(fmax(2.3 / (ratio * frequency), period), 4.0 * period);
    s->def.material.damping = (float)tau;
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    if (motion == MOTION_BREATHING) {
        for (int i = 0; i < s->vertices; ++i)
            specimen_hold(s, SN_ATTACH_VERTEX, i);
        record_breathing(s, seconds, &series);
    } else {
        specimen_clamp(s);
        if (motion == MOTION_TWISTING)
            record_torsion(s, seconds, &series);
        else
            record_bending(s, 1, seconds, &series);
    }
    *out = series_decay(&series, frequency) / (ratio * frequency);
    return specimen_end(s);
}

static SnResult run_decays(Figure *figure, Results *out) {
    char what[80];
    for (int motion = 0; motion < MOTION_COUNT; ++motion) {
        figure_table_begin(motion == MOTION_BENDING    ? "a cantilever: decay / (tau w^2 / 2)"
                           : motion == MOTION_TWISTING ? "a twisting rod: decay / (tau w^2 / 2)"
                                                       : "the radius: decay / (tau w^2 / 2)");
        for (int kind = 0; kind < KIND_COUNT; ++kind)
            for (int i = 0; i < RATIOS; ++i) {
                double *decay = &out->decay[motion][kind][i];
                *decay = NAN;
                if (motion == MOTION_BREATHING && kind != KIND_VOLUME)
                    continue;
                SnResult result = measure_decay((Motion)motion, (RodKind)kind, ratios[i], decay);
                if (result.code != SN_OK)
                    return result;
                snprintf(what, sizeof what, "%s, %s, ratio %g", motion_names[motion],
                         kind_names[kind], ratios[i]);
                figure_check_near(figure, what, *decay, 1.0, 0.02);
            }
    }
    return sn_ok();
}

// Where a rope hangs without damping: at z from its top it is stretched by
// e = ρ g (L − z)/E′, E′ the modulus of small stretches, and is thinner by e k/(G + 2k).
//
// Returns how long it is then, and lets it start like that where `begin` says so.
static double hang(Specimen *s, bool begin) {
    const SnRodMaterial *m = &s->def.material;
    double thinner = 0.0, unit = s->mass * GRAVITY / (s->length * s->stretch_modulus * s->area);
    if (s->kind == KIND_STIFF)
        unit = 0.0;
    if (s->kind == KIND_VOLUME)
        thinner = (double)m->volume / ((double)m->shear + 2.0 * (double)m->volume);
    for (int i = 0; i < s->vertices; ++i) {
        double z = s->length * i / s->segments;
        s->start[i] = sn_vec3(0.0f, (float)(-z - unit * (s->length * z - 0.5 * z * z)), 0.0f);
        s->start_frames[i] = s->rest_frames[i];
        s->start_scales[i] = (float)(1.0 - thinner * unit * (s->length - z));
    }
    if (begin) {
        s->def.start_positions = s->start;
        s->def.start_frames = s->start_frames;
        s->def.start_scales = s->kind == KIND_VOLUME ? s->start_scales : NULL;
    }
    return -(double)s->start[s->segments].y;
}

typedef struct Rope {
    double stretch; // in the end, over what it should be; of stiff rods, the length
    double speed;   // m/s, in the end
    double most;    // the largest stretch of a segment on the way
} Rope;

// Begins where it hangs in the end, or unstretched, or level.
typedef enum RopeStart { ROPE_HUNG, ROPE_SLACK, ROPE_LEVEL } RopeStart;

static SnResult hang_rope(RodKind kind, RopeStart start, double tau, Rope *out) {
    static Specimen specimen;
    Specimen *s = &specimen;
    *out = (Rope){NAN, NAN, 0.0};
    specimen_init(s, kind, &soft_rubber, 0.01, 40);
    specimen_straight(s, 1.0, start == ROPE_LEVEL ? 0.0 : -0.5 * FIGURE_PI);
    double hung = hang(s, start == ROPE_HUNG);
    s->def.material.damping = (float)tau;
    specimen_begin(s, sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    for (int i = 0; s->result.code == SN_OK && i * DEFAULT_STEP < ROPE_SECONDS; ++i) {
        specimen_step(s);
        SnMeasures m = sn_world_measure(s->world);
        out->speed = m.speed_max;
        out->most = m.stretch_max > out->most ? m.stretch_max : out->most;
    }
    specimen_read(s);
    double now = -(double)s->positions[s->segments].y;
    out->stretch = kind == KIND_STIFF ? now / hung : (now - s->length) / (hung - s->length);
    return specimen_end(s);
}

static SnResult run_ropes(Figure *figure) {
    static const char *const starts[] = {"", ", from slack", ", from level"};
    char what[80];
    figure_table_begin("a hanging rope after 10 s: stretch over that without damping; speed, m/s");
    for (int kind = 0; kind < KIND_COUNT; ++kind)
        for (int start = ROPE_HUNG; start <= ROPE_LEVEL; ++start)
            for (int i = 0; i < TIMES; ++i) {
                Rope rope;
                SnResult result = hang_rope((RodKind)kind, (RopeStart)start, times[i], &rope);
                if (result.code != SN_OK)
                    return result;
                int length = snprintf(what, sizeof what, "%s, tau = %g s%s", kind_names[kind],
                                      times[i], starts[start]);
                // What is damped for long is on its way for long: all it may not do is tear itself.
                bool settled = start == ROPE_HUNG || (start == ROPE_SLACK && times[i] <= 1.0);
                if (settled)
                    figure_check_near(figure, what, rope.stretch, 1.0, 0.02);
                const char *also = settled ? ", speed" : ", largest stretch";
                snprintf(what + length, sizeof what - (size_t)length, "%s", also);
                figure_check_below(figure, what, settled ? rope.speed : rope.most,
                                   settled ? 0.001 : 0.05);
            }
    return sn_ok();
}

static SnResult plot(const Figure *figure, const Results *results) {
    static const double line_x[2] = {0.005, 1.0}, line_y[2] = {1.0, 1.0};
    char labels[MOTION_COUNT * KIND_COUNT][48];
    ViewPlotSeries series[MOTION_COUNT * KIND_COUNT + 1];
    int count = 0;
    for (int motion = 0; motion < MOTION_COUNT; ++motion)
        for (int kind = 0; kind < KIND_COUNT; ++kind) {
            if (motion == MOTION_BREATHING && kind != KIND_VOLUME)
                continue;
            snprintf(labels[count], sizeof labels[count], "%s, %s", motion_names[motion],
                     kind_names[kind]);
            series[count] = (ViewPlotSeries){.label = labels[count],
                                             .count = RATIOS,
                                             .x = ratios,
                                             .y = results->decay[motion][kind],
                                             .style = VIEW_PLOT_LINE | VIEW_PLOT_MARKERS};
            ++count;
        }
    series[count++] =
        (ViewPlotSeries){.count = 2, .x = line_x, .y = line_y, .style = VIEW_PLOT_DASHES};
    const ViewPlot chart = {.title = "Decay of damped vibrations, over that of theory",
                            .x = {.label = "damping ratio", .log = true},
                            .y = {.label = "decay / (tau w^2 / 2)"},
                            .series = series,
                            .series_count = count};
    return figure_write_plot(figure, &chart);
}

SnResult figure_damping(Figure *figure) {
    static Results results;
    SnResult result = run_decays(figure, &results);
    if (result.code == SN_OK)
        result = run_ropes(figure);
    return result.code == SN_OK ? plot(figure, &results) : result;
}
