// Solids: one entry of "solids", from the file into the world.
#include "io/scene_marks.h"
#include "io/scene_particles.h"
#include "io/scene_parts.h"
#include "io/tables.h"

#include <sinew/solid.h>

#include <string.h>

typedef struct SceneSolid {
    SceneBody body;
    SnVec3 *radii;
    SnQuat *rotations; // NULL: none is turned
    float *volumes;    // NULL: those of the ellipsoids
    int (*edges)[2];
    int edge_count;
    float *stiffness;    // per edge, or NULL
    float *areas;        // per edge, or NULL
    SnVec3 size;         // of a grid
    ParticleParams from; // a mesh
    bool self_collide;   // as its key says, or not
    SceneMark *marks;
    float volume; // Pa that it is kept with
} SceneSolid;

static const KeyField solid_keys[] = {
    BY_HAND("positions"),
    BY_HAND("rotations"),
    BY_HAND("radii"),
    BY_HAND("volumes"),
    BY_HAND("edges"),
    BY_HAND("stiffness"),
    BY_HAND("areas"),
    BY_HAND("grid"),
    BY_HAND("mesh"),
    BY_HAND("model"),
    BY_HAND("fill"),
    BY_HAND("marks"),
    {"particles",
     KEY_INT,
     FIELD(SceneSolid, from.particles),
     {1, SN_MAX_FIT_PARTICLES, false},
     false,
     false},
    {"thickness", KEY_FLOAT, FIELD(SceneSolid, from.thickness), {0, 1e4, true}, false, false},
    {"length", KEY_FLOAT, FIELD(SceneSolid, from.length), {1e-3, 1000, false}, false, false},
    {"triangles", KEY_INT, FIELD(SceneSolid, from.triangles), {200, 1000000, false}, false, false},
    {"bare", KEY_BOOL, FIELD(SceneSolid, from.no_skin), RANGE_ANY, false, false},
    {"size", KEY_VEC3, FIELD(SceneSolid, size), {1e-4, 1e4, false}, false, false},
    {"self_collide", KEY_BOOL, FIELD(SceneSolid, self_collide), RANGE_ANY, false, false},
    {"volume", KEY_FLOAT, FIELD(SceneSolid, volume), {0, 1e13, false}, false, false},
};

static const Range length_range = {-1e9, 1e9, false}, radius_range = {1e-5, 1e4, false},
                   volume_range = {1e-18, 1e12, false}, factor_range = {0, 1e6, false},
                   area_range = {0, 1e8, false};

// A list that must have `count` items; NULL after a complaint, or if it is not there.
static const Json **read_items(Reader *reader, const Json *entry, const char *key, int count) {
    const Json *list = sn__json_member(&reader->doc, entry, key);
    int found = 0;
    const Json **items = list ? sn__read_list(reader, list, &found) : NULL;
    bool by_edge = strcmp(key, "stiffness") == 0 || strcmp(key, "areas") == 0;
    if (items && found != count) {
        sn__reader_error(reader, list, "has %d items for %d %s", found, count,
                         by_edge ? "edges" : "positions");
        return NULL;
    }
    return items;
}

static float *read_numbers(Reader *reader, const Json *entry, const char *key, int count,
                           Range range) {
    const Json **items = read_items(reader, entry, key, count);
    float *numbers = items ? sn__reader_alloc(reader, (size_t)count, sizeof *numbers) : NULL;
    for (int i = 0; i < count && numbers; ++i)
        sn__read_float(reader, items[i], range, &numbers[i]);
    return numbers;
}

static void read_edges(Reader *reader, const Json *json, SceneSolid *solid) {
    int count;
    const Json **items = sn__read_list(reader, json, &count);
    const Range range = {0, solid->body.point_count - 1, false};
    if (items && count > SN_MAX_SOLID_EDGES) {
        sn__reader_error(reader, json, "%d edges are more than %d", count, SN_MAX_SOLID_EDGES);
        return;
    }
    solid->edges = sn__reader_alloc(reader, (size_t)count, sizeof *solid->edges);
    for (int k = 0; k < count && solid->edges; ++k) {
        int *edge = solid->edges[k];
        if (items[k]->kind != JSON_ARRAY || items[k]->count != 2) {
            sn__reader_error(reader, items[k], "is not a pair of particles [a, b]");
            continue;
        }
        const Json *first = sn__json_first(items[k]);
        if (sn__read_int(reader, first, range, &edge[0]) &&
            sn__read_int(reader, sn__json_next(&reader->doc, first), range, &edge[1]) &&
            edge[0] == edge[1])
            sn__reader_error(reader, items[k], "joins particle %d to itself", edge[0]);
    }
    solid->edge_count = count;
}

