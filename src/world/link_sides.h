// The points of links: where they are, how they move, and what is between them.
#pragma once

#include <assert.h>

#include "world/world.h"

// What links move.
typedef struct Touched {
    Knot *knots;
    KnotTurn *turns;
} Touched;

static inline Touched sn__touched(const SnWorld *world) {
    return (Touched){world->contacts.knots, world->contacts.turns};
}

static inline bool sn__link_in_use(const SnWorld *world, uint32_t k) {
    assert(k < world->link_ids.slot_count);
    return (world->link_ids.slots[k].generation & 1) != 0;
}

static inline bool is_pair(const Link *link) { return link->b.body.index != 0; }

// It belongs to a body that moves as a whole: one that is solved so, or a rigid one.
static inline bool is_of_whole(const LinkSide *side) { return side->tie >= 0 || side->turn != 0; }

static inline bool is_tied(const Link *link) {
    return is_of_whole(&link->side[0]) || (is_pair(link) && is_of_whole(&link->side[1]));
}

// A sub-step begins with the force of the one before where that bends or stretches something. Rigid bodies alone get to
// the right force at once from where they fall freely; a light one that a heavy one hangs on would first be turned far
// by a force that pulls a little askew now.
static inline bool starts_warm(const Link *link) {
    return link->side[0].tie >= 0 || (is_pair(link) && link->side[1].tie >= 0);
}

// A rigid link that is too long or too short when a sub-step begins, because it was made so or torn, gets its length at
// this speed, m/s. At once, it would be a shot.
#define PULL_SPEED 5.0f

// How far a link is from the length it may have, m.
static inline float sn__link_off_length(const Link *link, float distance) {
    float longer = distance - link->length;
    return link->rope ? fmaxf(longer, 0.0f) : fabsf(longer);
}

// What it is to have in this sub-step, m.
static inline double sn__link_length(const Link *link) {
    return (double)(link->compliance > 0.0f ? link->length : link->drawn);
}

static inline Vec3d vec(const float v[3]) {
    return (Vec3d){(double)v[0], (double)v[1], (double)v[2]};
}

// When a step begins.
void sn__side_bind(SnWorld *world, const SnBodyPoint *point, LinkSide *side);
// From the knot that the body turns about to the end of the link, at the start of the sub-step.
Vec3d sn__side_arm(const Touched *to, const LinkSide *side);
// The same, turned as the body has turned since the sub-step began.
Vec3d sn__side_arm_now(const Touched *to, const LinkSide *side);
// How easily a side moves by its knots alone.
double sn__side_mobility(const Touched *to, const LinkSide *side);

typedef struct Block {
    double m[3][3];
} Block;

static inline Vec3d axis_of(int k) {
    return (Vec3d){k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}

// How far a point goes, along every axis, for an impulse × h² along every axis at another one of the same body, or at
// itself.
Block sn__side_answer(const Touched *to, const LinkSide *pulled, const LinkSide *side);
// Moves its knots, and turns its body, by what an impulse × h does to them alone.
void sn__side_move(const Touched *to, const LinkSide *side, const float impulse[3], float sign);

// Both points of a link, and what is between them.
typedef struct LinkGap {
    Vec3d along;  // from b to a, of length 1
    Vec3d off;    // how far a is from where it should be, m
    double open;  // how much longer it is than it should be, m
    float gap[3]; // what is to be closed
} LinkGap;
LinkGap sn__link_gap(Link *link, const Touched *to, const ContactPass *pass);
// Keeps a multiplier within what the force may be.
void sn__link_bound(const Link *link, float h, float mu[3]);

// link_solve.c. For the next sub-step.
void sn__side_load(SnWorld *world, const LinkSide *side, Vec3d impulse);
// link_hold.c. After contacts have loaded their bodies for the next sub-step, and before links do: what carries something
// shares that with it.
void sn__links_share_loads(SnWorld *world);
