// Figure 1 of the VIPER paper: muscles as rods between bones, and the skin over them, here a whole arm
// that curls and reaches (scenes/arm.json).
//
// What is asked of it: a muscle keeps its volume, fibres do not sink into bones, and nothing trembles. Volumes and overlaps are the worst of every step; overlaps are parts of the radius
// of the thinner muscle, without the first and the last segment of fibres, which grow on their bone, and
// without pairs that the scene lets ignore each other. Trembling is the motion of points beyond 10 Hz
// (figure_arm_measure.c), where a motion over seconds has nothing to show.
#include "app/figure_arm.h"

#include <math.h>
#include <stdio.h>

#define SHOTS 2
#define MOST_VOLUME 0.01
#define MOST_OVERLAP 0.02

static const double times[SHOTS] = {1.8, 4.0}; // s: curled, and reaching
static const char *const moments[SHOTS] = {"curl", "reach"};

typedef struct ArmRun {
    FigureRun run;
    FigureView view;
    ArmMeasure measure;
    ViewImage shots[SHOTS * ARM_VIEWS];
    double end; // s
} ArmRun;

static SnResult run_to(ArmRun *arm, double time) {
    FigureRun *run = &arm->run;
    double step = run->simulation.settings.step;
    SnResult result = sn_ok();
    int last = (int)lround(time / step);
    for (int n = (int)run->simulation.steps; n < last && result.code == SN_OK; ++n) {
        result = figure_run_to(run, (n + 1) * step);
        if (result.code == SN_OK)
            result = arm_measure_add(&arm->measure, run);
    }
    return result;
}

static SnResult make(Figure *figure, ArmRun *arm) {
    SnResult result = figure_run_begin(figure, "../arm", &arm->run);
    if (result.code != SN_OK)
        return result;
    const SnSceneSettings *settings = &arm->run.simulation.settings;
    arm->end = sn_scene_settings(arm->run.scene).seconds;
    result = arm_measure_begin(&arm->run, (int)lround(arm->end / settings->step), &arm->measure);
    if (result.code == SN_OK)
        result = figure_view_begin(520, 440, &arm->view);
    for (int i = 0; i < SHOTS && result.code == SN_OK; ++i) {
        result = run_to(arm, times[i]);
        for (int k = 0; k < ARM_VIEWS && result.code == SN_OK; ++k)
            result = arm_draw(&arm->view, &arm->run, k, &arm->shots[ARM_VIEWS * i + k]);
    }
    return result.code == SN_OK ? run_to(arm, arm->end) : result;
}

static void report_muscles(Figure *figure, const ArmMeasure *measure) {
    char what[160];
    figure_table_begin("volume over the whole motion, |V / V at rest - 1|");
    for (int i = 0; i < measure->muscle_count; ++i)
        figure_check_below(figure, measure->muscles[i].name, measure->muscles[i].volume_error,
                           MOST_VOLUME);
    figure_table_begin("deepest overlap with a bone / radius of the muscle");
    for (int i = 0; i < measure->muscle_count; ++i) {
        const ArmMuscle *m = &measure->muscles[i];
        snprintf(what, sizeof what, "%s%s%s", m->name, m->in_bone > 0.0 ? " in " : "", m->bone);
        figure_check_below(figure, what, m->in_bone, MOST_OVERLAP);
    }
    figure_table_begin("deepest overlap with another muscle / radius of the thinner one");
    for (int i = 0; i < measure->muscle_count; ++i) {
        const ArmMuscle *m = &measure->muscles[i];
        snprintf(what, sizeof what, "%s%s%s", m->name, m->in_muscle > 0.0 ? " in " : "",
                 m->neighbour);
        figure_table_note(what, m->in_muscle, "");
    }
}

// The scene lets heads that share a tendon, and some others, pass through each other.
static void report_ignored(const ArmMeasure *measure) {
    figure_table_note("of all pairs, also those that ignore each other", measure->among_all, "");
}

static SnResult report_jitter(const ArmRun *arm) {
    const ArmMeasure *measure = &arm->measure;
    ArmJitter jitter;
    char what[160];
    SnResult result = arm_jitter(measure, 1.0 / arm->run.simulation.settings.step, &jitter);
    if (result.code != SN_OK)
        return result;
    figure_table_begin("motion of points beyond 10 Hz, root mean square over the motion");
    figure_table_note("all points", 1e3 * jitter.mean, "mm");
    figure_table_note("points held by bones: the motion itself", 1e3 * jitter.held, "mm");
    for (int i = 0; i < measure->muscle_count; ++i) {
        const ArmMuscle *m = &measure->muscles[i];
        if (jitter.point < m->first_point || jitter.point >= m->first_point + m->point_count)
            continue;
        snprintf(what, sizeof what, "the worst, slice %d of %s",
                 (jitter.point - m->first_point) % m->slices, m->name);
        figure_table_note(what, 1e3 * jitter.worst, "mm");
    }
    return result;
}

static SnResult write_pictures(const Figure *figure, ArmRun *arm) {
    char texts[SHOTS * ARM_VIEWS][48];
    const char *captions[SHOTS * ARM_VIEWS];
    for (int i = 0; i < SHOTS * ARM_VIEWS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%s, %s", arm_view_names[i % ARM_VIEWS],
                 moments[i / ARM_VIEWS]);
        captions[i] = texts[i];
    }
    return figure_write_grid(figure, arm->shots, captions, SHOTS * ARM_VIEWS, ARM_VIEWS);
}

SnResult figure_viper_fig1(Figure *figure) {
    ArmRun arm = {0};
    SnResult result = make(figure, &arm);
    if (result.code == SN_OK) {
        report_muscles(figure, &arm.measure);
        report_ignored(&arm.measure);
        result = report_jitter(&arm);
    }
    if (result.code == SN_OK)
        result = write_pictures(figure, &arm);
    else
        figure_release(arm.shots, SHOTS * ARM_VIEWS);
    figure_view_end(&arm.view);
    arm_measure_end(&arm.measure);
    figure_run_end(&arm.run);
    return result;
}
