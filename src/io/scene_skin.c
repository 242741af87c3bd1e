// One entry of "skins": which bodies and frames it covers, and the mesh it is made of.
#include "io/scene_parts.h"
#include "io/tables.h"

// One name, or a list of them. All have the same number of copies, and each copy its skin.
static void read_bodies(Reader *reader, const SnScene *scene, const Json *json,
                        const NameTable *names, SceneSkinEntry *skin) {
    int count = 1;
    const Json **items = NULL;
    if (json->kind == JSON_ARRAY)
        items = sn__read_list(reader, json, &count);
    if (count == 0)
        sn__reader_error(reader, json, "needs the name of a body or more");
    skin->bodies = sn__reader_alloc(reader, (size_t)count, sizeof *skin->bodies);
    for (int i = 0; i < count && skin->bodies; ++i) {
        const Json *item = items ? items[i] : json;
        int body = sn__read_name(reader, names, item, "body");
        if (body < 0)
            return;
        int copies = scene->bodies[body]->copy_count;
        if (i > 0 && copies != skin->copy_count) {
            sn__reader_error(reader, item,
                             "the bodies under one skin need the same number of copies; this one "
                             "has %d, the one before %d",
                             copies, skin->copy_count);
            return;
        }
        skin->copy_count = copies;
        skin->bodies[skin->body_count++] = body;
    }
}

// Frames have no copies, so that bodies under the same skin have none either.
static void read_frames(Reader *reader, const Json *json, const NameTable *names,
                        SceneSkinEntry *skin) {
    if (json == NULL)
        return;
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    if (skin->copy_count > 1) {
        sn__reader_error(reader, json, "does not go with copies; the bodies have %d",
                         skin->copy_count);
        return;
    }
    skin->frames = sn__reader_alloc(reader, (size_t)count, sizeof *skin->frames);
    for (int i = 0; i < count && skin->frames; ++i) {
        int frame = sn__read_name(reader, names, items[i], "frame");
        if (frame < 0)
            return;
        skin->frames[skin->frame_count++] = frame;
    }
}

static void read_mesh(Reader *reader, SnScene *scene, const Json *json, SceneSkinEntry *skin) {
    const Json *mesh = sn__json_member(&reader->doc, json, "mesh");
    const Json *iso = sn__json_member(&reader->doc, json, "iso");
    if ((mesh != NULL) == (iso != NULL)) {
        sn__reader_error(reader, json, "needs one of: mesh, iso");
        return;
    }
    if (iso) {
        skin->iso = sn__read_object(reader, iso, &sn__table_iso, skin);
        return;
    }
    const Json *cell = sn__json_member(&reader->doc, mesh, "cell");
    const Json *shell = sn__json_member(&reader->doc, mesh, "shell");
    if (cell || shell) {
        sn__reader_error(reader, cell ? cell : shell, "is for colliders only");
        return;
    }
    sn__read_mesh_use(reader, scene, mesh, &skin->mesh);
}

static void read_skin(Reader *reader, SnScene *scene, const Json *json, SceneSkinEntry *skin,
                      const NameTable *bodies, const NameTable *frames) {
    SnIsoDef iso = sn_default_iso_def();
    skin->name = "";
    skin->mesh.mesh = -1;
    skin->fairing = sn_default_skin_def().fairing;
    skin->opacity = 1.0f;
    skin->iso_triangles = iso.triangles;
    skin->iso_blend = iso.blend;
    skin->iso_grow = iso.grow;
    skin->iso_close = iso.close;
    skin->iso_smooth = iso.smooth;
    if (!sn__read_object(reader, json, &sn__table_skin, skin))
        return;
    read_bodies(reader, scene, sn__json_member(&reader->doc, json, "rods"), bodies, skin);
    read_frames(reader, sn__json_member(&reader->doc, json, "frames"), frames, skin);
    read_mesh(reader, scene, json, skin);
    const Json *colour = sn__json_member(&reader->doc, json, "colour");
    if (colour)
        sn__read_colours(reader, colour, &skin->colours);
}

