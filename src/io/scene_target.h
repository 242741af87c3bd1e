// Finding the value that an animation's target names, such as "/frames/0/position".
#pragma once

#include "io/scene_parts.h"

typedef struct SnSlot {
    float *value;
    int width; // 1, 3 or 4 floats, 4 for a rotation
    SnRange range;
    SnTarget target;
    bool
        *animated; // set in the thing that has the value; NULL if nothing must be told to the world
} SnSlot;

// `json` is where errors are reported. False after a complaint.
bool sn__find_slot(SnReader *reader, SnScene *scene, const SnJson *json, const char *path,
                   SnSlot *out);
