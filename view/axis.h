// The scale of a chart's axis: its range, its ticks, and where a value lies on it.
#pragma once

#include "view/plot.h"

#define VIEW_MAX_TICKS 64

typedef struct ViewTick {
    double value;
    float at;       // 0 to 1 along the axis
    bool has_label; // ticks between the labelled ones only get a short line
    char label[24];
    int exponent_at; // in label, where a raised exponent starts; 0: none
} ViewTick;

typedef struct ViewScale {
    bool log;
    double low, high;
    int tick_count;
    ViewTick ticks[VIEW_MAX_TICKS];
} ViewScale;

// `low` and `high` are the extremes of the data that can be shown; low > high if there are none.
ViewScale view_scale_make(const ViewPlotAxis *axis, double low, double high);
// 0 to 1 within the axis, NaN for what has no place on it.
float view_scale_at(const ViewScale *scale, double value);
