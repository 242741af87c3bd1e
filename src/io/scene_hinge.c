// One entry of "hinges": a rigid body or a segment of a stiff rod that turns about an axis.
#include "io/scene_parts.h"
#include "io/tables.h"

typedef struct HingeReader {
    Reader *reader;
    const SnScene *scene;
    const NameTable *bodies, *frames;
} HingeReader;

// [low, high], degrees.
static void read_limits(Reader *reader, const Json *json, SceneHinge *hinge) {
    const Range range = {-1e6, 1e6, false};
    if (json->kind != JSON_ARRAY || json->count != 2) {
        sn__reader_error(reader, json, "is not [low, high], in degrees");
        return;
    }
    const Json *low = sn__json_first(json), *high = sn__json_next(&reader->doc, low);
    hinge->limited = sn__read_float(reader, low, range, &hinge->low) &&
                     sn__read_float(reader, high, range, &hinge->high);
    if (hinge->limited && hinge->low > hinge->high)
        sn__reader_error(reader, json, "the lower limit %g is above the upper one, %g",
                         (double)hinge->low, (double)hinge->high);
}

// A body by its name, or {"rod": NAME, "segment": NUMBER}; the entry, or −1 after a complaint.
static int read_turning(HingeReader *r, const Json *json, int *out_element) {
    const JsonDoc *doc = &r->reader->doc;
    if (json == NULL || json->kind != JSON_OBJECT)
        return sn__read_name(r->reader, r->bodies, json, "body");
    if (!sn__read_object(r->reader, json, &sn__table_turning, NULL))
        return -1;
    int body = sn__read_name(r->reader, r->bodies, sn__json_member(doc, json, "rod"), "body");
    const Json *segment = sn__json_member(doc, json, "segment");
    if (body >= 0 && segment &&
        !sn__read_index(r->reader, segment, r->scene->bodies[body], PART_ELEMENT, out_element))
        return -1;
    return body;
}

static int copies_of(const SnScene *scene, int body) {
    return body < 0 ? 1 : scene->bodies[body]->copy_count;
}

static void read_hinge(HingeReader *r, const Json *json, SceneHinge *hinge) {
    const JsonDoc *doc = &r->reader->doc;
    hinge->a = hinge->b = hinge->frame = -1;
    if (!sn__read_object(r->reader, json, &sn__table_hinge, hinge))
        return;
    const Json *b = sn__json_member(doc, json, "b"), *frame = sn__json_member(doc, json, "frame");
    const Json *limits = sn__json_member(doc, json, "limits");
    hinge->a = read_turning(r, sn__json_member(doc, json, "a"), &hinge->element_a);
    if (b && frame) {
        sn__reader_error(r->reader, frame, "does not go with \"b\", the body it turns against");
        return;
    }
    if (b)
        hinge->b = read_turning(r, b, &hinge->element_b);
    if (frame)
        hinge->frame = sn__read_name(r->reader, r->frames, frame, "frame");
    if (limits)
        read_limits(r->reader, limits, hinge);
    if (hinge->a < 0 || (b && hinge->b < 0))
        return;
    hinge->copy_count = sn__pair_copies(r->reader, json, copies_of(r->scene, hinge->a),
                                        copies_of(r->scene, hinge->b));
    hinge->ids = sn__reader_alloc(r->reader, (size_t)hinge->copy_count, sizeof *hinge->ids);
}

void sn__read_hinges(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                     const NameTable *frames) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    HingeReader r = {reader, scene, bodies, frames};
    scene->hinges = sn__reader_alloc(reader, (size_t)count, sizeof *scene->hinges);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        read_hinge(&r, items[i], &scene->hinges[i]);
        scene->hinge_count = i + 1;
    }
}
