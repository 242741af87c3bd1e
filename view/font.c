#include "view/font.h"

#include <math.h>

#define UNITS_PER_CAPITAL 14.0f
#define BASELINE 8
#define GAP 4.2f   // between letters, units
#define SPACE 2.5f // width of the space, units
#define STROKE 1.6f
#define CURVE_STEPS 6

// Each glyph is a list of strokes. '-' starts a chain of straight lines, '~' a smooth curve through
// its points. A point is two digits of base 36, x and y; y is 3 at the foot of a p, 8 at the
// baseline, 18 ('i') at the top of an x and 22 ('m') at the top of a capital.
static const char *const glyphs[95] = {
    "",                                          // space
    "-0m0d -0808",                               // !
    "-0m0i -3m3i",                               // "
    "-282m -686m -0d8d -0h8h",                   // #
    "~8j7l4m1l0i2g6e8c7948190b -4o46",           // $
    "-08am ~4k2m0k2i4k ~aa8c6a88aa",             // %
    "-983h ~3h2k4m6k5h1d0b28588d",               // &
    "-0m0i",                                     // '
    "~3o1k0f1a36",                               // (
    "~0o2k3f2a06",                               // )
    "-3l3f -0j6h -6j0h",                         // *
    "-4a4i -0e8e",                               // +
    "-1805",                                     // ,
    "-0e5e",                                     // -
    "-0808",                                     // .
    "-066o",                                     // /
    "~8f7k4m1k0f1a487a8f",                       // 0
    "-0j4m48",                                   // 1
    "~0j1l4m7l8i7f08 -0888",                     // 2
    "~0k2m5m7k7i5g3g ~3g6f8c7948190b",           // 3
    "-686m0c8c",                                 // 4
    "-7m1m0f ~0f3h6g8c794809",                   // 5
    "~7l4m1j0d1948798c7f4g1f0d",                 // 6
    "-0m8m38",                                   // 7
    "~7j6l4m2l1j2h4g6h7j ~8c7f4g1f0c1948798c",   // 8
    "~19487b8h7l4m1l0i1f4e7f8h",                 // 9
    "-0808 -0g0g",                               // :
    "-1805 -1g1g",                               // ;
    "-7j0e79",                                   // <
    "-0c8c -0g8g",                               // =
    "-0j7e09",                                   // >
    "~0j1l4m7l7i5g4d -4d4c -4848",               // ?
    "~8e6g4e6c8e ~8h8dabcfak6m2k0f2a68a9",       // @
    "-085ma8 -2d8d",                             // A
    "-58080m5m ~5m7l8j7g5f -5f0f ~5f8e9b8958",   // B
    "~9j8l5m2l0i0c2958899b",                     // C
    "-48080m4m ~4m7l9i9c7948",                   // D
    "-88080m8m -0f7f",                           // E
    "-080m8m -0f7f",                             // F
    "~9j8l5m2l0i0c2958899b -9b9e6e",             // G
    "-080m -989m -0f9f",                         // H
    "-080m",                                     // I
    "-6m6c ~6c5938190b",                         // J
    "-080m -9m0d -3g98",                         // K
    "-0m0888",                                   // L
    "-080m6bcmc8",                               // M
    "-080m989m",                                 // N
    "~af9k5m1k0f1a589aaf",                       // O
    "-080m5m ~5m8l9i8f5e -5e0e",                 // P
    "~af9k5m1k0f1a589aaf -6ba7",                 // Q
    "-080m5m ~5m8l9i8f5e -5e0e -5e98",           // R
    "~8j7l4m1l0i2g6e8c7948190b",                 // S
    "-0mam -5m58",                               // T
    "-0m0d ~0d1a38688a9d -9d9m",                 // U
    "-0m58am",                                   // V
    "-0m387mb8em",                               // W
    "-089m -0m98",                               // X
    "-0m5fam -5f58",                             // Y
    "-0m9m0898",                                 // Z
    "-3o0o0636",                                 // [
    "-0o66",                                     // backslash
    "-0o3o3606",                                 // ]
    "-0h4m8h",                                   // ^
    "-0686",                                     // _
    "-0m2j",                                     // `
    "~8d7h4i1h0d1948798d -8i88",                 // a
    "-080m ~0d1h4i7h8d7948190d",                 // b
    "~8g7h4i1h0d1948798a",                       // c
    "~8d7h4i1h0d1948798d -8m88",                 // d
    "-0d8d ~8d7h4i1h0d1948798a",                 // e
    "~5m3l2j -2j28 -0i5i",                       // f
    "~8d7h4i1h0d1948798d -8i86 ~86744314",       // g
    "-080m ~0e2h5i7h8e -8e88",                   // h
    "-080i -0m0m",                               // i
    "-3i35 ~352303 -3m3m",                       // j
    "-080m -7i0c -3e78",                         // k
    "-0m0a ~0a1828",                             // l
    "-080i ~0e1h4i6h6e -6e68 ~6e7haichce -cec8", // m
    "-080i ~0e2h5i7h8e -8e88",                   // n
    "~8d7h4i1h0d1948798d",                       // o
    "-030i ~0d1h4i7h8d7948190d",                 // p
    "~8d7h4i1h0d1948798d -8i83",                 // q
    "-080i ~0d1g3i5i",                           // r
    "~7g5i2i0g1e4d6c7a58280a",                   // s
    "-2l2b ~2b3958 -0i5i",                       // t
    "-0i0c ~0c1938698c -8i88",                   // u
    "-0i488i",                                   // v
    "-0i386i98ci",                               // w
    "-087i -0i78",                               // x
    "-0i48 -8i4823",                             // y
    "-0i7i0878",                                 // z
    "~4o2l2i0f2c2946",                           // {
    "-0o05",                                     // |
    "~0o2l2i4f2c2906",                           // }
    "~0d2f4e6d8f",                               // ~
};

