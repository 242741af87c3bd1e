// What float leaves of the lengths of a rod.
#pragma once

#include "math/lanes.h"
#include "rod/pack.h"

// The state is float: a length is known to half a unit of its ends' coordinates, and a frame's axis and a
// scale have errors of their own. Of segment j, which begins at vertex a, m.
#define ROUNDING 6e-8f
INLINE Lanes rounding_of_length(const RodPack *pack, int j, int a, int i) {
    const RodState *s = pack->state + a;
    Lanes far = lanes_abs(load(&s->x[i])) + lanes_abs(load(&s->y[i])) + lanes_abs(load(&s->z[i]));
    return (2.0f * ROUNDING) * far + (8.0f * ROUNDING) * load(&pack->prepared[j].active[i]);
}
