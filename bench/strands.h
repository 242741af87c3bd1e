// Worlds full of like rods, for benchmarks.
#pragma once

#include <sinew/world.h>

typedef struct StrandsDef {
    int strands;
    int segments; // of each, 1/30 m long: a strand of 30 is a metre
    bool classic;
    bool direct;  // solved directly
    bool hanging; // straight down; else straight out from its fixed end
    bool coiled;  // wound up, so that a very long one stays near the origin
    float young;  // Pa; 0: the default
    float drag;   // 1/s
    int threads;
    SnIsa isa;
} StrandsDef;

// Every strand is held by its first vertex and the frame of its first segment. Volume rods have all
// potentials, also those that are off by default.
SnResult strands_create(const StrandsDef *def, SnWorld **out_world);
