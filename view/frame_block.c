#include "view/frame_block.h"

#include <string.h>

// Tangent of the key light's angular radius: a large soft box a few metres away.
#define LIGHT_TANGENT 0.11f

// From the left, above and behind the camera, in the world.
static SnVec3 key_direction(void) {
    return snv__normalise(sn_vec3(-0.42f, 0.82f, 0.46f), sn_vec3(0.0f, 1.0f, 0.0f));
}

static void store(float *target, SnVec3 v, float w) {
    target[0] = v.x;
    target[1] = v.y;
    target[2] = v.z;
    target[3] = w;
}

static float linear_of(float srgb) { return powf(fmaxf(srgb, 0.0f), 2.2f); }

// A backdrop of one colour is a little lighter where it meets the ground.
static void fill_backdrop(SnvFrameBlock *block, const SnvScene *scene) {
    SnVec3 low = sn_vec3(0.76f, 0.72f, 0.67f), high = sn_vec3(0.50f, 0.57f, 0.64f);
    if (scene->has_background) {
        const float *c = scene->background;
        SnVec3 colour = sn_vec3(linear_of(c[0]), linear_of(c[1]), linear_of(c[2]));
        low = snv__scale(colour, 1.15f);
        high = snv__scale(colour, 0.78f);
    }
    store(block->backdrop_low, low, 0.0f);
    store(block->backdrop_high, high, 0.0f);
}

static SnVec3 turned(const SnvMat4 *m, SnVec3 v) {
    return sn_vec3(m->m[0] * v.x + m->m[4] * v.y + m->m[8] * v.z,
                   m->m[1] * v.x + m->m[5] * v.y + m->m[9] * v.z,
                   m->m[2] * v.x + m->m[6] * v.y + m->m[10] * v.z);
}

static SnVec3 moved(const SnvMat4 *m, SnVec3 v) {
    return snv__add(turned(m, v), sn_vec3(m->m[12], m->m[13], m->m[14]));
}

// The inverse of a rotation and translation.
static SnvMat4 rigid_inverse(const SnvMat4 *m) {
    SnVec3 x = snv__load(m->m), y = snv__load(m->m + 4), z = snv__load(m->m + 8);
    SnVec3 t = snv__load(m->m + 12);
    SnvMat4 inverse = {{x.x, y.x, z.x, 0.0f, x.y, y.y, z.y, 0.0f, x.z, y.z, z.z, 0.0f,
                        -snv__dot(x, t), -snv__dot(y, t), -snv__dot(z, t), 1.0f}};
    return inverse;
}

static SnVec3 corner(const SnvBounds *box, int i) {
    return sn_vec3(i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                   i & 4 ? box->high.z : box->low.z);
}

static SnvMat4 camera_view(const SnvCamera *camera, SnVec3 origin) {
    SnVec3 back =
        snv__normalise(snv__sub(camera->position, camera->target), sn_vec3(0.0f, 0.0f, 1.0f));
    SnVec3 side = snv__cross(sn_vec3(0.0f, 1.0f, 0.0f), back);
    // Straight down or up there is no side; any will do.
    SnVec3 right = snv__length(side) > 1.0e-4f ? snv__normalise(side, sn_vec3(1.0f, 0.0f, 0.0f))
                                               : sn_vec3(1.0f, 0.0f, 0.0f);
    return snv__mat4_view(snv__sub(camera->position, origin), right, snv__cross(back, right), back);
}

