// Colours of a scene file: written in sRGB, as people and paint programs do, kept in linear light.
#include "io/reader.h"

#include <math.h>
#include <string.h>

typedef struct NamedColour {
    const char *name;
    unsigned rgb;
} NamedColour;

static const NamedColour named[] = {
    {"white", 0xF5F5F2},  {"grey", 0x8C8F94},   {"black", 0x1B1B1E},  {"red", 0xD6423A},
    {"orange", 0xEE8434}, {"yellow", 0xF2C14E}, {"green", 0x5FA55A},  {"teal", 0x2A9D8F},
    {"cyan", 0x58C4DD},   {"blue", 0x3D6FB4},   {"violet", 0x7B5EA7}, {"magenta", 0xC2528B},
    {"pink", 0xEF9FAE},   {"coral", 0xFF7F6A},  {"brown", 0x8A5A3C},  {"sand", 0xE3CDA4},
};
#define NAMED_COUNT ((int)(sizeof named / sizeof *named))

static float linear_light(double srgb) {
    return (float)(srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4));
}

static SnColour from_rgb(unsigned rgb) {
    SnColour colour = {linear_light((rgb >> 16 & 255) / 255.0),
                       linear_light((rgb >> 8 & 255) / 255.0), linear_light((rgb & 255) / 255.0)};
    return colour;
}

SnColour sn__palette_colour(int index) {
    static const unsigned palette[] = {0x2A9D8F, 0xFF7F6A, 0xF2C14E, 0x3D6FB4,
                                       0xC2528B, 0x5FA55A, 0xEE8434, 0x7B5EA7};
    return from_rgb(palette[index % 8]);
}

static bool parse_hex(const char *text, unsigned *out) {
    unsigned value = 0;
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (const char *c = text + 1; *c; ++c) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = strchr(digits, *c);
        if (digit == NULL)
            return false;
        value = value << 4 | (unsigned)((digit - digits) & 15);
    }
    *out = value;
    return true;
}

static bool read_colour_text(Reader *reader, const Json *value, SnColour *out) {
    const char *text = sn__json_string(&reader->doc, value);
    unsigned rgb;
    if (parse_hex(text, &rgb)) {
        *out = from_rgb(rgb);
        return true;
    }
    const char *names[NAMED_COUNT];
    for (int i = 0; i < NAMED_COUNT; ++i) {
        names[i] = named[i].name;
        if (strcmp(text, names[i]) == 0) {
            *out = from_rgb(named[i].rgb);
            return true;
        }
    }
    if (text[0] == '#')
        sn__reader_error(reader, value, "\"%.20s\" is not of the form \"#rrggbb\"", text);
    else
        sn__reader_unknown(reader, value, "colour", text, names, NAMED_COUNT);
    return false;
}

bool sn__read_colour(Reader *reader, const Json *value, SnColour *out) {
    if (value->kind == JSON_STRING)
        return read_colour_text(reader, value, out);
    SnVec3 rgb;
    Range range = {0, 1, false};
    if (value->kind != JSON_ARRAY)
        return sn__read_kind(reader, value, JSON_ARRAY,
                             "a colour: \"#rrggbb\", a name or [r, g, b]");
    if (!sn__read_vec3(reader, value, range, &rgb))
        return false;
    *out = (SnColour){linear_light((double)rgb.x), linear_light((double)rgb.y),
                      linear_light((double)rgb.z)};
    return true;
}
