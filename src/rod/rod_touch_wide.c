// Between packs and knots: a row of a pack is PACK_LANES knots.
#include <assert.h>
#include <string.h>

#include "math/lanes.h"
#include "rod/slices.h"
#include "rod/touch.h"
#include "rod/wide.h"

// Contacts change a scale by at most this in a sub-step. A hard blow would flatten a soft rod before
// the rod can answer.
#define SQUEEZE_MAX 0.05f
// Of what presses on a radius of a rod that is solved directly beyond what it is used to, the rod sees this part at
// once. A contact is told how stiffly a rod holds the mean of two scales, but one scale up and the next one down
// meet a hundredth of that: with all of it, soft rods on a floor would go on trembling so.
#define SQUEEZE_SHARE 0.6f

enum { PLACE = 0, MOTION = 4, PUSH = 8, ROLL = 11, MOBILITY, RADIAL, SPIN, ROLLED, FIELDS };
_Static_assert(sizeof(Knot) == FIELDS * sizeof(float), "a knot is read as its fields");

enum { FORCE = 0, SQUEEZE = 4, FIELDS_OF_LOAD = 8 };
_Static_assert(sizeof(ContactLoad) == FIELDS_OF_LOAD * sizeof(float), "so is a load");

// Knots and loads of a row lie one behind the other.
static const int32_t in_order[PACK_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

INLINE Lanes4 frame(const PackRow *x, const PackRow *y, const PackRow *z, const PackRow *w, int i) {
    return (Lanes4){load(&(*x)[i]), load(&(*y)[i]), load(&(*z)[i]), load(&(*w)[i])};
}

// The turn since the start of the sub-step, about the segment's own axis.
INLINE Lanes roll_of(const RodState *s, const RodWork *u, int i) {
    Lanes4 q = frame(&s->qx, &s->qy, &s->qz, &s->qw, i);
    Lanes4 old = frame(&u->pqx, &u->pqy, &u->pqz, &u->pqw, i);
    Lanes4 turn = quat_mul(quat_conjugate(old), q);
    return 2.0f * lanes_flip_by(turn.z, turn.w);
}

// What is not a number is left out.
INLINE Lanes sane(Lanes x) { return lanes_if_less(lanes_abs(x), splat(1e30f), x, splat(0.0f)); }

// The new value; the old one where that is not a number, so that it is found (substep.c).
INLINE Lanes unless_lost(Lanes old, Lanes fresh) {
    return lanes_if_less(lanes_abs(old), splat(1e30f), fresh, old);
}

// q turned about its own axis by the small angle 2 half.
INLINE void turn_about_axis(RodState *s, int i, Lanes half) {
    half = lanes_clamp(half, -0.25f, 0.25f);
    Lanes c = 1.0f + half * half * (0.375f * half * half - 0.5f);
    Lanes4 q = frame(&s->qx, &s->qy, &s->qz, &s->qw, i);
    store(&s->qx[i], c * (q.x + q.y * half));
    store(&s->qy[i], c * (q.y - q.x * half));
    store(&s->qz[i], c * (q.z + q.w * half));
    store(&s->qw[i], c * (q.w - q.z * half));
}

// Where a vertex of a rod that is solved directly is held, contacts leave its radius alone. They would squeeze it until
// it fits, and as the volume stays, the next one would swell, and every other one after it.
INLINE Lanes unless_held(const RodPack *pack, int j, int i, Lanes x) {
    return pack->aim ? lanes_if_less(splat(0.0f), load(&pack->prepared[j].m[i]), x, splat(0.0f))
                     : x;
}

INLINE void add_to(float *row, float *more, Lanes by) {
    by = sane(by);
    store(row, load(row) + by);
    store(more, by);
}

// Of packs that are solved directly, contacts move the aim; the next iteration finds where the whole
// rod goes. A vertex that is moved while its neighbours stay would be a strain, and in a stiff rod
// more energy than the blow had. For the same reason overlaps are pushed out later (push.c). A scale is moved by what the impulse would do to it alone (prepare_radial).
INLINE void move_aim(RodPack *pack, int j, int i, Lanes3 by, Lanes swell, Lanes half) {
    RodAim *aim = pack->aim + j;
    RodState *s = pack->state + j;
    const RodPrepared *p = pack->prepared + j;
    Lanes r = load(&pack->rest[j].radius[i]);
    Lanes alone = r * r * load(&p->m_scale[i]) / lanes_max(load(&p->radial[i]), splat(1e-30f));
    add_to(&aim->ux[i], &aim->more_x[i], by.x);
    add_to(&aim->uy[i], &aim->more_y[i], by.y);
    add_to(&aim->uz[i], &aim->more_z[i], by.z);
    add_to(&aim->us[i], &aim->more_s[i], SQUEEZE_SHARE * alone * swell);
    Lanes3 axis = quat_axis_z(frame(&s->qx, &s->qy, &s->qz, &s->qw, i));
    Lanes roll = 2.0f * lanes_clamp(half, -0.25f, 0.25f);
    add_to(&aim->tx[i], &aim->more_tx[i], roll * axis.x);
    add_to(&aim->ty[i], &aim->more_ty[i], roll * axis.y);
    add_to(&aim->tz[i], &aim->more_tz[i], roll * axis.z);
}

// Contacts take it that radii have seen nothing of the forces that they start from. Those of packs that are solved
// directly have, as their whole answer to it is known in the sub-step; it is taken off again when they are asked
// how they move (rod_to_knots).
INLINE void squeeze(RodPack *pack, int j, int i, Lanes by) {
    const RodPrepared *p = pack->prepared + j;
    by = unless_held(pack, j, i, by);
    float *us = &pack->work[j].us[i];
    store(us, load(us) + sane(-load(&p->m_scale[i]) * load(&p->radius[i]) * by));
    store(&pack->aim[j].seen[i], sane(load(&p->radial[i]) * by));
}

void WIDE_FUNCTION(rod_load)(RodPack *pack, ContactLoad *loads) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        RodWork *u = pack->work + j;
        const RodPrepared *p = pack->prepared + j;
        ContactLoad *row = loads + pack->knots + j * PACK_LANES;
        const float *from = (const float *)row;
        for (int i = 0; i < pack->lanes; i += WIDE) {
            const float *here = from + i * FIELDS_OF_LOAD;
            Lanes force[4]; // and the roll
            gather_fours(here + FORCE, FIELDS_OF_LOAD, in_order, force);
            Lanes m = load(&p->m[i]);
            store(&u->ux[i], load(&u->ux[i]) + m * force[0]);
            store(&u->uy[i], load(&u->uy[i]) + m * force[1]);
            store(&u->uz[i], load(&u->uz[i]) + m * force[2]);
            turn_about_axis(s, i, load(&p->m_roll[i]) * force[3]);
            if (pack->aim && !pack->classic) {
                Lanes rest[4];
                gather_fours(here + SQUEEZE, FIELDS_OF_LOAD, in_order, rest);
                squeeze(pack, j, i, rest[0]);
            }
        }
        // Not lane by lane, as they are read: clang 14 for WebAssembly has a load that fills a vector
        // take place after stores that follow it in the same block, and would read zeros.
        memset(row, 0, PACK_LANES * sizeof *row);
    }
}

