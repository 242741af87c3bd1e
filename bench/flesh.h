// Characters made by code with muscles laid on them by code, and what a frame of them costs.
#pragma once

#include <sinew/character_model.h>
#include <sinew/scene.h>

// A character in motion: 50 muscles of a figure, 6 of an arm.
typedef struct FleshCase {
    SnCharacter character;
    int clip;
    double seconds; // of the clip
    int points;     // of each muscle's line
    bool bare;      // the skin does not know of muscles
    bool apart;     // they touch nothing
} FleshCase;

// Means of a frame of a thirtieth of a second, which is two steps of four sub-steps of the lines; ms.
typedef struct FleshTimes {
    double lines, skin;
    int vertices, joints, muscles, points; // points that move, of all lines
} FleshTimes;

SnResult flesh_scene(const FleshCase *which, SnScene **out_scene);
SnResult flesh_measure(const FleshCase *which, int threads, SnIsa isa, FleshTimes *out);
