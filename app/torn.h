// Segments that broke off: skins would be drawn out to where they are now.
#pragma once

#include "app/moment.h"
#include "view/scene.h"

typedef struct Torn {
    uint32_t **triangles; // per skin: those of its bark that are whole; NULL: it is whole
    int skin_count;
} Torn;

// Makes ready for the skins of the moment. Start from all zeros.
SnResult torn_begin(Torn *torn, const Moment *moment);
void torn_release(Torn *torn);

// Leaves out the bark of a tree's skin that would be drawn out; `mesh` then has other triangles.
SnResult torn_cut_bark(Torn *torn, const Moment *moment, int skin, ViewMesh *mesh);
// What shows the torn segments of a tree under a skin instead: at most two pills for each end. `rod` is
// the tree's number in the poses.
int torn_pills(const SnSceneBody *tree, const SnPoses *poses, int rod, ViewSolid *out_pills);
