// One step of one pack, from prediction to velocities.
#pragma once

#include "rod/kernels.h"

void sn__pack_prepare(RodPack *pack, float h);

// motion->fields are those of this pack (their centres are relative to its lanes' origins).
typedef struct RodStep {
    const RodKernels *kernels;
    RodMotion motion;
    int substeps, iterations;
    bool timed; // fill pack->stage_ms
} RodStep;

// Fills pack->step_bits.
void sn__pack_step(RodPack *pack, const RodStep *step);

// Moves the origins of lanes that have gone far from theirs.
void sn__pack_rebase(RodPack *pack);
