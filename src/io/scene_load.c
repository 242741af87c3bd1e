// From the text of a scene file to a checked scene.
#include "base/null.h"
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
    scene->world.collide = true;
    scene->camera.fov = 35;
    scene->description = "";
}

static void read_version(Reader *reader, const Json *root) {
    const Json *version = sn__json_member(&reader->doc, root, "version");
    Range any = RANGE_ANY;
    int number = SN_SCENE_VERSION;
    if (version && sn__read_int(reader, version, any, &number) && number != SN_SCENE_VERSION)
        sn__reader_error(reader, version, "this program reads version %d, not %d", SN_SCENE_VERSION,
                         number);
}

static void read_frames(Reader *reader, SnScene *scene, const Json *json, NameTable *names) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    int joints = sn__scene_joint_count(scene);
    scene->frames = sn__reader_alloc(reader, (size_t)count + (size_t)joints, sizeof *scene->frames);
    sn__names_reserve(reader, names, count + joints);
    if (reader->out_of_memory)
        return;
    scene->frame_count = scene->own_frame_count = count;
    for (int i = 0; i < count; ++i) {
        SceneFrame *frame = &scene->frames[i];
        frame->name = "";
        frame->rotation = sn_quat_identity();
        bool good = sn__read_object(reader, items[i], &sn__table_frame, frame);
        const Json *turn = sn__json_member(&reader->doc, items[i], "rotation");
        if (good && turn && turn->kind == JSON_OBJECT)
            sn__read_object(reader, turn, &sn__table_rotation, &frame->turn);
        sn__names_add(names, frame->name, i);
    }
    sn__names_sort(reader, names, items);
    sn__add_joint_frames(reader, scene, names);
    sn__names_sort(reader, names, NULL);
}

static void read_fields(Reader *reader, SnScene *scene, const Json *json) {
    static const char *const kinds[] = {"uniform", "point", "vortex", "wind"}; // as SnFieldKind
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    if (count > SN_MAX_FIELDS) {
        sn__reader_error(reader, json, "%d fields are more than %d", count, SN_MAX_FIELDS);
        return;
    }
    scene->fields = sn__reader_alloc(reader, (size_t)count, sizeof *scene->fields);
    for (int i = 0; i < count && scene->fields; ++i) {
        SnFieldDef *def = &scene->fields[i].def;
        *def = sn_default_field_def();
        sn__read_object(reader, items[i], &sn__table_field, def);
        const Json *kind = sn__json_member(&reader->doc, items[i], "kind");
        int number;
        if (kind && sn__read_word(reader, kind, kinds, 4, &number))
            def->kind = (SnFieldKind)number;
        const Json *direction = sn__json_member(&reader->doc, items[i], "direction");
        if (direction && !(lengthd(vec3d(def->direction)) > 0))
            sn__reader_error(reader, direction, "the direction has no length");
    }
    scene->field_count = scene->fields ? count : 0;
}

static void read_look(Reader *reader, SnScene *scene, const Json *root) {
    const Json *ground = sn__json_member(&reader->doc, root, "ground");
    if (ground) {
        scene->look.has_ground = true; // "visible" may say otherwise
        sn__read_object(reader, ground, &sn__table_ground, &scene->look);
    }
    const Json *background = sn__json_member(&reader->doc, root, "background");
    if (background)
        scene->look.has_background = sn__read_colour(reader, background, &scene->look.background);
    const Json *camera = sn__json_member(&reader->doc, root, "camera");
    if (camera) {
        sn__read_object(reader, camera, &sn__table_camera, &scene->camera);
        scene->camera.has_position = sn__json_member(&reader->doc, camera, "position") != NULL;
        scene->camera.has_target = sn__json_member(&reader->doc, camera, "target") != NULL;
    }
}

// Names of bodies, and of bodies and colliders together.
static void list_names(Reader *reader, const SnScene *scene, SceneNames *names) {
    int bodies = scene->body_entry_count, colliders = scene->collider_entry_count;
    sn__names_reserve(reader, &names->bodies, bodies);
    sn__names_reserve(reader, &names->touching, bodies + colliders);
    if (reader->out_of_memory)
        return;
    for (int i = 0; i < bodies; ++i) {
        sn__names_add(&names->bodies, scene->bodies[i]->name, i);
        sn__names_add(&names->touching, scene->bodies[i]->name, i);
    }
    for (int i = 0; i < colliders; ++i)
        sn__names_add(&names->touching, scene->colliders[i].name, bodies + i);
    sn__names_sort(reader, &names->bodies, NULL);
    sn__names_sort(reader, &names->touching, NULL);
}

