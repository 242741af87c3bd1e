// Pictures of a scene without a window.
#pragma once

#include "app/stage.h"
#include "view/context.h"

typedef struct Picture {
    Stage stage;
    ViewContext *context;
    ViewRenderer *renderer;
    ViewCamera framed; // where the scene does not say otherwise
    ViewImage image;   // the last one drawn
} Picture;

// `bounds` hold the whole motion; the camera is framed on them.
SnResult picture_begin(const SnScene *scene, const ViewBounds *bounds, int width, int height,
                       Picture *out_picture);
SnResult picture_draw(Picture *picture, const Moment *moment);
void picture_end(Picture *picture); // fine after a picture_begin that failed, too
