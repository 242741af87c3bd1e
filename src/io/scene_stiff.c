// What is said of stiff rods only: segments that differ from the rest, and what they do not have.
#include "io/scene_shape.h"
#include "io/tables.h"

// One number, or one for each axis of the cross-section.
static bool read_section(Reader *reader, const Json *json, SnSegmentDef *out) {
    const Range range = {0, 1e4, true};
    if (json->kind != JSON_ARRAY) {
        bool good = sn__read_float(reader, json, range, &out->radius_x);
        out->radius_y = out->radius_x;
        return good;
    }
    if (json->count != 2) {
        sn__reader_error(reader, json, "is neither a radius nor a pair [x, y]");
        return false;
    }
    const Json *first = sn__json_first(json);
    return sn__read_float(reader, first, range, &out->radius_x) &&
           sn__read_float(reader, sn__json_next(&reader->doc, first), range, &out->radius_y);
}

static void take(float *to, float from) {
    if (from > 0)
        *to = from;
}

// One range; what it leaves out stays.
static void read_range(Reader *reader, const Json *json, SceneRod *rod) {
    SnSegmentDef def = {0};
    int first = 0, last = rod->body.element_count - 1;
    if (!sn__read_object(reader, json, &sn__table_segments, &def))
        return;
    const JsonDoc *doc = &reader->doc;
    const Json *from = sn__json_member(doc, json, "from"), *to = sn__json_member(doc, json, "to");
    const Json *radius = sn__json_member(doc, json, "radius");
    bool good = (from == NULL || sn__read_index(reader, from, &rod->body, PART_ELEMENT, &first)) &&
                (to == NULL || sn__read_index(reader, to, &rod->body, PART_ELEMENT, &last)) &&
                (radius == NULL || read_section(reader, radius, &def));
    if (good && last < first) {
        sn__reader_error(reader, json, "segment %d, the last, comes before %d, the first", last,
                         first);
        return;
    }
    for (int i = first; i <= last && good; ++i) {
        SnSegmentDef *s = &rod->segments[i];
        take(&s->young, def.young);
        take(&s->shear, def.shear);
        take(&s->density, def.density);
        take(&s->radius_x, def.radius_x);
        take(&s->radius_y, def.radius_y);
    }
}

static void read_ranges(Reader *reader, const Json *json, SceneRod *rod) {
    if (rod->segments == NULL)
        rod->segments =
            sn__reader_alloc(reader, (size_t)rod->body.element_count, sizeof *rod->segments);
    if (rod->segments == NULL)
        return;
    if (json->kind == JSON_OBJECT) {
        read_range(reader, json, rod);
        return;
    }
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    for (int i = 0; i < count && items; ++i)
        read_range(reader, items[i], rod);
}

// Keys that mean nothing to rigid segments, in the rod or in its start.
static void refuse_soft(Reader *reader, const Json *json) {
    static const char *const keys[] = {"classic", "activation"};
    static const char *const start_keys[] = {"stretch", "scales"};
    for (int i = 0; i < 2; ++i) {
        const Json *member = sn__json_member(&reader->doc, json, keys[i]);
        if (member)
            sn__reader_error(reader, member, "does not go with \"stiff\"");
    }
    const Json *start = sn__json_member(&reader->doc, json, "start");
    for (int i = 0; i < 2 && start && start->kind == JSON_OBJECT; ++i) {
        const Json *member = sn__json_member(&reader->doc, start, start_keys[i]);
        if (member)
            sn__reader_error(reader, member, "a stiff rod keeps its lengths and radii");
    }
}

// What segments of their own make of it, on the mean.
static void measure_section(SceneRod *rod) {
    SceneBody *body = &rod->body;
    double sum[2] = {0, 0};
    if (rod->segments == NULL || body->radii == NULL || body->element_count == 0)
        return;
    for (int i = 0; i < body->element_count; ++i) {
        const SnSegmentDef *s = &rod->segments[i];
        int a = body->edges ? body->edges[2 * i] : i;
        int b = body->edges ? body->edges[2 * i + 1] : (i + 1) % body->point_count;
        double radius = 0.5 * ((double)body->radii[a] + (double)body->radii[b]);
        sum[0] += s->radius_x > 0 ? (double)s->radius_x / radius : 1;
        sum[1] += s->radius_y > 0 ? (double)s->radius_y / radius : 1;
    }
    body->section[0] = (float)(sum[0] / body->element_count);
    body->section[1] = (float)(sum[1] / body->element_count);
}

void sn__read_stiff(Reader *reader, const Json *json, SceneRod *rod) {
    const Json *segments = sn__json_member(&reader->doc, json, "segments");
    if (rod->tree && sn__json_member(&reader->doc, json, "stiff") && !rod->stiff) {
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "stiff"),
                         "a tree is always stiff");
        return;
    }
    rod->stiff |= rod->tree != NULL;
    if (rod->stiff) {
        rod->body.scaleless = "stiff rod";
        refuse_soft(reader, json);
    }
    if (segments && !rod->stiff)
        sn__reader_error(reader, segments, "needs \"stiff\": true");
    else if (segments)
        read_ranges(reader, segments, rod);
    measure_section(rod);
}
