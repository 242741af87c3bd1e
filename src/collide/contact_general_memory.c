// What general contacts hand on to the next sub-step and to the next step.
#include "collide/contact_general.h"
#include "math/vec.h"

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

static void add_force(float out[3], Vec3d v) {
    out[0] += (float)v.x;
    out[1] += (float)v.y;
    out[2] += (float)v.z;
}

// Moves a side from what the sub-step has started with, `old` at `t` of a pill, to the same force where it acts now.
static void bring_side(const ContactSide *s, const ContactRun *run, Vec3d old, Vec3d now, double t,
                       double roll) {
    const double before[2] = {1.0 - t, t};
    for (int k = 0; k < s->count; ++k) {
        Knot *knot = &run->knots[s->knot[k]];
        double w = (double)s->weight[k], was = s->along ? before[k] : w;
        add_force(knot->motion,
                  scaled(subd(scaled(now, w), scaled(old, was)), (double)knot->mobility));
    }
    if (s->turn != 0) {
        KnotTurn *turn = &run->turns[s->turn];
        Vec3d torque = subd(crossd(vec(s->arm), now), vec(s->torque));
        add_force(turn->turn, sn__turned_by(turn, torque));
    }
    if (s->roll != 0)
        run->knots[s->roll].roll += (float)((double)run->knots[s->roll].spin * roll);
}

void sn__general_bring_along(const ContactBatch *batch, int i, const ContactGeneral *g,
                             const ContactRun *run) {
    const ContactSide *a = &g->side[0], *b = &g->side[1];
    Vec3d n = {(double)batch->normal_x[i], (double)batch->normal_y[i], (double)batch->normal_z[i]};
    Vec3d old = {(double)batch->load_x[i], (double)batch->load_y[i], (double)batch->load_z[i]};
    Vec3d t1, t2, now = scaled(n, (double)batch->warm_normal[i]);
    sn__general_across(n, &t1, &t2);
    now = addd(now, scaled(t1, (double)batch->warm_1[i]));
    now = addd(now, scaled(t2, (double)batch->warm_2[i]));
    bring_side(a, run, old, now, (double)batch->load_t[i],
               dotd(vec(a->lever), now) - (double)batch->load_roll_a[i]);
    if (batch->kind == CONTACT_PAIR)
        bring_side(b, run, scaled(old, -1.0), scaled(now, -1.0), (double)batch->load_u[i],
                   dotd(vec(b->lever), now) - (double)batch->load_roll_b[i]);
}

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
