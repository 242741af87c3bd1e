// Prediction and finish of a sub-step: eqs 21 to 23, and velocities from what changed.
#include <assert.h>

#include "math/air_lanes.h"
#include "math/drag.h"
#include "rod/graph.h"
#include "rod/wide.h"

#include "sinew/field.h"
#include "sinew/world.h"

// Bound on the tangent of half the turn of one sub-step: half a turn, as far as float can tell.
#define TAN_MAX 1e3f
// And on what a torque adds to an angular velocity, rad/s, to stay within float.
#define MOST_KICK 1e15f

// (1 − d²)² inside the radius, d the distance relative to it; 0 outside.
INLINE Lanes falloff(Lanes distance_squared, float radius) {
    Lanes f = lanes_max(1.0f - distance_squared * (1.0f / (radius * radius)), splat(0.0f));
    return f * f;
}

INLINE Lanes3 field_acceleration(const RodField *f, Lanes3 x, int i) {
    Lanes3 centre = {load(&f->centre_x[i]), load(&f->centre_y[i]), load(&f->centre_z[i])};
    Lanes3 direction = {splat(f->direction[0]), splat(f->direction[1]), splat(f->direction[2])};
    Lanes3 away = sub3(x, centre);
    switch (f->kind) {
    case SN_FIELD_POINT: {
        Lanes square = dot3(away, away);
        Lanes inv = 1.0f / lanes_sqrt(square + 1e-12f);
        return mul3(away, inv * f->strength * falloff(square, f->radius));
    }
    case SN_FIELD_VORTEX: {
        Lanes3 around = cross3(direction, away);
        Lanes square = dot3(around, around);
        return mul3(around, (f->strength / f->radius) * falloff(square, f->radius));
    }
    default:
        return mul3(direction, splat(f->strength));
    }
}

INLINE Lanes3 tangent_of(const RodState *s, int i) {
    return quat_axis_z(
        (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])});
}

// The tangent of segment j, or of the one before where the rod ends; of any segment at the vertex
// of a creature.
INLINE Lanes3 tangent_at(const RodPack *pack, int j, int i, bool graph) {
    if (graph)
        return tangent_of(pack->state + sn__graph_segment_at(pack->graph, j), i);
    Lanes3 t = tangent_of(pack->state + j, i), t_before = tangent_of(pack->state + j - 1, i);
    Lanes length = load(&pack->rest[j].length[i]), zero = splat(0.0f);
    t.x = lanes_if_less(zero, length, t.x, t_before.x);
    t.y = lanes_if_less(zero, length, t.y, t_before.y);
    t.z = lanes_if_less(zero, length, t.z, t_before.z);
    return t;
}

// Drag of the air per unit mass, as sn__drag has it for a round section: the force per length is
// ½ ρ_air 2rs C |u| u across the axis and ½ ρ_air 2πrs C |u| u along it, each with its own part of
// the relative wind and its own C; the mass per length is ρ π r². Divided by 1 + h·rate, it cannot
// turn the motion round within a step.
INLINE Lanes3 drag_at(const RodPack *pack, const RodMotion *motion, int j, int i, Lanes3 x,
                      Lanes3 v, bool graph) {
    const float pi = 3.14159265f, across = (float)DRAG_ACROSS, along = (float)DRAG_ALONG;
    Lanes mass_across = pi * load(&pack->density[i]) * load(&pack->prepared[j].radius[i]);
    Lanes size = motion->air_density * load(&pack->state[j].s[i]) / mass_across;
    Lanes3 t = tangent_at(pack, j, i, graph);
    Lanes3 u = sub3(air_sum(motion->winds, motion->wind_count, x, i), v);
    Lanes u_t = dot3(t, u);
    Lanes3 u_n = sub3(u, mul3(t, u_t));
    Lanes rate_n = across * size * lanes_sqrt(dot3(u_n, u_n));
    Lanes rate_t = (along * pi) * size * lanes_abs(u_t);
    return add3(mul3(u_n, rate_n / (1.0f + motion->h * rate_n)),
                mul3(t, u_t * rate_t / (1.0f + motion->h * rate_t)));
}

