// The forces of the direct sweep in double, where it starts, and what it leaves unsolved.
#define NEWTON_DOUBLE 1
#include "rod/newton_closed.h"
#include "rod/newton_forces.h"
#include "rod/newton_graph_forces.h"
#include "rod/newton_move.h"
#include "rod/substep.h"

// Walks along the chain; every row is converted once.
typedef struct Walk {
    NewtonLanes lanes;
    NewtonVertex v, v_next;
    Number4 q;
    Number own[UNKNOWNS], next[BEHIND]; // forces on this station, and so far on what is behind it
    Number before[UNKNOWNS];            // of own, what comes from the stations before
} Walk;

INLINE Walk walk_from_start(NewtonLanes c) {
    Walk w = {.lanes = c};
    w.v_next = newton_vertex(c.pack->work, c.i, c.volume);
    w.q = newton_frame(c.pack->state, c.i);
    EACH(k, 0, BEHIND) w.own[k % UNKNOWNS] = w.next[k] = splat(0.0f);
    if (!c.pack->walled)
        return w;
    // The joints of the first segments with their walls (wall.h).
    Number4 wall = newton_frame(c.pack->state - 1, c.i);
    Number grown = w.v_next.grown;
    NewtonJoint e = newton_joint(c, 0, wall, w.q, grown, grown, grown);
    pull_by_joint(w.own, w.next, &e, c);
    return w;
}

INLINE void walk_station(Walk *w, int j, NewtonInertia inertia) {
    const NewtonLanes at = w->lanes;
    const RodPack *pack = at.pack;
    const int n = at.volume ? UNKNOWNS : S;
    EACH(k, 0, n) w->own[k] = w->before[k] = w->next[k];
    EACH(k, 0, n) w->next[k] = splat(0.0f);
    if (at.volume) {
        w->next[S] = w->next[SS];
        w->next[SS] = splat(0.0f);
    }
    w->v = w->v_next;
    Number4 q = w->q;
    pull_vertex(w->own, at, j, inertia, w->v.u);
    pull_frame(w->own, at, j, inertia, q);
    if (j == pack->rows)
        return;
    const RodState *s = pack->state + j + 1;
    w->v_next = newton_vertex(pack->work + j + 1, at.i, at.volume);
    w->q = newton_frame(s, at.i);
    NewtonSegment g = newton_segment(at, j, w->v, w->v_next, q);
    if (at.volume && at.damped)
        g.fv -= newton_volume_before(at, &g, j, j, j + 1);
    pull_by_segment(w->own, w->next, &g, at.volume, at.damped);
    if (j + 1 == pack->rows && !pack->walled)
        return;
    Number after = newton_grown(pack->work + j + 2, at.i, at.volume && j + 1 < pack->rows);
    NewtonJoint e = newton_joint(at, j + 1, q, w->q, w->v.grown, w->v_next.grown, after);
    pull_by_joint(w->own, w->next, &e, at);
}

// What acts on the ghosts of closed rods acts on what they repeat.
static void fold_ghosts(const RodPack *pack) {
    RodForces *forces = pack->front;
    for (int k = 0; k < pack->seam_count; ++k) {
        const int row = pack->seams[k].row, lane = pack->seams[k].lane;
        for (int m = 0; m < UNKNOWNS; ++m) {
            forces[0].exact[m][lane] += forces[row].exact[m][lane];
            forces[row].exact[m][lane] = 0.0;
            if (m == S)
                forces[1].exact[m][lane] += forces[row + 1].exact[m][lane];
            forces[row + 1].exact[m][lane] = 0.0;
        }
    }
}

// `damped` and `turned` say it beforehand, for the compiler.
INLINE void chain_forces(RodPack *pack, int i, bool volume, bool ring, bool damped, bool turned) {
    const bool exact = ring || pack->precise_lanes > 0;
    const bool rough = !ring && pack->exact_lanes > pack->precise_lanes;
    const Number unit = load_row(&pack->unit[i]);
    Chains c = chains(pack, i, volume, ring, false, turned);
    c.lanes.damped = damped;
    find_seams(&c);
    Walk w = walk_from_start(c.lanes);
    for (int j = 0; j <= pack->rows; ++j) {
        walk_station(&w, j, ring ? chain_inertia(&c, j) : newton_own_inertia(c.lanes, j));
        EACH(k, 0, c.kind.n) {
            if (exact)
                store(&c.forces[j].exact[k][i], w.own[k]);
            if (rough)
                store_row(&c.forces[j].rough[k][i], w.own[k] * unit);
        }
    }
}

