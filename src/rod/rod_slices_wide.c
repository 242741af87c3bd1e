// Newton's method for bundles that are solved as a whole (slices.h), in double: an iteration, and what
// comes of it where contacts have moved vertices since.
#define NEWTON_DOUBLE 1
#include <string.h>

#include "rod/slice_energy.h"
#include "rod/slice_gives.h"
#include "rod/slice_ties.h"
#include "rod/substep.h"

APART assemble_and_eliminate(const Slices *c) {
    Front front;
    begin_front(c, &front);
    for (int k = 0; k < c->graph->sections; ++k) {
        assemble_slice(c, k, &front);
        eliminate(c, k, &front);
        leave_slice(k, &front);
    }
}

APART find_step(const Slices *c) {
    leave_bounds(c);
    assemble_and_eliminate(c);
    substitute_slices(c);
    if (c->lanes.volume && hold_at_bounds(c)) {
        assemble_and_eliminate(c);
        substitute_slices(c);
        stay_at_bounds(c);
    }
}

// How much of the step is taken: no section turns by more than half a radian in an iteration, and no scale
// changes by more than half.
typedef struct Take {
    Number part, own; // `own`: 1 for lanes that are moved
    Number far;       // how far the whole step would go
} Take;

INLINE Number within_bounds(Number s) {
    return number_max(number_min(s, splat(SCALE_MAX)), splat(SCALE_MIN));
}

INLINE Take part_of_step(const Slices *c) {
    const int i = c->lanes.i;
    Number turn = splat(0.0), swell = turn, one = splat(1.0);
    const Number own = load_row(&c->pack->newton_moves[i]);
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number3 by = slice_load3(&slice->step[3], i);
        Number s = load(&slice->s[i]), to = within_bounds(s + load(&slice->step[6][i]));
        Number grown = (to - s) / s;
        turn = number_max(turn, dot3(by, by));
        swell = number_max(swell, grown * grown);
    }
    Number far = number_sqrt(number_max(turn, swell));
    store_row(&c->pack->newton_reach[i], chosen(own, far, load_row(&c->pack->newton_reach[i])));
    Number over = number_max(turn / (TURN_MAX * TURN_MAX), swell / (SWELL_MAX * SWELL_MAX));
    return (Take){1.0 / number_sqrt(number_max(over, one)), own, far};
}

INLINE void move_slice(const Slices *c, int k, Number part, Number own) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Number take = chosen(own, part, splat(0.0));
    Number3 by = mul3(slice_load3(slice->step, i), take);
    Number3 turn = mul3(slice_load3(&slice->step[3], i), take);
    Number4 q = slice_load4(slice->q, i), to = quat_turned(q, turn);
    slice_store3(slice->u, i, add3(slice_load3(slice->u, i), by));
    slice_store4(slice->q, i,
                 (Number4){chosen(own, to.x, q.x), chosen(own, to.y, q.y), chosen(own, to.z, q.z),
                           chosen(own, to.w, q.w)});
    if (!c->lanes.volume)
        return;
    Number s = load(&slice->s[i]), grown = within_bounds(s + take * load(&slice->step[6][i]));
    store(&slice->s[i], chosen(own, grown, s));
}

INLINE void move_slices(const Slices *c, Number part, Number own) {
    for (int k = 0; k < c->graph->sections; ++k) {
        move_slice(c, k, part, own);
        place_members(c, k);
    }
}

// Vertices and frames go where their sections are. What is held stays where it is led.
INLINE void move_member(const Slices *c, int v, Number s, Number own) {
    RodPack *pack = c->pack;
    const int i = c->lanes.i;
    RodWork *w = pack->work + v;
    Number zero = splat(0.0), free = load_row(&pack->prepared[v].m[i]);
    Number3 u = slice_load3(pack->member[v].u, i);
    Number moves = number_if_less(zero, free, own, zero);
    store_row(&w->ux[i], chosen(moves, u.x, load_row(&w->ux[i])));
    store_row(&w->uy[i], chosen(moves, u.y, load_row(&w->uy[i])));
    store_row(&w->uz[i], chosen(moves, u.z, load_row(&w->uz[i])));
    if (!c->lanes.volume)
        return;
    moves = number_if_less(zero, load_row(&pack->prepared[v].m_scale[i]), own, zero);
    Number before = load_row(&w->ps[i]);
    store_row(&w->us[i], chosen(moves, s - before, load_row(&w->us[i])));
    store_row(&pack->state[v].s[i], chosen(moves, s, load_row(&pack->state[v].s[i])));
}

