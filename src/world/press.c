// What contacts and links did in the last pass, for the kinds of bodies that want to know: they find
// out how all of the body answers to it.
#include "world/world.h"

// What presses harder than this has been lost, and is put back when the sub-step ends. Thousands of
// them on one point are still numbers of a world.
#define HARDEST (1e-4 * (double)LARGEST_NUMBER)

static void press(SnWorld *world, uint32_t slot, const int knot[2], const double weight[2],
                  Vec3d impulse) {
    Body *body = sn__body_at(&world->bodies, slot);
    if (!(lengthd(impulse) <= HARDEST))
        return;
    for (int v = 0; body->kind->press && v < 2; ++v)
        if (weight[v] > 0.0)
            body->kind->press(body, knot[v], scaled(impulse, weight[v]));
}

static void press_by_contact(SnWorld *world, const ContactBatch *batch, int i) {
    const KnotOwner *owners = world->contacts.owners;
    double mu = (double)batch->mu_normal[i], t = (double)batch->t[i], u = (double)batch->u[i];
    Vec3d impulse = {mu * (double)batch->normal_x[i], mu * (double)batch->normal_y[i],
                     mu * (double)batch->normal_z[i]};
    press(world, owners[batch->a[i]].body, (int[2]){batch->a1[i], batch->a2[i]},
          (double[2]){1.0 - t, t}, impulse);
    if (batch->kind == CONTACT_PAIR)
        press(world, owners[batch->b[i]].body, (int[2]){batch->b1[i], batch->b2[i]},
              (double[2]){1.0 - u, u}, scaled(impulse, -1.0));
}

static void press_by_link(SnWorld *world, const Link *link) {
    Vec3d impulse = {(double)link->mu[0], (double)link->mu[1], (double)link->mu[2]};
    for (int s = 0; s < 2; ++s) {
        const SnBodyPoint *point = s == 0 ? &link->a : &link->b;
        const LinkSide *side = &link->side[s];
        if (point->body.index != 0)
            press(world, point->body.index, side->knot,
                  (double[2]){(double)side->weight[0], (double)side->weight[1]},
                  scaled(impulse, s == 0 ? 1.0 : -1.0));
    }
}

void sn__contacts_press(SnWorld *world) {
    bool wanted = false;
    for (int k = 0; k < BODY_KINDS; ++k) {
        const BodyKind *kind = sn__body_kinds[k];
        if (kind->press == NULL || kind->passes(world->systems[k]) == 0)
            continue;
        kind->forget_press(world->systems[k]);
        wanted = true;
    }
    const ContactList *list = &world->contacts.list;
    for (int k = 0; k < list->batch_count && wanted; ++k)
        for (int i = 0; i < list->batches[k].count; ++i)
            if (list->batches[k].mu_normal[i] > 0.0f)
                press_by_contact(world, &list->batches[k], i);
    for (uint32_t k = 0; k < world->link_ids.slot_count && wanted; ++k)
        if (world->link_ids.slots[k].generation & 1)
            press_by_link(world, &world->links[k]);
}
