// A scene in motion: steps of the scene's size from one output frame to the next.
#pragma once

#include <sinew/scene.h>

typedef struct Simulation {
    SnScene *scene; // not owned
    SnWorld *world;
    SnSceneSettings settings;
    long steps;             // done so far
    double wall_ms;         // spent in animation and steps
    SnStepTimes last_frame; // ms, summed over the steps between the last two frames
    uint32_t bits;          // SnStepBits of all steps
    // Of the link that was open the farthest after a step with SN_STEP_TORN: m, and what it ties.
    float torn_gap;
    char torn_link[256];
} Simulation;

// At time 0, which is frame 0. A scene can have one simulation at a time.
SnResult simulation_begin(SnScene *scene, const SnWorldDef *def, Simulation *out_simulation);
void simulation_end(Simulation *simulation);

// One step of the scene's size.
SnResult simulation_step(Simulation *simulation);

// Frame k shows the step that ends nearest to k/fps. Steps longer than a frame repeat it.
// Stops between two steps when `stop` says so; *out_reached tells whether it got there.
SnResult simulation_to_frame(Simulation *simulation, int frame, bool (*stop)(void *context),
                             void *context, bool *out_reached);

// Of its world. Lines of muscles under skins have no volume of their own, as their fields keep it: they have no part in
// the volume errors.
SnMeasures simulation_measure(const Simulation *simulation);
double simulation_time(const Simulation *simulation); // s
int simulation_asleep(const Simulation *simulation);  // bodies that sleep

// The last frame of a run of so many seconds.
int simulation_last_frame(SnSceneSettings settings, double seconds);
