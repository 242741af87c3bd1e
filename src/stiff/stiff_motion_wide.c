// Prediction and finish of a sub-step: Algorithm 1 of Deul et al., lines 2 to 4 and 17.
#include <assert.h>

#include "sinew/math.h"
#include "stiff/lanes.h"
#include "stiff/wide.h"

// Bound on the tangent of half the turn of one sub-step.
#define TAN_MAX 1e3

INLINE Wide bounded(Wide x, double most) {
    return wide_max(wide_min(x, splat(most)), splat(-most));
}

// Into the axes of a frame, and out of them.
INLINE Wide3 into(Wide4 q, Wide3 v) {
    return (Wide3){dot3(quat_axis_x(q), v), dot3(quat_axis_y(q), v), dot3(quat_axis_z(q), v)};
}
INLINE Wide3 out_of(Wide4 q, Wide3 v) {
    return add3(add3(mul3(quat_axis_x(q), v.x), mul3(quat_axis_y(q), v.y)),
                mul3(quat_axis_z(q), v.z));
}

// A solid that turns under a torque T: I ω' + ω × I ω = T, one implicit step in the body's own axes. Half a
// sub-step is the midpoint rule, and a whole one without a torque never adds energy. Returned is what ω × I ω does: the
// torque itself acts with the others, but which way a solid reels depends on how fast it turns in the middle of a
// sub-step.
INLINE Wide3 spun(const StiffRest *c, Wide4 q, Wide3 w, Wide3 torque, int i, Wide h) {
    Wide3 o = into(q, w);
    Wide i1 = load(&c->i1[i]), i2 = load(&c->i2[i]), i3 = load(&c->i3[i]);
    Wide3 L = {i1 * o.x, i2 * o.y, i3 * o.z};
    Wide3 left = mul3(sub3(torque, cross3(o, L)), h);
    // One Newton step with I + h ([ω]× I − [I ω]×), which is not symmetric.
    WideMat m = {{i1, h * (L.z - i2 * o.z), h * (i3 * o.y - L.y)},
                 {h * (i1 * o.z - L.z), i2, h * (L.x - i3 * o.x)},
                 {h * (L.y - i1 * o.y), h * (i2 * o.x - L.x), i3}};
    Wide3 yz = cross3(m.y, m.z), zx = cross3(m.z, m.x), xy = cross3(m.x, m.y);
    Wide det = dot3(m.x, yz);
    Wide3 by = mul3(add3(add3(mul3(yz, left.x), mul3(zx, left.y)), mul3(xy, left.z)), 1.0 / det);
    Wide3 pushed = {h * torque.x / i1, h * torque.y / i2, h * torque.z / i3};
    return out_of(q, add3(o, sub3(by, pushed)));
}

// The part of a joint's strain that damping holds on to: τ/(τ + h) of what it is now.
INLINE void keep_strain(Grove *g, int r, int i, double h) {
    const StiffRest *c = &g->rest[r];
    Wide4 stem,
        rel = bent(c, i, pose_of(&g->state[r], i).q, parent_pose(g, &g->row[r], i).q, &stem);
    Wide tau = load(&c->damping[i]);
    Wide share = 2.0 * tau / (tau + h);
    store3(&g->motion[r].dx, i, mul3((Wide3){rel.x, rel.y, rel.z}, share));
}

INLINE Wide3 times(Wide3 a, Wide3 b) { return (Wide3){a.x * b.x, a.y * b.y, a.z * b.z}; }
// 0 in lanes that are not in use.
INLINE Wide inverse_of(Wide x) {
    return wide_if_less(splat(0.0), x, 1.0 / wide_max(x, splat(1e-300)), splat(0.0));
}