typedef struct Point {
    float x, y;
} Point;

static float digit(char c) { return (float)(c >= 'a' ? c - 'a' + 10 : c - '0'); }

// The glyph of the next character; moves past all bytes of a UTF-8 sequence.
static const char *next_glyph(const char **text) {
    unsigned char c = (unsigned char)*(*text)++;
    while (((unsigned char)**text & 0xc0) == 0x80)
        ++*text;
    return glyphs[c >= 32 && c < 127 ? c - 32 : '?' - 32];
}

static float glyph_width(const char *glyph) {
    float width = *glyph ? 0.0f : SPACE;
    for (const char *at = glyph; *at;) {
        if (*at == '-' || *at == '~' || *at == ' ') {
            ++at;
            continue;
        }
        width = fmaxf(width, digit(at[0]));
        at += 2;
    }
    return width;
}

float view_text_width(const char *text, float size) {
    float width = 0.0f;
    while (*text)
        width += glyph_width(next_glyph(&text)) + GAP;
    return fmaxf(width - GAP, 0.0f) * size / UNITS_PER_CAPITAL;
}

// From units of the font to pixels.
typedef struct Pen {
    ViewCanvas *canvas;
    float x, y, unit;
    bool upward;
} Pen;

static void draw_line(const Pen *pen, Point a, Point b) {
    float ax = a.x * pen->unit, ay = (a.y - BASELINE) * pen->unit;
    float bx = b.x * pen->unit, by = (b.y - BASELINE) * pen->unit;
    float width = fmaxf(STROKE * pen->unit, 1.1f);
    if (pen->upward)
        view_canvas_line(pen->canvas, pen->x - ay, pen->y - ax, pen->x - by, pen->y - bx, width);
    else
        view_canvas_line(pen->canvas, pen->x + ax, pen->y - ay, pen->x + bx, pen->y - by, width);
}

static Point blend(Point a, Point b, Point c, Point d, float t) {
    float wa = 0.5f * t * (-1.0f + t * (2.0f - t)), wb = 0.5f * (2.0f + t * t * (3.0f * t - 5.0f));
    float wc = 0.5f * t * (1.0f + t * (4.0f - 3.0f * t)), wd = 0.5f * t * t * (t - 1.0f);
    Point p = {wa * a.x + wb * b.x + wc * c.x + wd * d.x,
               wa * a.y + wb * b.y + wc * c.y + wd * d.y};
    return p;
}

// A curve whose last point is its first goes on smoothly there.
static void draw_curve(const Pen *pen, const Point *points, int count) {
    const Point *first = points, *last = points + count - 1;
    bool closed = first->x == last->x && first->y == last->y;
    for (int i = 0; i + 1 < count; ++i) {
        Point before = i > 0 ? points[i - 1] : closed ? points[count - 2] : *first;
        Point after = i + 2 < count ? points[i + 2] : closed ? points[1] : *last;
        Point from = points[i];
        for (int k = 1; k <= CURVE_STEPS; ++k) {
            Point to = blend(before, points[i], points[i + 1], after, (float)k / CURVE_STEPS);
            draw_line(pen, from, to);
            from = to;
        }
    }
}

static void draw_glyph(const Pen *pen, const char *glyph) {
    while (*glyph) {
        bool curved = *glyph++ == '~';
        Point points[24] = {{0}};
        int count = 0;
        for (; *glyph && *glyph != ' ' && count < 24; glyph += 2)
            points[count++] = (Point){digit(glyph[0]), digit(glyph[1])};
        if (curved)
            draw_curve(pen, points, count);
        else
            for (int i = 0; i + 1 < count; ++i)
                draw_line(pen, points[i], points[i + 1]);
        glyph += *glyph == ' ';
    }
}

void view_text_paint(ViewCanvas *canvas, const char *text, float x, float y, float size,
                     ViewAlign align, bool upward, ViewColour colour) {
    float back = view_text_width(text, size) * 0.5f * (float)align;
    Pen pen = {canvas, upward ? x : x - back, upward ? y + back : y, size / UNITS_PER_CAPITAL,
               upward};
    while (*text) {
        const char *glyph = next_glyph(&text);
        draw_glyph(&pen, glyph);
        float advance = (glyph_width(glyph) + GAP) * pen.unit;
        pen.x += upward ? 0.0f : advance;
        pen.y -= upward ? advance : 0.0f;
    }
    view_canvas_paint(canvas, colour, 1.0f);
}
