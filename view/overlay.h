// A panel of text over a picture.
#pragma once

#include "view/renderer.h"

typedef struct ViewOverlay ViewOverlay;

typedef enum ViewCorner {
    VIEW_TOP_LEFT,
    VIEW_TOP_RIGHT,
    VIEW_BOTTOM_LEFT,
    VIEW_BOTTOM_RIGHT,
} ViewCorner;

// Needs a current OpenGL context, as the renderer does.
SnResult view_overlay_create(ViewOverlay **out_overlay);
void view_overlay_destroy(ViewOverlay *overlay);

// Puts printable ASCII over the last drawn picture: lines, each of one or two columns with a tab in
// between. `size` is the height of a capital in pixels. The panel is painted anew only if text or
// size have changed.
SnResult view_overlay_draw(ViewOverlay *overlay, ViewRenderer *renderer, const char *text,
                           ViewCorner corner, float size);
