#include "view/frame_block.h"

#include "view/solids.h"

#include <string.h>

// Tangent of the key light's angular radius: a large soft box a few metres away.
#define LIGHT_TANGENT 0.11f

// From the left, above and behind the camera.
SnVec3 view_key_direction(void) {
    return sn_vec3_normalise(sn_vec3(-0.42f, 0.82f, 0.46f), sn_vec3(0.0f, 1.0f, 0.0f));
}

static void store(float *target, SnVec3 v, float w) {
    target[0] = v.x;
    target[1] = v.y;
    target[2] = v.z;
    target[3] = w;
}

static float linear_of(float srgb) { return powf(fmaxf(srgb, 0.0f), 2.2f); }

// A backdrop of one colour is a little lighter where it meets the ground.
static void fill_backdrop(ViewFrameBlock *block, const ViewScene *scene) {
    SnVec3 low = sn_vec3(0.76f, 0.72f, 0.67f), high = sn_vec3(0.50f, 0.57f, 0.64f);
    if (scene->has_background) {
        const float *c = scene->background;
        SnVec3 colour = sn_vec3(linear_of(c[0]), linear_of(c[1]), linear_of(c[2]));
        low = sn_vec3_scale(colour, 1.15f);
        high = sn_vec3_scale(colour, 0.78f);
    }
    store(block->backdrop_low, low, 0.0f);
    store(block->backdrop_high, high, 0.0f);
}

static SnVec3 turned(const ViewMat4 *m, SnVec3 v) {
    return sn_vec3(m->m[0] * v.x + m->m[4] * v.y + m->m[8] * v.z,
                   m->m[1] * v.x + m->m[5] * v.y + m->m[9] * v.z,
                   m->m[2] * v.x + m->m[6] * v.y + m->m[10] * v.z);
}

static SnVec3 moved(const ViewMat4 *m, SnVec3 v) {
    return sn_vec3_add(turned(m, v), sn_vec3(m->m[12], m->m[13], m->m[14]));
}

// The inverse of a rotation and translation.
static ViewMat4 rigid_inverse(const ViewMat4 *m) {
    SnVec3 x = view_load(m->m), y = view_load(m->m + 4), z = view_load(m->m + 8);
    SnVec3 t = view_load(m->m + 12);
    ViewMat4 inverse = {{x.x, y.x, z.x, 0.0f, x.y, y.y, z.y, 0.0f, x.z, y.z, z.z, 0.0f,
                         -sn_vec3_dot(x, t), -sn_vec3_dot(y, t), -sn_vec3_dot(z, t), 1.0f}};
    return inverse;
}

static ViewMat4 camera_view(const ViewCamera *camera, SnVec3 origin) {
    ViewCameraAxes axes = view_camera_axes(camera);
    return view_mat4_view(sn_vec3_sub(camera->position, origin), axes.right, axes.up, axes.back);
}

// The key light looks at all that is drawn, and no further: what receives shadows beyond the box is
// only the ground, along the shadow's own direction.
static void fit_light(ViewFrameBlock *block, const ViewBox *local) {
    SnVec3 back = view_key_direction();
    SnVec3 right = view_across(back);
    SnVec3 nowhere = sn_vec3(0.0f, 0.0f, 0.0f);
    ViewMat4 view = view_mat4_view(nowhere, right, sn_vec3_cross(back, right), back);

    ViewBox lit = view_box_empty();
    for (int i = 0; i < 8; ++i)
        view_box_add(&lit, moved(&view, view_box_corner(local, i)), 0.0f);
    float margin = 0.04f * block->centre[3];
    lit.low = sn_vec3_sub(lit.low, sn_vec3(margin, margin, margin));
    lit.high = sn_vec3_add(lit.high, sn_vec3(margin, margin, margin));

    ViewMat4 projection = view_mat4_orthographic(lit.low, lit.high);
    block->light_clip_from_scene = view_mat4_multiply(&projection, &view);
    const ViewMat4 halve = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1.0f}};
    ViewMat4 scene_from_view = rigid_inverse(&block->view_from_scene);
    ViewMat4 map = view_mat4_multiply(&halve, &block->light_clip_from_scene);
    block->light_from_view = view_mat4_multiply(&map, &scene_from_view);

    SnVec3 extent = sn_vec3_sub(lit.high, lit.low);
    store(block->shadow, extent, fmaxf(extent.x, extent.y) / (float)VIEW_SHADOW_SIDE);
}

