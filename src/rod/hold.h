// Elements of rods that are held and led from place to place: what attachments are made of.
#pragma once

#include "rod/rods.h"

// A place in the world; only what fits the element is used.
typedef struct HeldPlace {
    Vec3d position;
    Quatd rotation;
    float scale;
} HeldPlace;

bool sn__rod_is_held(const RodSystem *rods, const Rod *rod, int held, int index);
HeldPlace sn__rod_held_place(const RodSystem *rods, const Rod *rod, int index);

// Holds an element (held: one HELD_ bit) and moves it to the place at once, without velocity.
// Returns the number of its lead, or −1 without memory. `owner` is what sn__rod_release gives back.
int sn__rod_hold(RodSystem *rods, const Rod *rod, int held, int index, uint32_t owner,
                 const HeldPlace *place);
// Lets it go. The last lead of the pack takes its number; returns the owner of that one.
uint32_t sn__rod_release(RodSystem *rods, const Rod *rod, int held, int index, int lead);

// Whom lead k of the rod, or of one that lies in the same pack, serves; 0: there are fewer leads.
uint32_t sn__rod_lead_owner(const RodSystem *rods, const Rod *rod, int lead);

// During the next step the element goes to the place; `settle` after the step lets it rest there.
void sn__rod_lead(RodSystem *rods, const Rod *rod, int index, int lead, const HeldPlace *place);
void sn__rod_settle(RodSystem *rods, const Rod *rod, int lead);
void sn__rod_jump(RodSystem *rods, const Rod *rod, int index, int lead, const HeldPlace *place);
