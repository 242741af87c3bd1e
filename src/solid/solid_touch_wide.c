// What contacts are told of particles: where they are, how they turn, and how their ellipsoids lie.
#include "solid/turns.h"

// The ellipsoid of a particle that is turned like this.
INLINE WideSym shape_of(const Solid *s, int i, int count, Wide4 q) {
    Lines frame = load_lines(&s->particles[i].frame, sizeof(SolidParticle), count);
    Wide3 r = three_at(&frame, 4);
    Wide none = splat(0.0);
    WideSym own = {
        .xx = r.x * r.x, .yy = r.y * r.y, .zz = r.z * r.z, .xy = none, .xz = none, .yz = none};
    return wide_sym_turned(wide_mat_of(quat_normalise(quat_mul(q, four_at(&frame, 0)))), own);
}

// What stays as it is for the whole sub-step.
INLINE void tell_start(Solid *s, const TouchArrays *touch, int i, int count) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count), start = no_lines();
    Lines from = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines inverse = load_lines(&s->work[i].inverse, sizeof(SolidWork), count);
    Lines mass = load_lines(&s->particles[i].mass, sizeof(SolidParticle), count);
    Lines reach = load_lines(&s->particles[i].reach, sizeof(SolidParticle), count);
    Lines shape = no_lines(), easy = no_lines();
    Wide no = splat(0.0), one = splat(1.0), free = wide_if_less(no, at.v[7], no, one);
    set_three(&start, 0, three_at(&at, 0));
    start.v[3] = reach.v[0];
    Wide mobility = wide_if_less(no, at.v[6], no, one / mass.v[0]);
    set_sym(&shape, 0, shape_of(s, i, count, four_at(&from, 0)));
    for (int c = 0; c < 6; ++c)
        easy.v[c] = inverse.v[c] * free;
    start = lines_back(start);
    shape = lines_back(shape);
    easy = lines_back(easy);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l) {
        Knot *knot = &touch->knots[s->knots + i + l];
        KnotTurn *turn = &touch->turns[s->turns + i + l];
        put_floats(&shape, l, turn->shape, LINE); // two more, which nobody reads
        put_floats(&easy, l, turn->inverse, LINE);
        put_floats(&start, l, knot->start, 4);
        knot->mobility = (float)mobility[l];
        for (int c = 0; c < 3; ++c)
            knot->push[c] = turn->push[c] = 0.0f;
    }
}

INLINE void tell_motion(Solid *s, const TouchArrays *touch, int i, int count) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count), out = no_lines();
    Lines from = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines q = load_lines(&s->q[i], sizeof(Quatd), count);
    set_three(&out, 0, three_at(&at, 3));
    set_three(&out, 4, wide_tau(four_at(&from, 0), four_at(&q, 0)));
    out = lines_back(out);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l) {
        put_halves(&out, l, s->work[i + l].sent, s->work[i + l].turned);
        // The radius does not change.
        put_halves(&out, l, touch->knots[s->knots + i + l].motion,
                   touch->turns[s->turns + i + l].turn);
    }
}

void WIDE_FUNCTION(solid_tell)(Solid *s, const TouchArrays *touch, bool first) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        if (first)
            tell_start(s, touch, i, s->count - i);
        tell_motion(s, touch, i, s->count - i);
    }
}

// What contacts did to particles since they were told, or out of overlaps.
typedef struct Heard {
    Wide3 by, turn;
} Heard;

// None if it is no number.
INLINE Wide3 sane(Wide3 a) {
    Wide most = splat((double)LARGEST_NUMBER * (double)LARGEST_NUMBER), no = splat(0.0);
    return select3(dot3(a, a), most, a, (Wide3){no, no, no});
}
INLINE Wide3 rounded3(Wide3 a) { return (Wide3){rounded(a.x), rounded(a.y), rounded(a.z)}; }

