// One entry of "colliders".
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

typedef struct SolidKind {
    const char *key;
    SnColliderKind kind;
    const KeyTable *table;
} SolidKind;

static const SolidKind kinds[] = {
    {"plane", SN_COLLIDER_PLANE, &sn__table_plane},
    {"sphere", SN_COLLIDER_SPHERE, &sn__table_sphere},
    {"pill", SN_COLLIDER_PILL, &sn__table_pill},
    {"box", SN_COLLIDER_BOX, &sn__table_box},
    {"mesh", SN_COLLIDER_MESH, &sn__table_mesh},
};
#define KIND_COUNT ((int)(sizeof kinds / sizeof *kinds))

// A plane's normal is the y axis of its pose.
static void turn_plane(Reader *reader, const Json *json, SceneColliderEntry *entry) {
    Vec3d normal = vec3d(entry->def.a);
    double length = lengthd(normal);
    if (!(length > 0)) {
        sn__reader_error(reader, json, "the normal has no length");
        return;
    }
    Quatd tilt = rotation_between((Vec3d){0, 1, 0}, scaled(normal, 1 / length));
    entry->place.rotation = quatf(normalisedq(mulqd(quatd(entry->place.rotation), tilt)));
    entry->def.a = sn_vec3(0, 0, 0);
}

static void read_pill_radius(Reader *reader, const Json *json, SnColliderDef *def) {
    Range positive = RANGE_POSITIVE;
    if (json->kind != JSON_OBJECT) {
        sn__read_float(reader, json, positive, &def->radius_a);
        def->radius_b = def->radius_a;
        return;
    }
    Taper taper = {1, 1};
    sn__read_object(reader, json, &sn__table_taper, &taper);
    def->radius_a = taper.from;
    def->radius_b = taper.to;
}

static void read_solid(Reader *reader, SnScene *scene, const Json *json, const SolidKind *kind,
                       SceneColliderEntry *entry) {
    SnColliderDef *def = &entry->def;
    def->kind = kind->kind;
    if (kind->kind == SN_COLLIDER_MESH) {
        sn__read_mesh_use(reader, scene, json, &entry->mesh);
        def->cell = entry->mesh.cell;
        def->shell = entry->mesh.shell;
        return;
    }
    if (kind->kind == SN_COLLIDER_PLANE)
        def->a = sn_vec3(0, 1, 0);
    if (!sn__read_object(reader, json, kind->table, def))
        return;
    if (kind->kind == SN_COLLIDER_PLANE) {
        turn_plane(reader, json, entry);
    } else if (kind->kind == SN_COLLIDER_PILL) {
        read_pill_radius(reader, sn__json_member(&reader->doc, json, "radius"), def);
    } else if (kind->kind == SN_COLLIDER_BOX) {
        SnVec3 size = def->half_size;
        def->half_size = sn_vec3(0.5f * size.x, 0.5f * size.y, 0.5f * size.z);
    }
}

// `known` is false where some key was not understood: it may have been meant for the shape.
static void read_kind(Reader *reader, SnScene *scene, const Json *json, bool known,
                      SceneColliderEntry *entry) {
    const Json *chosen = NULL;
    const SolidKind *kind = NULL;
    for (int i = 0; i < KIND_COUNT; ++i) {
        const Json *member = sn__json_member(&reader->doc, json, kinds[i].key);
        if (member && chosen) {
            sn__reader_error(reader, member, "is a second shape, after \"%s\"", kind->key);
            return;
        }
        if (member) {
            chosen = member;
            kind = &kinds[i];
        }
    }
    if (chosen == NULL && known)
        sn__reader_error(reader, json, "needs one of: plane, sphere, pill, box, mesh");
    if (chosen)
        read_solid(reader, scene, chosen, kind, entry);
}

