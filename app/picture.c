#include "app/picture.h"

#include "base/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEGREE 0.01745329252f

// The transfer curve of sRGB: scenes keep linear light, the renderer takes what one would type in.
static float srgb_from_linear(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

static SnvLook look_of_rod(const SnScene *scene, int rod) {
    SnColour colour = sn_scene_rod_colour(scene, rod);
    SnvLook look = snv_palette(rod);
    look.colour[0] = srgb_from_linear(colour.r);
    look.colour[1] = srgb_from_linear(colour.g);
    look.colour[2] = srgb_from_linear(colour.b);
    return look;
}

static SnResult make_looks(Picture *picture) {
    int count = sn_scene_rod_count(picture->scene);
    picture->looks = calloc((size_t)count + 1, sizeof *picture->looks);
    if (!picture->looks) {
        return sn__error(SN_ERROR_MEMORY, "picture: no memory for the looks of %d rods", count);
    }
    for (int i = 0; i < count; i++) {
        picture->looks[i] = look_of_rod(picture->scene, i);
    }
    return sn__ok();
}

SnResult picture_begin(const SnScene *scene, const SnvBounds *bounds, int width, int height,
                       Picture *out_picture) {
    memset(out_picture, 0, sizeof *out_picture);
    SnSceneLook look = sn_scene_look(scene);
    out_picture->scene = scene;
    out_picture->view = snv_default_scene();
    out_picture->view.has_ground = look.has_ground;
    out_picture->view.ground_height = look.ground_height;
    out_picture->view.bounds = *bounds;
    bool orbits = sn_scene_camera(scene, 0.0).orbit != 0.0f;
    out_picture->framed = snv_camera_frame(bounds, (float)width / (float)height, orbits);
    SnResult result = make_looks(out_picture);
    if (result.code == SN_OK) {
        result = snv_context_create(&out_picture->context);
    }
    if (result.code == SN_OK) {
        result = snv_renderer_create(width, height, &out_picture->renderer);
    }
    return result;
}

void picture_end(Picture *picture) {
    snv_image_release(&picture->image);
    if (picture->renderer) {
        snv_renderer_destroy(picture->renderer);
    }
    if (picture->context) {
        snv_context_destroy(picture->context);
    }
    free(picture->looks);
    memset(picture, 0, sizeof *picture);
}

static SnVec3 between(SnVec3 from, SnVec3 to) {
    return sn_vec3(to.x - from.x, to.y - from.y, to.z - from.z);
}

static SnVec3 along(SnVec3 from, SnVec3 arm, float factor) {
    return sn_vec3(from.x + factor * arm.x, from.y + factor * arm.y, from.z + factor * arm.z);
}

// What the scene says about the camera, and for the rest the framed one: another target moves it, a
// longer lens moves it back, so that the motion still fills the picture.
static SnvCamera camera_at(const Picture *picture, double time) {
    SnSceneCamera wish = sn_scene_camera(picture->scene, time);
    SnvCamera camera = picture->framed;
    SnVec3 arm = between(camera.target, camera.position);
    float distance =
        tanf(0.5f * camera.fov * RADIANS_PER_DEGREE) / tanf(0.5f * wish.fov * RADIANS_PER_DEGREE);
    camera.fov = wish.fov;
    if (wish.has_target) {
        camera.target = wish.target;
    }
    camera.position = wish.has_position ? wish.position : along(camera.target, arm, distance);
    return snv_camera_turn(&camera, wish.orbit * RADIANS_PER_DEGREE * (float)time);
}

SnResult picture_draw(Picture *picture, const SnPoses *poses, double time) {
    picture->view.rods = (SnvRods){
        .count = poses->rod_count,
        .vertex_begin = poses->vertex_begin,
        .segment_begin = poses->segment_begin,
        .positions = poses->positions,
        .radii = poses->radii,
        .frames = poses->frames,
        .looks = picture->looks,
    };
    SnvCamera camera = camera_at(picture, time);
    SnResult result = snv_renderer_draw(picture->renderer, &picture->view, &camera);
    return result.code == SN_OK ? snv_renderer_read(picture->renderer, &picture->image) : result;
}

// Copies an array to *at, which moves behind it.
static const void *append(char **at, const void *from, size_t size) {
    void *to = *at;
    memcpy(to, from, size);
    *at += size;
    return to;
}

SnResult pose_copy_make(const SnPoses *poses, double time, PoseCopy *out_copy) {
    size_t begins = ((size_t)poses->rod_count + 1) * sizeof(int);
    size_t scalars = (size_t)poses->vertex_count * sizeof(float);
    size_t frames = (size_t)poses->segment_count * 4 * sizeof(float);
    char *at = malloc(2 * begins + 4 * scalars + frames);
    if (!at) {
        return sn__error(SN_ERROR_MEMORY, "picture: no memory for a copy of %d vertices",
                         poses->vertex_count);
    }
    *out_copy = (PoseCopy){.poses = *poses, .time = time, .memory = at};
    SnPoses *copy = &out_copy->poses;
    copy->vertex_begin = append(&at, poses->vertex_begin, begins);
    copy->segment_begin = append(&at, poses->segment_begin, begins);
    copy->positions = append(&at, poses->positions, 3 * scalars);
    copy->radii = append(&at, poses->radii, scalars);
    copy->frames = append(&at, poses->frames, frames);
    copy->scales = NULL;
    copy->rods = NULL;
    return sn__ok();
}

void pose_copy_release(PoseCopy *copy) {
    free(copy->memory);
    memset(copy, 0, sizeof *copy);
}
