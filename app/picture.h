// Pictures of a scene: its rods in their colours, what holds them, its ground, its camera.
#pragma once

#include <sinew/scene.h>

#include "view/context.h"
#include "view/renderer.h"

// A vertex that a kinematic frame holds, and the collar that shows it.
typedef struct Holder {
    int rod, vertex;
    float radius; // m
} Holder;

typedef struct Picture {
    const SnScene *scene; // not owned
    SnvContext *context;
    SnvRenderer *renderer;
    SnvScene view;
    SnvLook *looks; // one per rod
    Holder *holders;
    SnvPeg *pegs; // one per holder, where it is in the picture being drawn
    int holder_count;
    SnvCamera framed; // where the scene does not say otherwise
    SnvImage image;   // the last one drawn
} Picture;

// `bounds` hold the whole motion; the camera is framed on them.
SnResult picture_begin(const SnScene *scene, const SnvBounds *bounds, int width, int height,
                       Picture *out_picture);
SnResult picture_draw(Picture *picture, const SnPoses *poses, double time);
void picture_end(Picture *picture); // fine after a picture_begin that failed, too

// Scenes keep linear light; the renderer takes sRGB.
void picture_srgb(SnColour colour, float out[3]);

// A copy of poses that outlives the world. Release it with pose_copy_release.
typedef struct PoseCopy {
    SnPoses poses; // ids and scales are left out
    double time;
    void *memory;
} PoseCopy;

SnResult pose_copy_make(const SnPoses *poses, double time, PoseCopy *out_copy);
void pose_copy_release(PoseCopy *copy);
