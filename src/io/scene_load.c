// From the text of a scene file to a checked scene.
#include "base/result.h"
#include "io/file.h"
#include "io/rotation.h"
#include "io/scene_parts.h"
#include "io/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_defaults(SnScene *scene) {
    scene->world.gravity = sn_vec3(0, -9.81f, 0);
    scene->world.settings = (SnSceneSettings){5, 30, 1.0 / 60, 10, 1};
    scene->camera.fov = 35;
    scene->description = "";
}

static void read_version(SnReader *reader, const SnJson *root) {
    const SnJson *version = sn__json_member(&reader->doc, root, "version");
    SnRange any = SN__ANY;
    int number = SN_SCENE_VERSION;
    if (version && sn__read_int(reader, version, any, &number) && number != SN_SCENE_VERSION) {
        sn__reader_error(reader, version, "this program reads version %d, not %d", SN_SCENE_VERSION,
                         number);
    }
}

// Materials: number 0 is the default one, then come those of the file, then those inside rods.
static SnNames read_materials(SnReader *reader, SnScene *scene, const SnJson *json, int rods) {
    SnNames names = {0};
    bool object = json && sn__read_kind(reader, json, SN__JSON_OBJECT, "an object {…}");
    size_t count = object ? json->count : 0;
    scene->materials = sn__reader_alloc(reader, count + (size_t)rods + 1, sizeof *scene->materials);
    names.names = sn__reader_alloc(reader, count, sizeof *names.names);
    names.numbers = sn__reader_alloc(reader, count, sizeof *names.numbers);
    const SnJson **values = sn__reader_alloc(reader, count + 1, sizeof *values);
    if (reader->out_of_memory) {
        return names;
    }
    scene->materials[0] = (SnSceneMaterial){.name = "", .values = sn_default_rod_material()};
    scene->material_count = 1;
    for (const SnJson *m = object ? sn__json_first(json) : NULL; m;
         m = sn__json_next(&reader->doc, m)) {
        int number = scene->material_count++;
        const char *key = sn__json_key(&reader->doc, m);
        const char *name = sn__arena_text(reader->arena, key, strlen(key));
        reader->out_of_memory |= !name;
        scene->materials[number] =
            (SnSceneMaterial){.name = name ? name : "", .values = sn_default_rod_material()};
        sn__read_object(reader, m, &sn__table_material, &scene->materials[number].values);
        values[number] = m;
        names.names[names.count] = scene->materials[number].name;
        names.numbers[names.count++] = number;
    }
    sn__names_sort(reader, &names, values);
    return names;
}

static SnNames read_frames(SnReader *reader, SnScene *scene, const SnJson *json) {
    SnNames names = {0};
    int count;
    const SnJson **items = sn__read_list(reader, json, &count);
    scene->frames = sn__reader_alloc(reader, (size_t)count, sizeof *scene->frames);
    names.names = sn__reader_alloc(reader, (size_t)count, sizeof *names.names);
    names.numbers = sn__reader_alloc(reader, (size_t)count, sizeof *names.numbers);
    if (reader->out_of_memory) {
        return names;
    }
    scene->frame_count = count;
    for (int i = 0; i < count; i++) {
        SnSceneFrame *frame = &scene->frames[i];
        frame->name = "";
        frame->rotation = sn_quat_identity();
        bool good = sn__read_object(reader, items[i], &sn__table_frame, frame);
        const SnJson *turn = sn__json_member(&reader->doc, items[i], "rotation");
        if (good && turn && turn->kind == SN__JSON_OBJECT) {
            sn__read_object(reader, turn, &sn__table_rotation, &frame->turn);
        }
        if (frame->name[0]) {
            names.names[names.count] = frame->name;
            names.numbers[names.count++] = i;
        }
    }
    sn__names_sort(reader, &names, items);
    return names;
}

static void read_fields(SnReader *reader, SnScene *scene, const SnJson *json) {
    static const char *const kinds[] = {"uniform", "point", "vortex", "wind"}; // as SnFieldKind
    int count;
    const SnJson **items = sn__read_list(reader, json, &count);
    if (count > SN_MAX_FIELDS) {
        sn__reader_error(reader, json, "%d fields are more than %d", count, SN_MAX_FIELDS);
        return;
    }
    scene->fields = sn__reader_alloc(reader, (size_t)count, sizeof *scene->fields);
    for (int i = 0; i < count && scene->fields; i++) {
        SnFieldDef *def = &scene->fields[i].def;
        *def = sn_default_field_def();
        sn__read_object(reader, items[i], &sn__table_field, def);
        const SnJson *kind = sn__json_member(&reader->doc, items[i], "kind");
        int number;
        if (kind && sn__read_word(reader, kind, kinds, 4, &number)) {
            def->kind = (SnFieldKind)number;
        }
        const SnJson *direction = sn__json_member(&reader->doc, items[i], "direction");
        if (direction && !(lengthd(vec3d(def->direction)) > 0)) {
            sn__reader_error(reader, direction, "the direction has no length");
        }
    }
    scene->field_count = scene->fields ? count : 0;
}

