#include "view/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

float view_scale_at(const ViewScale *scale, double value) {
    if (!isfinite(value) || (scale->log && !(value > 0.0)))
        return NAN;
    if (scale->log)
        return (float)((log10(value) - log10(scale->low)) /
                       (log10(scale->high) - log10(scale->low)));
    return (float)((value - scale->low) / (scale->high - scale->low));
}

// 1, 2 or 5 times a power of ten, the next at or above x.
static double nice_step(double x) {
    double power = pow(10.0, floor(log10(x)));
    double digits = x / power;
    return power * (digits <= 1.0 ? 1.0 : digits <= 2.0 ? 2.0 : digits <= 5.0 ? 5.0 : 10.0);
}

static ViewTick *add_tick(ViewScale *scale, double value) {
    float at = view_scale_at(scale, value);
    if (scale->tick_count == VIEW_MAX_TICKS || !(at > -1.0e-4f && at < 1.0001f))
        return NULL;
    ViewTick *tick = &scale->ticks[scale->tick_count++];
    *tick = (ViewTick){.value = value, .at = at};
    return tick;
}

// "1e-05" reads better as "1e-5".
static void write_number(char *label, size_t size, double value, double step) {
    double largest = fabs(value);
    if (value != 0.0 && (largest >= 1.0e5 || step < 1.0e-4)) {
        snprintf(label, size, "%.3g", value);
        char *e = strchr(label, 'e');
        if (e && e[2] == '0')
            memmove(e + 2, e + 3, strlen(e + 3) + 1);
        if (e && e[1] == '+')
            memmove(e + 1, e + 2, strlen(e + 2) + 1);
        return;
    }
    int decimals = (int)fmax(0.0, -floor(log10(step) + 1.0e-9));
    snprintf(label, size, "%.*f", value == 0.0 ? 0 : decimals, value);
}

static void linear_ticks(ViewScale *scale) {
    double step = nice_step((scale->high - scale->low) / 7.0);
    double first = ceil(scale->low / step - 1.0e-6);
    for (int i = 0; i < VIEW_MAX_TICKS; ++i) {
        double value = (first + i) * step;
        ViewTick *tick = add_tick(scale, fabs(value) < 1.0e-9 * step ? 0.0 : value);
        if (tick) {
            tick->has_label = true;
            write_number(tick->label, sizeof tick->label, tick->value, step);
        }
    }
}

static void write_power(ViewTick *tick, int exponent, bool plain) {
    tick->has_label = true;
    if (plain) {
        snprintf(tick->label, sizeof tick->label, "%g", tick->value);
        return;
    }
    snprintf(tick->label, sizeof tick->label, "10%d", exponent);
    tick->exponent_at = 2;
}

// Whole decades; with few of them also ticks between, and on a short axis labels at 2 and 5.
static void log_ticks(ViewScale *scale) {
    double from = log10(scale->low), to = log10(scale->high);
    int first = (int)floor(from), last = (int)ceil(to);
    int stride = (last - first) / 9 + 1;
    bool plain = from > -2.5 && to < 4.5;
    for (int exponent = first; exponent <= last; exponent += stride) {
        double power = pow(10.0, exponent);
        ViewTick *tick = add_tick(scale, power);
        if (tick)
            write_power(tick, exponent, plain);
        for (int digits = 2; digits < 10 && to - from < 5.0; ++digits) {
            tick = add_tick(scale, digits * power);
            if (tick && (digits == 2 || digits == 5) && to - from < 2.2) {
                tick->has_label = true;
                snprintf(tick->label, sizeof tick->label, "%g", tick->value);
            }
        }
    }
}

static void widen_linear(ViewScale *scale) {
    double span = scale->high - scale->low;
    if (span <= 1.0e-12 * fmax(fabs(scale->low), fabs(scale->high))) {
        span = scale->low == 0.0 ? 1.0 : fabs(scale->low);
        scale->low -= 0.5 * span;
        scale->high += 0.5 * span;
        return;
    }
    // Room around the data, but none below a zero that the data starts from.
    scale->high += 0.05 * span;
    scale->low -= scale->low >= 0.0 && scale->low < 0.02 * span ? scale->low : 0.05 * span;
}

static void widen_log(ViewScale *scale) {
    double ratio = fmax(scale->high / scale->low, 2.0);
    double factor = pow(ratio, 0.06);
    double middle = sqrt(scale->low) * sqrt(scale->high);
    if (scale->high / scale->low < 2.0) {
        scale->low = middle / sqrt(2.0);
        scale->high = middle * sqrt(2.0);
    }
    scale->low /= factor;
    scale->high *= factor;
}

ViewScale view_scale_make(const ViewPlotAxis *axis, double low, double high) {
    ViewScale scale = {.log = axis->log};
    bool given = axis->low < axis->high && (!axis->log || axis->low > 0.0) &&
                 isfinite(axis->high - axis->low);
    if (given) {
        scale.low = axis->low;
        scale.high = axis->high;
    } else {
        bool nothing = !(low <= high);
        scale.low = nothing ? (axis->log ? 0.1 : 0.0) : low;
        scale.high = nothing ? 1.0 : high;
        if (axis->log)
            widen_log(&scale);
        else
            widen_linear(&scale);
    }
    if (axis->log)
        log_ticks(&scale);
    else
        linear_ticks(&scale);
    return scale;
}
