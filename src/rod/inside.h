// The elements of one rod, one at a time and in double precision: for what is measured, not for steps.
#pragma once

#include "rod/rods.h"
#include "rod/wall.h"

typedef struct RodVertex {
    Vec3d x, v;
    Vec3d a; // what the rod's own forces did to it in the last sub-steps, m/s² (scheme.h)
    double s, vs, radius, mass, scale_inertia;
    bool held;
} RodVertex;

typedef struct RodSegment {
    Quatd q;
    Vec3d spin;
    double length, active;
    RodAddress at;
} RodSegment;

static inline RodVertex sn__rod_vertex_at(const RodSystem *rods, const Rod *rod, int i) {
    RodAddress at = sn__rod_address(rods, rod, i);
    const RodState *s = at.pack->state + at.row;
    const RodRest *r = at.pack->rest + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int k = at.lane;
    return (RodVertex){{o[0] + (double)s->x[k], o[1] + (double)s->y[k], o[2] + (double)s->z[k]},
                       {(double)s->vx[k], (double)s->vy[k], (double)s->vz[k]},
                       {(double)s->ax[k], (double)s->ay[k], (double)s->az[k]},
                       (double)s->s[k] + (double)s->s_rounded[k],
                       (double)s->vs[k],
                       (double)r->radius[k],
                       (double)r->mass[k],
                       (double)r->scale_inertia[k],
                       (at.pack->held[at.row][k] & HELD_VERTEX) != 0};
}

static inline Vec3d sn__rod_spin_in(const RodPack *pack, int row, int k) {
    const RodState *s = pack->state + row;
    return (Vec3d){(double)s->wx[k], (double)s->wy[k], (double)s->wz[k]};
}

static inline Quatd sn__rod_frame_in(const RodPack *pack, int row, int k) {
    const RodState *s = pack->state + row;
    return normalisedq(
        (Quatd){(double)s->qx[k], (double)s->qy[k], (double)s->qz[k], (double)s->qw[k]});
}

static inline RodSegment sn__rod_segment_at(const RodSystem *rods, const Rod *rod, int j) {
    RodAddress at = sn__rod_address(rods, rod, j);
    const RodState *s = at.pack->state + at.row;
    int k = at.lane;
    double l = (double)at.pack->rest[at.row].length[k];
    return (RodSegment){sn__rod_frame_in(at.pack, at.row, k),
                        {(double)s->wx[k], (double)s->wy[k], (double)s->wz[k]},
                        l,
                        l * (double)s->length_scale[k],
                        at};
}

// Of a joint of a rod; not of those with walls, which are there or not.
static inline double sn__rod_joint_share(const RodJoint *joint) {
    const RodPack *pack = joint->at.pack;
    int row = joint->at.row;
    GraphJoint in_pack = {
        .p = row - 1, .a = row, .vertex = row, .far_p = row - 1, .far_a = row + 1};
    return sn__joint_share(pack, row, pack->graph ? pack->graph->joint[row] : in_pack,
                           joint->at.lane);
}

// The frames of a joint become those between which it is measured, the same ones at rest.
static inline void sn__rod_turn_to_rest(const RodAddress *at, Quatd *p, Quatd *a) {
    const RodTurn *t = at->pack->own_turn + at->row;
    int k = at->lane;
    Quatd turn = {(double)t->x[k], (double)t->y[k], (double)t->z[k], (double)t->w[k]};
    *p = mulqd(*p, turn);
    if (at->pack->graph == NULL)
        *a = mulqd(*a, conjugated(turn));
}

// What a segment pulls with beside its material, N, if its length changes at this rate, m/s.
static inline double sn__rod_pull(const RodSegment *g, double rate) {
    const RodState *s = g->at.pack->state + g->at.row;
    int k = g->at.lane;
    return (double)s->pull[k] + (double)s->viscous[rate < 0.0 ? 0 : 1][k] * rate / g->length;
}

// Sweeps shear as they stretch and as the volume resists (rod_sweep_wide.c).
static inline double sn__rod_shear_stiffness(const RodSegment *g, double s) {
    const RodPack *pack = g->at.pack;
    const RodRest *r = pack->rest + g->at.row;
    int k = g->at.lane;
    if (pack->aim)
        return (double)r->transverse[k];
    double volume = pack->classic ? 0.0 : s * s * (double)r->volume[k] * g->active / g->length;
    return (double)r->stretch[k] + volume;
}