// Numbers the skins of all entries and names them.
static void list_skins(Reader *reader, SnScene *scene) {
    size_t count = (size_t)scene->skin_count;
    scene->skin_names = sn__reader_alloc(reader, count, sizeof *scene->skin_names);
    scene->skin_ids = sn__reader_alloc(reader, count, sizeof *scene->skin_ids);
    scene->skin_entries = sn__reader_alloc(reader, count, sizeof *scene->skin_entries);
    for (int e = 0; e < scene->skin_entry_count && !reader->out_of_memory; ++e) {
        const SceneSkinEntry *skin = &scene->skins[e];
        for (int copy = 0; copy < skin->copy_count; ++copy) {
            scene->skin_names[skin->first + copy] =
                sn__copy_name(reader, "skin", skin->name, e, skin->copy_count, copy);
            scene->skin_entries[skin->first + copy] = e;
        }
    }
}

static bool has_smaller_skin(const SnScene *scene, int body, int body_count) {
    for (int i = 0; i < scene->skin_entry_count; ++i) {
        const SceneSkinEntry *skin = &scene->skins[i];
        for (int k = 0; k < skin->body_count && skin->body_count < body_count; ++k)
            if (skin->bodies[k] == body)
                return true;
    }
    return false;
}

static void find_outer_skins(SnScene *scene) {
    for (int i = 0; i < scene->skin_entry_count; ++i) {
        SceneSkinEntry *skin = &scene->skins[i];
        skin->outer = true;
        for (int k = 0; k < skin->body_count && skin->outer; ++k)
            skin->outer = has_smaller_skin(scene, skin->bodies[k], skin->body_count);
    }
}

// Of bodies that are alone under their skins, without frames.
static void share_rest_shapes(Reader *reader, SnScene *scene) {
    for (int i = 0; i < scene->skin_entry_count; ++i)
        scene->bodies[scene->skins[i].bodies[0]]->common_rest = true;
    for (int i = 0; i < scene->skin_entry_count; ++i) {
        const SceneSkinEntry *skin = &scene->skins[i];
        bool alone = skin->body_count == 1 && skin->frame_count == 0;
        for (int k = 0; k < skin->body_count && !alone; ++k)
            scene->bodies[skin->bodies[k]]->common_rest = false;
    }
    for (int i = 0; i < scene->body_entry_count; ++i) {
        SceneBody *body = scene->bodies[i];
        body->common_rest =
            body->common_rest && body->kind->share_rest && body->kind->share_rest(reader, body);
    }
}

// The skin that a body comes with.
static void cover(Reader *reader, const SnScene *scene, int body, SceneSkinEntry *skin) {
    skin->name = scene->bodies[body]->name;
    skin->mesh.mesh = -1;
    skin->opacity = 1.0f;
    skin->tree = scene->bodies[body]->own_skin;
    skin->flesh = scene->bodies[body]->flesh;
    skin->bodies = sn__reader_alloc(reader, 1, sizeof *skin->bodies);
    if (skin->bodies) {
        skin->bodies[skin->body_count++] = body;
        skin->copy_count = scene->bodies[body]->copy_count;
    }
}

static bool has_own_skin(const SceneBody *body) { return body->own_skin || body->flesh; }

// Those of the file, then those that bodies come with.
void sn__read_skins(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                    const NameTable *frames) {
    int listed, count, body = -1;
    const Json **items = sn__read_list(reader, list, &listed);
    count = listed;
    for (int i = 0; i < scene->body_entry_count; ++i)
        count += has_own_skin(scene->bodies[i]);
    scene->skins = sn__reader_alloc(reader, (size_t)count, sizeof *scene->skins);
    long long all = 0;
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        SceneSkinEntry *skin = &scene->skins[i];
        if (i < listed) {
            read_skin(reader, scene, items[i], skin, bodies, frames);
        } else {
            do {
                ++body;
            } while (!has_own_skin(scene->bodies[body]));
            cover(reader, scene, body, skin);
        }
        skin->first = (int)all;
        all += skin->copy_count;
        scene->skin_entry_count = i + 1;
        if (all > SN_MAX_SCENE_BODIES && i < listed) { // bodies have one of their own at most
            sn__reader_error(reader, items[i], "with this there are %lld skins; the limit is %d",
                             all, SN_MAX_SCENE_BODIES);
            return;
        }
    }
    scene->skin_count = (int)all;
    if (reader->errors->count == 0 && !reader->out_of_memory) {
        list_skins(reader, scene);
        find_outer_skins(scene);
        share_rest_shapes(reader, scene);
    }
}
