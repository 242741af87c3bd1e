// A panel of text over a picture.
#pragma once

#include "view/renderer.h"

typedef struct SnvOverlay SnvOverlay;

typedef enum SnvCorner {
    SNV_TOP_LEFT,
    SNV_TOP_RIGHT,
    SNV_BOTTOM_LEFT,
    SNV_BOTTOM_RIGHT,
} SnvCorner;

// Needs a current OpenGL context, as the renderer does.
SnResult snv_overlay_create(SnvOverlay **out_overlay);
void snv_overlay_destroy(SnvOverlay *overlay);

// Puts printable ASCII over the last drawn picture: lines, each of one or two columns with a tab in
// between. `size` is the height of a capital in pixels. The panel is painted anew only if text or
// size have changed.
SnResult snv_overlay_draw(SnvOverlay *overlay, SnvRenderer *renderer, const char *text,
                          SnvCorner corner, float size);
