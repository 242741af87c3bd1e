#include "app/picture.h"

#include "base/result.h"
#include "io/scene_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEGREE 0.01745329252f
#define RING_SPACING 1.6f // radii
#define FEWEST_RINGS 3
#define MOST_RINGS 10000
#define THINNEST_RINGED 0.006f // radius over the size of the scene
#define COLLAR 1.15f           // radius of a holder over that of the rod

// The transfer curve of sRGB: scenes keep linear light, the renderer takes what one would type in.
static float srgb_from_linear(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

void picture_srgb(SnColour colour, float out[3]) {
    out[0] = srgb_from_linear(colour.r);
    out[1] = srgb_from_linear(colour.g);
    out[2] = srgb_from_linear(colour.b);
}

// Rings around a rod show how it stretches: one for every few radii of its length at rest, so that
// they look alike on all rods. On thin ones they would only flicker, and one or two show nothing.
static int rings_of_rod(const SnSceneRod *rod, float scene_size) {
    float length = 0.0f, radius = 0.0f;
    for (int i = 0; i < rod->segment_count; i++) {
        SnVec3 a = rod->positions[i], b = rod->positions[(i + 1) % rod->vertex_count];
        length += sqrtf((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) +
                        (b.z - a.z) * (b.z - a.z));
        radius += rod->radii[i] / (float)rod->segment_count;
    }
    if (!(radius > THINNEST_RINGED * scene_size)) {
        return 0;
    }
    float rings = fminf(length / (RING_SPACING * radius), MOST_RINGS);
    return rings < FEWEST_RINGS ? 0 : (int)rings;
}

static SnResult make_looks(Picture *picture, float scene_size) {
    const SnScene *scene = picture->scene;
    picture->looks = calloc((size_t)scene->rod_count + 1, sizeof *picture->looks);
    if (!picture->looks) {
        return sn__error(SN_ERROR_MEMORY, "picture: no memory for the looks of %d rods",
                         scene->rod_count);
    }
    for (int entry = 0; entry < scene->rod_entry_count; entry++) {
        const SnSceneRod *rod = &scene->rods[entry];
        int rings = rings_of_rod(rod, scene_size);
        for (int i = rod->first_rod; i < rod->first_rod + rod->copy_count; i++) {
            picture->looks[i] = snv_palette(i);
            picture->looks[i].rings = rings;
            picture_srgb(sn_scene_rod_colour(scene, i), picture->looks[i].colour);
        }
    }
    return sn__ok();
}

static bool is_held_by_frame(const SnSceneAttachment *attachment) {
    return attachment->kind == SN_ATTACH_VERTEX && attachment->frame >= 0;
}

// Per frame: the entry of the one rod that it holds, or one of these.
enum { HOLDS_NONE = -1, HOLDS_SEVERAL = -2 };

static void find_held_rods(const SnScene *scene, int *held) {
    for (int frame = 0; frame < scene->frame_count; frame++) {
        held[frame] = HOLDS_NONE;
    }
    for (int entry = 0; entry < scene->rod_entry_count; entry++) {
        const SnSceneRod *rod = &scene->rods[entry];
        for (int i = 0; i < rod->attachment_count; i++) {
            if (is_held_by_frame(&rod->attachments[i])) {
                int *of_frame = &held[rod->attachments[i].frame];
                bool alone =
                    rod->copy_count == 1 && (*of_frame == HOLDS_NONE || *of_frame == entry);
                *of_frame = alone ? entry : HOLDS_SEVERAL;
            }
        }
    }
}

// A frame that holds one rod is shown as a collar around it. One that holds several is a body of
// its own, a bar or a crown, which the scene draws as it likes.
static void list_holders(Picture *picture, const int *held) {
    const SnScene *scene = picture->scene;
    for (int entry = 0; entry < scene->rod_entry_count; entry++) {
        const SnSceneRod *rod = &scene->rods[entry];
        for (int i = 0; i < rod->attachment_count; i++) {
            const SnSceneAttachment *attachment = &rod->attachments[i];
            if (is_held_by_frame(attachment) && held[attachment->frame] == entry) {
                picture->holders[picture->holder_count++] = (Holder){
                    rod->first_rod, attachment->index, COLLAR * rod->radii[attachment->index]};
            }
        }
    }
}

static SnResult make_holders(Picture *picture) {
    const SnScene *scene = picture->scene;
    size_t most = 1;
    for (int i = 0; i < scene->rod_entry_count; i++) {
        most += (size_t)scene->rods[i].attachment_count;
    }
    picture->holders = calloc(most, sizeof *picture->holders);
    picture->pegs = calloc(most, sizeof *picture->pegs);
    int *held = calloc((size_t)scene->frame_count + 1, sizeof *held);
    if (!picture->holders || !picture->pegs || !held) {
        free(held);
        return sn__error(SN_ERROR_MEMORY, "picture: no memory for %zu holders", most);
    }
    find_held_rods(scene, held);
    list_holders(picture, held);
    free(held);
    return sn__ok();
}

static float size_of(const SnvBounds *bounds) {
    float x = bounds->high.x - bounds->low.x, y = bounds->high.y - bounds->low.y;
    float z = bounds->high.z - bounds->low.z;
    return sqrtf(x * x + y * y + z * z);
}

static SnvScene view_of(const SnScene *scene, const SnvBounds *bounds) {
    SnSceneLook look = sn_scene_look(scene);
    SnvScene view = snv_default_scene();
    view.has_ground = look.has_ground;
    view.ground_height = look.ground_height;
    view.has_background = look.has_background;
    picture_srgb(look.background, view.background);
    view.bounds = *bounds;
    return view;
}

SnResult picture_begin(const SnScene *scene, const SnvBounds *bounds, int width, int height,
                       Picture *out_picture) {
    memset(out_picture, 0, sizeof *out_picture);
    out_picture->scene = scene;
    out_picture->view = view_of(scene, bounds);
    bool orbits = sn_scene_camera(scene, 0.0).orbit != 0.0f;
    out_picture->framed = snv_camera_frame(bounds, (float)width / (float)height, orbits);
    SnResult result = make_looks(out_picture, size_of(bounds));
    if (result.code == SN_OK) {
        result = make_holders(out_picture);
    }
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
    free(picture->holders);
    free(picture->pegs);
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

static SnVec3 vertex_of(const SnPoses *poses, int rod, int vertex) {
    const float *p = poses->positions + 3 * (size_t)(poses->vertex_begin[rod] + vertex);
    return sn_vec3(p[0], p[1], p[2]);
}

// A cap over the end of a rod, or a band around its middle.
static SnvPeg peg_of(const Holder *holder, const SnPoses *poses) {
    int rod = holder->rod, vertex = holder->vertex;
    int count = poses->vertex_begin[rod + 1] - poses->vertex_begin[rod];
    bool closed = poses->segment_begin[rod + 1] - poses->segment_begin[rod] == count;
    bool first = !closed && vertex == 0, last = !closed && vertex == count - 1;
    SnVec3 at = vertex_of(poses, rod, vertex);
    SnVec3 before = first ? at : vertex_of(poses, rod, (vertex + count - 1) % count);
    SnVec3 after = last ? at : vertex_of(poses, rod, (vertex + 1) % count);
    SnVec3 tangent = between(before, after);
    float length = sqrtf(tangent.x * tangent.x + tangent.y * tangent.y + tangent.z * tangent.z);
    float radius = holder->radius / fmaxf(length, 1.0e-9f); // in lengths of the tangent
    SnvPeg peg = {.radius = holder->radius, .look = {{0.20f, 0.21f, 0.24f}, 0, 0, 0.0f}};
    peg.a = along(at, tangent, -radius * (first ? 1.0f : last ? 0.3f : 0.5f));
    peg.b = along(at, tangent, radius * (last ? 1.0f : first ? 0.3f : 0.5f));
    return peg;
}

SnResult picture_draw(Picture *picture, const SnPoses *poses, double time) {
    for (int i = 0; i < picture->holder_count; i++) {
        picture->pegs[i] = peg_of(&picture->holders[i], poses);
    }
    picture->view.pegs = picture->pegs;
    picture->view.peg_count = picture->holder_count;
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
