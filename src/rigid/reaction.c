// What holds a rigid body is what its momentum does not owe to anything else.
//
// Force and torque as a whole follow from that. Several held points share the force, and give the torque
// by forces across their distances from their middle: of all that add up to both, the smallest.
#include <assert.h>

#include "rigid/rigid.h"

// Of the largest moment of the held points: directions in which they cannot give a torque.
#define SINGULAR 1e-9

void sn__rigid_note_reaction(Rigid *r, double h, Vec3d v, Vec3d L) {
    assert(h > 0.0);
    Vec3d push = addd(scaled(subd(r->v, v), 1.0 / h), scaled(r->v, r->drag));
    Vec3d turn = addd(scaled(subd(r->L, L), 1.0 / h), scaled(r->L, r->drag));
    r->held_force = subd(scaled(subd(push, r->pulled), r->mass), scaled(r->pressed, 1.0 / (h * h)));
    r->held_torque = subd(subd(turn, r->torque), scaled(r->pressed_torque, 1.0 / (h * h)));
}

// Held points, by what they are at from the centre of mass.
typedef struct Grips {
    int count;
    Vec3d middle;
    double xx, yy, zz, xy, xz, yz; // Σ ρ² − ρ ρᵀ about the middle
} Grips;

static Vec3d grip_at(const Rigid *r, const BodyLead *lead) {
    return rotated(r->pose.q, r->local[lead->index]);
}

static Grips grips_of(const Rigid *r) {
    Grips g = {0};
    for (int k = 0; k < r->lead_count; ++k)
        if (r->leads[k].held == HELD_VERTEX) {
            g.middle = addd(g.middle, grip_at(r, &r->leads[k]));
            ++g.count;
        }
    g.middle = scaled(g.middle, g.count > 0 ? 1.0 / g.count : 0.0);
    for (int k = 0; k < r->lead_count; ++k) {
        if (r->leads[k].held != HELD_VERTEX)
            continue;
        Vec3d d = subd(grip_at(r, &r->leads[k]), g.middle);
        g.xx += d.y * d.y + d.z * d.z;
        g.yy += d.x * d.x + d.z * d.z;
        g.zz += d.x * d.x + d.y * d.y;
        g.xy -= d.x * d.y;
        g.xz -= d.x * d.z;
        g.yz -= d.y * d.z;
    }
    return g;
}

// α with Σ ρ × (α × ρ) = torque, as far as the points can.
static Vec3d share_of(const Grips *g, Vec3d torque) {
    double most = g->xx + g->yy + g->zz, little = SINGULAR * most;
    if (!(most > 0.0))
        return (Vec3d){0};
    Vec3d x = {g->xx + little, g->xy, g->xz}, y = {g->xy, g->yy + little, g->yz};
    Vec3d z = {g->xz, g->yz, g->zz + little};
    Vec3d yz = crossd(y, z), zx = crossd(z, x), xy = crossd(x, y);
    double det = 1.0 / dotd(x, yz);
    Vec3d sum = addd(addd(scaled(yz, torque.x), scaled(zx, torque.y)), scaled(xy, torque.z));
    return scaled(sum, det);
}

static const BodyLead *first_frame(const Rigid *r) {
    for (int k = 0; k < r->lead_count; ++k)
        if (r->leads[k].held == HELD_FRAME)
            return &r->leads[k];
    return NULL;
}

bool sn__rigid_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out) {
    const Rigid *r = rigid_of(body);
    Grips g = grips_of(r);
    const BodyLead *frame = first_frame(r);
    Vec3d force = scaled(r->held_force, g.count > 0 ? 1.0 / g.count : 0.0);
    Vec3d torque = subd(r->held_torque, crossd(g.middle, g.count > 0 ? r->held_force : (Vec3d){0}));
    for (int k = 0; k < r->lead_count; ++k) {
        const BodyLead *lead = &r->leads[k];
        if (lead->held != question->held || lead->index != question->index)
            continue;
        if (lead == frame)
            out->torque = torque;
        if (lead->held != HELD_VERTEX)
            continue;
        Vec3d arm = subd(grip_at(r, lead), g.middle);
        out->force = addd(force, frame ? (Vec3d){0} : crossd(share_of(&g, torque), arm));
    }
    return true;
}
