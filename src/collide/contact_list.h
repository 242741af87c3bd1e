// The contacts of a step: collected, coloured, and solved pass by pass.
#pragma once

#include "collide/contacts.h"

// Pairs have the first colours; what cannot move comes after them, so that it has the last word:
// whatever presses on a light body, it is not pressed through the floor. Contacts at one vertex
// beyond these numbers are solved one after the other.
#define PAIR_COLOURS 48
#define FIXED_COLOURS 16
#define CONTACT_COLOURS (PAIR_COLOURS + FIXED_COLOURS)
#define SERIAL CONTACT_COLOURS

// Which sphere of a segment touches a solid.
typedef enum SolidPart { SOLID_FIRST, SOLID_SECOND, SOLID_BETWEEN } SolidPart;

// What a contact is made from.
typedef struct ContactSeed {
    ContactSides sides;
    float offset[3]; // origin of a − origin of b
    SnSurface surface;
    ContactKind kind;
    SolidPart part; // of a contact with a solid
    int other;      // whom the solid or fixed pill belongs to
    float room;     // > 0: a pair that is so far apart, m, that it need not touch in this step
    bool whole;     // ContactBatch.whole
    uint64_t key;   // who it is: the same in every step, and rising from seed to seed
    int general;    // index + 1 in ContactList.generals; 0: two pills, or a pill and what stands
} ContactSeed;

// Fills gap, normal, t and drift of the lanes of a batch of solid contacts.
typedef void SolidTouch(ContactBatch *batch, const ContactSeed *seeds, const Knot *knots,
                        void *context);

typedef struct ContactList {
    SnAllocator allocator;
    ContactSeed *seeds;
    int seed_count, seed_capacity;
    ContactGeneral *generals; // of the seeds that have one
    int general_count, general_capacity;
    uint8_t *colour;   // by seed
    int32_t *recalled; // by seed: index + 1 in the memory; 0: it was not there in the last step
    int colour_capacity, recalled_capacity;
    uint64_t *used; // by knot: colours of its contacts
    int used_capacity;
    uint8_t *struck; // ContactPass.struck
    KnotPace *paces; // ContactPass.paces
    int struck_capacity, pace_capacity, knot_count;
    ContactBatch *batches;
    int batch_count, batch_capacity;
    int begin[CONTACT_COLOURS + 2]; // first batch of each colour, serial ones last
    bool bouncy;                    // some contacts have restitution
    float rebound;         // largest displacement that one leaves with, as a part of the radii
    float worst;           // largest correction of a pass over all contacts, as a part of the radii
    ContactMemory *memory; // of the last step, by rising key
    int memory_count, memory_capacity;
} ContactList;

// How far two sides may come, m, before they could touch: a knot of either, and the gap between them.
float sn__contact_room(float gap, const Knot *a, const Knot *b);

void sn__contacts_destroy(ContactList *list);
void sn__contacts_clear(ContactList *list);
// False without memory.
bool sn__contacts_add(ContactList *list, const ContactSeed *seed);
// The same for a contact with sides of its own.
bool sn__contacts_add_general(ContactList *list, ContactSeed *seed, const ContactGeneral *general);
// Makes the batches; knots are numbered below knot_count. Contacts of the last step go on as they
// were: their loads, which are all 0, are set. False without memory: there are no contacts then.
bool sn__contacts_colour(ContactList *list, const SnTaskSystem *tasks, int knot_count,
                         ContactLoad *loads, KnotTurn *turns);
// Batches of one colour after those of the other, on all workers; the function is given their indices. Colours of fewer
// than `few` batches are not worth waking a worker for: FEW_TO_SOLVE where they are solved, FEW_TO_ADD where only numbers
// are added up, which is done in less time than a worker takes to come.
#define FEW_TO_SOLVE 8
#define FEW_TO_ADD 32
void sn__contacts_for_colours(const ContactList *list, const SnTaskSystem *tasks, int few,
                              SnTask *function, void *context);
// Adds the forces of a batch that the next sub-step starts from.
void sn__contacts_spread(const ContactList *list, const ContactBatch *batch, ContactLoad *loads,
                         KnotTurn *turns);
// After a step. Without memory, the next step starts from nothing.
void sn__contacts_remember(ContactList *list, const SnTaskSystem *tasks);
// Room for memory from elsewhere; what was there is lost. False without memory.
bool sn__contacts_reserve_memory(ContactList *list, int count);

typedef struct ContactRun {
    const ContactKernels *kernels;
    const SnTaskSystem *tasks;
    Knot *knots;
    KnotTurn *turns;
    KnotWays ways;
    ContactLoad *loads; // all 0 before the first pass of a sub-step; the last one fills them
    SolidTouch *solid;
    void *context;
} ContactRun;

// One pass over all contacts of a sub-step, and more over those that had much to correct: where
// bodies run into each other, a blow goes through a whole pile before they overlap.
void sn__contacts_pass(ContactList *list, const ContactRun *run, const ContactPass *pass);
// Before all passes of a sub-step but the first (ContactKernels.accelerate).
// General contacts have a part of their own.
void sn__contacts_accelerate(ContactList *list, const ContactRun *run, float part, float general);
// After the last pass of a sub-step: what the next one starts from.
void sn__contacts_settle(ContactList *list, const ContactRun *run, const ContactPass *pass);
