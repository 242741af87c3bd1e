// Command lines of the two commands that make rods and pills of meshes.
#pragma once

#include "app/limb.h"
#include "app/options.h"

// Reads a mesh, or makes one of "muscle:fan" and its like, and names the part after it; says what is wrong and returns false if it cannot.
bool limb_read(const char *path, LimbPart *out_part);
void limb_release(Limb *limb);

// Metres per unit: what is asked for or, for 0, a guess from the size of all meshes, which is said.
double limb_scale(const Limb *limb, double wanted, bool quiet);

// "x,y,z,r; x,y,z,r" or "vertices: 1, 2, 3". NULL or what is wrong. Free both lists of the end.
const char *limb_read_end(const char *text, SnFitEnd *out_end);

// What was done, in words or as JSON, on stdout.
void limb_print(const LimbPart *part);
void limb_print_json(const Limb *limb);
