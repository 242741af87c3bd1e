// Non-linear Gauss-Seidel on the constraints of stiff rods, plain and in double precision: what the
// direct solver is compared with.
#pragma once

#include <sinew/world.h>

typedef struct Reference Reference;

// The stiff rod of a world, as it is now, and one step of h seconds ahead of it: velocities and a
// force (N, on the centre of the last segment) have moved it, its constraints have not. Algorithm 1
// of Deul et al., lines 1 to 4. An error if the rod is not stiff; *out_reference is NULL then.
SnResult reference_create(const SnWorld *world, SnBodyId rod, double h, SnVec3 force,
                          Reference **out_reference);
void reference_destroy(Reference *reference); // NULL is fine

// Moves the segments to where the forces that the engine's last step found, wind and all, would have
// taken the rod without its joints. The world has made that step since reference_create.
void reference_push(Reference *reference, const SnWorld *world);

// Every joint once, from the root to the leaves, eq. 21 with all six rows of a joint at a time.
// Returns the largest |C + α̃λ| that it met: before it, as it were.
double reference_sweep(Reference *reference);
double reference_residual(const Reference *reference); // m, rad
