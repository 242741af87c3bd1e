// The numbers all shaders of a frame share: camera, light, and the sizes that follow from the
// scene.
#pragma once

#include "view/scene.h"
#include "view/vec.h"

// Side of the shadow map in texels.
#define SNV_SHADOW_SIDE 2048

// Mirrors the Frame block of shaders.c (std140: only mat4 and vec4).
typedef struct SnvFrameBlock {
    SnvMat4 clip_from_scene;
    SnvMat4 view_from_scene;
    SnvMat4 light_clip_from_scene;
    SnvMat4 light_from_view;
    float lens[4];
    float size[4];
    float key[4];
    float up[4];
    float centre[4];
    float shadow[4];
    float occlusion[4];
    float ground[4];
    float backdrop_low[4];
    float backdrop_high[4];
} SnvFrameBlock;

// `bounds` holds all that is drawn; `origin` is the point the mesh is relative to.
SnvFrameBlock snv__frame_block(const SnvScene *scene, const SnvBounds *bounds, float mean_radius,
                               const SnvCamera *camera, SnVec3 origin, int width, int height);
