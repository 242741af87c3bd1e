// Particles in an iteration of Newton's method: the gradient of the momentum energy, how long a step is, and the
// step. newton.c has the formulas.
#include "solid/turns.h"

INLINE void add_particles(Solid *s, int i, int count) {
    const int *place = &s->graph->plan.place[i];
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count);
    Lines aim = load_lines(&s->work[i].aim, sizeof(SolidWork), count);
    Lines start = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines inertia = load_lines(&s->work[i].inertia, sizeof(SolidWork), count);
    Lines mass = load_lines(&s->particles[i].mass, sizeof(SolidParticle), count);
    Lines q = load_lines(&s->q[i], sizeof(Quatd), count), out = no_lines();
    Wide no = splat(0.0);
    Wide3 none = {no, no, no};
    Wide3 tau = wide_tau(four_at(&start, 0), four_at(&q, 0));
    Wide3 turn = sym_mul3(sym_at(&inertia, 0), sub3(tau, three_at(&aim, 3)));
    Wide along = splat(0.25) * dot3(tau, turn);
    turn = add3(add3(turn, mul3(cross3(tau, turn), splat(0.5))), mul3(tau, along));
    Wide3 push = mul3(sub3(three_at(&at, 3), three_at(&aim, 0)), mass.v[0]);
    set_three(&out, 0, select3(no, at.v[6], none, push));
    set_three(&out, 3, select3(no, at.v[7], none, mul3(turn, splat(1.0 / s->size))));
    store_lines_at(out, s->vector, sizeof(SparseVector), place, LINE, count);
}

void WIDE_FUNCTION(solid_inertia)(Solid *s) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        add_particles(s, i, s->count - i);
}

// Squares; not a number if one of them is none.
void WIDE_FUNCTION(solid_measure)(const Solid *s, double out[2]) {
    Wide way = splat(0.0), turn = splat(0.0), sum = splat(0.0);
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        Lines g = load_lines(&s->vector[i], sizeof(SparseVector), s->count - i);
        Wide3 u = three_at(&g, 0), t = three_at(&g, 3);
        Wide uu = dot3(u, u), tt = dot3(t, t);
        way = wide_max(uu, way);
        turn = wide_max(tt, turn);
        sum += uu + tt;
    }
    double all = 0.0;
    out[0] = out[1] = 0.0;
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        out[0] = way[l] > out[0] ? way[l] : out[0];
        out[1] = turn[l] > out[1] ? turn[l] : out[1];
        all += sum[l];
    }
    if (all != all)
        out[0] = out[1] = all;
}

INLINE void move_particles(Solid *s, int i, int count, double by) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count);
    Lines q = load_lines(&s->q[i], sizeof(Quatd), count), out = no_lines();
    Lines step = load_lines_at(s->vector, sizeof(SparseVector), &s->graph->plan.place[i], count);
    Wide no = splat(0.0), half = splat(0.5);
    Wide3 u = sub3(three_at(&at, 3), mul3(three_at(&step, 0), splat(by)));
    Wide3 tau = mul3(three_at(&step, 3), splat(-by / s->size));
    Wide4 turn = {half * tau.x, half * tau.y, half * tau.z, splat(1.0)};
    Wide4 before = four_at(&q, 0), after = quat_normalise(quat_mul(turn, before));
    set_three(&at, 3, select3(no, at.v[6], three_at(&at, 3), u));
    set_four(&out, 0, select4(no, at.v[7], before, after));
    store_lines(at, &s->work[i].x_start, sizeof(SolidWork), LINE, count);
    store_lines(out, &s->q[i], sizeof(Quatd), 4, count);
}

void WIDE_FUNCTION(solid_move)(Solid *s, double by) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        move_particles(s, i, s->count - i, by);
}
