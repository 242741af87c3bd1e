// Before each step: animated values and forces, from the scene to the world.
#include "base/null.h"
#include "io/rotation.h"
#include "io/scene_data.h"

#include <string.h>

SnPose sn__scene_frame_pose(const SceneFrame *frame) {
    SnPose pose = {frame->position, frame->rotation};
    if (frame->turns)
        pose.rotation =
            quatf(sn__rotation_about(vec3d(frame->turn.axis), (double)frame->turn.angle));
    return pose;
}

// A material is handed over only when it changed, because bodies derive much from it.
static SnResult set_material(SnScene *scene, SnWorld *world, int number) {
    SceneMaterial *material = &scene->materials[number];
    if (memcmp(&material->values, &material->applied, sizeof material->values) == 0)
        return sn_ok();
    material->applied = material->values;
    SnResult result = sn_ok();
    for (int e = 0; e < scene->body_entry_count; ++e) {
        const SceneBody *body = scene->bodies[e];
        bool follows = body->material == number && !body->kind->keeps_material;
        int count = follows ? body->copy_count : 0;
        for (int copy = 0; copy < count && result.code == SN_OK; ++copy)
            result =
                sn_rod_set_material(world, scene->body_ids[body->first + copy], &material->values);
    }
    return result;
}

static SnResult set_attachment(SnWorld *world, const SceneBody *body, int part) {
    const SceneAttachment *a = &body->attachments[part];
    SnResult result = sn_ok();
    for (int copy = 0; copy < body->copy_count && result.code == SN_OK; ++copy) {
        SnAttachmentId id =
            body->attachment_ids[(size_t)copy * (size_t)body->attachment_count + part];
        if (id.index != 0) // not released
            result = sn_attachment_set_target(world, id, a->position, a->rotation, a->value);
    }
    return result;
}

static SnResult set_activation(const SnScene *scene, SnWorld *world, const SceneBody *body,
                               int part) {
    const SceneActivation *a = &body->activations[part];
    SnResult result = sn_ok();
    for (int copy = 0; copy < body->copy_count && result.code == SN_OK; ++copy)
        result = sn_rod_set_length_scale(world, scene->body_ids[body->first + copy], a->first,
                                         a->count, a->length_scale);
    return result;
}

static SnResult set_body_values(const SnScene *scene, SnWorld *world, const SceneBody *body) {
    SnResult result = sn_ok();
    for (int copy = 0; copy < body->copy_count && result.code == SN_OK; ++copy)
        result = sn_body_set_gravity_scale(world, scene->body_ids[body->first + copy],
                                           body->gravity_scale);
    for (int copy = 0; copy < body->copy_count && result.code == SN_OK; ++copy)
        if (body->kind->animate)
            result = body->kind->animate(world, body, scene->body_ids[body->first + copy]);
    return result;
}

static SnResult at_body(const SnScene *scene, const SceneBody *body, SnResult result) {
    return sn__scene_at(scene, body->list, body->entry, result);
}

// Attachments whose time has come before this step.
static SnResult release_attachments(SnWorld *world, SceneBody *body, double begin) {
    SnResult result = sn_ok();
    for (int copy = 0; copy < body->copy_count; ++copy)
        for (int i = 0; i < body->attachment_count && result.code == SN_OK; ++i) {
            SnAttachmentId *id =
                &body->attachment_ids[(size_t)copy * (size_t)body->attachment_count + i];
            if (id->index != 0 && body->attachments[i].release <= begin + 1e-9) {
                result = sn_attachment_destroy(world, *id);
                *id = (SnAttachmentId){0, 0};
            }
        }
    return result;
}

static SnResult release_links(SnWorld *world, SceneLink *link, double begin) {
    SnResult result = sn_ok();
    for (int i = 0; i < link->copy_count && result.code == SN_OK; ++i)
        if (link->ids[i].index != 0 && link->release <= begin + 1e-9) {
            result = sn_link_destroy(world, link->ids[i]);
            link->ids[i] = (SnLinkId){0, 0};
        }
    return result;
}

static SnResult set_link(const SnScene *scene, SnWorld *world, int number) {
    const SceneLink *link = &scene->links[number];
    SnResult result = sn_ok();
    for (int i = 0; i < link->copy_count && result.code == SN_OK; ++i)
        if (link->ids[i].index != 0) // not released
            result = sn_link_set_length(world, link->ids[i], link->length);
    return sn__scene_at(scene, "links", number, result);
}

