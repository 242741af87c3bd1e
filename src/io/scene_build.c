// From a scene to a world at time 0.
#include "io/scene_data.h"

#include <stdlib.h>
#include <string.h>

static void place_positions(const Placement *p, const SnVec3 *from, int count, SnVec3 *to) {
    for (int i = 0; i < count; ++i)
        to[i] = sn__place_point(p, from[i]);
}

static void place_frames(const Placement *p, const SnQuat *from, int count, SnQuat *to) {
    for (int i = 0; i < count; ++i)
        to[i] = quatf(mulqd(p->rotation, quatd(from[i])));
}

// The rod's velocity, and away from the centre of the burst as seen from the middle of the rod.
static SnVec3 start_velocity(const SceneRod *rod, const Placement *p) {
    SnVec3 v = rod->velocity;
    Vec3d middle = {0, 0, 0};
    if (rod->burst.speed == 0)
        return v;
    for (int i = 0; i < rod->vertex_count; ++i)
        middle = addd(middle, vec3d(sn__place_point(p, rod->positions[i])));
    Vec3d at = addd(scaled(middle, 1.0 / rod->vertex_count),
                    (Vec3d){p->origin[0], p->origin[1], p->origin[2]});
    Vec3d away = subd(at, vec3d(rod->burst.centre));
    double length = lengthd(away);
    double speed = length > 1e-9 ? (double)rod->burst.speed / length : 0;
    return sn_vec3(v.x + (float)(away.x * speed), v.y + (float)(away.y * speed),
                   v.z + (float)(away.z * speed));
}

// Room for one rod's shape after placement.
typedef struct Scratch {
    SnVec3 *positions, *start_positions;
    SnQuat *frames, *start_frames;
} Scratch;

static bool scratch_create(const SnScene *scene, Scratch *scratch) {
    size_t most = 1;
    for (int i = 0; i < scene->rod_entry_count; ++i) {
        size_t vertices = (size_t)scene->rods[i].vertex_count;
        size_t segments = (size_t)scene->rods[i].segment_count;
        size_t count = segments > vertices ? segments : vertices;
        most = count > most ? count : most;
    }
    scratch->positions = malloc(most * sizeof(SnVec3));
    scratch->start_positions = malloc(most * sizeof(SnVec3));
    scratch->frames = malloc(most * sizeof(SnQuat));
    scratch->start_frames = malloc(most * sizeof(SnQuat));
    return scratch->positions && scratch->start_positions && scratch->frames &&
           scratch->start_frames;
}

static void scratch_destroy(Scratch *scratch) {
    free(scratch->positions);
    free(scratch->start_positions);
    free(scratch->frames);
    free(scratch->start_frames);
}

// The pose at the start, where the rod has one or is turned away from its rest shape.
static void place_start(const SceneRod *rod, const Placement *p, SnRodDef *def, Scratch *scratch) {
    const SnVec3 *positions = rod->start_positions;
    const SnQuat *frames = rod->start_frames;
    Placement place = *p;
    if (rod->common_rest) { // the origin has taken the position
        place.position = (Vec3d){0, 0, 0};
        positions = rod->positions;
        frames = rod->frames;
    }
    if (positions) {
        place_positions(&place, positions, rod->vertex_count, scratch->start_positions);
        def->start_positions = scratch->start_positions;
    }
    if (frames) {
        place_frames(&place, frames, rod->segment_count, scratch->start_frames);
        def->start_frames = scratch->start_frames;
    }
}

static SnResult create_rod(SnScene *scene, SnWorld *world, const SceneRod *rod, int copy,
                           Scratch *scratch) {
    Placement p = sn__place_copy(&rod->place, copy);
    Placement rest = rod->common_rest ? sn__place_upright(&p) : p;
    SnRodDef def = sn_default_rod_def();
    def.name = scene->rod_names[rod->first_rod + copy];
    def.vertex_count = rod->vertex_count;
    def.closed = rod->closed;
    def.edges = rod->edges;
    def.edge_count = rod->edges ? rod->segment_count : 0;
    def.classic = rod->classic;
    def.stiff = rod->stiff;
    def.segments = rod->segments;
    def.solver = rod->solver;
    place_positions(&rest, rod->positions, rod->vertex_count, scratch->positions);
    def.positions = scratch->positions;
    if (rod->frames) {
        place_frames(&rest, rod->frames, rod->segment_count, scratch->frames);
        def.frames = scratch->frames;
    }
    place_start(rod, &p, &def, scratch);
    def.start_scales = rod->start_scales;
    def.radii = rod->radii;
    def.material = scene->materials[rod->material].values;
    def.surface = rod->surface;
    def.filter = rod->filter;
    if (!rod->collide)
        def.filter.mask = 0;
    def.self_collide = rod->self_collide;
    def.velocity = start_velocity(rod, &p);
    def.angular_velocity = rod->angular_velocity;
    def.gravity_scale = rod->gravity_scale;
    memcpy(def.origin, rest.origin, sizeof def.origin);
    return sn_rod_create(world, &def, &scene->rod_ids[rod->first_rod + copy]);
}

