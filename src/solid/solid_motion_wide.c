// Where particles would go in a sub-step, and what velocities come of where they went: motion.c has the scheme.
#include <stddef.h>

#include "solid/turns.h"

#define WORK(s, i, part) (&(s)->work[i].part), sizeof(SolidWork)
#define PARTICLE(s, i, part) (&(s)->particles[i].part), sizeof(SolidParticle)
#define ARRAY(a, i) (&(a)[i]), sizeof *(a)

// What is read of a particle and what becomes of it.
typedef struct Motion {
    Wide mass;
    Wide3 x, v, a, pull, load;
    Wide4 q;
    Wide3 l, t, torque, load_torque, spin;
    WideSym inertia, inverse;
} Motion;

INLINE Motion read_motion(const Solid *s, int i, int count) {
    Motion m;
    Lines own = load_lines(PARTICLE(s, i, mass), count);
    Lines inverse = load_lines(PARTICLE(s, i, inverse), count);
    Lines x = load_lines(ARRAY(s->x, i), count), v = load_lines(ARRAY(s->v, i), count);
    Lines a = load_lines(ARRAY(s->a, i), count), q = load_lines(ARRAY(s->q, i), count);
    Lines l = load_lines(ARRAY(s->l, i), count), t = load_lines(ARRAY(s->t, i), count);
    m.mass = own.v[0];
    m.inertia = sym_at(&own, 1);
    m.inverse = sym_at(&inverse, 0);
    m.x = three_at(&x, 0);
    m.v = three_at(&v, 0);
    m.a = three_at(&a, 0);
    m.q = four_at(&q, 0);
    m.l = three_at(&l, 0);
    m.t = three_at(&t, 0);
    return m;
}

// Loads, and what contacts are expected to do, which is where the aim comes.
INLINE void read_loads(const Solid *s, int i, int count, Motion *m) {
    Lines pull = load_lines(WORK(s, i, pull), count), aim = load_lines(WORK(s, i, aim), count);
    Lines force = load_lines(ARRAY(s->force, i), count);
    Lines couple = load_lines(ARRAY(s->couple, i), count);
    m->pull = add3(three_at(&pull, 0), mul3(three_at(&force, 0), splat(1.0) / m->mass));
    m->torque = three_at(&couple, 0);
    m->load = three_at(&aim, 0);
    m->load_torque = three_at(&aim, 3);
}

// Inertia and angular velocity in the middle of a free turn.
INLINE void predict_turn(Motion *m, double h) {
    WideMat R = wide_mat_of(m->q);
    Wide3 spin = mat_mul3(R, sym_mul3(m->inverse, transposed_mul3(R, m->l)));
    Wide3 half = wide_shortened(mul3(spin, splat(0.5 * h)), FASTEST_TURN);
    R = wide_mat_of(quat_mul(wide_turn_by(half), m->q));
    m->inertia = wide_sym_turned(R, m->inertia);
    m->inverse = wide_sym_turned(R, m->inverse);
    m->spin = sym_mul3(m->inverse, m->l);
}

