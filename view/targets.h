// What the passes of a picture draw into, for one size of picture.
#pragma once

#include "view/gl.h"

#define VIEW_SAMPLES 4

typedef struct ViewTargets {
    struct ViewTextures {
        GLuint shadow, surface, depth, visibility[2], picture;
    } textures;
    struct ViewFramebuffers {
        GLuint shadow, surface, visibility[2], picture;
    } framebuffers;
} ViewTargets;

// Fine to destroy after a failure, too.
SnResult view_targets_create(int width, int height, ViewTargets *out_targets);
void view_targets_destroy(ViewTargets *targets);
