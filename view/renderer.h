// Draws a scene as a lit picture. Needs a current OpenGL context (3.3 core or later),
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
// Keeps the old size if it fails.
SnResult snv_renderer_resize(SnvRenderer *renderer, int width, int height);

// Draws into the renderer's own picture. A rod that cannot be drawn (numbers that are not finite, a
// radius that is not positive, fewer than two vertices) is left out and counted, and so is a mesh.
SnResult snv_renderer_draw(SnvRenderer *renderer, const SnvScene *scene, const SnvCamera *camera);

// Copies the last drawn picture. *image is made if it has no pixels yet, and reused if it fits.
SnResult snv_renderer_read(SnvRenderer *renderer, SnvImage *image);

// Copies the last drawn picture to the window that the context belongs to.
void snv_renderer_show(SnvRenderer *renderer);

// Makes the last drawn picture what is drawn into, for overlays.
void snv__renderer_bind(const SnvRenderer *renderer, int *out_width, int *out_height);

typedef struct SnvDrawStats {
    size_t triangle_count;
    int skipped_rods, skipped_meshes;
} SnvDrawStats;

// Of the last picture drawn.
SnvDrawStats snv_renderer_stats(const SnvRenderer *renderer);
