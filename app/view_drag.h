// Dragging a body with the mouse: a soft link from the body to a point that follows the mouse.
#pragma once

#include "app/moment.h"

#include <sinew/link.h>

typedef struct Drag {
    bool active;
    int body; // in the moment
    SnLinkId link;
    SnVec3 target; // where the body is led to
    SnVec3 offset; // from where the mouse meets the plane to the target
    SnVec3 normal; // of the plane, which is parallel to the picture
} Drag;

// A ray from the eye through a place of the picture.
typedef struct EyeRay {
    SnVec3 origin, direction; // a unit vector
} EyeRay;

// False if there is no body at that place.
bool drag_begin(Drag *drag, SnWorld *world, const Moment *moment, EyeRay ray, SnVec3 normal);
void drag_move(Drag *drag, EyeRay ray);
// Tells the link where to be; to be called before every step.
void drag_apply(const Drag *drag, SnWorld *world);
void drag_end(Drag *drag, SnWorld *world);