// The sum of all fields at vertex j.
INLINE Lanes3 fields_at(const RodPack *pack, const RodMotion *motion, int j, int i, Lanes3 x,
                        Lanes3 v, bool graph) {
    Lanes3 sum = {splat(0.0f), splat(0.0f), splat(0.0f)};
    for (int f = 0; f < motion->field_count; ++f)
        sum = add3(sum, field_acceleration(&motion->fields[f], x, i));
    if (motion->wind_count > 0)
        sum = add3(sum, drag_at(pack, motion, j, i, x, v, graph));
    return sum;
}

// How far one coordinate goes in a sub-step with velocity v, with what the rod does to it as it did
// before, and with the velocity that outside forces add (scheme.h).
INLINE void predict_along(const RodPack *pack, int i, float h, Lanes v, Lanes kick, Lanes a,
                          float *out_v, float *out_kick, float *out_way) {
    const RodScheme *c = &pack->scheme;
    store(out_v, v);
    store(out_kick, kick);
    store(out_way, h * (v + load(&c->outside[i]) * kick + (h * load(&c->carried[i])) * a));
}

// Eq. 21 and 23. Held elements keep their velocity; they are led (substep.c). Drag slows what there
// was, not what loads add: a load that is held by the rod must not be weakened by it.
INLINE void predict_vertex(RodPack *pack, const RodMotion *motion, int j, int i, Lanes slow,
                           bool graph) {
    RodState *s = pack->state + j;
    RodWork *u = pack->work + j;
    const RodPrepared *p = pack->prepared + j;
    float h = motion->h;
    Lanes m = load(&p->m[i]);
    Lanes3 x = {load(&s->x[i]), load(&s->y[i]), load(&s->z[i])};
    Lanes3 v = {load(&s->vx[i]), load(&s->vy[i]), load(&s->vz[i])};
    Lanes weight = load(&pack->gravity_scale[i]);
    Lanes3 a = {weight * motion->gravity[0], weight * motion->gravity[1],
                weight * motion->gravity[2]};
    if (motion->field_count + motion->wind_count > 0)
        a = add3(a, fields_at(pack, motion, j, i, x, v, graph));
    Lanes scale = load(&s->s[i]), vs = load(&s->vs[i]) * slow;
    Lanes free = lanes_if_less(splat(0.0f), m, splat(h), splat(0.0f));
    v = mul3(v, slow);
    Lanes3 kick = mul3(a, free);
    Lanes kick_s = splat(0.0f);
    if (pack->loaded) {
        const RodLoads *f = pack->loads + j;
        Lanes3 force = {load(&f->fx[i]), load(&f->fy[i]), load(&f->fz[i])};
        kick = add3(kick, mul3(force, h * m));
        kick_s =
            lanes_clamp(h * load(&p->m_scale[i]) * load(&f->gamma[i]), -SN_MAX_SPEED, SN_MAX_SPEED);
    }
    predict_along(pack, i, h, v.x, kick.x, load(&s->ax[i]), &s->vx[i], &u->kx[i], &u->ux[i]);
    predict_along(pack, i, h, v.y, kick.y, load(&s->ay[i]), &s->vy[i], &u->ky[i], &u->uy[i]);
    predict_along(pack, i, h, v.z, kick.z, load(&s->az[i]), &s->vz[i], &u->kz[i], &u->uz[i]);
    if (!pack->classic) {
        predict_along(pack, i, h, vs, kick_s, load(&s->as[i]), &s->vs[i], &u->ks[i], &u->us[i]);
        store(&u->ps[i], scale);
        store(&s->s[i], lanes_clamp(scale + load(&u->us[i]), SCALE_MIN, SCALE_MAX));
    }
}