// As a part of 1/mass: how far contacts are told that a vertex goes (slice_gives.h).
INLINE Lanes told_of(const RodPack *pack, int j, int i) {
    return pack->slice ? load(&pack->member[j].told[i]) : splat(1.0f);
}

INLINE Lanes length3(Lanes3 v) { return lanes_sqrt(dot3(v, v)); }

void WIDE_FUNCTION(rod_to_knots)(const RodPack *pack, Knot *knots, KnotWays ways, bool first) {
    assert(pack->knots > 0);
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        const RodWork *u = pack->work + j;
        const RodPrepared *p = pack->prepared + j;
        int knot = pack->knots + j * PACK_LANES;
        float *to = (float *)&knots[knot];
        for (int i = 0; i < pack->lanes; i += WIDE) {
            Lanes rest = load(&pack->prepared[j].radius[i]), scale = load(&s->s[i]);
            Lanes start = pack->classic ? scale : load(&u->ps[i]);
            Lanes roll = roll_of(s, u, i);
            Lanes3 motion = {load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
            Lanes growth = sane((scale - start) * rest);
            if (first && pack->aim && !pack->classic)
                growth += load(&pack->aim[j].seen[i]);
            growth = unless_held(pack, j, i, growth);
            // Who left the range of float is a wall to others until it is put back (substep.c).
            Lanes sum = motion.x + motion.y + motion.z + scale + roll;
            Lanes mobile = lanes_if_less(lanes_abs(sum), splat(1e30f), splat(1.0f), splat(0.0f));
            float *here = to + i * FIELDS;
            if (first) {
                const Lanes place[4] = {load(&s->x[i]), load(&s->y[i]), load(&s->z[i]),
                                        start * rest};
                scatter_fours(here + PLACE, FIELDS, in_order, WIDE, place);
            }
            motion = (Lanes3){sane(motion.x), sane(motion.y), sane(motion.z)};
            store(&ways.ahead[knot + i],
                  load(&ways.gone[knot + i]) + (length3(motion) + lanes_abs(growth)));
            const Lanes motions[4] = {motion.x, motion.y, motion.z, growth};
            scatter_fours(here + MOTION, FIELDS, in_order, WIDE, motions);
            Lanes push[4] = {splat(0.0f), splat(0.0f), splat(0.0f)}; // and the roll
            if (!first)
                gather_fours(here + PUSH, FIELDS, in_order, push);
            push[ROLL - PUSH] = sane(roll);
            scatter_fours(here + PUSH, FIELDS, in_order, WIDE, push);
            const Lanes mobility[4] = {mobile * told_of(pack, j, i) * load(&p->m[i]),
                                       unless_held(pack, j, i, mobile * load(&p->radial[i])),
                                       mobile * 2.0f * load(&p->m_roll[i]), sane(roll)};
            scatter_fours(here + MOBILITY, FIELDS, in_order, WIDE, mobility);
        }
    }
}

