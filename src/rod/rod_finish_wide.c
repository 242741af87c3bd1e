// Finish of a sub-step: velocities and accelerations from what changed (scheme.h).
#include <assert.h>

#include "math/lanes.h"
#include "rod/kick.h"
#include "rod/wide.h"

#include "sinew/world.h"

INLINE void store3(float *x, float *y, float *z, Lanes3 v) {
    store(x, v.x);
    store(y, v.y);
    store(z, v.z);
}

// Of a cube's side to its diagonal, and a little less.
#define DIAGONAL 0.577f

// x + u, or x where u is not a number.
INLINE void move_within(float *x, Lanes u, Lanes most) {
    Lanes step = lanes_max(lanes_min(u, most), -most);
    Lanes old = load(x);
    store(x, lanes_if_less(lanes_abs(u), splat(1e30f), old + step, old));
}

// By at most `most` along each axis, and mostly by less.
INLINE void move(RodState *s, int i, Lanes3 u, float most) {
    Lanes bound = splat(most);
    if (lanes_all_less(lanes_abs(u.x), bound) && lanes_all_less(lanes_abs(u.y), bound) &&
        lanes_all_less(lanes_abs(u.z), bound)) {
        store3(&s->x[i], &s->y[i], &s->z[i],
               add3((Lanes3){load(&s->x[i]), load(&s->y[i]), load(&s->z[i])}, u));
        return;
    }
    move_within(&s->x[i], u.x, bound);
    move_within(&s->y[i], u.y, bound);
    move_within(&s->z[i], u.z, bound);
}

// What dies away would be halved until it is denormal, and slow to compute with.
INLINE Lanes without_traces(Lanes x) {
    return lanes_if_less(lanes_abs(x), splat(1e-18f), splat(0.0f), x);
}

// What lanes have in common, so that what only others need is left out.
typedef enum Order {
    SECOND, // all are second order in time, and Newton's method has arrived in all of them
    FIRST,  // all are implicit Euler
    MIXED
} Order;

// The numbers of scheme.h for WIDE lanes and one length of the sub-step.
typedef struct Carry {
    Lanes alpha, beta, gamma_h, delta_h, epsilon;
    Lanes euler;  // 1 or 0
    Lanes late;   // of a kick, what is not in the mean
    Lanes smooth; // 0 where Newton's method has not arrived
    Lanes steady; // 0 there, and of rods that loads have come to all at once
    Lanes free;   // 1 for rods of which nothing is held
    Order order;
    bool last; // sub-step of the step: within it, Euler has no use for accelerations
    float h;
} Carry;

INLINE Order order_of(const RodPack *pack, int i) {
    Lanes half = splat(0.5f), euler = load(&pack->scheme.euler[i]);
    if (!lanes_any_less(euler, half))
        return FIRST;
    Lanes abrupt = load(&pack->newton_moves[i]) + load(&pack->newton_abrupt[i]);
    return lanes_any_less(half, euler) || lanes_any_less(half, abrupt) ? MIXED : SECOND;
}

INLINE Carry carry_of(const RodPack *pack, int i, float h, Order order, bool last) {
    const RodScheme *c = &pack->scheme;
    return (Carry){.alpha = load(&c->alpha[i]),
                   .beta = load(&c->beta[i]),
                   .gamma_h = h * load(&c->gamma[i]),
                   .delta_h = load(&c->delta[i]) / h,
                   .epsilon = load(&c->epsilon[i]),
                   .euler = load(&c->euler[i]),
                   .late = 1.0f - load(&c->outside[i]),
                   .smooth = 1.0f - load(&pack->newton_moves[i]),
                   .steady = 1.0f - load(&pack->newton_moves[i]) - load(&pack->newton_abrupt[i]),
                   .free = load(&pack->loose[i]),
                   .order = order,
                   .last = last,
                   .h = h};
}

// The velocity and the acceleration that follow from a mean velocity over the sub-step (scheme.h). What is
// held has the velocity it is led with. Where Newton's method has not arrived, f is not that of the
// end, and cannot be extrapolated: such a rod goes on with the mean, and with the kick; of that, a rod which is held
// goes on with as much as it has taken, and holds against the rest. What is more than `most_apart` from the mean,
// where that is not 0, is a load that is new, and is withstood at once by something stiff and light: it goes on so as
// well where the rod is held, and with the mean alone where it is free, as all of the rod takes the kick then.
typedef struct Carried {
    Lanes v, a;
} Carried;

