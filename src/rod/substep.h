// One sub-step of one pack, from prediction to velocities.
#pragma once

#include "rod/kernels.h"

// rad: an iteration of Newton's method in which a frame turned by more is repeated, of every rod.
#define FAR_TURN 0.015f

void sn__pack_prepare(RodPack *pack, float h);
// τ of stretch, shear and volume: that of the material, or less where it would be too hard.
void sn__pack_bound_damping(RodPack *pack, float h);
// How much of every stiffness is not damping in the next sub-step. Where Newton's method had not arrived by the end
// of the last one, all of it: what was left over then is no strain that came slowly, and dampers that kept it
// would tear the rod apart.
void sn__pack_share_damping(RodPack *pack, float h);

// motion->fields are those of this pack (their centres are relative to its lanes' origins).
typedef struct RodStep {
    const RodKernels *kernels;
    RodMotion motion;
    int substeps, iterations;
    bool timed; // add to pack->stage_ms
} RodStep;

// Ghosts as they are where the rod begins that they repeat.
void sn__pack_seams_in(RodPack *pack);

// A sub-step is a beginning (prediction and direct pass), sweeps, and an end (velocities), which
// adds to pack->step_bits. The pack is prepared. `loads` are those of contacts, by knot, or NULL.
void sn__pack_begin(RodPack *pack, const RodStep *step, int substep, ContactLoad *loads);
void sn__pack_sweep(RodPack *pack, const RodStep *step, int iteration);
// Once more after the last contacts, of packs that are solved directly: what comes of these.
void sn__pack_settle(RodPack *pack, const RodStep *step);
// After the last iteration, of packs that are solved directly: out of the overlaps that contacts have found.
void sn__pack_push(RodPack *pack, const RodStep *step, const Knot *knots);
void sn__pack_end(RodPack *pack, const RodStep *step, int substep);

// Moves the origins of lanes that have gone far from theirs.
void sn__pack_rebase(RodPack *pack);
