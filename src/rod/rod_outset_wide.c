// How Newton's method sets out in a sub-step: from where it starts, and whether with prestress.
#include <math.h>

#include "math/lanes.h"
#include "rod/graph.h"
#include "rod/rounding.h"
#include "rod/wide.h"

// What accelerations add to h v there (rod_newton_start_wide.c).
INLINE Lanes3 sped_up(const RodPack *pack, int j, int i, float h) {
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    Lanes free = load(&pack->prepared[j].m[i]), zero = splat(0.0f);
    Lanes by = lanes_if_less(zero, free, h * load(&pack->scheme.guess[i]), zero);
    return (Lanes3){by * (load(&u->kx[i]) + h * load(&s->ax[i])),
                    by * (load(&u->ky[i]) + h * load(&s->ay[i])),
                    by * (load(&u->kz[i]) + h * load(&s->az[i]))};
}

// A load that the rod has yet to answer would take its vertices anywhere, and their neighbours not. So this
// is taken in part only, by each rod as a whole, if it moves the ends of a segment by more than this part of
// the length of its shortest one against each other.
#define GUESS_STRAIN 0.005f
// What is held and has not answered yet to so much more than that, goes on from this sub-step as it has been led through it
// (rod_finish_wide.c). The scheme would halve what it has not seen come in each sub-step; till then, a vertex
// would have velocities that lead Newton's method astray, and dampers would remember where to.
#define ABRUPT 0.02f
#define ABRUPT_TURN 0.2f // rad, of a frame
// rad: where velocities would turn a segment away from its frame by more within a sub-step, as those of a rod that
// is pinned while it moves, Newton's method starts from where the rod is.
#define TORN 0.02f

// The square of how far those of segment j, or `most` if that is more.
INLINE Lanes apart(const RodPack *pack, int j, Lanes3 a, Lanes3 b, int i, Lanes most) {
    Lanes3 by = sub3(b, a);
    Lanes length = load(&pack->prepared[j].active[i]);
    return lanes_if_less(splat(0.0f), length, lanes_max(most, dot3(by, by)), most);
}

// The square of how far frame j would turn as it has been sped up, or `most` if that is more.
INLINE Lanes sped_turn(const RodPack *pack, int j, int i, float h, Lanes most) {
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    Lanes free = load(&pack->prepared[j].m_turn[i]), zero = splat(0.0f);
    Lanes by = lanes_if_less(zero, free, h * load(&pack->scheme.guess[i]), zero);
    Lanes3 turn = {by * (load(&u->tx[i]) + h * load(&s->bx[i])),
                   by * (load(&u->ty[i]) + h * load(&s->by[i])),
                   by * (load(&u->tz[i]) + h * load(&s->bz[i]))};
    return lanes_max(most, dot3(turn, turn));
}

// Where a vertex would go with its velocity, or is led to.
INLINE Lanes3 way_of(const RodPack *pack, int j, int i, float h) {
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    Lanes free = load(&pack->prepared[j].m[i]), zero = splat(0.0f);
    return (Lanes3){lanes_if_less(zero, free, h * load(&s->vx[i]), load(&u->ux[i])),
                    lanes_if_less(zero, free, h * load(&s->vy[i]), load(&u->uy[i])),
                    lanes_if_less(zero, free, h * load(&s->vz[i]), load(&u->uz[i]))};
}

// The square of the angle by which segment j would turn away from its frame, or `most` if that is more. One that is
// soft in shear may do so.
INLINE Lanes torn(const RodPack *pack, int j, Lanes3 a, Lanes3 b, int i, float h, Lanes most) {
    const RodState *s = pack->state + j;
    const RodWork *u = pack->work + j;
    Lanes3 d = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes3 spin = {h * load(&s->wx[i]), h * load(&s->wy[i]), h * load(&s->wz[i])};
    Lanes3 by = sub3(sub3(b, a), cross3(spin, d));
    Lanes square = dot3(d, d), along = dot3(by, d);
    Lanes across = dot3(by, by) * square - along * along;
    Lanes stiff = square - load(&pack->prepared[j].loose[i]) * square;
    Lanes length = load(&pack->prepared[j].active[i]), none = splat(0.0f);
    return lanes_if_less(none, length * stiff, lanes_max(most, across / (square * square)), most);
}