// Eq. 22 as the rotation by 2 atan(h|ω|/2) about ω, of which finish has the exact inverse.
INLINE void predict_frame(RodPack *pack, const RodMotion *motion, int j, int i, Lanes slow) {
    RodState *s = pack->state + j;
    RodWork *u = pack->work + j;
    const RodPrepared *p = pack->prepared + j;
    float h = motion->h;
    Lanes4 q = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
    const float fastest = 2.0f * TAN_MAX / h;
    Lanes3 w = mul3((Lanes3){load(&s->wx[i]), load(&s->wy[i]), load(&s->wz[i])}, slow);
    w = (Lanes3){lanes_clamp(w.x, -fastest, fastest), lanes_clamp(w.y, -fastest, fastest),
                 lanes_clamp(w.z, -fastest, fastest)};
    Lanes3 kick = {splat(0.0f), splat(0.0f), splat(0.0f)};
    if (pack->loaded) {
        const RodLoads *f = pack->loads + j;
        Lanes3 torque = {load(&f->tx[i]), load(&f->ty[i]), load(&f->tz[i])};
        Lanes3 axis = quat_axis_z(q);
        Lanes m = load(&p->m_turn[i]), m_roll = load(&p->m_roll[i]); // halves
        Lanes along = dot3(axis, torque) * (m_roll - m);
        kick = mul3(add3(mul3(torque, m), mul3(axis, along)), splat(2.0f * h));
        kick = (Lanes3){lanes_clamp(kick.x, -MOST_KICK, MOST_KICK),
                        lanes_clamp(kick.y, -MOST_KICK, MOST_KICK),
                        lanes_clamp(kick.z, -MOST_KICK, MOST_KICK)};
    }
    PackRow way[3];
    predict_along(pack, i, h, w.x, kick.x, load(&s->bx[i]), &s->wx[i], &u->tx[i], way[0]);
    predict_along(pack, i, h, w.y, kick.y, load(&s->by[i]), &s->wy[i], &u->ty[i], way[1]);
    predict_along(pack, i, h, w.z, kick.z, load(&s->bz[i]), &s->wz[i], &u->tz[i], way[2]);
    store(&u->pqx[i], q.x);
    store(&u->pqy[i], q.y);
    store(&u->pqz[i], q.z);
    store(&u->pqw[i], q.w);
    Lanes4 turn = {lanes_clamp(0.5f * load(way[0]), -TAN_MAX, TAN_MAX),
                   lanes_clamp(0.5f * load(way[1]), -TAN_MAX, TAN_MAX),
                   lanes_clamp(0.5f * load(way[2]), -TAN_MAX, TAN_MAX), splat(1.0f)};
    q = quat_normalise(quat_mul(turn, q));
    store(&s->qx[i], q.x);
    store(&s->qy[i], q.y);
    store(&s->qz[i], q.z);
    store(&s->qw[i], q.w);
}

// Segment j from vertex a to vertex b.
INLINE void keep_edge(RodPack *pack, int j, int a, int b, int i) {
    const RodState *sa = pack->state + a, *sb = pack->state + b;
    RodWork *u = pack->work + j;
    store(&u->ex[i], load(&sb->x[i]) - load(&sa->x[i]));
    store(&u->ey[i], load(&sb->y[i]) - load(&sa->y[i]));
    store(&u->ez[i], load(&sb->z[i]) - load(&sa->z[i]));
}

INLINE void predict_rows(RodPack *pack, const RodMotion *motion, const float *slow) {
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            predict_vertex(pack, motion, j, i, load(&slow[i]), false);
            predict_frame(pack, motion, j, i, load(&slow[i]));
            if (j < pack->rows)
                keep_edge(pack, j, j, j + 1, i);
        }
}

// Vertices first: fields look at frames as they were before.
INLINE void predict_graph(RodPack *pack, const RodMotion *motion, const float *slow) {
    const RodGraph *graph = pack->graph;
    for (int j = 0; j < graph->vertices; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE)
            predict_vertex(pack, motion, j, i, load(&slow[i]), true);
    for (int j = 0; j < graph->segments; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            predict_frame(pack, motion, j, i, load(&slow[i]));
            keep_edge(pack, j, graph->edge[j][0], graph->edge[j][1], i);
        }
}

void WIDE_FUNCTION(rod_predict)(RodPack *pack, const RodMotion *motion) {
    assert(motion->h > 0.0f && pack->work && pack->prepared);
    assert(motion->field_count <= SN_MAX_FIELDS && motion->wind_count <= SN_MAX_FIELDS);
    PackRow slow;
    for (int i = 0; i < pack->lanes; i += WIDE)
        store(&slow[i], 1.0f / (1.0f + motion->h * load(&pack->drag[i])));
    if (pack->graph)
        predict_graph(pack, motion, slow);
    else
        predict_rows(pack, motion, slow);
}

// Of a cube's side to its diagonal, and a little less.
#define DIAGONAL 0.577f

// x + u, or x where u is not a number.
INLINE void move(float *x, Lanes u, Lanes most) {
    Lanes step = lanes_max(lanes_min(u, most), -most);
    Lanes old = load(x);
    store(x, lanes_if_less(lanes_abs(u), splat(1e30f), old + step, old));
}

