// Weights: how much of which bone a vertex of a skin follows (VIPER, section 7.4).
#pragma once

#include "skin/pill_bvh.h"
#include "skin/surface.h"

#define SKIN_KEPT 8 // influences of a point while its weights are smoothed

typedef struct SkinInfluence {
    int bone;
    float weight;
} SkinInfluence;

// Pills at rest, each between two bones, or around one.
typedef struct SkinPills {
    int count, bone_count;
    const Pill *pills;
    const int *bones; // two per pill
} SkinPills;

// Weights of the points of a surface, SKIN_KEPT each, the heaviest first; they sum up to 1 over
// the first SN_SKIN_BONES, and the rest is 0. Initially a pill has the weight 1/d², d the distance
// from its surface, shared between its ends as the nearest sphere lies between them; then `fairing`
// rounds of smoothing over the surface (Thiery et al. 2013). False: no memory.
bool sn__skin_weights(const SnAllocator *allocator, const SkinPills *pills,
                      const SkinSurface *surface, const SnVec3 *positions, int fairing,
                      SkinInfluence *out_influences);
