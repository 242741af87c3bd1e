// Rods, creatures and trees: one entry of "rods", from the file into the world.
#include "io/scene_rod.h"
#include "io/scene_shape.h"
#include "io/tables.h"

#include <string.h>

#define ROD(name, member)                                                                          \
    { name, KEY_BOOL, FIELD(SceneRod, member), RANGE_ANY, false, false }
static const KeyField rod_keys[] = {
    BY_HAND_REQUIRED("shape"), BY_HAND("edges"),    BY_HAND("twist"),
    ROD("closed", closed),     BY_HAND("rest"),     BY_HAND("radius"),
    ROD("classic", classic),   ROD("stiff", stiff), BY_HAND("segments"),
    BY_HAND("solver"),         BY_HAND("start"),    ROD("self_collide", body.self_collide),
    BY_HAND("activation"),
};

static void read_solver(Reader *reader, const Json *json, SceneRod *rod) {
    static const char *const words[] = {"auto", "sweep", "direct"}; // as SnRodSolver
    int number = SN_SOLVER_AUTO;
    if (json)
        sn__read_word(reader, json, words, 3, &number);
    rod->solver = (SnRodSolver)number;
}

static void read_rest(Reader *reader, const Json *json, SceneRod *rod) {
    static const char *const words[] = {"shape", "straight"};
    int number = 0;
    if (json)
        sn__read_word(reader, json, words, 2, &number);
    rod->straight = number == 1;
    if (rod->straight && rod->body.edges)
        sn__reader_error(reader, json, "a rod with edges cannot be straight at rest");
}

static void read_rod(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                     const SceneNames *names) {
    SceneRod *rod = (SceneRod *)body;
    sn__read_shape(reader, json, rod);
    sn__read_stiff(reader, json, rod);
    read_rest(reader, sn__json_member(&reader->doc, json, "rest"), rod);
    read_solver(reader, sn__json_member(&reader->doc, json, "solver"), rod);
    if (rod->tree) {
        SnRodMaterial wood = sn__tree_material();
        sn__tree_defaults(reader, json, rod);
        sn__read_body(reader, scene, json, body, names, &wood);
    } else {
        sn__read_body(reader, scene, json, body, names, NULL);
    }
    if (body->point_count > 0) // without a shape, places on the body cannot be checked
        sn__read_activations(reader, sn__json_member(&reader->doc, json, "activation"), body);
}

static void place_positions(const Placement *p, const SnVec3 *from, int count, SnVec3 *to) {
    for (int i = 0; i < count; ++i)
        to[i] = sn__place_point(p, from[i]);
}

static void place_frames(const Placement *p, const SnQuat *from, int count, SnQuat *to) {
    for (int i = 0; i < count; ++i)
        to[i] = quatf(mulqd(p->rotation, quatd(from[i])));
}

// The pose at the start, where the rod has one or is turned away from its rest shape.
static void place_start(const SceneRod *rod, const Placement *p, SnRodDef *def,
                        const SceneScratch *scratch) {
    const SceneBody *body = &rod->body;
    const SnVec3 *positions = rod->start_positions;
    const SnQuat *frames = rod->start_frames;
    Placement place = *p;
    if (body->common_rest) { // the origin has taken the position
        place.position = (Vec3d){0, 0, 0};
        positions = body->positions;
        frames = rod->frames;
    }
    if (positions) {
        place_positions(&place, positions, body->point_count, scratch->start_positions);
        def->start_positions = scratch->start_positions;
    }
    if (frames) {
        place_frames(&place, frames, body->element_count, scratch->start_frames);
        def->start_frames = scratch->start_frames;
    }
}

static SnResult build_rod(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                          const SceneScratch *scratch, SnBodyId *out_id) {
    const SceneRod *rod = (const SceneRod *)body;
    Placement p = sn__place_copy(&body->place, copy);
    Placement rest = body->common_rest ? sn__place_upright(&p) : p;
    SnRodDef def = sn_default_rod_def();
    def.name = scene->body_names[body->first + copy];
    def.vertex_count = body->point_count;
    def.closed = rod->closed;
    def.straight = rod->straight;
    def.edges = body->edges;
    def.edge_count = body->edges ? body->element_count : 0;
    def.classic = rod->classic;
    def.stiff = rod->stiff;
    def.segments = rod->segments;
    def.bone_segments = rod->bone_segments;
    def.solver = rod->solver;
    place_positions(&rest, body->positions, body->point_count, scratch->positions);
    def.positions = scratch->positions;
    if (rod->frames) {
        place_frames(&rest, rod->frames, body->element_count, scratch->frames);
        def.frames = scratch->frames;
    }
    place_start(rod, &p, &def, scratch);
    def.start_scales = rod->start_scales;
    def.radii = body->radii;
    def.material = scene->materials[body->material].values;
    def.surface = body->surface;
    def.filter = sn__body_filter(body);
    def.self_collide = body->self_collide;
    def.velocity = sn__body_velocity(body, &p);
    def.angular_velocity = body->angular_velocity;
    def.gravity_scale = body->gravity_scale;
    memcpy(def.origin, rest.origin, sizeof def.origin);
    return sn_rod_create(world, &def, out_id);
}

static void describe_rod(const SceneBody *body, SnSceneBody *out) {
    const SceneRod *rod = (const SceneRod *)body;
    out->kind = rod->stiff ? SN_BODY_STIFF_ROD : SN_BODY_ROD;
    out->segments = rod->segments;
    out->tree = rod->tree != NULL;
}

// A rod that starts in its rest shape only differs from its copies by how it is turned.
static bool share_rest(Reader *reader, SceneBody *body) {
    SceneRod *rod = (SceneRod *)body;
    if (rod->closed || rod->start_positions || rod->start_frames)
        return false;
    sn__make_frames(reader, rod);
    return true;
}

const SceneKind sn__kind_rod = {
    .one = "rod",
    .many = "rods",
    .size = sizeof(SceneRod),
    .table = {"rod", rod_keys, KEY_COUNT(rod_keys), &sn__table_body},
    .read = read_rod,
    .build = build_rod,
    .describe = describe_rod,
    .share_rest = share_rest,
};

const SceneRod *sn__scene_rod(const SceneBody *body) {
    return body->kind == &sn__kind_rod ? (const SceneRod *)body : NULL;
}