APART volume_forces(RodPack *pack, int i) { chain_forces(pack, i, true, false, false, false); }
APART classic_forces(RodPack *pack, int i) { chain_forces(pack, i, false, false, false, false); }
APART damped_volume_forces(RodPack *pack, int i) {
    chain_forces(pack, i, true, false, true, pack->turn != NULL);
}
APART damped_classic_forces(RodPack *pack, int i) {
    chain_forces(pack, i, false, false, true, pack->turn != NULL);
}
APART curved_volume_forces(RodPack *pack, int i) {
    chain_forces(pack, i, true, false, false, true);
}
APART curved_classic_forces(RodPack *pack, int i) {
    chain_forces(pack, i, false, false, false, true);
}
APART closed_forces(RodPack *pack, int i) {
    chain_forces(pack, i, true, true, pack->damped, pack->turn != NULL);
}
APART closed_classic_forces(RodPack *pack, int i) {
    chain_forces(pack, i, false, true, pack->damped, pack->turn != NULL);
}

static void all_chain_forces(RodPack *pack) {
    const bool ring = pack->seam_count > 0;
    for (int i = 0; i < lanes_with_forces(pack); i += WIDE_DOUBLE)
        if (ring && pack->classic)
            closed_classic_forces(pack, i);
        else if (ring)
            closed_forces(pack, i);
        else if (pack->classic && pack->damped)
            damped_classic_forces(pack, i);
        else if (pack->damped)
            damped_volume_forces(pack, i);
        else if (pack->classic && pack->turn)
            curved_classic_forces(pack, i);
        else if (pack->turn)
            curved_volume_forces(pack, i);
        else if (pack->classic)
            classic_forces(pack, i);
        else
            volume_forces(pack, i);
    if (!ring)
        return;
    fold_ghosts(pack);
    RodForces *forces = pack->front;
    for (int j = 0; j <= pack->rows; ++j)
        for (int k = 0; k < (pack->classic ? S : UNKNOWNS); ++k)
            for (int lane = 0; lane < PACK_LANES; ++lane)
                forces[j].rough[k][lane] =
                    (float)(forces[j].exact[k][lane] * (double)pack->unit[lane]);
}

static void iterate(RodPack *pack) {
    if (pack->graph && pack->exact_lanes > 0)
        graph_forces(pack);
    else if (pack->exact_lanes > 0)
        all_chain_forces(pack);
    if (pack->rough_lanes > 0)
        WIDE_FUNCTION(rod_newton_rough)(pack);
    if (pack->precise_lanes > 0)
        WIDE_FUNCTION(rod_newton_precise)(pack);
}

// The turn of the aim in the axes in which inertia counts it.
INLINE void find_own_turn(const RodPack *pack, int j, int i, Number4 before) {
    RodAim *aim = pack->aim + j;
    Number3 way = {load_row(&aim->tx[i]), load_row(&aim->ty[i]), load_row(&aim->tz[i])};
    store_row(&aim->own_x[i], dot3(quat_axis_x(before), way));
    store_row(&aim->own_y[i], dot3(quat_axis_y(before), way));
    store_row(&aim->own_z[i], dot3(quat_axis_z(before), way));
}

static void find_own_turns(const RodPack *pack) {
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
        for (int j = 0; j <= pack->rows; ++j)
            find_own_turn(pack, j, i, newton_frame_before(pack->work + j, i));
}

// q turned by 2 atan(|turn|/2) about the vector. For turns that are small, a series is as good as a root and a
// division: 1/√(1 + e) = 1 − e/2 + 3e²/8 − 5e³/16 + 35e⁴/128 − 63e⁵/256 + …, of which the next term is below 10⁻¹².
#define SMALL 0.01
INLINE Number4 turned(Number4 q, Number3 turn) {
    Number4 by = {0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, splat(1.0)};
    Number4 to = quat_mul(by, q);
    Number n = to.x * to.x + to.y * to.y + to.z * to.z + to.w * to.w, e = n - 1.0;
    Number series = 1.0 - e * (0.5 - e * (0.375 - e * (0.3125 - e * (0.2734375 - e * 0.24609375))));
    Number far = number_if_less(wide_abs(e), splat(SMALL), splat(0.0), splat(1.0));
    if (number_any_less(splat(0.5), far))
        series = number_if_less(splat(0.5), far, 1.0 / number_sqrt(n), series);
    return (Number4){to.x * series, to.y * series, to.z * series, to.w * series};
}

