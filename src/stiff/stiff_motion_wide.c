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

// A solid that turns freely: I ω' + ω × I ω = 0, one implicit step in the body's own axes, which never
// adds energy.
INLINE Wide3 spun(const StiffRest *c, Wide4 q, Wide3 w, int i, double h) {
    Wide3 dx = quat_axis_x(q), dy = quat_axis_y(q), dz = quat_axis_z(q);
    Wide3 o = {dot3(dx, w), dot3(dy, w), dot3(dz, w)};
    Wide i1 = load(&c->i1[i]), i2 = load(&c->i2[i]), i3 = load(&c->i3[i]);
    Wide3 L = {i1 * o.x, i2 * o.y, i3 * o.z};
    Wide3 left = mul3(cross3(o, L), splat(-h));
    // One Newton step with I + h ([ω]× I − [I ω]×), which is not symmetric.
    WideMat m = {{i1, h * (L.z - i2 * o.z), h * (i3 * o.y - L.y)},
                 {h * (i1 * o.z - L.z), i2, h * (L.x - i3 * o.x)},
                 {h * (L.y - i1 * o.y), h * (i2 * o.x - L.x), i3}};
    Wide3 yz = cross3(m.y, m.z), zx = cross3(m.z, m.x), xy = cross3(m.x, m.y);
    Wide det = dot3(m.x, yz);
    o = add3(o, mul3(add3(add3(mul3(yz, left.x), mul3(zx, left.y)), mul3(xy, left.z)), 1.0 / det));
    return add3(add3(mul3(dx, o.x), mul3(dy, o.y)), mul3(dz, o.z));
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

// Segments go on as they moved, which keeps their joints together but for the curves of their paths.
// Forces are left to the first solve, as impulses: alone, a light segment under a torque would be
// anywhere.
INLINE void predict_segment(Grove *g, int r, int i, double h, const double gravity[3]) {
    StiffState *s = &g->state[r];
    StiffMotion *m = &g->motion[r];
    const StiffRest *c = &g->rest[r];
    const StiffLoads *f = &g->loads[r];
    Wide4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
    Wide3 x = load3(&s->x, i), zero = {splat(0.0), splat(0.0), splat(0.0)};
    Wide slow = h / (1.0 + h * load(&c->drag[i]));
    Wide3 turn = mul3(spun(c, q, load3(&s->wx, i), i, h), slow);
    store3(&m->bx, i, x);
    store(&m->qx[i], q.x);
    store(&m->qy[i], q.y);
    store(&m->qz[i], q.z);
    store(&m->qw[i], q.w);
    store3(&m->sx, i, zero);
    store3(&m->nx, i, zero);
    store(&m->lean[i], splat(0.0));
    x = add3(x, mul3(load3(&s->vx, i), slow));
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

    Wide h2 = splat(h * h), weight = h2 * load(&c->mass[i]) * load(&c->weight[i]);
    Wide3 fall = {weight * gravity[0], weight * gravity[1], weight * gravity[2]};
    Wide3 push = add3(mul3(load3(&f->fx, i), h2), fall);
    Wide3 to_centre = mul3(quat_axis_z(q), -load(&c->end[i]));
    store3(&m->px, i, push);
    store3(&m->mx, i, add3(mul3(load3(&f->tx, i), h2), cross3(to_centre, push)));
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
    fetch(&m->px, &m->dx);
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
            store(&s->tension[i], wide_max(dot3(lever, quat_axis_z(q)), splat(0.0)));
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

// Velocities as they are; false if one may be beyond what is allowed, or is not a number. An end is as
// fast as its centre and what turns it together, so that each may have one half.
bool WIDE_FUNCTION(stiff_finish)(Grove *g, int begin, int end, double h) {
    assert(begin >= 0 && end <= g->rows && h > 0.0);
    Wide good = splat(1.0), zero = splat(0.0);
    double half = 0.5 * (double)SN_MAX_SPEED, turns = half / g->reach;
    turns = turns < (double)SN_MAX_SPIN ? turns : (double)SN_MAX_SPIN;
    Wide speed = splat(half * half), spin = splat(turns * turns);
    for (int r = begin; r < end; ++r) {
        StiffState *s = &g->state[r];
        const StiffMotion *m = &g->motion[r];
        if (r + AHEAD < end) {
            fetch(&s[AHEAD].x, &s[AHEAD + 1].x);
            fetch(&m[AHEAD].qx, &m[AHEAD].lean);
        }
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide3 v = mul3(sub3(load3(&s->x, i), load3(&m->bx, i)), splat(1.0 / h));
            Wide4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
            Wide4 old = {load(&m->qx[i]), load(&m->qy[i]), load(&m->qz[i]), load(&m->qw[i])};
            Wide4 turn = quat_mul(q, quat_conjugate(old));
            Wide c = (2.0 / h) / wide_max(wide_abs(turn.w), splat(0.1));
            Wide3 w = {wide_flip_by(turn.x * c, turn.w), wide_flip_by(turn.y * c, turn.w),
                       wide_flip_by(turn.z * c, turn.w)};
            good = wide_if_less(dot3(v, v), speed, good, zero);
            good = wide_if_less(dot3(w, w), spin, good, zero);
            store3(&s->vx, i, v);
            store3(&s->wx, i, w);
        }
    }
    bool all = true;
    for (int k = 0; k < WIDE_DOUBLE; ++k)
        all = all && good[k] == 1.0;
    return all;
}
