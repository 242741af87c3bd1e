#include "view/targets.h"

#include "base/result.h"
#include "view/frame_block.h"

SnResult snv__targets_create(int w, int h, SnvTargets *out_targets) {
    *out_targets = (SnvTargets){0};
    struct SnvTextures *t = &out_targets->textures;
    struct SnvFramebuffers *f = &out_targets->framebuffers;
    t->shadow = snv__texture_create(GL_DEPTH_COMPONENT32F, SNV_SHADOW_SIDE, SNV_SHADOW_SIDE, 0);
    t->colour = snv__texture_create(GL_RGBA8, w, h, SNV_SAMPLES);
    t->normal = snv__texture_create(GL_RGB10_A2, w, h, SNV_SAMPLES);
    t->depth = snv__texture_create(GL_DEPTH_COMPONENT32F, w, h, SNV_SAMPLES);
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

void snv__targets_destroy(SnvTargets *targets) {
    glDeleteTextures(sizeof targets->textures / sizeof(GLuint), &targets->textures.shadow);
    glDeleteFramebuffers(sizeof targets->framebuffers / sizeof(GLuint),
                         &targets->framebuffers.shadow);
    *targets = (SnvTargets){0};
}
