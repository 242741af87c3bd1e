#include "view/plot.h"

#include "view/axis.h"
#include "view/canvas.h"
#include "view/font.h"
#include "view/png.h"
#include "view/scene.h"

#include <math.h>

static const ViewColour ink = {0.16f, 0.18f, 0.21f};
static const ViewColour faint_ink = {0.42f, 0.45f, 0.49f};
static const ViewColour grid_ink = {0.88f, 0.89f, 0.91f};
static const ViewColour paper = {1.0f, 1.0f, 1.0f};

// A chart being drawn: where its frame lies, in pixels, and its scales.
typedef struct Chart {
    const ViewPlot *plot;
    ViewCanvas canvas;
    ViewScale x, y;
    float unit; // height of a capital in tick labels
    float left, top, right, bottom;
} Chart;

static float to_x(const Chart *chart, double value) {
    return chart->left + view_scale_at(&chart->x, value) * (chart->right - chart->left);
}

static float to_y(const Chart *chart, double value) {
    return chart->bottom - view_scale_at(&chart->y, value) * (chart->bottom - chart->top);
}

// Numbers so large or small that a scale made of them overflows are no measurements.
static bool can_place(double value, bool log) {
    return log ? value > 1.0e-100 && value < 1.0e100 : fabs(value) < 1.0e100;
}

static bool can_show(const ViewPlot *plot, double x, double y) {
    return can_place(x, plot->x.log) && can_place(y, plot->y.log);
}

static void make_scales(Chart *chart) {
    const ViewPlot *plot = chart->plot;
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (int s = 0; s < plot->series_count; ++s) {
        const ViewPlotSeries *series = &plot->series[s];
        for (int i = 0; i < series->count; ++i)
            if (can_show(plot, series->x[i], series->y[i])) {
                low_x = fmin(low_x, series->x[i]);
                high_x = fmax(high_x, series->x[i]);
                low_y = fmin(low_y, series->y[i]);
                high_y = fmax(high_y, series->y[i]);
            }
    }
    chart->x = view_scale_make(&plot->x, low_x, high_x);
    chart->y = view_scale_make(&plot->y, low_y, high_y);
}

static float tick_width(const ViewTick *tick, float unit) {
    if (!tick->exponent_at)
        return view_text_width(tick->label, unit);
    return view_text_width("10", unit) + 0.3f * unit +
           view_text_width(tick->label + tick->exponent_at, 0.72f * unit);
}

static void paint_tick_label(Chart *chart, const ViewTick *tick, float x, float y,
                             ViewAlign align) {
    float unit = chart->unit, width = tick_width(tick, unit);
    x -= 0.5f * width * (float)align;
    if (!tick->exponent_at) {
        view_text_paint(&chart->canvas, tick->label, x, y, unit, VIEW_ALIGN_LEFT, false, faint_ink);
        return;
    }
    view_text_paint(&chart->canvas, "10", x, y, unit, VIEW_ALIGN_LEFT, false, faint_ink);
    x += view_text_width("10", unit) + 0.3f * unit;
    view_text_paint(&chart->canvas, tick->label + tick->exponent_at, x, y - 0.6f * unit,
                    0.72f * unit, VIEW_ALIGN_LEFT, false, faint_ink);
}

static void make_frame(Chart *chart) {
    const ViewImage *image = chart->canvas.image;
    float unit = chart->unit, widest = 0.0f;
    for (int i = 0; i < chart->y.tick_count; ++i)
        if (chart->y.ticks[i].has_label)
            widest = fmaxf(widest, tick_width(&chart->y.ticks[i], unit));
    chart->left = 2.0f * unit + widest + 1.0f * unit + (chart->plot->y.label ? 3.0f * unit : 0.0f);
    chart->right = (float)image->width - 2.6f * unit;
    chart->top = chart->plot->title ? 5.2f * unit : 2.2f * unit;
    chart->bottom =
        (float)image->height - 3.8f * unit - (chart->plot->x.label ? 2.6f * unit : 0.0f);
}

static void paint_grid(Chart *chart) {
    ViewCanvas *canvas = &chart->canvas;
    float line = fmaxf(0.09f * chart->unit, 1.0f);
    for (int i = 0; i < chart->x.tick_count; ++i) {
        float x = to_x(chart, chart->x.ticks[i].value);
        if (chart->x.ticks[i].has_label)
            view_canvas_rectangle(canvas, x - 0.5f * line, chart->top, x + 0.5f * line,
                                  chart->bottom);
    }
    for (int i = 0; i < chart->y.tick_count; ++i) {
        float y = to_y(chart, chart->y.ticks[i].value);
        if (chart->y.ticks[i].has_label)
            view_canvas_rectangle(canvas, chart->left, y - 0.5f * line, chart->right,
                                  y + 0.5f * line);
    }
    view_canvas_paint(canvas, grid_ink, 1.0f);
}

