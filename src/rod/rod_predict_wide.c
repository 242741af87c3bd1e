// Prediction of a sub-step: eqs 21 to 23.
#include <assert.h>

#include "math/air_lanes.h"
#include "math/drag.h"
#include "rod/graph.h"
#include "rod/wide.h"

#include "sinew/field.h"
#include "sinew/world.h"

// Bound on the tangent of half the turn of one sub-step: half a turn, as far as float can tell.
#define TAN_MAX 1e3f

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

// What a pack is like, so that what only others need is left out.
typedef struct Kind {
    bool volume, graph;
    bool loaded, blown; // forces act on it, fields and winds
} Kind;

// Eq. 21 and 23. Held elements keep their velocity; they are led (substep.c). Drag slows what there
// was, not what loads add: a load that is held by the rod must not be weakened by it.
INLINE void predict_vertex(RodPack *pack, const RodMotion *motion, int j, int i, Lanes slow,
                           Kind kind) {
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
    if (kind.blown)
        a = add3(a, fields_at(pack, motion, j, i, x, v, kind.graph));
    Lanes scale = load(&s->s[i]), vs = load(&s->vs[i]) * slow;
    Lanes free = lanes_if_less(splat(0.0f), m, splat(h), splat(0.0f));
    v = mul3(v, slow);
    Lanes3 kick = mul3(a, free);
    Lanes kick_s = splat(0.0f);
    if (kind.loaded) {
        const RodLoads *f = pack->loads + j;
        Lanes3 force = {load(&f->fx[i]), load(&f->fy[i]), load(&f->fz[i])};
        kick = add3(kick, mul3(force, h * m));
        kick_s =
            lanes_clamp(h * load(&p->m_scale[i]) * load(&f->gamma[i]), -SN_MAX_SPEED, SN_MAX_SPEED);
    }
    predict_along(pack, i, h, v.x, kick.x, load(&s->ax[i]), &s->vx[i], &u->kx[i], &u->ux[i]);
    predict_along(pack, i, h, v.y, kick.y, load(&s->ay[i]), &s->vy[i], &u->ky[i], &u->uy[i]);
    predict_along(pack, i, h, v.z, kick.z, load(&s->az[i]), &s->vz[i], &u->kz[i], &u->uz[i]);
    if (kind.volume) {
        predict_along(pack, i, h, vs, kick_s, load(&s->as[i]), &s->vs[i], &u->ks[i], &u->us[i]);
        store(&u->ps[i], scale);
        if (pack->aim)
            store(&u->us[i], load(&u->us[i]) + load(&s->s_rounded[i]));
        store(&s->s[i], lanes_clamp(scale + load(&u->us[i]), SCALE_MIN, SCALE_MAX));
    }
}

// Eq. 22 as the rotation by 2 atan(h|ω|/2) about ω, of which finish has the exact inverse.
INLINE void predict_frame(RodPack *pack, const RodMotion *motion, int j, int i, Lanes slow,
                          Kind kind) {
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
    if (kind.loaded) {
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

INLINE void predict_rows(RodPack *pack, const RodMotion *motion, const float *slow, Kind kind) {
    for (int j = 0; j <= pack->rows; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            predict_vertex(pack, motion, j, i, load(&slow[i]), kind);
            predict_frame(pack, motion, j, i, load(&slow[i]), kind);
            if (j < pack->rows)
                keep_edge(pack, j, j, j + 1, i);
        }
}

// One function for each of the common kinds: the compiler does better with them than with one for all.
#define APART static __attribute__((noinline)) void
APART predict_plain_volume(RodPack *pack, const RodMotion *motion, const float *slow) {
    predict_rows(pack, motion, slow, (Kind){.volume = true});
}
APART predict_plain_classic(RodPack *pack, const RodMotion *motion, const float *slow) {
    predict_rows(pack, motion, slow, (Kind){.volume = false});
}

// Rows of a graph that are no vertex, or no segment, stay as they are: what is in them is lent, and would be
// what others have left there.
INLINE void leave_vertex(RodPack *pack, int j, int i) {
    RodWork *u = pack->work + j;
    Lanes zero = splat(0.0f);
    store(&u->ux[i], zero);
    store(&u->uy[i], zero);
    store(&u->uz[i], zero);
    store(&u->us[i], zero);
    store(&u->kx[i], zero);
    store(&u->ky[i], zero);
    store(&u->kz[i], zero);
    store(&u->ks[i], zero);
    store(&u->ps[i], load(&pack->state[j].s[i]));
}

INLINE void leave_frame(RodPack *pack, int j, int i) {
    const RodState *s = pack->state + j;
    RodWork *u = pack->work + j;
    Lanes zero = splat(0.0f);
    store(&u->pqx[i], load(&s->qx[i]));
    store(&u->pqy[i], load(&s->qy[i]));
    store(&u->pqz[i], load(&s->qz[i]));
    store(&u->pqw[i], load(&s->qw[i]));
    store(&u->tx[i], zero);
    store(&u->ty[i], zero);
    store(&u->tz[i], zero);
}

// Vertices first: fields look at frames as they were before.
INLINE void predict_graph(RodPack *pack, const RodMotion *motion, const float *slow, Kind kind) {
    const RodGraph *graph = pack->graph;
    for (int j = 0; j < graph->vertices; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE)
            predict_vertex(pack, motion, j, i, load(&slow[i]), kind);
    for (int j = 0; j < graph->segments; ++j)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            predict_frame(pack, motion, j, i, load(&slow[i]), kind);
            keep_edge(pack, j, graph->edge[j][0], graph->edge[j][1], i);
        }
    for (int i = 0; i < pack->lanes; i += WIDE) {
        for (int j = graph->vertices; j <= pack->rows; ++j)
            leave_vertex(pack, j, i);
        for (int j = graph->segments; j <= pack->rows; ++j)
            leave_frame(pack, j, i);
    }
}

void WIDE_FUNCTION(rod_predict)(RodPack *pack, const RodMotion *motion) {
    assert(motion->h > 0.0f && pack->work && pack->prepared);
    assert(motion->field_count <= SN_MAX_FIELDS && motion->wind_count <= SN_MAX_FIELDS);
    PackRow slow;
    for (int i = 0; i < pack->lanes; i += WIDE)
        store(&slow[i], 1.0f / (1.0f + motion->h * load(&pack->drag[i])));
    const Kind kind = {.volume = !pack->classic,
                       .graph = pack->graph != NULL,
                       .loaded = pack->loaded,
                       .blown = motion->field_count + motion->wind_count > 0};
    if (kind.graph)
        predict_graph(pack, motion, slow, kind);
    else if (kind.loaded || kind.blown)
        predict_rows(pack, motion, slow, kind);
    else if (kind.volume)
        predict_plain_volume(pack, motion, slow);
    else
        predict_plain_classic(pack, motion, slow);
}
