// Smooth lines, discs and rectangles drawn into a picture by software. y points down, in pixels;
// the middle of the first pixel is at 0.5, 0.5.
#pragma once

#include "view/image.h"

typedef struct SnvCanvas {
    SnvImage *image;
    float *coverage; // of the shape being made, per pixel
    int left, top;   // pixels outside [left, right) × [top, bottom) are not drawn
    int right, bottom;
    int low_x, low_y; // the part of coverage that is not zero
    int high_x, high_y;
} SnvCanvas;

typedef struct SnvColour {
    float red, green, blue; // sRGB, 0 to 1
} SnvColour;

SnResult snv__canvas_create(SnvImage *image, SnvCanvas *out_canvas);
void snv__canvas_release(SnvCanvas *canvas);
void snv__canvas_clip(SnvCanvas *canvas, int left, int top, int right, int bottom);

// Adds a line with round ends to the shape; of no length, it is a disc. Lines of one shape may
// overlap without showing it.
void snv__canvas_line(SnvCanvas *canvas, float x0, float y0, float x1, float y1, float width);
void snv__canvas_rectangle(SnvCanvas *canvas, float x0, float y0, float x1, float y1);
// Paints the shape and starts a new one.
void snv__canvas_paint(SnvCanvas *canvas, SnvColour colour, float opacity);
