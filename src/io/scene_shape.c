// The shapes of rods: from the few numbers of a file to positions, frames and radii.
#include "io/scene_shape.h"
#include "io/rotation.h"
#include "io/tables.h"

#include <string.h>

static bool read_points(Reader *reader, const Json *list, PointList *out) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items == NULL)
        return false;
    if (count < 2 || count > SN_MAX_ROD_VERTICES) {
        sn__reader_error(reader, list, "a rod needs 2 to %d points, not %d", SN_MAX_ROD_VERTICES,
                         count);
        return false;
    }
    Range range = RANGE_ANY;
    SnVec3 *positions = sn__reader_alloc(reader, (size_t)count, sizeof *positions);
    bool good = positions != NULL;
    for (int i = 0; i < count && positions; ++i) {
        good = sn__read_vec3(reader, items[i], range, &positions[i]) && good;
        if (good && !out->graph && i > 0 &&
            memcmp(&positions[i], &positions[i - 1], sizeof *positions) == 0) {
            sn__reader_error(reader, items[i], "is the same point as the one before");
            good = false;
        }
    }
    out->positions = positions;
    out->count = count;
    return good;
}

// Arcs, circles and helices start on the x axis and turn about z, before z is turned to the axis.
static void fill_turns(const ShapeParams *p, double from, double to, double rise, PointList *out,
                       int segments) {
    Vec3d axis = vec3d(p->axis);
    Quatd tilt = rotation_between((Vec3d){0, 0, 1}, scaled(axis, 1 / lengthd(axis)));
    for (int i = 0; i < out->count; ++i) {
        double t = (double)i / segments, angle = RADIANS * (from + (to - from) * t);
        Vec3d local = {(double)p->radius * cos(angle), (double)p->radius * sin(angle), rise * t};
        out->positions[i] = vec3f(addd(vec3d(p->centre), rotated(tilt, local)));
    }
}

static void fill_line(const ShapeParams *p, PointList *out, int segments) {
    Vec3d from = vec3d(p->from), along = subd(vec3d(p->to), from);
    for (int i = 0; i < out->count; ++i)
        out->positions[i] = vec3f(addd(from, scaled(along, (double)i / segments)));
}

typedef struct ShapeKind {
    const char *key;
    const KeyTable *table;
} ShapeKind;

static const ShapeKind shape_kinds[] = {
    {"line", &sn__table_line},   {"arc", &sn__table_arc},         {"circle", &sn__table_circle},
    {"helix", &sn__table_helix}, {"octopus", &sn__table_octopus}, {"tree", &sn__table_tree},
    {"net", &sn__table_net},
};

static void fill_shape(const KeyTable *table, const ShapeParams *p, PointList *out) {
    double turns = (double)p->turns;
    if (table == &sn__table_line)
        fill_line(p, out, p->segments);
    else if (table == &sn__table_arc)
        fill_turns(p, (double)p->from_angle, (double)p->to_angle, 0, out, p->segments);
    else if (table == &sn__table_circle)
        fill_turns(p, 0, 360, 0, out, p->segments);
    else
        fill_turns(p, 0, 360 * turns, (double)p->pitch * turns, out, p->segments);
}

