// How far the sweeps of a sub-step were from its solution: for the stretch along the rod, bending and twist, the force
// k W that the potential asks for against the multiplier μ that was applied.
#include "math/lanes.h"
#include "rod/wide.h"

typedef struct Sums {
    Lanes missing, total;
} Sums;

// Squares of more than this would leave the range of float.
#define LARGEST 1e15f

SN_INLINE void add(Sums *sums, Lanes asked, Lanes applied) {
    asked = lanes_clamp(asked, -LARGEST, LARGEST);
    applied = lanes_clamp(applied, -LARGEST, LARGEST);
    Lanes missing = asked - applied;
    sums->missing += missing * missing;
    sums->total += asked * asked + applied * applied;
}

SN_INLINE Lanes4 frame(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

SN_INLINE void residual_row(const RodPack *pack, int j, int i, Sums *sums) {
    const RodPrepared *p = pack->prepared + j;
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    Lanes4 q = frame(s, i), q_before = frame(s - 1, i);
    Lanes3 w = quat_axis_z(q);
    Lanes3 d = {load(&u->ex[i]) + (load(&u[1].ux[i]) - load(&u->ux[i])),
                load(&u->ey[i]) + (load(&u[1].uy[i]) - load(&u->uy[i])),
                load(&u->ez[i]) + (load(&u[1].uz[i]) - load(&u->uz[i]))};
    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    add(sums, load(&p->k_stretch[i]) * (dot3(w, d) - load(&p->active[i])), dot3(w, mu));

    Lanes scale = load(&s->s[i]);
    Lanes4 c = quat_mul(quat_conjugate(q_before), q);
    Lanes kb = load(&p->k_bend[i]), kt = load(&p->k_twist[i]);
    Lanes bent_u = scale * lanes_flip_by(c.x + c.x, c.w) - load(&p->rest_u[i]);
    Lanes bent_v = scale * lanes_flip_by(c.y + c.y, c.w) - load(&p->rest_v[i]);
    Lanes bent_w = scale * lanes_flip_by(c.z + c.z, c.w) - load(&p->rest_w[i]);
    add(sums, kb * bent_u, load(&u->bend_u[i]));
    add(sums, kb * bent_v, load(&u->bend_v[i]));
    add(sums, kt * bent_w, load(&u->bend_w[i]));
}

void SN_WIDE_FUNCTION(rod_residual)(RodPack *pack) {
    double missing = 0.0, total = 0.0;
    for (int i = 0; i < pack->lanes; i += SN_WIDE) {
        Sums sums = {splat(0.0f), splat(0.0f)};
        for (int j = 0; j < pack->rows; ++j)
            residual_row(pack, j, i, &sums);
        for (int k = 0; k < SN_WIDE && i + k < pack->lanes; ++k) {
            missing += (double)sums.missing[k];
            total += (double)sums.total[k];
        }
    }
    pack->residual[0] = missing;
    pack->residual[1] = total;
}
