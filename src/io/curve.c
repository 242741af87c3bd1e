// Values over time between keys.
#include "io/scene_data.h"

#include <math.h>
#include <string.h>

// The number of keys that are not after `time`.
static int keys_until(const KeyCurve *curve, double time) {
    int low = 0, high = curve->key_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (curve->times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double slope(const KeyCurve *curve, int key, int component) {
    const float *v = curve->values + (size_t)key * (size_t)curve->width + component;
    return (double)(v[curve->width] - v[0]) / (curve->times[key + 1] - curve->times[key]);
}

// Slope at a key: the harmonic mean of those beside it where they agree in sign, else 0. So the
// curve passes through its keys smoothly and never beyond them, and starts and ends at rest.
static double tangent(const KeyCurve *curve, int key, int component) {
    int last = curve->key_count - 1;
    if ((key == 0 || key == last) && !curve->repeat)
        return 0;
    double before = slope(curve, key == 0 ? last - 1 : key - 1, component);
    double after = slope(curve, key == last ? 0 : key, component);
    return before * after > 0 ? 2 * before * after / (before + after) : 0;
}

static void smooth(const KeyCurve *curve, int key, double t, double span, float *out) {
    double t2 = t * t, t3 = t2 * t;
    const float *a = curve->values + (size_t)key * (size_t)curve->width, *b = a + curve->width;
    for (int c = 0; c < curve->width; ++c) {
        double m0 = span * tangent(curve, key, c), m1 = span * tangent(curve, key + 1, c);
        out[c] = (float)((2 * t3 - 3 * t2 + 1) * (double)a[c] + (t3 - 2 * t2 + t) * m0 +
                         (3 * t2 - 2 * t3) * (double)b[c] + (t3 - t2) * m1);
    }
}

// Straight from a to b; along the great circle for quaternions.
static void linear(const KeyCurve *curve, int key, double t, float *out) {
    const float *a = curve->values + (size_t)key * (size_t)curve->width, *b = a + curve->width;
    double wa = 1 - t, wb = t;
    if (curve->width == 4) {
        double cosine = 0;
        for (int c = 0; c < 4; ++c)
            cosine += (double)a[c] * (double)b[c];
        if (cosine < 0.9999) {
            double angle = acos(fmax(cosine, -1)), s = sin(angle);
            wa = sin(angle * (1 - t)) / s;
            wb = sin(angle * t) / s;
        }
    }
    for (int c = 0; c < curve->width; ++c)
        out[c] = (float)(wa * (double)a[c] + wb * (double)b[c]);
}

static void normalise4(float *q) {
    double sum = 0;
    for (int c = 0; c < 4; ++c)
        sum += (double)q[c] * (double)q[c];
    double inverse = sum > 0 ? 1 / sqrt(sum) : 0;
    for (int c = 0; c < 4; ++c)
        q[c] = (float)((double)q[c] * inverse);
}

void sn__curve_evaluate(const KeyCurve *curve, double time, float *out) {
    double first = curve->times[0], last = curve->times[curve->key_count - 1];
    if (curve->repeat && time > last)
        time = first + fmod(time - first, last - first);
    int key = keys_until(curve, time) - 1;
    bool held = key < 0 || key == curve->key_count - 1 || curve->interpolation == INTERPOLATE_STEP;
    if (held) {
        int from = key < 0 ? 0 : key;
        memcpy(out, curve->values + (size_t)from * (size_t)curve->width,
               (size_t)curve->width * sizeof *out);
        return;
    }
    double span = curve->times[key + 1] - curve->times[key];
    double t = (time - curve->times[key]) / span;
    if (curve->interpolation == INTERPOLATE_SMOOTH)
        smooth(curve, key, t, span, out);
    else
        linear(curve, key, t, out);
    if (curve->width == 4)
        normalise4(out);
}

void sn__scene_evaluate(SnScene *scene, double time) {
    for (int i = 0; i < scene->channel_count; ++i)
        sn__curve_evaluate(&scene->channels[i].curve, time, scene->channels[i].slot);
}
