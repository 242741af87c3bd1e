// From a scene to a world at time 0.
#include "base/result.h"
#include "io/rotation.h"
#include "io/scene_data.h"

#include <stdlib.h>
#include <string.h>

// Where a copy of a rod is: moved by `offset` and turned about the placement of its shape.
typedef struct Placement {
    double offset[3];
    Quatd rotation;
    Vec3d position;
} Placement;

// The splitmix64 generator; every copy has its own stream, so that one does not move the others.
static double random_signed(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) / 4503599627370496.0 - 1.0;
}

static Vec3d random_axis(uint64_t *state) {
    Vec3d v;
    double length;
    do {
        v = (Vec3d){random_signed(state), random_signed(state), random_signed(state)};
        length = lengthd(v);
    } while (length > 1 || length < 0.1);
    return v;
}

static Placement place_copy(const SnSceneRod *rod, int copy) {
    int nx = rod->copies[0], ny = rod->copies[1];
    int at[3] = {copy % nx, copy / nx % ny, copy / nx / ny};
    const float *spacing = &rod->spacing.x, *jitter = &rod->jitter_position.x;
    uint64_t state = (uint64_t)rod->seed * 0x100000001u + (uint64_t)copy * 0xD1342543DE82EF95u;
    Placement p = {.rotation = quatd(rod->rotation), .position = vec3d(rod->position)};
    for (int c = 0; c < 3; c++) {
        p.offset[c] = (double)spacing[c] * at[c] + (double)jitter[c] * random_signed(&state);
    }
    if (rod->jitter_rotation > 0) {
        double angle = (double)rod->jitter_rotation * random_signed(&state);
        p.rotation = mulqd(sn__rotation_about(random_axis(&state), angle), p.rotation);
    }
    return p;
}

static void place_positions(const Placement *p, const SnVec3 *from, int count, SnVec3 *to) {
    for (int i = 0; i < count; i++) {
        Vec3d v = addd(p->position, rotated(p->rotation, vec3d(from[i])));
        to[i] = sn_vec3((float)v.x, (float)v.y, (float)v.z);
    }
}

static void place_frames(const Placement *p, const SnQuat *from, int count, SnQuat *to) {
    for (int i = 0; i < count; i++) {
        to[i] = quatf(mulqd(p->rotation, quatd(from[i])));
    }
}

// Room for one rod's shape after placement.
typedef struct Scratch {
    SnVec3 *positions, *start_positions;
    SnQuat *frames, *start_frames;
} Scratch;

