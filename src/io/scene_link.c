// One entry of "links": a point of a body, and what it is tied to.
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

typedef struct LinkReader {
    Reader *reader;
    const SnScene *scene;
    const NameTable *bodies, *frames;
} LinkReader;

// A point is an end of some element.
static void at_point(const SceneBody *body, int point, SceneEnd *end) {
    if (body->edges == NULL) {
        bool last = point == body->element_count;
        end->element = last ? point - 1 : point;
        end->t = last ? 1 : 0;
        return;
    }
    for (int i = 0; i < 2 * body->element_count; ++i)
        if (body->edges[i] == point) {
            end->element = i / 2;
            end->t = (float)(i % 2);
            return;
        }
}

static bool read_body_point(LinkReader *r, const Json *json, SceneEnd *end) {
    const JsonDoc *doc = &r->reader->doc;
    const Json *vertex = sn__json_member(doc, json, "vertex");
    const Json *segment = sn__json_member(doc, json, "segment");
    const Json *t = sn__json_member(doc, json, "t");
    end->body = sn__read_name(r->reader, r->bodies, sn__json_member(doc, json, "rod"), "body");
    if (end->body < 0)
        return false;
    const SceneBody *body = r->scene->bodies[end->body];
    if ((vertex != NULL) == (segment != NULL)) {
        sn__reader_error(r->reader, json, "needs one of: vertex, segment");
        return false;
    }
    if (segment)
        return sn__read_index(r->reader, segment, body, PART_ELEMENT, &end->element);
    if (t) {
        sn__reader_error(r->reader, t, "goes with \"segment\"");
        return false;
    }
    int number;
    if (!sn__read_index(r->reader, vertex, body, PART_POINT, &number))
        return false;
    at_point(body, number, end);
    return true;
}

// What of `keys` is there, with words about what it does not go with.
static bool refuse(LinkReader *r, const Json *json, const char *const *keys, int count,
                   const char *with) {
    for (int i = 0; i < count; ++i) {
        const Json *member = sn__json_member(&r->reader->doc, json, keys[i]);
        if (member) {
            sn__reader_error(r->reader, member, "%s", with);
            return true;
        }
    }
    return false;
}

static bool read_end(LinkReader *r, const Json *json, SceneEnd *end) {
    static const char *const of_place[] = {"frame", "position"};
    static const char *const of_body[] = {"vertex", "segment", "t"};
    if (!sn__read_object(r->reader, json, &sn__table_end, end))
        return false;
    if (sn__json_member(&r->reader->doc, json, "rod"))
        return !refuse(r, json, of_place, 2, "does not go with \"rod\"") &&
               read_body_point(r, json, end);
    if (refuse(r, json, of_body, 3, "needs a \"rod\", the name of a body, beside it"))
        return false;
    const Json *frame = sn__json_member(&r->reader->doc, json, "frame");
    end->given = sn__json_member(&r->reader->doc, json, "position") != NULL;
    if (frame) {
        end->frame = sn__read_name(r->reader, r->frames, frame, "frame");
        return end->frame >= 0;
    }
    return true;
}

static void read_link(LinkReader *r, const Json *json, SceneLink *link) {
    const SceneEnd nowhere = {.body = -1, .frame = -1};
    link->a = link->b = nowhere;
    link->length = SN_LINK_KEEP;
    link->release = 1e300; // never
    if (!sn__read_object(r->reader, json, &sn__table_link, link))
        return;
    const Json *a = sn__json_member(&r->reader->doc, json, "a");
    const Json *b = sn__json_member(&r->reader->doc, json, "b");
    if (!read_end(r, a, &link->a) || (b && !read_end(r, b, &link->b)))
        return;
    if (link->a.body < 0) {
        sn__reader_error(
            r->reader, a,
            "needs a \"rod\", the name of a body: the first end of a link is a point of one");
        return;
    }
    int copies = r->scene->bodies[link->a.body]->copy_count;
    int others = link->b.body < 0 ? 1 : r->scene->bodies[link->b.body]->copy_count;
    link->copy_count = sn__pair_copies(r->reader, json, copies, others);
    link->ids = sn__reader_alloc(r->reader, (size_t)link->copy_count, sizeof *link->ids);
}

void sn__read_links(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                    const NameTable *frames) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    LinkReader r = {reader, scene, bodies, frames};
    scene->links = sn__reader_alloc(reader, (size_t)count, sizeof *scene->links);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        read_link(&r, items[i], &scene->links[i]);
        scene->link_count = i + 1;
    }
}
