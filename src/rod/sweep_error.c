#include "rod/sweep_error.h"

#include <math.h>

#include "rod/graph.h"

// a over k·G. Measured are 0.40 to 0.47 in bending for 10 to 40 segments, which goes to 0.5 for many,
// and up to 0.55 in twist.
#define LEFT_BY_A_SWEEP 0.55
#define SOFT 0.1

static double stiffness_of(const RodSystem *rods, const Rod *rod, const RodJoint *joint) {
    const RodRest *r = joint->at.pack->rest + joint->at.row;
    int k = joint->at.lane;
    RodAddress p = sn__rod_address(rods, rod, joint->p), a = sn__rod_address(rods, rod, joint->a);
    const RodRest *rp = p.pack->rest + p.row, *ra = a.pack->rest + a.row;
    double turn = 1.0 / (double)rp->frame_inertia[p.lane] + 1.0 / (double)ra->frame_inertia[a.lane];
    double roll = 1.0 / (double)rp->spin_inertia[p.lane] + 1.0 / (double)ra->spin_inertia[a.lane];
    double bend = (double)r->bend[k] + (joint->at.pack->classic ? 0.0 : (double)r->volume_bend[k]);
    double length = (double)r->joint_length[k];
    return fmax(bend * turn, (double)r->twist[k] * roll) / (length * length);
}

void sn__rod_note_sweeps(RodSystem *rods, const Rod *rod) {
    RodPack *pack = rods->packs[rod->pack];
    double most = 0.0;
    for (int k = 0; pack->aim == NULL && k < sn__rod_joint_count(rods, rod); ++k) {
        RodJoint joint = sn__rod_joint(rods, rod, k);
        most = fmax(most, stiffness_of(rods, rod, &joint));
    }
    for (int p = 0; p < rod->pieces; ++p)
        pack->swept[rod->lane + p] = (float)most;
}

double sn__lane_sweep_error(const RodPack *pack, int lane, double h, int iterations) {
    double kG = h * (h + (double)pack->damping[lane]) * (double)pack->swept[lane];
    if (!(kG > 0.0))
        return 0.0;
    // Multiplied out, not by a function of libm: a step has the same bits everywhere.
    double per_sweep = 1.0 + 1.0 / (LEFT_BY_A_SWEEP * kG), all = 1.0;
    for (int n = 0; n < iterations && all < 1e12; ++n)
        all *= per_sweep;
    return all > 1.0 ? 1.0 / (all - 1.0) : INFINITY;
}

bool sn__pack_is_soft(const RodPack *pack, double h, int iterations) {
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->lane[i].body != 0 && !pack->asleep[i] &&
            sn__lane_sweep_error(pack, i, h, iterations) > SOFT)
            return true;
    return false;
}

// Sweeps turn frames in float, which rounds by 10⁻⁷ rad, and frames of swept rods have the inertia of a segment's
// length: its ends go by l 10⁻⁷/h faster or slower in every sub-step, and second order makes twice as much of it. Where
// l/h is more than this, m/s, a rod that should rest would make centimetres per second. Implicit Euler loses little in
// such short sub-steps.
#define SHAKEN 200.0f

bool sn__lane_is_shaken(const RodPack *pack, int lane, float h) {
    for (int j = 0; j < (pack->graph ? pack->graph->segments : pack->rows); ++j)
        if (pack->rest[j].length[lane] > SHAKEN * h)
            return true;
    return false;
}