static Lanes most_torn(const RodPack *pack, int i, float h) {
    const RodGraph *graph = pack->graph;
    Lanes most = splat(0.0f);
    Lanes3 last = way_of(pack, 0, i, h);
    for (int j = 0; graph == NULL && j < pack->rows; ++j) {
        Lanes3 next = way_of(pack, j + 1, i, h);
        most = torn(pack, j, last, next, i, h, most);
        last = next;
    }
    for (int j = 0; graph && j < graph->segments; ++j)
        most = torn(pack, j, way_of(pack, graph->edge[j][0], i, h),
                    way_of(pack, graph->edge[j][1], i, h), i, h, most);
    return most;
}

static void choose_guesses(RodPack *pack, float h) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; i += WIDE) {
        Lanes bound = GUESS_STRAIN * load(&pack->shortest[i]), most = bound * bound;
        Lanes3 last = sped_up(pack, 0, i, h);
        for (int j = 0; graph == NULL && j < pack->rows; ++j) {
            Lanes3 next = sped_up(pack, j + 1, i, h);
            most = apart(pack, j, last, next, i, most);
            last = next;
        }
        for (int j = 0; graph && j < graph->segments; ++j)
            most = apart(pack, j, sped_up(pack, graph->edge[j][0], i, h),
                         sped_up(pack, graph->edge[j][1], i, h), i, most);
        Lanes part = lanes_min(bound / lanes_sqrt(most), splat(1.0f)), one = splat(1.0f);
        Lanes zero = splat(0.0f), turn = zero, far = splat(ABRUPT_TURN * ABRUPT_TURN);
        for (int j = 0; j < (graph ? graph->segments : pack->rows); ++j)
            turn = sped_turn(pack, j, i, h, turn);
        Lanes held = lanes_if_less(load(&pack->loose[i]), splat(0.5f), one, zero);
        Lanes turned = lanes_if_less(far, turn, held, zero);
        Lanes stays = lanes_if_less(splat(TORN * TORN), most_torn(pack, i, h), held, zero);
        Lanes abrupt = lanes_if_less(part, splat(ABRUPT), held, turned);
        store(&pack->newton_stays[i], stays);
        store(&pack->newton_guess[i], (1.0f - stays) * part);
        store(&pack->newton_abrupt[i], lanes_max(abrupt, stays));
    }
}

// What prestress does to the frequency of a rod, σ² = EI κ⁴/(ρA) with κ how much it is bent and twisted from
// its rest shape, or P²/(EI ρA) where it is pushed with P, as h²σ²/3. Where it is less, rods are found without.
#define PRESTRESSED 3e-3f
// And to that of its turns about its own axis, σ² = EI κ²/(ρJ): much more in what is thin.
#define ROLLING 1e-2f
// And with this much by bending, one iteration is not enough.
#define BOWED 1e-2f
// What is free would lose its angular momentum by less.
#define FREE 1e-9f

INLINE Lanes4 frame_before(const RodWork *u, int i) {
    return (Lanes4){load(&u->pqx[i]), load(&u->pqy[i]), load(&u->pqz[i]), load(&u->pqw[i])};
}

// The square of the angle by which joint k is bent and twisted, or `most` if that is more.
INLINE Lanes bent(const RodPack *pack, int k, Lanes4 p, Lanes4 a, int vertex, int i, Lanes most) {
    Lanes s = pack->classic ? splat(1.0f) : load(&pack->work[vertex].ps[i]), twice = s + s;
    if (pack->turn) {
        const RodTurn *t = pack->turn + k;
        Lanes4 turn = {load(&t->x[i]), load(&t->y[i]), load(&t->z[i]), load(&t->w[i])};
        p = quat_mul(p, turn);
        if (pack->graph == NULL)
            a = quat_mul(a, quat_conjugate(turn));
    }
    Lanes4 b = quat_mul(quat_conjugate(p), a);
    twice = lanes_flip_by(twice, b.w);
    Lanes3 W = {twice * b.x, twice * b.y, twice * b.z};
    Lanes length = load(&pack->rest[k].joint_length[i]);
    return lanes_if_less(splat(0.0f), length, lanes_max(most, dot3(W, W)), most);
}

