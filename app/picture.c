#include "app/picture.h"

#include <string.h>

SnResult picture_begin(const SnScene *scene, const ViewBounds *bounds, int width, int height,
                       Picture *out_picture) {
    memset(out_picture, 0, sizeof *out_picture);
    bool orbits = sn_scene_camera(scene, 0.0).orbit != 0.0f;
    out_picture->framed = view_camera_frame(bounds, (float)width / (float)height, orbits);
    SnResult result = stage_begin(scene, bounds, &out_picture->stage);
    if (result.code == SN_OK)
        result = view_context_create(&out_picture->context);
    if (result.code == SN_OK)
        result = view_renderer_create(width, height, &out_picture->renderer);
    return result;
}

void picture_end(Picture *picture) {
    view_image_release(&picture->image);
    if (picture->renderer)
        view_renderer_destroy(picture->renderer);
    if (picture->context)
        view_context_destroy(picture->context);
    stage_end(&picture->stage);
    memset(picture, 0, sizeof *picture);
}

SnResult picture_draw(Picture *picture, const Moment *moment) {
    Stage *stage = &picture->stage;
    SnResult result = stage_set(stage, moment, &(StageShow){.skins = STAGE_ALL_SKINS});
    ViewCamera camera = stage_camera(stage->scene, &picture->framed, moment->time);
    if (result.code == SN_OK)
        result = view_renderer_draw(picture->renderer, &stage->view, &camera);
    return result.code == SN_OK ? view_renderer_read(picture->renderer, &picture->image) : result;
}
