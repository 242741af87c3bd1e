// The picture in five passes: the shadow map, the G-buffer (surface and depth, 4 samples each), what
// every second pixel of every second row sees of sky and key light, a smoothing of that, and the light.
#include "view/renderer.h"

#include "view/batch.h"
#include "view/frame_block.h"
#include "view/marks.h"
#include "view/meshes.h"
#include "view/pegs.h"
#include "view/rods.h"
#include "view/shaders.h"
#include "view/solids.h"
#include "view/targets.h"

#include <stdlib.h>

typedef struct Programs {
    GLuint body, bark, ground, shadow, visibility, smooth, light;
    GLint body_kind, bark_kind, smooth_direction;
} Programs;

struct ViewRenderer {
    int width, height;
    ViewTriangles bodies, marks;
    ViewMeshes meshes;
    int skipped_rods;
    Programs programs;
    ViewTargets targets;
    ViewBatch body_batch, mesh_batch, mark_batch;
    GLuint empty_array, frame_buffer;
    GLuint shadow_sampler; // compares and filters; the texture's own state reads plain depths
};

// Texture units, one per map.
enum { UNIT_DEPTH, UNIT_SURFACE, UNIT_BLOCKERS, UNIT_SHADOW, UNIT_VISIBILITY };

static SnResult create_programs(Programs *programs) {
    const struct {
        const char *name, *vertex, *fragment;
        GLuint *program;
    } rows[] = {
        {"body", view_glsl_body_vertex, view_glsl_surface_fragment, &programs->body},
        {"bark", view_glsl_body_vertex, view_glsl_bark_fragment, &programs->bark},
        {"ground", view_glsl_ground_vertex, view_glsl_surface_fragment, &programs->ground},
        {"shadow", view_glsl_shadow_vertex, view_glsl_shadow_fragment, &programs->shadow},
        {"visibility", view_glsl_screen_vertex, view_glsl_visibility_fragment,
         &programs->visibility},
        {"smooth", view_glsl_screen_vertex, view_glsl_smooth_fragment, &programs->smooth},
        {"light", view_glsl_screen_vertex, view_glsl_light_fragment, &programs->light},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        SnResult result =
            view_program_create(rows[i].name, rows[i].vertex, rows[i].fragment, rows[i].program);
        if (result.code != SN_OK)
            return result;
    }
    view_program_sampler(programs->visibility, "depth_map", UNIT_DEPTH);
    view_program_sampler(programs->visibility, "surface_map", UNIT_SURFACE);
    view_program_sampler(programs->visibility, "blocker_map", UNIT_BLOCKERS);
    view_program_sampler(programs->visibility, "shadow_map", UNIT_SHADOW);
    view_program_sampler(programs->smooth, "visibility_map", UNIT_VISIBILITY);
    view_program_sampler(programs->smooth, "surface_map", UNIT_SURFACE);
    view_program_sampler(programs->light, "depth_map", UNIT_DEPTH);
    view_program_sampler(programs->light, "surface_map", UNIT_SURFACE);
    view_program_sampler(programs->light, "visibility_map", UNIT_VISIBILITY);
    programs->body_kind = glGetUniformLocation(programs->body, "kind");
    programs->bark_kind = glGetUniformLocation(programs->bark, "kind");
    programs->smooth_direction = glGetUniformLocation(programs->smooth, "direction");
    return sn_ok();
}

static void create_buffers(ViewRenderer *renderer) {
    renderer->body_batch = view_batch_create();
    renderer->mesh_batch = view_batch_create();
    renderer->mark_batch = view_batch_create();
    glGenVertexArrays(1, &renderer->empty_array);
    glGenBuffers(1, &renderer->frame_buffer);
    glGenSamplers(1, &renderer->shadow_sampler);
    GLuint sampler = renderer->shadow_sampler;
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static SnResult check_size(int width, int height) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width < 16 || height < 16 || width > most || height > most)
        return sn_error(SN_ERROR_INVALID, "view: picture size %d×%d is not within 16 and %d", width,
                        height, most);
    return sn_ok();
}

