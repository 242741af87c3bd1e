// The air's velocity in lanes (wind.h). Included by *_wide.c files only.
#pragma once

#include "math/lanes.h"
#include "math/wind.h"

// A wave of period 1 and amplitude 1, close to sin(2πt), from parabolas. Adding and subtracting the
// large number rounds to an integer; |t| must stay below 2^22.
INLINE Lanes air_wave(Lanes t) {
    const float large = 0x1.8p23f;
    Lanes f = t - ((t + large) - large); // in [−½, ½]
    return f * (8.0f - 16.0f * lanes_abs(f));
}

INLINE Lanes air_phase(const float k[3], Lanes3 x, Lanes start) {
    return k[0] * x.x + k[1] * x.y + (k[2] * x.z + start);
}

// (height / 10 m)^(n/64), 0 below the ground, no more above 1 km: square roots are powers of ½, ¼ …
INLINE Lanes air_profile(Lanes height, int n) {
    Lanes root = lanes_clamp(0.1f * height, 0.0f, 100.0f), power = splat(1.0f);
    for (int bit = 32; bit > 0; bit /= 2) {
        root = lanes_sqrt(root);
        if (n & bit)
            power *= root;
    }
    return power;
}

// At x in the lanes from i on.
INLINE Lanes3 air_at(const WindField *w, Lanes3 x, int i) {
    float reach = w->reach;
    x = (Lanes3){lanes_clamp(x.x, -reach, reach), lanes_clamp(x.y, -reach, reach),
                 lanes_clamp(x.z, -reach, reach)};
    Lanes swell = splat(1.0f);
    for (int g = 0; g < w->gusts; ++g)
        swell += w->gust[g] * air_wave(air_phase(w->gust_k[g], x, load(&w->gust_phase[g][i])));
    if (w->profile64 > 0)
        swell *= air_profile(x.y - load(&w->ground[i]), w->profile64);
    Lanes3 u = {w->velocity[0] * swell, w->velocity[1] * swell, w->velocity[2] * swell};
    for (int n = 0; n < w->modes; ++n) {
        Lanes eddy = air_wave(air_phase(w->k[n], x, load(&w->phase[n][i])));
        u.x += w->a[n][0] * eddy;
        u.y += w->a[n][1] * eddy;
        u.z += w->a[n][2] * eddy;
    }
    return u;
}

INLINE Lanes3 air_sum(const WindField *winds, int count, Lanes3 x, int i) {
    Lanes3 u = air_at(&winds[0], x, i);
    for (int w = 1; w < count; ++w)
        u = add3(u, air_at(&winds[w], x, i));
    return u;
}
