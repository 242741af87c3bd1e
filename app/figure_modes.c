#include "app/figure_modes.h"

#include "app/figure_kit.h"

#include <math.h>

// cosh β cos β = −1.
static const double betas[MODES_MAX] = {1.8751040687, 4.6940911330, 7.8547574382};

double bending_frequency(const Specimen *s, int mode) {
    double k = betas[mode - 1] / s->length;
    return k * k * sqrt(s->young * s->inertia * s->length / s->mass);
}

double torsion_frequency(const Specimen *s) {
    double speed = sqrt(s->shear * s->area * s->length / s->mass);
    return 0.5 * FIGURE_PI * speed / s->length;
}

// The deflection at x from 0 to 1, and its slope.
static double shape_of(int mode, double x, double *slope) {
    double b = betas[mode - 1];
    double part = (cosh(b) + cos(b)) / (sinh(b) + sin(b));
    *slope = b * (sinh(b * x) + sin(b * x) - part * (cosh(b * x) - cos(b * x)));
    return cosh(b * x) - cos(b * x) - part * (sinh(b * x) - sin(b * x));
}

void start_bending(Specimen *s, int mode, double angle) {
    double angles[SPECIMEN_MAX], most = 0.0;
    for (int i = 0; i < s->segments; ++i) {
        shape_of(mode, (i + 0.5) / s->segments, &angles[i]);
        most = fmax(most, fabs(angles[i]));
    }
    for (int i = 0; i < s->segments; ++i)
        angles[i] *= angle / most;
    angles[0] = 0.0;
    specimen_start(s, angles, NULL);
}

void start_torsion(Specimen *s, double angle) {
    double angles[SPECIMEN_MAX] = {0}, twists[SPECIMEN_MAX];
    for (int i = 0; i < s->segments; ++i)
        twists[i] = angle * sin(0.5 * FIGURE_PI * (i + 0.5) / s->segments);
    twists[0] = 0.0;
    specimen_start(s, angles, twists);
}

typedef void Observe(const Specimen *s, int mode, double *value, double *rate);

static void observe_bending(const Specimen *s, int mode, double *value, double *rate) {
    double weight = 0.0;
    *value = *rate = 0.0;
    for (int i = 0; i < s->vertices; ++i) {
        double slope, shape = shape_of(mode, (double)i / s->segments, &slope);
        double share = (i + 1 == s->vertices ? 0.5 : 1.0) * shape;
        *value += share * (double)s->positions[i].y;
        *rate += share * (double)s->velocities[i].y;
        weight += share * shape;
    }
    *value /= weight;
    *rate /= weight;
}

static void observe_torsion(const Specimen *s, int mode, double *value, double *rate) {
    (void)mode;
    *value = *rate = 0.0;
    for (int i = 0; i < s->segments; ++i) {
        double share = sin(0.5 * FIGURE_PI * (i + 0.5) / s->segments);
        *value += share * specimen_twist(s, i) / s->segments;
        *rate += share * (double)s->spins[i].z / s->segments;
    }
}

static void observe_breathing(const Specimen *s, int mode, double *value, double *rate) {
    (void)mode;
    *value = *rate = 0.0;
    for (int i = 0; i < s->vertices; ++i) {
        *value += ((double)s->scales[i] - 1.0) / s->vertices;
        *rate += (double)s->scale_rates[i] / s->vertices;
    }
}

static void record(Specimen *s, Observe *observe, int mode, double seconds, Series *out) {
    int steps = (int)ceil(seconds / DEFAULT_STEP);
    out->count = 0;
    for (int i = 0; i <= steps && out->count < SERIES_MAX; ++i) {
        if (i > 0)
            specimen_step(s);
        specimen_read(s);
        observe(s, mode, &out->value[i], &out->rate[i]);
        out->count = i + 1;
    }
}

void record_bending(Specimen *s, int mode, double seconds, Series *out) {
    record(s, observe_bending, mode, seconds, out);
}

void record_torsion(Specimen *s, double seconds, Series *out) {
    record(s, observe_torsion, 1, seconds, out);
}

void record_breathing(Specimen *s, double seconds, Series *out) {
    record(s, observe_breathing, 1, seconds, out);
}

// Less than half a turn per step: the frequency is below 30 Hz.
double series_frequency(const Series *series, double guess) {
    double turned = 0.0, before = 0.0;
    for (int i = 0; i < series->count; ++i) {
        double phase = atan2(-series->rate[i] / guess, series->value[i]);
        if (i > 0)
            turned += remainder(phase - before, 2.0 * FIGURE_PI);
        before = phase;
    }
    return turned / ((series->count - 1) * DEFAULT_STEP);
}

static double amplitude_at(const Series *series, double guess, int i) {
    return hypot(series->value[i], series->rate[i] / guess);
}

// A velocity that is late by a part of a sub-step shows as a ripple of two per period: hence the mean.
double series_amplitude(const Series *series, double guess, double time) {
    double half = FIGURE_PI / guess, sum = 0.0;
    int first = (int)ceil((time - half) / DEFAULT_STEP);
    int last = (int)floor((time + half) / DEFAULT_STEP);
    if (first < 0 || last >= series->count)
        return NAN;
    for (int i = first; i <= last; ++i)
        sum += amplitude_at(series, guess, i);
    return sum / (last - first + 1) / amplitude_at(series, guess, 0);
}

// Samples x of a damped vibration, T apart, obey x_n+1 = a x_n − b x_n−1 with b = e^(−2σT) (Prony);
// a and b by least squares. T is about a radian, where both are well known.
double series_decay(const Series *series, double guess) {
    int stride = (int)fmax(1.0, round(1.0 / (guess * DEFAULT_STEP)));
    const double *x = series->value;
    double aa = 0.0, ab = 0.0, bb = 0.0, ya = 0.0, yb = 0.0;
    for (int i = stride; i + stride < series->count; ++i) {
        double y = x[i + stride], p = x[i], q = -x[i - stride];
        aa += p * p;
        ab += p * q;
        bb += q * q;
        ya += y * p;
        yb += y * q;
    }
    double b = (aa * yb - ab * ya) / (aa * bb - ab * ab);
    return b > 0.0 ? -0.5 * log(b) / (stride * DEFAULT_STEP) : NAN;
}
