// An OpenGL context without a window, for pictures and video on machines without a display.
//
// The renderer only needs *a* current context: a window brings its own and does without this file.
#pragma once

#include <sinew/base.h>

typedef struct ViewContext ViewContext;

// Makes a context (OpenGL 3.3 core or later) and makes it current in the calling thread.
SnResult view_context_create(ViewContext **out_context);
// Makes it current in the calling thread, where another thread or context was used in between.
SnResult view_context_use(ViewContext *context);
void view_context_destroy(ViewContext *context);

// What draws, e.g. "llvmpipe (LLVM 15.0.6, 256 bits)". Lives as long as the context.
const char *view_context_device(const ViewContext *context);