// Poses of sections, of all lanes: to be taken back.
INLINE void keep_slices(const Slices *c) {
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        const int i = c->lanes.i;
        slice_store4(slice->kept_q, i, slice_load4(slice->q, i));
        slice_store3(slice->kept_u, i, slice_load3(slice->u, i));
        store(&slice->kept_s[i], load(&slice->s[i]));
    }
}

INLINE void take_back(const Slices *c, Number some) {
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        const int i = c->lanes.i;
        for (int n = 0; n < 4; ++n)
            store(&slice->q[n][i], chosen(some, load(&slice->kept_q[n][i]), load(&slice->q[n][i])));
        for (int n = 0; n < 3; ++n)
            store(&slice->u[n][i], chosen(some, load(&slice->kept_u[n][i]), load(&slice->u[n][i])));
        store(&slice->s[i], chosen(some, load(&slice->kept_s[i]), load(&slice->s[i])));
        place_members(c, k);
    }
}

// Steps that go farther than this, as newton_reach counts, must make the energy smaller: they are halved until they do.
// So must all that follow on a first one, if they are to be followed by more.
// Whole ones would go to and fro between states that are folded in different ways, and end in any of them, with a
// thousand times the energy that there was.
#define CAREFUL 0.05
#define HALVINGS 10

APART move_carefully(const Slices *c, Take take) {
    const Number before = slice_energy(c), most = before + 1e-9 * number_max(before, -before);
    Number left = take.own, part = take.part;
    keep_slices(c);
    for (int n = 0; n < HALVINGS && number_any_less(splat(0.5), left); ++n) {
        move_slices(c, part, left);
        left = number_if_less(slice_energy(c), most, splat(0.0), left);
        take_back(c, left);
        part *= 0.5;
    }
}

// Where sections were when the sub-step began, but for those that are led.
INLINE void put_where_they_were(const Slices *c, Number some) {
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        const int i = c->lanes.i;
        Number back = some;
        for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
            Number free = load_row(&c->pack->prepared[c->graph->section_vertex[e]].m[i]);
            back = number_if_less(splat(0.0), free, back, splat(0.0));
        }
        for (int n = 0; n < 4; ++n)
            store(&slice->q[n][i], chosen(back, load(&slice->q0[n][i]), load(&slice->q[n][i])));
        for (int n = 0; n < 3; ++n)
            store(&slice->u[n][i], chosen(back, splat(0.0), load(&slice->u[n][i])));
        store(&slice->s[i], chosen(back, load(&slice->s0[i]), load(&slice->s[i])));
        place_members(c, k);
    }
}

// Where the first step goes far, velocities have taken sections where they fit together badly. Those that were better
// off where they were start again from there, in the next iteration. Says who goes on.
static Number start_lower(const Slices *c, Take take) {
    const Number far = number_if_less(splat(CAREFUL), take.far, take.own, splat(0.0));
    const Number guessed = slice_energy(c);
    keep_slices(c);
    put_where_they_were(c, far);
    const Number back = number_if_less(slice_energy(c), guessed, far, splat(0.0));
    take_back(c, far - back);
    return take.own - back;
}

