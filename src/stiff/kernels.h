// The wide kernels of trees, one table per instruction set.
#pragma once

#include "sinew/base.h"
#include "stiff/grove.h"

typedef struct StiffKernels {
    // Part of the strains that damping holds on to, before anything moves.
    void (*strain)(Grove *grove, int begin, int end, double h);
    // From velocities and loads to predicted poses; multipliers are 0 then.
    void (*predict)(Grove *grove, int begin, int end, double h, const double gravity[3]);
    // Adds what moving air of this density does to the impulses of the sub-step, after `predict`.
    void (*blow)(Grove *grove, int begin, int end, double h, double density);
    // How the tree pulls at its joints, from what its segments did against their own inertia, into
    // `tension`. In the order of `up`; rows from `exports` on hand over with `import_pull`.
    void (*pull)(Grove *grove, int begin, int exports, int end);
    void (*import_pull)(Grove *grove, int begin, int end);
    // Velocities from what changed. Returns whether all of it is finite.
    bool (*finish)(Grove *grove, int begin, int end, double h, const double gravity[3]);
    // The way up: rows [begin, end) of joints or props, from poses to factors, each handing its
    // inertia to its parents in `sums`, the first of which is that of row `begin`. Those from
    // `exports` on keep it in Grove.sum until `import`. Returns the residual.
    double (*up)(Grove *grove, StiffSum *sums, int begin, int exports, int end, double h);
    void (*import)(Grove *grove, int begin, int end);
    // What free trees hang on, and what stands still.
    void (*ground)(Grove *grove);
    // The way down: rows [begin, end), from their parents' motion to their own, and to new poses. Returns
    // the farthest turn, rad².
    double (*down)(Grove *grove, int begin, int end);
    // Mobilities from the factors of the last solve, in the order of `down`, after `ground_give`.
    void (*ground_compliance)(Grove *grove);
    void (*compliance)(Grove *grove, int begin, int end);
    // What the impulses in Grove.reply do: up as `up`, then `ground_reply`, then down as `down`.
    void (*response_up)(Grove *grove, int begin, int exports, int end);
    void (*import_response)(Grove *grove, int begin, int end);
    void (*ground_response)(Grove *grove);
    void (*response_down)(Grove *grove, int begin, int end);
    // What `down` is about to do, into Grove.reply, in its order, after `ground_peek`.
    void (*ground_peek)(Grove *grove);
    void (*peek)(Grove *grove, int begin, int end);
    // After `reply_up`: its impulses are part of what `down` is about to do.
    void (*ground_add)(Grove *grove);
    void (*add)(Grove *grove, int begin, int end);
    // Trees with loops (fronts.h), after `up` and with the loops as measured: factors, then what the impulses
    // in Fronts.vector do, in their place.
    void (*fronts_factor)(Grove *grove);
    void (*fronts_solve)(Grove *grove);
    // Mobilities of their segments; the factors stay.
    void (*fronts_inverse)(Grove *grove);
} StiffKernels;

// NULL if the library was built without it.
const StiffKernels *sn__stiff_kernels(SnIsa isa);
