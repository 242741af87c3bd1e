#include "rod/solve.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "sinew/world.h"

// A lane whose first vertex is farther than this from its origin gets a new one, on a lattice that
// float subtracts exactly.
#define FAR 64.0f
#define LATTICE 32.0f

static void copy_vertex(RodState *to, int lane_to, const RodState *from, int lane_from) {
    to->x[lane_to] = from->x[lane_from];
    to->y[lane_to] = from->y[lane_from];
    to->z[lane_to] = from->z[lane_from];
    to->s[lane_to] = from->s[lane_from];
}

static void copy_frame(RodState *to, int lane_to, const RodState *from, int lane_from) {
    to->qx[lane_to] = from->qx[lane_from];
    to->qy[lane_to] = from->qy[lane_from];
    to->qz[lane_to] = from->qz[lane_from];
    to->qw[lane_to] = from->qw[lane_from];
}

static void seam_in(RodPack *pack, const RodSeam *seam) {
    RodState *ghost = pack->state + seam->row;
    copy_vertex(ghost, seam->lane, pack->state, seam->next);
    copy_frame(ghost, seam->lane, pack->state, seam->next);
    copy_vertex(ghost + 1, seam->lane, pack->state + 1, seam->next);
}

// Row + 1 is swept only for its scale.
static void seam_out(RodPack *pack, const RodSeam *seam) {
    const RodState *ghost = pack->state + seam->row;
    copy_vertex(pack->state, seam->next, ghost, seam->lane);
    copy_frame(pack->state, seam->next, ghost, seam->lane);
    pack->state[1].s[seam->next] = ghost[1].s[seam->lane];
}

// Ghosts start a sub-step with the whole state of what they repeat, velocities included.
static void seams_refresh(RodPack *pack) {
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        for (int j = 0; j < 2; ++j) {
            SnRow *to = (SnRow *)(pack->state + seam->row + j);
            SnRow *from = (SnRow *)(pack->state + j);
            for (size_t f = 0; f < sizeof(RodState) / sizeof(SnRow); ++f)
                to[f][seam->lane] = from[f][seam->next];
        }
    }
}

// Ghost row r must be fresh when rows r − 1 and r are swept; it is copied in before and out after.
// Always in the same direction: where one sweep is not enough, up and down in turn would leave a
// different error every time, which shakes the rod.
static void sweep(RodPack *pack, const RodKernels *kernels, bool fresh) {
    for (int j = 0; j < pack->rows;) {
        int next = pack->rows;
        for (int k = 0; k < pack->seam_count; ++k) {
            int row = pack->seams[k].row;
            if (row - 1 == j)
                seam_in(pack, &pack->seams[k]);
            if (row - 1 > j && row - 1 < next)
                next = row - 1;
            if (row + 1 > j && row + 1 < next)
                next = row + 1;
        }
        kernels->sweep(pack, j, next, fresh);
        for (int k = 0; k < pack->seam_count; ++k)
            if (pack->seams[k].row + 1 == next)
                seam_out(pack, &pack->seams[k]);
        j = next;
    }
}

static void lead(RodPack *pack, float t) {
    for (int k = 0; k < pack->lead_count; ++k) {
        const RodLead *l = &pack->leads[k];
        RodState *s = pack->state + l->row;
        float v[4];
        for (int c = 0; c < 4; ++c)
            v[c] = l->from[c] + t * (l->to[c] - l->from[c]);
        if (l->held == SN_HELD_VERTEX) {
            s->x[l->lane] = v[0];
            s->y[l->lane] = v[1];
            s->z[l->lane] = v[2];
        } else if (l->held == SN_HELD_FRAME) {
            float n = 1.0f / sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
            s->qx[l->lane] = v[0] * n;
            s->qy[l->lane] = v[1] * n;
            s->qz[l->lane] = v[2] * n;
            s->qw[l->lane] = v[3] * n;
        } else {
            s->s[l->lane] = v[0];
        }
    }
}

