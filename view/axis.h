// The scale of a chart's axis: its range, its ticks, and where a value lies on it.
#pragma once

#include "view/plot.h"

#define SNV_MAX_TICKS 64

typedef struct SnvTick {
    double value;
    float at;       // 0 to 1 along the axis
    bool has_label; // ticks between the labelled ones only get a short line
    char label[24];
    int exponent_at; // in label, where a raised exponent starts; 0: none
} SnvTick;

typedef struct SnvScale {
    bool log;
    double low, high;
    int tick_count;
    SnvTick ticks[SNV_MAX_TICKS];
} SnvScale;

// `low` and `high` are the extremes of the data that can be shown; low > high if there are none.
SnvScale snv__scale_make(const SnvPlotAxis *axis, double low, double high);
// 0 to 1 within the axis, NaN for what has no place on it.
float snv__scale_at(const SnvScale *scale, double value);