SnResult view_renderer_create(int width, int height, ViewRenderer **out_renderer) {
    *out_renderer = NULL;
    if (epoxy_gl_version() < 33)
        return sn_error(SN_ERROR_INVALID,
                        "view: no current OpenGL context of version 3.3 or later (it is %d.%d)",
                        epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    SnResult result = check_size(width, height);
    if (result.code != SN_OK)
        return result;
    ViewRenderer *renderer = calloc(1, sizeof *renderer);
    if (renderer == NULL)
        return sn_error(SN_ERROR_MEMORY, "view: no memory for a renderer");
    renderer->width = width;
    renderer->height = height;
    create_buffers(renderer);
    result = create_programs(&renderer->programs);
    if (result.code == SN_OK)
        result = view_targets_create(width, height, &renderer->targets);
    if (result.code != SN_OK) {
        view_renderer_destroy(renderer);
        return result;
    }
    *out_renderer = renderer;
    return result;
}

void view_renderer_destroy(ViewRenderer *renderer) {
    if (renderer == NULL)
        return;
    const Programs *p = &renderer->programs;
    const GLuint programs[] = {p->body,       p->bark,   p->ground, p->shadow,
                               p->visibility, p->smooth, p->light};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i)
        glDeleteProgram(programs[i]);
    view_targets_destroy(&renderer->targets);
    view_batch_destroy(&renderer->body_batch);
    view_batch_destroy(&renderer->mesh_batch);
    view_batch_destroy(&renderer->mark_batch);
    glDeleteBuffers(1, &renderer->frame_buffer);
    glDeleteVertexArrays(1, &renderer->empty_array);
    glDeleteSamplers(1, &renderer->shadow_sampler);
    view_triangles_release(&renderer->bodies);
    view_triangles_release(&renderer->marks);
    view_meshes_release(&renderer->meshes);
    free(renderer);
}

SnResult view_renderer_resize(ViewRenderer *renderer, int width, int height) {
    SnResult result = check_size(width, height);
    if (result.code != SN_OK || (width == renderer->width && height == renderer->height))
        return result;
    ViewTargets targets;
    result = view_targets_create(width, height, &targets);
    if (result.code != SN_OK) {
        view_targets_destroy(&targets);
        return result;
    }
    view_targets_destroy(&renderer->targets);
    renderer->targets = targets;
    renderer->width = width;
    renderer->height = height;
    return result;
}

static void bind_maps(const ViewRenderer *renderer) {
    const struct ViewTextures *t = &renderer->targets.textures;
    const GLuint multisampled[2] = {t->depth, t->surface};
    for (int i = 0; i < 2; ++i) {
        glActiveTexture(GL_TEXTURE0 + i);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, multisampled[i]);
    }
    glActiveTexture(GL_TEXTURE0 + UNIT_BLOCKERS);
    glBindTexture(GL_TEXTURE_2D, t->shadow);
    glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW);
    glBindTexture(GL_TEXTURE_2D, t->shadow);
    glBindSampler(UNIT_SHADOW, renderer->shadow_sampler);
    glActiveTexture(GL_TEXTURE0 + UNIT_VISIBILITY);
}

static void draw_screen(const ViewRenderer *renderer, GLuint framebuffer, GLuint program) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glUseProgram(program);
    glBindVertexArray(renderer->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Open meshes are seen from inside, too.
static void draw_bodies(const ViewRenderer *renderer, GLuint program, GLuint bark) {
    const ViewBatch *meshes = &renderer->mesh_batch;
    const size_t *end = renderer->meshes.part_end;
    glEnable(GL_CULL_FACE);
    view_batch_draw(&renderer->body_batch, program);
    view_batch_draw_part(meshes, program, 0, end[VIEW_PART_CLOSED]);
    glDisable(GL_CULL_FACE);
    view_batch_draw_part(meshes, program, end[VIEW_PART_CLOSED], end[VIEW_PART_OPEN]);
    view_batch_draw_part(meshes, bark, end[VIEW_PART_OPEN], end[VIEW_PART_BARK]);
}

// What is clear takes some of the samples of a pixel, the same ones everywhere, and leaves the others
// to what lies behind it.
static void draw_clear(const ViewRenderer *renderer, GLuint program) {
    const size_t *end = renderer->meshes.part_end;
    glEnable(GL_SAMPLE_COVERAGE);
    for (int part = VIEW_PART_CLEAR; part < VIEW_MESH_PARTS; ++part) {
        glSampleCoverage(0.25f * (float)(part - VIEW_PART_CLEAR + 1), GL_FALSE);
        view_batch_draw_part(&renderer->mesh_batch, program, end[part - 1], end[part]);
    }
    glDisable(GL_SAMPLE_COVERAGE);
}

static void draw_shadow(const ViewRenderer *renderer) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.shadow);
    glViewport(0, 0, VIEW_SHADOW_SIDE, VIEW_SHADOW_SIDE);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_bodies(renderer, renderer->programs.shadow, renderer->programs.shadow);
}