// What dies away would be halved until it is denormal, and slow to compute with.
INLINE Lanes without_traces(Lanes x) {
    return lanes_if_less(lanes_abs(x), splat(1e-18f), splat(0.0f), x);
}

// The numbers of scheme.h for WIDE lanes and one length of the sub-step.
typedef struct Carry {
    Lanes alpha, beta, gamma_h, delta_h, epsilon;
    Lanes euler, second; // 1 and 0, or 0 and 1
    Lanes late;          // of a kick, what is not in the mean
    Lanes smooth;        // 0 where Newton's method has not arrived
    bool any_euler, all_smooth;
    float h;
} Carry;

INLINE Carry carry_of(const RodPack *pack, int i, float h) {
    const RodScheme *c = &pack->scheme;
    Lanes half = splat(0.5f);
    return (Carry){.alpha = load(&c->alpha[i]),
                   .beta = load(&c->beta[i]),
                   .gamma_h = h * load(&c->gamma[i]),
                   .delta_h = load(&c->delta[i]) / h,
                   .epsilon = load(&c->epsilon[i]),
                   .euler = load(&c->euler[i]),
                   .second = 1.0f - load(&c->euler[i]),
                   .late = 1.0f - load(&c->outside[i]),
                   .smooth = 1.0f - load(&pack->newton_moves[i]),
                   .any_euler = lanes_any_less(half, load(&c->euler[i])),
                   .all_smooth = !lanes_any_less(half, load(&pack->newton_moves[i])),
                   .h = h};
}

// The velocity and the acceleration that follow from a mean velocity over the sub-step (scheme.h). What is
// held has the velocity it is led with. Where Newton's method has not arrived, f is not that of the
// end, and cannot be extrapolated: such a rod goes on with the mean. So does what is more than `most_apart` from
// it, where that is not 0: a load that is new, and is withstood at once by something stiff and light.
typedef struct Carried {
    Lanes v, a;
} Carried;