// The square of the push along segment j × h², beyond what may be rounding, or `most` if that is more.
INLINE Lanes pushed(const RodPack *pack, int j, int a, int b, int i, Lanes most) {
    const RodPrepared *p = pack->prepared + j;
    const RodWork *w = pack->work + j;
    Lanes3 d = {load(&w->ex[i]), load(&w->ey[i]), load(&w->ez[i])};
    Lanes length = lanes_sqrt(dot3(d, d));
    Lanes stiff = load(&p->k_stretch[i]) * load(&pack->undamped_along[i]);
    Lanes force = stiff * (length - load(&p->taut[i]));
    if (!pack->classic) {
        Lanes s = 0.5f * (load(&pack->work[a].ps[i]) + load(&pack->work[b].ps[i])), s2 = s * s;
        Lanes volume = load(&p->k_volume[i]) * load(&pack->undamped_volume[i]);
        force += volume * s2 * (s2 * length - load(&p->length[i]));
    }
    Lanes push = lanes_max(-force - stiff * rounding_of_length(pack, j, a, i), splat(0.0f));
    return lanes_max(most, push * push);
}

INLINE Lanes most_bent(const RodPack *pack, int i) {
    const RodGraph *graph = pack->graph;
    Lanes most = splat(0.0f);
    Lanes4 last = frame_before(pack->work, i);
    for (int k = 1; graph == NULL && k < pack->rows; ++k) {
        Lanes4 next = frame_before(pack->work + k, i);
        most = bent(pack, k, last, next, k, i, most);
        last = next;
    }
    for (int k = 0; graph && k < graph->joints; ++k) {
        const GraphJoint *joint = &graph->joint[k];
        most = bent(pack, k, frame_before(pack->work + joint->p, i),
                    frame_before(pack->work + joint->a, i), joint->vertex, i, most);
    }
    return most;
}

INLINE Lanes most_pushed(const RodPack *pack, int i) {
    const RodGraph *graph = pack->graph;
    Lanes most = splat(0.0f);
    for (int j = 0; graph == NULL && j < pack->rows; ++j)
        most = pushed(pack, j, j, j + 1, i, most);
    for (int j = 0; graph && j < graph->segments; ++j)
        most = pushed(pack, j, graph->edge[j][0], graph->edge[j][1], i, most);
    return most;
}

// What pushes a rod and how it rolls counts between two holds. A pendulum would turn what prestress takes from its swing
// into a spin; and what links tie or something touches counts on it that what one pass said holds in the next.
static void choose_plain(RodPack *pack) {
    PackRow bow = {0}, roll = {0}, push = {0};
    pack->newton_bent = false;
    pack->newton_bowed = 0;
    for (int i = 0; i < pack->lanes; i += WIDE) {
        Lanes angle = most_bent(pack, i);
        Lanes rolls = (PRESTRESSED / ROLLING) * load(&pack->rolling[i]) * angle;
        store(&bow[i], load(&pack->springy[i]) * angle * angle);
        store(&roll[i], rolls);
        store(&push[i], load(&pack->yielding[i]) * most_pushed(pack, i));
    }
    for (int i = 0; i < pack->lanes; ++i) {
        bool touched = pack->touched && (pack->touched_lanes >> i & 1);
        float more = fmaxf(roll[i], push[i]);
        bool bows = pack->braced[i] > 0.5f && !touched && more > bow[i];
        float part = bows ? more : bow[i];
        float least = pack->rolls[i] > 0.5f ? FREE : PRESTRESSED;
        bool plain = part < least && !(pack->damping_along[i] > 0.0f);
        pack->newton_plain[i] = plain ? 1.0f : 0.0f;
        pack->newton_steady[i] = 0.0f;
        pack->newton_bent |= !plain;
        bool twice = bow[i] > BOWED || (!touched && roll[i] > PRESTRESSED);
        pack->newton_bowed |= (uint16_t)(twice << i);
    }
}

void WIDE_FUNCTION(rod_outset)(RodPack *pack, float h, bool first) {
    choose_guesses(pack, h);
    if (first)
        choose_plain(pack);
}
