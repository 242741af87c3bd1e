// What a batch of contacts learns of a sub-step: the forces that the next one starts from (ContactMemory).
#include <assert.h>

#include "collide/contact_lanes.h"
#include "collide/contact_rules.h"

// Nothing is learned of a blow that is given back: it is over when the sub-step is.
INLINE Lanes gain_of(const ContactBatch *batch, int i, float gain) {
    ContactRow gains;
    for (int k = 0; k < WIDE; ++k)
        gains[k] = batch->struck >> (i + k) & 1 ? 0.0f : gain;
    return batch->struck ? load(gains) : splat(gain);
}

INLINE Lanes where_pressed(Lanes pressed, Lanes a) {
    return lanes_if_less(splat(0.0f), pressed, a, splat(0.0f));
}

// Lanes in which nothing presses learn nothing, also where a body is lost and no number is one: who shares the vector
// with them depends on the instruction set.
INLINE void learn(ContactBatch *batch, int i, bool told) {
    Lanes gain = gain_of(batch, i, told ? WARM_GAIN_TOLD : WARM_GAIN);
    if (told)
        gain *= 1.0f + load(&batch->whole[i]) * (WARM_GAIN_WHOLE / WARM_GAIN_TOLD - 1.0f);
    Lanes gain_across = gain_of(batch, i, told ? WARM_FRICTION_GAIN_TOLD : WARM_FRICTION_GAIN);
    Lanes pressed = load(&batch->mu_normal[i]), before = load(&batch->warm_normal[i]);
    Lanes warm = lanes_min(pressed, before + gain * (pressed - before));
    Lanes old_1 = load(&batch->warm_1[i]), old_2 = load(&batch->warm_2[i]);
    Lanes w1 = old_1 + gain_across * (load(&batch->mu_1[i]) - old_1);
    Lanes w2 = old_2 + gain_across * (load(&batch->mu_2[i]) - old_2);
    Lanes most = load(&batch->static_friction[i]) * warm, size = lanes_sqrt(w1 * w1 + w2 * w2);
    Lanes within = lanes_min(splat(1.0f), most / lanes_max(size, splat(NARROW_TINIEST)));
    warm = where_pressed(pressed, warm);
    w1 = where_pressed(pressed, w1 * within);
    w2 = where_pressed(pressed, w2 * within);
    Lanes3 n = {load(&batch->normal_x[i]), load(&batch->normal_y[i]), load(&batch->normal_z[i])};
    Lanes3 t1 = {load(&batch->along_x[i]), load(&batch->along_y[i]), load(&batch->along_z[i])};
    Lanes3 t2 = cross3(n, t1);
    store(&batch->warm_normal[i], warm);
    store(&batch->warm_1[i], w1);
    store(&batch->warm_2[i], w2);
    store(&batch->load_t[i], load(&batch->t[i]));
    store(&batch->load_u[i], load(&batch->u[i]));
    store(&batch->load_x[i], n.x * warm + t1.x * w1 + t2.x * w2);
    store(&batch->load_y[i], n.y * warm + t1.y * w1 + t2.y * w2);
    store(&batch->load_z[i], n.z * warm + t1.z * w1 + t2.z * w2);
    store(&batch->load_roll_a[i], load(&batch->lever_a[i]) * w1);
    store(&batch->load_roll_b[i], load(&batch->lever_b1[i]) * w1 + load(&batch->lever_b2[i]) * w2);
}

void WIDE_FUNCTION(contact_learn)(ContactBatch *batch, float h, bool told) {
    assert(!batch->general && h > 0.0f);
    Lanes by_h = splat(1.0f / h);
    for (int i = 0; i < batch->count; i += WIDE) {
        Lanes mu_1 = load(&batch->mu_1[i]), mu_2 = load(&batch->mu_2[i]);
        Lanes rubbed = lanes_sqrt(mu_1 * mu_1 + mu_2 * mu_2);
        store(&batch->sum_normal[i],
              load(&batch->sum_normal[i]) + by_h * load(&batch->mu_normal[i]));
        store(&batch->sum_friction[i], load(&batch->sum_friction[i]) + by_h * rubbed);
        learn(batch, i, told);
    }
}
