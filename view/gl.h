// Small helpers over OpenGL.
#pragma once

#include <epoxy/gl.h>

#include "view/image.h"

// A program of the shared header and one source per stage; `name` is for error messages.
SnResult view_program_create(const char *name, const char *vertex, const char *fragment,
                             GLuint *out_program);
// Tells a program which texture unit a sampler reads.
void view_program_sampler(GLuint program, const char *name, int unit);

// A texture without mipmaps; `samples` 0 for an ordinary one.
GLuint view_texture_create(GLenum format, int width, int height, int samples);

// A framebuffer of up to four colour textures and a depth texture (0 for none).
SnResult view_framebuffer_create(const char *name, const GLuint *colours, int colour_count,
                                 GLuint depth, bool multisampled, GLuint *out_framebuffer);
// Copies the pixels of a framebuffer (0: the window's). *image is made if it has no pixels yet, and
// reused if it fits.
SnResult view_framebuffer_read(GLuint framebuffer, int width, int height, ViewImage *image);
