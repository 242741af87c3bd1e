// General contacts of bodies that are solved as a whole, between two passes: what the last one has changed goes on by a
// part of it, as in contact_accelerate_wide.c.
#include "collide/contact_general.h"

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

static void add3(float out[3], Vec3d v) {
    out[0] += (float)v.x;
    out[1] += (float)v.y;
    out[2] += (float)v.z;
}

// What an impulse × h does to one side. Sides of several knots add up where these coincide.
static void move(const ContactSide *s, const ContactRun *run, Vec3d impulse, double normal) {
    for (int k = 0; k < s->count; ++k) {
        Knot *knot = &run->knots[s->knot[k]];
        double w = (double)s->weight[k];
        add3(knot->motion, scaled(impulse, w * (double)knot->mobility));
        knot->motion[3] -= (float)(w * (double)knot->radial * normal);
    }
    if (s->turn != 0)
        add3(run->turns[s->turn].turn,
             sn__turned_by(&run->turns[s->turn], crossd(vec(s->arm), impulse)));
}

static void roll(const ContactSide *s, const ContactRun *run, Vec3d impulse) {
    if (s->roll != 0)
        run->knots[s->roll].roll +=
            (float)((double)run->knots[s->roll].spin * dotd(vec(s->lever), impulse));
}

static void go_on(ContactBatch *batch, int i, const ContactGeneral *g, const ContactRun *run,
                  float part) {
    float mu = batch->mu_normal[i], mu_1 = batch->mu_1[i], mu_2 = batch->mu_2[i];
    float to = mu + part * (mu - batch->was_normal[i]);
    float to_1 = mu_1 + part * (mu_1 - batch->was_1[i]);
    float to_2 = mu_2 + part * (mu_2 - batch->was_2[i]);
    to = to > 0.0f ? to : 0.0f;
    float most = batch->static_friction[i] * to, size = sqrtf(to_1 * to_1 + to_2 * to_2);
    float within = size > most ? most / size : 1.0f;
    batch->mu_normal[i] = to;
    batch->mu_1[i] = to_1 = within * to_1;
    batch->mu_2[i] = to_2 = within * to_2;
    Vec3d n = {(double)batch->normal_x[i], (double)batch->normal_y[i], (double)batch->normal_z[i]};
    Vec3d t1, t2, impulse = scaled(n, (double)(to - mu));
    sn__general_across(n, &t1, &t2);
    impulse = addd(impulse, scaled(t1, (double)(to_1 - mu_1)));
    impulse = addd(impulse, scaled(t2, (double)(to_2 - mu_2)));
    move(&g->side[0], run, impulse, (double)(to - mu));
    move(&g->side[1], run, scaled(impulse, -1.0), (double)(to - mu));
    roll(&g->side[0], run, impulse);
    roll(&g->side[1], run, impulse);
}

void sn__general_accelerate(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                            float part) {
    if (batch->turning && !batch->apart) {
        run->kernels->turning_on(list, batch, run, part);
        return;
    }
    for (int i = 0; i < batch->count; ++i) {
        // What does not press any more is left alone.
        if (part > 0.0f && batch->whole[i] > 0.0f && batch->mu_normal[i] > 0.0f)
            go_on(batch, i, sn__general_of(list, batch->origin[i]), run, part);
        batch->was_normal[i] = batch->mu_normal[i];
        batch->was_1[i] = batch->mu_1[i];
        batch->was_2[i] = batch->mu_2[i];
    }
}
