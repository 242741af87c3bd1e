// Writing pictures as PNG.
#pragma once

#include "view/image.h"

// Writes path + ".part" and renames it when it is complete, so that what lies at `path` is always a
// whole picture.
SnResult view_png_write(const char *path, const ViewImage *image);
