#include "io/scene_target.h"

#include "io/rotation.h"
#include "io/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 8
#define MAX_TOKEN 64

// A path cut at its slashes, and how far it is understood.
typedef struct Path {
    char tokens[MAX_TOKENS][MAX_TOKEN];
    int count, at;
    Reader *reader;
    SnScene *scene;
    const Json *json;
} Path;

// The thing a path leads to: its structure, the keys that has, and the rest of the slot.
typedef struct Owner {
    void *base;
    const KeyTable *table;
    AnimationTarget target;
    bool *animated;
} Owner;

static bool split_path(Path *path, const char *text) {
    if (text[0] != '/') {
        sn__reader_error(path->reader, path->json, "\"%.60s\" does not start with \"/\"", text);
        return false;
    }
    while (*text == '/') {
        ++text;
        size_t length = 0;
        if (path->count == MAX_TOKENS) {
            sn__reader_error(path->reader, path->json, "leads too deep");
            return false;
        }
        char *token = path->tokens[path->count++];
        for (; *text && *text != '/'; ++text) {
            bool escape = text[0] == '~' && (text[1] == '0' || text[1] == '1');
            char c = escape ? (text[1] == '0' ? '~' : '/') : *text;
            text += escape;
            if (length < MAX_TOKEN - 1)
                token[length++] = c;
        }
        token[length] = '\0';
    }
    return true;
}

// The next token, "" at the end.
static const char *next_token(Path *path) {
    return path->at < path->count ? path->tokens[path->at++] : "";
}

typedef const char *NameOf(const SnScene *scene, int number);

static const char *frame_name(const SnScene *scene, int number) {
    return scene->frames[number].name;
}

static const char *body_name(const SnScene *scene, int number) {
    return scene->bodies[number]->name;
}

static const char *material_name(const SnScene *scene, int number) {
    return scene->materials[number].name;
}

// A number below `count`, or a name if things of this kind have one, which are `first` and those
// after it. -1 after a complaint.
static int find_item(Path *path, const char *what, int first, int count, NameOf *name_of) {
    const char *token = next_token(path);
    char *end;
    long number = strtol(token, &end, 10);
    if (token[0] >= '0' && token[0] <= '9' && *end == '\0' && number < count)
        return first + (int)number;
    for (int i = 0; i < count && name_of && token[0]; ++i)
        if (strcmp(name_of(path->scene, first + i), token) == 0)
            return first + i;
    if (count > 1)
        sn__reader_error(path->reader, path->json, "there is no %s \"%s\" among the %d", what,
                         token, count);
    else
        sn__reader_error(path->reader, path->json, "there is no %s \"%s\"; there is %s", what,
                         token, count == 1 ? "one" : "none");
    return -1;
}

static bool find_frame(Path *path, Owner *out) {
    int number = find_item(path, "frame", 0, path->scene->own_frame_count, frame_name);
    if (number < 0)
        return false;
    SceneFrame *frame = &path->scene->frames[number];
    *out = (Owner){frame, &sn__table_frame, {TARGET_FRAME, number, 0}, &frame->animated};
    return true;
}

static bool find_field(Path *path, Owner *out) {
    int number = find_item(path, "field", 0, path->scene->field_count, NULL);
    if (number < 0)
        return false;
    SceneField *field = &path->scene->fields[number];
    *out = (Owner){&field->def, &sn__table_field, {TARGET_FIELD, number, 0}, &field->animated};
    return true;
}

static const char *hinge_name(const SnScene *scene, int number) {
    return scene->hinges[number].name ? scene->hinges[number].name : "";
}

static bool find_hinge(Path *path, Owner *out) {
    int number = find_item(path, "hinge", 0, path->scene->hinge_count, hinge_name);
    if (number < 0)
        return false;
    SceneHinge *hinge = &path->scene->hinges[number];
    *out = (Owner){hinge, &sn__table_hinge, {TARGET_HINGE, number, 0}, &hinge->animated};
    return true;
}

