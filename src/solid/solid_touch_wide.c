// What contacts are told of particles: where they are, how they turn, and how their ellipsoids lie.
#include "solid/turns.h"

// The ellipsoid of a particle that is turned like this.
INLINE WideSym shape_of(const Solid *s, int i, int count, Wide4 q) {
    Lines frame = load_lines(&s->particles[i].frame, sizeof(SolidParticle), count);
    Wide3 r = three_at(&frame, 4);
    Wide none = splat(0.0);
    WideSym own = {.xx = r.x * r.x, .yy = r.y * r.y, .zz = r.z * r.z,
                   .xy = none,      .xz = none,      .yz = none};
    return wide_sym_turned(wide_mat_of(quat_normalise(quat_mul(q, four_at(&frame, 0)))), own);
}

// What stays as it is for the whole sub-step.
INLINE void tell_start(Solid *s, const TouchArrays *touch, int i, int count) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count), start = no_lines();
    Lines from = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines inverse = load_lines(&s->work[i].inverse, sizeof(SolidWork), count);
    Lines mass = load_lines(&s->particles[i].mass, sizeof(SolidParticle), count);
    Lines shape = no_lines(), easy = no_lines();
    Wide no = splat(0.0), one = splat(1.0), free = wide_if_less(no, at.v[7], no, one);
    set_three(&start, 0, three_at(&at, 0));
    start.v[3] = wide_if_less(no, at.v[6], no, one / mass.v[0]);
    set_sym(&shape, 0, shape_of(s, i, count, four_at(&from, 0)));
    for (int c = 0; c < 6; ++c)
        easy.v[c] = inverse.v[c] * free;
    start = lines_back(start);
    shape = lines_back(shape);
    easy = lines_back(easy);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l) {
        Knot *knot = &touch->knots[s->knots + i + l];
        KnotTurn *turn = &touch->turns[s->turns + i + l];
        float line[4];
        put_floats(&start, l, line, 4);
        put_floats(&shape, l, turn->shape, 6);
        put_floats(&easy, l, turn->inverse, 6);
        memcpy(knot->start, line, 3 * sizeof(float));
        knot->mobility = line[3];
        for (int c = 0; c < 3; ++c)
            knot->push[c] = turn->push[c] = 0.0f;
    }
}

INLINE void tell_motion(Solid *s, const TouchArrays *touch, int i, int count) {
    Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), count), out = no_lines();
    Lines from = load_lines(&s->work[i].q_start, sizeof(SolidWork), count);
    Lines q = load_lines(&s->q[i], sizeof(Quatd), count);
    set_three(&out, 0, three_at(&at, 3));
    set_three(&out, 3, wide_tau(four_at(&from, 0), four_at(&q, 0)));
    out = lines_back(out);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l) {
        SolidWork *w = &s->work[i + l];
        float line[6];
        put_floats(&out, l, line, 6);
        memcpy(w->sent, line, 3 * sizeof(float));
        memcpy(w->turned, line + 3, 3 * sizeof(float));
        memcpy(touch->knots[s->knots + i + l].motion, line, 3 * sizeof(float));
        memcpy(touch->turns[s->turns + i + l].turn, line + 3, 3 * sizeof(float));
    }
}

void WIDE_FUNCTION(solid_tell)(Solid *s, const TouchArrays *touch, bool first) {
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        if (first)
            tell_start(s, touch, i, s->count - i);
        tell_motion(s, touch, i, s->count - i);
    }
}
