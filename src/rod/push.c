#include "rod/push.h"

#include <math.h>

#include "collide/knots.h"
#include "math/vec.h"
#include "rod/slices.h"

static Vec3d push_of(const RodPack *pack, const Knot *knots, int j, int i) {
    const float *push = knots[pack->knots + j * PACK_LANES + i].push;
    float sum = fabsf(push[0]) + fabsf(push[1]) + fabsf(push[2]);
    return sum < 1e30f ? (Vec3d){push[0], push[1], push[2]} : (Vec3d){0};
}

static bool is_pushed(const RodPack *pack, const Knot *knots, int i) {
    for (int j = 0; j <= pack->rows; ++j)
        if (lengthd(push_of(pack, knots, j, i)) > 0.0)
            return true;
    return false;
}

static uint16_t pushed_lanes(const RodPack *pack, const Knot *knots) {
    uint16_t lanes = 0;
    for (int i = 0; i < pack->lanes; ++i) {
        if (lanes >> i & 1 || !is_pushed(pack, knots, i))
            continue;
        for (int k = 0; k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                lanes |= (uint16_t)(1u << k);
    }
    return lanes;
}

static void add_push(RodPack *pack, const Knot *knots, int j, int i, double part) {
    RodAim *aim = pack->aim + j;
    Vec3d push = scaled(push_of(pack, knots, j, i), part);
    if (pack->slice)
        push = scaled(push, 1.0 / (double)pack->member[j].told[i]);
    aim->ux[i] += aim->more_x[i] = (float)push.x;
    aim->uy[i] += aim->more_y[i] = (float)push.y;
    aim->uz[i] += aim->more_z[i] = (float)push.z;
    aim->more_s[i] = aim->more_tx[i] = aim->more_ty[i] = aim->more_tz[i] = 0.0f;
}

uint16_t sn__push_aim(RodPack *pack, const Knot *knots) {
    uint16_t lanes = pushed_lanes(pack, knots);
    for (int j = 0; j <= pack->rows && lanes != 0; ++j) {
        const RodState *s = pack->state + j;
        const RodWork *u = pack->work + j;
        RodAim *aim = pack->aim + j;
        for (int i = 0; i < pack->lanes; ++i) {
            if (!(lanes >> i & 1))
                continue;
            aim->kept_x[i] = u->ux[i];
            aim->kept_y[i] = u->uy[i];
            aim->kept_z[i] = u->uz[i];
            aim->kept_s[i] = u->us[i];
            aim->kept_qx[i] = s->qx[i];
            aim->kept_qy[i] = s->qy[i];
            aim->kept_qz[i] = s->qz[i];
            aim->kept_qw[i] = s->qw[i];
            add_push(pack, knots, j, i, 1.0);
        }
    }
    return lanes;
}

// In a stiff bundle, pushes far from each other add up, and none of them has been told of the others.
static double over_pushed(const RodPack *pack, const Knot *knots, int i) {
    double asked = 0.0, gone = 0.0;
    for (int j = 0; j <= pack->rows; ++j) {
        const RodWork *u = pack->work + j;
        const RodAim *aim = pack->aim + j;
        Vec3d push = push_of(pack, knots, j, i);
        Vec3d went = {(double)u->ux[i] - (double)aim->kept_x[i],
                      (double)u->uy[i] - (double)aim->kept_y[i],
                      (double)u->uz[i] - (double)aim->kept_z[i]};
        double m = (double)pack->rest[j].mass[i];
        asked += m * dotd(push, push);
        gone += m * dotd(push, went);
    }
    return gone > asked ? gone / asked : 1.0;
}

uint16_t sn__push_less(RodPack *pack, const Knot *knots, uint16_t lanes) {
    uint16_t less = 0;
    for (int i = 0; i < pack->lanes; ++i) {
        double over = lanes >> i & 1 ? over_pushed(pack, knots, i) : 1.0;
        for (int j = 0; j <= pack->rows && over > 1.0; ++j)
            add_push(pack, knots, j, i, 1.0 / over - 1.0);
        less |= (uint16_t)((over > 1.0) << i);
    }
    return less;
}

// The start of the sub-step is shifted by what the push has done: from there, the motion that was kept leads to where
// the rod is now.
static void shift_start(RodState *s, RodWork *u, const RodAim *aim, int i) {
    s->x[i] += u->ux[i] - aim->kept_x[i];
    s->y[i] += u->uy[i] - aim->kept_y[i];
    s->z[i] += u->uz[i] - aim->kept_z[i];
    u->ux[i] = aim->kept_x[i];
    u->uy[i] = aim->kept_y[i];
    u->uz[i] = aim->kept_z[i];
    u->us[i] = aim->kept_s[i];
    Quatd before = {u->pqx[i], u->pqy[i], u->pqz[i], u->pqw[i]};
    Quatd kept = {aim->kept_qx[i], aim->kept_qy[i], aim->kept_qz[i], aim->kept_qw[i]};
    Quatd now = {s->qx[i], s->qy[i], s->qz[i], s->qw[i]};
    Quatd start = mulqd(before, mulqd(conjugated(kept), now));
    u->pqx[i] = (float)start.x;
    u->pqy[i] = (float)start.y;
    u->pqz[i] = (float)start.z;
    u->pqw[i] = (float)start.w;
}

// Where the push has led to nothing: the rod is where it was before it.
static void take_back(RodState *s, RodWork *u, const RodAim *aim, int i) {
    u->ux[i] = aim->kept_x[i];
    u->uy[i] = aim->kept_y[i];
    u->uz[i] = aim->kept_z[i];
    u->us[i] = aim->kept_s[i];
    s->qx[i] = aim->kept_qx[i];
    s->qy[i] = aim->kept_qy[i];
    s->qz[i] = aim->kept_qz[i];
    s->qw[i] = aim->kept_qw[i];
}

// Beyond it, or where it is no number, a motion is lost: places must not get it, as they have nothing to recover from.
#define FARTHEST 1e18f

static bool is_lost(const RodPack *pack, int i) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        const RodWork *u = pack->work + j;
        const RodAim *aim = pack->aim + j;
        float way = fabsf(u->ux[i] - aim->kept_x[i]) + fabsf(u->uy[i] - aim->kept_y[i]) +
                    fabsf(u->uz[i] - aim->kept_z[i]);
        float turn = fabsf(s->qx[i]) + fabsf(s->qy[i]) + fabsf(s->qz[i]) + fabsf(s->qw[i]);
        if (!(way + turn < FARTHEST))
            return true;
    }
    return false;
}

void sn__keep_velocities(RodPack *pack, uint16_t lanes) {
    uint16_t lost = 0;
    for (int i = 0; i < pack->lanes; ++i) {
        if (!(lanes >> i & 1) || lost >> i & 1 || !is_lost(pack, i))
            continue;
        for (int k = 0; k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                lost |= (uint16_t)(1u << k);
    }
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; ++i)
            if (lanes >> i & 1)
                (lost >> i & 1 ? take_back : shift_start)(pack->state + j, pack->work + j,
                                                          pack->aim + j, i);
}
