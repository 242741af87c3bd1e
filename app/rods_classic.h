// The classic position-based rods, with compliances in place of their stiffnesses: what figure 10 of
// Deul et al. compares with. Straight rods only, in double precision.
//
// PaOBCR: Kugelstadt and Schömer, Position and Orientation Based Cosserat Rods (2016): particles at
// the vertices and quaternions in between, held together by constraints of stretch and shear.
// PBER: Umetani, Schmidt and Stam, Position-Based Elastic Rods (2014): frames are told from the two
// particles of an edge and a ghost particle beside its middle.
#pragma once

#include "app/rods_reference.h"

typedef enum ClassicKind { CLASSIC_PAOBCR, CLASSIC_PBER } ClassicKind;

typedef struct ClassicPoint {
    Vec3d x;
    double weight; // 1/mass, 0: it is fixed
} ClassicPoint;

typedef struct ClassicEdge {
    ClassicPoint ghost; // PBER
    Quatd q;            // PaOBCR
    double weight;      // 1/mass of the quaternion, 0: it is fixed
    double length;
    double compliance[3]; // α̃ of the joint with the edge before, for strains in rad
    double lambda[3];     // of that joint
} ClassicEdge;

typedef struct ClassicRod {
    ClassicKind kind;
    int edges;
    ClassicPoint *point; // edges + 1
    ClassicEdge *edge;
    double ghost_distance;
} ClassicRod;

// A stiff rod of the world, a straight chain whose first segment is fixed, as it is now; moved by the
// force on the last segment (N) over a step of h seconds. Masses of segments are lumped to particles.
SnResult classic_begin(ClassicKind kind, const SnWorld *world, int rod, double h, Vec3d force,
                       ClassicRod *out_rod);
void classic_end(ClassicRod *rod);

void classic_sweep(ClassicRod *rod);
double classic_residual(const ClassicRod *rod); // largest |C + α̃λ|: m, rad
