#include "view/targets.h"

#include "view/frame_block.h"

SnResult view_targets_create(int w, int h, ViewTargets *out_targets) {
    *out_targets = (ViewTargets){0};
    struct ViewTextures *t = &out_targets->textures;
    struct ViewFramebuffers *f = &out_targets->framebuffers;
    t->shadow = view_texture_create(GL_DEPTH_COMPONENT32F, VIEW_SHADOW_SIDE, VIEW_SHADOW_SIDE, 0);
    t->surface = view_texture_create(GL_RG32UI, w, h, VIEW_SAMPLES);
    t->depth = view_texture_create(GL_DEPTH_COMPONENT32F, w, h, VIEW_SAMPLES);
    for (int i = 0; i < 2; ++i)
        t->visibility[i] = view_texture_create(GL_RGBA16F, (w + 1) / 2, (h + 1) / 2, 0);
    t->picture = view_texture_create(GL_RGBA8, w, h, 0);
    if (glGetError() != GL_NO_ERROR)
        return sn_error(SN_ERROR_MEMORY, "view: the driver has no textures for %d×%d pixels", w, h);
    SnResult result = view_framebuffer_create("shadow", NULL, 0, t->shadow, false, &f->shadow);
    if (result.code == SN_OK)
        result = view_framebuffer_create("surface", &t->surface, 1, t->depth, true, &f->surface);
    for (int i = 0; i < 2 && result.code == SN_OK; ++i)
        result = view_framebuffer_create("visibility", &t->visibility[i], 1, 0, false,
                                         &f->visibility[i]);
    if (result.code == SN_OK)
        result = view_framebuffer_create("picture", &t->picture, 1, 0, false, &f->picture);
    return result;
}

void view_targets_destroy(ViewTargets *targets) {
    glDeleteTextures(sizeof targets->textures / sizeof(GLuint), &targets->textures.shadow);
    glDeleteFramebuffers(sizeof targets->framebuffers / sizeof(GLuint),
                         &targets->framebuffers.shadow);
    *targets = (ViewTargets){0};
}
