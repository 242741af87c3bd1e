// Where muscles start and end, as the command line says it.
#pragma once

#include "app/limb.h"

// One of "x,y,z,r; x,y,z,r", "vertices:1,2,3", "bones:humerus,ulna", "material:tendon" and
// "colour:#ff0000".
typedef struct LimbPlace {
    const char *option; // "--source", for messages
    int sphere_count, vertex_count;
    SnFitSphere *spheres;
    int *vertices;
    const char *bones, *material, *colour; // NULL: not by these
    float rgb[3];                          // that the colour means
} LimbPlace;

// NULL, or what is wrong. Release the place in any case.
const char *limb_place_read(const char *option, const char *text, LimbPlace *out_place);
void limb_place_release(LimbPlace *place);

// Says what is wrong with a place for all muscles of the limb, and returns false then.
bool limb_place_check(const Limb *limb, const LimbPlace *place);

// The place on one muscle; what a muscle has not is left to its shape. False: no memory. Release the end
// in any case.
bool limb_place_find(const Limb *limb, const LimbPart *part, const LimbPlace *place,
                     SnFitEnd *out_end);
void limb_end_release(SnFitEnd *end);