static void paint_axes(Chart *chart) {
    ViewCanvas *canvas = &chart->canvas;
    float unit = chart->unit, line = fmaxf(0.12f * unit, 1.2f);
    view_canvas_line(canvas, chart->left, chart->top, chart->left, chart->bottom, line);
    view_canvas_line(canvas, chart->left, chart->bottom, chart->right, chart->bottom, line);
    for (int i = 0; i < chart->x.tick_count; ++i) {
        float x = to_x(chart, chart->x.ticks[i].value);
        float length = chart->x.ticks[i].has_label ? 0.6f : 0.3f;
        view_canvas_line(canvas, x, chart->bottom, x, chart->bottom + length * unit, line);
    }
    for (int i = 0; i < chart->y.tick_count; ++i) {
        float y = to_y(chart, chart->y.ticks[i].value);
        float length = chart->y.ticks[i].has_label ? 0.6f : 0.3f;
        view_canvas_line(canvas, chart->left - length * unit, y, chart->left, y, line);
    }
    view_canvas_paint(canvas, faint_ink, 1.0f);
    for (int i = 0; i < chart->x.tick_count; ++i) {
        const ViewTick *tick = &chart->x.ticks[i];
        paint_tick_label(chart, tick, to_x(chart, tick->value), chart->bottom + 2.3f * unit,
                         VIEW_ALIGN_CENTRE);
    }
    for (int i = 0; i < chart->y.tick_count; ++i) {
        const ViewTick *tick = &chart->y.ticks[i];
        paint_tick_label(chart, tick, chart->left - 1.1f * unit,
                         to_y(chart, tick->value) + 0.5f * unit, VIEW_ALIGN_RIGHT);
    }
}

static void paint_words(Chart *chart) {
    const ViewPlot *plot = chart->plot;
    float unit = chart->unit;
    if (plot->title)
        view_text_paint(&chart->canvas, plot->title, chart->left, chart->top - 1.8f * unit,
                        1.35f * unit, VIEW_ALIGN_LEFT, false, ink);
    if (plot->x.label)
        view_text_paint(&chart->canvas, plot->x.label, 0.5f * (chart->left + chart->right),
                        chart->bottom + 5.0f * unit, 1.1f * unit, VIEW_ALIGN_CENTRE, false, ink);
    if (plot->y.label)
        view_text_paint(&chart->canvas, plot->y.label, 2.6f * unit,
                        0.5f * (chart->top + chart->bottom), 1.1f * unit, VIEW_ALIGN_CENTRE, true,
                        ink);
}

static ViewColour series_colour(const ViewPlot *plot, int s) {
    ViewLook look = view_palette(s);
    const float *c = plot->series[s].colour ? plot->series[s].colour : look.colour;
    ViewColour colour = {c[0], c[1], c[2]};
    return colour;
}

static unsigned series_style(const ViewPlotSeries *series) {
    return series->style ? series->style : (unsigned)VIEW_PLOT_LINE;
}

// Dashes are counted along the curve: `travelled` carries their phase from point to point.
static void add_dashes(Chart *chart, float x0, float y0, float x1, float y1, float *travelled) {
    float dash = 1.0f * chart->unit, period = 1.9f * chart->unit;
    float length = hypotf(x1 - x0, y1 - y0);
    if (!(length > 0.0f && length < 1.0e5f))
        return;
    float width = 0.24f * chart->unit;
    for (float s = -fmodf(*travelled, period); s < length; s += period) {
        float from = fmaxf(s, 0.0f) / length, to = fminf(s + dash, length) / length;
        if (to > from)
            view_canvas_line(&chart->canvas, x0 + from * (x1 - x0), y0 + from * (y1 - y0),
                             x0 + to * (x1 - x0), y0 + to * (y1 - y0), width);
    }
    *travelled += length;
}

static void add_stroke(Chart *chart, unsigned style, float x0, float y0, float x1, float y1,
                       float *travelled) {
    if (style & VIEW_PLOT_DASHES)
        add_dashes(chart, x0, y0, x1, y1, travelled);
    else if (style & VIEW_PLOT_LINE)
        view_canvas_line(&chart->canvas, x0, y0, x1, y1, 0.26f * chart->unit);
}

static void paint_marker(Chart *chart, float x, float y, ViewColour colour) {
    view_canvas_line(&chart->canvas, x, y, x, y, 1.05f * chart->unit);
    view_canvas_paint(&chart->canvas, paper, 1.0f);
    view_canvas_line(&chart->canvas, x, y, x, y, 0.78f * chart->unit);
    view_canvas_paint(&chart->canvas, colour, 1.0f);
}

static void paint_series(Chart *chart, int s) {
    const ViewPlotSeries *series = &chart->plot->series[s];
    unsigned style = series_style(series);
    ViewColour colour = series_colour(chart->plot, s);
    float travelled = 0.0f, last_x = NAN, last_y = NAN;
    for (int i = 0; i < series->count; ++i) {
        float x = to_x(chart, series->x[i]), y = to_y(chart, series->y[i]);
        if (isfinite(x + y) && isfinite(last_x + last_y))
            add_stroke(chart, style, last_x, last_y, x, y, &travelled);
        last_x = x;
        last_y = y;
    }
    view_canvas_paint(&chart->canvas, colour, 1.0f);
    for (int i = 0; i < series->count && (style & VIEW_PLOT_MARKERS); ++i)
        if (can_show(chart->plot, series->x[i], series->y[i]))
            paint_marker(chart, to_x(chart, series->x[i]), to_y(chart, series->y[i]), colour);
}