static void read_collider(Reader *reader, SnScene *scene, const Json *json,
                          SceneColliderEntry *entry, const NameTable *frames,
                          const Categories *categories) {
    const SnColour plain = {0.36f, 0.38f, 0.41f};
    entry->name = "";
    entry->def = sn_default_collider_def();
    entry->mesh.mesh = -1;
    entry->frame = -1;
    entry->visible = true;
    sn__default_place(&entry->place);
    bool known = sn__read_object(reader, json, &sn__table_collider, entry);
    if (json->kind != JSON_OBJECT)
        return;
    read_kind(reader, scene, json, known, entry);
    sn__read_place(reader, json, &entry->place);
    sn__read_contact(reader, json, categories, &entry->def.surface, &entry->def.filter);
    const Json *frame = sn__json_member(&reader->doc, json, "frame");
    const Json *origin = sn__json_member(&reader->doc, json, "origin");
    if (frame)
        entry->frame = sn__read_name(reader, frames, frame, "frame");
    if (frame && origin)
        sn__reader_error(reader, origin, "does not go with \"frame\"");
    const Json *colour = sn__json_member(&reader->doc, json, "colour");
    if (colour)
        sn__read_colours(reader, colour, &entry->colours);
    sn__default_colour(reader, &entry->colours, plain);
}

// Numbers the colliders of all entries and names them.
static void list_colliders(Reader *reader, SnScene *scene) {
    size_t count = (size_t)scene->collider_count;
    scene->collider_names = sn__reader_alloc(reader, count, sizeof *scene->collider_names);
    scene->collider_ids = sn__reader_alloc(reader, count, sizeof *scene->collider_ids);
    scene->collider_entries = sn__reader_alloc(reader, count, sizeof *scene->collider_entries);
    for (int e = 0; e < scene->collider_entry_count && !reader->out_of_memory; ++e) {
        const SceneColliderEntry *entry = &scene->colliders[e];
        int copies = entry->place.copies.count;
        for (int copy = 0; copy < copies; ++copy) {
            scene->collider_names[entry->first + copy] =
                sn__copy_name(reader, "collider", entry->name, e, copies, copy);
            scene->collider_entries[entry->first + copy] = e;
        }
    }
}

void sn__read_colliders(Reader *reader, SnScene *scene, const Json *list, const NameTable *frames,
                        const Categories *categories) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    int bones = sn__scene_bone_count(scene);
    scene->colliders =
        sn__reader_alloc(reader, (size_t)count + (size_t)bones, sizeof *scene->colliders);
    long long all = 0;
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        SceneColliderEntry *entry = &scene->colliders[i];
        read_collider(reader, scene, items[i], entry, frames, categories);
        entry->first = (int)all;
        all += entry->place.copies.count;
        scene->collider_entry_count = i + 1;
        if (all + bones > SN_MAX_SCENE_COLLIDERS) {
            sn__reader_error(reader, items[i],
                             "with this there are %lld colliders; the limit is %d", all + bones,
                             SN_MAX_SCENE_COLLIDERS);
            return;
        }
    }
    scene->collider_count = (int)all;
    scene->own_collider_count = count;
    if (!reader->out_of_memory)
        sn__add_bones(reader, scene);
    if (!reader->out_of_memory)
        list_colliders(reader, scene);
}

SnColliderDef sn__collider_def(const SnScene *scene, int collider) {
    const SceneColliderEntry *entry = &scene->colliders[scene->collider_entries[collider]];
    Placement p = sn__place_copy(&entry->place, collider - entry->first);
    SnColliderDef def = entry->def;
    def.name = scene->collider_names[collider];
    if (entry->frame >= 0) {
        def.frame = scene->frames[entry->frame].id;
        p.position = addd(p.position, (Vec3d){p.origin[0], p.origin[1], p.origin[2]});
    } else {
        memcpy(def.origin, p.origin, sizeof def.origin);
    }
    def.pose.position = sn_vec3((float)p.position.x, (float)p.position.y, (float)p.position.z);
    def.pose.rotation = quatf(p.rotation);
    if (entry->mesh.positions) {
        const SnMesh *mesh = &scene->meshes[entry->mesh.mesh].mesh;
        def.vertices = entry->mesh.positions;
        def.vertex_count = mesh->vertex_count;
        def.triangles = mesh->triangles;
        def.triangle_count = mesh->triangle_count;
    }
    return def;
}
