// A small stroke font: printable ASCII, drawn as smooth lines at any size and angle.
#pragma once

#include "view/canvas.h"

// `size` is the height of a capital in pixels.
float view_text_width(const char *text, float size);

typedef enum ViewAlign { VIEW_ALIGN_LEFT, VIEW_ALIGN_CENTRE, VIEW_ALIGN_RIGHT } ViewAlign;

// Paints a line of text whose baseline passes through x, y; `upward` turns it a quarter to read
// from bottom to top. Other than ASCII shows as a question mark.
void view_text_paint(ViewCanvas *canvas, const char *text, float x, float y, float size,
                     ViewAlign align, bool upward, ViewColour colour);
