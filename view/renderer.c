// The picture in five passes: the shadow map, the G-buffer (colour, normal, depth, 4 samples each),
// what each pixel sees of sky and key light, a smoothing of that, and the light.
#include "view/renderer.h"

#include "base/result.h"
#include "view/frame_block.h"
#include "view/gl.h"
#include "view/shaders.h"
#include "view/tubes.h"

#include <stdlib.h>

#define SAMPLES 4

typedef struct Programs {
    GLuint body, ground, shadow, visibility, smooth, light;
    GLint smooth_direction;
} Programs;

typedef struct Textures {
    GLuint shadow, colour, normal, depth, visibility[2], picture;
} Textures;

typedef struct Framebuffers {
    GLuint shadow, surface, visibility[2], picture;
} Framebuffers;

struct SnvRenderer {
    int width, height;
    SnvMesh mesh;
    Programs programs;
    Textures textures;
    Framebuffers framebuffers;
    GLuint mesh_array, empty_array, vertex_buffer, index_buffer, frame_buffer;
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
    programs->smooth_direction = glGetUniformLocation(programs->smooth, "direction");
    return sn__ok();
}

static SnResult create_targets(SnvRenderer *renderer) {
    int w = renderer->width, h = renderer->height;
    Textures *t = &renderer->textures;
    Framebuffers *f = &renderer->framebuffers;
    t->shadow = snv__texture_create(GL_DEPTH_COMPONENT32F, SNV_SHADOW_SIDE, SNV_SHADOW_SIDE, 0);
    t->colour = snv__texture_create(GL_RGBA8, w, h, SAMPLES);
    t->normal = snv__texture_create(GL_RGB10_A2, w, h, SAMPLES);
    t->depth = snv__texture_create(GL_DEPTH_COMPONENT32F, w, h, SAMPLES);
    t->visibility[0] = snv__texture_create(GL_RGBA16F, w, h, 0);
    t->visibility[1] = snv__texture_create(GL_RGBA16F, w, h, 0);
    t->picture = snv__texture_create(GL_RGBA8, w, h, 0);
    if (glGetError() != GL_NO_ERROR) {
        return sn__error(SN_ERROR_MEMORY, "view: the driver has no textures for %d×%d pixels", w,
                         h);
    }
    const GLuint surface[2] = {t->colour, t->normal};
    SnResult result = snv__framebuffer_create("shadow", NULL, 0, t->shadow, false, &f->shadow);
    if (result.code == SN_OK) {
        result = snv__framebuffer_create("surface", surface, 2, t->depth, true, &f->surface);
    }
    for (int i = 0; i < 2 && result.code == SN_OK; i++) {
        result = snv__framebuffer_create("visibility", &t->visibility[i], 1, 0, false,
                                         &f->visibility[i]);
    }
    if (result.code == SN_OK) {
        result = snv__framebuffer_create("picture", &t->picture, 1, 0, false, &f->picture);
    }
    return result;
}

static void create_buffers(SnvRenderer *renderer) {
    glGenVertexArrays(1, &renderer->mesh_array);
    glGenVertexArrays(1, &renderer->empty_array);
    glGenBuffers(1, &renderer->vertex_buffer);
    glGenBuffers(1, &renderer->index_buffer);
    glGenBuffers(1, &renderer->frame_buffer);

    glBindVertexArray(renderer->mesh_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->vertex_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->index_buffer);
    const GLsizei stride = sizeof(SnvVertex);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(SnvVertex, position));
    glVertexAttribPointer(1, 4, GL_SHORT, GL_TRUE, stride, (void *)offsetof(SnvVertex, normal));
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(SnvVertex, pattern));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (void *)offsetof(SnvVertex, colour));
    for (GLuint i = 0; i < 4; i++) {
        glEnableVertexAttribArray(i);
    }
    glBindVertexArray(0);

    glGenSamplers(1, &renderer->shadow_sampler);
    GLuint sampler = renderer->shadow_sampler;
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

