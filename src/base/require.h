// For functions that look for mistakes of the engine itself (world/validate.c).
#pragma once

#include <sinew/base.h>

// Returns from the function with what is wrong, formatted as printf does, unless the condition holds.
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return sn_error(SN_ERROR_INVALID, __VA_ARGS__);                                        \
    } while (0)
