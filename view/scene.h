// What a picture shows: rods as flat arrays, pegs, and a ground. Plain data, owned by the caller.
#pragma once

#include "view/camera.h"

// How a rod or peg looks. Colours are sRGB, 0 to 1.
typedef struct SnvLook {
    float colour[3];
    int stripes;    // lines along the rod, evenly around it: they show twist
    int rings;      // lines around the rod, evenly along its material: they show stretch
    float softness; // 0: hard plastic, 1: living tissue with a warm glow
} SnvLook;

// Rods in the layout of SnPoses: rod i has vertices [vertex_begin[i], vertex_begin[i + 1]) and
// segments likewise. A rod with as many segments as vertices is closed.
typedef struct SnvRods {
    int count;
    const int *vertex_begin;  // count + 1
    const int *segment_begin; // count + 1
    const float *positions;   // x y z per vertex, m
    const float *radii;       // per vertex, m
    const float *frames;      // x y z w per segment; NULL: without twist
    const SnvLook *looks;     // one per rod; NULL: a palette
} SnvRods;

// A cylinder from a to b with rounded edges; a ball where they are the same.
typedef struct SnvPeg {
    SnVec3 a, b;
    float radius;
    SnvLook look;
} SnvPeg;

typedef struct SnvScene {
    SnvRods rods;
    const SnvPeg *pegs;
    int peg_count;
    bool has_ground;
    float ground_height; // m
    bool has_background;
    float background[3]; // sRGB, what is behind it all; without it, a pale studio
    // Bounds of the whole motion, so that shadows are as sharp in every frame of a video. What a
    // frame holds beyond them is still drawn; empty is fine for a single picture.
    SnvBounds bounds;
} SnvScene;

SnvScene snv_default_scene(void);
// The look of rod `index` in the built-in palette, soft, without stripes or rings.
SnvLook snv_palette(int index);
