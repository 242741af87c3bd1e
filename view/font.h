// A small stroke font: printable ASCII, drawn as smooth lines at any size and angle.
#pragma once

#include "view/canvas.h"

// `size` is the height of a capital in pixels.
float snv__text_width(const char *text, float size);

typedef enum SnvAlign { SNV_ALIGN_LEFT, SNV_ALIGN_CENTRE, SNV_ALIGN_RIGHT } SnvAlign;

// Paints a line of text whose baseline passes through x, y; `upward` turns it a quarter to read
// from bottom to top. Other than ASCII shows as a question mark.
void snv__text_paint(SnvCanvas *canvas, const char *text, float x, float y, float size,
                     SnvAlign align, bool upward, SnvColour colour);