static void draw_surfaces(const ViewRenderer *renderer, bool has_ground) {
    const Programs *programs = &renderer->programs;
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.surface);
    glViewport(0, 0, renderer->width, renderer->height);
    static const GLuint nothing[4] = {0};
    glClearBufferuiv(GL_COLOR, 0, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(programs->bark);
    glUniform1f(programs->bark_kind, 1.0f);
    glUseProgram(programs->body);
    glUniform1f(programs->body_kind, 1.0f);
    draw_bodies(renderer, programs->body, programs->bark);
    draw_clear(renderer, programs->body);
    glEnable(GL_CULL_FACE);
    if (has_ground) {
        glUseProgram(programs->ground);
        glBindVertexArray(renderer->empty_array);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    // Marks are nearer than all else, and still in order among themselves.
    glDepthRange(0.0, 1.0e-3);
    glUseProgram(programs->body);
    glUniform1f(programs->body_kind, 2.0f / 3.0f);
    view_batch_draw(&renderer->mark_batch, programs->body);
    glDepthRange(0.0, 1.0);
    glDisable(GL_CULL_FACE);
}

static void draw_light(const ViewRenderer *renderer) {
    const Programs *programs = &renderer->programs;
    const struct ViewTextures *textures = &renderer->targets.textures;
    const struct ViewFramebuffers *framebuffers = &renderer->targets.framebuffers;
    bind_maps(renderer);
    glViewport(0, 0, (renderer->width + 1) / 2, (renderer->height + 1) / 2);
    draw_screen(renderer, framebuffers->visibility[0], programs->visibility);
    for (int axis = 0; axis < 2; ++axis) {
        glUseProgram(programs->smooth);
        glUniform2i(programs->smooth_direction, axis == 0, axis == 1);
        glBindTexture(GL_TEXTURE_2D, textures->visibility[axis]);
        draw_screen(renderer, framebuffers->visibility[1 - axis], programs->smooth);
    }
    glBindTexture(GL_TEXTURE_2D, textures->visibility[0]);
    glViewport(0, 0, renderer->width, renderer->height);
    draw_screen(renderer, framebuffers->picture, programs->light);
    glBindSampler(UNIT_SHADOW, 0);
}

static void upload(ViewRenderer *renderer, const ViewFrameBlock *block) {
    view_batch_upload(&renderer->body_batch, &renderer->bodies, true);
    view_batch_upload(&renderer->mark_batch, &renderer->marks, true);
    view_batch_upload(&renderer->mesh_batch, &renderer->meshes.triangles,
                      renderer->meshes.indices_changed);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *block, block, GL_STREAM_DRAW);
}

static SnResult check_camera(const ViewCamera *camera) {
    SnVec3 arm = sn_vec3_sub(camera->position, camera->target);
    float distance = sn_vec3_length(arm);
    if (!(distance > 0.0f && distance < 1.0e9f))
        return sn_error(SN_ERROR_INVALID,
                        "view: camera position is %g m from its target; it must be finite and "
                        "not 0",
                        (double)distance);
    if (!(camera->fov >= 1.0f && camera->fov <= 150.0f))
        return sn_error(SN_ERROR_INVALID, "view: camera fov %g is not within 1 and 150 degrees",
                        (double)camera->fov);
    return sn_ok();
}

// What light and shadows are made for: the bodies, the motion as the caller knows it, and of all
// else what is near them.
static ViewBox lit_box(const ViewScene *scene, const ViewBox *bodies, const ViewBox *scenery,
                       SnVec3 origin) {
    ViewBox box = *bodies;
    if (!view_bounds_is_empty(&scene->bounds)) {
        view_box_add(&box, scene->bounds.low, 0.0f);
        view_box_add(&box, scene->bounds.high, 0.0f);
    }
    if (view_box_is_empty(&box) && view_box_is_empty(scenery)) {
        view_box_add(&box, origin, 0.5f);
    } else if (view_box_is_empty(&box)) {
        box = *scenery;
    } else if (!view_box_is_empty(scenery)) {
        SnVec3 reach = sn_vec3(1.5f, 1.5f, 1.5f);
        reach = sn_vec3_scale(reach, view_box_radius(&box));
        SnVec3 low = view_max(scenery->low, sn_vec3_sub(box.low, reach));
        SnVec3 high = view_min(scenery->high, sn_vec3_add(box.high, reach));
        box.low = view_min(box.low, low);
        box.high = view_max(box.high, high);
    }
    return box;
}

