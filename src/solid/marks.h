// Marks: points of a solid's surface that can be held, and which way they face.
#pragma once

#include "solid/solid.h"

// Where it is and which way it faces, of places x_start + u, from the body's origin, and rotations R.
Vec3d sn__solid_mark_at(const Solid *solid, const SolidMark *mark);
Vec3d sn__solid_mark_direction(const Solid *solid, const SolidMark *mark);

// The energy of all that are held, J.
double sn__solid_marks_energy(const Solid *solid);
// Adds h² times its gradient to `vector`, rotations in units of 1/size.
void sn__solid_marks_add_gradient(Solid *solid, double h2);
// Adds h² times its second derivatives, as far as they are positive; `rest`: of the body at rest, held where it is.
void sn__solid_marks_add_hessian(Solid *solid, const SolidFactors *to, double h2, bool rest);
// What its hold does to the body, N and N·m.
Vec3d sn__solid_mark_force(const Solid *solid, const SolidMark *mark);
Vec3d sn__solid_mark_torque(const Solid *solid, const SolidMark *mark);

// mark_make.c
// Adds one, or says why not.
SnResult sn__solid_add_mark(Solid *solid, const SnSolidMark *mark);
// Stiffness of those that were given none, after that of the edges has changed.
void sn__solid_weigh_marks(Solid *solid);
void sn__solid_free_marks(Solid *solid);
