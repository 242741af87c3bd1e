// One step of all rods, a pack at a time over the workers.
//
// Packs that nothing touches in this step go through all its sub-steps at once, while they are in
// the cache. The others stop in every sub-step for the contacts.
#pragma once

#include "collide/contacts.h"
#include "rod/fields.h"
#include "rod/rods.h"

// What a worker needs for the pack that it is at.
typedef struct RodScratch {
    RodFields fields;
    RodLent lent;
    void *front; // NULL as long as no rod is solved directly
} RodScratch;

typedef struct RodsStep {
    SnIsa isa;
    const SnTaskSystem *tasks;
    float dt;
    int substeps, iterations;
    SnVec3 gravity;
    const SnFieldDef *fields; // all but winds, their directions normalised
    int field_count;
    const Air *air;
    RodScratch *scratch; // one per worker
    Knot *knots;
    KnotWays ways;      // of the knots
    ContactLoad *loads; // of contacts, by knot; taken, and left at 0, when a sub-step begins
} RodsStep;

typedef struct RodsStepReport {
    uint32_t bits;                  // SnStepBits
    float predict, iterate, finish; // ms of all workers, as far as they were timed
} RodsStepReport;

// Origins are moved where that is due; packs are not touched until someone says so.
void sn__rods_begin(RodSystem *rods, const RodsStep *step);
// After the last change to bodies, before they are stepped.
void sn__rods_prepare(RodSystem *rods, const RodsStep *step);
// The whole step of all packs that are not touched.
void sn__rods_step_free(RodSystem *rods, const RodsStep *step);
// For all packs that are, up to the contacts of this pass: the sub-step begins with its first one,
// and the one before ends with it.
void sn__rods_pass(RodSystem *rods, const RodsStep *step, int substep, int iteration);
// After the contacts of the last pass.
void sn__rods_end(RodSystem *rods, const RodsStep *step);

RodsStepReport sn__rods_report(const RodSystem *rods);
