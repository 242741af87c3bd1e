// Shocks: who is stopped or struck in a step goes another way than its velocity tells, and meets
// others that boxes around what moves as it does now tell nothing of: those that follow it, at the
// same speed, and those that it is driven into.
#pragma once

#include "collide/grid.h"
#include "sinew/world.h"

typedef struct ContactSystem ContactSystem;

// What comes of a pair of boxes in the step.
typedef struct PairFate {
    float room;      // of its contact (ContactSeed); < 0: it is none
    float blow;      // m that the sides come into each other by, as they move now; < 0: not at all
    float normal[3]; // towards the first of the pair
} PairFate;

// How far an element may be thrown off its way.
typedef struct Shock {
    int element;
    bool due;                          // it has not been asked yet who is met there
    float low[3], high[3];             // m
    float asked_low[3], asked_high[3]; // when that was asked last
    float most;                        // m, in any direction
    float reach;                       // m, of the element without the shock
} Shock;

typedef struct ShockSystem {
    int32_t *of; // by knot: index + 1 of the shock of its element, 0: it has none
    Shock *shocks;
    int count, capacity;
    int due_count;
    int *met; // boxes in the way of one shock
    int met_capacity;
    GridPair *asked; // pairs to be judged
    int asked_count, asked_capacity;
    GridPair *pairs, *sorted; // those that may touch by shocks
    int pair_count, pair_capacity, sorted_capacity;
    PairFate *fates;
    int fate_capacity;
} ShockSystem;

// Forgets all shocks.
void sn__shocks_clear(ContactSystem *system);
// An element runs into something with this normal, towards the element, and would come into it by so
// much. False without memory.
bool sn__shocks_strike(SnWorld *world, int element, const float normal[3], float by);
// Strikes both sides of a pair. False without memory.
bool sn__shocks_strike_pair(SnWorld *world, GridPair pair, const PairFate *fate);
// Passes shocks on to all that they reach, and finds the pairs that may touch by them, sorted and
// each once, with their fates. The grid is that of the step. False without memory.
bool sn__shocks_spread(SnWorld *world);
void sn__shocks_release(const SnAllocator *allocator, ShockSystem *shocks, int knot_capacity);
