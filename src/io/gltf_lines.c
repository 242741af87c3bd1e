// A line that may leave the recorded values at its ends as well as in between reaches further than one
// that begins and ends on them: on a curve of constant curvature √2 times as far.
#include "io/gltf_lines.h"

#include <string.h>

// Corrections of a line's end until it is given up.
#define ROUNDS 8
// How far beyond the tolerance's rim a correction aims inside; without it, corrections of two frames
// that nearly contradict each other never arrive.
#define INSIDE 0.98f
// Quaternions this far apart (cosine of half the angle) have a key in between: players may interpolate
// them one way or the other.
#define NEAR_ROTATIONS 0.98f

static float distance2(const float *a, const float *b, int width) {
    float sum = 0;
    for (int c = 0; c < width; ++c)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

void sn__gltf_between(const GltfChannel *channel, const float *a, const float *b, float part,
                      float out[4]) {
    float sum = 0;
    for (int c = 0; c < channel->width; ++c) {
        out[c] = a[c] + (b[c] - a[c]) * part;
        sum += out[c] * out[c];
    }
    float inverse = channel->path == GLTF_ROTATION && sum > 0 ? 1 / sqrtf(sum) : 1;
    for (int c = 0; c < channel->width; ++c)
        out[c] *= inverse;
}

// The square of the distance of a line from what was recorded.
static float missed2(const GltfChannel *channel, const float *a, const float *b, float part,
                     const float *value) {
    float x = a[0] + (b[0] - a[0]) * part, y = a[1] + (b[1] - a[1]) * part;
    float z = a[2] + (b[2] - a[2]) * part;
    if (channel->width == 3)
        return (x - value[0]) * (x - value[0]) + (y - value[1]) * (y - value[1]) +
               (z - value[2]) * (z - value[2]);
    float w = a[3] + (b[3] - a[3]) * part, sum = x * x + y * y + z * z + w * w;
    const float shown[4] = {x, y, z, w};
    float inverse = sum > 0 ? 1 / sqrtf(sum) : 1, square = 0;
    for (int c = 0; c < 4; ++c) {
        float off = shown[c] * inverse - value[c];
        square += off * off;
    }
    return square;
}

// The frame of (from, to] that a line misses most, and the square of the distance.
static int worst_frame(const SnGltf *gltf, const GltfChannel *channel, int from, int to,
                       const float *start, const float *end, float *out_distance2) {
    const float *times = gltf->times;
    const float per_second = 1 / (times[to] - times[from]);
    int worst = to;
    *out_distance2 = 0;
    for (int f = from + 1; f <= to; ++f) {
        float part = (times[f] - times[from]) * per_second;
        float d2 = missed2(channel, start, end, part, sn__gltf_value(channel, f));
        if (!(d2 <= *out_distance2)) {
            *out_distance2 = d2;
            worst = f;
        }
    }
    return worst;
}

// Moves the end so that the line passes one frame within the tolerance.
static void correct(const SnGltf *gltf, const GltfChannel *channel, int from, int to, int frame,
                    const float *start, float *end) {
    const float *times = gltf->times;
    const float *wanted = sn__gltf_value(channel, frame);
    float part = (times[frame] - times[from]) / (times[to] - times[from]), shown[4];
    sn__gltf_between(channel, start, end, part, shown);
    float off = sqrtf(distance2(shown, wanted, channel->width));
    float factor = (off - INSIDE * channel->tolerance) / (off * part);
    for (int c = 0; c < channel->width; ++c)
        end[c] += (wanted[c] - shown[c]) * factor;
    sn__gltf_between(channel, end, end, 0, end); // rotations stay unit quaternions
}

// Whether a line from the start passes all frames up to `to`, and where it then ends. The end must lie
// in a ball for each frame; from the recorded value, the worst ball is gone to until it is in all.
static bool line_fits(const SnGltf *gltf, const GltfChannel *channel, int from, int to,
                      bool free_end, const float *start, float end[4]) {
    const float most = channel->tolerance * channel->tolerance;
    memcpy(end, sn__gltf_value(channel, to), 4 * sizeof *end);
    if (channel->path == GLTF_ROTATION &&
        start[0] * end[0] + start[1] * end[1] + start[2] * end[2] + start[3] * end[3] <
            NEAR_ROTATIONS)
        return false;
    for (int round = 0; round <= ROUNDS; ++round) {
        float d2;
        int worst = worst_frame(gltf, channel, from, to, start, end, &d2);
        if (d2 <= most)
            return true;
        if (!free_end || !(d2 <= 9 * most))
            return false;
        correct(gltf, channel, from, to, worst, start, end);
    }
    return false;
}

static bool lines_fit(const GltfGroup *group, int from, int to, bool free_end,
                      const float starts[GLTF_GROUP][4], float ends[GLTF_GROUP][4]) {
    for (int m = 0; m < group->count; ++m)
        if (!line_fits(group->gltf, &group->channels[m], from, to, free_end, starts[m], ends[m]))
            return false;
    return true;
}

int sn__gltf_next_key(const GltfGroup *group, int from, int last, const float starts[GLTF_GROUP][4],
                      float out_ends[GLTF_GROUP][4]) {
    float ends[GLTF_GROUP][4];
    int good = from + 1, bad = last + 1;
    for (int m = 0; m < group->count; ++m)
        memcpy(out_ends[m], sn__gltf_value(&group->channels[m], good), sizeof out_ends[m]);
    // By doubling the distance while lines fit, then by halving.
    for (int to = from + 2; good < last; to = from + 2 * (good - from)) {
        to = to < last ? to : last;
        if (!lines_fit(group, from, to, to < last, starts, ends)) {
            bad = to;
            break;
        }
        good = to;
        memcpy(out_ends, ends, sizeof ends);
    }
    while (bad - good > 1 && bad <= last) {
        int middle = good + (bad - good) / 2;
        if (lines_fit(group, from, middle, true, starts, ends)) {
            good = middle;
            memcpy(out_ends, ends, sizeof ends);
        } else
            bad = middle;
    }
    return good;
}

int sn__gltf_calm_frame(const SnGltf *gltf, const GltfChannel *channel) {
    float low[4], high[4];
    int frame = gltf->frame_count - 1;
    memcpy(low, sn__gltf_value(channel, frame), sizeof low);
    memcpy(high, low, sizeof high);
    for (; frame > 0; --frame) {
        const float *value = sn__gltf_value(channel, frame - 1);
        for (int c = 0; c < channel->width; ++c) {
            low[c] = value[c] < low[c] ? value[c] : low[c];
            high[c] = value[c] > high[c] ? value[c] : high[c];
        }
        float most = channel->tolerance * channel->tolerance;
        if (!(distance2(low, high, channel->width) <= most))
            break;
    }
    return frame;
}
