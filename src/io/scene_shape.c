// The shapes of rods: from the few numbers of a file to positions, frames and radii.
#include "io/rotation.h"
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

static SnVec3 vec3f(Vec3d v) { return (SnVec3){(float)v.x, (float)v.y, (float)v.z}; }

typedef struct Points {
    SnVec3 *positions;
    int count;
    bool circle; // closes by itself
} Points;

static bool read_points(SnReader *reader, const SnJson *list, Points *out) {
    int count;
    const SnJson **items = sn__read_list(reader, list, &count);
    if (!items) {
        return false;
    }
    if (count < 2 || count > SN_MAX_ROD_VERTICES) {
        sn__reader_error(reader, list, "%d points are not in [2, %d]", count, SN_MAX_ROD_VERTICES);
        return false;
    }
    SnRange range = SN__ANY;
    SnVec3 *positions = sn__reader_alloc(reader, (size_t)count, sizeof *positions);
    bool good = positions != NULL;
    for (int i = 0; i < count && positions; i++) {
        good = sn__read_vec3(reader, items[i], range, &positions[i]) && good;
        if (good && i > 0 && memcmp(&positions[i], &positions[i - 1], sizeof *positions) == 0) {
            sn__reader_error(reader, items[i], "is the same point as the one before");
            good = false;
        }
    }
    out->positions = positions;
    out->count = count;
    return good;
}

// Arcs, circles and helices start on the x axis and turn about z, before z is turned to the axis.
static void fill_turns(const SnShapeParams *p, double from, double to, double rise, Points *out,
                       int segments) {
    Vec3d axis = vec3d(p->axis);
    Quatd tilt = rotation_between((Vec3d){0, 0, 1}, scaled(axis, 1 / lengthd(axis)));
    for (int i = 0; i < out->count; i++) {
        double t = (double)i / segments, angle = SN__RADIANS * (from + (to - from) * t);
        Vec3d local = {(double)p->radius * cos(angle), (double)p->radius * sin(angle), rise * t};
        out->positions[i] = vec3f(addd(vec3d(p->centre), rotated(tilt, local)));
    }
}

static void fill_line(const SnShapeParams *p, Points *out, int segments) {
    Vec3d from = vec3d(p->from), along = subd(vec3d(p->to), from);
    for (int i = 0; i < out->count; i++) {
        out->positions[i] = vec3f(addd(from, scaled(along, (double)i / segments)));
    }
}

typedef struct ShapeKind {
    const char *key;
    const SnKeyTable *table;
} ShapeKind;

static const ShapeKind shape_kinds[] = {
    {"line", &sn__table_line},
    {"arc", &sn__table_arc},
    {"circle", &sn__table_circle},
    {"helix", &sn__table_helix},
};

static void fill_shape(const SnKeyTable *table, const SnShapeParams *p, Points *out) {
    double turns = (double)p->turns;
    if (table == &sn__table_line) {
        fill_line(p, out, p->segments);
    } else if (table == &sn__table_arc) {
        fill_turns(p, (double)p->from_angle, (double)p->to_angle, 0, out, p->segments);
    } else if (table == &sn__table_circle) {
        fill_turns(p, 0, 360, 0, out, p->segments);
    } else {
        fill_turns(p, 0, 360 * turns, (double)p->pitch * turns, out, p->segments);
    }
}