static void alloc_particles(Reader *reader, SceneSolid *solid, int count) {
    SceneBody *body = &solid->body;
    size_t n = (size_t)count;
    body->point_count = body->element_count = count;
    body->positions = sn__reader_alloc(reader, n, sizeof *body->positions);
    body->radii = sn__reader_alloc(reader, n, sizeof *body->radii);
    body->edges = sn__reader_alloc(reader, 2 * n, sizeof *body->edges);
    solid->radii = sn__reader_alloc(reader, n, sizeof *solid->radii);
    for (int i = 0; i < count && body->edges; ++i)
        body->edges[2 * i] = body->edges[2 * i + 1] = i;
}

static void set_radii(SceneSolid *solid) {
    for (int i = 0; i < solid->body.point_count; ++i) {
        SnVec3 r = solid->radii[i];
        solid->body.radii[i] = cbrtf(r.x * r.y * r.z);
    }
}

static void read_particles(Reader *reader, const Json *entry, SceneSolid *solid) {
    const Json *list = sn__json_member(&reader->doc, entry, "positions");
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items && (count < 1 || count > SN_MAX_SOLID_PARTICLES)) {
        sn__reader_error(reader, list, "%d particles are not in [1, %d]", count,
                         SN_MAX_SOLID_PARTICLES);
        return;
    }
    const Json **radii = items ? read_items(reader, entry, "radii", count) : NULL;
    if (items == NULL || radii == NULL) {
        if (items && sn__json_member(&reader->doc, entry, "radii") == NULL)
            sn__reader_error(reader, entry, "needs \"radii\", one [a, b, c] per position");
        return;
    }
    alloc_particles(reader, solid, count);
    const Json **turns = read_items(reader, entry, "rotations", count);
    if (turns)
        solid->rotations = sn__reader_alloc(reader, (size_t)count, sizeof *solid->rotations);
    for (int i = 0; i < count && !reader->out_of_memory; ++i) {
        sn__read_vec3(reader, items[i], length_range, &solid->body.positions[i]);
        sn__read_vec3(reader, radii[i], radius_range, &solid->radii[i]);
        if (turns)
            sn__read_rotation(reader, turns[i], &solid->rotations[i]);
    }
    if (reader->out_of_memory)
        return;
    solid->volumes = read_numbers(reader, entry, "volumes", count, volume_range);
    const Json *edges = sn__json_member(&reader->doc, entry, "edges");
    if (edges)
        read_edges(reader, edges, solid);
    solid->stiffness = read_numbers(reader, entry, "stiffness", solid->edge_count, factor_range);
    solid->areas = read_numbers(reader, entry, "areas", solid->edge_count, area_range);
}

// Particles in the middles of the cells of a block about the origin, each joined to those beside it.
static void fill_grid(SceneSolid *solid, const int n[3]) {
    const SnVec3 size = solid->size;
    const SnVec3 cell = {size.x / (float)n[0], size.y / (float)n[1], size.z / (float)n[2]};
    const int stride[3] = {1, n[0], n[0] * n[1]};
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
        const int at[3] = {i % n[0], i / n[0] % n[1], i / stride[2]};
        solid->body.positions[i] = (SnVec3){((float)at[0] + 0.5f) * cell.x - 0.5f * size.x,
                                            ((float)at[1] + 0.5f) * cell.y - 0.5f * size.y,
                                            ((float)at[2] + 0.5f) * cell.z - 0.5f * size.z};
        solid->radii[i] = (SnVec3){0.5f * cell.x, 0.5f * cell.y, 0.5f * cell.z};
        solid->volumes[i] = cell.x * cell.y * cell.z;
        for (int c = 0; c < 3; ++c)
            if (at[c] + 1 < n[c]) {
                solid->edges[solid->edge_count][0] = i;
                solid->edges[solid->edge_count++][1] = i + stride[c];
            }
    }
}