// `vertices` is the number that the rod has already, 0 if this shape decides.
static bool read_generated(Reader *reader, const Json *json, const ShapeKind *kind, int vertices,
                           PointList *out) {
    if (kind->table == &sn__table_octopus)
        return sn__read_octopus(reader, json, out);
    if (kind->table == &sn__table_tree)
        return sn__read_tree(reader, json, out);
    if (kind->table == &sn__table_net)
        return sn__read_net(reader, json, out);
    ShapeParams p = {.axis = {0, 1, 0}, .segments = 32};
    out->circle = kind->table == &sn__table_circle;
    if (vertices > 0)
        p.segments = out->circle ? vertices : vertices - 1;
    if (!sn__read_object(reader, json, kind->table, &p))
        return false;
    const char *fault = NULL;
    if (!(lengthd(vec3d(p.axis)) > 0))
        fault = "the axis has no length";
    else if (kind->table == &sn__table_line && memcmp(&p.from, &p.to, sizeof p.from) == 0)
        fault = "\"from\" and \"to\" are the same point";
    else if (kind->table == &sn__table_arc && p.from_angle == p.to_angle)
        fault = "\"from\" and \"to\" are the same angle";
    if (fault) {
        sn__reader_error(reader, json, "%s", fault);
        return false;
    }
    out->count = out->circle ? p.segments : p.segments + 1;
    out->positions = sn__reader_alloc(reader, (size_t)out->count, sizeof(SnVec3));
    if (out->positions)
        fill_shape(kind->table, &p, out);
    return out->positions != NULL;
}