// Frames that are free start with their turns.
static void turn_to_start(RodPack *pack, int i) {
    const NewtonLanes c = newton_lanes(pack, i);
    for (int j = 0; j <= pack->rows; ++j) {
        const RodWork *u = pack->work + j;
        Number3 turn = {load_row(&u->start_x[i]), load_row(&u->start_y[i]),
                        load_row(&u->start_z[i])};
        Number4 q = newton_frame(pack->state + j, i), before = newton_frame_before(u, i);
        Number4 to = turned(before, turn);
        Number zero = splat(0.0), free = load_row(&pack->prepared[j].m_turn[i]);
        find_own_turn(pack, j, i, before);
        turn_to(c, j,
                (Number4){
                    number_if_less(zero, free, to.x, q.x), number_if_less(zero, free, to.y, q.y),
                    number_if_less(zero, free, to.z, q.z), number_if_less(zero, free, to.w, q.w)});
    }
}

// Where a frame that turns from one to the other within the sub-step is when it has made this part of its way.
INLINE Number4 frame_between(Number4 before, Number4 q, Number part) {
    Number same = before.x * q.x + before.y * q.y + before.z * q.z + before.w * q.w;
    Number from = 1.0 - part, to = number_flip_by(part, same);
    return quat_normalise((Number4){from * before.x + to * q.x, from * before.y + to * q.y,
                                    from * before.z + to * q.z, from * before.w + to * q.w});
}

INLINE Number within(Number x, float most) {
    return number_max(number_min(x, splat((double)most)), splat(-(double)most));
}

// A torque acts about an axis of the world, and what the prediction has made of it turns with the frame in the
// sub-step. Of a rod that is bent by such a load, that is a force which comes a sub-step late: it drives the rod out of
// its plane, until it whirls. What is remembered of the rod's own forces, at rest the opposite of the load, turns with
// the frame, too. So the load is turned back by as much as leaves of both together the load at the end of the sub-step.
INLINE void turn_torque(RodPack *pack, int j, int i) {
    const RodLoads *f = pack->loads + j;
    const RodPrepared *p = pack->prepared + j;
    Number3 torque = {load_row(&f->tx[i]), load_row(&f->ty[i]), load_row(&f->tz[i])};
    if (!number_any_less(splat(0.0), dot3(torque, torque)))
        return;
    RodWork *u = pack->work + j;
    RodAim *aim = pack->aim + j;
    Number h = splat((double)pack->prepared_h), outside = load_row(&pack->scheme.outside[i]);
    Number4 before = newton_frame_before(u, i), q = newton_frame(pack->state + j, i);
    q = frame_between(before, q, load_row(&pack->scheme.share[i]) / outside);
    Number turn = 2.0 * h * load_row(&p->m_turn[i]), roll = 2.0 * h * load_row(&p->m_roll[i]);
    const Number3 axes[3] = {quat_axis_x(before), quat_axis_y(before), quat_axis_z(before)};
    Number3 own = {turn * dot3(quat_axis_x(q), torque), turn * dot3(quat_axis_y(q), torque),
                   roll * dot3(quat_axis_z(q), torque)};
    Number3 kick = rotate(own, axes);
    kick =
        (Number3){within(kick.x, MOST_KICK), within(kick.y, MOST_KICK), within(kick.z, MOST_KICK)};
    Number3 was = {load_row(&u->tx[i]), load_row(&u->ty[i]), load_row(&u->tz[i])};
    Number3 by = mul3(sub3(kick, was), h * outside);
    store_row(&aim->tx[i], load_row(&aim->tx[i]) + by.x);
    store_row(&aim->ty[i], load_row(&aim->ty[i]) + by.y);
    store_row(&aim->tz[i], load_row(&aim->tz[i]) + by.z);
    store_row(&u->tx[i], kick.x);
    store_row(&u->ty[i], kick.y);
    store_row(&u->tz[i], kick.z);
    find_own_turn(pack, j, i, before);
}

static void turn_torques(RodPack *pack) {
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
        for (int j = 0; j <= pack->rows; ++j)
            turn_torque(pack, j, i);
}

static void iterate_until_found(RodPack *pack) {
    PackRow moves;
    memcpy(moves, pack->newton_moves, sizeof moves);
    do {
        PackRow before;
        for (int i = 0; i < PACK_LANES; ++i)
            before[i] = pack->newton_plain[i] + pack->newton_steady[i];
        pack->newton_lost = false;
        iterate(pack);
        // The factors of lanes that are lost are of no use, and those of the others are not to be written over.
        for (int i = 0; i < PACK_LANES; ++i) {
            pack->newton_moves[i] = pack->newton_plain[i] + pack->newton_steady[i] - before[i];
            if (pack->factoring && pack->newton_moves[i] > 0.5f)
                pack->factors_missing |= (uint16_t)(1u << i);
        }
        pack->factoring = false;
    } while (pack->newton_lost);
    memcpy(pack->newton_moves, moves, sizeof moves);
}