// What a solid may be described by, and which keys belong to which.
enum { BY_GRID = 1, BY_PARTICLES = 2, BY_MESH = 4, BY_MODEL = 8 };
static const struct {
    const char *key;
    int ways;
} ways_of_keys[] = {{"size", BY_GRID},
                    {"positions", BY_PARTICLES},
                    {"rotations", BY_PARTICLES},
                    {"radii", BY_PARTICLES},
                    {"volumes", BY_PARTICLES},
                    {"edges", BY_PARTICLES},
                    {"stiffness", BY_PARTICLES},
                    {"areas", BY_PARTICLES},
                    {"fill", BY_MESH | BY_MODEL},
                    {"particles", BY_MESH | BY_MODEL},
                    {"thickness", BY_MESH | BY_MODEL},
                    {"model", BY_MODEL},
                    {"length", BY_MODEL},
                    {"triangles", BY_MODEL}};

// Keys that would do nothing are refused.
static bool check_keys(Reader *reader, const Json *entry, int way) {
    const char *name = way == BY_GRID        ? "grid"
                       : way == BY_PARTICLES ? "list of positions"
                       : way == BY_MESH      ? "mesh"
                                             : "model";
    bool good = true;
    for (size_t k = 0; k < sizeof ways_of_keys / sizeof ways_of_keys[0]; ++k) {
        const Json *value = sn__json_member(&reader->doc, entry, ways_of_keys[k].key);
        if (value == NULL || (ways_of_keys[k].ways & way) != 0)
            continue;
        sn__reader_error(reader, value, "a %s has no \"%s\"", name, ways_of_keys[k].key);
        good = false;
    }
    return good;
}

static void read_grid(Reader *reader, const Json *entry, const Json *json, SceneSolid *solid) {
    const Range range = {1, 1024, false};
    int n[3] = {0, 0, 0};
    if (json->kind != JSON_ARRAY || json->count != 3) {
        sn__reader_error(reader, json, "is not [columns, rows, layers]");
        return;
    }
    const Json *item = sn__json_first(json);
    for (int c = 0; c < 3; ++c, item = sn__json_next(&reader->doc, item))
        if (!sn__read_int(reader, item, range, &n[c]))
            return;
    long count = (long)n[0] * n[1] * n[2];
    if (count > SN_MAX_SOLID_PARTICLES) {
        sn__reader_error(reader, json, "%ld particles are more than %d", count,
                         SN_MAX_SOLID_PARTICLES);
        return;
    }
    if (sn__json_member(&reader->doc, entry, "size") == NULL) {
        sn__reader_error(reader, json, "needs a \"size\", [x, y, z] in metres");
        return;
    }
    alloc_particles(reader, solid, (int)count);
    solid->volumes = sn__reader_alloc(reader, (size_t)count, sizeof *solid->volumes);
    solid->edges = sn__reader_alloc(reader, 3 * (size_t)count, sizeof *solid->edges);
    if (!reader->out_of_memory)
        fill_grid(solid, n);
}

// Particles in a mesh, or in a model.
static void read_mesh(Reader *reader, SnScene *scene, const Json *entry, SceneSolid *solid) {
    SceneFlesh *flesh = NULL;
    SnParticles made;
    if (!sn__read_particles(reader, scene, entry, &solid->from, &made, &flesh))
        return;
    alloc_particles(reader, solid, made.particle_count);
    size_t count = (size_t)made.particle_count, edges = (size_t)made.edge_count;
    solid->rotations = sn__reader_alloc(reader, count, sizeof *solid->rotations);
    solid->volumes = sn__reader_alloc(reader, count, sizeof *solid->volumes);
    solid->edges = sn__reader_alloc(reader, edges, sizeof *solid->edges);
    solid->areas = sn__reader_alloc(reader, edges, sizeof *solid->areas);
    if (!reader->out_of_memory) {
        memcpy(solid->body.positions, made.positions, count * sizeof *made.positions);
        memcpy(solid->radii, made.radii, count * sizeof *made.radii);
        memcpy(solid->rotations, made.rotations, count * sizeof *made.rotations);
        memcpy(solid->volumes, made.volumes, count * sizeof *made.volumes);
        memcpy(solid->edges, made.edges, edges * sizeof *made.edges);
        memcpy(solid->areas, made.areas, edges * sizeof *made.areas);
        solid->edge_count = made.edge_count;
        solid->body.flesh = flesh;
    }
    sn_particles_destroy(&made);
}

// The mesh around particles that are given.
static void cover_particles(Reader *reader, SnScene *scene, const Json *mesh, SceneSolid *solid) {
    const SnParticles given = {.particle_count = solid->body.point_count,
                               .edge_count = solid->edge_count,
                               .positions = solid->body.positions,
                               .rotations = solid->rotations,
                               .radii = solid->radii,
                               .edges = solid->edges};
    if (reader->errors->count == 0 && !reader->out_of_memory)
        solid->body.flesh = sn__read_flesh(reader, scene, mesh, &given);
}