static const char *link_name(const SnScene *scene, int number) {
    return scene->links[number].name ? scene->links[number].name : "";
}

static bool find_link(Path *path, Owner *out) {
    int number = find_item(path, "link", 0, path->scene->link_count, link_name);
    if (number < 0)
        return false;
    SceneLink *link = &path->scene->links[number];
    *out = (Owner){link, &sn__table_link, {TARGET_LINK, number, 0}, &link->animated};
    return true;
}

static Owner material_owner(SnScene *scene, int number) {
    SceneMaterial *material = &scene->materials[number];
    return (Owner){
        &material->values, &sn__table_material, {TARGET_MATERIAL, number, 0}, &material->animated};
}

static void complain_about_material(Path *path, const char *token) {
    const SnScene *scene = path->scene;
    const char **names =
        sn__reader_alloc(path->reader, (size_t)scene->material_count, sizeof *names);
    int count = 0;
    for (int i = 0; i < scene->material_count && names; ++i)
        if (material_name(scene, i)[0])
            names[count++] = material_name(scene, i);
    if (names)
        sn__reader_unknown(path->reader, path->json, "material", token, names, count);
}

// Materials have names only: their numbers are not those of the file.
static bool find_material(Path *path, Owner *out) {
    const char *token = next_token(path);
    for (int i = 0; i < path->scene->material_count; ++i)
        if (token[0] && strcmp(material_name(path->scene, i), token) == 0) {
            *out = material_owner(path->scene, i);
            return true;
        }
    complain_about_material(path, token);
    return false;
}

static bool find_body_material(Path *path, const SceneBody *body, Owner *out) {
    const char *name = material_name(path->scene, body->material);
    if (body->material == 0 || name[0]) {
        sn__reader_error(path->reader, path->json,
                         "this %s has no material of its own; animate \"/materials/%s\"",
                         body->kind->one, name[0] ? name : "NAME");
        return false;
    }
    *out = material_owner(path->scene, body->material);
    return true;
}

// The attachment made by the entry of the file with this number, NULL if none was.
static SceneAttachment *attachment_of_entry(SceneBody *body, int entry, int *out_number) {
    for (int i = 0; i < body->attachment_count; ++i)
        if (body->attachments[i].entry == entry) {
            *out_number = i;
            return &body->attachments[i];
        }
    return NULL;
}

// Only what fits its kind can be animated: the position of a vertex, and so on.
static bool find_attachment(Path *path, SceneBody *body, int number, Owner *out) {
    static const char *const keys[] = {"position", "rotation", "value", "position", "rotation"};
    int last =
        body->attachment_count > 0 ? body->attachments[body->attachment_count - 1].entry : -1;
    int entry = find_item(path, "attachment", 0, last + 1, NULL), part = 0;
    SceneAttachment *attachment = entry < 0 ? NULL : attachment_of_entry(body, entry, &part);
    if (attachment == NULL)
        return false;
    bool clamp = part + 1 < body->attachment_count && body->attachments[part + 1].entry == entry;
    const char *key = path->at < path->count ? path->tokens[path->at] : "";
    if (clamp || strcmp(key, keys[attachment->kind]) != 0) {
        sn__reader_error(path->reader, path->json, "of this attachment, %s can be animated",
                         clamp ? "only its frame" : keys[attachment->kind]);
        return false;
    }
    if (path->at + 1 < path->count && !attachment->given) {
        sn__reader_error(path->reader, path->json,
                         "animating a part of \"%s\" needs a \"%s\" in the attachment", key, key);
        return false;
    }
    attachment->given = true;
    *out = (Owner){attachment,
                   &sn__table_attachment,
                   {TARGET_ATTACHMENT, number, part},
                   &attachment->animated};
    return true;
}