// The one member of `json` that is a shape; *out_found says whether there was one.
static bool read_one_shape(Reader *reader, const Json *json, int vertices, PointList *out,
                           bool *out_found) {
    const Json *chosen = sn__json_member(&reader->doc, json, "points");
    const ShapeKind *kind = NULL;
    for (int i = 0; i < (int)(sizeof shape_kinds / sizeof *shape_kinds); ++i) {
        const Json *member = sn__json_member(&reader->doc, json, shape_kinds[i].key);
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
    if (chosen == NULL)
        return true;
    return kind ? read_generated(reader, chosen, kind, vertices, out)
                : read_points(reader, chosen, out);
}

static Vec3d tangent(const SnVec3 *x, int j, int vertices) {
    Vec3d d = subd(vec3d(x[(j + 1) % vertices]), vec3d(x[j]));
    return scaled(d, 1 / lengthd(d));
}

// Frames carried along the curve from `first` on, turned about the tangent by `twist` degrees
// spread evenly over the segments.
static SnQuat *twisted_frames(Reader *reader, const SceneRod *rod, const SnVec3 *x, Quatd first,
                              double twist) {
    SnQuat *frames = sn__reader_alloc(reader, (size_t)rod->body.element_count, sizeof *frames);
    Vec3d t = tangent(x, 0, rod->body.point_count);
    Quatd carried = first;
    int steps = rod->closed ? rod->body.element_count : rod->body.element_count - 1;
    for (int j = 0; j < rod->body.element_count && frames; ++j) {
        Vec3d next = tangent(x, j, rod->body.point_count);
        carried = normalisedq(mulqd(rotation_between(t, next), carried));
        frames[j] =
            quatf(mulqd(sn__rotation_about(next, steps > 0 ? twist * j / steps : 0), carried));
        t = next;
    }
    return frames;
}

static void twist_rod(Reader *reader, SceneRod *rod, double rest, double start) {
    Vec3d t = tangent(rod->body.positions, 0, rod->body.point_count);
    Quatd first = rotation_between((Vec3d){0, 0, 1}, t);
    if (rest != 0)
        rod->frames = twisted_frames(reader, rod, rod->body.positions, first, rest);
    if (start != 0) {
        const SnVec3 *x = rod->start_positions ? rod->start_positions : rod->body.positions;
        first = mulqd(rotation_between(t, tangent(x, 0, rod->body.point_count)), first);
        rod->start_frames = twisted_frames(reader, rod, x, first, rest + start);
    }
}

void sn__make_frames(Reader *reader, SceneRod *rod) {
    const Vec3d z = {0, 0, 1};
    if (rod->closed || rod->frames)
        return;
    if (rod->body.edges == NULL) {
        Quatd first = rotation_between(z, tangent(rod->body.positions, 0, rod->body.point_count));
        rod->frames = twisted_frames(reader, rod, rod->body.positions, first, 0);
        return;
    }
    rod->frames = sn__reader_alloc(reader, (size_t)rod->body.element_count, sizeof *rod->frames);
    for (int i = 0; i < rod->body.element_count && rod->frames; ++i) {
        const int *edge = rod->body.edges + 2 * i;
        Vec3d d = subd(vec3d(rod->body.positions[edge[1]]), vec3d(rod->body.positions[edge[0]]));
        double length = lengthd(d);
        rod->frames[i] =
            quatf(length > 0 ? rotation_between(z, scaled(d, 1 / length)) : (Quatd){0, 0, 0, 1});
    }
}

static void stretch_start(Reader *reader, SceneRod *rod, double stretch) {
    const SnVec3 *from = rod->start_positions ? rod->start_positions : rod->body.positions;
    SnVec3 *to = sn__reader_alloc(reader, (size_t)rod->body.point_count, sizeof *to);
    Vec3d fixed = vec3d(from[0]);
    for (int i = 0; i < rod->body.point_count && to; ++i)
        to[i] = vec3f(addd(fixed, scaled(subd(vec3d(from[i]), fixed), stretch)));
    rod->start_positions = to;
}

static const Range scale_range = {0.1, 10, false};

static bool read_start(Reader *reader, const Json *json, SceneRod *rod, float *out_twist) {
    SceneStart start = {1, 0};
    PointList points = {0};
    bool found = false;
    if (!sn__read_object(reader, json, &sn__table_start, &start) ||
        !read_one_shape(reader, json, rod->body.point_count, &points, &found))
        return false;
    if (found && (points.count != rod->body.point_count || (points.circle && !rod->closed))) {
        sn__reader_error(reader, json, "%d vertices%s do not fit the %d vertices of the %s rod",
                         points.count, points.circle ? " in a circle" : "", rod->body.point_count,
                         rod->closed ? "closed" : "open");
        return false;
    }
    rod->start_positions = points.positions;
    if (start.stretch != 1.0f)
        stretch_start(reader, rod, (double)start.stretch);
    const Json *scales = sn__json_member(&reader->doc, json, "scales");
    if (scales)
        rod->start_scales = sn__read_per_vertex(reader, scales, scale_range, rod->body.point_count);
    *out_twist = start.twist;
    return !reader->out_of_memory;
}

// Whether the rod is closed: circles are, points may be.
static bool check_closed(Reader *reader, const Json *json, const PointList *points, SceneRod *rod) {
    const Json *closed = sn__json_member(&reader->doc, json, "closed");
    const Json *shape = sn__json_member(&reader->doc, json, "shape");
    const Json *list = sn__json_member(&reader->doc, shape, "points");
    if (closed && points->circle && !rod->closed) {
        sn__reader_error(reader, closed, "a circle is always closed; use \"arc\" for an open rod");
    } else if (closed && rod->closed && !points->circle && list == NULL) {
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

// Pairs of vertices. What makes a good graph of them, the engine checks.
static bool read_edges(Reader *reader, const Json *json, bool stiff, PointList *points) {
    int count, most = stiff ? SN_MAX_ROD_VERTICES : SN_MAX_CREATURE_EDGES;
    const Json **items = sn__read_list(reader, json, &count);
    if (items == NULL || count < 1 || count > most) {
        if (items)
            sn__reader_error(reader, json, "%d edges are not in [1, %d]", count, most);
        return false;
    }
    Range range = {0, points->count - 1, false};
    points->edges = sn__reader_alloc(reader, 2 * (size_t)count, sizeof *points->edges);
    bool good = points->edges != NULL;
    for (int i = 0; i < count && points->edges; ++i) {
        int *edge = points->edges + 2 * i;
        if (items[i]->kind != JSON_ARRAY || items[i]->count != 2) {
            sn__reader_error(reader, items[i], "is not a pair of vertices [a, b]");
            good = false;
            continue;
        }
        const Json *first = sn__json_first(items[i]);
        if (!sn__read_int(reader, first, range, &edge[0]) ||
            !sn__read_int(reader, sn__json_next(&reader->doc, first), range, &edge[1])) {
            good = false;
        } else if (edge[0] == edge[1]) {
            sn__reader_error(reader, items[i], "joins vertex %d to itself", edge[0]);
            good = false;
        }
    }
    points->edge_count = count;
    if (good && !stiff && count < points->count - 1) {
        sn__reader_error(reader, json, "%d edge%s cannot connect %d points; it takes %d or more",
                         count, count == 1 ? "" : "s", points->count, points->count - 1);
        return false;
    }
    return good;
}

// A creature: what is said of a chain does not fit it.
static bool check_creature(Reader *reader, const Json *json, const SceneRod *rod,
                           PointList *points) {
    const Json *edges = sn__json_member(&reader->doc, json, "edges");
    const Json *closed = sn__json_member(&reader->doc, json, "closed");
    const Json *twist = sn__json_member(&reader->doc, json, "twist");
    const Json *radius = sn__json_member(&reader->doc, json, "radius");
    if (edges && !points->graph)
        sn__reader_error(reader, edges, "edges go with \"points\"");
    else if (edges && !read_edges(reader, edges, rod->stiff, points))
        return false;
    else if (closed && rod->closed)
        sn__reader_error(reader, closed, "a rod with edges is closed by an edge");
    else if (twist)
        sn__reader_error(reader, twist, "a rod with edges has no twist along it");
    else if (points->radii && radius)
        sn__reader_error(reader, radius, "the shape has radii of its own");
    else
        return true;
    return false;
}

// The list of vertices, and of edges if there are any.
static bool read_vertices(Reader *reader, const Json *json, const Json *shape, SceneRod *rod) {
    PointList points = {0};
    bool found = false;
    points.graph = sn__json_member(&reader->doc, json, "edges") &&
                   sn__json_member(&reader->doc, shape, "points");
    if (!read_one_shape(reader, shape, 0, &points, &found))
        return false;
    if (!found) {
        sn__reader_error(reader, shape,
                         "needs one of: points, line, arc, circle, helix, octopus, tree, net");
        return false;
    }
    bool creature = points.edges || sn__json_member(&reader->doc, json, "edges");
    if (creature ? !check_creature(reader, json, rod, &points)
                 : !check_closed(reader, json, &points, rod))
        return false;
    rod->body.positions = points.positions;
    rod->body.radii = points.radii;
    rod->body.edges = points.edges;
    rod->frames = points.frames;
    rod->tree = points.tree;
    rod->segments = points.segments;
    rod->bone_segments = points.bone_segments;
    rod->body.point_count = points.count;
    rod->body.element_count = creature      ? points.edge_count
                              : rod->closed ? points.count
                                            : points.count - 1;
    return true;
}

void sn__read_shape(Reader *reader, const Json *json, SceneRod *rod) {
    const Json *shape = sn__json_member(&reader->doc, json, "shape");
    if (shape == NULL || !sn__read_object(reader, shape, &sn__table_shape, NULL) ||
        !read_vertices(reader, json, shape, rod))
        return;
    const Range any = RANGE_ANY;
    float twist = 0, start_twist = 0;
    const Json *member = sn__json_member(&reader->doc, json, "twist");
    bool good = member == NULL || sn__read_float(reader, member, any, &twist);
    member = sn__json_member(&reader->doc, json, "start");
    good = (member == NULL || read_start(reader, member, rod, &start_twist)) && good;
    if (good && rod->body.edges && start_twist != 0)
        sn__reader_error(reader, member, "a rod with edges has no twist along it");
    else if (good)
        twist_rod(reader, rod, (double)twist, (double)start_twist);
    member = sn__json_member(&reader->doc, json, "radius");
    if (member)
        sn__read_radius(reader, member, rod);
    else if (rod->body.radii == NULL)
        sn__use_default_radius(reader, rod);
}
