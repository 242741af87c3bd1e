// How far the sweeps of a sub-step were from its solution: for the stretch along the rod, bending and twist, the force
// k W that the potential asks for against the multiplier μ that was applied.
#include "math/lanes.h"
#include "rod/graph.h"
#include "rod/wide.h"

typedef struct Sums {
    Lanes missing, total;
} Sums;

// Squares of more than this would leave the range of float.
#define LARGEST 1e15f

INLINE void add(Sums *sums, Lanes asked, Lanes applied) {
    asked = lanes_clamp(asked, -LARGEST, LARGEST);
    applied = lanes_clamp(applied, -LARGEST, LARGEST);
    Lanes missing = asked - applied;
    sums->missing += missing * missing;
    sums->total += asked * asked + applied * applied;
}

INLINE Lanes4 frame(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

// Segment j from vertex a to vertex b.
INLINE void residual_segment(const RodPack *pack, int j, int a, int b, int i, Sums *sums) {
    const RodPrepared *p = pack->prepared + j;
    const RodWork *u = pack->work + j, *ua = pack->work + a, *ub = pack->work + b;
    Lanes3 w = quat_axis_z(frame(pack->state + j, i));
    Lanes3 d = {load(&u->ex[i]) + (load(&ub->ux[i]) - load(&ua->ux[i])),
                load(&u->ey[i]) + (load(&ub->uy[i]) - load(&ua->uy[i])),
                load(&u->ez[i]) + (load(&ub->uz[i]) - load(&ua->uz[i]))};
    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    add(sums, load(&p->k_stretch[i]) * (dot3(w, d) - load(&p->taut[i])), dot3(w, mu));
}

// The joint in row k, between segments p and a.
INLINE void residual_joint(const RodPack *pack, int k, int segment_p, int segment_a, int vertex,
                           int i, Sums *sums) {
    const RodPrepared *p = pack->prepared + k;
    const RodWork *u = pack->work + k;
    Lanes4 qp = frame(pack->state + segment_p, i), qa = frame(pack->state + segment_a, i);
    if (pack->turn) {
        const RodTurn *t = pack->turn + k;
        Lanes4 turn = {load(&t->x[i]), load(&t->y[i]), load(&t->z[i]), load(&t->w[i])};
        qp = quat_mul(qp, turn);
        if (pack->graph == NULL)
            qa = quat_mul(qa, quat_conjugate(turn));
    }
    Lanes scale = load(&pack->state[vertex].s[i]);
    Lanes4 c = quat_mul(quat_conjugate(qp), qa);
    Lanes kb = load(&p->k_bend[i]), kt = load(&p->k_twist[i]);
    Lanes bent_u = scale * lanes_flip_by(c.x + c.x, c.w);
    Lanes bent_v = scale * lanes_flip_by(c.y + c.y, c.w);
    Lanes bent_w = scale * lanes_flip_by(c.z + c.z, c.w);
    add(sums, kb * bent_u, load(&u->bend_u[i]));
    add(sums, kb * bent_v, load(&u->bend_v[i]));
    add(sums, kt * bent_w, load(&u->bend_w[i]));
}

void WIDE_FUNCTION(rod_residual)(RodPack *pack) {
    if (pack->slice) {
        WIDE_FUNCTION(rod_slices_residual)(pack);
        return;
    }
    if (pack->aim) {
        WIDE_FUNCTION(rod_newton_residual)(pack);
        return;
    }
    const RodGraph *graph = pack->graph;
    double missing = 0.0, total = 0.0;
    for (int i = 0; i < pack->lanes; i += WIDE) {
        Sums sums = {splat(0.0f), splat(0.0f)};
        for (int j = 0; graph == NULL && j < pack->rows; ++j) {
            residual_segment(pack, j, j, j + 1, i, &sums);
            residual_joint(pack, j, j - 1, j, j, i, &sums);
        }
        if (pack->walled)
            residual_joint(pack, pack->rows, pack->rows - 1, pack->rows, pack->rows, i, &sums);
        for (int j = 0; graph && j < graph->segments; ++j)
            residual_segment(pack, j, graph->edge[j][0], graph->edge[j][1], i, &sums);
        for (int k = 0; graph && k < graph->joints; ++k) {
            const GraphJoint *joint = &graph->joint[k];
            residual_joint(pack, k, joint->p, joint->a, joint->vertex, i, &sums);
        }
        for (int k = 0; k < WIDE && i + k < pack->lanes; ++k) {
            missing += (double)sums.missing[k];
            total += (double)sums.total[k];
        }
    }
    pack->residual[0] = missing;
    pack->residual[1] = total;
}