static void read_contents(Reader *reader, SnScene *scene, const Json *root, SceneNames *names) {
    const JsonDoc *doc = &reader->doc;
    const Json *colliders = sn__json_member(doc, root, "colliders");
    const Json *skins = sn__json_member(doc, root, "skins");
    const Json *solids = sn__json_member(doc, root, "solids");
    scene->meshes = sn__reader_alloc(
        reader, sn__list_length(colliders) + sn__list_length(skins) + sn__list_length(solids),
        sizeof *scene->meshes);
    sn__read_materials(reader, scene, root, &names->materials);
    if (!reader->out_of_memory)
        sn__read_bodies(reader, scene, root, names);
    if (!reader->out_of_memory)
        sn__read_colliders(reader, scene, colliders, &names->frames, &names->categories);
    list_names(reader, scene, names);
    if (reader->out_of_memory)
        return;
    sn__read_links(reader, scene, sn__json_member(doc, root, "links"), &names->bodies,
                   &names->frames);
    sn__read_hinges(reader, scene, sn__json_member(doc, root, "hinges"), &names->bodies,
                    &names->frames);
    sn__read_ignored(reader, scene, sn__json_member(doc, root, "ignore"), &names->touching);
    sn__read_skins(reader, scene, skins, &names->bodies, &names->frames);
}

static void read_scene(Reader *reader, SnScene *scene) {
    const Json *root = sn__json_root(&reader->doc);
    SceneNames names = {0};
    read_version(reader, root);
    sn__read_object(reader, root, &sn__table_scene, scene);
    if (root->kind != JSON_OBJECT)
        return;
    sn__scene_note_lines(reader, scene);
    const Json *world = sn__json_member(&reader->doc, root, "world");
    if (world)
        sn__read_object(reader, world, &sn__table_world, &scene->world);
    read_look(reader, scene, root);
    const Json *categories = sn__json_member(&reader->doc, root, "categories");
    sn__read_categories(reader, categories, &names.categories);
    const Json *skeletons = sn__json_member(&reader->doc, root, "skeleton");
    sn__read_skeletons(reader, scene, skeletons, &names.categories);
    const Json *frames = sn__json_member(&reader->doc, root, "frames");
    read_frames(reader, scene, frames, &names.frames);
    read_fields(reader, scene, sn__json_member(&reader->doc, root, "fields"));
    if (!reader->out_of_memory)
        read_contents(reader, scene, root, &names);
    if (!reader->out_of_memory)
        sn__read_animation(reader, scene);
}

static int compare_errors(const void *a, const void *b) {
    const SnSceneError *left = a, *right = b;
    return left->line != right->line ? left->line - right->line : left->column - right->column;
}

// The first error stands for all.
static SnResult summary(const SnSceneErrors *errors) {
    if (errors->count == 1)
        return sn_error(SN_ERROR_FORMAT, "%s", errors->items[0].message);
    return sn_error(SN_ERROR_FORMAT, "%.200s (and %s%d more)", errors->items[0].message,
                    errors->more ? "over " : "", errors->count - 1);
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static SnResult load(const char *name, const char *text, size_t size, SnScene *scene,
                     SnSceneErrors *errors) {
    Reader reader = {.errors = errors, .arena = &scene->arena};
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
    reader.out_of_memory = scene->file == NULL;
    read_scene(&reader, scene);
    sn__json_free(&reader.doc);
    if (reader.out_of_memory)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for this scene", name);
    // Sections are not read in the order of the file, but people read it in that order.
    qsort(errors->items, (size_t)errors->count, sizeof *errors->items, compare_errors);
    return errors->count > 0 ? summary(errors) : sn_ok();
}

static SnResult load_text(const char *name, const char *text, size_t size, SnMeshLoader *loader,
                          void *context, SnScene **out_scene, SnSceneErrors *errors) {
    if (text == NULL)
        return sn__null("scene: text");
    if (out_scene == NULL)
        return sn__null("scene: out_scene");
    *out_scene = NULL;
    SnScene *scene = calloc(1, sizeof *scene);
    SnSceneErrors *own = errors ? errors : malloc(sizeof *own);
    SnResult result;
    if (scene && own) {
        own->count = 0;
        own->more = false;
        scene->mesh_loader = loader;
        scene->mesh_context = context;
        result = load(name ? name : "scene", text, size, scene, own);
    } else {
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", name ? name : "scene");
    }
    if (own != errors)
        free(own);
    if (result.code == SN_OK)
        *out_scene = scene;
    else
        sn_scene_destroy(scene);
    return result;
}

SnResult sn_scene_load_text(const char *name, const char *text, size_t size, SnScene **out_scene,
                            SnSceneErrors *errors) {
    return load_text(name, text, size, NULL, NULL, out_scene, errors);
}

SnResult sn_scene_load_file(const char *path, SnScene **out_scene, SnSceneErrors *errors) {
    return sn_scene_load_file_with(path, NULL, NULL, out_scene, errors);
}

SnResult sn_scene_load_file_with(const char *path, SnMeshLoader *loader, void *context,
                                 SnScene **out_scene, SnSceneErrors *errors) {
    if (path == NULL)
        return sn__null("scene: path");
    if (out_scene == NULL)
        return sn__null("scene: out_scene");
    *out_scene = NULL;
    if (errors) {
        errors->count = 0;
        errors->more = false;
    }
    char *text = NULL;
    size_t size = 0;
    SnResult result = sn__file_read(path, SN_MAX_SCENE_BYTES, &text, &size);
    if (result.code == SN_OK) {
        result = load_text(path, text, size, loader, context, out_scene, errors);
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
        sn__scene_free_meshes(scene);
        sn__scene_free_skeletons(scene);
        sn__arena_free(&scene->arena);
        free(scene);
    }
}
