// Between two passes over contacts of bodies that are solved as a whole: what the last pass has changed goes on by
// a part of it (Polyak's heavy ball).
//
// A contact moves points by their own masses, and the body then shares that with all of itself. So every pass
// corrects the same part of what is left, 1/κ of it, κ being how much heavier the body is than its point: 8 for a
// muscle of eight fibres. With a part of the last change on top, it is about 1/√κ. What is found in the end is the
// same.
#include <assert.h>

#include "collide/contact_change.h"

// Multipliers of a lane, and by how much they go on.
typedef struct Onward {
    Lanes to, to_1, to_2;
    Lanes by, by_1, by_2;
} Onward;

// Nothing pulls, and friction stays within its cone. What does not press any more, and what is not to go on, is left
// alone, whatever numbers there are.
INLINE Onward go_on(const ContactBatch *batch, int i, float part) {
    Lanes mu = load(&batch->mu_normal[i]), mu_1 = load(&batch->mu_1[i]),
          mu_2 = load(&batch->mu_2[i]), zero = splat(0.0f);
    Lanes share = lanes_if_less(zero, mu, part * load(&batch->whole[i]), zero);
    Lanes to = lanes_max(mu + share * (mu - load(&batch->was_normal[i])), zero);
    Lanes to_1 = mu_1 + share * (mu_1 - load(&batch->was_1[i]));
    Lanes to_2 = mu_2 + share * (mu_2 - load(&batch->was_2[i]));
    Lanes most = load(&batch->static_friction[i]) * to;
    Lanes size = lanes_max(lanes_sqrt(to_1 * to_1 + to_2 * to_2), splat(NARROW_TINIEST));
    Lanes within = lanes_min(most / size, splat(1.0f));
    Onward on = {.to = lanes_if_less(zero, share, to, mu),
                 .to_1 = lanes_if_less(zero, share, within * to_1, mu_1),
                 .to_2 = lanes_if_less(zero, share, within * to_2, mu_2)};
    on.by = lanes_if_less(zero, share, on.to - mu, zero);
    on.by_1 = lanes_if_less(zero, share, on.to_1 - mu_1, zero);
    on.by_2 = lanes_if_less(zero, share, on.to_2 - mu_2, zero);
    return on;
}

INLINE void accelerate(ContactBatch *batch, Knot *knots, int i, float part) {
    Onward on = go_on(batch, i, part);
    store(&batch->mu_normal[i], on.to);
    store(&batch->mu_1[i], on.to_1);
    store(&batch->mu_2[i], on.to_2);
    Lanes active = lanes_abs(on.by) + lanes_abs(on.by_1) + lanes_abs(on.by_2), zero = splat(0.0f);
    if (!lanes_any_less(zero, active))
        return;
    LaneContact c = contact_again(batch, knots, i);
    Lanes3 n = c.pair.normal;
    Lanes3 t1 = {load(&batch->along_x[i]), load(&batch->along_y[i]), load(&batch->along_z[i])};
    Lanes3 impulse = add3(mul3(n, on.by), add3(mul3(t1, on.by_1), mul3(cross3(n, t1), on.by_2)));
    int count = batch->count - i < WIDE ? batch->count - i : WIDE;
    Touched touched = {.count = count,
                       .active = active,
                       .pressed = lanes_less(zero, active) & ((1u << count) - 1)};
    const Lanes3 push = {zero, zero, zero};
    Change change_a = {impulse, on.by, load(&batch->lever_a[i]) * on.by_1, push};
    scatter_side(knots, batch->a + i, batch->a1 + i, batch->a2 + i, &touched, &c.a, c.pair.t,
                 &change_a);
    if (batch->kind != CONTACT_PAIR)
        return;
    Lanes roll = load(&batch->lever_b1[i]) * on.by_1 + load(&batch->lever_b2[i]) * on.by_2;
    Change change_b = {mul3(impulse, splat(-1.0f)), on.by, roll, push};
    scatter_side(knots, batch->b + i, batch->b1 + i, batch->b2 + i, &touched, &c.b, c.pair.u,
                 &change_b);
}

void WIDE_FUNCTION(contact_accelerate)(ContactBatch *batch, Knot *knots, float part) {
    assert(!batch->general && batch->count <= KNOT_ROW && part >= 0.0f && part < 1.0f);
    for (int i = 0; i < batch->count; i += WIDE) {
        if (part > 0.0f && (batch->kept >> i & 1))
            accelerate(batch, knots, i, part);
        store(&batch->was_normal[i], load(&batch->mu_normal[i]));
        store(&batch->was_1[i], load(&batch->mu_1[i]));
        store(&batch->was_2[i], load(&batch->mu_2[i]));
    }
}