// `vertices` is the number that the rod has already, 0 if this shape decides.
static bool read_generated(SnReader *reader, const SnJson *json, const ShapeKind *kind,
                           int vertices, Points *out) {
    SnShapeParams p = {.axis = {0, 1, 0}, .segments = 32};
    out->circle = kind->table == &sn__table_circle;
    if (vertices > 0) {
        p.segments = out->circle ? vertices : vertices - 1;
    }
    if (!sn__read_object(reader, json, kind->table, &p)) {
        return false;
    }
    const char *fault = NULL;
    if (!(lengthd(vec3d(p.axis)) > 0)) {
        fault = "the axis has no length";
    } else if (kind->table == &sn__table_line && memcmp(&p.from, &p.to, sizeof p.from) == 0) {
        fault = "\"from\" and \"to\" are the same point";
    } else if (kind->table == &sn__table_arc && p.from_angle == p.to_angle) {
        fault = "\"from\" and \"to\" are the same angle";
    }
    if (fault) {
        sn__reader_error(reader, json, "%s", fault);
        return false;
    }
    out->count = out->circle ? p.segments : p.segments + 1;
    out->positions = sn__reader_alloc(reader, (size_t)out->count, sizeof(SnVec3));
    if (out->positions) {
        fill_shape(kind->table, &p, out);
    }
    return out->positions != NULL;
}

// The one member of `json` that is a shape; *out_found says whether there was one.
static bool read_one_shape(SnReader *reader, const SnJson *json, int vertices, Points *out,
                           bool *out_found) {
    const SnJson *chosen = sn__json_member(&reader->doc, json, "points");
    const ShapeKind *kind = NULL;
    for (int i = 0; i < (int)(sizeof shape_kinds / sizeof *shape_kinds); i++) {
        const SnJson *member = sn__json_member(&reader->doc, json, shape_kinds[i].key);
        if (member && chosen) {
            sn__reader_error(reader, member, "is a second shape, after \"%s\"",
                             sn__json_key(&reader->doc, chosen));
            return false;
        }
        if (member) {
            chosen = member;
            kind = &shape_kinds[i];
        }
    }
    *out_found = chosen != NULL;
    if (!chosen) {
        return true;
    }
    return kind ? read_generated(reader, chosen, kind, vertices, out)
                : read_points(reader, chosen, out);
}

static Vec3d tangent(const SnVec3 *x, int j, int vertices) {
    Vec3d d = subd(vec3d(x[(j + 1) % vertices]), vec3d(x[j]));
    return scaled(d, 1 / lengthd(d));
}

// Frames carried along the curve from `first` on, turned about the tangent by `twist` degrees
// spread evenly over the segments.
static SnQuat *twisted_frames(SnReader *reader, const SnSceneRod *rod, const SnVec3 *x, Quatd first,
                              double twist) {
    SnQuat *frames = sn__reader_alloc(reader, (size_t)rod->segment_count, sizeof *frames);
    Vec3d t = tangent(x, 0, rod->vertex_count);
    Quatd carried = first;
    int steps = rod->closed ? rod->segment_count : rod->segment_count - 1;
    for (int j = 0; j < rod->segment_count && frames; j++) {
        Vec3d next = tangent(x, j, rod->vertex_count);
        carried = normalisedq(mulqd(rotation_between(t, next), carried));
        frames[j] =
            quatf(mulqd(sn__rotation_about(next, steps > 0 ? twist * j / steps : 0), carried));
        t = next;
    }
    return frames;
}

static void twist_rod(SnReader *reader, SnSceneRod *rod, double rest, double start) {
    Vec3d t = tangent(rod->positions, 0, rod->vertex_count);
    Quatd first = rotation_between((Vec3d){0, 0, 1}, t);
    if (rest != 0) {
        rod->frames = twisted_frames(reader, rod, rod->positions, first, rest);
    }
    if (start != 0) {
        const SnVec3 *x = rod->start_positions ? rod->start_positions : rod->positions;
        first = mulqd(rotation_between(t, tangent(x, 0, rod->vertex_count)), first);
        rod->start_frames = twisted_frames(reader, rod, x, first, rest + start);
    }
}

static void stretch_start(SnReader *reader, SnSceneRod *rod, double stretch) {
    const SnVec3 *from = rod->start_positions ? rod->start_positions : rod->positions;
    SnVec3 *to = sn__reader_alloc(reader, (size_t)rod->vertex_count, sizeof *to);
    Vec3d fixed = vec3d(from[0]);
    for (int i = 0; i < rod->vertex_count && to; i++) {
        to[i] = vec3f(addd(fixed, scaled(subd(vec3d(from[i]), fixed), stretch)));
    }
    rod->start_positions = to;
}

