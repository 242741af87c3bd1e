// One entry of "rods".
#pragma once

#include "io/scene_body.h"

typedef struct SceneRod {
    SceneBody body;
    bool closed, straight, classic, stiff;
    SnRodSolver solver;
    const SceneTree *tree;   // NULL: it is none
    SnSegmentDef *segments;  // of a stiff rod, or NULL
    int *bone_segments;      // as SnRodDef has it, or NULL
    SnQuat *frames;          // NULL: without twist
    SnVec3 *start_positions; // these three NULL where the rest shape is the start
    SnQuat *start_frames;
    float *start_scales;
} SceneRod;

// NULL if the body is no rod.
const SceneRod *sn__scene_rod(const SceneBody *body);
