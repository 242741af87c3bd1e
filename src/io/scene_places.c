// What refers to places on a body: attachments, activations and forces.
#include "io/scene_parts.h"
#include "io/tables.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

bool sn__read_index(Reader *reader, const Json *json, const SceneBody *body, BodyPart part,
                    int *out) {
    static const char *const words[] = {"first", "last"};
    static const char *const parts[] = {"vertex", "segment", "mark"}; // as BodyPart
    const int counts[] = {body->point_count, body->element_count, body->mark_count};
    int count = counts[part];
    if (count == 0 && part == PART_MARK)
        sn__reader_error(reader, json, "this %s has no \"marks\"", body->kind->one);
    if (count == 0)
        return false; // its shape is wrong, which was said
    if (json->kind == JSON_STRING) {
        int word;
        if (!sn__read_word(reader, json, words, 2, &word))
            return false;
        *out = word == 0 ? 0 : count - 1;
        return true;
    }
    Range any = RANGE_ANY;
    int index;
    if (!sn__read_int(reader, json, any, &index))
        return false;
    if (index >= count || index < -count) {
        sn__reader_error(reader, json, "there is no %s %d: the %s has %d, counted from 0",
                         parts[part], index, body->kind->one, count);
        return false;
    }
    *out = index < 0 ? count + index : index;
    return true;
}

typedef struct PlaceKind {
    const char *key;
    SnAttachmentKind kind;
    const char *value_key; // what may be given for it
} PlaceKind;

static const PlaceKind place_kinds[] = {
    {"vertex", SN_ATTACH_VERTEX, "position"},
    {"segment", SN_ATTACH_SEGMENT, "rotation"},
    {"scale", SN_ATTACH_SCALE, "value"},
    {"mark", SN_ATTACH_MARK, "position"},
    {"direction", SN_ATTACH_DIRECTION, "rotation"},
};
#define PLACE_KINDS ((int)(sizeof place_kinds / sizeof *place_kinds))

// The element that an attachment holds; complains unless it is exactly one.
static bool read_element(Reader *reader, const Json *json, SceneBody *body,
                         SceneAttachment *attachment) {
    const Json *chosen = NULL;
    const PlaceKind *kind = NULL;
    for (int i = 0; i < PLACE_KINDS; ++i) {
        const Json *member = sn__json_member(&reader->doc, json, place_kinds[i].key);
        if (member && chosen) {
            sn__reader_error(reader, member, "one entry attaches one thing; it has \"%s\" already",
                             kind->key);
            return false;
        }
        if (member) {
            chosen = member;
            kind = &place_kinds[i];
        }
    }
    if (chosen == NULL) {
        sn__reader_error(reader, json,
                         "needs one of: vertex, segment, scale, mark, direction, clamp");
        return false;
    }
    for (int i = 0; i < PLACE_KINDS; ++i) {
        const Json *value = sn__json_member(&reader->doc, json, place_kinds[i].value_key);
        if (value && strcmp(place_kinds[i].value_key, kind->value_key) != 0) {
            sn__reader_error(reader, value, "does not go with \"%s\"", kind->key);
            return false;
        }
        attachment->given |= value != NULL;
    }
    if (body->scaleless && kind->kind == SN_ATTACH_SCALE) {
        sn__reader_error(reader, chosen, "a %s has no scale to hold", body->scaleless);
        return false;
    }
    attachment->kind = kind->kind;
    BodyPart part = kind->kind == SN_ATTACH_SEGMENT ? PART_ELEMENT
                    : kind->kind > SN_ATTACH_SCALE  ? PART_MARK
                                                    : PART_POINT;
    return sn__read_index(reader, chosen, body, part, &attachment->index);
}

// "clamp" holds a vertex and the segment beside it. Returns how many attachments were made.
static int read_clamp(Reader *reader, const Json *json, const Json *clamp, SceneBody *body,
                      SceneAttachment *out) {
    static const char *const ends[] = {"first", "last"};
    for (int i = 0; i < PLACE_KINDS; ++i) {
        const Json *element = sn__json_member(&reader->doc, json, place_kinds[i].key);
        const Json *value = sn__json_member(&reader->doc, json, place_kinds[i].value_key);
        if (element || value) {
            sn__reader_error(reader, element ? element : value, "does not go with \"clamp\"");
            return 0;
        }
    }
    int end;
    if (!sn__read_word(reader, clamp, ends, 2, &end))
        return 0;
    if (body->edges && !(body->rooted && end == 0)) {
        sn__reader_error(reader, clamp,
                         "this %s is no chain and has no %s end to clamp; use vertex and segment",
                         body->kind->one, ends[end]);
        return 0;
    }
    out[1] = out[0];
    out[0].kind = SN_ATTACH_VERTEX;
    out[0].index = end == 0 ? 0 : body->point_count - 1;
    out[1].kind = SN_ATTACH_SEGMENT;
    out[1].index = end == 0 ? 0 : body->element_count - 1;
    return 2;
}

