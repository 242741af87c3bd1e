// The wide kernels of rods, one table per instruction set.
#pragma once

#include "collide/contacts.h"
#include "math/wind.h"
#include "rod/pack.h"

// A force field with its direction normalised and its centre relative to the lane's origin.
typedef struct RodField {
    int kind; // SnFieldKind
    float strength, radius;
    float direction[3];
    PackRow centre_x, centre_y, centre_z;
} RodField;

typedef struct RodMotion {
    float h;                // length of the sub-step, s
    float gravity[3];       // m/s²
    const RodField *fields; // all but winds
    int field_count;
    const WindField *winds;
    int wind_count;
    float air_density; // kg/m³
} RodMotion;

// An iteration of a direct solver: the first one of a sub-step, another one, or what comes of aims that contacts
// have moved since the last one, to first order.
typedef enum DirectSolve { SOLVE_FIRST, SOLVE_AGAIN, SOLVE_ANSWER } DirectSolve;

typedef struct RodKernels {
    // Velocities from forces, positions, frames and scales from velocities (eqs 21 to 23).
    void (*predict)(RodPack *pack, const RodMotion *motion);
    // How Newton's method is to set out, for packs that are solved directly. First: sub-step of the step.
    void (*outset)(RodPack *pack, float h, bool first);
    // Multipliers from the strain before the sub-step, for packs with internal damping.
    void (*warm)(RodPack *pack);
    // Matches the sections of bundles to their shape. Fresh: the first time in a sub-step.
    void (*bundle)(RodPack *pack, bool fresh);
    // Length and thickness of whole chains at once. Fresh: from multipliers of 0.
    void (*axial)(RodPack *pack, bool fresh);
    // One Gauss-Seidel pass over rows [begin, end). Fresh: from multipliers of 0, but for those
    // that the direct pass has set.
    void (*sweep)(RodPack *pack, int begin, int end, bool fresh);
    // One iteration of Newton's method, for packs that are solved directly.
    void (*newton)(RodPack *pack, DirectSolve solve);
    // For bundles that are solved as a whole (slices.h): where their slices are, and one iteration.
    void (*slices_start)(RodPack *pack);
    void (*slices)(RodPack *pack, DirectSolve solve);
    // And how they answer where links tie them, with the factors that the last iteration has left.
    void (*slices_ties)(RodPack *pack);
    // How far the sweeps were from the solution, into pack->residual.
    void (*residual)(RodPack *pack);
    // Velocities from what changed; returns SnStepBits. Last: sub-step of the step.
    uint32_t (*finish)(RodPack *pack, float h, bool last);
    // Adds what contacts did in the last sub-step to the prediction; the loads are 0 then.
    void (*load)(RodPack *pack, ContactLoad *loads);
    // To the knots before contacts are solved, and back (touch.h). `first` and `last` are the
    // passes of the sub-step.
    void (*to_knots)(const RodPack *pack, Knot *knots, KnotWays ways, bool first);
    void (*from_knots)(RodPack *pack, const Knot *knots, KnotWays ways, bool last);
} RodKernels;

// NULL if the library was built without it.
const RodKernels *sn__rod_kernels(SnIsa isa);
