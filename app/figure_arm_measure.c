// What is measured of an arm in motion: volumes, overlaps and trembling of its muscles.
#include "app/figure_arm.h"

#include "bench/overlap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sinew/muscle.h>

#define HIGH_PASS 10.0     // Hz
#define HALF_TAPS 15       // of the filter, frames
#define ALL_PAIRS_EVERY 60 // frames

// All fibres have as many points: those of a muscle that follow each other along its first fibre.
static int count_slices(const SnPoses *poses, int body) {
    int j = poses->element_begin[body], count = 1;
    while (j < poses->element_begin[body + 1] && poses->edges[2 * j + 1] == count) {
        ++j;
        ++count;
    }
    return count;
}

static SnResult add_muscle(ArmMeasure *measure, FigureRun *run, const SnPoses *poses, int body) {
    if (measure->muscle_count == ARM_MUSCLES)
        return sn_error(SN_ERROR_LIMIT, "figure: more than %d muscles", ARM_MUSCLES);
    ArmMuscle *m = &measure->muscles[measure->muscle_count++];
    SnMuscleState state;
    snprintf(m->name, sizeof m->name, "%s", sn_scene_body_name(run->scene, body));
    m->body = poses->bodies[body];
    m->first_point = poses->point_begin[body];
    m->point_count = poses->point_begin[body + 1] - m->first_point;
    m->slices = count_slices(poses, body);
    SnResult result = sn_muscle_read(run->simulation.world, m->body, &state);
    m->rest_volume = (double)state.volume;
    m->radius = sqrt((double)state.volume / (FIGURE_PI * (double)state.length));
    return result;
}

SnResult arm_measure_begin(FigureRun *run, int frames, ArmMeasure *out_measure) {
    SnPoses poses;
    *out_measure = (ArmMeasure){.frame_room = frames};
    SnResult result = figure_run_poses(run, &poses);
    for (int i = 0; result.code == SN_OK && i < poses.body_count; ++i)
        if (sn_body_is_muscle(run->simulation.world, poses.bodies[i]))
            result = add_muscle(out_measure, run, &poses, i);
    if (result.code != SN_OK)
        return result;
    out_measure->point_count = poses.point_count;
    size_t size = (size_t)frames * (size_t)poses.point_count * 3 * sizeof(float);
    out_measure->positions = malloc(size + 1);
    return out_measure->positions
               ? result
               : sn_error(SN_ERROR_MEMORY, "figure: no memory for %zu bytes", size);
}

void arm_measure_end(ArmMeasure *measure) {
    free(measure->positions);
    *measure = (ArmMeasure){0};
}

static ArmMuscle *find_muscle(ArmMeasure *measure, SnBodyId body) {
    for (int i = 0; i < measure->muscle_count; ++i)
        if (measure->muscles[i].body.index == body.index)
            return &measure->muscles[i];
    return NULL;
}

static const char *collider_name(const SnScene *scene, SnColliderId id) {
    for (int i = 0; i < sn_scene_collider_count(scene); ++i) {
        SnSceneCollider collider = sn_scene_collider(scene, i);
        if (collider.id.index == id.index)
            return collider.name;
    }
    return "?";
}

// The first and the last segment of a fibre, and what they touch, are held: they grow on the bone.
static bool is_held(const ArmMuscle *m, int element) {
    int segment = element % (m->slices - 1);
    return segment == 0 || segment == m->slices - 2;
}

static void note(double depth, const char *with, double *deepest, char name[ARM_NAME]) {
    if (depth <= *deepest)
        return;
    *deepest = depth;
    snprintf(name, ARM_NAME, "%s", with);
}

// Overlaps as the last sub-step met them. Pairs that ignore each other touch nothing.
static void measure_overlaps(ArmMeasure *measure, FigureRun *run) {
    SnContactEvents events = sn_world_contact_events(run->simulation.world);
    for (int i = 0; i < events.contact_count; ++i) {
        const SnContact *c = &events.contacts[i];
        ArmMuscle *a = find_muscle(measure, c->a), *b = find_muscle(measure, c->b);
        if (a == NULL || c->gap >= 0.0f || is_held(a, c->element_a))
            continue;
        if (c->b.generation == 0)
            note(-(double)c->gap / a->radius, collider_name(run->scene, c->collider), &a->in_bone,
                 a->bone);
        else if (b && !is_held(b, c->element_b))
            note(-(double)c->gap / fmin(a->radius, b->radius), b->name, &a->in_muscle,
                 a->neighbour);
    }
}

