// What two surfaces are to each other, and whether they may touch.
#pragma once

#include "sinew/contact.h"

SnResult sn__surface_check(const SnSurface *surface, const char *name);

// The combination of two, with static_friction filled in.
SnSurface sn__surface_combine(const SnSurface *a, const SnSurface *b);

static inline bool sn__filter_passes(SnFilter a, SnFilter b) {
    if (a.group != 0 && a.group == b.group)
        return a.group > 0;
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}
