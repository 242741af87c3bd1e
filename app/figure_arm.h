// What figure 1 of the VIPER paper is made of: a whole arm over its motion.
#pragma once

#include "app/figure_kit.h"

#define ARM_MUSCLES 16 // at most
#define ARM_NAME 64

// What is measured of one muscle over the motion.
typedef struct ArmMuscle {
    char name[ARM_NAME];
    SnBodyId body;
    int first_point, point_count, slices;
    double rest_volume;  // m³
    double radius;       // m, at rest: that of a cylinder with its volume and length
    double volume_error; // the largest
    double in_bone;      // deepest overlap over the radius, away from the ends of its fibres
    double in_muscle;    // the same with another muscle
    char bone[ARM_NAME]; // which
    char neighbour[ARM_NAME];
} ArmMuscle;

typedef struct ArmMeasure {
    int muscle_count;
    ArmMuscle muscles[ARM_MUSCLES];
    double
        among_all; // deepest overlap of muscles with each other, of all pairs and all of their fibres
    int point_count;
    // Positions of all points in every frame, frame after frame.
    int frame_count, frame_room;
    float *positions;
} ArmMeasure;

// Room for so many frames. Fine to end after a failure, too.
SnResult arm_measure_begin(FigureRun *run, int frames, ArmMeasure *out_measure);
void arm_measure_end(ArmMeasure *measure);
// The state after a step.
SnResult arm_measure_add(ArmMeasure *measure, FigureRun *run);

// Motion of points beyond 10 Hz, m.
typedef struct ArmJitter {
    double mean;  // root mean square over time and all points
    double held;  // the same of points that bones hold: what the motion itself has
    double worst; // of the point for which it is largest
    int point;
} ArmJitter;

SnResult arm_jitter(const ArmMeasure *measure, double frame_rate, ArmJitter *out_jitter);

// The same world seen in four ways.
enum { ARM_MESH, ARM_RODS, ARM_BUNDLES, ARM_SKIN, ARM_VIEWS };
extern const char *const arm_view_names[ARM_VIEWS];
SnResult arm_draw(FigureView *view, FigureRun *run, int which, ViewImage *out_image);