static bool find_force(Path *path, SceneBody *body, int number, Owner *out) {
    static const char *const keys[] = {"force", "torque", "radial"};
    int part = find_item(path, "force", 0, body->force_count, NULL);
    if (part < 0)
        return false;
    SceneForce *force = &body->forces[part];
    if (path->at < path->count && strcmp(path->tokens[path->at], keys[force->kind]) != 0) {
        sn__reader_error(path->reader, path->json, "of this force, \"%s\" can be animated",
                         keys[force->kind]);
        return false;
    }
    *out = (Owner){force, &sn__table_force, {TARGET_FORCE, number, part}, NULL};
    return true;
}

static bool find_activation(Path *path, SceneBody *body, int number, Owner *out) {
    int part = find_item(path, "activation", 0, body->activation_count, NULL);
    if (part < 0)
        return false;
    SceneActivation *activation = &body->activations[part];
    *out = (Owner){activation,
                   &sn__table_activation,
                   {TARGET_ACTIVATION, number, part},
                   &activation->animated};
    return true;
}

// Of what can be animated in bodies, what this kind has.
static void complain_of_part(Path *path, const SceneKind *kind, const char *part) {
    static const char *const parts[] = {"attach", "activation", "forces", "material",
                                        "gravity_scale"};
    const char *names[5];
    char what[64];
    int count = 0;
    for (int i = 0; i < 5; ++i)
        if (sn__key_find(&kind->table, parts[i]))
            names[count++] = parts[i];
    snprintf(what, sizeof what, "part of a %s", kind->one);
    sn__reader_unknown(path->reader, path->json, what, part, names, count);
}

static bool find_in_body(Path *path, int list, Owner *out) {
    const SnScene *scene = path->scene;
    const SceneKind *kind = sn__scene_lists[list].kind;
    int first = scene->kind_begin[list];
    int number = find_item(path, kind->one, first, scene->kind_begin[list + 1] - first, body_name);
    if (number < 0)
        return false;
    SceneBody *body = scene->bodies[number];
    const char *part = next_token(path);
    const KeyField *key = sn__key_find(&kind->table, part);
    if (key == NULL) {
        complain_of_part(path, kind, part);
        return false;
    }
    if (strcmp(part, "attach") == 0)
        return find_attachment(path, body, number, out);
    if (strcmp(part, "forces") == 0)
        return find_force(path, body, number, out);
    if (strcmp(part, "material") == 0 && !kind->keeps_material)
        return find_body_material(path, body, out);
    if (strcmp(part, "activation") == 0 && !key->animated)
        return find_activation(path, body, number, out);
    const KeyTable *table = NULL;
    void *own = kind->find_part ? kind->find_part(body, part, &table) : NULL;
    if (own) {
        *out = (Owner){own, table, {TARGET_BODY, number, 0}, &body->animated};
        return true;
    }
    if (!key->animated) {
        sn__reader_error(path->reader, path->json,
                         "\"%s\" of a %s is fixed when it is made and cannot be animated", part,
                         kind->one);
        return false;
    }
    path->at -= 1; // the key is still to be read
    *out = (Owner){body, &kind->table, {TARGET_BODY, number, 0}, &body->animated};
    return true;
}

// What paths start with, beside the lists of bodies.
static const char *const roots[] = {"world",     "camera", "frames", "fields",
                                    "materials", "hinges", "links"};
#define ROOT_COUNT ((int)(sizeof roots / sizeof *roots))

static void complain_of_root(Path *path, const char *token) {
    const char *names[ROOT_COUNT + SCENE_KIND_COUNT];
    if (sn__key_find(&sn__table_scene, token)) {
        sn__reader_error(path->reader, path->json, "\"%s\" cannot be animated", token);
        return;
    }
    memcpy(names, roots, sizeof roots);
    for (int k = 0; k < SCENE_KIND_COUNT; ++k)
        names[ROOT_COUNT + k] = sn__scene_lists[k].key;
    sn__reader_unknown(path->reader, path->json, "target", token, names,
                       ROOT_COUNT + SCENE_KIND_COUNT);
}

