// What keeps the volume of the whole body.
#pragma once

#include "solid/solid.h"

// After edges have changed.
void sn__solid_set_pieces(Solid *solid);
// Of places x_start + u and rotations R, m³.
double sn__solid_volume(const Solid *solid);
// What is stored in its change, J; 0 if nothing keeps it.
double sn__solid_volume_energy(const Solid *solid);
// Makes `slope` the gradient of the volume, and adds h² times that of the energy to `vector`, rotations in units of 1/size.
void sn__solid_add_volume_gradient(Solid *solid, double h2);
// From H⁻¹ r to (H + κ g gᵀ)⁻¹ r in `vector`, with y = H⁻¹ g in `swell`; and κ/(1 + κ g·y).
void sn__solid_keep_volume(Solid *solid, const SolidStep *step);
double sn__solid_volume_share(const Solid *solid, const SolidStep *step);