static void read_solid(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                       const SceneNames *names) {
    SceneSolid *solid = (SceneSolid *)body;
    const Json *grid = sn__json_member(&reader->doc, json, "grid");
    const Json *mesh = sn__json_member(&reader->doc, json, "mesh");
    const Json *model = sn__json_member(&reader->doc, json, "model");
    SnSolidMaterial plain = sn_default_solid_material();
    SnRodMaterial material = sn_default_rod_material();
    material.density = plain.density;
    material.young = plain.young;
    material.damping = plain.damping;
    body->scaleless = "solid";
    body->self_collide = solid->self_collide;
    bool listed = sn__json_member(&reader->doc, json, "positions") != NULL;
    int way = grid ? BY_GRID : listed ? BY_PARTICLES : model ? BY_MODEL : mesh ? BY_MESH : 0;
    bool good = way == 0 || check_keys(reader, json, way);
    if (good && way == BY_GRID)
        read_grid(reader, json, grid, solid);
    else if (good && way == BY_PARTICLES)
        read_particles(reader, json, solid);
    else if (good && way != 0)
        read_mesh(reader, scene, json, solid);
    else if (good)
        sn__reader_error(
            reader, json,
            "needs \"positions\" and \"radii\", a \"grid\", a \"mesh\" or a \"model\"");
    if (good && mesh && body->flesh == NULL && !solid->from.no_skin)
        cover_particles(reader, scene, mesh, solid);
    if (!reader->out_of_memory && body->radii)
        set_radii(solid);
    solid->marks = sn__read_marks(reader, sn__json_member(&reader->doc, json, "marks"), body);
    sn__read_body(reader, scene, json, body, names, &material);
}

static SnSolidMaterial material_of(const SnRodMaterial *m) {
    return (SnSolidMaterial){.density = m->density,
                             .young = m->young,
                             .damping = m->damping,
                             .drag = m->drag,
                             .yield = m->yield,
                             .strength = m->strength};
}

static SnResult build_solid(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                            const SceneScratch *scratch, SnBodyId *out_id) {
    const SceneSolid *solid = (const SceneSolid *)body;
    Placement p = sn__place_copy(&body->place, copy);
    SnSolidDef def = sn_default_solid_def();
    for (int i = 0; i < body->point_count; ++i) {
        Quatd own = solid->rotations ? quatd(solid->rotations[i]) : (Quatd){0, 0, 0, 1};
        scratch->positions[i] = sn__place_point(&p, body->positions[i]);
        scratch->frames[i] = quatf(mulqd(p.rotation, own));
    }
    def.name = scene->body_names[body->first + copy];
    def.particle_count = body->point_count;
    def.positions = scratch->positions;
    def.rotations = scratch->frames;
    def.radii = solid->radii;
    def.volumes = solid->volumes;
    def.edge_count = solid->edge_count;
    def.edges = (const int(*)[2])solid->edges;
    def.stiffness = solid->stiffness;
    def.areas = solid->areas;
    def.material = material_of(&scene->materials[body->material].values);
    def.material.volume = solid->volume;
    memcpy(def.origin, p.origin, sizeof def.origin);
    def.velocity = sn__body_velocity(body, &p);
    def.angular_velocity = body->angular_velocity;
    def.surface = body->surface;
    def.filter = sn__body_filter(body);
    def.self_collide = body->self_collide;
    def.gravity_scale = body->gravity_scale;
    SnResult result = sn_solid_create(world, &def, out_id);
    for (int k = 0; k < body->mark_count && result.code == SN_OK; ++k) {
        SnSolidMark mark = solid->marks[k].def;
        mark.position = sn__place_point(&p, mark.position);
        mark.direction = vec3f(rotated(p.rotation, vec3d(mark.direction)));
        result = sn_solid_add_mark(world, *out_id, &mark, NULL);
    }
    return result;
}

static void describe_solid(const SceneBody *body, SnSceneBody *out) {
    (void)body;
    out->kind = SN_BODY_SOLID;
}

const SceneKind sn__kind_solid = {
    .one = "solid",
    .many = "solids",
    .size = sizeof(SceneSolid),
    .keeps_material = true,
    .table = {"solid", solid_keys, KEY_COUNT(solid_keys), &sn__table_body},
    .read = read_solid,
    .build = build_solid,
    .describe = describe_solid,
};
