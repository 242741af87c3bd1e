// What a world is made of as lines and pills, for looking at it while a game is made.
//
//     SnDraw draw = sn_default_draw();
//     draw.line = my_line;
//     draw.pill = my_pill;
//     sn_world_draw(world, &draw);
#pragma once

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is drawn, one bit each, and in which colour (0xRRGGBB).
typedef enum SnDrawParts {
    SN_DRAW_BODIES =
        1, // pills and ellipsoids: pink (e08a7a), grey while they sleep, green (7ac0a0) sensors
    SN_DRAW_COLLIDERS = 2, // grey (9a9a9a), sensors green; meshes as the boxes around them
    SN_DRAW_FRAMES = 4,    // x, y and z axis: red, green, blue
    SN_DRAW_ATTACHMENTS =
        8,              // orange (ff9a30), from what is held to its frame, with a cross where it is
    SN_DRAW_LINKS = 16, // yellow (f0d040); red (ff3030) where they are open by a tenth of a radius
    SN_DRAW_HINGES = 32,   // violet (b070ff): the axis
    SN_DRAW_CONTACTS = 64, // white (ffffff): the normal, from the point of contact
    SN_DRAW_ALL = 127,
} SnDrawParts;

typedef struct SnDraw {
    uint32_t cookie; // set by sn_default_draw
    void (*line)(SnVec3 a, SnVec3 b, uint32_t colour, void *context);
    // Spheres of radius_a at a and radius_b at b, and what is between them; a sphere has a = b. NULL: pills
    // are drawn as lines, too.
    void (*pill)(SnVec3 a, SnVec3 b, float radius_a, float radius_b, uint32_t colour,
                 void *context);
    uint32_t parts; // SnDrawParts
    float size;     // m, of axes, crosses, normals and the net that stands for a plane
    void *context;
} SnDraw;

// All parts, size 0.1 m; line must be given.
SN_API SnDraw sn_default_draw(void);
// Calls back for all of it before it returns. Contacts are those of the last step. It changes nothing, and
// must not be called from its own functions. SN_ERROR_INVALID without a line, SN_ERROR_MEMORY.
SN_API SnResult sn_world_draw(SnWorld *world, const SnDraw *draw);

#ifdef __cplusplus
}
#endif
