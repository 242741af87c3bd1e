// The classic position-based rods, with compliances in place of their stiffnesses: what figure 10 of
// Deul et al. compares with. Straight rods only, in double precision.
//
// PaOBCR: Kugelstadt and Schömer, Position and Orientation Based Cosserat Rods (2016): particles at
// the vertices and quaternions in between, held together by constraints of stretch and shear.
// PBER: Umetani, Schmidt and Stam, Position-Based Elastic Rods (2014): frames are told from the two
// particles of an edge and a ghost particle beside its middle.
#pragma once

#include <sinew/world.h>

typedef enum ClassicKind { CLASSIC_PAOBCR, CLASSIC_PBER } ClassicKind;

typedef struct ClassicRod ClassicRod;

// A stiff rod of the world, a straight chain whose first segment is fixed, as it is now; moved by the
// force on the last segment (N) over a step of h seconds. Masses of segments are lumped to particles.
// An error if the rod is no such chain; *out_rod is NULL then.
SnResult classic_create(ClassicKind kind, const SnWorld *world, SnBodyId rod, double h,
                        SnVec3 force, ClassicRod **out_rod);
void classic_destroy(ClassicRod *rod); // NULL is fine

void classic_sweep(ClassicRod *rod);
double classic_residual(const ClassicRod *rod); // largest |C + α̃λ|: m, rad
