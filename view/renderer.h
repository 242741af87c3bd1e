// Draws rods, pegs and ground as a lit picture. Needs a current OpenGL context (3.3 core or later),
// from snv_context_create or a window, whenever it is called.
#pragma once

#include "view/camera.h"
#include "view/image.h"
#include "view/scene.h"

typedef struct SnvRenderer SnvRenderer;

#define SNV_DEFAULT_WIDTH 1280
#define SNV_DEFAULT_HEIGHT 720

SnResult snv_renderer_create(int width, int height, SnvRenderer **out_renderer);
void snv_renderer_destroy(SnvRenderer *renderer);

// Draws into the renderer's own picture. A rod that cannot be drawn (numbers that are not finite, a
// radius that is not positive, fewer than two vertices) is left out and counted.
SnResult snv_renderer_draw(SnvRenderer *renderer, const SnvScene *scene, const SnvCamera *camera);

// Copies the last drawn picture. *image is made if it has no pixels yet, and reused if it fits.
SnResult snv_renderer_read(SnvRenderer *renderer, SnvImage *image);

typedef struct SnvDrawStats {
    size_t triangle_count;
    int skipped_rods;
} SnvDrawStats;

// Of the last picture drawn.
SnvDrawStats snv_renderer_stats(const SnvRenderer *renderer);