static void read_look(SnReader *reader, SnScene *scene, const SnJson *root) {
    const SnJson *ground = sn__json_member(&reader->doc, root, "ground");
    if (ground) {
        scene->look.has_ground = true; // "visible" may say otherwise
        sn__read_object(reader, ground, &sn__table_ground, &scene->look);
    }
    const SnJson *background = sn__json_member(&reader->doc, root, "background");
    if (background) {
        scene->look.has_background = sn__read_colour(reader, background, &scene->look.background);
    }
    const SnJson *camera = sn__json_member(&reader->doc, root, "camera");
    if (camera) {
        sn__read_object(reader, camera, &sn__table_camera, &scene->camera);
        scene->camera.has_position = sn__json_member(&reader->doc, camera, "position") != NULL;
        scene->camera.has_target = sn__json_member(&reader->doc, camera, "target") != NULL;
    }
}

// Copies of a rod are numbered after its name: "hair 12".
static const char *rod_name(SnReader *reader, const SnSceneRod *rod, int entry, int copy) {
    char text[32];
    if (rod->name[0] && rod->copy_count == 1) {
        return rod->name;
    }
    if (rod->copy_count == 1) {
        snprintf(text, sizeof text, "rod %d", entry);
    } else {
        snprintf(text, sizeof text, " %d", copy);
    }
    const char *front = rod->copy_count == 1 ? "" : rod->name[0] ? rod->name : "rod";
    size_t length = strlen(front), more = strlen(text);
    char *name = sn__reader_alloc(reader, length + more + 1, 1);
    if (name) {
        memcpy(name, front, length);
        memcpy(name + length, text, more + 1);
    }
    return name ? name : "";
}

static void default_colour(SnReader *reader, SnSceneRod *rod, int entry) {
    if (!rod->colours) {
        rod->colours = sn__reader_alloc(reader, 1, sizeof *rod->colours);
        rod->colour_count = 1;
        if (rod->colours) {
            rod->colours[0] = sn__palette_colour(entry);
        }
    }
}

// Numbers the rods of all entries and names them.
static void list_rods(SnReader *reader, SnScene *scene) {
    size_t count = (size_t)scene->rod_count;
    scene->rod_names = sn__reader_alloc(reader, count, sizeof *scene->rod_names);
    scene->rod_ids = sn__reader_alloc(reader, count, sizeof *scene->rod_ids);
    scene->rod_entries = sn__reader_alloc(reader, count, sizeof *scene->rod_entries);
    for (int e = 0; e < scene->rod_entry_count && !reader->out_of_memory; e++) {
        SnSceneRod *rod = &scene->rods[e];
        default_colour(reader, rod, e);
        rod->attachment_ids =
            sn__reader_alloc(reader, (size_t)rod->copy_count * (size_t)rod->attachment_count,
                             sizeof *rod->attachment_ids);
        for (int copy = 0; copy < rod->copy_count; copy++) {
            scene->rod_names[rod->first_rod + copy] = rod_name(reader, rod, e, copy);
            scene->rod_entries[rod->first_rod + copy] = e;
        }
    }
}

static void read_rods(SnReader *reader, SnScene *scene, const SnJson **items, int count,
                      const SnNames *materials, const SnNames *frames) {
    scene->rods = sn__reader_alloc(reader, (size_t)count, sizeof *scene->rods);
    long long rods = 0;
    for (int i = 0; i < count && !reader->out_of_memory; i++) {
        SnSceneRod *rod = &scene->rods[i];
        sn__read_rod(reader, scene, items[i], rod, materials, frames);
        rod->first_rod = (int)rods;
        rods += rod->copy_count;
        scene->vertex_count += (long long)rod->vertex_count * rod->copy_count;
        scene->rod_entry_count = i + 1;
        if (rods > SN_MAX_SCENE_RODS || scene->vertex_count > SN_MAX_SCENE_VERTICES) {
            sn__reader_error(reader, items[i],
                             "with this there are %lld rods of %lld vertices; "
                             "the limits are %d and %d",
                             rods, scene->vertex_count, SN_MAX_SCENE_RODS, SN_MAX_SCENE_VERTICES);
            return;
        }
    }
    scene->rod_count = (int)rods;
    if (reader->errors->count == 0 && !reader->out_of_memory) {
        list_rods(reader, scene);
    }
}

