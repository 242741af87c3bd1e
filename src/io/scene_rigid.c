// Rigid bodies: one entry of "rigid", from the file into the world.
#include "io/scene_parts.h"
#include "io/tables.h"

#include <string.h>

typedef struct SceneRigid {
    SceneBody body;
    SnRigidPart *parts; // as in the file: with all that a scene can say of one
    float mass;
} SceneRigid;

static const KeyField rigid_keys[] = {
    BY_HAND_REQUIRED("parts"),
    {"mass", KEY_FLOAT, FIELD(SceneRigid, mass), {1e-9, 1e12, false}, false, false},
};

// One number, or a taper from one end to the other.
static void read_radius(Reader *reader, const Json *json, SnRigidPart *part) {
    const Range range = {1e-5, 1e4, false}; // that of sn_rigid_create
    Taper taper;
    if (json->kind != JSON_OBJECT) {
        sn__read_float(reader, json, range, &part->radius_a);
        part->radius_b = part->radius_a;
    } else if (sn__read_object(reader, json, &sn__table_taper, &taper)) {
        sn__read_float(reader, sn__json_member(&reader->doc, json, "from"), range, &part->radius_a);
        sn__read_float(reader, sn__json_member(&reader->doc, json, "to"), range, &part->radius_b);
    }
}

static bool is_same(SnVec3 a, SnVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// A sphere has a centre, a pill two ends. Returns how many points it has, 0 after a complaint.
static int read_part(Reader *reader, const Json *json, SnRigidPart *part) {
    const JsonDoc *doc = &reader->doc;
    if (!sn__read_object(reader, json, &sn__table_part, part))
        return 0;
    bool centre = sn__json_member(doc, json, "centre") != NULL;
    bool from = sn__json_member(doc, json, "from"), to = sn__json_member(doc, json, "to");
    if (centre == (from || to) || from != to) {
        sn__reader_error(reader, json, "needs either \"centre\", or \"from\" and \"to\"");
        return 0;
    }
    const Json *radius = sn__json_member(doc, json, "radius");
    read_radius(reader, radius, part);
    if (centre && radius->kind == JSON_OBJECT) {
        sn__reader_error(reader, radius, "a sphere has one radius");
        return 0;
    }
    if (!centre && is_same(part->a, part->b)) {
        sn__reader_error(reader, json, "both ends are the same point; a sphere has a \"centre\"");
        return 0;
    }
    if (centre)
        part->b = part->a;
    return centre ? 1 : 2;
}

static void add_points(SceneBody *body, int i, const SnRigidPart *part, int points) {
    const SnVec3 ends[2] = {part->a, part->b};
    const float radii[2] = {part->radius_a, part->radius_b};
    for (int k = 0; k < 2; ++k) {
        int at = body->point_count + (k < points ? k : points - 1);
        body->edges[2 * i + k] = at;
        body->positions[at] = ends[k];
        body->radii[at] = radii[k];
    }
    body->point_count += points;
}

static void read_parts(Reader *reader, const Json *json, SceneRigid *rigid) {
    SceneBody *body = &rigid->body;
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    size_t n = (size_t)count;
    if (items && (count < 1 || count > SN_MAX_RIGID_PARTS)) {
        sn__reader_error(reader, json, "%d parts are not in [1, %d]", count, SN_MAX_RIGID_PARTS);
        return;
    }
    rigid->parts = sn__reader_alloc(reader, n, sizeof *rigid->parts);
    body->positions = sn__reader_alloc(reader, 2 * n, sizeof *body->positions);
    body->radii = sn__reader_alloc(reader, 2 * n, sizeof *body->radii);
    body->edges = sn__reader_alloc(reader, 2 * n, sizeof *body->edges);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        int points = read_part(reader, items[i], &rigid->parts[i]);
        if (points > 0)
            add_points(body, i, &rigid->parts[i], points);
    }
    body->element_count = count;
}

static void read_rigid(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                       const SceneNames *names) {
    const Json *parts = sn__json_member(&reader->doc, json, "parts");
    body->scaleless = "rigid body";
    if (parts)
        read_parts(reader, parts, (SceneRigid *)body);
    sn__read_body(reader, scene, json, body, names, NULL);
}

static SnResult build_rigid(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                            const SceneScratch *scratch, SnBodyId *out_id) {
    (void)scratch;
    const SceneRigid *rigid = (const SceneRigid *)body;
    const SnRodMaterial *material = &scene->materials[body->material].values;
    Placement p = sn__place_copy(&body->place, copy);
    SnRigidDef def = sn_default_rigid_def();
    def.name = scene->body_names[body->first + copy];
    def.part_count = body->element_count;
    def.parts = rigid->parts;
    def.density = material->density;
    def.drag = material->drag;
    def.mass = rigid->mass;
    def.pose = (SnPose){vec3f(p.position), quatf(p.rotation)};
    memcpy(def.origin, p.origin, sizeof def.origin);
    def.velocity = sn__body_velocity(body, &p);
    def.angular_velocity = body->angular_velocity;
    def.surface = body->surface;
    def.filter = sn__body_filter(body);
    def.gravity_scale = body->gravity_scale;
    return sn_rigid_create(world, &def, out_id);
}

static void describe_rigid(const SceneBody *body, SnSceneBody *out) {
    (void)body;
    out->kind = SN_BODY_RIGID;
}

const SceneKind sn__kind_rigid = {
    .one = "rigid body",
    .many = "rigid bodies",
    .size = sizeof(SceneRigid),
    .keeps_material = true,
    .table = {"rigid", rigid_keys, KEY_COUNT(rigid_keys), &sn__table_body},
    .read = read_rigid,
    .build = build_rigid,
    .describe = describe_rigid,
};