INLINE void move_all(const Slices *c, DirectSolve solve) {
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    const bool answers = solve == SOLVE_ANSWER;
    if (answers && !c->pack->pushing)
        look_for_growth(c);
    Take take = part_of_step(c);
    const Number own = take.own;
    const double careful = solve == SOLVE_FIRST ? CAREFUL : (double)FAR_TURN;
    if (!answers && number_any_less(splat(careful), own * take.far)) {
        if (solve == SOLVE_FIRST)
            take.own = start_lower(c, take);
        move_carefully(c, take);
    } else {
        move_slices(c, take.part, own);
    }
    for (int k = 0; k < graph->sections; ++k) {
        Number s = load(&c->pack->slice[k].s[i]);
        if (answers && !c->pack->pushing)
            tell_section(c, k);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e)
            move_member(c, graph->section_vertex[e], s, own);
    }
    for (int k = 0; k + 1 < graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number4 mean = mean_turn_of(slice_load4(slice->q, i), slice_load4(slice[1].q, i));
        for (int e = graph->slice_begin[k]; e < graph->slice_begin[k + 1]; ++e) {
            int j = graph->slice_segment[e];
            Number4 old = newton_frame(c->pack->state + j, i);
            Number4 q = nearer_turn(old, segment_frame(c, j, mean));
            Number moves = number_if_less(splat(0.0), load_row(&c->pack->prepared[j].m_turn[i]),
                                          own, splat(0.0));
            turn_to(c->lanes, j,
                    (Number4){chosen(moves, q.x, old.x), chosen(moves, q.y, old.y),
                              chosen(moves, q.z, old.z), chosen(moves, q.w, old.w)});
        }
    }
}

// Contacts move where vertices would go alone. What comes of it is found with the factors of the last
// iteration: potentials are not looked at again.
INLINE void answer_members(const Slices *c, int k, Forces *f) {
    const RodPack *pack = c->pack;
    const RodSlice *slice = pack->slice + k;
    const int i = c->lanes.i;
    const Number by_scale = spread_of(slice, i), zero = splat(0.0);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        const RodAim *aim = pack->aim + v;
        const SliceMember *member = pack->member + v;
        Number free = load_row(&pack->prepared[v].m[i]);
        Number m = number_if_less(zero, free, load_row(&pack->rest[v].mass[i]), zero);
        Number3 off = moved_by_contacts(c, v);
        Number3 r = slice_load3(member->lever, i);
        pull_member(f, r, mul3(r, by_scale), mul3(off, m));
        if (!c->lanes.volume)
            continue;
        free = load_row(&pack->prepared[v].m_scale[i]);
        Number swell = number_if_less(zero, free, load_row(&pack->rest[v].scale_inertia[i]), zero);
        f->s += swell * moved_since(aim->us, member->aim[3], i);
    }
}

INLINE void answer_frames(const Slices *c, int k, Sides f) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    for (int e = c->graph->slice_begin[k]; e < c->graph->slice_begin[k + 1]; ++e) {
        int j = c->graph->slice_segment[e];
        const RodAim *aim = pack->aim + j;
        const SliceMember *member = pack->member + j;
        Number free = load_row(&pack->prepared[j].m_turn[i]), zero = splat(0.0);
        Number half = number_if_less(zero, free, splat(0.5), zero);
        Number across = half * load_row(&pack->rest[j].frame_inertia[i]);
        Number more = half * load_row(&pack->rest[j].spin_inertia[i]) - across;
        Number3 off = {moved_since(aim->tx, member->turn[0], i),
                       moved_since(aim->ty, member->turn[1], i),
                       moved_since(aim->tz, member->turn[2], i)};
        Number3 axis = quat_axis_z(newton_frame(pack->state + j, i));
        Number3 torque = add3(mul3(off, across), mul3(axis, more * dot3(axis, off)));
        f.a->t = add3(f.a->t, torque);
        f.b->t = add3(f.b->t, torque);
    }
}

APART answer_aims(const Slices *c) {
    const int sections = c->graph->sections;
    const Forces none = {zero3(), zero3(), splat(0.0)};
    Forces f[2] = {none, none};
    for (int k = 0; k < sections; ++k) {
        const Sides sides = {&f[k & 1], &f[~k & 1]};
        answer_members(c, k, sides.a);
        if (k + 1 < sections)
            answer_frames(c, k, sides);
        carry_down(c, k, sides.a, sides.b);
        *sides.a = none;
    }
}