// Makes all triangles of a picture.
static SnResult build(ViewRenderer *renderer, const ViewScene *scene, ViewDetail detail,
                      ViewFraming *framing) {
    ViewTriangles *bodies = &renderer->bodies;
    view_triangles_clear(bodies, framing->origin);
    view_triangles_clear(&renderer->marks, framing->origin);
    ViewRodsDrawn rods;
    SnResult result = view_rods_add(bodies, &scene->rods, detail, &rods);
    renderer->skipped_rods = rods.skipped;
    if (result.code == SN_OK)
        result = view_meshes_build(&renderer->meshes, scene->meshes, scene->mesh_count, detail,
                                   framing->origin);
    ViewBox box = rods.box, scenery = renderer->meshes.scenery_box;
    view_box_join(&box, &renderer->meshes.box);
    for (int i = 0; i < scene->peg_count && result.code == SN_OK; ++i)
        result = view_peg_add(bodies, &scene->pegs[i], detail, &box);
    for (int i = 0; i < scene->solid_count && result.code == SN_OK; ++i)
        result = view_solid_add(bodies, &scene->solids[i], detail, &scenery);
    framing->box = lit_box(scene, &box, &scenery, framing->origin);
    framing->has_scenery = scene->solid_count > 0 || !view_box_is_empty(&scenery);
    framing->mean_radius = rods.mean_radius;
    for (int i = 0; i < scene->solid_count && result.code == SN_OK; ++i)
        if (scene->solids[i].kind == VIEW_SOLID_PLANE)
            result = view_plane_add(bodies, &scene->solids[i], view_key_direction(), &framing->box);
    if (result.code == SN_OK)
        result = view_marks_add(&renderer->marks, scene, rods.mean_radius, detail);
    return result;
}

SnResult view_renderer_draw(ViewRenderer *renderer, const ViewScene *scene,
                            const ViewCamera *camera) {
    SnResult result = check_camera(camera);
    if (result.code != SN_OK)
        return result;
    if (scene->has_ground && !(fabsf(scene->ground_height) < 1.0e9f))
        return sn_error(SN_ERROR_INVALID, "view: ground_height %g is not a finite height",
                        (double)scene->ground_height);
    float half_angle = 0.5f * camera->fov * 3.14159265f / 180.0f;
    ViewDetail detail = {camera->position, 0.5f * (float)renderer->height / tanf(half_angle), 1.0f};
    ViewFraming framing = {
        .origin = camera->target, .width = renderer->width, .height = renderer->height};
    result = build(renderer, scene, detail, &framing);
    if (result.code != SN_OK)
        return result;
    ViewFrameBlock block = view_frame_block(scene, &framing, camera);
    upload(renderer, &block);
    glEnable(GL_DEPTH_TEST);
    draw_shadow(renderer);
    draw_surfaces(renderer, scene->has_ground);
    glDisable(GL_DEPTH_TEST);
    draw_light(renderer);
    GLenum error = glGetError();
    if (error != GL_NO_ERROR)
        return sn_error(SN_ERROR_INVALID, "view: drawing failed with OpenGL error 0x%x%s", error,
                        error == GL_OUT_OF_MEMORY ? " (out of memory)" : "");
    return sn_ok();
}

SnResult view_renderer_read(ViewRenderer *renderer, ViewImage *image) {
    return view_framebuffer_read(renderer->targets.framebuffers.picture, renderer->width,
                                 renderer->height, image);
}

void view_renderer_show(ViewRenderer *renderer) {
    int w = renderer->width, h = renderer->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->targets.framebuffers.picture);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void view_renderer_bind(const ViewRenderer *renderer, int *out_width, int *out_height) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.picture);
    glViewport(0, 0, renderer->width, renderer->height);
    *out_width = renderer->width;
    *out_height = renderer->height;
}

ViewDrawStats view_renderer_stats(const ViewRenderer *renderer) {
    size_t indices = renderer->bodies.index_count + renderer->marks.index_count +
                     renderer->meshes.triangles.index_count;
    return (ViewDrawStats){indices / 3, renderer->skipped_rods, renderer->meshes.skipped};
}
