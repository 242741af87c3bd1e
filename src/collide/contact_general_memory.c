// What general contacts hand on to the next sub-step and to the next step.
#include "collide/contact_general.h"
#include "math/vec.h"

void sn__general_settle(const ContactList *list, ContactBatch *batch, float h) {
    float by_h = 1.0f / h;
    for (int i = 0; i < batch->count; ++i) {
        const ContactGeneral *g = sn__general_of(list, batch->origin[i]);
        float mu_1 = batch->mu_1[i], mu_2 = batch->mu_2[i];
        batch->warm_normal[i] = g->next_normal;
        batch->warm_1[i] = g->next_1;
        batch->warm_2[i] = g->next_2;
        batch->sum_normal[i] += by_h * batch->mu_normal[i];
        batch->sum_friction[i] += by_h * sqrtf(mu_1 * mu_1 + mu_2 * mu_2);
    }
}

static void add_force(float out[3], Vec3d v) {
    out[0] += (float)v.x;
    out[1] += (float)v.y;
    out[2] += (float)v.z;
}

static void spread(const ContactSide *s, Vec3d load, float normal, float roll, ContactLoad *loads,
                   KnotTurn *turns) {
    for (int k = 0; k < s->count; ++k) {
        add_force(loads[s->knot[k]].force, scaled(load, (double)s->weight[k]));
        loads[s->knot[k]].squeeze += s->weight[k] * normal;
    }
    if (s->roll != 0)
        loads[s->roll].roll += roll;
    for (int c = 0; c < 3 && s->turn != 0; ++c)
        turns[s->turn].load[c] += s->torque[c];
}

void sn__general_spread(const ContactList *list, const ContactBatch *batch, ContactLoad *loads,
                        KnotTurn *turns) {
    for (int i = 0; i < batch->count; ++i) {
        if (!(batch->warm_normal[i] > 0.0f))
            continue;
        const ContactGeneral *g = sn__general_of(list, batch->origin[i]);
        Vec3d load = {(double)batch->load_x[i], (double)batch->load_y[i], (double)batch->load_z[i]};
        float normal = batch->warm_normal[i];
        spread(&g->side[0], load, normal, batch->load_roll_a[i], loads, turns);
        if (batch->kind == CONTACT_PAIR)
            spread(&g->side[1], scaled(load, -1.0), normal, batch->load_roll_b[i], loads, turns);
    }
}

void sn__general_remember(const ContactList *list, int seed, ContactMemory *memory) {
    const ContactGeneral *g = sn__general_of(list, seed);
    for (int c = 0; c < 3; ++c) {
        memory->torque_a[c] = g->side[0].torque[c];
        memory->torque_b[c] = g->side[1].torque[c];
    }
}

void sn__general_recall(const ContactList *list, int seed, const ContactMemory *memory) {
    ContactGeneral *g = sn__general_of(list, seed);
    for (int c = 0; c < 3; ++c) {
        g->side[0].torque[c] = memory->torque_a[c];
        g->side[1].torque[c] = memory->torque_b[c];
    }
    const float place[2] = {memory->t, memory->u};
    for (int k = 0; k < 2; ++k)
        if (g->side[k].along) {
            g->side[k].weight[0] = 1.0f - place[k];
            g->side[k].weight[1] = place[k];
        }
}
