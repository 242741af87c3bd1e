// What contacts with restitution are to give back, before any contact has moved anything.
//
// Newton's law for all contacts of an impact at once, as Moreau put it: with w = n·(u_a − u_b) before
// it and w' after it, every one that presses leaves with w' = −e w. An impact of impulses J changes
// the kinetic energy by Σ ½ J (w + w'), which no contact can make positive, however they are
// connected. That takes a w of the same moment for all of them, the one before the first pass, and
// holds for those that part as well: what is struck while it leaves may come back as fast.
#include <assert.h>

#include "collide/contact_lanes.h"
#include "collide/contact_rules.h"

// How far a side would come at the point that touches, if nothing acted on it.
INLINE Lanes3 pace_of(const KnotPace *paces, const int32_t *first, const int32_t *second,
                      const LaneSide *side, Lanes t) {
    ContactRow rows[2][3] = {0};
    for (int k = 0; k < WIDE; ++k)
        for (int c = 0; c < 3; ++c) {
            rows[0][c][k] = paces[first[k]].by[c];
            rows[1][c][k] = paces[second[k]].by[c];
        }
    Lanes3 a = {load(rows[0][0]), load(rows[0][1]), load(rows[0][2])};
    Lanes3 b = {load(rows[1][0]), load(rows[1][1]), load(rows[1][2])};
    Lanes3 free = mix3(a, b, t), led = mix3(side->first.motion, side->second.motion, t);
    Lanes mobility = side->first.mobility + side->second.mobility, zero = splat(0.0f);
    return (Lanes3){lanes_if_less(zero, mobility, free.x, led.x),
                    lanes_if_less(zero, mobility, free.y, led.y),
                    lanes_if_less(zero, mobility, free.z, led.z)};
}

INLINE Lanes gains_of(const KnotPace *paces, const int32_t *a, const int32_t *b) {
    ContactRow row;
    for (int k = 0; k < WIDE; ++k) {
        float first = paces[a[k]].gains, second = paces[b[k]].gains;
        row[k] = first > second ? first : second;
    }
    return load(row);
}

// How far the two sides leave each other. They do so from where they are, not from where they would
// hit, and there they were slower by what forces do on the way: had they gone it, they would be given
// back e² of that as well.
INLINE Lanes leaving(const ContactBatch *batch, const ContactPass *pass, const LaneContact *c,
                     int i, Lanes approach) {
    Lanes3 a = pace_of(pass->paces, batch->a1 + i, batch->a2 + i, &c->a, c->pair.t);
    Lanes3 b = pace_of(pass->paces, batch->b1 + i, batch->b2 + i, &c->b, c->pair.u);
    Lanes3 drift = {load(&batch->drift_x[i]), load(&batch->drift_y[i]), load(&batch->drift_z[i])};
    Lanes before = -dot3(c->pair.normal, sub3(sub3(a, b), drift)), zero = splat(0.0f);
    Lanes gained = lanes_max(approach - before, zero), e = load(&batch->restitution[i]);
    Lanes back =
        e *
        lanes_max(approach - gains_of(pass->paces, batch->a1 + i, batch->b1 + i) * gained, zero);
    Lanes way = lanes_max(c->pair.gap, zero), lost = 2.0f * (1.0f - e * e) * gained * way;
    return lanes_sqrt(lanes_max(back * back - lost, zero));
}

void WIDE_FUNCTION(contact_rebound)(ContactBatch *batch, const Knot *knots,
                                    const ContactPass *pass) {
    assert(!batch->general && batch->bouncy && batch->count <= KNOT_ROW && pass->h > 0.0f);
    batch->rebound = 0.0f;
    batch->hits = 0;
    Lanes zero = splat(0.0f);
    for (int i = 0; i < batch->count; i += WIDE) {
        LaneContact c = contact_at(batch, knots, i, batch->kind == CONTACT_SOLID);
        Lanes e = load(&batch->restitution[i]);
        Lanes approach = -dot3(c.pair.normal, c.slip), speed = approach * (1.0f / pass->h);
        Lanes leaves = leaving(batch, pass, &c, i, approach);
        Lanes bounce = lanes_if_less(splat(pass->bounce_speed), speed, leaves, zero);
        bounce = lanes_if_less(zero, load(&batch->warm_normal[i]), zero, bounce);
        Lanes parts = lanes_max(e * approach, -PART_MOST * c.radii);
        store(&batch->bounce[i], lanes_if_less(approach, zero, parts, bounce));
        Lanes meets = lanes_max(c.pair.gap, zero) + c.closing;
        Lanes hit = lanes_if_less(meets, zero, bounce, zero);
        for (int k = 0; k < WIDE && i + k < batch->count; ++k)
            batch->hits |= (uint16_t)(hit[k] > 0.0f ? 1u << (i + k) : 0u);
        float most = greatest(hit / c.radii, batch->count - i);
        batch->rebound = most > batch->rebound ? most : batch->rebound;
    }
}