static SnResult set_on_body(const SnScene *scene, SnWorld *world, AnimationTarget target) {
    const SceneBody *body = scene->bodies[target.index];
    SnResult result = target.kind == TARGET_BODY ? set_body_values(scene, world, body)
                      : target.kind == TARGET_ATTACHMENT
                          ? set_attachment(world, body, target.part)
                          : set_activation(scene, world, body, target.part);
    return at_body(scene, body, result);
}

static SnResult set_target(SnScene *scene, SnWorld *world, AnimationTarget target) {
    switch (target.kind) {
    case TARGET_WORLD:
        return sn_world_set_gravity(world, scene->world.gravity);
    case TARGET_FRAME: {
        const SceneFrame *frame = &scene->frames[target.index];
        SnResult result = sn_frame_set_target(world, frame->id, sn__scene_frame_pose(frame));
        return sn__scene_at(scene, "frames", target.index, result);
    }
    case TARGET_FIELD: {
        const SceneField *field = &scene->fields[target.index];
        return sn__scene_at(scene, "fields", target.index,
                            sn_field_set(world, field->id, &field->def));
    }
    case TARGET_MATERIAL:
        return set_material(scene, world, target.index);
    case TARGET_HINGE: {
        const SceneHinge *hinge = &scene->hinges[target.index];
        SnResult result = sn_ok();
        for (int i = 0; i < hinge->copy_count && result.code == SN_OK; ++i)
            result = sn_hinge_set_motor(world, hinge->ids[i], hinge->speed, hinge->max_torque);
        return sn__scene_at(scene, "hinges", target.index, result);
    }
    case TARGET_LINK:
        return set_link(scene, world, target.index);
    case TARGET_BODY:
    case TARGET_ATTACHMENT:
    case TARGET_ACTIVATION:
        return set_on_body(scene, world, target);
    case TARGET_FORCE:
    case TARGET_CAMERA:
        break; // forces are added anew in each step, and the camera is not the world's
    }
    return sn_ok();
}

static SnResult add_load(SnWorld *world, SnBodyId body, const SceneForce *force, float part) {
    const SnVec3 f = force->force, t = force->torque;
    switch (force->kind) {
    case LOAD_FORCE:
        return sn_body_add_force(world, body, force->index,
                                 sn_vec3(f.x * part, f.y * part, f.z * part));
    case LOAD_TORQUE:
        return sn_body_add_torque(world, body, force->index,
                                  sn_vec3(t.x * part, t.y * part, t.z * part));
    case LOAD_RADIAL:
        return sn_rod_add_radial_force(world, body, force->index, force->radial * part);
    }
    return sn_ok();
}

// A force that begins or ends within the step acts with the part of the step it covers, so that its
// impulse does not depend on the size of the steps.
static SnResult add_forces(const SnScene *scene, SnWorld *world, const SceneBody *body,
                           double begin, double end) {
    SnResult result = sn_ok();
    for (int i = 0; i < body->force_count; ++i) {
        const SceneForce *force = &body->forces[i];
        double from = force->from > begin ? force->from : begin;
        double to = force->to < end ? force->to : end;
        float part = to > from ? (float)((to - from) / (end - begin)) : 0;
        for (int copy = 0; copy < body->copy_count && part > 0 && result.code == SN_OK; ++copy)
            result = add_load(world, scene->body_ids[body->first + copy], force, part);
    }
    return result;
}

SnResult sn_scene_animate(SnScene *scene, SnWorld *world, double time, double step) {
    if (scene == NULL)
        return sn__null("scene");
    if (world == NULL)
        return sn__null("scene: world");
    if (!(step > 0) || !(time > -1e300 && time < 1e300))
        return sn_error(SN_ERROR_INVALID, "scene: time %g or step %g is not valid", time, step);
    sn__scene_evaluate(scene, time);
    SnResult result = sn_ok();
    for (int i = 0; i < scene->body_entry_count && result.code == SN_OK; ++i)
        result = release_attachments(world, scene->bodies[i], time - step);
    for (int i = 0; i < scene->link_count && result.code == SN_OK; ++i)
        result = release_links(world, &scene->links[i], time - step);
    if (result.code == SN_OK)
        result = sn__scene_move_rigs(scene, world, time, step);
    for (int i = 0; i < scene->target_count && result.code == SN_OK; ++i)
        result = set_target(scene, world, scene->targets[i]);
    for (int i = 0; i < scene->body_entry_count && result.code == SN_OK; ++i)
        result = at_body(scene, scene->bodies[i],
                         add_forces(scene, world, scene->bodies[i], time - step, time));
    return result.code == SN_OK ? sn__scene_damp_flesh(scene, world, step) : result;
}
