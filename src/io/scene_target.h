// Finding the value that an animation's target names, such as "/frames/0/position".
#pragma once

#include "io/scene_parts.h"

typedef struct ValueSlot {
    float *value;
    int width; // 1, 3 or 4 floats, 4 for a rotation
    Range range;
    AnimationTarget target;
    bool
        *animated; // set in the thing that has the value; NULL if nothing must be told to the world
} ValueSlot;

// `json` is where errors are reported. False after a complaint.
bool sn__find_slot(Reader *reader, SnScene *scene, const Json *json, const char *path,
                   ValueSlot *out);