static const SnRange scale_range = {0.1, 10, false};

// One number for all vertices, or an array with one for each.
static float *read_per_vertex(SnReader *reader, const SnJson *json, SnRange range, int vertices) {
    float *values = sn__reader_alloc(reader, (size_t)vertices, sizeof *values);
    if (!values) {
        return NULL;
    }
    if (json->kind != SN__JSON_ARRAY) {
        float value = 1;
        sn__read_float(reader, json, range, &value);
        for (int i = 0; i < vertices; i++) {
            values[i] = value;
        }
        return values;
    }
    if (json->count != (uint32_t)vertices) {
        sn__reader_error(reader, json, "%u numbers for the %d vertices of the rod", json->count,
                         vertices);
        return values;
    }
    int i = 0;
    for (const SnJson *v = sn__json_first(json); v; v = sn__json_next(&reader->doc, v)) {
        sn__read_float(reader, v, range, &values[i++]);
    }
    return values;
}

static bool read_start(SnReader *reader, const SnJson *json, SnSceneRod *rod, float *out_twist) {
    SnStart start = {1, 0};
    Points points = {0};
    bool found = false;
    if (!sn__read_object(reader, json, &sn__table_start, &start) ||
        !read_one_shape(reader, json, rod->vertex_count, &points, &found)) {
        return false;
    }
    if (found && (points.count != rod->vertex_count || (points.circle && !rod->closed))) {
        sn__reader_error(reader, json, "%d vertices%s do not fit the %d vertices of the %s rod",
                         points.count, points.circle ? " in a circle" : "", rod->vertex_count,
                         rod->closed ? "closed" : "open");
        return false;
    }
    rod->start_positions = points.positions;
    if (start.stretch != 1.0f) {
        stretch_start(reader, rod, (double)start.stretch);
    }
    const SnJson *scales = sn__json_member(&reader->doc, json, "scales");
    if (scales) {
        rod->start_scales = read_per_vertex(reader, scales, scale_range, rod->vertex_count);
    }
    *out_twist = start.twist;
    return !reader->out_of_memory;
}

// Where each vertex is along the rod, from 0 to 1, by length.
static double *read_fractions(SnReader *reader, const SnSceneRod *rod) {
    double *t = sn__reader_alloc(reader, (size_t)rod->vertex_count, sizeof *t);
    double total = 0;
    for (int i = 1; i < rod->vertex_count && t; i++) {
        total += lengthd(subd(vec3d(rod->positions[i]), vec3d(rod->positions[i - 1])));
        t[i] = total;
    }
    for (int i = 1; i < rod->vertex_count && t; i++) {
        t[i] /= total;
    }
    return t;
}

// [[t, radius], …] with t from 0 to 1.
static bool read_profile(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    SnRange unit = {0, 1, false}, positive = SN__POSITIVE;
    int count = 0, k = 0;
    const SnJson **items = sn__read_list(reader, json, &count);
    float *t = sn__reader_alloc(reader, (size_t)count, sizeof *t);
    float *radius = sn__reader_alloc(reader, (size_t)count, sizeof *radius);
    double *at = read_fractions(reader, rod);
    if (!items || !t || !radius || !at) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (items[i]->kind != SN__JSON_ARRAY || items[i]->count != 2) {
            sn__reader_error(reader, items[i], "is not a pair [t, radius]");
            return false;
        }
        const SnJson *first = sn__json_first(items[i]);
        if (!sn__read_float(reader, first, unit, &t[i]) ||
            !sn__read_float(reader, sn__json_next(&reader->doc, first), positive, &radius[i])) {
            return false;
        }
        if (i > 0 && !(t[i] > t[i - 1])) {
            sn__reader_error(reader, first, "t does not increase");
            return false;
        }
    }
    for (int i = 0; i < rod->vertex_count; i++) {
        float x = (float)at[i];
        while (k < count && t[k] <= x) {
            k++;
        }
        if (k == 0 || k == count) {
            rod->radii[i] = radius[k == 0 ? 0 : count - 1];
        } else {
            float w = (x - t[k - 1]) / (t[k] - t[k - 1]);
            rod->radii[i] = radius[k - 1] + (radius[k] - radius[k - 1]) * w;
        }
    }
    return true;
}

