#include "rod/hold.h"

#include <assert.h>
#include <string.h>

#include "math/bend.h"
#include "rod/wall.h"

bool sn__rod_is_held(const Body *body, int held, int index) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    return (at.pack->held[at.row][at.lane] & held) != 0;
}

HeldPose sn__rod_held_pose(const Body *body, int index) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    const RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int i = at.lane;
    return (HeldPose){{o[0] + (double)s->x[i], o[1] + (double)s->y[i], o[2] + (double)s->z[i]},
                      {(double)s->qx[i], (double)s->qy[i], (double)s->qz[i], (double)s->qw[i]},
                      s->s[i]};
}

// As the lead stores it.
static void store_pose(RodAddress at, int held, const HeldPose *pose, float out[4]) {
    assert(held == HELD_VERTEX || held == HELD_FRAME || held == HELD_SCALE);
    const double *origin = at.pack->lane[at.lane].origin;
    memset(out, 0, 4 * sizeof out[0]);
    if (held == HELD_VERTEX) {
        out[0] = (float)(pose->position.x - origin[0]);
        out[1] = (float)(pose->position.y - origin[1]);
        out[2] = (float)(pose->position.z - origin[2]);
    } else if (held == HELD_FRAME) {
        SnQuat q = quatf(normalisedq(pose->rotation));
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
    } else {
        out[0] = pose->scale;
    }
}

static void put_frame(RodState *s, int i, const float q[4]) {
    s->qx[i] = q[0];
    s->qy[i] = q[1];
    s->qz[i] = q[2];
    s->qw[i] = q[3];
}

static void put_in_place(RodAddress at, const RodLead *lead) {
    RodState *s = at.pack->state + at.row;
    int i = at.lane;
    if (lead->held == HELD_VERTEX) {
        s->x[i] = lead->from[0];
        s->y[i] = lead->from[1];
        s->z[i] = lead->from[2];
        s->vx[i] = s->vy[i] = s->vz[i] = 0.0f;
    } else if (lead->held == HELD_FRAME) {
        put_frame(s, i, lead->from);
        put_frame(at.pack->state + lead->wall, i, lead->from);
        s->wx[i] = s->wy[i] = s->wz[i] = 0.0f;
    } else {
        s->s[i] = lead->from[0];
        s->vs[i] = 0.0f;
    }
    sn__row_forget(s, i);
}

int sn__rod_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    if (!sn__reserve(&rods_of(body)->allocator, (void **)&at.pack->leads, &at.pack->lead_capacity,
                     at.pack->lead_count, sizeof(RodLead)))
        return -1;
    assert(owner != 0 && !(at.pack->held[at.row][at.lane] & held));
    int number = at.pack->lead_count++;
    at.pack->leads[number] =
        (RodLead){.row = at.row,
                  .wall = held == HELD_FRAME ? sn__wall_row(at.pack, at.lane, at.row) : at.row,
                  .lane = (int16_t)at.lane,
                  .held = (int16_t)held,
                  .owner = owner};
    sn__rod_jump(body, index, number, pose);
    at.pack->held[at.row][at.lane] |= (uint8_t)held;
    sn__hold_ghosts(at.pack);
    at.pack->dirty = true;
    return number;
}

uint32_t sn__rod_release(Body *body, int held, int index, int lead) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    assert(lead >= 0 && lead < at.pack->lead_count && at.pack->leads[lead].held == held);
    assert(at.pack->leads[lead].row == at.row && at.pack->leads[lead].lane == at.lane);
    at.pack->held[at.row][at.lane] &= (uint8_t)~held;
    sn__hold_ghosts(at.pack);
    at.pack->dirty = true;
    RodLead *last = &at.pack->leads[--at.pack->lead_count];
    at.pack->leads[lead] = *last;
    return last->owner;
}

static void turn_nearer(float q[4], const float to[4]) {
    float dot = 0.0f;
    for (int c = 0; c < 4; ++c)
        dot += to[c] * q[c];
    for (int c = 0; c < 4 && dot < 0.0f; ++c)
        q[c] = -q[c];
}

static void bend_lead(RodAddress at, RodLead *l, const HeldPath *path) {
    float via[2][4];
    for (int i = 0; i < 2; ++i) {
        store_pose(at, l->held, &path->via[i], via[i]);
        if (l->held == HELD_FRAME)
            turn_nearer(via[i], i == 0 ? l->from : l->to);
    }
    for (int c = 0; c < 4; ++c) {
        double bend[2];
        bend_of((double)l->from[c], (double)via[0][c], (double)via[1][c], (double)l->to[c], bend);
        l->bend[0][c] = (float)bend[0];
        l->bend[1][c] = (float)bend[1];
    }
}

void sn__rod_lead(Body *body, int index, int lead, const HeldPath *path) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    RodLead *l = &at.pack->leads[lead];
    assert(lead >= 0 && lead < at.pack->lead_count && l->row == at.row && l->lane == at.lane);
    store_pose(at, l->held, &path->to, l->to);
    if (l->held == HELD_FRAME) // rotations go the shorter way
        turn_nearer(l->to, l->from);
    l->curved = path->curved;
    if (l->curved)
        bend_lead(at, l, path);
}

void sn__rod_settle(Body *body, int lead) {
    assert(lead >= 0 && lead < rods_of(body)->packs[rod_of(body)->pack]->lead_count);
    RodLead *l = &rods_of(body)->packs[rod_of(body)->pack]->leads[lead];
    memcpy(l->from, l->to, sizeof l->from);
    l->curved = false;
}

uint32_t sn__rod_lead_owner(const Body *body, int lead) {
    assert(lead >= 0);
    const RodPack *pack = rods_of(body)->packs[rod_of(body)->pack];
    return lead < pack->lead_count ? pack->leads[lead].owner : 0;
}

void sn__rod_jump(Body *body, int index, int lead, const HeldPose *pose) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    RodLead *l = &at.pack->leads[lead];
    assert(lead >= 0 && lead < at.pack->lead_count && l->row == at.row && l->lane == at.lane);
    store_pose(at, l->held, pose, l->from);
    memcpy(l->to, l->from, sizeof l->to);
    l->curved = false;
    put_in_place(at, l);
}
