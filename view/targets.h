// What the passes of a picture draw into, for one size of picture.
#pragma once

#include "view/gl.h"

#define SNV_SAMPLES 4

typedef struct SnvTargets {
    struct SnvTextures {
        GLuint shadow, colour, normal, depth, visibility[2], picture;
    } textures;
    struct SnvFramebuffers {
        GLuint shadow, surface, visibility[2], picture;
    } framebuffers;
} SnvTargets;

// Fine to destroy after a failure, too.
SnResult snv__targets_create(int width, int height, SnvTargets *out_targets);
void snv__targets_destroy(SnvTargets *targets);