INLINE void predict(Solid *s, const SolidStep *o, int i, int count) {
    Motion m = read_motion(s, i, count);
    double h = o->h, h2 = h * h;
    read_loads(s, i, count, &m);
    predict_turn(&m, h);
    Wide3 twist = sym_mul3(m.inverse, m.torque), own = sym_mul3(m.inverse, m.t);
    Wide carried = splat(o->carried * h2), outside = splat(o->outside * h2);
    Wide more = splat((o->guess - o->carried) * h2);
    Wide3 aim = add3(mul3(m.v, splat(h)), mul3(m.pull, outside));
    aim = add3(aim, mul3(m.a, carried));
    aim = add3(aim, mul3(m.load, splat(1.0) / m.mass));
    Wide3 aim_tau = add3(mul3(m.spin, splat(h)), mul3(twist, outside));
    aim_tau = add3(aim_tau, mul3(own, carried));
    aim_tau = add3(aim_tau, sym_mul3(m.inverse, m.load_torque));
    aim_tau = wide_shortened(aim_tau, FASTEST_TURN);
    Wide3 u = add3(aim, mul3(m.a, more));
    Wide3 tau = wide_shortened(add3(aim_tau, mul3(own, more)), FASTEST_TURN);
    Wide4 q = quat_normalise(quat_mul(wide_turn_by(tau), m.q));
    Lines place = no_lines(), wanted = no_lines(), turn = no_lines(), inertia = no_lines(),
          inverse = no_lines(), loads = no_lines(), pose = no_lines();
    set_three(&place, 0, m.x);
    set_three(&place, 3, u);
    set_three(&wanted, 0, aim);
    set_three(&wanted, 3, aim_tau);
    set_four(&turn, 0, m.q);
    set_three(&turn, 4, m.spin);
    set_sym(&inertia, 0, m.inertia);
    set_sym(&inverse, 0, m.inverse);
    set_three(&loads, 0, m.pull);
    set_three(&loads, 3, m.torque);
    set_four(&pose, 0, q);
    store_lines(place, WORK(s, i, x_start), LINE, count);
    store_lines(wanted, WORK(s, i, aim), 6, count);
    store_lines(turn, WORK(s, i, q_start), 7, count);
    store_lines(inertia, WORK(s, i, inertia), 6, count);
    store_lines(inverse, WORK(s, i, inverse), 6, count);
    store_lines(loads, WORK(s, i, pull), 6, count);
    store_lines(pose, ARRAY(s->q, i), 4, count);
}

void WIDE_FUNCTION(solid_predict)(Solid *s, const SolidStep *o) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        predict(s, o, i, s->count - i);
}

INLINE Wide held_back(Wide f, Wide most) {
    Wide low = splat(0.0) - most;
    return wide_max(wide_min(f, most), low);
}

INLINE Wide3 three_of(double by, Wide3 a) { return mul3(a, splat(by)); }

// What is held moves as it was led, and what has not arrived remembers nothing.
INLINE void finish(Solid *s, const SolidStep *o, int i, int count, double late) {
    double h = o->h;
    Lines place = load_lines(WORK(s, i, x_start), count),
          turns = load_lines(WORK(s, i, q_start), count);
    Lines inertias = load_lines(WORK(s, i, inertia), count);
    Lines inverses = load_lines(WORK(s, i, inverse), count);
    Lines loads = load_lines(WORK(s, i, pull), count), q = load_lines(ARRAY(s->q, i), count);
    Lines v_ = load_lines(ARRAY(s->v, i), count), a_ = load_lines(ARRAY(s->a, i), count);
    Lines t_ = load_lines(ARRAY(s->t, i), count);
    Wide3 u = three_at(&place, 3), pull = three_at(&loads, 0), start = three_at(&turns, 4);
    WideSym inertia = sym_at(&inertias, 0), inverse = sym_at(&inverses, 0);
    Wide3 v = three_at(&v_, 0), a = three_at(&a_, 0);
    Wide3 twist = sym_mul3(inverse, three_at(&loads, 3)), own = sym_mul3(inverse, three_at(&t_, 0));
    Wide3 tau = wide_tau(four_at(&turns, 0), four_at(&q, 0)),
          none = {splat(0.0), splat(0.0), splat(0.0)};
    Wide3 moved = three_of(1.0 / h, u), turned = three_of(1.0 / h, tau);
    Wide3 mean = sub3(moved, three_of(o->outside * h, pull));
    Wide3 turn = sub3(turned, three_of(o->outside * h, twist));
    Wide3 next_v = add3(add3(three_of(h, pull), three_of(o->alpha, mean)),
                        add3(three_of(o->beta, v), three_of(o->gamma * h, a)));
    Wide3 spin = add3(add3(three_of(h, twist), three_of(o->alpha, turn)),
                      add3(three_of(o->beta, start), three_of(o->gamma * h, own)));
    Wide3 next_a = add3(three_of(o->delta / h, sub3(mean, v)), three_of(o->epsilon, a));
    own = add3(three_of(o->delta / h, sub3(turn, start)), three_of(o->epsilon, own));
    if (o->euler) {
        Wide most = splat(REMEMBERED) * wide_sqrt(dot3(pull, pull));
        next_a = (Wide3){held_back(next_a.x, most), held_back(next_a.y, most),
                         held_back(next_a.z, most)};
        own = none;
    }
    Wide led_x = wide_max(place.v[6], splat(late)), led_q = wide_max(place.v[7], splat(late));
    Wide no = splat(0.0);
    next_v = select3(no, led_x, moved, next_v);
    next_a = select3(no, led_x, none, next_a);
    spin = select3(no, led_q, turned, spin);
    own = select3(no, led_q, none, own);
    Lines x = no_lines(), l = no_lines();
    set_three(&x, 0, add3(three_at(&place, 0), u));
    store_lines(x, ARRAY(s->x, i), 3, count);
    set_three(&x, 0, next_v);
    store_lines(x, ARRAY(s->v, i), 3, count);
    set_three(&x, 0, next_a);
    store_lines(x, ARRAY(s->a, i), 3, count);
    set_three(&l, 0, sym_mul3(inertia, spin));
    store_lines(l, ARRAY(s->l, i), 3, count);
    set_three(&l, 0, sym_mul3(inertia, own));
    store_lines(l, ARRAY(s->t, i), 3, count);
}

