// The picture in five passes: the shadow map, the G-buffer (colour, normal, depth, 4 samples each),
// what each pixel sees of sky and key light, a smoothing of that, and the light.
#include "view/renderer.h"

#include "base/result.h"
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
    GLuint body, ground, shadow, visibility, smooth, light;
    GLint body_kind, smooth_direction;
} Programs;

struct SnvRenderer {
    int width, height;
    SnvTriangles bodies, marks;
    SnvMeshes meshes;
    int skipped_rods;
    Programs programs;
    SnvTargets targets;
    SnvBatch body_batch, mesh_batch, mark_batch;
    GLuint empty_array, frame_buffer;
    GLuint shadow_sampler; // compares and filters; the texture's own state reads plain depths
};

// Texture units, one per map.
enum { UNIT_DEPTH, UNIT_NORMAL, UNIT_COLOUR, UNIT_BLOCKERS, UNIT_SHADOW, UNIT_VISIBILITY };

static SnResult create_programs(Programs *programs) {
    const struct {
        const char *name, *vertex, *fragment;
        GLuint *program;
    } rows[] = {
        {"body", snv__glsl_body_vertex, snv__glsl_surface_fragment, &programs->body},
        {"ground", snv__glsl_ground_vertex, snv__glsl_surface_fragment, &programs->ground},
        {"shadow", snv__glsl_shadow_vertex, snv__glsl_shadow_fragment, &programs->shadow},
        {"visibility", snv__glsl_screen_vertex, snv__glsl_visibility_fragment,
         &programs->visibility},
        {"smooth", snv__glsl_screen_vertex, snv__glsl_smooth_fragment, &programs->smooth},
        {"light", snv__glsl_screen_vertex, snv__glsl_light_fragment, &programs->light},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SnResult result =
            snv__program_create(rows[i].name, rows[i].vertex, rows[i].fragment, rows[i].program);
        if (result.code != SN_OK) {
            return result;
        }
    }
    snv__program_sampler(programs->visibility, "depth_map", UNIT_DEPTH);
    snv__program_sampler(programs->visibility, "normal_map", UNIT_NORMAL);
    snv__program_sampler(programs->visibility, "blocker_map", UNIT_BLOCKERS);
    snv__program_sampler(programs->visibility, "shadow_map", UNIT_SHADOW);
    snv__program_sampler(programs->smooth, "visibility_map", UNIT_VISIBILITY);
    snv__program_sampler(programs->smooth, "normal_map", UNIT_NORMAL);
    snv__program_sampler(programs->light, "depth_map", UNIT_DEPTH);
    snv__program_sampler(programs->light, "normal_map", UNIT_NORMAL);
    snv__program_sampler(programs->light, "colour_map", UNIT_COLOUR);
    snv__program_sampler(programs->light, "visibility_map", UNIT_VISIBILITY);
    programs->body_kind = glGetUniformLocation(programs->body, "kind");
    programs->smooth_direction = glGetUniformLocation(programs->smooth, "direction");
    return sn__ok();
}

static void create_buffers(SnvRenderer *renderer) {
    renderer->body_batch = snv__batch_create();
    renderer->mesh_batch = snv__batch_create();
    renderer->mark_batch = snv__batch_create();
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
    if (width < 16 || height < 16 || width > most || height > most) {
        return sn__error(SN_ERROR_INVALID, "view: picture size %d×%d is not within 16 and %d",
                         width, height, most);
    }
    return sn__ok();
}

SnResult snv_renderer_create(int width, int height, SnvRenderer **out_renderer) {
    *out_renderer = NULL;
    if (epoxy_gl_version() < 33) {
        return sn__error(SN_ERROR_INVALID,
                         "view: no current OpenGL context of version 3.3 or later (it is %d.%d)",
                         epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    }
    SnResult result = check_size(width, height);
    if (result.code != SN_OK) {
        return result;
    }
    SnvRenderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        return sn__error(SN_ERROR_MEMORY, "view: no memory for a renderer");
    }
    renderer->width = width;
    renderer->height = height;
    create_buffers(renderer);
    result = create_programs(&renderer->programs);
    if (result.code == SN_OK) {
        result = snv__targets_create(width, height, &renderer->targets);
    }
    if (result.code != SN_OK) {
        snv_renderer_destroy(renderer);
        return result;
    }
    *out_renderer = renderer;
    return result;
}

void snv_renderer_destroy(SnvRenderer *renderer) {
    if (!renderer) {
        return;
    }
    const Programs *p = &renderer->programs;
    const GLuint programs[] = {p->body, p->ground, p->shadow, p->visibility, p->smooth, p->light};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        glDeleteProgram(programs[i]);
    }
    snv__targets_destroy(&renderer->targets);
    snv__batch_destroy(&renderer->body_batch);
    snv__batch_destroy(&renderer->mesh_batch);
    snv__batch_destroy(&renderer->mark_batch);
    glDeleteBuffers(1, &renderer->frame_buffer);
    glDeleteVertexArrays(1, &renderer->empty_array);
    glDeleteSamplers(1, &renderer->shadow_sampler);
    snv__triangles_release(&renderer->bodies);
    snv__triangles_release(&renderer->marks);
    snv__meshes_release(&renderer->meshes);
    free(renderer);
}