// Number of data points, and of points on the lines between them, within a box.
static int crowd(const Chart *chart, float x0, float y0, float x1, float y1) {
    int count = 0;
    for (int s = 0; s < chart->plot->series_count; ++s) {
        const ViewPlotSeries *series = &chart->plot->series[s];
        for (int i = 0; i < series->count; ++i) {
            int before = i > 0 ? i - 1 : 0;
            for (int k = 0; k < 8; ++k) {
                float t = (float)k / 8.0f;
                float x =
                    to_x(chart, series->x[i]) * (1.0f - t) + to_x(chart, series->x[before]) * t;
                float y =
                    to_y(chart, series->y[i]) * (1.0f - t) + to_y(chart, series->y[before]) * t;
                count += x > x0 && x < x1 && y > y0 && y < y1;
            }
        }
    }
    return count;
}

// Where the legend hides the least, of the four corners.
static void place_legend(const Chart *chart, float width, float height, float *out_x,
                         float *out_y) {
    float gap = chart->unit;
    int least = -1;
    for (int i = 0; i < 4; ++i) {
        float x = i & 1 ? chart->left + gap : chart->right - gap - width;
        float y = i & 2 ? chart->bottom - gap - height : chart->top + gap;
        int here = crowd(chart, x, y, x + width, y + height);
        if (least < 0 || here < least) {
            least = here;
            *out_x = x;
            *out_y = y;
        }
    }
}

static void paint_legend(Chart *chart) {
    const ViewPlot *plot = chart->plot;
    float unit = chart->unit, row = 2.1f * unit, widest = 0.0f;
    int rows = 0;
    for (int s = 0; s < plot->series_count; ++s)
        if (plot->series[s].label) {
            widest = fmaxf(widest, view_text_width(plot->series[s].label, unit));
            ++rows;
        }
    if (!rows)
        return;
    float width = widest + 6.4f * unit, height = row * (float)rows + 0.9f * unit, x = 0, y = 0;
    place_legend(chart, width, height, &x, &y);
    view_canvas_rectangle(&chart->canvas, x, y, x + width, y + height);
    view_canvas_paint(&chart->canvas, paper, 0.86f);
    y += 0.45f * unit + 0.5f * row;
    for (int s = 0; s < plot->series_count; ++s) {
        const ViewPlotSeries *series = &plot->series[s];
        if (series->label == NULL)
            continue;
        float travelled = 0.0f;
        ViewColour colour = series_colour(plot, s);
        add_stroke(chart, series_style(series), x + unit, y, x + 4.0f * unit, y, &travelled);
        view_canvas_paint(&chart->canvas, colour, 1.0f);
        if (series_style(series) & VIEW_PLOT_MARKERS)
            paint_marker(chart, x + 2.5f * unit, y, colour);
        view_text_paint(&chart->canvas, series->label, x + 5.2f * unit, y + 0.5f * unit, unit,
                        VIEW_ALIGN_LEFT, false, ink);
        y += row;
    }
}

static void paint_chart(Chart *chart) {
    paint_grid(chart);
    paint_axes(chart);
    paint_words(chart);
    // Markers on the rim may stick out a little, lines beyond the range may not.
    float over = 0.6f * chart->unit;
    view_canvas_clip(&chart->canvas, (int)(chart->left - over), (int)(chart->top - over),
                     (int)(chart->right + over), (int)(chart->bottom + over));
    for (int s = 0; s < chart->plot->series_count; ++s)
        paint_series(chart, s);
    paint_legend(chart);
}

SnResult view_plot_draw(const ViewPlot *plot, ViewImage *out_image) {
    int width = plot->width ? plot->width : 1200, height = plot->height ? plot->height : 800;
    *out_image = (ViewImage){0};
    if (width < 200 || height < 150)
        return sn_error(SN_ERROR_INVALID, "plot: size %d×%d is below 200×150 pixels", width,
                        height);
    SnResult result = view_image_create(width, height, 255, 255, 255, out_image);
    if (result.code != SN_OK)
        return result;
    Chart chart = {.plot = plot, .unit = (float)(width < height ? width : height) / 58.0f};
    result = view_canvas_create(out_image, &chart.canvas);
    if (result.code != SN_OK) {
        view_image_release(out_image);
        return result;
    }
    make_scales(&chart);
    make_frame(&chart);
    paint_chart(&chart);
    view_canvas_release(&chart.canvas);
    return result;
}

SnResult view_plot_write(const char *path, const ViewPlot *plot) {
    ViewImage image;
    SnResult result = view_plot_draw(plot, &image);
    if (result.code == SN_OK) {
        result = view_png_write(path, &image);
        view_image_release(&image);
    }
    return result;
}