static bool scratch_create(const SnScene *scene, Scratch *scratch) {
    size_t most = 1;
    for (int i = 0; i < scene->rod_entry_count; i++) {
        size_t count = (size_t)scene->rods[i].vertex_count;
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

static SnResult create_rod(SnScene *scene, SnWorld *world, const SnSceneRod *rod, int copy,
                           Scratch *scratch) {
    Placement p = place_copy(rod, copy);
    SnRodDef def = sn_default_rod_def();
    def.name = scene->rod_names[rod->first_rod + copy];
    def.vertex_count = rod->vertex_count;
    def.closed = rod->closed;
    def.classic = rod->classic;
    place_positions(&p, rod->positions, rod->vertex_count, scratch->positions);
    def.positions = scratch->positions;
    if (rod->frames) {
        place_frames(&p, rod->frames, rod->segment_count, scratch->frames);
        def.frames = scratch->frames;
    }
    if (rod->start_positions) {
        place_positions(&p, rod->start_positions, rod->vertex_count, scratch->start_positions);
        def.start_positions = scratch->start_positions;
    }
    if (rod->start_frames) {
        place_frames(&p, rod->start_frames, rod->segment_count, scratch->start_frames);
        def.start_frames = scratch->start_frames;
    }
    def.start_scales = rod->start_scales;
    def.radii = rod->radii;
    def.material = scene->materials[rod->material].values;
    def.velocity = rod->velocity;
    def.angular_velocity = rod->angular_velocity;
    def.gravity_scale = rod->gravity_scale;
    for (int c = 0; c < 3; c++) {
        def.origin[c] = rod->origin[c] + p.offset[c];
    }
    return sn_rod_create(world, &def, &scene->rod_ids[rod->first_rod + copy]);
}

static SnResult create_attachments(SnScene *scene, SnWorld *world, SnSceneRod *rod, int copy) {
    for (int i = 0; i < rod->attachment_count; i++) {
        const SnSceneAttachment *from = &rod->attachments[i];
        SnAttachmentDef def = sn_default_attachment_def();
        def.kind = from->kind;
        def.rod = scene->rod_ids[rod->first_rod + copy];
        def.index = from->index;
        if (from->frame >= 0) {
            def.frame = scene->frames[from->frame].id;
        }
        if (from->given) {
            def.keep_current = false;
            def.position = from->position;
            def.rotation = from->rotation;
            def.scale = from->value;
        }
        SnAttachmentId *id = &rod->attachment_ids[(size_t)copy * (size_t)rod->attachment_count + i];
        SnResult result = sn_attachment_create(world, &def, id);
        if (result.code != SN_OK) {
            return result;
        }
    }
    return sn__ok();
}

static SnResult create_copy(SnScene *scene, SnWorld *world, SnSceneRod *rod, int copy,
                            Scratch *scratch) {
    SnResult result = create_rod(scene, world, rod, copy, scratch);
    if (result.code == SN_OK) {
        result = create_attachments(scene, world, rod, copy);
    }
    for (int i = 0; i < rod->activation_count && result.code == SN_OK; i++) {
        const SnSceneActivation *a = &rod->activations[i];
        if (a->length_scale != 1.0f) {
            result = sn_rod_set_length_scale(world, scene->rod_ids[rod->first_rod + copy], a->first,
                                             a->count, a->length_scale);
        }
    }
    return result;
}

// Says which entry of the file could not be made.
static SnResult at_entry(const SnScene *scene, const char *list, int entry, SnResult result) {
    if (result.code == SN_OK) {
        return result;
    }
    return sn__error(result.code, "%s: /%s/%d: %s", scene->file, list, entry, result.message);
}

static SnResult create_rods(SnScene *scene, SnWorld *world) {
    Scratch scratch = {0};
    SnResult result = sn__ok();
    if (!scratch_create(scene, &scratch)) {
        result = sn__error(SN_ERROR_MEMORY, "%s: no memory to build it", scene->file);
    }
    for (int e = 0; e < scene->rod_entry_count && result.code == SN_OK; e++) {
        SnSceneRod *rod = &scene->rods[e];
        for (int copy = 0; copy < rod->copy_count && result.code == SN_OK; copy++) {
            result = at_entry(scene, "rods", e, create_copy(scene, world, rod, copy, &scratch));
        }
    }
    scratch_destroy(&scratch);
    return result;
}

static SnResult fill_world(SnScene *scene, SnWorld *world) {
    SnResult result = sn__ok();
    for (int i = 0; i < scene->frame_count && result.code == SN_OK; i++) {
        SnSceneFrame *frame = &scene->frames[i];
        result = sn_frame_create(world, sn__scene_frame_pose(frame), &frame->id);
        result = at_entry(scene, "frames", i, result);
    }
    for (int i = 0; i < scene->field_count && result.code == SN_OK; i++) {
        SnSceneField *field = &scene->fields[i];
        result = at_entry(scene, "fields", i, sn_field_create(world, &field->def, &field->id));
    }
    for (int i = 0; i < scene->material_count; i++) {
        scene->materials[i].applied = scene->materials[i].values;
    }
    return result.code == SN_OK ? create_rods(scene, world) : result;
}

SnResult sn_scene_build(SnScene *scene, const SnWorldDef *def, SnWorld **out_world) {
    *out_world = NULL;
    sn__scene_evaluate(scene, 0);
    SnWorldDef own = *def;
    own.gravity = scene->world.gravity;
    SnWorld *world;
    SnResult result = sn_world_create(&own, &world);
    if (result.code != SN_OK) {
        return result;
    }
    result = fill_world(scene, world);
    if (result.code != SN_OK) {
        sn_world_destroy(world);
        return result;
    }
    *out_world = world;
    return result;
}
