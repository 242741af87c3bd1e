#include "view/context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ViewContext {
    EGLDisplay display;
    EGLContext context;
    char device[128];
};

static const char *egl_error_name(void) {
    switch (eglGetError()) {
    case EGL_SUCCESS:
        return "no error reported";
    case EGL_NOT_INITIALIZED:
        return "EGL_NOT_INITIALIZED (no usable driver)";
    case EGL_BAD_ALLOC:
        return "EGL_BAD_ALLOC";
    case EGL_BAD_MATCH:
        return "EGL_BAD_MATCH (OpenGL 3.3 core is not supported)";
    case EGL_BAD_CONFIG:
        return "EGL_BAD_CONFIG";
    case EGL_BAD_DISPLAY:
        return "EGL_BAD_DISPLAY";
    default:
        return "another EGL error";
    }
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words ? strstr(words, word) : NULL; at; at = strstr(at + length, word)) {
        bool starts = at == words || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

static SnResult open_display(EGLDisplay *out_display) {
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!has_word(extensions, "EGL_MESA_platform_surfaceless"))
        return sn_error(SN_ERROR_INVALID,
                        "view: this EGL has no surfaceless platform; rendering without a window "
                        "needs Mesa (Debian: libegl1, libgl1-mesa-dri)");
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
        return sn_error(SN_ERROR_INVALID,
                        "view: EGL does not start: %s; install a Mesa driver (Debian: "
                        "libgl1-mesa-dri)",
                        egl_error_name());
    extensions = eglQueryString(display, EGL_EXTENSIONS);
    if (!has_word(extensions, "EGL_KHR_surfaceless_context") ||
        !has_word(extensions, "EGL_KHR_no_config_context"))
        return sn_error(SN_ERROR_INVALID,
                        "view: this EGL driver cannot make contexts without a surface; Mesa can");
    *out_display = display;
    return sn_ok();
}

static EGLContext make_context(EGLDisplay display) {
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 3,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    if (!eglBindAPI(EGL_OPENGL_API))
        return EGL_NO_CONTEXT;
    return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

SnResult view_context_create(ViewContext **out_context) {
    *out_context = NULL;
    EGLDisplay display = EGL_NO_DISPLAY;
    SnResult result = open_display(&display);
    if (result.code != SN_OK)
        return result;
    ViewContext *context = calloc(1, sizeof *context);
    if (context == NULL)
        return sn_error(SN_ERROR_MEMORY, "view: no memory for an OpenGL context");
    context->display = display;
    context->context = make_context(display);
    if (context->context == EGL_NO_CONTEXT)
        result =
            sn_error(SN_ERROR_INVALID, "view: no OpenGL 3.3 core context: %s", egl_error_name());
    else
        result = view_context_use(context);
    if (result.code != SN_OK) {
        view_context_destroy(context);
        return result;
    }
    const char *device = (const char *)glGetString(GL_RENDERER);
    snprintf(context->device, sizeof context->device, "%s", device ? device : "unknown");
    *out_context = context;
    return result;
}

SnResult view_context_use(ViewContext *context) {
    if (!eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
        return sn_error(SN_ERROR_INVALID, "view: the OpenGL context cannot be made current: %s",
                        egl_error_name());
    return sn_ok();
}

// The EGL display is one for the whole process, so it is left open: terminating it would take the
// contexts of others with it.
void view_context_destroy(ViewContext *context) {
    if (context == NULL)
        return;
    if (context->context != EGL_NO_CONTEXT) {
        if (eglGetCurrentContext() == context->context)
            eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(context->display, context->context);
    }
    free(context);
}

const char *view_context_device(const ViewContext *context) { return context->device; }