SnResult arm_measure_add(ArmMeasure *measure, FigureRun *run) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    for (int i = 0; result.code == SN_OK && i < measure->muscle_count; ++i) {
        ArmMuscle *m = &measure->muscles[i];
        SnMuscleState state;
        result = sn_muscle_read(run->simulation.world, m->body, &state);
        if (result.code == SN_OK)
            m->volume_error =
                fmax(m->volume_error, fabs((double)state.volume / m->rest_volume - 1.0));
    }
    if (result.code != SN_OK)
        return result;
    measure_overlaps(measure, run);
    if (measure->frame_count % ALL_PAIRS_EVERY == 0)
        measure->among_all = fmax(measure->among_all, overlap_between_rods(&poses));
    if (measure->frame_count < measure->frame_room) {
        size_t numbers = 3 * (size_t)measure->point_count;
        memcpy(measure->positions + numbers * (size_t)measure->frame_count++, poses.positions,
               numbers * sizeof(float));
    }
    return result;
}

// A low pass: the ideal one, sin(2π f t)/(π t), under a bell of Hann, scaled to leave what stands
// still alone.
static void make_filter(double frame_rate, double taps[2 * HALF_TAPS + 1]) {
    double sum = 0.0;
    for (int k = -HALF_TAPS; k <= HALF_TAPS; ++k) {
        double phase = 2.0 * FIGURE_PI * HIGH_PASS / frame_rate * k;
        double ideal = k == 0 ? 1.0 : sin(phase) / phase;
        double bell = 0.5 + 0.5 * cos(FIGURE_PI * k / (HALF_TAPS + 1));
        taps[k + HALF_TAPS] = ideal * bell;
        sum += ideal * bell;
    }
    for (int k = 0; k <= 2 * HALF_TAPS; ++k)
        taps[k] /= sum;
}

// With y = x − low pass of x, the energy of a point's path is the mean of |y|² over all frames that
// have enough neighbours on both sides, m².
static double energy_of(const ArmMeasure *measure, const double *taps, int point) {
    double sum = 0.0;
    int count = measure->frame_count - 2 * HALF_TAPS;
    size_t numbers = 3 * (size_t)measure->point_count;
    for (int n = HALF_TAPS; n < measure->frame_count - HALF_TAPS; ++n)
        for (int c = 0; c < 3; ++c) {
            const float *x = measure->positions + numbers * (size_t)n + 3 * point + c;
            double y = (double)*x;
            for (int k = -HALF_TAPS; k <= HALF_TAPS; ++k)
                y -= taps[k + HALF_TAPS] * (double)*(x + (ptrdiff_t)numbers * k);
            sum += y * y / count;
        }
    return sum;
}

// Whether a point is at an end of a fibre.
static bool is_end(const ArmMeasure *measure, int point) {
    for (int i = 0; i < measure->muscle_count; ++i) {
        const ArmMuscle *m = &measure->muscles[i];
        int within = point - m->first_point;
        if (within >= 0 && within < m->point_count)
            return within % m->slices == 0 || within % m->slices == m->slices - 1;
    }
    return false;
}

SnResult arm_jitter(const ArmMeasure *measure, double frame_rate, ArmJitter *out_jitter) {
    double taps[2 * HALF_TAPS + 1], sum = 0.0, held = 0.0;
    int ends = 0;
    if (measure->frame_count <= 2 * HALF_TAPS)
        return sn_error(SN_ERROR_INVALID, "figure: %d frames are too few for a filter of %d",
                        measure->frame_count, 2 * HALF_TAPS + 1);
    make_filter(frame_rate, taps);
    *out_jitter = (ArmJitter){0};
    for (int i = 0; i < measure->point_count; ++i) {
        double energy = energy_of(measure, taps, i);
        sum += energy / measure->point_count;
        held += is_end(measure, i) ? energy : 0.0;
        ends += is_end(measure, i);
        if (sqrt(energy) > out_jitter->worst) {
            out_jitter->worst = sqrt(energy);
            out_jitter->point = i;
        }
    }
    out_jitter->mean = sqrt(sum);
    out_jitter->held = ends > 0 ? sqrt(held / ends) : 0.0;
    return sn_ok();
}
