// Smooth lines, discs and rectangles drawn into a picture by software. y points down, in pixels;
// the middle of the first pixel is at 0.5, 0.5.
#pragma once

#include "view/image.h"

typedef struct ViewCanvas {
    ViewImage *image;
    float *coverage; // of the shape being made, per pixel
    int left, top;   // pixels outside [left, right) × [top, bottom) are not drawn
    int right, bottom;
    int low_x, low_y; // the part of coverage that is not zero
    int high_x, high_y;
} ViewCanvas;

typedef struct ViewColour {
    float red, green, blue; // sRGB, 0 to 1
} ViewColour;

SnResult view_canvas_create(ViewImage *image, ViewCanvas *out_canvas);
void view_canvas_release(ViewCanvas *canvas);
void view_canvas_clip(ViewCanvas *canvas, int left, int top, int right, int bottom);

// Adds a line with round ends to the shape; of no length, it is a disc. Lines of one shape may
// overlap without showing it.
void view_canvas_line(ViewCanvas *canvas, float x0, float y0, float x1, float y1, float width);
void view_canvas_rectangle(ViewCanvas *canvas, float x0, float y0, float x1, float y1);
// Paints the shape and starts a new one.
void view_canvas_paint(ViewCanvas *canvas, ViewColour colour, float opacity);