// Segments go on as they moved, which keeps their joints together but for the curves of their paths.
// Forces are left to the first solve, as impulses: alone, a light segment under a torque would be
// anywhere. So is what is remembered of them.
INLINE void predict_segment(Grove *g, int r, int i, double h, const double gravity[3]) {
    StiffState *s = &g->state[r];
    StiffMotion *m = &g->motion[r];
    const StiffRest *c = &g->rest[r];
    const StiffLoads *f = &g->loads[r];
    Wide4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
    Wide3 x = load3(&s->x, i), zero = {splat(0.0), splat(0.0), splat(0.0)};
    Wide slow = 1.0 / (1.0 + h * load(&c->drag[i])), second = load(&c->second[i]);
    Wide3 v = mul3(load3(&s->vx, i), slow), w = mul3(load3(&s->wx, i), slow);
    Wide3 torque = mul3(load3(&s->bx, i), second);
    Wide3 mean = spun(c, q, w, torque, i, h * (1.0 - 0.5 * second));
    Wide3 turn = mul3(mean, splat(h));
    store3(&s->vx, i, v);
    store3(&s->wx, i, add3(w, mul3(sub3(mean, w), 2.0 * second)));
    store3(&m->bx, i, x);
    store(&m->qx[i], q.x);
    store(&m->qy[i], q.y);
    store(&m->qz[i], q.z);
    store(&m->qw[i], q.w);
    store3(&m->sx, i, zero);
    store3(&m->nx, i, zero);
    store(&m->lean[i], splat(0.0));
    x = add3(x, mul3(v, splat(h)));
    store3(&s->x, i, x);
    store3(&m->fx, i, x);
    turn = (Wide3){bounded(turn.x, TAN_MAX), bounded(turn.y, TAN_MAX), bounded(turn.z, TAN_MAX)};
    q = quat_turned(q, turn);
    store(&s->qx[i], q.x);
    store(&s->qy[i], q.y);
    store(&s->qz[i], q.z);
    store(&s->qw[i], q.w);

    store(&m->gx[i], q.x);
    store(&m->gy[i], q.y);
    store(&m->gz[i], q.z);
    store(&m->gw[i], q.w);

    Wide mass = load(&c->mass[i]), h2 = outside_of(second) * (h * h);
    Wide carried = second * (SECOND_CARRIED * h * h), weight = h2 * mass * load(&c->weight[i]);
    Wide3 fall = {weight * gravity[0], weight * gravity[1], weight * gravity[2]};
    Wide3 push = add3(mul3(load3(&f->fx, i), h2), fall);
    Wide3 remembered = out_of(q, load3(&s->bx, i));
    store3(&m->kx, i, add3(push, mul3(load3(&s->ax, i), carried * mass)));
    Wide late = share_of(second) * (h * h);
    Wide3 pushed = add3(load3(&f->tx, i), cross3(quat_axis_z(q), load3(&f->lx, i)));
    store3(&m->ux, i, add3(mul3(pushed, late), mul3(remembered, carried)));
}

void WIDE_FUNCTION(stiff_strain)(Grove *g, int begin, int end, double h) {
    for (int r = begin; r < end; ++r)
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
            keep_strain(g, r, i, h);
}

INLINE void fetch_predict(const Grove *g, int r) {
    const StiffMotion *m = &g->motion[r];
    fetch(&g->state[r].x, &g->state[r + 1].x);
    fetch(&g->rest[r].mass, &g->rest[r].far);
    fetch(&m->sx, &m->ox);
    fetch(&m->kx, &m->px);
    fetch(&m->qx, &m->dx);
    fetch(&m->bx, &m->cx);
}

void WIDE_FUNCTION(stiff_predict)(Grove *g, int begin, int end, double h, const double gravity[3]) {
    assert(begin >= 0 && end <= g->prop_begin && h > 0.0);
    for (int r = begin; r < end; ++r) {
        if (r + AHEAD < end)
            fetch_predict(g, r + AHEAD);
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
            predict_segment(g, r, i, h, gravity);
    }
}

// Six fields from cx on, to the parents: the pull, and `far` times it.
static void hand_pull(Grove *g, int r, const StiffLanes pull[6]) {
    const StiffRow *row = &g->row[r];
    for (int i = 0; i < row->count; ++i) {
        int at = row->parent[i];
        StiffLanes *to = &g->motion[at / STIFF_LANES].cx;
        for (int k = 0; k < 6; ++k)
            to[k][at % STIFF_LANES] += pull[k][i];
    }
}