INLINE Carried carry_on(const Carry *c, Lanes mean, Lanes free, const float *kicks,
                        float most_apart, const float *v, const float *a) {
    Lanes v0 = load(v), a0 = load(a), kick = load(kicks), zero = splat(0.0f);
    Lanes own = mean - c->late * kick, change = own - v0, pushed = kick;
    if (c->any_euler) {
        pushed = c->second * kick;
        change -= c->euler * kick;
    }
    Lanes after = c->alpha * own + (c->beta * v0 + c->gamma_h * a0 + pushed);
    Lanes gained = c->delta_h * change + c->epsilon * a0;
    if (c->any_euler) {
        Lanes most = lanes_if_less(zero, c->euler, (2.0f / c->h) * lanes_abs(kick), splat(1e30f));
        gained = lanes_max(lanes_min(gained, most), -most);
    }
    if (!c->all_smooth) {
        after = lanes_if_less(zero, c->smooth, after, mean + c->late * kick);
        gained = lanes_if_less(zero, c->smooth, gained, zero);
    }
    if (most_apart > 0.0f)
        after = lanes_if_less(lanes_abs(after - mean), splat(most_apart), after, mean);
    return (Carried){without_traces(lanes_if_less(zero, free, after, mean)),
                     without_traces(lanes_if_less(zero, free, gained, zero))};
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
    Lanes shorter = lanes_sqrt(before / lanes_max(after, splat(1e-30f)));
    shorter = lanes_if_less(before, after, shorter, splat(1.0f));
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
INLINE Lanes keep_limited(float *v, float *a, Carried to) {
    Lanes limited = lanes_clamp(to.v, -SN_MAX_SPEED, SN_MAX_SPEED);
    store(v, limited);
    store(a, to.a);
    return lanes_abs(limited);
}

// Divided, as 1/h is not exact: momentum would grow or shrink by its error in every sub-step.
INLINE Lanes3 over_time(Lanes3 way, float h) { return (Lanes3){way.x / h, way.y / h, way.z / h}; }

INLINE void store3(float *x, float *y, float *z, Lanes3 v) {
    store(x, v.x);
    store(y, v.y);
    store(z, v.z);
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

INLINE void finish_vertex(RodPack *pack, int j, int i, const Carry *c, Found *found) {
    RodState *s = pack->state + j;
    const RodWork *w = pack->work + j;
    const Lanes most = splat(c->h * SN_MAX_SPEED), free = load(&pack->prepared[j].m[i]);
    Lanes3 u = {load(&w->ux[i]), load(&w->uy[i]), load(&w->uz[i])};
    found->farthest = lanes_max(lanes_max(lanes_abs(u.x), lanes_abs(u.y)),
                                lanes_max(lanes_abs(u.z), found->farthest));
    found->finite += (u.x - u.x) + (u.y - u.y) + (u.z - u.z);
    move(&s->x[i], u.x, most);
    move(&s->y[i], u.y, most);
    move(&s->z[i], u.z, most);
    u = over_time(u, c->h);
    Carried x = carry_on(c, u.x, free, &w->kx[i], 0.0f, &s->vx[i], &s->ax[i]);
    Carried y = carry_on(c, u.y, free, &w->ky[i], 0.0f, &s->vy[i], &s->ay[i]);
    Carried z = carry_on(c, u.z, free, &w->kz[i], 0.0f, &s->vz[i], &s->az[i]);
    Lanes fast = lanes_max(
        keep_limited(&s->vx[i], &s->ax[i], x),
        lanes_max(keep_limited(&s->vy[i], &s->ay[i], y), keep_limited(&s->vz[i], &s->az[i], z)));
    found->fastest = lanes_max(found->fastest, fast);
    if (pack->classic)
        return;
    Lanes grown = pack->aim ? load(&w->us[i]) : (Lanes)(load(&s->s[i]) - load(&w->ps[i]));
    Lanes vs = grown / c->h;
    found->finite += vs - vs;
    Carried scale =
        carry_on(c, vs, load(&pack->prepared[j].m_scale[i]), &w->ks[i], 0.0f, &s->vs[i], &s->as[i]);
    store(&s->vs[i], scale.v);
    store(&s->as[i], scale.a);
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
    Lanes3 spin = over_time((Lanes3){turn.x * tan, turn.y * tan, turn.z * tan}, c->h);
    found->finite += (spin.x - spin.x) + (spin.y - spin.y) + (spin.z - spin.z);
    Lanes free = load(&p->m_turn[i]), zero = splat(0.0f);
    const float most = TURN_APART / c->h, far = TURN_FAR / c->h;
    Lanes tied = 2.0f * load(&p->k_shear[i]) * load(&p->lever[i]) * load(&p->active[i]);
    Lanes loose = lanes_if_less(tied, splat(1.0f), dot3(spin, spin), zero);
    Carry turns = *c;
    turns.smooth = lanes_if_less(loose, splat(far * far), c->smooth, zero);
    turns.all_smooth = c->all_smooth && !lanes_any_less(splat(far * far), loose);
    Carried x = carry_on(&turns, spin.x, free, &w->tx[i], most, &s->wx[i], &s->bx[i]);
    Carried y = carry_on(&turns, spin.y, free, &w->ty[i], most, &s->wy[i], &s->by[i]);
    Carried z = carry_on(&turns, spin.z, free, &w->tz[i], most, &s->wz[i], &s->bz[i]);
    Lanes3 before = quat_axis_z(old), axis = quat_axis_z(q);
    Lanes rho = free / lanes_max(load(&p->m_roll[i]), splat(1e-30f));
    store3(&s->wx[i], &s->wy[i], &s->wz[i],
           follow_axis(before, axis, rho, free, (Lanes3){x.v, y.v, z.v}));
    store3(&s->bx[i], &s->by[i], &s->bz[i],
           turn_with_axis(before, axis, free, (Lanes3){x.a, y.a, z.a}));
}

// Says that speeds are clamped where they may be: if one component is within the limit, the whole may
// still be beyond it.
uint32_t WIDE_FUNCTION(rod_finish)(RodPack *pack, float h) {
    Lanes zero = splat(0.0f);
    Found found = {zero, zero, zero};
    for (int i = 0; i < pack->lanes; i += WIDE) {
        const Carry carry = carry_of(pack, i, h);
        for (int j = 0; j <= pack->rows; ++j) {
            finish_vertex(pack, j, i, &carry, &found);
            finish_frame(pack, j, i, &carry, &found);
        }
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
