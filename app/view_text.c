// What stands in the panels of the viewer.
#include "app/input.h"
#include "app/viewer.h"

#include <sinew/muscle.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct Page {
    char *text;
    size_t size, used;
} Page;

static void __attribute__((format(printf, 2, 3))) add(Page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(page->text + page->used, page->size - page->used, format, arguments);
    va_end(arguments);
    size_t left = page->size - page->used - 1;
    page->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left;
}

static void add_times(Page *page, const SnStepTimes *times) {
    const struct {
        const char *name;
        float ms;
    } stages[] = {{"animate", times->animate},   {"collide", times->collide},
                  {"predict", times->predict},   {"iterate", times->iterate},
                  {"contacts", times->contacts}, {"finish", times->finish}};
    add(page, "step\t%.2f ms\n", (double)times->total);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i)
        add(page, "  %s\t%.2f ms\n", stages[i].name, (double)stages[i].ms);
}

void text_statistics(const Viewer *viewer, char *text, size_t size) {
    Page page = {text, size, 0};
    const Moment *moment = &viewer->moment;
    SnWorld *world = viewer->simulation.world;
    SnMeasures measures = simulation_measure(&viewer->simulation);
    SnStepTimes times = sn_world_step_times(world);
    text[0] = '\0';
    add(&page, "time\t%.2f s\n", moment->time);
    if (viewer->pace.fps > 0.0) {
        add(&page, "pictures\t%.3g per s\n", viewer->pace.fps);
        add(&page, "real time\t%.2f x\n", viewer->pace.factor);
    }
    add_times(&page, &times);
    add(&page, "bodies\t%d, %d asleep\n", moment->rods.body_count,
        simulation_asleep(&viewer->simulation));
    add(&page, "%s\t%d\n",
        rod_count(viewer->simulation.scene) < moment->rods.body_count ? "parts" : "segments",
        moment->rods.element_count);
    add(&page, "contacts\t%d\n", moment->contacts.contact_count);
    add(&page, "volume error\t%.2f %% at most\n", 100.0 * measures.volume_error_max);
    add(&page, "overlap\t%.2f %% of a radius\n", 100.0 * measures.penetration_max);
    if (measures.stiff_iterations > 0)
        add(&page, "joints\t%.1e off after %d solves\n", measures.stiff_residual,
            measures.stiff_iterations);
    if (measures.broken_joints > 0)
        add(&page, "broken\t%d joint%s\n", measures.broken_joints,
            measures.broken_joints == 1 ? "" : "s");
    add(&page, "fastest\t%.3f m/s\n", measures.speed_max);
    add(&page, "triangles\t%zu", view_renderer_stats(viewer->renderer).triangle_count);
}

void text_state(const Viewer *viewer, char *text, size_t size) {
    Page page = {text, size, 0};
    text[0] = '\0';
    double speed = view_pace_speed(&viewer->pace);
    if (viewer->paused)
        add(&page, "paused at %.2f s", viewer->moment.time);
    else if (viewer->pace.too_slow)
        add(&page, "too slow for this machine: %.0f %% of the speed",
            100.0 * viewer->pace.factor / speed);
    if (viewer->pace.speed != 0) {
        const char *gap = page.used ? ", " : "";
        if (viewer->pace.speed < 0)
            add(&page, "%sspeed 1/%.0f", gap, 1.0 / speed);
        else
            add(&page, "%sspeed %.0f", gap, speed);
    }
}

void text_muscle(const Viewer *viewer, char *text, size_t size) {
    Page page = {text, size, 0};
    SnMuscleState state;
    text[0] = '\0';
    if (viewer->muscle < 0)
        return;
    SnBodyId body = viewer->moment.rods.bodies[viewer->muscle];
    if (sn_muscle_read(viewer->simulation.world, body, &state).code != SN_OK)
        return;
    add(&page, "%.60s\n", sn_scene_body_name(viewer->scene, viewer->muscle));
    add(&page, "length\t%.1f mm\n", 1.0e3 * (double)state.length);
    add(&page, "volume\t%.2f cm3\n", 1.0e6 * (double)state.volume);
    add(&page, "tension\t%.2f N\n", (double)state.tension);
    add(&page, "moment arm\t%.1f mm\n", 1.0e3 * (double)sn_vec3_length(state.moment_arm));
    add(&page, "activation\t%.0f %%", 100.0 * (double)state.activation);
}