// A joint pulls at its segment with what the segment and all below it did against their inertia and
// the impulses on them. About the centre, forces F at the points r along the axis d resist turning by
// Σ (F·d) r, as far as they pull.
void WIDE_FUNCTION(stiff_pull)(Grove *g, int begin, int exports, int end) {
    for (int r = begin; r < end; ++r) {
        StiffState *s = &g->state[r];
        const StiffRest *c = &g->rest[r];
        StiffMotion *m = &g->motion[r];
        StiffLanes pull[6];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide3 by = mul3(sub3(load3(&s->x, i), load3(&m->fx, i)), load(&c->mass[i]));
            Wide3 f = add3(by, load3(&m->cx, i));
            Wide3 lever = sub3(mul3(f, load(&c->end[i])), load3(&m->lx, i));
            Wide4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
            Wide tension = wide_max(dot3(lever, quat_axis_z(q)), splat(0.0));
            store(&s->tension[i], per_share(load(&c->second[i])) * tension);
            store3(pull, i, f);
            store3(pull + 3, i, mul3(f, load(&c->far[i])));
            Wide3 zero = {splat(0.0), splat(0.0), splat(0.0)};
            store3(&m->cx, i, zero);
            store3(&m->lx, i, zero);
        }
        if (r < exports) {
            hand_pull(g, r, pull);
            continue;
        }
        for (int k = 0; k < 6; ++k)
            for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
                store(&(&m->cx)[k][i], load(&pull[k][i]));
    }
}

void WIDE_FUNCTION(stiff_import_pull)(Grove *g, int begin, int end) {
    for (int r = begin; r < end; ++r) {
        StiffLanes pull[6];
        StiffLanes *from = &g->motion[r].cx;
        for (int k = 0; k < 6; ++k)
            for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
                store(&pull[k][i], load(&from[k][i]));
                store(&from[k][i], splat(0.0));
            }
        hand_pull(g, r, pull);
    }
}

// What dies away would be divided until it is denormal, and slow to compute with.
INLINE Wide without_traces(Wide x) {
    return wide_if_less(wide_abs(x), splat(1e-40), splat(0.0), x);
}

// 1 where a sub-step of second order goes on with the mean velocity (scheme.h), else 0.
INLINE Wide rough(Wide second) { return wide_if_less(splat(1.0), second, splat(1.0), splat(0.0)); }

// What second order says, or Euler's method.
INLINE Wide3 chosen(Wide second, Wide3 a, Wide3 b) {
    Wide zero = splat(0.0), pick = second - 2.0 * rough(second);
    return (Wide3){without_traces(wide_if_less(zero, pick, a.x, b.x)),
                   without_traces(wide_if_less(zero, pick, a.y, b.y)),
                   without_traces(wide_if_less(zero, pick, a.z, b.z))};
}

// Twice the tangent of half the turn from one frame to the other; bounded short of half a turn.
INLINE Wide3 turn_between(Wide4 from, Wide4 to) {
    Wide4 turn = quat_mul(to, quat_conjugate(from));
    Wide c = 2.0 / wide_max(wide_abs(turn.w), splat(0.1));
    return (Wide3){wide_flip_by(turn.x * c, turn.w), wide_flip_by(turn.y * c, turn.w),
                   wide_flip_by(turn.z * c, turn.w)};
}

// Velocity and remembered acceleration after a sub-step of second order (scheme.h), from those before it,
// from what acts from outside, and from how much faster than predicted the segment went.
typedef struct Carried {
    Wide3 after, force;
} Carried;

INLINE Carried carry_on(Wide3 before, Wide3 a, Wide3 g, Wide3 beyond, double h) {
    Wide3 after = add3(mul3(beyond, splat(15.0 / 8.0)), mul3(add3(g, a), splat(h / 16.0)));
    Wide3 force = sub3(mul3(beyond, splat(9.0 / 4.0 / h)),
                       add3(mul3(g, splat(9.0 / 8.0)), mul3(a, splat(1.0 / 8.0))));
    return (Carried){add3(before, after), force};
}

// What acts from outside, of a known impulse × h.
INLINE Wide3 outside(Wide3 known, Wide3 a, double h) {
    return sub3(mul3(known, splat(2.0 / (h * h))), mul3(a, splat(1.0 / 3.0)));
}

// Of what Euler's method finds, as much as can hold against g.
INLINE Wide3 resisting(Wide3 f, Wide3 g) {
    Wide3 most = {2.0 * wide_abs(g.x), 2.0 * wide_abs(g.y), 2.0 * wide_abs(g.z)};
    Wide3 own = sub3(f, g);
    return (Wide3){wide_max(wide_min(own.x, most.x), -most.x),
                   wide_max(wide_min(own.y, most.y), -most.y),
                   wide_max(wide_min(own.z, most.z), -most.z)};
}