static SnResult create_attachments(SnScene *scene, SnWorld *world, SceneRod *rod, int copy) {
    for (int i = 0; i < rod->attachment_count; ++i) {
        const SceneAttachment *from = &rod->attachments[i];
        SnAttachmentDef def = sn_default_attachment_def();
        def.kind = from->kind;
        def.body = scene->rod_ids[rod->first_rod + copy];
        def.index = from->index;
        if (from->frame >= 0)
            def.frame = scene->frames[from->frame].id;
        if (from->given) {
            def.keep_current = false;
            def.position = from->position;
            def.rotation = from->rotation;
            def.scale = from->value;
        }
        SnAttachmentId *id = &rod->attachment_ids[(size_t)copy * (size_t)rod->attachment_count + i];
        SnResult result = sn_attachment_create(world, &def, id);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

static SnResult create_copy(SnScene *scene, SnWorld *world, SceneRod *rod, int copy,
                            Scratch *scratch) {
    SnResult result = create_rod(scene, world, rod, copy, scratch);
    if (result.code == SN_OK)
        result = create_attachments(scene, world, rod, copy);
    for (int i = 0; i < rod->activation_count && result.code == SN_OK; ++i) {
        const SceneActivation *a = &rod->activations[i];
        if (a->length_scale != 1.0f)
            result = sn_rod_set_length_scale(world, scene->rod_ids[rod->first_rod + copy], a->first,
                                             a->count, a->length_scale);
    }
    return result;
}

SnResult sn__scene_at(const SnScene *scene, const char *list, int entry, SnResult result) {
    if (result.code == SN_OK)
        return result;
    return sn_error(result.code, "%s: /%s/%d: %s", scene->file, list, entry, result.message);
}

static SnResult create_rods(SnScene *scene, SnWorld *world) {
    Scratch scratch = {0};
    SnResult result = sn_ok();
    if (!scratch_create(scene, &scratch))
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to build it", scene->file);
    for (int e = 0; e < scene->rod_entry_count && result.code == SN_OK; ++e) {
        SceneRod *rod = &scene->rods[e];
        for (int copy = 0; copy < rod->copy_count && result.code == SN_OK; ++copy)
            result = sn__scene_at(scene, "rods", e, create_copy(scene, world, rod, copy, &scratch));
    }
    scratch_destroy(&scratch);
    return result;
}

static SnResult fill_world(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->frame_count && result.code == SN_OK; ++i) {
        SceneFrame *frame = &scene->frames[i];
        result = sn_frame_create(world, sn__scene_frame_pose(frame), &frame->id);
        result = sn__scene_at(scene, "frames", i, result);
    }
    for (int i = 0; i < scene->field_count && result.code == SN_OK; ++i) {
        SceneField *field = &scene->fields[i];
        result = sn__scene_at(scene, "fields", i, sn_field_create(world, &field->def, &field->id));
    }
    for (int i = 0; i < scene->material_count; ++i)
        scene->materials[i].applied = scene->materials[i].values;
    if (result.code == SN_OK)
        result = create_rods(scene, world);
    return result.code == SN_OK ? sn__scene_assemble(scene, world) : result;
}

SnResult sn_scene_build(SnScene *scene, const SnWorldDef *def, SnWorld **out_world) {
    *out_world = NULL;
    sn__scene_evaluate(scene, 0);
    SnWorldDef own = *def;
    own.gravity = scene->world.gravity;
    own.sleep_speed = scene->world.sleep_speed;
    own.tolerance = scene->world.tolerance;
    SnWorld *world;
    SnResult result = sn_world_create(&own, &world);
    if (result.code != SN_OK)
        return sn_error(result.code, "%s: %s", scene->file, result.message);
    result = fill_world(scene, world);
    if (result.code != SN_OK) {
        sn_world_destroy(world);
        return result;
    }
    *out_world = world;
    return result;
}