static bool find_owner(Path *path, Owner *out) {
    SnScene *scene = path->scene;
    int root;
    const char *token = next_token(path);
    for (int k = 0; k < SCENE_KIND_COUNT; ++k)
        if (strcmp(token, sn__scene_lists[k].key) == 0)
            return find_in_body(path, k, out);
    for (root = 0; root < ROOT_COUNT && strcmp(token, roots[root]) != 0; ++root) {
    }
    switch (root) {
    case 0:
        *out =
            (Owner){&scene->world, &sn__table_world, {TARGET_WORLD, 0, 0}, &scene->world_animated};
        return true;
    case 1:
        *out = (Owner){&scene->camera, &sn__table_camera, {TARGET_CAMERA, 0, 0}, NULL};
        return true;
    case 2:
        return find_frame(path, out);
    case 3:
        return find_field(path, out);
    case 4:
        return find_material(path, out);
    case 5:
        return find_hinge(path, out);
    case 6:
        return find_link(path, out);
    default:
        complain_of_root(path, token);
        return false;
    }
}

static const KeyField *find_key(Path *path, const KeyTable *table) {
    const char *token = next_token(path);
    const KeyField *key = sn__key_find(table, token);
    if (key && key->animated)
        return key;
    if (key) {
        sn__reader_error(path->reader, path->json,
                         "\"%s\" is fixed when the world is built and cannot be animated", token);
        return NULL;
    }
    const char *names[MAX_KEY_NAMES];
    int count = sn__key_names(table, true, names);
    sn__reader_unknown(path->reader, path->json, "value", token, names, count);
    return NULL;
}

// "/frames/0/rotation/angle" turns about the axis that the frame gives.
static bool find_angle(Path *path, const Owner *owner, ValueSlot *out) {
    SceneFrame *frame = owner->base;
    if (owner->target.kind != TARGET_FRAME ||
        strcmp(path->tokens[path->at], sn__table_rotation.keys[1].name) != 0) {
        sn__reader_error(path->reader, path->json, "a rotation has no part \"%s\"",
                         path->tokens[path->at]);
        return false;
    }
    if (!(lengthd(vec3d(frame->turn.axis)) > 0)) {
        sn__reader_error(path->reader, path->json,
                         "the frame's rotation is not given as {\"axis\", \"angle\"}");
        return false;
    }
    ++path->at;
    frame->turns = true;
    out->value = &frame->turn.angle;
    out->width = 1;
    return true;
}

// x, y or z of a vector, by number.
static bool find_component(Path *path, ValueSlot *out) {
    const char *token = next_token(path);
    if (token[0] < '0' || token[0] > '2' || token[1]) {
        sn__reader_error(path->reader, path->json, "a vector has the parts 0, 1 and 2, not \"%s\"",
                         token);
        return false;
    }
    out->value += token[0] - '0';
    out->width = 1;
    return true;
}

bool sn__find_slot(Reader *reader, SnScene *scene, const Json *json, const char *text,
                   ValueSlot *out) {
    Path path = {.reader = reader, .scene = scene, .json = json};
    Owner owner;
    if (!split_path(&path, text) || !find_owner(&path, &owner))
        return false;
    const KeyField *key = find_key(&path, owner.table);
    if (key == NULL)
        return false;
    out->value = (float *)(void *)((char *)owner.base + key->offset);
    out->width = key->type == KEY_FLOAT ? 1 : key->type == KEY_VEC3 ? 3 : 4;
    out->range = key->range;
    out->target = owner.target;
    out->animated = owner.animated;
    if (path.at < path.count && out->width == 4 && !find_angle(&path, &owner, out))
        return false;
    if (path.at < path.count && out->width == 3 && !find_component(&path, out))
        return false;
    if (path.at < path.count) {
        sn__reader_error(reader, json, "nothing can follow \"%s\"", path.tokens[path.at - 1]);
        return false;
    }
    return true;
}