// What the next answer starts from.
static void remember_aims(const RodPack *pack) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodAim *aim = pack->aim + j;
        SliceMember *member = pack->member + j;
        const PackRow *from[7] = {&aim->ux, &aim->uy, &aim->uz, &aim->us,
                                  &aim->tx, &aim->ty, &aim->tz};
        for (int n = 0; n < 7; ++n)
            memcpy(n < 4 ? member->aim[n] : member->turn[n - 4], *from[n], sizeof(PackRow));
    }
}

INLINE Slices slices_of(RodPack *pack, int i) {
    return (Slices){.lanes = newton_lanes(pack, i), .pack = pack, .graph = pack->graph};
}

// Sections start from where their vertices would (rod_newton_start_wide.c), with the turns and changes of
// scale that there were.
static void guess_motion(const Slices *c) {
    const RodPack *pack = c->pack;
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    const double h = (double)pack->prepared_h;
    for (int k = 0; k < graph->sections; ++k) {
        RodSlice *slice = pack->slice + k;
        Number3 way = zero3(), w = zero3();
        Number mass = splat(LEAST_PIVOT), swell = splat(0.0);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            int j = graph->section_vertex[e], first = sn__graph_segment_at(graph, j);
            const RodState *s = pack->state + j, *g = pack->state + first;
            const RodWork *u = pack->work + j;
            Number m = load_row(&pack->rest[j].mass[i]);
            way = add3(
                way,
                mul3((Number3){load_row(&u->ux[i]), load_row(&u->uy[i]), load_row(&u->uz[i])}, m));
            w = add3(
                w,
                mul3((Number3){load_row(&g->wx[i]), load_row(&g->wy[i]), load_row(&g->wz[i])}, m));
            swell += m * load_row(&s->vs[i]);
            mass += m;
        }
        Number by = h / mass;
        slice_store3(slice->u, i, mul3(way, 1.0 / mass));
        Number4 q = slice_load4(slice->q, i);
        slice_store4(slice->q, i, quat_turned(q, mul3(w, by)));
        if (!c->lanes.volume)
            continue;
        store(&slice->s[i], within_bounds(load(&slice->s[i]) + swell * by));
    }
}

// Squares of forces over masses: what is left of those on the centres of sections that are free, and what
// segments pull with.
static void weigh_slices(RodPack *pack, int i) {
    Slices c = slices_of(pack, i);
    Number left = splat(0.0), pulls = left, zero = left;
    c.pulls = &pulls;
    Front front;
    begin_front(&c, &front);
    for (int k = 0; k < c.graph->sections; ++k) {
        assemble_slice(&c, k, &front);
        Number3 f = front.f[k & 1].c;
        Number spread = load_row(&pack->slice[k].spread[i]);
        left += number_if_less(zero, spread, dot3(f, f), zero);
        leave_slice(k, &front);
    }
    Number by = load_row(&pack->section[0].mass[i]);
    for (int lane = 0; lane < WIDE_DOUBLE && i + lane < pack->lanes; ++lane) {
        pack->residual[0] += left[lane] * by[lane];
        pack->residual[1] += pulls[lane] * by[lane];
    }
}

void WIDE_FUNCTION(rod_slices_residual)(RodPack *pack) {
    pack->residual[0] = pack->residual[1] = 0.0;
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE)
        weigh_slices(pack, i);
}

void WIDE_FUNCTION(rod_slices)(RodPack *pack, DirectSolve solve) {
    if (solve == SOLVE_FIRST)
        WIDE_FUNCTION(rod_newton_start)(pack);
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        const Slices c = slices_of(pack, i);
        if (solve == SOLVE_FIRST)
            guess_motion(&c);
        if (solve == SOLVE_ANSWER) {
            answer_aims(&c);
            substitute_slices(&c);
        } else {
            find_step(&c);
        }
        if (pack->touched && solve != SOLVE_ANSWER)
            find_answers(&c, solve == SOLVE_FIRST);
        move_all(&c, solve);
    }
    if (pack->touched)
        remember_aims(pack);
}

void WIDE_FUNCTION(rod_slices_ties)(RodPack *pack) {
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        Slices c = slices_of(pack, i);
        answer_slice_ties(&c);
    }
}
