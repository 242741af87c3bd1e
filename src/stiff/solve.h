// One Newton iteration of a grove: all constraints of its trees at once.
#pragma once

#include "stiff/kernels.h"

// Poses move to the solution of the linearised system; impulses given for it (StiffMotion.px, mx, ex) are
// used up. Returns the largest |C + α̃λ| before the solve, m or rad. `tasks` may be NULL: all on this
// thread.
double sn__grove_solve(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks,
                       double h);

// The way up of the next solve of a sub-step, for those who ask how the trees answer where they are now. No impulses may
// be given for it.
void sn__grove_factor(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks,
                      double h);

// What is done to rows of joints before a solve; NULL: nothing. It may look at other rows
// than its own only where they stand still.
typedef struct GroveWork {
    SnTask *before;
    void *context;
} GroveWork;

// The first `count` solves of a sub-step, each as above, and what comes before the first; for groves
// without props and loops. What can be done to a part at once is done at once, while the part is in the
// cache.
double sn__grove_solve_all(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks,
                           double h, int count, GroveWork work);

// Before a sub-step is finished: how the trees pull at their joints, which the next one needs.
void sn__grove_pull(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);

// Where the solves of the sub-step have kept the tension themselves.
void sn__grove_forget_pull(Grove *grove);

// How every segment answers to a force, from the last solve (Grove.give, which must be there).
void sn__grove_compliance(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);

// What the impulses in Grove.reply[].g do to all segments, from the last solve; they are used up.
void sn__grove_response(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);

// Both without loops.
void sn__grove_compliance_of_trees(Grove *grove, const StiffKernels *kernels,
                                   const SnTaskSystem *tasks);
void sn__grove_response_of_trees(Grove *grove, const StiffKernels *kernels,
                                 const SnTaskSystem *tasks);

// What the solve that is under way is about to do, into Grove.reply.
void sn__grove_peek(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);
// Adds the impulses in Grove.reply[].g to it; they are used up.
void sn__grove_add_impulses(Grove *grove, const StiffKernels *kernels, const SnTaskSystem *tasks);

// How a segment answers to a force and a moment at a point that is `arm` away from its own joint:
// displacement of that point and turn (Grove.give).
void sn__grove_answer(const Grove *grove, int slot, Vec3d arm, Vec3d force, Vec3d moment,
                      Vec3d *out_by, Vec3d *out_turn);
