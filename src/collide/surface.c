#include "collide/surface.h"

#include <math.h>

SnSurface sn_default_surface(void) {
    return (SnSurface){.friction = 0.5f, .static_friction = SN_DERIVED};
}

SnFilter sn_default_filter(void) { return (SnFilter){.category = 1, .mask = UINT32_MAX}; }

SnResult sn__surface_check(const SnSurface *s, const char *name) {
    const struct {
        const char *field;
        float value, most;
    } fields[] = {{"friction", s->friction, 100.0f},
                  {"restitution", s->restitution, 1.0f},
                  {"compliance", s->compliance, 1e6f},
                  {"thickness", s->thickness, 1e3f}};
    for (int i = 0; i < 4; ++i)
        if (!(fields[i].value >= 0.0f && fields[i].value <= fields[i].most))
            return sn_error(SN_ERROR_INVALID, "%s: surface.%s: %g is not in [0, %g]", name,
                            fields[i].field, (double)fields[i].value, (double)fields[i].most);
    if (isnan(s->static_friction) || s->static_friction > 100.0f ||
        (s->static_friction >= 0.0f && s->static_friction < s->friction))
        return sn_error(SN_ERROR_INVALID,
                        "%s: surface.static_friction: %g is not in [friction %g, 100]", name,
                        (double)s->static_friction, (double)s->friction);
    return sn_ok();
}

static float held(const SnSurface *s) {
    return s->static_friction >= 0.0f ? s->static_friction : s->friction;
}

SnSurface sn__surface_combine(const SnSurface *a, const SnSurface *b) {
    return (SnSurface){.friction = sqrtf(a->friction * b->friction),
                       .static_friction = sqrtf(held(a) * held(b)),
                       .restitution = fmaxf(a->restitution, b->restitution),
                       .compliance = a->compliance + b->compliance,
                       .thickness = a->thickness + b->thickness};
}
