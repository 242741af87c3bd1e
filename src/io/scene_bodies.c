// The bodies of a scene: the lists of all kinds, read into one.
#include "io/scene_parts.h"

#define LIST(key, kind) {key, &kind},
const SceneList sn__scene_lists[SCENE_KIND_COUNT] = {SCENE_KINDS(LIST)};

// Numbers the bodies of all entries and names them.
static void number_bodies(Reader *reader, SnScene *scene) {
    size_t count = (size_t)scene->body_count;
    scene->body_names = sn__reader_alloc(reader, count, sizeof *scene->body_names);
    scene->body_ids = sn__reader_alloc(reader, count, sizeof *scene->body_ids);
    scene->body_entries = sn__reader_alloc(reader, count, sizeof *scene->body_entries);
    for (int e = 0; e < scene->body_entry_count && !reader->out_of_memory; ++e) {
        SceneBody *body = scene->bodies[e];
        sn__default_colour(reader, &body->colours, sn__palette_colour(e));
        body->attachment_ids =
            sn__reader_alloc(reader, (size_t)body->copy_count * (size_t)body->attachment_count,
                             sizeof *body->attachment_ids);
        for (int copy = 0; copy < body->copy_count; ++copy) {
            scene->body_names[body->first + copy] = sn__copy_name(
                reader, body->kind->one, body->name, body->entry, body->copy_count, copy);
            scene->body_entries[body->first + copy] = e;
        }
    }
}

static void read_entry(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                       const SceneNames *names) {
    body->name = "";
    body->gravity_scale = 1;
    body->collide = scene->world.collide;
    body->self_collide = true;
    body->copy_count = 1;
    sn__default_place(&body->place);
    sn__read_object(reader, json, &body->kind->table, body);
    if (json->kind == JSON_OBJECT)
        body->kind->read(reader, scene, json, body, names);
}

// Takes one more entry into the count of bodies and vertices. False if there are too many.
static bool count_entry(Reader *reader, SnScene *scene, const Json *json, SceneBody *body) {
    long long bodies = (long long)scene->body_count + body->copy_count;
    scene->point_count += (long long)body->point_count * body->copy_count;
    if (bodies > SN_MAX_SCENE_BODIES || scene->point_count > SN_MAX_SCENE_VERTICES) {
        sn__reader_error(reader, json,
                         "with this there are %lld %s of %lld vertices; the limits are %d and %d",
                         bodies, body->kind->many, scene->point_count, SN_MAX_SCENE_BODIES,
                         SN_MAX_SCENE_VERTICES);
        return false;
    }
    body->first = scene->body_count;
    scene->body_count = (int)bodies;
    return true;
}

// The entries of one kind, behind those of the kinds before.
static bool read_list(Reader *reader, SnScene *scene, const Json *json, const SceneList *list,
                      const SceneNames *names) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    char *entries = sn__reader_alloc(reader, (size_t)count, list->kind->size);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        SceneBody *body = (SceneBody *)(void *)(entries + (size_t)i * list->kind->size);
        body->kind = list->kind;
        body->list = list->key;
        body->entry = i;
        scene->bodies[scene->body_entry_count++] = body;
        read_entry(reader, scene, items[i], body, names);
        if (!count_entry(reader, scene, items[i], body))
            return false;
    }
    return !reader->out_of_memory;
}

void sn__read_bodies(Reader *reader, SnScene *scene, const Json *root, const SceneNames *names) {
    const Json *lists[SCENE_KIND_COUNT];
    size_t count = 0;
    for (int k = 0; k < SCENE_KIND_COUNT; ++k) {
        lists[k] = sn__json_member(&reader->doc, root, sn__scene_lists[k].key);
        count += sn__list_length(lists[k]);
    }
    scene->bodies = sn__reader_alloc(reader, count, sizeof *scene->bodies);
    bool good = scene->bodies != NULL;
    for (int k = 0; k < SCENE_KIND_COUNT; ++k) {
        good = good && read_list(reader, scene, lists[k], &sn__scene_lists[k], names);
        scene->kind_begin[k + 1] = scene->body_entry_count;
    }
    if (good && reader->errors->count == 0)
        number_bodies(reader, scene);
}
