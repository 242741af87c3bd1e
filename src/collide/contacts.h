// Contacts: found once per step, solved in every sub-step, in batches of lanes.
//
// A batch holds contacts that share no vertex, so its lanes can be solved side by side; all batches
// of one colour share none either, so they can be solved on any thread, in any order, with the same
// result. Colours follow each other: Gauss-Seidel over the contacts of the world.
#pragma once

#include "collide/knots.h"
#include "sinew/contact.h"

typedef float ContactRow[KNOT_ROW] __attribute__((aligned(64)));
typedef int32_t ContactIndex[KNOT_ROW] __attribute__((aligned(64)));

typedef enum ContactKind {
    CONTACT_PAIR,  // two segments
    CONTACT_FIXED, // a segment and a pill that contacts do not move
    CONTACT_SOLID, // a segment and a solid of another shape
    CONTACT_KINDS
} ContactKind;

// What a contact is between: a segment from knot a1 to a2, whose roll is in knot `a`; the other
// side likewise, or knots 0 if it is a solid.
typedef struct ContactSides {
    int32_t a, a1, a2, b, b1, b2;
} ContactSides;

// What a contact moves on one of its sides, where that is more than the two ends of a pill: up to
// SIDE_KNOTS knots with weights (a sphere or a body that turns as a whole has one, a point in a skinned
// surface several), and a roll or a full rotation. Knots may coincide, on one side and on both.
#define SIDE_KNOTS 4
typedef struct ContactSide {
    int32_t count; // of knots; 0: nothing that contacts could move
    int32_t knot[SIDE_KNOTS];
    float weight[SIDE_KNOTS];
    bool along;      // two knots with the weights 1 − t and t: a pill, touched at t
    int32_t roll;    // the knot with the roll of a pill about its axis; 0: it does not roll
    int32_t turn;    // KnotTurn of a body that turns as a whole about knot[0]; 0: none
    float arm[3];    // from knot[0] to where the surface touches, m; of the sub-step, as `lever`
    float lever[3];  // what a roll of 1 rad adds to the slip there, m
    float torque[3]; // on the turn, × h²: what the next sub-step starts from
} ContactSide;

// How both sides together answer to impulses × h along the normal and the two directions across it, 1/kg.
typedef struct ContactAnswers {
    double nn, n1, n2, a11, a12, a22;
    double most;  // that there could be in any direction
    double radii; // of both sides, m
} ContactAnswers;

typedef struct ContactGeneral {
    ContactSide side[2];
    bool answered; // the answers are those of the sub-step
    ContactAnswers answers;
    float next_normal, next_1,
        next_2; // what the next sub-step starts from, see ContactBatch.warm_normal
} ContactGeneral;

typedef struct ContactBatch {
    int count;   // lanes in use
    float worst; // largest correction of the last pass, as a part of the radii
    ContactKind kind;
    bool quiet;   // of pairs that need not touch in this step: left alone as long as they are apart
    bool apart;   // left alone in this sub-step
    bool general; // its contacts have sides of their own (ContactGeneral)
    bool bouncy;  // some of them have restitution
    bool turning; // general ones that are solved in lanes (contact_turning_wide.c)
    bool met;     // where it touches was found before the first pass
    float rebound; // largest displacement to leave with, as a part of the radii
    ContactIndex a, a1, a2, b, b1, b2;
    ContactIndex origin;                     // in the list it was made from
    ContactRow offset_x, offset_y, offset_z; // origin of a − origin of b, m
    ContactRow room; // m that both sides may come before they could touch, see ContactSeed
    ContactRow friction, static_friction, restitution, compliance, thickness;
    ContactRow
        whole; // 1 where all that it moves is solved as a whole, by the masses of points; else 0

    // Where it touches: found by the shape of a solid, or for a pair by the first pass of a sub-step.
    ContactRow t, u;                         // along segments a and b
    ContactRow normal_x, normal_y, normal_z; // towards a
    ContactRow gap;                          // m, at the start of the sub-step, thickness included
    ContactRow drift_x, drift_y, drift_z;    // displacement of a solid's surface
    // What repeated passes need not find again, in lanes in which something was done: see LanePlane.
    uint16_t kept; // a bit for each of these lanes
    ContactRow along_x, along_y, along_z, lever_a, lever_b1, lever_b2, radii, spin_a, spin_b;

    // Multipliers × h² of the sub-step, and the sums of their impulses over the step.
    ContactRow mu_normal, mu_1, mu_2;
    ContactRow was_normal, was_1, was_2; // multipliers before the last pass
    ContactRow sum_normal, sum_friction;
    uint16_t hits;     // a bit for every lane that bounces by itself
    uint16_t struck;   // and for those that take part in a blow that is given back
    ContactRow bounce; // displacement to leave with in a blow; negative: what it may come back by
    // Learned forces, see ContactMemory.
    ContactRow warm_normal, warm_1, warm_2; // what this sub-step has started from
    ContactRow load_x, load_y, load_z, load_roll_a, load_roll_b, load_t, load_u;
} ContactBatch;