// What contacts did to the scale, within bounds.
INLINE Lanes swell_of(const RodPack *pack, int j, int i, Lanes motion) {
    Lanes rest = load(&pack->prepared[j].radius[i]);
    Lanes before = (load(&pack->state[j].s[i]) - load(&pack->work[j].ps[i])) * rest;
    Lanes by = (motion - before) / lanes_max(rest, splat(1e-6f));
    return unless_held(pack, j, i, lanes_clamp(sane(by), -SQUEEZE_MAX, SQUEEZE_MAX));
}

void WIDE_FUNCTION(rod_from_knots)(RodPack *pack, const Knot *knots, KnotWays ways, bool last) {
    for (int j = 0; j <= pack->rows; ++j) {
        RodState *s = pack->state + j;
        RodWork *u = pack->work + j;
        int knot = pack->knots + j * PACK_LANES;
        const float *from = (const float *)&knots[knot];
        for (int i = 0; i < pack->lanes; i += WIDE) {
            const float *here = from + i * FIELDS;
            Lanes motions[4], pushes[4],
                mobility[4]; // behind them growth, roll and the roll before
            gather_fours(here + MOTION, FIELDS, in_order, motions);
            gather_fours(here + PUSH, FIELDS, in_order, pushes);
            gather_fours(here + MOBILITY, FIELDS, in_order, mobility);
            Lanes3 motion = {motions[0], motions[1], motions[2]};
            Lanes3 old = {load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
            Lanes half = 0.5f * sane(pushes[ROLL - PUSH] - mobility[ROLLED - MOBILITY]);
            Lanes swell = splat(0.0f);
            if (!pack->classic)
                swell = swell_of(pack, j, i, motions[3]);
            Lanes3 push = {sane(pushes[0]), sane(pushes[1]), sane(pushes[2])};
            if (last) {
                Lanes way = length3(motion) + length3(push) + lanes_abs(motions[3]);
                store(&ways.gone[knot + i], load(&ways.gone[knot + i]) + way);
            }
            if (pack->aim) {
                // What it was told the impulse does, back to what that would do to the vertex alone.
                Lanes3 by = mul3(sub3(motion, old), 1.0f / told_of(pack, j, i));
                move_aim(pack, j, i, by, swell, half);
                continue;
            }
            store(&u->ux[i], unless_lost(old.x, motion.x));
            store(&u->uy[i], unless_lost(old.y, motion.y));
            store(&u->uz[i], unless_lost(old.z, motion.z));
            if (!pack->classic)
                store(&s->s[i], lanes_clamp(load(&s->s[i]) + swell, SCALE_MIN, SCALE_MAX));
            turn_about_axis(s, i, half);
            if (!last)
                continue;
            store(&s->x[i], load(&s->x[i]) + push.x);
            store(&s->y[i], load(&s->y[i]) + push.y);
            store(&s->z[i], load(&s->z[i]) + push.z);
        }
    }
}
