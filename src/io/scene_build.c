// From a scene to a world at time 0.
#include "base/null.h"
#include "io/scene_data.h"

#include <stdlib.h>

static bool scratch_create(const SnScene *scene, SceneScratch *scratch) {
    size_t most = 1;
    for (int i = 0; i < scene->body_entry_count; ++i) {
        size_t points = (size_t)scene->bodies[i]->point_count;
        size_t elements = (size_t)scene->bodies[i]->element_count;
        size_t count = elements > points ? elements : points;
        most = count > most ? count : most;
    }
    scratch->positions = malloc(most * sizeof(SnVec3));
    scratch->start_positions = malloc(most * sizeof(SnVec3));
    scratch->frames = malloc(most * sizeof(SnQuat));
    scratch->start_frames = malloc(most * sizeof(SnQuat));
    return scratch->positions && scratch->start_positions && scratch->frames &&
           scratch->start_frames;
}

static void scratch_destroy(SceneScratch *scratch) {
    free(scratch->positions);
    free(scratch->start_positions);
    free(scratch->frames);
    free(scratch->start_frames);
}

static SnResult create_attachments(const SnScene *scene, SnWorld *world, SceneBody *body,
                                   int copy) {
    for (int i = 0; i < body->attachment_count; ++i) {
        const SceneAttachment *from = &body->attachments[i];
        SnAttachmentDef def = sn_default_attachment_def();
        def.kind = from->kind;
        def.body = scene->body_ids[body->first + copy];
        def.index = from->index;
        if (from->frame >= 0)
            def.frame = scene->frames[from->frame].id;
        if (from->given) {
            def.keep_current = false;
            def.position = from->position;
            def.rotation = from->rotation;
            def.scale = from->value;
        }
        SnAttachmentId *id =
            &body->attachment_ids[(size_t)copy * (size_t)body->attachment_count + i];
        SnResult result = sn_attachment_create(world, &def, id);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

static SnResult create_copy(SnScene *scene, SnWorld *world, SceneBody *body, int copy,
                            const SceneScratch *scratch) {
    SnBodyId *id = &scene->body_ids[body->first + copy];
    SnResult result = body->kind->build(scene, world, body, copy, scratch, id);
    if (result.code == SN_OK)
        result = create_attachments(scene, world, body, copy);
    for (int i = 0; i < body->activation_count && result.code == SN_OK; ++i) {
        const SceneActivation *a = &body->activations[i];
        if (a->length_scale != 1.0f)
            result = sn_rod_set_length_scale(world, *id, a->first, a->count, a->length_scale);
    }
    return result;
}

static SnResult create_bodies(SnScene *scene, SnWorld *world) {
    SceneScratch scratch = {0};
    SnResult result = sn_ok();
    if (!scratch_create(scene, &scratch))
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to build it", scene->file);
    for (int e = 0; e < scene->body_entry_count && result.code == SN_OK; ++e) {
        SceneBody *body = scene->bodies[e];
        for (int copy = 0; copy < body->copy_count && result.code == SN_OK; ++copy)
            result = sn__scene_at(scene, body->list, body->entry,
                                  create_copy(scene, world, body, copy, &scratch));
    }
    scratch_destroy(&scratch);
    return result;
}

static SnResult fill_world(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->own_frame_count && result.code == SN_OK; ++i) {
        SceneFrame *frame = &scene->frames[i];
        result = sn_frame_create(world, sn__scene_frame_pose(frame), &frame->id);
        result = sn__scene_at(scene, "frames", i, result);
    }
    if (result.code == SN_OK)
        result = sn__scene_create_rigs(scene, world);
    for (int i = 0; i < scene->field_count && result.code == SN_OK; ++i) {
        SceneField *field = &scene->fields[i];
        result = sn__scene_at(scene, "fields", i, sn_field_create(world, &field->def, &field->id));
    }
    for (int i = 0; i < scene->material_count; ++i)
        scene->materials[i].applied = scene->materials[i].values;
    if (result.code == SN_OK)
        result = create_bodies(scene, world);
    return result.code == SN_OK ? sn__scene_assemble(scene, world) : result;
}

SnResult sn_scene_build(SnScene *scene, const SnWorldDef *def, SnWorld **out_world) {
    if (scene == NULL)
        return sn__null("scene");
    if (def == NULL)
        return sn__null("scene: def");
    if (out_world == NULL)
        return sn__null("scene: out_world");
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