SnResult snv_renderer_resize(SnvRenderer *renderer, int width, int height) {
    SnResult result = check_size(width, height);
    if (result.code != SN_OK || (width == renderer->width && height == renderer->height)) {
        return result;
    }
    SnvTargets targets;
    result = snv__targets_create(width, height, &targets);
    if (result.code != SN_OK) {
        snv__targets_destroy(&targets);
        return result;
    }
    snv__targets_destroy(&renderer->targets);
    renderer->targets = targets;
    renderer->width = width;
    renderer->height = height;
    return result;
}

static void bind_maps(const SnvRenderer *renderer) {
    const struct SnvTextures *t = &renderer->targets.textures;
    const GLuint multisampled[3] = {t->depth, t->normal, t->colour};
    for (int i = 0; i < 3; i++) {
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

static void draw_screen(const SnvRenderer *renderer, GLuint framebuffer, GLuint program) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glUseProgram(program);
    glBindVertexArray(renderer->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// Open meshes are seen from inside, too.
static void draw_bodies(const SnvRenderer *renderer, GLuint program) {
    const SnvBatch *meshes = &renderer->mesh_batch;
    size_t closed = renderer->meshes.closed_index_count;
    glEnable(GL_CULL_FACE);
    snv__batch_draw(&renderer->body_batch, program);
    snv__batch_draw_part(meshes, program, 0, closed);
    glDisable(GL_CULL_FACE);
    snv__batch_draw_part(meshes, program, closed, meshes->index_count);
}

static void draw_shadow(const SnvRenderer *renderer) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.shadow);
    glViewport(0, 0, SNV_SHADOW_SIDE, SNV_SHADOW_SIDE);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_bodies(renderer, renderer->programs.shadow);
}

static void draw_surfaces(const SnvRenderer *renderer, bool has_ground) {
    const Programs *programs = &renderer->programs;
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.surface);
    glViewport(0, 0, renderer->width, renderer->height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(programs->body);
    glUniform1f(programs->body_kind, 1.0f);
    draw_bodies(renderer, programs->body);
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
    snv__batch_draw(&renderer->mark_batch, programs->body);
    glDepthRange(0.0, 1.0);
    glDisable(GL_CULL_FACE);
}

static void draw_light(const SnvRenderer *renderer) {
    const Programs *programs = &renderer->programs;
    const struct SnvTextures *textures = &renderer->targets.textures;
    const struct SnvFramebuffers *framebuffers = &renderer->targets.framebuffers;
    bind_maps(renderer);
    draw_screen(renderer, framebuffers->visibility[0], programs->visibility);
    for (int axis = 0; axis < 2; axis++) {
        glUseProgram(programs->smooth);
        glUniform2i(programs->smooth_direction, axis == 0, axis == 1);
        glBindTexture(GL_TEXTURE_2D, textures->visibility[axis]);
        draw_screen(renderer, framebuffers->visibility[1 - axis], programs->smooth);
    }
    glBindTexture(GL_TEXTURE_2D, textures->visibility[0]);
    draw_screen(renderer, framebuffers->picture, programs->light);
    glBindSampler(UNIT_SHADOW, 0);
}

static void upload(SnvRenderer *renderer, const SnvFrameBlock *block) {
    snv__batch_upload(&renderer->body_batch, &renderer->bodies, true);
    snv__batch_upload(&renderer->mark_batch, &renderer->marks, true);
    snv__batch_upload(&renderer->mesh_batch, &renderer->meshes.triangles,
                      renderer->meshes.indices_changed);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *block, block, GL_STREAM_DRAW);
}

static SnResult check_camera(const SnvCamera *camera) {
    SnVec3 arm = snv__sub(camera->position, camera->target);
    float distance = snv__length(arm);
    if (!(distance > 0.0f && distance < 1.0e9f)) {
        return sn__error(SN_ERROR_INVALID,
                         "view: camera position is %g m from its target; it must be finite and "
                         "not 0",
                         (double)distance);
    }
    if (!(camera->fov >= 1.0f && camera->fov <= 150.0f)) {
        return sn__error(SN_ERROR_INVALID, "view: camera fov %g is not within 1 and 150 degrees",
                         (double)camera->fov);
    }
    return sn__ok();
}