INLINE void finish_centre(Grove *g, int r, int i, double h, const double gravity[3]) {
    StiffState *s = &g->state[r];
    const StiffRest *c = &g->rest[r];
    const StiffMotion *m = &g->motion[r];
    Wide per_mass = inverse_of(load(&c->mass[i])), second = load(&c->second[i]);
    Wide3 v = load3(&s->vx, i), a = load3(&s->ax, i);
    Wide3 mean = mul3(sub3(load3(&s->x, i), load3(&m->bx, i)), splat(1.0 / h));
    Wide3 faster = sub3(mean, v);
    Carried on = carry_on(v, a, outside(mul3(load3(&m->kx, i), per_mass), a, h), faster, h);
    Wide weight = load(&c->weight[i]);
    Wide3 fall = {weight * gravity[0], weight * gravity[1], weight * gravity[2]};
    Wide3 pull = add3(fall, mul3(load3(&g->loads[r].fx, i), per_mass));
    Wide3 euler = resisting(mul3(faster, splat(1.0 / h)), pull);
    Wide late = rough(second) * (1.0 - load(&c->rooted[i])) * (0.5 * h);
    store3(&s->vx, i, chosen(second, on.after, add3(mean, mul3(fall, late))));
    store3(&s->ax, i, chosen(second, on.force, euler));
}

// In the axes of the frame, where a thin segment's spin about its axis has nothing to do with how it
// turns otherwise.
INLINE void finish_frame(Grove *g, int r, int i, double h) {
    StiffState *s = &g->state[r];
    const StiffRest *c = &g->rest[r];
    const StiffMotion *m = &g->motion[r];
    Wide second = load(&c->second[i]), per_h = splat(1.0 / h);
    Wide3 none = {splat(0.0), splat(0.0), splat(0.0)}, inertia = load3(&c->i1, i);
    Wide3 inverse = {inverse_of(inertia.x), inverse_of(inertia.y), inverse_of(inertia.z)};
    Wide4 q = pose_of(s, i).q;
    Wide4 old = {load(&m->qx[i]), load(&m->qy[i]), load(&m->qz[i]), load(&m->qw[i])};
    Wide4 predicted = {load(&m->gx[i]), load(&m->gy[i]), load(&m->gz[i]), load(&m->gw[i])};
    Wide3 mean = mul3(turn_between(old, q), per_h), w = into(old, load3(&s->wx, i));
    Wide3 faster = mul3(into(q, turn_between(predicted, q)), per_h);
    Carried on = carry_on(w, times(load3(&s->bx, i), inverse), none, faster, h);
    store3(&s->wx, i, chosen(second, out_of(q, on.after), mean));
    store3(&s->bx, i, times(chosen(second, on.force, none), inertia));
}

// Velocities as they are; false if one may be beyond what is allowed, or is not a number. An end is as
// fast as its centre and what turns it together, so that each may have one half.
bool WIDE_FUNCTION(stiff_finish)(Grove *g, int begin, int end, double h, const double gravity[3]) {
    assert(begin >= 0 && end <= g->rows && h > 0.0);
    Wide good = splat(1.0), zero = splat(0.0);
    double half = 0.5 * (double)SN_MAX_SPEED, turns = half / g->reach;
    turns = turns < (double)SN_MAX_SPIN ? turns : (double)SN_MAX_SPIN;
    Wide speed = splat(half * half), spin = splat(turns * turns);
    for (int r = begin; r < end; ++r) {
        const StiffState *s = &g->state[r];
        const StiffMotion *m = &g->motion[r];
        if (r + AHEAD < end) {
            fetch(&s[AHEAD].x, &s[AHEAD + 1].x);
            fetch(&m[AHEAD].gx, &m[AHEAD].ox);
            fetch(&m[AHEAD].kx, &m[AHEAD].px);
            fetch(&m[AHEAD].qx, &m[AHEAD].lean);
        }
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            finish_centre(g, r, i, h, gravity);
            finish_frame(g, r, i, h);
            Wide3 v = load3(&s->vx, i), w = load3(&s->wx, i);
            good = wide_if_less(dot3(v, v), speed, good, zero);
            good = wide_if_less(dot3(w, w), spin, good, zero);
        }
    }
    bool all = true;
    for (int k = 0; k < WIDE_DOUBLE; ++k)
        all = all && good[k] == 1.0;
    return all;
}
