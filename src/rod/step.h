// One step of all rods, a pack at a time over the workers.
#pragma once

#include "rod/fields.h"
#include "rod/rods.h"

// What a worker lends to the pack it is at.
typedef struct RodScratch {
    RodField fields[SN_MAX_FIELDS];
    RodWork *work;
} RodScratch;

typedef struct RodsStep {
    SnIsa isa;
    SnTaskSystem tasks;
    float dt;
    int substeps, iterations;
    SnVec3 gravity;
    const ActiveField *fields;
    int field_count;
    RodScratch *scratch; // one per worker
} RodsStep;

typedef struct RodsStepReport {
    uint32_t bits;                  // SnStepBits
    float predict, iterate, finish; // ms of the wall time
} RodsStepReport;

RodsStepReport sn__rods_step(RodSystem *rods, const RodsStep *step);