// What light and shadows are made for: the bodies, the motion as the caller knows it, and of all
// else what is near them.
static SnvBox lit_box(const SnvScene *scene, const SnvBox *bodies, const SnvBox *scenery,
                      SnVec3 origin) {
    SnvBox box = *bodies;
    if (!snv_bounds_is_empty(&scene->bounds)) {
        snv__box_add(&box, scene->bounds.low, 0.0f);
        snv__box_add(&box, scene->bounds.high, 0.0f);
    }
    if (snv__box_is_empty(&box) && snv__box_is_empty(scenery)) {
        snv__box_add(&box, origin, 0.5f);
    } else if (snv__box_is_empty(&box)) {
        box = *scenery;
    } else if (!snv__box_is_empty(scenery)) {
        SnVec3 reach = sn_vec3(1.5f, 1.5f, 1.5f);
        reach = snv__scale(reach, snv__box_radius(&box));
        SnVec3 low = snv__max(scenery->low, snv__sub(box.low, reach));
        SnVec3 high = snv__min(scenery->high, snv__add(box.high, reach));
        box.low = snv__min(box.low, low);
        box.high = snv__max(box.high, high);
    }
    return box;
}

// Makes all triangles of a picture.
static SnResult build(SnvRenderer *renderer, const SnvScene *scene, SnvDetail detail,
                      SnvFraming *framing) {
    SnvTriangles *bodies = &renderer->bodies;
    snv__triangles_clear(bodies, framing->origin);
    snv__triangles_clear(&renderer->marks, framing->origin);
    SnvRodsDrawn rods;
    SnResult result = snv__rods_add(bodies, &scene->rods, detail, &rods);
    renderer->skipped_rods = rods.skipped;
    if (result.code == SN_OK) {
        result =
            snv__meshes_build(&renderer->meshes, scene->meshes, scene->mesh_count, framing->origin);
    }
    SnvBox box = rods.box, scenery = renderer->meshes.scenery_box;
    snv__box_join(&box, &renderer->meshes.box);
    for (int i = 0; i < scene->peg_count && result.code == SN_OK; i++) {
        result = snv__peg_add(bodies, &scene->pegs[i], detail, &box);
    }
    for (int i = 0; i < scene->solid_count && result.code == SN_OK; i++) {
        result = snv__solid_add(bodies, &scene->solids[i], detail, &scenery);
    }
    framing->box = lit_box(scene, &box, &scenery, framing->origin);
    framing->has_scenery = scene->solid_count > 0 || !snv__box_is_empty(&scenery);
    framing->mean_radius = rods.mean_radius;
    for (int i = 0; i < scene->solid_count && result.code == SN_OK; i++) {
        if (scene->solids[i].kind == SNV_SOLID_PLANE) {
            result = snv__plane_add(bodies, &scene->solids[i], snv__key_direction(), &framing->box);
        }
    }
    if (result.code == SN_OK) {
        result = snv__marks_add(&renderer->marks, scene, rods.mean_radius, detail);
    }
    return result;
}

SnResult snv_renderer_draw(SnvRenderer *renderer, const SnvScene *scene, const SnvCamera *camera) {
    SnResult result = check_camera(camera);
    if (result.code != SN_OK) {
        return result;
    }
    if (scene->has_ground && !(fabsf(scene->ground_height) < 1.0e9f)) {
        return sn__error(SN_ERROR_INVALID, "view: ground_height %g is not a finite height",
                         (double)scene->ground_height);
    }
    float half_angle = 0.5f * camera->fov * 3.14159265f / 180.0f;
    SnvDetail detail = {camera->position, 0.5f * (float)renderer->height / tanf(half_angle), 1.0f};
    SnvFraming framing = {
        .origin = camera->target, .width = renderer->width, .height = renderer->height};
    result = build(renderer, scene, detail, &framing);
    if (result.code != SN_OK) {
        return result;
    }
    SnvFrameBlock block = snv__frame_block(scene, &framing, camera);
    upload(renderer, &block);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glEnable(GL_DEPTH_TEST);
    draw_shadow(renderer);
    draw_surfaces(renderer, scene->has_ground);
    glDisable(GL_DEPTH_TEST);
    draw_light(renderer);
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) {
        return sn__error(SN_ERROR_INVALID, "view: drawing failed with OpenGL error 0x%x%s", error,
                         error == GL_OUT_OF_MEMORY ? " (out of memory)" : "");
    }
    return sn__ok();
}

SnResult snv_renderer_read(SnvRenderer *renderer, SnvImage *image) {
    return snv__framebuffer_read(renderer->targets.framebuffers.picture, renderer->width,
                                 renderer->height, image);
}

void snv_renderer_show(SnvRenderer *renderer) {
    int w = renderer->width, h = renderer->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->targets.framebuffers.picture);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void snv__renderer_bind(const SnvRenderer *renderer, int *out_width, int *out_height) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers.picture);
    glViewport(0, 0, renderer->width, renderer->height);
    *out_width = renderer->width;
    *out_height = renderer->height;
}

SnvDrawStats snv_renderer_stats(const SnvRenderer *renderer) {
    size_t indices = renderer->bodies.index_count + renderer->marks.index_count +
                     renderer->meshes.triangles.index_count;
    return (SnvDrawStats){indices / 3, renderer->skipped_rods, renderer->meshes.skipped};
}
