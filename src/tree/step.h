// One step of all stiff rods, a grove at a time.
//
// Groves that nothing touches go through all sub-steps at once; the others stop in every sub-step
// for the contacts (Algorithm 1 of Deul et al., with the contacts of the whole world in it). What
// contacts did to the knots becomes impulses on the segments, and the next solve carries them
// through the tree. The last contacts of a sub-step move segments for themselves, and the first solve
// of the next one closes the joints.
#pragma once

#include "collide/contacts.h"
#include "math/wind.h"
#include "tree/kernels.h"
#include "tree/tree.h"

typedef struct TreesStep {
    SnIsa isa;
    const SnTaskSystem *tasks;
    float dt;
    int substeps, iterations;
    double tolerance; // iterations stop at this residual
    SnVec3 gravity;
    const Air *air;
    const SnFieldDef *fields; // all but winds
    int field_count;
    Knot *knots;
    KnotWays ways;
    ContactLoad *loads;
} TreesStep;

// New rows where they are needed; nothing is touched until someone says so. False without memory.
bool sn__trees_begin(TreeSystem *trees, int workers);
void sn__trees_step_free(TreeSystem *trees, const TreesStep *step);
// As sn__rods_pass and sn__rods_end.
void sn__trees_pass(TreeSystem *trees, const TreesStep *step, int substep, int iteration,
                    bool last);
void sn__trees_end(TreeSystem *trees, const TreesStep *step);
bool sn__trees_any_touched(const TreeSystem *trees);

// After states, joints and leads were overwritten: rows follow the joints, and loads are forgotten.
void sn__trees_restored(TreeSystem *trees);

typedef struct TreesReport {
    uint32_t bits;   // SnStepBits
    double residual; // largest |C + α̃λ| that the last solve of a grove met: m, rad
    int iterations;  // most of any grove and sub-step
    int breaks;      // joints that broke
} TreesReport;

TreesReport sn__trees_report(const TreeSystem *trees);