void WIDE_FUNCTION(rod_newton)(RodPack *pack, DirectSolve solve) {
    if (solve == SOLVE_ANSWER) {
        WIDE_FUNCTION(rod_newton_answer)(pack);
        return;
    }
    if (solve == SOLVE_FIRST) {
        WIDE_FUNCTION(rod_newton_start)(pack);
        for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
            turn_to_start(pack, i);
        // Ghosts know of no loads, and have gone another way than what they repeat.
        sn__pack_seams_in(pack);
    } else if (pack->touched) {
        // Contacts move the aim.
        find_own_turns(pack);
    }
    if (pack->loaded)
        turn_torques(pack);
    pack->factoring =
        solve == SOLVE_FIRST && pack->touched && pack->factors && pack->seam_count == 0;
    if (solve == SOLVE_FIRST)
        pack->factors_missing = pack->factoring ? 0 : 0xffff;
    iterate_until_found(pack);
}

// 1/inertia of unknown k of row j, 0 where it is held.
INLINE Number mobility(const RodPack *pack, int j, int k, int i) {
    const RodPrepared *p = pack->prepared + j;
    const float *row = k < T ? p->m : k < T + 2 ? p->m_turn : k == T + 2 ? p->m_roll : p->m_scale;
    return (k < T || k == S ? 1.0 : 2.0) * load_row(row + i);
}

INLINE void add_lanes(const RodPack *pack, int i, Number sum, double *total) {
    for (int lane = 0; lane < WIDE_DOUBLE && i + lane < pack->lanes; ++lane)
        *total += sum[lane];
}

// What is left of the forces, and what the two sides of every station are. Of closed rods, what is
// left of station 0 shows behind its ghost only, so it is left out.
INLINE void weigh_chains(RodPack *pack, int i, bool volume, bool ring) {
    Chains c = chains(pack, i, volume, ring, false, pack->turn != NULL);
    find_seams(&c);
    Walk w = walk_from_start(c.lanes);
    Number left = splat(0.0), sides = left;
    for (int j = 0; j <= pack->rows; ++j) {
        NewtonInertia n = chain_inertia(&c, j);
        const Number own = j == 0 ? (Number)(1.0 - c.ring) : splat(1.0);
        walk_station(&w, j, n);
        if (ring && volume && j == 1)
            w.own[S] -= c.lap_force;
        EACH(k, 0, c.kind.n) {
            Number m = mobility(pack, j, k, i) * own, side = w.own[k] - w.before[k];
            if (ring)
                m *= k < T ? n.free : k < S ? n.free_frame : n.free_scale;
            left += m * (w.own[k] * w.own[k]);
            sides += m * (w.before[k] * w.before[k] + side * side);
        }
    }
    add_lanes(pack, i, left, &pack->residual[0]);
    add_lanes(pack, i, sides, &pack->residual[1]);
}

INLINE void weigh_unknown(const GraphForces *f, int unknown, int i, Number m, Number sums[2]) {
    Number r = load(&f->exact[unknown][i]);
    sums[0] += m * (r * r);
    sums[1] += m * load(&f->squares[unknown][i]);
}

static void weigh_graph(RodPack *pack, int i) {
    const RodGraph *graph = pack->graph;
    const RodSymbolic *symbolic = graph->symbolic;
    const GraphForces f = graph_forces_of(pack);
    Number sums[2] = {splat(0.0), splat(0.0)};
    for (int j = 0; j <= pack->rows; ++j) {
        for (int k = X; k < T && j < graph->vertices; ++k)
            weigh_unknown(&f, symbolic->x[j] + k, i, mobility(pack, j, k, i), sums);
        for (int k = T; k < S && j < graph->segments; ++k)
            weigh_unknown(&f, symbolic->t[j] + k - T, i, mobility(pack, j, k, i), sums);
        if (j < graph->vertices)
            weigh_unknown(&f, symbolic->s[j], i, mobility(pack, j, S, i), sums);
    }
    add_lanes(pack, i, sums[0], &pack->residual[0]);
    add_lanes(pack, i, sums[1], &pack->residual[1]);
}

// Squares of forces, each over its inertia: what is left of them in all, and what the two sides of
// every station are, or of creatures those of all elements.
void WIDE_FUNCTION(rod_newton_residual)(RodPack *pack) {
    const bool volume = !pack->classic, ring = pack->seam_count > 0;
    pack->residual[0] = pack->residual[1] = 0.0;
    if (pack->touched)
        find_own_turns(pack);
    if (pack->graph) {
        pull_graph(pack, true);
        for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
            weigh_graph(pack, i);
        return;
    }
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
        if (ring)
            weigh_chains(pack, i, volume, true);
        else
            weigh_chains(pack, i, volume, false);
}
