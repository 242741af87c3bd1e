// Worlds in which bodies lie in a pile, for benchmarks of contact.
#pragma once

#include <sinew/world.h>

#define PILE_STEP (1.0f / 60.0f)
#define PILE_SUBSTEPS 10

typedef struct PileDef {
    int bodies;
    bool ropes;         // of 30 segments, swept; else octopuses
    SnRodSolver solver; // of octopuses
    double seconds;     // that they have to settle
    int threads;
    SnIsa isa;
    bool (*go_on)(double done, void *context); // while they settle; false: stop
    void *context;
} PileDef;

SnResult pile_create(const PileDef *def, SnWorld **out_world);