// Everything drawn, with the ground below it as far as shadows fall.
static ViewBox with_shadows(const ViewScene *scene, ViewBox box) {
    float height = fmaxf(box.high.y - scene->ground_height, 0.0f);
    if (scene->has_ground && height > 0.0f) {
        SnVec3 key = view_key_direction();
        float x = -key.x / key.y * height, z = -key.z / key.y * height;
        box.low = sn_vec3(fminf(box.low.x, box.low.x + x), fminf(box.low.y, scene->ground_height),
                          fminf(box.low.z, box.low.z + z));
        box.high = sn_vec3(fmaxf(box.high.x, box.high.x + x), box.high.y,
                           fmaxf(box.high.z, box.high.z + z));
    }
    return box;
}

// The camera's depth range: with neither ground nor scenery just what is drawn; else from close to
// the eye, wherever it has gone, to the far end of the ground.
static ViewMat4 projection_of(const ViewScene *scene, const ViewFraming *framing,
                              const ViewCamera *camera, float radius, float ground_side) {
    float away = sn_vec3_length(sn_vec3_sub(camera->position, view_box_middle(&framing->box)));
    float arm = sn_vec3_length(sn_vec3_sub(camera->position, camera->target));
    float near = fmaxf(0.01f * fminf(away, arm), away - 1.5f * radius);
    if (scene->has_ground || framing->has_scenery)
        near = fmaxf(0.01f * fminf(away, arm), away - 6.0f * radius);
    float far = fmaxf(away + 2.0f * ground_side, 2.0f * near);
    return view_mat4_perspective(camera->fov, (float)framing->width / (float)framing->height, near,
                                 far);
}

ViewFrameBlock view_frame_block(const ViewScene *scene, const ViewFraming *framing,
                                const ViewCamera *camera) {
    ViewFrameBlock block;
    memset(&block, 0, sizeof block);
    const float width = (float)framing->width, height = (float)framing->height;
    SnVec3 middle = view_box_middle(&framing->box), origin = framing->origin;
    float radius = fmaxf(view_box_radius(&framing->box), 1.0e-6f);
    float ground_side = 8.0f * radius;

    ViewMat4 projection = projection_of(scene, framing, camera, radius, ground_side);
    block.view_from_scene = camera_view(camera, origin);
    block.clip_from_scene = view_mat4_multiply(&projection, &block.view_from_scene);

    float tangent = 1.0f / projection.m[5];
    store(block.lens, sn_vec3(tangent * width / height, tangent, projection.m[10]),
          projection.m[14]);
    store(block.size, sn_vec3(width, height, 1.0f / width), 1.0f / height);
    store(block.key, turned(&block.view_from_scene, view_key_direction()), LIGHT_TANGENT);
    SnVec3 up = turned(&block.view_from_scene, sn_vec3(0.0f, 1.0f, 0.0f));
    store(block.up, up, 0.0f);
    SnVec3 below = sn_vec3_sub(middle, origin);
    store(block.centre, moved(&block.view_from_scene, below), radius);
    float reach = fmaxf(0.03f * radius, fminf(5.0f * framing->mean_radius, 0.2f * radius));
    store(block.occlusion, sn_vec3(reach, 0.0f, 0.0f), 0.0f);
    below.y = scene->ground_height - origin.y;
    store(block.ground, below, ground_side);
    float spacing = view_grid_spacing(0.3f * radius);
    // The lines pass through the world's origin, wherever the middle of the scene is.
    store(block.grid,
          sn_vec3(fmodf(middle.x, spacing) / spacing, fmodf(middle.z, spacing) / spacing,
                  scene->has_grid ? 1.0f / spacing : 0.0f),
          0.0f);
    fill_backdrop(&block, scene);

    ViewBox local = with_shadows(scene, framing->box);
    local.low = sn_vec3_sub(local.low, origin);
    local.high = sn_vec3_sub(local.high, origin);
    fit_light(&block, &local);
    return block;
}
