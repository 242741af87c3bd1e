// A bar of oriented particles in a row, one end of which is held, by the methods that figure 3 of Choi and Lee 2017
// compares: how far it sags does not depend on the number of iterations, or very much so.
#pragma once

typedef enum ChainMethod {
    // The paper's own: rotations for given places and places for given rotations, in turn (5, 7, 11, 12).
    CHAIN_LOCAL_GLOBAL,
    // Müller and Chentanez, Solid simulation with oriented particles (2011): shapes of each particle and its neighbours
    // are matched one after the other, with positions only. It has no modulus.
    CHAIN_SHAPE_MATCHING,
} ChainMethod;

typedef struct ChainDef {
    int particles; // at most CHAIN_MOST
    double cell;   // m, the length and the width of a particle's piece
    double density, gravity;
    double k; // N/m⁵, of (3): s = k (v + v) is the stiffness of an edge, N/m
    double h; // s
} ChainDef;

#define CHAIN_MOST 64

// m that the last particle sinks by until nothing moves any more.
double chain_sag(const ChainDef *def, ChainMethod method, int iterations);