static bool row_is_finite(const RodState *s, int i) {
    return isfinite(s->x[i] + s->y[i] + s->z[i] + s->s[i] + s->vx[i] + s->vy[i] + s->vz[i] +
                    s->vs[i] + s->qx[i] + s->qy[i] + s->qz[i] + s->qw[i] + s->wx[i] + s->wy[i] +
                    s->wz[i]);
}

static void restore_lane(RodPack *pack, int i) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        const RodWork *u = pack->work + j;
        s->x[i] = u->px[i];
        s->y[i] = u->py[i];
        s->z[i] = u->pz[i];
        if (!pack->classic)
            s->s[i] = u->ps[i];
        s->qx[i] = u->pqx[i];
        s->qy[i] = u->pqy[i];
        s->qz[i] = u->pqz[i];
        s->qw[i] = u->pqw[i];
        s->vx[i] = s->vy[i] = s->vz[i] = s->vs[i] = 0.0f;
        s->wx[i] = s->wy[i] = s->wz[i] = 0.0f;
    }
}

// Rods that left the range of float go back to the start of the sub-step, at rest.
static void recover(RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i) {
        bool finite = true;
        for (int j = 0; j <= pack->rows && finite; ++j)
            finite = row_is_finite(pack->state + j, i);
        if (finite)
            continue;
        for (int k = 0; k < pack->lanes; ++k)
            if (pack->lane[k].rod == pack->lane[i].rod)
                restore_lane(pack, k);
    }
}

void sn__pack_rebase(RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i) {
        const RodState *first = pack->state;
        float shift[3] = {first->x[i], first->y[i], first->z[i]};
        if (fabsf(shift[0]) <= FAR && fabsf(shift[1]) <= FAR && fabsf(shift[2]) <= FAR)
            continue;
        uint32_t rod = pack->lane[i].rod;
        for (int c = 0; c < 3; ++c)
            shift[c] = LATTICE * rintf(shift[c] / LATTICE);
        for (int k = 0; k < pack->lanes; ++k) {
            if (pack->lane[k].rod != rod)
                continue;
            for (int c = 0; c < 3; ++c)
                pack->lane[k].origin[c] += (double)shift[c];
            for (int j = 0; j <= pack->rows; ++j) {
                pack->state[j].x[k] -= shift[0];
                pack->state[j].y[k] -= shift[1];
                pack->state[j].z[k] -= shift[2];
            }
        }
        for (int k = 0; k < pack->lead_count; ++k) {
            RodLead *l = &pack->leads[k];
            for (int c = 0; c < 3 && l->held == SN_HELD_VERTEX; ++c) {
                if (pack->lane[l->lane].rod != rod)
                    break;
                l->from[c] -= shift[c];
                l->to[c] -= shift[c];
            }
        }
    }
}

void sn__pack_step(RodPack *pack, const RodStep *step) {
    const RodKernels *kernels = step->kernels;
    float h = step->motion.h;
    sn__pack_prepare(pack, h);
    pack->step_bits = SN_STEP_OK;
    memset(pack->stage_ms, 0, sizeof pack->stage_ms);
    for (int n = 0; n < step->substeps; ++n) {
        double t0 = step->timed ? sn__now_ms() : 0.0;
        seams_refresh(pack);
        kernels->predict(pack, &step->motion);
        if (pack->damped)
            kernels->warm(pack, h);
        lead(pack, (float)(n + 1) / (float)step->substeps);
        kernels->axial(pack, !pack->damped);
        double t1 = step->timed ? sn__now_ms() : 0.0;
        for (int k = 0; k < step->iterations; ++k)
            sweep(pack, kernels, k == 0 && !pack->damped);
        double t2 = step->timed ? sn__now_ms() : 0.0;
        uint32_t bits = kernels->finish(pack, h);
        if (bits & SN_STEP_RECOVERED)
            recover(pack);
        pack->step_bits |= bits;
        if (step->timed) {
            pack->stage_ms[0] += (float)(t1 - t0);
            pack->stage_ms[1] += (float)(t2 - t1);
            pack->stage_ms[2] += (float)(sn__now_ms() - t2);
        }
    }
    if (pack->loaded) {
        memset(pack->loads, 0, ((size_t)pack->rows + 1) * sizeof(RodLoads));
        pack->loaded = false;
    }
}