// What is left of a contact when its step is over, for the next one.
//
// Bodies at rest press on each other with the same force in every sub-step. It is not found anew
// each time: every sub-step predicts motion under the forces of the one before (ContactLoad), so
// that rods and contacts need only correct them, and converge from sub-step to sub-step.
typedef struct ContactMemory {
    uint64_t key;
    float warm_normal, warm_1, warm_2;
    float load[3], load_roll_a, load_roll_b;
    float t, u;
    float torque_a[3], torque_b[3]; // of general contacts
} ContactMemory;

// The forces of contacts on a knot × h².
typedef struct ContactLoad {
    float force[3];
    float roll;    // torque about the axis of the segment
    float squeeze; // of all normals, on the radius
    float fill[3];
} __attribute__((aligned(32))) ContactLoad;

typedef struct ContactPass {
    float h;            // s, of the sub-step
    float bounce_speed; // m/s; slower impacts do not bounce
    bool first;         // pass of the sub-step
    bool told;          // bodies were solved as a whole between passes: more is learned from these
    bool repeat;        // only batches that had something to correct in the last pass
    double time;        // end of the sub-step as a part of the step
    float share;        // of the step that a sub-step is
    const KnotPace *paces;
    uint8_t *struck; // by knot: 1 if a blow that is given back goes through it in this sub-step
} ContactPass;

typedef struct ContactNearest {
    float t, u;      // along the two segments
    float gap;       // m
    float approach;  // m, at most, by the motion of their knots
    float closing;   // m, along the normal, where they are nearest
    float normal[3]; // towards the first
} ContactNearest;

#define NEAREST_FLOATS 8
_Static_assert(sizeof(ContactNearest) == NEAREST_FLOATS * sizeof(float), "written as its fields");

struct ContactList;
struct ContactRun;

typedef struct ContactKernels {
    // One pass over the contacts of a batch.
    void (*solve)(ContactBatch *batch, Knot *knots, const ContactPass *pass);
    // Between two passes: contacts of bodies that are solved as a whole go on by this part of what the last pass has
    // changed. Before the second pass, part 0: what there is to go on from.
    void (*accelerate)(ContactBatch *batch, Knot *knots, float part);
    // After the last pass: what the next sub-step starts from, and the sums of impulses.
    void (*learn)(ContactBatch *batch, float h, bool told);
    // Where the contacts of a bouncy batch touch, and what they are to leave with.
    void (*rebound)(ContactBatch *batch, const Knot *knots, const ContactPass *pass);
    // Where the pairs of a general batch touch.
    void (*find)(ContactBatch *batch, const Knot *knots);
    // Where `count` ≤ KNOT_ROW pairs are nearest to each other, as they are now.
    void (*nearest)(const ContactSides *sides, const float (*offsets)[3], int count,
                    const Knot *knots, ContactNearest *out_nearest);
    // One pass over a general batch whose sides turn as a whole about one knot, or stand still.
    void (*turning)(const struct ContactList *list, ContactBatch *batch,
                    const struct ContactRun *run, const ContactPass *pass);
    // And between two passes, as `accelerate`.
    void (*turning_on)(const struct ContactList *list, ContactBatch *batch,
                       const struct ContactRun *run, float part);
} ContactKernels;

// NULL if the library was built without it.
const ContactKernels *sn__contact_kernels(SnIsa isa);
