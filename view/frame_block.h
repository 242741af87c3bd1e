// The numbers all shaders of a frame share: camera, light, and the sizes that follow from the
// scene.
#pragma once

#include "view/box.h"
#include "view/scene.h"

// Side of the shadow map in texels.
#define VIEW_SHADOW_SIDE 2048

// Mirrors the Frame block of shaders.c (std140: only mat4 and vec4).
typedef struct ViewFrameBlock {
    ViewMat4 clip_from_scene;
    ViewMat4 view_from_scene;
    ViewMat4 light_clip_from_scene;
    ViewMat4 light_from_view;
    float lens[4];
    float size[4];
    float key[4];
    float up[4];
    float centre[4];
    float shadow[4];
    float occlusion[4];
    float ground[4];
    float grid[4];
    float backdrop_low[4];
    float backdrop_high[4];
} ViewFrameBlock;

// What a picture is made for.
typedef struct ViewFraming {
    ViewBox box;       // all that light and shadows are made for
    float mean_radius; // of the rods
    bool has_scenery;  // things beyond the box, which may come close to the eye
    SnVec3 origin;     // the point that all triangles are relative to
    int width, height;
} ViewFraming;

ViewFrameBlock view_frame_block(const ViewScene *scene, const ViewFraming *framing,
                                const ViewCamera *camera);
// Towards the key light, in the world.
SnVec3 view_key_direction(void);