static void read_radius(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    const SnRange positive = SN__POSITIVE;
    const SnJson *first = sn__json_first(json);
    if (json->kind == SN__JSON_ARRAY && first && first->kind == SN__JSON_ARRAY) {
        rod->radii = sn__reader_alloc(reader, (size_t)rod->vertex_count, sizeof(float));
        if (rod->radii) {
            read_profile(reader, json, rod);
        }
        return;
    }
    if (json->kind != SN__JSON_OBJECT) {
        rod->radii = read_per_vertex(reader, json, positive, rod->vertex_count);
        return;
    }
    SnTaper taper = {1, 1};
    sn__read_object(reader, json, &sn__table_taper, &taper);
    double *at = read_fractions(reader, rod);
    rod->radii = sn__reader_alloc(reader, (size_t)rod->vertex_count, sizeof(float));
    for (int i = 0; i < rod->vertex_count && at && rod->radii; i++) {
        rod->radii[i] = taper.from + (taper.to - taper.from) * (float)at[i];
    }
}

// Whether the rod is closed: circles are, points may be.
static bool check_closed(SnReader *reader, const SnJson *json, const Points *points,
                         SnSceneRod *rod) {
    const SnJson *closed = sn__json_member(&reader->doc, json, "closed");
    const SnJson *shape = sn__json_member(&reader->doc, json, "shape");
    const SnJson *list = sn__json_member(&reader->doc, shape, "points");
    if (closed && points->circle && !rod->closed) {
        sn__reader_error(reader, closed, "a circle is always closed; use \"arc\" for an open rod");
    } else if (closed && rod->closed && !points->circle && !list) {
        sn__reader_error(reader, closed, "only \"points\" and \"circle\" can be closed");
    } else if (rod->closed && points->count < 4) {
        sn__reader_error(reader, closed, "a closed rod needs 4 points or more");
    } else if (rod->closed && list &&
               memcmp(&points->positions[0], &points->positions[points->count - 1],
                      sizeof(SnVec3)) == 0) {
        sn__reader_error(reader, list, "the last point repeats the first; leave it out");
    } else {
        rod->closed = rod->closed || points->circle;
        return true;
    }
    return false;
}

void sn__read_shape(SnReader *reader, const SnJson *json, SnSceneRod *rod) {
    const SnJson *shape = sn__json_member(&reader->doc, json, "shape");
    Points points = {0};
    bool found = false;
    if (!shape || !sn__read_object(reader, shape, &sn__table_shape, NULL) ||
        !read_one_shape(reader, shape, 0, &points, &found)) {
        return;
    }
    if (!found) {
        sn__reader_error(reader, shape, "needs one of: points, line, arc, circle, helix");
        return;
    }
    if (!check_closed(reader, json, &points, rod)) {
        return;
    }
    rod->positions = points.positions;
    rod->vertex_count = points.count;
    rod->segment_count = rod->closed ? points.count : points.count - 1;

    const SnRange any = SN__ANY;
    float twist = 0, start_twist = 0;
    const SnJson *member = sn__json_member(&reader->doc, json, "twist");
    bool good = !member || sn__read_float(reader, member, any, &twist);
    member = sn__json_member(&reader->doc, json, "start");
    good = (!member || read_start(reader, member, rod, &start_twist)) && good;
    if (good) {
        twist_rod(reader, rod, (double)twist, (double)start_twist);
    }
    member = sn__json_member(&reader->doc, json, "radius");
    if (member) {
        read_radius(reader, member, rod);
    }
}
