// Worlds full of like creatures, for benchmarks.
#pragma once

#include <sinew/world.h>

typedef struct CreaturesDef {
    int count;
    bool bush;   // a tree of 30 segments that parts in two at every vertex; else octopuses
    bool direct; // solved directly
    int threads;
    SnIsa isa;
} CreaturesDef;

// Every creature is held by its first vertex and touches nothing.
SnResult creatures_create(const CreaturesDef *def, SnWorld **out_world);
int creatures_segments(const CreaturesDef *def); // of one
