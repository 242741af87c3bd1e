// Where Newton's method starts in a sub-step, and where everything would go alone. Forces are made in double
// from what float holds of either, so float is enough. Only frames are turned in double
// (rod_newton_forces_wide.c): float makes them longer or shorter than 1, and that strains segments.
#define NEWTON_DOUBLE 0
#include "rod/graph.h"
#include "rod/kick.h"
#include "rod/newton_move.h"
#include "rod/rounding.h"

// What the rod's acceleration adds to h v, along one axis. Of it, the part `newton_guess` is taken.
INLINE Lanes sped_up(const RodScheme *c, int i, float h, const float *kick, const float *a) {
    return h * load(&c->guess[i]) * (load(kick) + h * load(a));
}

// And of frames and scales at most.
#define GUESS_TURN 0.02f

// How far it goes with its velocity, and with this part of its acceleration.
INLINE Lanes mean_way(const RodScheme *c, int i, float h, const float *v, const float *kick,
                      const float *a, Lanes part, Lanes moves) {
    return part * sped_up(c, i, h, kick, a) + moves * (h * load(v));
}

INLINE Lanes mean_turn(const RodScheme *c, int i, float h, const float *v, const float *kick,
                       const float *a, Lanes part, Lanes moves) {
    return moves * (h * load(v)) +
           lanes_clamp(part * sped_up(c, i, h, kick, a), -GUESS_TURN, GUESS_TURN);
}

// How far a frame would turn alone, as rod_predict_wide.c has it, but for the bound that it has there: a
// torque may turn a light frame by any number of times, if the rod did not withstand it. What contacts
// have turned it by since is small.
INLINE Lanes3 turn_of_aim(const RodPack *pack, int j, int i, Lanes4 before, Lanes4 q) {
    const RodScheme *scheme = &pack->scheme;
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    const float h = pack->prepared_h;
    Lanes outside = h * load(&scheme->outside[i]), carried = h * h * load(&scheme->carried[i]);
    Lanes3 v = {load(&s->wx[i]), load(&s->wy[i]), load(&s->wz[i])};
    Lanes3 kick = {load(&u->tx[i]), load(&u->ty[i]), load(&u->tz[i])};
    Lanes3 a = {load(&s->bx[i]), load(&s->by[i]), load(&s->bz[i])};
    Lanes3 way = add3(mul3(v, splat(h)), add3(mul3(kick, outside), mul3(a, carried)));
    if (!pack->touched)
        return way;
    Lanes4 half = {0.5f * way.x, 0.5f * way.y, 0.5f * way.z, splat(1.0f)};
    Lanes4 predicted = quat_normalise(quat_mul(half, before));
    return add3(way, quat_rotate(predicted, newton_turn_since(predicted, q)));
}

// Keeps where everything would go alone, the aim, and starts from where it would go as it has been
// accelerated, or with its velocity alone in implicit Euler. A force on one vertex of a stiff rod takes
// its aim far away, and a rod that is linearised there is not like the one that is to be found; what is
// remembered of the rod's own forces cancels it in the start.
INLINE void begin_from_motion(NewtonLanes c, int j) {
    RodAim *aim = c.pack->aim + j;
    const RodState *s = c.pack->state + j;
    RodWork *u = c.pack->work + j;
    const RodScheme *scheme = &c.pack->scheme;
    const int i = c.i;
    const float h = c.pack->prepared_h;
    const Lanes part = load(&c.pack->newton_guess[i]),
                moves = 1.0f - load(&c.pack->newton_stays[i]);
    Lanes3 to = {load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
    Lanes4 q = newton_frame(s, i), before = newton_frame_before(u, i);
    Lanes grown = load(&u->us[i]);
    Lanes3 way = turn_of_aim(c.pack, j, i, before, q);
    store(&aim->ux[i], to.x);
    store(&aim->uy[i], to.y);
    store(&aim->uz[i], to.z);
    store(&aim->us[i], grown);
    store(&aim->tx[i], way.x);
    store(&aim->ty[i], way.y);
    store(&aim->tz[i], way.z);

    NewtonInertia n = newton_inertia(c, j);
    to.x =
        chosen(n.free, mean_way(scheme, i, h, &s->vx[i], &u->kx[i], &s->ax[i], part, moves), to.x);
    to.y =
        chosen(n.free, mean_way(scheme, i, h, &s->vy[i], &u->ky[i], &s->ay[i], part, moves), to.y);
    to.z =
        chosen(n.free, mean_way(scheme, i, h, &s->vz[i], &u->kz[i], &s->az[i], part, moves), to.z);
    if (c.volume)
        grown = chosen(n.free_scale,
                       load(&s->s_rounded[i]) +
                           mean_turn(scheme, i, h, &s->vs[i], &u->ks[i], &s->as[i], part, moves),
                       grown);
    // A torque and what withstands it are known to float only, and the start would be off by what is rounded.
    const Lanes turn = if_turned_hard(u, i, h, splat(0.0f), part);
    store(&u->start_x[i], mean_turn(scheme, i, h, &s->wx[i], &u->tx[i], &s->bx[i], turn, moves));
    store(&u->start_y[i], mean_turn(scheme, i, h, &s->wy[i], &u->ty[i], &s->by[i], turn, moves));
    store(&u->start_z[i], mean_turn(scheme, i, h, &s->wz[i], &u->tz[i], &s->bz[i], turn, moves));
    move_vertex_to(c, j, to, grown);
}

INLINE void find_coarse(const RodPack *pack, int j, int a, int i) {
    store(&pack->aim[j].coarse[i], rounding_of_length(pack, j, a, i));
}

void WIDE_FUNCTION(rod_newton_start)(RodPack *pack) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; i += WIDE) {
        const NewtonLanes c = newton_lanes(pack, i);
        for (int j = 0; j <= pack->rows; ++j) {
            begin_from_motion(c, j);
            if (graph == NULL && j < pack->rows)
                find_coarse(pack, j, j, i);
        }
        for (int j = 0; graph && j < graph->segments; ++j)
            find_coarse(pack, j, graph->edge[j][0], i);
    }
}