void WIDE_FUNCTION(solid_finish)(Solid *s, const SolidStep *o) {
    double late = s->late ? 1.0 : 0.0;
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        finish(s, o, i, s->count - i, late);
}

// Squares of the largest of: velocity, angular velocity, and the way since the sub-step began of what is not held.
void WIDE_FUNCTION(solid_fastest)(const Solid *s, double out[3]) {
    Wide most[3] = {splat(0.0), splat(0.0), splat(0.0)};
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        int count = s->count - i;
        Lines inverse = load_lines(PARTICLE(s, i, inverse), count);
        Lines x = load_lines(ARRAY(s->x, i), count), v = load_lines(ARRAY(s->v, i), count);
        Lines q = load_lines(ARRAY(s->q, i), count), l = load_lines(ARRAY(s->l, i), count);
        Lines place = load_lines(WORK(s, i, x_start), count);
        WideMat R = wide_mat_of(four_at(&q, 0));
        Wide3 way = sub3(three_at(&x, 0), three_at(&place, 0)), speed = three_at(&v, 0);
        Wide3 spin =
            mat_mul3(R, sym_mul3(sym_at(&inverse, 0), transposed_mul3(R, three_at(&l, 0))));
        Wide far = wide_if_less(splat(0.0), place.v[6], splat(0.0), dot3(way, way));
        most[0] = wide_max(most[0], dot3(speed, speed));
        most[1] = wide_max(most[1], dot3(spin, spin));
        most[2] = wide_max(most[2], far);
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.0;
        for (int l = 0; l < WIDE_DOUBLE; ++l)
            out[k] = most[k][l] > out[k] ? most[k][l] : out[k];
    }
}

// The sum of all sizes of what was found, which is a number if they all are.
double WIDE_FUNCTION(solid_size)(const Solid *s) {
    Wide sums = splat(0.0);
    double sum = 0.0;
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        Lines place = load_lines(WORK(s, i, x_start), s->count - i);
        Lines q = load_lines(ARRAY(s->q, i), s->count - i);
        for (int c = 3; c < 6; ++c)
            sums += wide_abs(place.v[c]);
        for (int c = 0; c < 4; ++c)
            sums += wide_abs(q.v[c]);
    }
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        sum += sums[l];
    return sum;
}
