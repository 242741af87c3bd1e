// Non-linear Gauss-Seidel on the constraints of stiff rods, plain and in double precision: what the
// direct solver is compared with.
#pragma once

#include "tree/tree.h"

typedef struct ReferenceBody {
    Vec3d x;
    Quatd q;
    double weight;     // 1/mass, 0: it is fixed
    double turning[3]; // 1/moments of inertia about its own axes
} ReferenceBody;

typedef struct ReferenceJoint {
    int a, b; // bodies
    double end_a, end_b;
    Quatd rest;
    double compliance[3]; // α̃ of bending and twist; that of stretch is 0
    double lambda[6];
} ReferenceJoint;

typedef struct Reference {
    int bodies, joints;
    ReferenceBody *body;
    ReferenceJoint *joint; // from the root to the leaves
} Reference;

// The stiff rod of a world, as it is now, and one step of h seconds ahead of it: velocities and
// forces (N, on the centres of segments, or NULL) have moved it, its constraints have not.
// Algorithm 1 of Deul et al., lines 1 to 4.
SnResult reference_begin(const SnWorld *world, int rod, double h, const Vec3d *forces,
                         Reference *out_reference);
void reference_end(Reference *reference);

// Every joint once, eq. 21 with all six rows of a joint at a time. Returns the largest |C + α̃λ| that
// it met: before it, as it were.
double reference_sweep(Reference *reference);
double reference_residual(const Reference *reference); // m, rad

const Tree *reference_tree(const SnWorld *world, int rod);
