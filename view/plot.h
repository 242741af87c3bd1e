// Charts of measured against expected, written as PNG.
#pragma once

#include "view/image.h"

// Bits of a series' style.
typedef enum SnvPlotStyle {
    SNV_PLOT_LINE = 1,
    SNV_PLOT_DASHES = 2,
    SNV_PLOT_MARKERS = 4,
} SnvPlotStyle;

typedef struct SnvPlotSeries {
    const char *label; // in the legend; NULL: not there
    int count;
    const double *x, *y; // points that are not finite, or not > 0 on a log axis, are left out
    unsigned style;      // SnvPlotStyle bits; 0: a line
    const float *colour; // three, sRGB 0 to 1; NULL: the palette
} SnvPlotSeries;

typedef struct SnvPlotAxis {
    const char *label; // may be NULL
    bool log;
    double low, high; // both 0: from the data
} SnvPlotAxis;

typedef struct SnvPlot {
    const char *title; // may be NULL
    SnvPlotAxis x, y;
    const SnvPlotSeries *series;
    int series_count;
    int width, height; // pixels; 0: 1200 × 800
} SnvPlot;

SnResult snv_plot_draw(const SnvPlot *plot, SnvImage *out_image);
SnResult snv_plot_write(const char *path, const SnvPlot *plot);
