// Draws a scene as a lit picture. Needs a current OpenGL context (3.3 core or later),
// from view_context_create or a window, whenever it is called.
#pragma once

#include "view/camera.h"
#include "view/image.h"
#include "view/scene.h"

typedef struct ViewRenderer ViewRenderer;

#define VIEW_DEFAULT_WIDTH 1280
#define VIEW_DEFAULT_HEIGHT 720

SnResult view_renderer_create(int width, int height, ViewRenderer **out_renderer);
void view_renderer_destroy(ViewRenderer *renderer);
// Keeps the old size if it fails.
SnResult view_renderer_resize(ViewRenderer *renderer, int width, int height);

// Draws into the renderer's own picture. A rod that cannot be drawn (numbers that are not finite, a
// radius that is not positive, fewer than two vertices) is left out and counted, and so is a mesh.
SnResult view_renderer_draw(ViewRenderer *renderer, const ViewScene *scene,
                            const ViewCamera *camera);

// Copies the last drawn picture. *image is made if it has no pixels yet, and reused if it fits.
SnResult view_renderer_read(ViewRenderer *renderer, ViewImage *image);

// Copies the last drawn picture to the window that the context belongs to.
void view_renderer_show(ViewRenderer *renderer);

// Makes the last drawn picture what is drawn into, for overlays.
void view_renderer_bind(const ViewRenderer *renderer, int *out_width, int *out_height);

typedef struct ViewDrawStats {
    size_t triangle_count;
    int skipped_rods, skipped_meshes;
} ViewDrawStats;

// Of the last picture drawn.
ViewDrawStats view_renderer_stats(const ViewRenderer *renderer);
