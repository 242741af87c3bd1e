// Charts of measured against expected, written as PNG.
#pragma once

#include "view/image.h"

// Bits of a series' style.
typedef enum ViewPlotStyle {
    VIEW_PLOT_LINE = 1,
    VIEW_PLOT_DASHES = 2,
    VIEW_PLOT_MARKERS = 4,
} ViewPlotStyle;

typedef struct ViewPlotSeries {
    const char *label; // in the legend; NULL: not there
    int count;
    const double *x, *y; // points that are not finite, or not > 0 on a log axis, are left out
    unsigned style;      // ViewPlotStyle bits; 0: a line
    const float *colour; // three, sRGB 0 to 1; NULL: the palette
} ViewPlotSeries;

typedef struct ViewPlotAxis {
    const char *label; // may be NULL
    bool log;
    double low, high; // both 0: from the data
} ViewPlotAxis;

typedef struct ViewPlot {
    const char *title; // may be NULL
    ViewPlotAxis x, y;
    const ViewPlotSeries *series;
    int series_count;
    int width, height; // pixels; 0: 1200 × 800
} ViewPlot;

SnResult view_plot_draw(const ViewPlot *plot, ViewImage *out_image);
SnResult view_plot_write(const char *path, const ViewPlot *plot);
