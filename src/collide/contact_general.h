// Contacts between more than two pills: sides of any number of knots, and bodies that turn as a whole.
#pragma once

#include <assert.h>

#include "collide/contact_list.h"

static inline ContactGeneral *sn__general_of(const ContactList *list, int seed) {
    assert(seed >= 0 && seed < list->seed_count);
    assert(list->seeds[seed].general >= 1 && list->seeds[seed].general <= list->general_count);
    return &list->generals[list->seeds[seed].general - 1];
}

// Any two directions across the normal that do not jump while it stays.
static inline void sn__general_across(Vec3d n, Vec3d *out_1, Vec3d *out_2) {
    Vec3d other = fabs(n.x) < 0.5 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    Vec3d t1 = crossd(n, other);
    *out_1 = scaled(t1, 1.0 / lengthd(t1));
    *out_2 = crossd(n, *out_1);
}

// Where the contacts of a general batch touch, and what those with restitution are to leave with.
void sn__general_rebound(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                         const ContactPass *pass);
// One pass over the contacts of a general batch.
void sn__general_solve(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                       const ContactPass *pass);
// Between two passes: contacts of bodies that are solved as a whole go on by this part of what the last pass has
// changed. Before the second pass, part 0.
void sn__general_accelerate(const ContactList *list, ContactBatch *batch, const ContactRun *run,
                            float part);
// In the first pass: brings what a contact has started the sub-step with to where it touches now, as bring_along in
// contact_wide.c does.
void sn__general_bring_along(const ContactBatch *batch, int i, const ContactGeneral *general,
                             const ContactRun *run);
// After the last pass of a sub-step: what the next one starts from, and the sums of impulses.
void sn__general_settle(const ContactList *list, ContactBatch *batch, float h);
// Adds what the next sub-step starts from to the loads of the knots and turns.
void sn__general_spread(const ContactList *list, const ContactBatch *batch, ContactLoad *loads,
                        KnotTurn *turns);
// What a contact keeps from step to step beside what all contacts do.
void sn__general_remember(const ContactList *list, int seed, ContactMemory *memory);
void sn__general_recall(const ContactList *list, int seed, const ContactMemory *memory);

// Whether it turns as a whole about one knot, or stands still.
static inline bool sn__side_turns(const ContactSide *s, const Knot *knots) {
    const Knot *knot = &knots[s->knot[0]];
    return s->roll == 0 && (s->count == 0 ? s->turn == 0
                                          : s->count == 1 && s->turn != 0 && s->weight[0] == 1.0f &&
                                                knot->radial == 0.0f && knot->motion[3] == 0.0f);
}

// Whether it can be solved in lanes (contact_turning_wide.c).
static inline bool sn__general_turns(const ContactGeneral *g, const Knot *knots) {
    const ContactSide *a = &g->side[0], *b = &g->side[1];
    return sn__side_turns(a, knots) && sn__side_turns(b, knots) &&
           (a->count == 0 || b->count == 0 || (a->knot[0] != b->knot[0] && a->turn != b->turn));
}

// NULL if the side is no ellipsoid.
static inline const float *sn__side_shape(const ContactSide *side, const KnotTurn *turns) {
    const float *shape = turns[side->turn].shape;
    return side->turn != 0 && shape[0] > 0.0f ? shape : NULL;
}
// Finds gap, normal and place of contact i of a batch of pairs, one side of which at least is an ellipsoid.
void sn__general_refine(ContactBatch *batch, int i, const ContactGeneral *general,
                        const ContactRun *run);
