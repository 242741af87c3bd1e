// Frames are light, and torques turn them far.
#pragma once

#include "math/lanes.h"
#include "rod/pack.h"

// rad: a torque that would turn a frame by more within a sub-step, if nothing withstood it, is so much more than what
// becomes of it that float leaves nothing of the difference: 10⁻⁷ of it is a turn.
#define HARD_TURN 100.0f

// `hard` where a torque does so to frame j, else `soft`.
INLINE Lanes if_turned_hard(const RodWork *u, int i, float h, Lanes hard, Lanes soft) {
    Lanes3 kick = {load(&u->tx[i]), load(&u->ty[i]), load(&u->tz[i])};
    kick = mul3(kick, splat(h / HARD_TURN));
    return lanes_if_less(splat(1.0f), dot3(kick, kick), hard, soft);
}
