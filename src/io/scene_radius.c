// Radii of a rod: one, one per vertex, a taper, or a profile along its length.
#include "io/scene_shape.h"
#include "io/tables.h"

float *sn__read_per_vertex(Reader *reader, const Json *json, Range range, int vertices) {
    float *values = sn__reader_alloc(reader, (size_t)vertices, sizeof *values);
    if (values == NULL)
        return NULL;
    if (json->kind != JSON_ARRAY) {
        float value = 1;
        sn__read_float(reader, json, range, &value);
        for (int i = 0; i < vertices; ++i)
            values[i] = value;
        return values;
    }
    if (json->count != (uint32_t)vertices) {
        sn__reader_error(reader, json, "%u number%s for the %d vertices of the rod", json->count,
                         json->count == 1 ? "" : "s", vertices);
        return values;
    }
    int i = 0;
    for (const Json *v = sn__json_first(json); v; v = sn__json_next(&reader->doc, v))
        sn__read_float(reader, v, range, &values[i++]);
    return values;
}

// Where each vertex is along the rod, from 0 to 1, by length.
static double *read_fractions(Reader *reader, const SceneRod *rod) {
    double *t = sn__reader_alloc(reader, (size_t)rod->body.point_count, sizeof *t);
    double total = 0;
    for (int i = 1; i < rod->body.point_count && t; ++i) {
        total += lengthd(subd(vec3d(rod->body.positions[i]), vec3d(rod->body.positions[i - 1])));
        t[i] = total;
    }
    for (int i = 1; i < rod->body.point_count && t; ++i)
        t[i] /= total;
    return t;
}

// [[t, radius], …] with t from 0 to 1.
static bool read_profile(Reader *reader, const Json *json, SceneRod *rod) {
    Range unit = {0, 1, false}, positive = RANGE_POSITIVE;
    int count = 0, k = 0;
    const Json **items = sn__read_list(reader, json, &count);
    float *t = sn__reader_alloc(reader, (size_t)count, sizeof *t);
    float *radius = sn__reader_alloc(reader, (size_t)count, sizeof *radius);
    double *at = read_fractions(reader, rod);
    if (items == NULL || t == NULL || radius == NULL || at == NULL)
        return false;
    for (int i = 0; i < count; ++i) {
        if (items[i]->kind != JSON_ARRAY || items[i]->count != 2) {
            sn__reader_error(reader, items[i], "is not a pair [t, radius]");
            return false;
        }
        const Json *first = sn__json_first(items[i]);
        if (!sn__read_float(reader, first, unit, &t[i]) ||
            !sn__read_float(reader, sn__json_next(&reader->doc, first), positive, &radius[i]))
            return false;
        if (i > 0 && !(t[i] > t[i - 1])) {
            sn__reader_error(reader, first, "t does not increase");
            return false;
        }
    }
    for (int i = 0; i < rod->body.point_count; ++i) {
        float x = (float)at[i];
        while (k < count && t[k] <= x)
            ++k;
        if (k == 0 || k == count) {
            rod->body.radii[i] = radius[k == 0 ? 0 : count - 1];
        } else {
            float w = (x - t[k - 1]) / (t[k] - t[k - 1]);
            rod->body.radii[i] = radius[k - 1] + (radius[k] - radius[k - 1]) * w;
        }
    }
    return true;
}

void sn__read_radius(Reader *reader, const Json *json, SceneRod *rod) {
    const Range positive = RANGE_POSITIVE;
    const Json *first = sn__json_first(json);
    bool profile = json->kind == JSON_ARRAY && first && first->kind == JSON_ARRAY;
    if (rod->body.edges && (profile || json->kind == JSON_OBJECT)) {
        sn__reader_error(reader, json, "a rod with edges takes one number, or one per vertex");
        return;
    }
    if (profile) {
        rod->body.radii = sn__reader_alloc(reader, (size_t)rod->body.point_count, sizeof(float));
        if (rod->body.radii)
            read_profile(reader, json, rod);
        return;
    }
    if (json->kind != JSON_OBJECT) {
        rod->body.radii = sn__read_per_vertex(reader, json, positive, rod->body.point_count);
        return;
    }
    Taper taper = {1, 1};
    sn__read_object(reader, json, &sn__table_taper, &taper);
    double *at = read_fractions(reader, rod);
    rod->body.radii = sn__reader_alloc(reader, (size_t)rod->body.point_count, sizeof(float));
    for (int i = 0; i < rod->body.point_count && at && rod->body.radii; ++i)
        rod->body.radii[i] = taper.from + (taper.to - taper.from) * (float)at[i];
}

void sn__use_default_radius(Reader *reader, SceneRod *rod) {
    float radius = sn_default_rod_def().radius;
    rod->body.radii = sn__reader_alloc(reader, (size_t)rod->body.point_count, sizeof(float));
    for (int i = 0; i < rod->body.point_count && rod->body.radii; ++i)
        rod->body.radii[i] = radius;
}
