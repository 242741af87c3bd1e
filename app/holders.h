// What holds rods: kinematic frames, shown as collars.
#pragma once

#include "app/moment.h"
#include "view/scene.h"

// A vertex that a kinematic frame holds, and the collar that shows it.
typedef struct Holder {
    int rod, vertex;
    float radius; // m
} Holder;

typedef struct Holders {
    Holder *list;
    ViewPeg *pegs; // where they are
    int count;
} Holders;

// Fine to release after a failure, too.
SnResult holders_find(const SnScene *scene, Holders *out_holders);
void holders_place(Holders *holders, const SnPoses *poses);
void holders_release(Holders *holders);
