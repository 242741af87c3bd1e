// How an iteration of Newton's method moves the vertices and frames of a pack. Included by the files
// of the method only.
#pragma once

#include "rod/newton.h"

INLINE void turn_to(NewtonLanes c, int j, Number4 q) {
    RodState *s = c.pack->state + j;
    store_row(&s->qx[c.i], q.x);
    store_row(&s->qy[c.i], q.y);
    store_row(&s->qz[c.i], q.z);
    store_row(&s->qw[c.i], q.w);
}

// Its scale has grown by this much since the start of the sub-step.
INLINE void move_vertex_to(NewtonLanes c, int j, Number3 to, Number grown) {
    RodState *s = c.pack->state + j;
    RodWork *u = c.pack->work + j;
    store_row(&u->ux[c.i], to.x);
    store_row(&u->uy[c.i], to.y);
    store_row(&u->uz[c.i], to.z);
    if (!c.volume)
        return;
    Number before = load_row(&u->ps[c.i]);
    grown = number_max(number_min(grown, SCALE_MAX - before), SCALE_MIN - before);
    store_row(&u->us[c.i], grown);
    store_row(&s->s[c.i], before + grown);
}

INLINE Number chosen(Number yes, Number a, Number b) {
    return number_if_less(splat(0.5f), yes, a, b);
}

// Whether some of these lanes are for this kind of numbers. The others are left alone.
INLINE bool any_own(const RodPack *pack, int i) {
    for (int lane = i; lane < i + NUMBER_LANES && lane < pack->lanes; ++lane)
        if (pack->lane[lane].body != 0 && (pack->precise[lane] > 0.5f) == (NEWTON_DOUBLE != 0))
            return true;
    return false;
}

// What an iteration asks of vertex and frame j.
typedef struct NewtonStep {
    Number3 by, turn;
    Number swell;
} NewtonStep;

// How much of the step is taken, by which lanes (a pack may have some for float and some for double),
// and what is added to it.
typedef struct NewtonPart {
    Number part, own;
    Number3 shift;
} NewtonPart;

INLINE void move_by(NewtonLanes c, int j, NewtonStep step, NewtonPart take) {
    const RodState *s = c.pack->state + j;
    const NewtonVertex from = newton_vertex(c.pack->work + j, c.i, c.volume);
    const Number4 p = newton_frame(s, c.i);
    if (!NEWTON_DOUBLE && c.loose) {
        Number zero = splat(0.0f), m = load_row(&c.pack->prepared[j].m[c.i]);
        step.by = (Number3){step.by.x + number_if_less(zero, m, take.shift.x, zero),
                            step.by.y + number_if_less(zero, m, take.shift.y, zero),
                            step.by.z + number_if_less(zero, m, take.shift.z, zero)};
    }
    Number3 to = add3(from.u, mul3(step.by, take.part));
    Number was = c.volume ? load_row(&c.pack->work[j].us[c.i]) : splat(0.0f), grown = was;
    if (c.volume)
        grown += step.swell * take.part;
    Number4 q = newton_turn(p, mul3(step.turn, take.part));
    // Who does not move keeps all bits: rods do not feel how others are solved, nor how often.
    if (c.pack->newton_again || c.pack->newton_lost ||
        (c.pack->precise_lanes > 0 && c.pack->rough_lanes > 0)) {
        to = (Number3){chosen(take.own, to.x, from.u.x), chosen(take.own, to.y, from.u.y),
                       chosen(take.own, to.z, from.u.z)};
        grown = chosen(take.own, grown, was);
        q = (Number4){chosen(take.own, q.x, p.x), chosen(take.own, q.y, p.y),
                      chosen(take.own, q.z, p.z), chosen(take.own, q.w, p.w)};
    }
    move_vertex_to(c, j, to, grown);
    turn_to(c, j, q);
}

// No frame turns by more than this in an iteration, and no scale changes by more than that part.
#define TURN_MAX 0.5f
#define SWELL_MAX 0.5f

// What is learned of all steps: the largest of all turns and relative changes of scales, squared; and
// of rods of which nothing is held, how far they leave the centre of mass from where it would go alone.
typedef struct NewtonReach {
    Number turn, swell;
    Number3 missed; // × mass
    Number mass;
} NewtonReach;

INLINE NewtonReach no_reach(void) {
    Number zero = splat(0.0f);
    return (NewtonReach){zero, zero, {zero, zero, zero}, zero};
}

INLINE void reach(NewtonReach *most, NewtonLanes c, int j, NewtonStep step, Number mass) {
    most->turn = number_max(dot3(step.turn, step.turn), most->turn);
    if (!NEWTON_DOUBLE && c.loose) {
        NewtonVertex v = newton_vertex(c.pack->work + j, c.i, c.volume);
        Number3 to = newton_aim(c.pack->aim + j, c.i);
        most->missed = add3(most->missed, mul3(sub3(sub3(to, v.u), step.by), mass));
        most->mass += mass;
    }
    if (!c.volume)
        return;
    // Of the larger one of before and after: what doubles goes as far as what halves.
    Number s = load_row(&c.pack->state[j].s[c.i]);
    Number by = step.swell / number_max(s, s + step.swell);
    most->swell = number_max(by * by, most->swell);
}

// Says how far each lane goes. Nothing within a rod moves its centre of mass. Float would do so a little, so what it has missed is
// put right, where nothing is held.
// Where the matrix has a negative pivot, the step would be to no minimum: such lanes stay, and are solved again
// without prestress.
INLINE NewtonPart part_to_take(NewtonLanes c, NewtonReach most, Number least) {
    Number one = splat(1.0f), precise = load_row(&c.pack->precise[c.i]);
    Number own =
        load_row(&c.pack->newton_moves[c.i]) * (NEWTON_DOUBLE ? precise : (Number)(1.0f - precise));
    Number zero = splat(0.0f), plain = load_row(&c.pack->newton_plain[c.i]);
    Number lost = number_if_less(least, zero, own * (one - plain), zero);
    own -= lost;
    Number steady = load_row(&c.pack->newton_steady[c.i]);
    store_row(&c.pack->newton_plain[c.i], plain + lost * steady);
    store_row(&c.pack->newton_steady[c.i], steady + lost * (one - steady));
    for (int lane = 0; lane < NUMBER_LANES; ++lane)
        c.pack->newton_lost |= lost[lane] > 0.5f;
    Number far = number_sqrt(number_max(most.turn, most.swell));
    store_row(&c.pack->newton_reach[c.i], chosen(own, far, load_row(&c.pack->newton_reach[c.i])));
    Number over =
        number_max(most.turn / (TURN_MAX * TURN_MAX), most.swell / (SWELL_MAX * SWELL_MAX));
    Number by_mass = one / number_if_less(zero, most.mass, most.mass, one);
    Number loose = load_row(&c.pack->loose[c.i]), half = splat(0.5f);
    return (NewtonPart){.part = 1.0f / number_sqrt(number_max(over, one)),
                        .own = own,
                        .shift = {number_if_less(half, loose, most.missed.x * by_mass, zero),
                                  number_if_less(half, loose, most.missed.y * by_mass, zero),
                                  number_if_less(half, loose, most.missed.z * by_mass, zero)}};
}
