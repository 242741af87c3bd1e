#include "rod/hold.h"

#include <string.h>

#include "rod/kind.h"

bool sn__rod_is_held(const RodSystem *rods, const Rod *rod, int held, int index) {
    if (rod->kind)
        return rod->kind->is_held(rod->body, held, index);
    RodPlace at = sn__rod_place(rods, rod, index);
    return (at.pack->held[at.row][at.lane] & held) != 0;
}

HeldPlace sn__rod_held_place(const RodSystem *rods, const Rod *rod, int index) {
    if (rod->kind)
        return rod->kind->held_place(rod->body, index);
    RodPlace at = sn__rod_place(rods, rod, index);
    const RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int i = at.lane;
    return (HeldPlace){{o[0] + (double)s->x[i], o[1] + (double)s->y[i], o[2] + (double)s->z[i]},
                       {(double)s->qx[i], (double)s->qy[i], (double)s->qz[i], (double)s->qw[i]},
                       s->s[i]};
}

// As the lead stores it.
static void store_place(RodPlace at, int held, const HeldPlace *place, float out[4]) {
    const double *origin = at.pack->lane[at.lane].origin;
    memset(out, 0, 4 * sizeof out[0]);
    if (held == HELD_VERTEX) {
        out[0] = (float)(place->position.x - origin[0]);
        out[1] = (float)(place->position.y - origin[1]);
        out[2] = (float)(place->position.z - origin[2]);
    } else if (held == HELD_FRAME) {
        SnQuat q = quatf(normalisedq(place->rotation));
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
    } else {
        out[0] = place->scale;
    }
}

static void put_in_place(RodPlace at, const RodLead *lead) {
    RodState *s = at.pack->state + at.row;
    int i = at.lane;
    if (lead->held == HELD_VERTEX) {
        s->x[i] = lead->from[0];
        s->y[i] = lead->from[1];
        s->z[i] = lead->from[2];
        s->vx[i] = s->vy[i] = s->vz[i] = 0.0f;
    } else if (lead->held == HELD_FRAME) {
        s->qx[i] = lead->from[0];
        s->qy[i] = lead->from[1];
        s->qz[i] = lead->from[2];
        s->qw[i] = lead->from[3];
        s->wx[i] = s->wy[i] = s->wz[i] = 0.0f;
    } else {
        s->s[i] = lead->from[0];
        s->vs[i] = 0.0f;
    }
}

int sn__rod_hold(RodSystem *rods, const Rod *rod, int held, int index, uint32_t owner,
                 const HeldPlace *place) {
    if (rod->kind)
        return rod->kind->hold(rod->body, held, index, owner, place);
    RodPlace at = sn__rod_place(rods, rod, index);
    if (!sn__reserve(&rods->allocator, (void **)&at.pack->leads, &at.pack->lead_capacity,
                     at.pack->lead_count, sizeof(RodLead)))
        return -1;
    int number = at.pack->lead_count++;
    at.pack->leads[number] =
        (RodLead){.row = at.row, .lane = (int16_t)at.lane, .held = (int16_t)held, .owner = owner};
    sn__rod_jump(rods, rod, index, number, place);
    at.pack->held[at.row][at.lane] |= (uint8_t)held;
    at.pack->dirty = true;
    return number;
}

uint32_t sn__rod_release(RodSystem *rods, const Rod *rod, int held, int index, int lead) {
    if (rod->kind)
        return rod->kind->release(rod->body, held, index, lead);
    RodPlace at = sn__rod_place(rods, rod, index);
    at.pack->held[at.row][at.lane] &= (uint8_t)~held;
    at.pack->dirty = true;
    RodLead *last = &at.pack->leads[--at.pack->lead_count];
    at.pack->leads[lead] = *last;
    return last->owner;
}

void sn__rod_lead(RodSystem *rods, const Rod *rod, int index, int lead, const HeldPlace *place) {
    if (rod->kind) {
        rod->kind->lead(rod->body, lead, place);
        return;
    }
    RodPlace at = sn__rod_place(rods, rod, index);
    RodLead *l = &at.pack->leads[lead];
    store_place(at, l->held, place, l->to);
    if (l->held != HELD_FRAME)
        return;
    float dot = 0.0f; // rotations go the shorter way
    for (int c = 0; c < 4; ++c)
        dot += l->from[c] * l->to[c];
    for (int c = 0; c < 4 && dot < 0.0f; ++c)
        l->to[c] = -l->to[c];
}

void sn__rod_settle(RodSystem *rods, const Rod *rod, int lead) {
    if (rod->kind) {
        rod->kind->settle(rod->body, lead);
        return;
    }
    RodLead *l = &rods->packs[rod->pack]->leads[lead];
    memcpy(l->from, l->to, sizeof l->from);
}

uint32_t sn__rod_lead_owner(const RodSystem *rods, const Rod *rod, int lead) {
    if (rod->kind)
        return rod->kind->owner(rod->body, lead);
    const RodPack *pack = rods->packs[rod->pack];
    return lead < pack->lead_count ? pack->leads[lead].owner : 0;
}

void sn__rod_jump(RodSystem *rods, const Rod *rod, int index, int lead, const HeldPlace *place) {
    if (rod->kind) {
        rod->kind->jump(rod->body, lead, place);
        return;
    }
    RodPlace at = sn__rod_place(rods, rod, index);
    RodLead *l = &at.pack->leads[lead];
    store_place(at, l->held, place, l->from);
    memcpy(l->to, l->from, sizeof l->to);
    put_in_place(at, l);
}