static int read_attachment(Reader *reader, const Json *json, SceneBody *body,
                           const NameTable *frames, SceneAttachment *out) {
    out->frame = -1;
    out->rotation = sn_quat_identity();
    out->value = 1;
    out->release = 1e300; // never
    if (!sn__read_object(reader, json, &sn__table_attachment, out))
        return 0;
    const Json *frame = sn__json_member(&reader->doc, json, "frame");
    if (frame) {
        out->frame = sn__read_name(reader, frames, frame, "frame");
        if (out->frame < 0)
            return 0;
    }
    if (body->point_count == 0)
        return 0; // its shape is wrong, and places on it cannot be checked
    const Json *clamp = sn__json_member(&reader->doc, json, "clamp");
    if (clamp)
        return read_clamp(reader, json, clamp, body, out);
    return read_element(reader, json, body, out) ? 1 : 0;
}

static int compare_attachments(const void *a, const void *b) {
    const SceneAttachment *left = *(const SceneAttachment *const *)a;
    const SceneAttachment *right = *(const SceneAttachment *const *)b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return left->index != right->index ? left->index - right->index : left->entry - right->entry;
}

static void check_attached_once(Reader *reader, const Json **items, SceneBody *body) {
    size_t count = (size_t)body->attachment_count;
    const SceneAttachment **sorted = sn__reader_alloc(reader, count, sizeof *sorted);
    if (sorted == NULL)
        return;
    for (size_t i = 0; i < count; ++i)
        sorted[i] = &body->attachments[i];
    qsort(sorted, count, sizeof *sorted, compare_attachments);
    for (size_t i = 1; i < count; ++i)
        if (sorted[i]->kind == sorted[i - 1]->kind && sorted[i]->index == sorted[i - 1]->index)
            sn__reader_error(
                reader, items[sorted[i]->entry], "%s %d is attached already, by entry %d",
                place_kinds[sorted[i]->kind].key, sorted[i]->index, sorted[i - 1]->entry);
}

void sn__read_attachments(Reader *reader, const Json *list, SceneBody *body,
                          const NameTable *frames) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items == NULL)
        return;
    body->attachments = sn__reader_alloc(reader, 2 * (size_t)count, sizeof *body->attachments);
    for (int i = 0; i < count && body->attachments; ++i) {
        SceneAttachment *next = &body->attachments[body->attachment_count];
        next->entry = i;
        body->attachment_count += read_attachment(reader, items[i], body, frames, next);
    }
    check_attached_once(reader, items, body);
}

static bool read_segment_range(Reader *reader, const Json *json, SceneBody *body,
                               SceneActivation *activation) {
    int count, first, last;
    const Json **items = sn__read_list(reader, json, &count);
    if (items == NULL || count != 2) {
        if (items)
            sn__reader_error(reader, json, "is not a pair [first, last]");
        return false;
    }
    if (!sn__read_index(reader, items[0], body, PART_ELEMENT, &first) ||
        !sn__read_index(reader, items[1], body, PART_ELEMENT, &last))
        return false;
    if (last < first) {
        sn__reader_error(reader, json, "segment %d, the last, comes before %d, the first", last,
                         first);
        return false;
    }
    activation->first = first;
    activation->count = last - first + 1;
    return true;
}

void sn__read_activations(Reader *reader, const Json *list, SceneBody *body) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items == NULL)
        return;
    body->activations = sn__reader_alloc(reader, (size_t)count, sizeof *body->activations);
    for (int i = 0; i < count && body->activations; ++i) {
        SceneActivation *activation = &body->activations[i];
        activation->count = body->element_count;
        activation->length_scale = 1;
        sn__read_object(reader, items[i], &sn__table_activation, activation);
        const Json *segments = sn__json_member(&reader->doc, items[i], "segments");
        if (segments)
            read_segment_range(reader, segments, body, activation);
    }
    body->activation_count = body->activations ? count : 0;
}

static void read_force(Reader *reader, const Json *json, SceneBody *body, SceneForce *out) {
    static const char *const loads[] = {"force", "torque", "radial"}; // in the order of LoadKind
    out->to = DBL_MAX;
    if (!sn__read_object(reader, json, &sn__table_force, out))
        return;
    int found = 0;
    for (int i = 0; i < 3; ++i)
        if (sn__json_member(&reader->doc, json, loads[i])) {
            out->kind = (LoadKind)i;
            ++found;
        }
    if (found != 1) {
        sn__reader_error(reader, json, "needs one of: force, torque, radial");
        return;
    }
    if (body->scaleless && out->kind == LOAD_RADIAL) {
        sn__reader_error(reader, json, "a %s feels no radial force", body->scaleless);
        return;
    }
    bool torque = out->kind == LOAD_TORQUE;
    const char *place = torque ? "segment" : "vertex", *other = torque ? "vertex" : "segment";
    const Json *index = sn__json_member(&reader->doc, json, place);
    if (index == NULL || sn__json_member(&reader->doc, json, other)) {
        sn__reader_error(reader, json, "\"%s\" acts on a \"%s\"", loads[out->kind], place);
        return;
    }
    sn__read_index(reader, index, body, torque ? PART_ELEMENT : PART_POINT, &out->index);
    if (out->to <= out->from)
        sn__reader_error(reader, json, "\"to\" is not after \"from\"");
}

void sn__read_forces(Reader *reader, const Json *list, SceneBody *body) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items == NULL)
        return;
    body->forces = sn__reader_alloc(reader, (size_t)count, sizeof *body->forces);
    for (int i = 0; i < count && body->forces; ++i)
        read_force(reader, items[i], body, &body->forces[i]);
    body->force_count = body->forces ? count : 0;
}
