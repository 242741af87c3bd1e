// The materials of a scene: those of its file, those that are built in, and those inside bodies.
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

static int built_in_count(void) {
    int count = 0;
    while (sn_rod_material_name(count))
        ++count;
    return count;
}

// Behind those of the file, which are to find them, in `names`, by what they are "like".
static void add_built_in(Reader *reader, SnScene *scene, int first, int count, NameTable *names) {
    sn__names_reserve(reader, names, count);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        SceneMaterial *material = &scene->materials[first + i];
        *material = (SceneMaterial){.name = sn_rod_material_name(i)};
        sn_rod_material_named(material->name, &material->values);
        sn__names_add(names, material->name, first + i);
    }
    sn__names_sort(reader, names, NULL);
}

// A stiffness that the object leaves out is as much of `young` as it was: `young` alone makes a material
// stiffer in all ways alike, also where it starts from one with numbers of its own.
static void follow_young(const Reader *reader, const Json *json, const char *key, float before,
                         float young, float *value) {
    bool given = sn__json_member(&reader->doc, json, key) != NULL;
    if (!given && *value != SN_DERIVED && before > 0.0f)
        *value *= young / before;
}

// Starts from one of `names`, if the object says so, and from what is there if not.
static void read_values(Reader *reader, const SnScene *scene, const Json *json,
                        const NameTable *names, SnRodMaterial *values) {
    bool object = json->kind == JSON_OBJECT;
    const Json *like = object ? sn__json_member(&reader->doc, json, "like") : NULL;
    int number = like ? sn__read_name(reader, names, like, "material") : -1;
    if (number >= 0)
        *values = scene->materials[number].values;
    float before = values->young;
    sn__read_object(reader, json, &sn__table_material, values);
    if (!object || values->young == before)
        return;
    follow_young(reader, json, "shear", before, values->young, &values->shear);
    follow_young(reader, json, "volume", before, values->young, &values->volume);
}

// Those of the file, from number 1 on.
static void read_own(Reader *reader, SnScene *scene, const Json *json, const NameTable *built_in,
                     NameTable *names) {
    int number = 1;
    for (const Json *m = sn__json_first(json); m; m = sn__json_next(&reader->doc, m)) {
        const char *key = sn__json_key(&reader->doc, m);
        const char *name = sn__arena_text(reader->arena, key, strlen(key));
        SceneMaterial *material = &scene->materials[number];
        reader->out_of_memory |= name == NULL;
        *material = (SceneMaterial){.name = name ? name : "", .values = sn_default_rod_material()};
        read_values(reader, scene, m, built_in, &material->values);
        sn__names_add(names, material->name, number++);
    }
}

void sn__read_materials(Reader *reader, SnScene *scene, const Json *root, NameTable *names) {
    const JsonDoc *doc = &reader->doc;
    const Json *json = sn__json_member(doc, root, "materials");
    bool object = json && sn__read_kind(reader, json, JSON_OBJECT, "an object {…}");
    size_t own = object ? json->count : 0, built_in = (size_t)built_in_count();
    size_t most = 1 + own + built_in;
    for (int k = 0; k < SCENE_KIND_COUNT; ++k)
        most += sn__list_length(sn__json_member(doc, root, sn__scene_lists[k].key));
    scene->materials = sn__reader_alloc(reader, most, sizeof *scene->materials);
    sn__names_reserve(reader, names, (int)(own + built_in));
    if (reader->out_of_memory)
        return;
    scene->materials[0] = (SceneMaterial){.name = "", .values = sn_default_rod_material()};
    scene->material_count = (int)(1 + own + built_in);
    NameTable alike = {0};
    add_built_in(reader, scene, (int)own + 1, (int)built_in, &alike);
    if (reader->out_of_memory)
        return;
    if (object)
        read_own(reader, scene, json, &alike, names);
    for (int i = 0; i < alike.count; ++i)
        if (object && sn__json_member(doc, json, alike.names[i]))
            scene->materials[alike.numbers[i]].name = ""; // no longer to be found
        else
            sn__names_add(names, alike.names[i], alike.numbers[i]);
    sn__names_sort(reader, names, NULL);
}

void sn__read_body_material(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                            const NameTable *names, const SnRodMaterial *own) {
    if (json && json->kind == JSON_STRING) {
        int number = sn__names_find(reader, names, json, "material");
        body->material = number < 0 ? 0 : number;
        return;
    }
    if (json && !sn__read_kind(reader, json, JSON_OBJECT, "the name of a material or an object"))
        return;
    if (json == NULL && own == NULL)
        return; // it is made of material 0
    body->material = scene->material_count++;
    SceneMaterial *material = &scene->materials[body->material];
    material->name = "";
    material->values = own ? *own : sn_default_rod_material();
    if (json)
        read_values(reader, scene, json, names, &material->values);
}
