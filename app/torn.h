// Segments of stiff rods that broke off: rods and skins would be drawn out to where they are now.
#pragma once

#include "view/scene.h"

#include <sinew/scene.h>

typedef struct Torn {
    float *lengths; // per segment of the poses: how long it is, 0 for those that are whole
    int count;      // of those that are not
    size_t capacity;
    uint32_t **triangles; // per skin: those of its bark that are whole
    int skin_count;
} Torn;

// The segments that are torn now. Start from all zeros.
SnResult torn_find(const SnScene *scene, const SnPoses *poses, Torn *torn);
void torn_release(Torn *torn);

// Leaves out the bark of a tree's skin that would be drawn out; `mesh` then has other triangles.
SnResult torn_cut_bark(Torn *torn, const SnScene *scene, const SnPoses *poses, int skin,
                       ViewMesh *mesh);
// What shows the torn segments of a tree under a skin instead: at most two pills for each.
int torn_pills(const Torn *torn, const SnScene *scene, const SnPoses *poses, int rod,
               ViewSolid *out_pills);
