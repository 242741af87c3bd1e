#include "rod/recover.h"

#include <math.h>

#include "math/vec.h"
#include "sinew/world.h"

static bool row_is_finite(const RodState *s, const RodWork *u, int i) {
    float norm =
        s->qx[i] * s->qx[i] + s->qy[i] * s->qy[i] + s->qz[i] * s->qz[i] + s->qw[i] * s->qw[i];
    return isfinite(u->ux[i] + u->uy[i] + u->uz[i] + s->s[i] + s->vs[i] + norm + s->wx[i] +
                    s->wy[i] + s->wz[i]);
}

static void restore_lane(RodPack *pack, int i) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        const RodWork *u = pack->work + j;
        if (!pack->classic)
            s->s[i] = u->ps[i];
        s->qx[i] = u->pqx[i];
        s->qy[i] = u->pqy[i];
        s->qz[i] = u->pqz[i];
        s->qw[i] = u->pqw[i];
        s->vx[i] = s->vy[i] = s->vz[i] = s->vs[i] = 0.0f;
        s->wx[i] = s->wy[i] = s->wz[i] = 0.0f;
        sn__row_forget(s, i);
    }
}

void sn__pack_recover(RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i) {
        bool finite = true;
        for (int j = 0; j <= pack->rows && finite; ++j)
            finite = row_is_finite(pack->state + j, pack->work + j, i);
        if (finite)
            continue;
        for (int k = 0; k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body)
                restore_lane(pack, k);
    }
}

// How far the kernel has moved a vertex along one axis for this displacement.
static double moved(float u, double most) {
    return fabsf(u) < 1e30f ? fmax(fmin((double)u, most), -most) : 0.0;
}

bool sn__pack_limit_speeds(RodPack *pack, float h) {
    double most = (double)(h * SN_MAX_SPEED);
    bool any = false;
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        const RodWork *w = pack->work + j;
        for (int i = 0; i < pack->lanes; ++i) {
            Vec3d u = {(double)w->ux[i], (double)w->uy[i], (double)w->uz[i]};
            Vec3d v = {(double)s->vx[i], (double)s->vy[i], (double)s->vz[i]};
            bool fast = lengthd(v) > (double)SN_MAX_SPEED;
            if ((!fast && !(lengthd(u) > most)) || !isfinite(lengthd(u)))
                continue;
            Vec3d by = shortened(u, most);
            v = shortened(v, (double)SN_MAX_SPEED);
            s->x[i] += (float)(by.x - moved(w->ux[i], most));
            s->y[i] += (float)(by.y - moved(w->uy[i], most));
            s->z[i] += (float)(by.z - moved(w->uz[i], most));
            s->vx[i] = (float)v.x;
            s->vy[i] = (float)v.y;
            s->vz[i] = (float)v.z;
            s->ax[i] = s->ay[i] = s->az[i] = 0.0f;
            any = true;
        }
    }
    return any;
}

static bool is_faster(const RodPack *pack, int i, double most, double h) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        const RodWork *w = pack->work + j;
        Vec3d u = {(double)w->ux[i], (double)w->uy[i], (double)w->uz[i]};
        Vec3d v = {(double)s->vx[i], (double)s->vy[i], (double)s->vz[i]};
        if (!(lengthd(u) <= most * h && lengthd(v) <= most))
            return true;
    }
    return false;
}

static void move_back(RodPack *pack, int i, double most) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        RodWork *w = pack->work + j;
        s->x[i] -= (float)moved(w->ux[i], most);
        s->y[i] -= (float)moved(w->uy[i], most);
        s->z[i] -= (float)moved(w->uz[i], most);
        w->ux[i] = w->uy[i] = w->uz[i] = 0.0f;
    }
    restore_lane(pack, i);
}

void sn__pack_hold_back(RodPack *pack, float h) {
    for (int i = 0; i < pack->lanes && pack->limited; ++i) {
        double most = (double)pack->fastest[i];
        if (!(most > 0.0) || !is_faster(pack, i, most, (double)h))
            continue;
        for (int k = 0; k < pack->lanes; ++k)
            if (pack->lane[k].body == pack->lane[i].body) {
                move_back(pack, k, (double)(h * SN_MAX_SPEED));
                pack->fastest[k] = 0.0f;
            }
    }
    for (int i = 0; i < pack->lanes; ++i)
        pack->fastest[i] = 0.0f;
    pack->limited = false;
}
