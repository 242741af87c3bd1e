// Which of many boxes overlap one; kernels.h says what for.
#include "implicit/wide.h"
#include "math/lanes.h"

int WIDE_FUNCTION(boxes_near)(const float *const sides[6], int begin, int count, const float box[6],
                              int *out) {
    int found = 0;
    for (int t = 0; t < count; t += WIDE) {
        uint32_t apart = 0;
        for (int k = 0; k < 3; ++k) {
            apart |= lanes_less(splat(box[3 + k]), load(sides[k] + begin + t));
            apart |= lanes_less(load(sides[3 + k] + begin + t), splat(box[k]));
        }
        uint32_t some = count - t < WIDE ? (1u << (count - t)) - 1u : (1u << WIDE) - 1u;
        for (uint32_t near = ~apart & some; near != 0; near &= near - 1)
            out[found++] = t + __builtin_ctz(near);
    }
    return found;
}