static void read_scene(SnReader *reader, SnScene *scene) {
    const SnJson *root = sn__json_root(&reader->doc);
    read_version(reader, root);
    sn__read_object(reader, root, &sn__table_scene, scene);
    if (root->kind != SN__JSON_OBJECT) {
        return;
    }
    const SnJson *world = sn__json_member(&reader->doc, root, "world");
    if (world) {
        sn__read_object(reader, world, &sn__table_world, &scene->world);
    }
    read_look(reader, scene, root);
    int rods;
    const SnJson **items =
        sn__read_list(reader, sn__json_member(&reader->doc, root, "rods"), &rods);
    const SnJson *list = sn__json_member(&reader->doc, root, "materials");
    SnNames materials = read_materials(reader, scene, list, rods);
    SnNames frames = read_frames(reader, scene, sn__json_member(&reader->doc, root, "frames"));
    read_fields(reader, scene, sn__json_member(&reader->doc, root, "fields"));
    if (!reader->out_of_memory) {
        read_rods(reader, scene, items, rods, &materials, &frames);
    }
    if (!reader->out_of_memory) {
        sn__read_animation(reader, scene);
    }
}

static int compare_errors(const void *a, const void *b) {
    const SnSceneError *left = a, *right = b;
    return left->line != right->line ? left->line - right->line : left->column - right->column;
}

// The first error stands for all.
static SnResult summary(const SnSceneErrors *errors) {
    if (errors->count == 1) {
        return sn__error(SN_ERROR_FORMAT, "%s", errors->items[0].message);
    }
    return sn__error(SN_ERROR_FORMAT, "%.200s (and %s%d more)", errors->items[0].message,
                     errors->more ? "over " : "", errors->count - 1);
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static SnResult load(const char *name, const char *text, size_t size, SnScene *scene,
                     SnSceneErrors *errors) {
    SnReader reader = {.errors = errors, .arena = &scene->arena};
    int line = 1, column = 1;
    SnResult result = sn__json_parse(name, text, size, &reader.doc, &line, &column);
    if (result.code != SN_OK) {
        errors->count = 1;
        errors->items[0].line = line;
        errors->items[0].column = column;
        memcpy(errors->items[0].message, result.message, sizeof result.message);
        return result;
    }
    set_defaults(scene);
    scene->file = sn__arena_text(&scene->arena, name, strlen(name));
    scene->name = file_name(scene->file ? scene->file : "");
    reader.out_of_memory = !scene->file;
    read_scene(&reader, scene);
    sn__json_free(&reader.doc);
    if (reader.out_of_memory) {
        return sn__error(SN_ERROR_MEMORY, "%s: no memory for this scene", name);
    }
    // Sections are not read in the order of the file, but people read it in that order.
    qsort(errors->items, (size_t)errors->count, sizeof *errors->items, compare_errors);
    return errors->count > 0 ? summary(errors) : sn__ok();
}

SnResult sn_scene_load_text(const char *name, const char *text, size_t size, SnScene **out_scene,
                            SnSceneErrors *errors) {
    *out_scene = NULL;
    SnScene *scene = calloc(1, sizeof *scene);
    SnSceneErrors *own = errors ? errors : malloc(sizeof *own);
    SnResult result;
    if (scene && own) {
        own->count = 0;
        own->more = false;
        result = load(name ? name : "scene", text, size, scene, own);
    } else {
        result = sn__error(SN_ERROR_MEMORY, "%s: no memory to read it", name ? name : "scene");
    }
    if (own != errors) {
        free(own);
    }
    if (result.code == SN_OK) {
        *out_scene = scene;
    } else {
        sn_scene_destroy(scene);
    }
    return result;
}

SnResult sn_scene_load_file(const char *path, SnScene **out_scene, SnSceneErrors *errors) {
    *out_scene = NULL;
    if (errors) {
        errors->count = 0;
        errors->more = false;
    }
    char *text = NULL;
    size_t size = 0;
    SnResult result = sn__file_read(path, SN_MAX_SCENE_BYTES, &text, &size);
    if (result.code == SN_OK) {
        result = sn_scene_load_text(path, text, size, out_scene, errors);
    } else if (errors) {
        errors->count = 1;
        errors->items[0] = (SnSceneError){.line = 1, .column = 1};
        memcpy(errors->items[0].message, result.message, sizeof result.message);
    }
    free(text);
    return result;
}

void sn_scene_destroy(SnScene *scene) {
    if (scene) {
        sn__arena_free(&scene->arena);
        free(scene);
    }
}
