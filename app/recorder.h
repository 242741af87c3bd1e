// What is recorded while a scene is simulated: GLB, statistics, the poses of the one picture, and
// the bounds of the motion, on which the camera is framed afterwards.
#pragma once

#include "app/cache.h"
#include "app/holders.h"
#include "app/picture.h"
#include "app/simulation.h"
#include "app/sinks.h"
#include "app/stats.h"

#include <sinew/gltf.h>

typedef struct Recorder {
    Sinks *sinks; // not owned
    const SnScene *scene;
    SnGltf *gltf;
    bool writes_own; // onto the file of the character (glb_own_file)
    Stats *stats;
    Cache *cache;
    int image_frame;
    Moment image_moment; // of image_frame, or of the last frame if it did not come to that
    ViewBounds bounds;
    bool frames_itself; // the camera is framed on the bounds
    Holders holders;
    Actors actors;
    double volume_error_max;
    SnMeasures last; // of the last frame
    int frames;      // seen so far
    long last_steps; // of the simulation when the last one was seen
} Recorder;

// The simulation is at frame 0, which is recorded later, as the others are.
SnResult recorder_begin(Sinks *sinks, Simulation *simulation, int threads, int image_frame,
                        Recorder *out_recorder);
SnResult recorder_add(Recorder *recorder, Simulation *simulation);
// Writes the files with what was recorded so far; the simulation is not asked.
void recorder_write(Recorder *recorder);
// Writes the files. The image's moment is kept until recorder_release.
void recorder_finish(Recorder *recorder, Simulation *simulation);
void recorder_release(Recorder *recorder);