SnResult snv_renderer_create(int width, int height, SnvRenderer **out_renderer) {
    *out_renderer = NULL;
    if (epoxy_gl_version() < 33) {
        return sn__error(SN_ERROR_INVALID,
                         "view: no current OpenGL context of version 3.3 or later (it is %d.%d)",
                         epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    }
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    if (width < 16 || height < 16 || width > most || height > most) {
        return sn__error(SN_ERROR_INVALID, "view: picture size %d×%d is not within 16 and %d",
                         width, height, most);
    }
    SnvRenderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        return sn__error(SN_ERROR_MEMORY, "view: no memory for a renderer");
    }
    renderer->width = width;
    renderer->height = height;
    create_buffers(renderer);
    SnResult result = create_programs(&renderer->programs);
    if (result.code == SN_OK) {
        result = create_targets(renderer);
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
    glDeleteTextures(sizeof(Textures) / sizeof(GLuint), &renderer->textures.shadow);
    glDeleteFramebuffers(sizeof(Framebuffers) / sizeof(GLuint), &renderer->framebuffers.shadow);
    const GLuint buffers[] = {renderer->vertex_buffer, renderer->index_buffer,
                              renderer->frame_buffer};
    glDeleteBuffers(3, buffers);
    const GLuint arrays[] = {renderer->mesh_array, renderer->empty_array};
    glDeleteVertexArrays(2, arrays);
    glDeleteSamplers(1, &renderer->shadow_sampler);
    snv__mesh_release(&renderer->mesh);
    free(renderer);
}

static void bind_maps(const SnvRenderer *renderer) {
    const Textures *t = &renderer->textures;
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

static void draw_mesh(const SnvRenderer *renderer, GLuint program) {
    glUseProgram(program);
    glBindVertexArray(renderer->mesh_array);
    glDrawElements(GL_TRIANGLES, (GLsizei)renderer->mesh.index_count, GL_UNSIGNED_INT, NULL);
}

static void draw_screen(const SnvRenderer *renderer, GLuint framebuffer, GLuint program) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glUseProgram(program);
    glBindVertexArray(renderer->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_shadow(const SnvRenderer *renderer) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffers.shadow);
    glViewport(0, 0, SNV_SHADOW_SIDE, SNV_SHADOW_SIDE);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_mesh(renderer, renderer->programs.shadow);
}

static void draw_surfaces(const SnvRenderer *renderer, bool has_ground) {
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffers.surface);
    glViewport(0, 0, renderer->width, renderer->height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_mesh(renderer, renderer->programs.body);
    if (has_ground) {
        glUseProgram(renderer->programs.ground);
        glBindVertexArray(renderer->empty_array);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

static void draw_light(const SnvRenderer *renderer) {
    const Programs *programs = &renderer->programs;
    const Textures *textures = &renderer->textures;
    const Framebuffers *framebuffers = &renderer->framebuffers;
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

static void upload(const SnvRenderer *renderer, const SnvFrameBlock *block) {
    const SnvMesh *mesh = &renderer->mesh;
    glBindVertexArray(renderer->mesh_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(mesh->vertex_count * sizeof *mesh->vertices),
                 mesh->vertices, GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(mesh->index_count * sizeof *mesh->indices),
                 mesh->indices, GL_STREAM_DRAW);
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

// All that is drawn, with what the caller says the motion fills.
static SnvBounds drawn_bounds(const SnvScene *scene, const SnvMesh *mesh, SnVec3 origin) {
    SnvBounds bounds = mesh->bounds;
    if (!snv_bounds_is_empty(&scene->bounds)) {
        snv_bounds_add(&bounds, &scene->bounds.low.x, NULL, 1);
        snv_bounds_add(&bounds, &scene->bounds.high.x, NULL, 1);
    }
    if (snv_bounds_is_empty(&bounds)) {
        bounds.low = snv__sub(origin, sn_vec3(0.5f, 0.5f, 0.5f));
        bounds.high = snv__add(origin, sn_vec3(0.5f, 0.5f, 0.5f));
    }
    return bounds;
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
    SnVec3 origin = camera->target;
    float half_angle = 0.5f * camera->fov * 3.14159265f / 180.0f;
    SnvDetail detail = {camera->position, 0.5f * (float)renderer->height / tanf(half_angle)};
    result = snv__mesh_build(&renderer->mesh, scene, origin, detail);
    if (result.code != SN_OK) {
        return result;
    }
    SnvBounds bounds = drawn_bounds(scene, &renderer->mesh, origin);
    SnvFrameBlock block = snv__frame_block(scene, &bounds, renderer->mesh.mean_radius, camera,
                                           origin, renderer->width, renderer->height);
    upload(renderer, &block);
    glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    draw_shadow(renderer);
    draw_surfaces(renderer, scene->has_ground);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    draw_light(renderer);
    GLenum error = glGetError();
    if (error != GL_NO_ERROR) {
        return sn__error(SN_ERROR_INVALID, "view: drawing failed with OpenGL error 0x%x%s", error,
                         error == GL_OUT_OF_MEMORY ? " (out of memory)" : "");
    }
    return sn__ok();
}

static void flip_rows(SnvImage *image) {
    size_t row = 3 * (size_t)image->width;
    for (int y = 0; y < image->height / 2; y++) {
        uint8_t *a = image->pixels + row * y, *b = image->pixels + row * (image->height - 1 - y);
        for (size_t i = 0; i < row; i++) {
            uint8_t swap = a[i];
            a[i] = b[i];
            b[i] = swap;
        }
    }
}

SnResult snv_renderer_read(SnvRenderer *renderer, SnvImage *image) {
    if (!image->pixels || image->width != renderer->width || image->height != renderer->height) {
        snv_image_release(image);
        SnResult result = snv_image_create(renderer->width, renderer->height, 0, 0, 0, image);
        if (result.code != SN_OK) {
            return result;
        }
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->framebuffers.picture);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, image->width, image->height, GL_RGB, GL_UNSIGNED_BYTE, image->pixels);
    flip_rows(image); // OpenGL's first row is the lowest
    if (glGetError() != GL_NO_ERROR) {
        return sn__error(SN_ERROR_INVALID, "view: the picture could not be read back");
    }
    return sn__ok();
}

SnvDrawStats snv_renderer_stats(const SnvRenderer *renderer) {
    SnvDrawStats stats = {renderer->mesh.index_count / 3, renderer->mesh.skipped_rods};
    return stats;
}