// Of a kick, as much as has been gained along its way.
INLINE Lanes taken(Lanes kick, Lanes gained) {
    Lanes zero = splat(0.0f);
    Lanes up = lanes_max(lanes_min(kick, gained), zero);
    Lanes down = lanes_min(lanes_max(kick, gained), zero);
    return up + down;
}

INLINE Carried carry_second(const Carry *c, Lanes mean, Lanes kick, float most_apart, Lanes v0,
                            Lanes a0) {
    Lanes own = mean - c->late * kick, zero = splat(0.0f);
    Lanes after = c->alpha * own + (c->beta * v0 + c->gamma_h * a0 + kick);
    Lanes half = splat(0.5f), own_kick = c->late * kick, part = taken(own_kick, mean - v0);
    Lanes withstood = lanes_if_less(half, c->free, mean, mean + part);
    part = lanes_if_less(half, c->free, own_kick, part);
    Lanes gained = c->delta_h * (own - v0) + c->epsilon * a0;
    if (c->order == MIXED) {
        after = lanes_if_less(zero, c->steady, after, mean + part);
        gained = lanes_if_less(zero, c->steady, gained, (2.0f / c->h) * (part - own_kick));
    }
    if (most_apart > 0.0f)
        after = lanes_if_less(lanes_abs(after - mean), splat(most_apart), after, withstood);
    return (Carried){after, gained};
}

INLINE Carried carry_first(const Carry *c, Lanes mean, Lanes kick, Lanes v0) {
    Lanes gained = c->delta_h * (mean - v0 - kick), most = (2.0f / c->h) * lanes_abs(kick);
    gained = lanes_max(lanes_min(gained, most), -most);
    return (Carried){mean, lanes_if_less(splat(0.0f), c->smooth, gained, splat(0.0f))};
}

INLINE Carried carry_on(const Carry *c, Lanes mean, Lanes free, const float *kicks,
                        float most_apart, const float *v, const float *a) {
    Lanes zero = splat(0.0f), half = splat(0.5f);
    if (c->order == FIRST && !c->last)
        return (Carried){without_traces(mean), load(a)};
    Lanes kick = load(kicks), v0 = load(v), a0 = load(a);
    Carried to = c->order == FIRST ? carry_first(c, mean, kick, v0)
                                   : carry_second(c, mean, kick, most_apart, v0, a0);
    if (c->order == MIXED) {
        Carried first = carry_first(c, mean, kick, v0);
        to.v = lanes_if_less(half, c->euler, first.v, to.v);
        to.a = lanes_if_less(half, c->euler, first.a, to.a);
    }
    return (Carried){without_traces(lanes_if_less(zero, free, to.v, mean)),
                     without_traces(lanes_if_less(zero, free, to.a, zero))};
}

// Gyroscopic motion of a round body: what there is of ω about its axis stays about it as the axis turns, and
// so that the angular momentum I_t ω + (I_r − I_t)(w·ω) w is kept, the part ρ = I_r/I_t of that change is
// taken from what is across. That turns it, by up to a radian in a sub-step of a segment that spins fast: along the
// tangent it would get longer, and spin the segment up. What is held keeps what it has.
INLINE Lanes3 follow_axis(Lanes3 old, Lanes3 axis, Lanes rho, Lanes free, Lanes3 v) {
    Lanes zero = splat(0.0f), about = dot3(old, v);
    Lanes3 was = sub3(v, mul3(old, about)), across = sub3(was, mul3(sub3(axis, old), rho * about));
    across = sub3(across, mul3(axis, dot3(across, axis)));
    Lanes before = dot3(was, was), after = dot3(across, across);
    Lanes shorter = splat(1.0f);
    if (lanes_any_less(before, after))
        shorter = lanes_if_less(before, after, lanes_sqrt(before / lanes_max(after, splat(1e-30f))),
                                shorter);
    return (Lanes3){lanes_if_less(zero, free, across.x * shorter + axis.x * about, v.x),
                    lanes_if_less(zero, free, across.y * shorter + axis.y * about, v.y),
                    lanes_if_less(zero, free, across.z * shorter + axis.z * about, v.z)};
}

