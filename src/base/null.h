// What a public function does with a pointer that must not be NULL; sinew/base.h has the rule.
#pragma once

#include <assert.h>

#include <sinew/base.h>

// For functions that return SnResult. `what` names the argument: "body: world".
static inline SnResult sn__null(const char *what) {
    return sn_error(SN_ERROR_INVALID, "%s is NULL", what);
}

// A definition that is no definition: `maker` is what makes one.
static inline SnResult sn__no_def(const void *def, const char *what, const char *maker) {
    return def ? sn_error(SN_ERROR_INVALID, "%s: definition was not made by %s", what, maker)
               : sn_error(SN_ERROR_INVALID, "%s: definition is NULL; %s makes one", what, maker);
}

// For all others: stops a build that has asserts, and is false in one that has none.
#define GIVEN(pointer) (assert((pointer) != NULL), (pointer) != NULL)
