// What touches what: surfaces, filters, and pairs that ignore each other.
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

// Names of categories stand for bits. Bit 0 is that of bodies that have none.
void sn__read_categories(Reader *reader, const Json *json, Categories *out) {
    out->names[out->count++] = "default";
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    if (count > SN_MAX_SCENE_CATEGORIES) {
        sn__reader_error(reader, json, "%d categories are more than %d", count,
                         SN_MAX_SCENE_CATEGORIES);
        return;
    }
    for (int i = 0; i < count; ++i) {
        const char *name;
        if (!sn__read_text(reader, items[i], &name))
            continue;
        for (int k = 0; k < out->count; ++k)
            if (strcmp(out->names[k], name) == 0)
                sn__reader_error(reader, items[i], "the name \"%.60s\" is taken", name);
        out->names[out->count++] = name;
    }
}

static void read_category(Reader *reader, const Json *json, const Categories *categories,
                          uint32_t *bits) {
    if (!sn__read_kind(reader, json, JSON_STRING, "the name of a category"))
        return;
    const char *word = sn__json_string(&reader->doc, json);
    for (int i = 0; i < categories->count; ++i)
        if (strcmp(categories->names[i], word) == 0) {
            *bits |= (uint32_t)1 << i;
            return;
        }
    sn__reader_unknown(reader, json, "category", word, categories->names, categories->count);
}

// A number, a name, or a list of names.
static void read_bits(Reader *reader, const Json *json, const Categories *categories,
                      uint32_t *out) {
    uint32_t bits = 0;
    if (json->kind == JSON_NUMBER) {
        Range range = {0, 4294967295.0, false};
        double number;
        if (sn__read_double(reader, json, range, &number)) {
            bits = (uint32_t)number;
            if ((double)bits != number)
                sn__reader_error(reader, json, "is not a whole number");
        }
    } else if (json->kind == JSON_ARRAY) {
        for (const Json *v = sn__json_first(json); v; v = sn__json_next(&reader->doc, v))
            read_category(reader, v, categories, &bits);
    } else {
        read_category(reader, json, categories, &bits);
    }
    *out = bits;
}

static void read_surface(Reader *reader, const Json *json, SnSurface *surface) {
    if (sn__read_object(reader, json, &sn__table_surface, surface) &&
        surface->static_friction >= 0 && surface->static_friction < surface->friction)
        sn__reader_error(reader, json, "\"static_friction\" %g is less than \"friction\" %g",
                         (double)surface->static_friction, (double)surface->friction);
}

void sn__read_contact(Reader *reader, const Json *json, const Categories *categories,
                      SnSurface *surface, SnFilter *filter) {
    *surface = sn_default_surface();
    *filter = sn_default_filter();
    const Json *member = sn__json_member(&reader->doc, json, "surface");
    if (member)
        read_surface(reader, member, surface);
    const Json *object = sn__json_member(&reader->doc, json, "filter");
    if (object && sn__read_object(reader, object, &sn__table_filter, filter)) {
        if ((member = sn__json_member(&reader->doc, object, "category")))
            read_bits(reader, member, categories, &filter->category);
        if ((member = sn__json_member(&reader->doc, object, "mask")))
            read_bits(reader, member, categories, &filter->mask);
    }
}

// Of a body, or of a collider, which come after those.
static int copies_of(const SnScene *scene, int number) {
    int bodies = scene->body_entry_count;
    return number < bodies ? scene->bodies[number]->copy_count
                           : scene->colliders[number - bodies].place.copies.count;
}

int sn__pair_copies(Reader *reader, const Json *json, int a, int b) {
    if (a != b && a != 1 && b != 1) {
        sn__reader_error(reader, json,
                         "%d copies and %d copies do not pair up: both need the same number, or "
                         "one of them a single one",
                         a, b);
        return 0;
    }
    return a > b ? a : b;
}

static void refuse_itself(Reader *reader, const Json *json, const SceneBody *body) {
    if (body->copy_count > 1)
        sn__reader_error(reader, json,
                         "copies of one entry that pass through each other have a \"filter\" with "
                         "a negative \"group\"");
    else if (sn__key_find(&body->kind->table, "self_collide"))
        sn__reader_error(reader, json, "use \"self_collide\" for a %s and itself", body->kind->one);
    else
        sn__reader_error(reader, json, "a %s does not touch itself anyway", body->kind->one);
}

static void read_pair(Reader *reader, SnScene *scene, const Json *json, const NameTable *touching) {
    if (json->kind != JSON_ARRAY || json->count != 2) {
        sn__reader_error(reader, json, "is not a pair of names [\"a\", \"b\"]");
        return;
    }
    const Json *first = sn__json_first(json), *second = sn__json_next(&reader->doc, first);
    int a = sn__read_name(reader, touching, first, "body");
    int b = sn__read_name(reader, touching, second, "body");
    if (a < 0 || b < 0)
        return;
    if (a >= scene->body_entry_count && b >= scene->body_entry_count) {
        sn__reader_error(reader, json, "colliders do not touch each other anyway");
    } else if (a == b) {
        refuse_itself(reader, json, scene->bodies[a]);
    } else if (sn__pair_copies(reader, json, copies_of(scene, a), copies_of(scene, b)) > 0) {
        bool swapped = a >= scene->body_entry_count;
        scene->ignored[scene->ignored_count++] = (SceneIgnored){swapped ? b : a, swapped ? a : b};
    }
}

void sn__read_ignored(Reader *reader, SnScene *scene, const Json *list, const NameTable *touching) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    scene->ignored = sn__reader_alloc(reader, (size_t)count, sizeof *scene->ignored);
    for (int i = 0; i < count && scene->ignored; ++i)
        read_pair(reader, scene, items[i], touching);
}
