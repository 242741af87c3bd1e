// The collision phase of a world: what may touch in a step, and what did.
#pragma once

#include "body/body.h"
#include "body/touch.h"
#include "collide/contact_list.h"
#include "collide/grid.h"
#include "world/shocks.h"

// Two bodies that pass through each other, by slot. A collider is in `b`.
typedef struct IgnoredPair {
    uint32_t a, b;
    bool collider;
} IgnoredPair;

struct ContactSystem {
    Grid *grid;
    ContactList list;

    // By knot; knot 0 and its row are nobody's, then come bodies, then two for every collider.
    Knot *knots;
    KnotWays ways;
    ContactLoad *loads; // on the knots, for the next sub-step
    KnotTurn *turns;    // of bodies that turn as a whole, by their own numbers
    int turn_count, turn_capacity;
    KnotOwner *owners;
    GridBox *boxes; // of the segment, or collider, with this number
    float *reach;   // m that its surface may move by in the step, beside its velocity
    int knot_count, knot_capacity;
    int collider_knots;
    bool numbered; // the numbers fit the bodies there are

    PairFate *fates; // by pair of boxes
    int fate_capacity;
    ShockSystem shocks;
    IgnoredPair *ignored; // sorted (ignored.c)
    int ignored_count, ignored_capacity;

    SnContactTest *test; // the user's; NULL: none
    void *test_context;

    // What touched in the step that ended at this time (events.c).
    double reported_time;
    SnContact *contacts;
    int contact_count, contact_capacity;
    // Bodies that touched, sorted; those of the report before; and the differences.
    SnTouch *touches, *touches_before, *begin, *end;
    int touch_count, touch_capacity, before_count, before_capacity;
    int begin_count, begin_capacity, end_count, end_capacity;
};

// Gives every vertex that may touch something, and every collider, its place in the arrays, where
// bodies came or went since. What contacts remember goes by these numbers, and is then forgotten.
// False without memory.
bool sn__contacts_number(SnWorld *world);
// Finds all contacts of the step of dt and marks the bodies they touch. False without memory: there
// are no contacts then.
bool sn__contacts_find(SnWorld *world, float dt, int substeps);
// Seeds for all that may reach a plane, and then for all pairs of boxes that may touch; they mark the
// bodies (contact_pairs.c). False without memory.
bool sn__contacts_add_planes(SnWorld *world);
bool sn__contacts_add_pairs(SnWorld *world);
// Whether an element of a body and a collider, by its slot, touch where they meet (contact_filter.c).
bool sn__contacts_meet_collider(const SnWorld *world, const KnotOwner *owner, uint32_t collider);
// Whether an end of the element, or of those that go on from it inside of the collider, is held there: the body goes
// through the surface, and no force can get it out. A push against what is near to the held end would have to turn the
// element about that, by a lever of almost nothing, and throws its other end far away. Of an element as a whole, or of one of its ends that is inside, too.
bool sn__is_rooted(const SnWorld *world, const KnotOwner *owner, uint32_t collider, SolidPart part);
// A GridFilter; the context is the world.
bool sn__contacts_may_meet(int a, int b, void *context);
// What comes of each of these pairs.
void sn__contacts_judge(SnWorld *world, const GridPair *pairs, int count, PairFate *out_fates);
// One pass over links and contacts.
void sn__contacts_solve(SnWorld *world, const ContactPass *pass);
// Between two of them: contacts of bodies that are solved as a whole go on by this part of what the last one changed.
void sn__contacts_go_on(SnWorld *world, float part, float general);
// Tells the kinds that want to know what contacts and links did in the last pass (press.c).
void sn__contacts_press(SnWorld *world);
// After the last pass of a sub-step, which is this share of the step.
void sn__contacts_end_substep(SnWorld *world, const ContactPass *pass);
// Overlap in the last step as a part of the thinner radius: of one contact, and the deepest.
double sn__contact_depth(const SnWorld *world, const ContactBatch *batch, int lane);
double sn__contacts_penetration(const SnWorld *world);
void sn__contacts_release(SnWorld *world);

// Adds what sensors overlap to the touches (sensors.c). False without memory.
bool sn__sensors_gather(SnWorld *world);
bool sn__add_touch(SnWorld *world, SnTouch touch); // events.c

// Whether a body and a collider may touch, and what the user says of two elements; the collider is a
// slot, 0: there is none. contact_filter.c.
bool sn__body_meets_collider(const SnWorld *world, const Body *body, uint32_t collider);
bool sn__bodies_meet(const SnWorld *world, const Body *a, const Body *b);
bool sn__contact_test(const SnWorld *world, const SnContactPair *pair);

void sn__ignored_drop_body(SnWorld *world, SnBodyId body);
void sn__ignored_drop_collider(SnWorld *world, SnColliderId collider);
bool sn__is_ignored(const ContactSystem *system, uint32_t a, uint32_t b, bool collider);