// The key light looks at all that is drawn, and no further: what receives shadows beyond the box is
// only the ground, along the shadow's own direction.
static void fit_light(SnvFrameBlock *block, const SnvBounds *local) {
    SnVec3 back = key_direction();
    SnVec3 right = snv__across(back);
    SnVec3 nowhere = sn_vec3(0.0f, 0.0f, 0.0f);
    SnvMat4 view = snv__mat4_view(nowhere, right, snv__cross(back, right), back);

    SnvBounds lit = snv_bounds_empty();
    for (int i = 0; i < 8; i++) {
        SnVec3 p = moved(&view, corner(local, i));
        snv_bounds_add(&lit, &p.x, NULL, 1);
    }
    float margin = 0.04f * block->centre[3];
    lit.low = snv__sub(lit.low, sn_vec3(margin, margin, margin));
    lit.high = snv__add(lit.high, sn_vec3(margin, margin, margin));

    SnvMat4 projection = snv__mat4_orthographic(lit.low, lit.high);
    block->light_clip_from_scene = snv__mat4_multiply(&projection, &view);
    const SnvMat4 halve = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1.0f}};
    SnvMat4 scene_from_view = rigid_inverse(&block->view_from_scene);
    SnvMat4 map = snv__mat4_multiply(&halve, &block->light_clip_from_scene);
    block->light_from_view = snv__mat4_multiply(&map, &scene_from_view);

    SnVec3 extent = snv__sub(lit.high, lit.low);
    store(block->shadow, extent, fmaxf(extent.x, extent.y) / (float)SNV_SHADOW_SIDE);
}

// Everything drawn, with the ground below it as far as shadows fall.
static SnvBounds with_shadows(const SnvScene *scene, SnvBounds box) {
    float height = fmaxf(box.high.y - scene->ground_height, 0.0f);
    if (scene->has_ground && height > 0.0f) {
        SnVec3 key = key_direction();
        float x = -key.x / key.y * height, z = -key.z / key.y * height;
        box.low = sn_vec3(fminf(box.low.x, box.low.x + x), fminf(box.low.y, scene->ground_height),
                          fminf(box.low.z, box.low.z + z));
        box.high = sn_vec3(fmaxf(box.high.x, box.high.x + x), box.high.y,
                           fmaxf(box.high.z, box.high.z + z));
    }
    return box;
}

SnvFrameBlock snv__frame_block(const SnvScene *scene, const SnvBounds *bounds, float mean_radius,
                               const SnvCamera *camera, SnVec3 origin, int width, int height) {
    SnvFrameBlock block;
    memset(&block, 0, sizeof block);
    SnVec3 middle = snv__scale(snv__add(bounds->low, bounds->high), 0.5f);
    float radius = fmaxf(0.5f * snv__length(snv__sub(bounds->high, bounds->low)), 1.0e-6f);
    float ground_side = 8.0f * radius;

    float away = snv__length(snv__sub(camera->position, middle));
    float near =
        fmaxf(0.01f * away, away - 1.5f * radius - (scene->has_ground ? 4.0f * radius : 0));
    float far = away + 2.0f * ground_side;
    float aspect = (float)width / (float)height;
    SnvMat4 projection = snv__mat4_perspective(camera->fov, aspect, near, far);
    block.view_from_scene = camera_view(camera, origin);
    block.clip_from_scene = snv__mat4_multiply(&projection, &block.view_from_scene);

    float tangent = 1.0f / projection.m[5];
    store(block.lens, sn_vec3(tangent * aspect, tangent, projection.m[10]), projection.m[14]);
    store(block.size, sn_vec3((float)width, (float)height, 1.0f / (float)width),
          1.0f / (float)height);
    store(block.key, turned(&block.view_from_scene, key_direction()), LIGHT_TANGENT);
    SnVec3 up = turned(&block.view_from_scene, sn_vec3(0.0f, 1.0f, 0.0f));
    store(block.up, up, 0.0f);
    SnVec3 below = snv__sub(middle, origin);
    store(block.centre, moved(&block.view_from_scene, below), radius);
    store(block.occlusion,
          sn_vec3(fmaxf(0.03f * radius, fminf(5.0f * mean_radius, 0.2f * radius)), 0.0f, 0.0f),
          0.0f);
    below.y = scene->ground_height - origin.y;
    store(block.ground, below, ground_side);
    fill_backdrop(&block, scene);

    SnvBounds local = with_shadows(scene, *bounds);
    local.low = snv__sub(local.low, origin);
    local.high = snv__sub(local.high, origin);
    fit_light(&block, &local);
    return block;
}