INLINE Heard heard(const Solid *s, const TouchArrays *touch, int i, int count, bool pushes) {
    const float *motion[WIDE_DOUBLE], *turn[WIDE_DOUBLE], *sent[WIDE_DOUBLE], *turned[WIDE_DOUBLE];
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        int k = i + (l < count ? l : count - 1);
        motion[l] = touch->knots[s->knots + k].motion;
        turn[l] = touch->turns[s->turns + k].turn;
        sent[l] = s->work[k].sent;
        turned[l] = s->work[k].turned;
    }
    Lines u = load_float_lines(motion), t = load_float_lines(turn);
    if (pushes)
        return (Heard){sane(three_at(&u, 4)), sane(three_at(&t, 4))};
    Lines u_0 = load_float_lines(sent), t_0 = load_float_lines(turned);
    return (Heard){sane(rounded3(sub3(three_at(&u, 0), three_at(&u_0, 0)))),
                   sane(rounded3(sub3(three_at(&t, 0), three_at(&t_0, 0))))};
}

// The squares of the largest.
void WIDE_FUNCTION(solid_heard)(const Solid *s, const TouchArrays *touch, double out[2]) {
    Wide by = splat(0.0), turn = splat(0.0);
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        Heard h = heard(s, touch, i, s->count - i, false);
        by = wide_max(by, dot3(h.by, h.by));
        turn = wide_max(turn, dot3(h.turn, h.turn));
    }
    out[0] = out[1] = 0.0;
    for (int l = 0; l < WIDE_DOUBLE; ++l) {
        out[0] = by[l] > out[0] ? by[l] : out[0];
        out[1] = turn[l] > out[1] ? turn[l] : out[1];
    }
}

INLINE Wide aim_elsewhere(Solid *s, const TouchArrays *touch, int i, int count, bool pushes) {
    Heard h = heard(s, touch, i, count, pushes);
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count);
    Lines aim = load_lines(&s->work[i].aim, sizeof(SolidWork), count), out = no_lines();
    Lines inertia = load_lines(&s->work[i].inertia, sizeof(SolidWork), count);
    Lines mass = load_lines(&s->particles[i].mass, sizeof(SolidParticle), count);
    Wide no = splat(0.0), all = dot3(h.by, h.by) + dot3(h.turn, h.turn);
    Wide3 none = {no, no, no}, by = select3(no, at.v[6], none, h.by);
    Wide3 turn = select3(no, at.v[7], none, h.turn);
    set_three(&aim, 0, add3(three_at(&aim, 0), by));
    set_three(&aim, 3, add3(three_at(&aim, 3), turn));
    set_three(&out, 0, mul3(by, no - mass.v[0]));
    set_three(&out, 3, mul3(sym_mul3(sym_at(&inertia, 0), turn), splat(-1.0 / s->size)));
    store_lines(aim, &s->work[i].aim, sizeof(SolidWork), 6, count);
    store_lines_at(out, s->vector, sizeof(SparseVector), &s->graph->plan.place[i], LINE, count);
    return all;
}

double WIDE_FUNCTION(solid_hear)(Solid *s, const TouchArrays *touch, bool pushes) {
    Wide all = splat(0.0);
    double sum = 0.0;
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        all = wide_max(all, aim_elsewhere(s, touch, i, s->count - i, pushes));
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        sum += all[l];
    return sum;
}

// The start of the sub-step is shifted by what the push has done: from there, the motion that was kept leads
// to where the particle is now.
INLINE void shift_particles(Solid *s, int i, int count) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count), start = no_lines();
    Lines from = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines moved = load_lines(&s->work[i].moved_u, sizeof(SolidWork), count);
    Lines q = load_lines(&s->q[i], sizeof(Quatd), count);
    Wide3 u = three_at(&moved, 0);
    Wide4 turn = quat_mul(four_at(&moved, 3), quat_conjugate(four_at(&from, 0)));
    set_three(&at, 0, add3(three_at(&at, 0), sub3(three_at(&at, 3), u)));
    set_three(&at, 3, u);
    set_four(&start, 0, quat_normalise(quat_mul(quat_conjugate(turn), four_at(&q, 0))));
    store_lines(at, &s->work[i].x_start, sizeof(SolidWork), LINE, count);
    store_lines(start, &s->work[i].q_start, sizeof(SolidWork), 4, count);
}

void WIDE_FUNCTION(solid_shift)(Solid *s) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE)
        shift_particles(s, i, s->count - i);
}