// Accelerations likewise, with ρ = 0.
INLINE Lanes3 turn_with_axis(Lanes3 old, Lanes3 axis, Lanes free, Lanes3 a) {
    Lanes zero = splat(0.0f), about = dot3(old, a);
    Lanes3 across = sub3(a, mul3(old, about));
    Lanes more = about - dot3(across, axis);
    return (Lanes3){lanes_if_less(zero, free, across.x + axis.x * more, a.x),
                    lanes_if_less(zero, free, across.y + axis.y * more, a.y),
                    lanes_if_less(zero, free, across.z + axis.z * more, a.z)};
}

// Returns how fast it is.
INLINE Lanes keep_limited(const Carry *c, float *v, float *a, Carried to) {
    Lanes limited = lanes_clamp(to.v, -SN_MAX_SPEED, SN_MAX_SPEED);
    store(v, limited);
    if (c->order != FIRST || c->last)
        store(a, to.a);
    return lanes_abs(limited);
}

// Divided, as 1/h is not exact: momentum would grow or shrink by its error in every sub-step. Nor is it enough to add
// what is missing of 1/h as a second product: what is rounded then still adds up to 10⁻⁵ of a momentum.
INLINE Lanes over_time(const Carry *c, Lanes way) { return way / c->h; }

INLINE Lanes3 over_time3(const Carry *c, Lanes3 way) {
    return (Lanes3){over_time(c, way.x), over_time(c, way.y), over_time(c, way.z)};
}

// A frame whose spin changes by more than this within a sub-step, in rad over its length, is withstood.
#define TURN_APART 0.1f
// And one that turns by more than this in a sub-step meets its neighbours in quite another way by its end: what they
// did to it is not extrapolated, which would spin soft, thick rods up that are thrown about. What is stiff in shear
// turns with its segment.
#define TURN_FAR 0.1f

// What a sub-step ran into.
typedef struct Found {
    Lanes farthest, fastest;
    Lanes finite; // 0, or not a number
} Found;

// 0, or not a number if x is none or is infinite.
INLINE Lanes lost(Lanes x) { return x - x; }

INLINE void finish_vertex(RodPack *pack, int j, int i, const Carry *c, bool volume, Found *found) {
    RodState *s = pack->state + j;
    const RodWork *w = pack->work + j;
    const Lanes free = load(&pack->prepared[j].m[i]);
    Lanes3 u = {load(&w->ux[i]), load(&w->uy[i]), load(&w->uz[i])};
    found->farthest = lanes_max(lanes_max(lanes_abs(u.x), lanes_abs(u.y)),
                                lanes_max(lanes_abs(u.z), found->farthest));
    found->finite += lost(u.x + u.y + u.z);
    move(s, i, u, c->h * SN_MAX_SPEED);
    u = over_time3(c, u);
    Carried x = carry_on(c, u.x, free, &w->kx[i], 0.0f, &s->vx[i], &s->ax[i]);
    Carried y = carry_on(c, u.y, free, &w->ky[i], 0.0f, &s->vy[i], &s->ay[i]);
    Carried z = carry_on(c, u.z, free, &w->kz[i], 0.0f, &s->vz[i], &s->az[i]);
    Lanes fast = lanes_max(keep_limited(c, &s->vx[i], &s->ax[i], x),
                           lanes_max(keep_limited(c, &s->vy[i], &s->ay[i], y),
                                     keep_limited(c, &s->vz[i], &s->az[i], z)));
    found->fastest = lanes_max(found->fastest, fast);
    if (!volume)
        return;
    Lanes grown = load(&s->s[i]) - load(&w->ps[i]);
    if (pack->aim) {
        Lanes to = load(&w->us[i]), rounded = to - grown;
        grown = to - load(&s->s_rounded[i]);
        store(&s->s_rounded[i], rounded);
    }
    Lanes vs = over_time(c, grown);
    found->finite += lost(vs);
    Carried scale =
        carry_on(c, vs, load(&pack->prepared[j].m_scale[i]), &w->ks[i], 0.0f, &s->vs[i], &s->as[i]);
    store(&s->vs[i], scale.v);
    if (c->order != FIRST || c->last)
        store(&s->as[i], scale.a);
}

typedef struct Spin {
    Lanes3 v, a;
} Spin;

INLINE Spin carry_spin(const Carry *c, Lanes3 mean, Lanes free, const RodWork *w, const RodState *s,
                       int i) {
    const float most = TURN_APART / c->h;
    Carried x = carry_on(c, mean.x, free, &w->tx[i], most, &s->wx[i], &s->bx[i]);
    Carried y = carry_on(c, mean.y, free, &w->ty[i], most, &s->wy[i], &s->by[i]);
    Carried z = carry_on(c, mean.z, free, &w->tz[i], most, &s->wz[i], &s->bz[i]);
    // Of such a difference nothing is left to go on with.
    return (Spin){{if_turned_hard(w, i, c->h, mean.x, x.v), if_turned_hard(w, i, c->h, mean.y, y.v),
                   if_turned_hard(w, i, c->h, mean.z, z.v)},
                  {x.a, y.a, z.a}};
}

