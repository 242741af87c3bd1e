#include "view/gl.h"

#include "view/shaders.h"

static SnResult compile(const char *name, GLenum stage, const char *source, GLuint *out_shader) {
    const char *sources[2] = {view_glsl_header, source};
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 2, sources, NULL);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (!done) {
        char log[160] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        return sn_error(SN_ERROR_INVALID, "view: shader %s does not compile here: %s", name, log);
    }
    *out_shader = shader;
    return sn_ok();
}

static SnResult link(const char *name, GLuint vertex, GLuint fragment, GLuint *out_program) {
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint done = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (!done) {
        char log[160] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        glDeleteProgram(program);
        return sn_error(SN_ERROR_INVALID, "view: program %s does not link here: %s", name, log);
    }
    GLuint block = glGetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX)
        glUniformBlockBinding(program, block, 0);
    *out_program = program;
    return sn_ok();
}

SnResult view_program_create(const char *name, const char *vertex, const char *fragment,
                             GLuint *out_program) {
    GLuint vertex_shader = 0, fragment_shader = 0;
    SnResult result = compile(name, GL_VERTEX_SHADER, vertex, &vertex_shader);
    if (result.code == SN_OK)
        result = compile(name, GL_FRAGMENT_SHADER, fragment, &fragment_shader);
    if (result.code == SN_OK)
        result = link(name, vertex_shader, fragment_shader, out_program);
    glDeleteShader(vertex_shader);
    glDeleteShader(fragment_shader);
    return result;
}

void view_program_sampler(GLuint program, const char *name, int unit) {
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, name), unit);
}

// Format and type that go with a sized format; no data is passed, but OpenGL checks them.
static void plain_format(GLenum sized, GLenum *out_format, GLenum *out_type) {
    bool depth = sized == GL_DEPTH_COMPONENT32F;
    *out_format = depth ? GL_DEPTH_COMPONENT : GL_RGBA;
    *out_type = GL_FLOAT;
}

GLuint view_texture_create(GLenum sized, int width, int height, int samples) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    if (samples) {
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
        glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, sized, width, height, GL_TRUE);
        return texture;
    }
    GLenum format, type;
    plain_format(sized, &format, &type);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)sized, width, height, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

SnResult view_framebuffer_create(const char *name, const GLuint *colours, int colour_count,
                                 GLuint depth, bool multisampled, GLuint *out_framebuffer) {
    static const GLenum attachments[4] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                          GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
    GLenum target = multisampled ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
    glGenFramebuffers(1, out_framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *out_framebuffer);
    for (int i = 0; i < colour_count; ++i)
        glFramebufferTexture2D(GL_FRAMEBUFFER, attachments[i], target, colours[i], 0);
    if (depth)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, target, depth, 0);
    if (colour_count) {
        glDrawBuffers(colour_count, attachments);
    } else {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        return sn_error(SN_ERROR_INVALID,
                        "view: the driver refuses the %s framebuffer (status 0x%x)", name, status);
    return sn_ok();
}

static void flip_rows(ViewImage *image) {
    size_t row = 3 * (size_t)image->width;
    for (int y = 0; y < image->height / 2; ++y) {
        uint8_t *a = image->pixels + row * y, *b = image->pixels + row * (image->height - 1 - y);
        for (size_t i = 0; i < row; ++i) {
            uint8_t swap = a[i];
            a[i] = b[i];
            b[i] = swap;
        }
    }
}

SnResult view_framebuffer_read(GLuint framebuffer, int width, int height, ViewImage *image) {
    if (image->pixels == NULL || image->width != width || image->height != height) {
        view_image_release(image);
        SnResult result = view_image_create(width, height, 0, 0, 0, image);
        if (result.code != SN_OK)
            return result;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, image->width, image->height, GL_RGB, GL_UNSIGNED_BYTE, image->pixels);
    flip_rows(image); // OpenGL's first row is the lowest
    if (glGetError() != GL_NO_ERROR)
        return sn_error(SN_ERROR_INVALID, "view: the picture could not be read back");
    return sn_ok();
}
