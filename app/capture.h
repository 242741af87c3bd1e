// Simulates a scene and records it: GLB, statistics, a picture and a video.
//
// The camera is framed on the whole motion, so pictures come after the simulation. The video's
// frames are simulated a second time while they are drawn: the engine gives the same bits again,
// and that is far cheaper than drawing, and needs no memory for every pose.
#pragma once

#include <sinew/gltf.h>
#include <sinew/scene.h>

#include "app/sinks.h"

typedef struct CaptureDef {
    SnScene *scene;
    SnWorldDef world; // threads and instruction set
    double seconds;
    double image_time; // s
    int width, height;
    bool quiet; // no bars
} CaptureDef;

typedef struct CaptureReport {
    double seconds, wall_seconds; // simulated, and how long that took
    long steps;
    double volume_error_max;
    // At the end of it.
    int bodies, asleep, contacts;
    SnMeasures last;
    SnGltfMorphs morphs; // of implicit skins, in the GLB
    bool soft;           // some rods are too stiff for their sweeps: the line says which
    char soft_line[512];
    bool stretched; // a body is, before the first step: the line says which
    char stretched_line[512];
    uint32_t bits;  // SnStepBits of all steps
    float torn_gap; // as Simulation has it
    char torn_link[256];
    bool interrupted;     // the outputs hold what was done
    double video_seconds; // how much of it the video shows
} CaptureReport;

// An output that fails says so and leaves the others alone; the result is about the simulation.
SnResult capture(const CaptureDef *def, Sinks *sinks, CaptureReport *out_report);