INLINE void finish_frame(RodPack *pack, int j, int i, const Carry *c, Found *found) {
    RodState *s = pack->state + j;
    const RodWork *w = pack->work + j;
    const RodPrepared *p = pack->prepared + j;
    Lanes4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
    Lanes4 old = {load(&w->pqx[i]), load(&w->pqy[i]), load(&w->pqz[i]), load(&w->pqw[i])};
    Lanes4 turn = quat_mul(q, quat_conjugate(old));
    // tan of half the angle; bounded short of half a turn.
    Lanes tan = lanes_flip_by(2.0f / lanes_max(lanes_abs(turn.w), splat(0.1f)), turn.w);
    Lanes3 mean = over_time3(c, (Lanes3){turn.x * tan, turn.y * tan, turn.z * tan});
    found->finite += lost(mean.x + mean.y + mean.z);
    Lanes free = load(&p->m_turn[i]), far = splat((TURN_FAR / c->h) * (TURN_FAR / c->h));
    Lanes fast = load(&p->loose[i]) * dot3(mean, mean);
    Spin spin;
    if (c->order == SECOND && !lanes_any_less(far, fast)) {
        spin = carry_spin(c, mean, free, w, s, i);
    } else {
        Carry turns = *c;
        turns.order = c->order == FIRST ? FIRST : MIXED;
        turns.smooth = lanes_if_less(fast, far, c->smooth, splat(0.0f));
        turns.steady = lanes_if_less(fast, far, c->steady, splat(0.0f));
        spin = carry_spin(&turns, mean, free, w, s, i);
    }
    Lanes3 before = quat_axis_z(old), axis = quat_axis_z(q);
    store3(&s->wx[i], &s->wy[i], &s->wz[i],
           follow_axis(before, axis, load(&p->rho[i]), free, spin.v));
    if (c->order != FIRST || c->last)
        store3(&s->bx[i], &s->by[i], &s->bz[i], turn_with_axis(before, axis, free, spin.a));
}

INLINE void finish_rows(RodPack *pack, int i, const Carry *carry, bool volume, Found *found) {
    for (int j = 0; j <= pack->rows; ++j) {
        finish_vertex(pack, j, i, carry, volume, found);
        finish_frame(pack, j, i, carry, found);
    }
}

// One function for each kind of rods: the compiler does better with them than with one for all.
#define FINISH(name, order, last)                                                                  \
    static __attribute__((noinline)) void name(RodPack *pack, int i, float h, Found *found) {      \
        const Carry carry = carry_of(pack, i, h, order, last);                                     \
        if (pack->classic)                                                                         \
            finish_rows(pack, i, &carry, false, found);                                            \
        else                                                                                       \
            finish_rows(pack, i, &carry, true, found);                                             \
    }
FINISH(finish_second, SECOND, true)
FINISH(finish_first, FIRST, false)
FINISH(finish_last_first, FIRST, true)
FINISH(finish_mixed, MIXED, true)

// Says that speeds are clamped where they may be: if one component is within the limit, the whole may
// still be beyond it.
uint32_t WIDE_FUNCTION(rod_finish)(RodPack *pack, float h, bool last) {
    Lanes zero = splat(0.0f);
    Found found = {zero, zero, zero};
    for (int i = 0; i < pack->lanes; i += WIDE) {
        Order order = order_of(pack, i);
        if (order == SECOND)
            finish_second(pack, i, h, &found);
        else if (order == MIXED)
            finish_mixed(pack, i, h, &found);
        else if (last)
            finish_last_first(pack, i, h, &found);
        else
            finish_first(pack, i, h, &found);
    }
    uint32_t bits = SN_STEP_OK;
    for (int i = 0; i < WIDE; ++i) {
        if (found.farthest[i] > DIAGONAL * (h * SN_MAX_SPEED) ||
            found.fastest[i] > DIAGONAL * SN_MAX_SPEED)
            bits |= SN_STEP_CLAMPED;
        if (!(found.finite[i] == 0.0f))
            bits |= SN_STEP_RECOVERED;
    }
    return bits;
}
