// What comes into a world after its bodies: colliders, links, pairs that ignore each other, skins.
#include "io/scene_data.h"

#include <stdlib.h>

static SnResult create_colliders(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->collider_count && result.code == SN_OK; ++i) {
        int number = scene->collider_entries[i];
        SceneColliderEntry *entry = &scene->colliders[number];
        if (entry->mesh.mesh >= 0)
            result = sn__scene_use_mesh(scene, &entry->mesh);
        if (result.code == SN_OK) {
            SnColliderDef def = sn__collider_def(scene, i);
            result = sn_collider_create(world, &def, &scene->collider_ids[i]);
        }
        bool bone = number >= scene->own_collider_count;
        result = sn__scene_at(scene, bone ? "skeleton/bones" : "colliders",
                              bone ? number - scene->own_collider_count : number, result);
    }
    return result;
}

// Where a point of a body is now; a link is made at the start, so it is where the body starts.
static SnResult read_point(const SnWorld *world, const SceneBody *body, SnBodyPoint point,
                           Vec3d *out) {
    SnVec3 *positions = malloc((size_t)body->point_count * sizeof *positions);
    if (positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for %d positions", body->point_count);
    SnBodyState state = {.positions = positions};
    SnResult result = sn_body_read(world, point.body, &state);
    if (result.code == SN_OK) {
        int ends[2];
        sn__body_element(body, point.element, ends);
        Vec3d a = vec3d(positions[ends[0]]), b = vec3d(positions[ends[1]]);
        *out = addd(a, scaled(subd(b, a), (double)point.t));
    }
    free(positions);
    return result;
}

static SnBodyPoint body_point(const SnScene *scene, const SceneEnd *end, int copy) {
    const SceneBody *body = scene->bodies[end->body];
    int number = body->copy_count > 1 ? copy : 0;
    return (SnBodyPoint){scene->body_ids[body->first + number], end->element, end->t};
}

static SnPose frame_pose(const SnScene *scene, int frame) {
    return frame >= 0 ? sn__scene_frame_pose(&scene->frames[frame]) : sn_pose_identity();
}

// The target in its frame: where the scene has it, or where the other end is.
static void place_target(const SnScene *scene, const SceneEnd *end, Vec3d other, SnLinkDef *def) {
    SnPose pose = frame_pose(scene, end->frame);
    if (end->frame >= 0)
        def->frame = scene->frames[end->frame].id;
    Vec3d local = rotated(conjugated(quatd(pose.rotation)), subd(other, vec3d(pose.position)));
    def->target =
        end->given ? end->position : sn_vec3((float)local.x, (float)local.y, (float)local.z);
}

static SnResult create_link(const SnScene *scene, SnWorld *world, const SceneLink *link, int copy,
                            SnLinkId *out_id) {
    SnLinkDef def = sn_default_link_def();
    def.a = body_point(scene, &link->a, copy);
    if (link->b.body >= 0) {
        def.b = body_point(scene, &link->b, copy);
    } else {
        Vec3d a = {0, 0, 0};
        SnResult result = read_point(world, scene->bodies[link->a.body], def.a, &a);
        if (result.code != SN_OK)
            return result;
        place_target(scene, &link->b, a, &def);
    }
    def.length = link->length;
    def.rope = link->rope;
    def.compliance = link->compliance;
    def.max_force = link->max_force;
    def.ignore = link->ignore;
    return sn_link_create(world, &def, out_id);
}

static SnResult create_links(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->link_count; ++i) {
        SceneLink *link = &scene->links[i];
        for (int copy = 0; copy < link->copy_count && result.code == SN_OK; ++copy) {
            result = create_link(scene, world, link, copy, &link->ids[copy]);
            result = sn__scene_at(scene, "links", i, result);
        }
    }
    return result;
}

static SnBodyId copy_of(const SnScene *scene, int entry, int copy) {
    const SceneBody *body = scene->bodies[entry];
    return scene->body_ids[body->first + (body->copy_count > 1 ? copy : 0)];
}

static SnResult create_hinge(const SnScene *scene, SnWorld *world, const SceneHinge *hinge,
                             int copy, SnHingeId *out_id) {
    const float radian = 3.14159265f / 180.0f;
    SnHingeDef def = sn_default_hinge_def();
    def.a = copy_of(scene, hinge->a, copy);
    if (hinge->b >= 0)
        def.b = copy_of(scene, hinge->b, copy);
    def.element_a = hinge->element_a;
    def.element_b = hinge->element_b;
    if (hinge->frame >= 0)
        def.frame = scene->frames[hinge->frame].id;
    def.axis = hinge->axis;
    def.limited = hinge->limited;
    def.low = hinge->low * radian;
    def.high = hinge->high * radian;
    def.speed = hinge->speed;
    def.max_torque = hinge->max_torque;
    return sn_hinge_create(world, &def, out_id);
}

static SnResult create_hinges(SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->hinge_count; ++i) {
        SceneHinge *hinge = &scene->hinges[i];
        for (int copy = 0; copy < hinge->copy_count && result.code == SN_OK; ++copy) {
            result = create_hinge(scene, world, hinge, copy, &hinge->ids[copy]);
            result = sn__scene_at(scene, "hinges", i, result);
        }
    }
    return result;
}

static SnResult ignore_bodies(const SnScene *scene, SnWorld *world, const SceneBody *a,
                              const SceneBody *b) {
    int count = a->copy_count > b->copy_count ? a->copy_count : b->copy_count;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        SnBodyId left = scene->body_ids[a->first + (a->copy_count > 1 ? i : 0)];
        SnBodyId right = scene->body_ids[b->first + (b->copy_count > 1 ? i : 0)];
        result = sn_bodies_ignore(world, left, right, true);
    }
    return result;
}

static SnResult ignore_collider(const SnScene *scene, SnWorld *world, const SceneBody *body,
                                const SceneColliderEntry *collider) {
    int copies = collider->place.copies.count;
    int count = body->copy_count > copies ? body->copy_count : copies;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        SnBodyId left = scene->body_ids[body->first + (body->copy_count > 1 ? i : 0)];
        SnColliderId right = scene->collider_ids[collider->first + (copies > 1 ? i : 0)];
        result = sn_body_ignore_collider(world, left, right, true);
    }
    return result;
}

static SnResult ignore_pairs(const SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->ignored_count && result.code == SN_OK; ++i) {
        const SceneIgnored *pair = &scene->ignored[i];
        const SceneBody *a = scene->bodies[pair->a];
        int collider = pair->b - scene->body_entry_count;
        result = collider < 0 ? ignore_bodies(scene, world, a, scene->bodies[pair->b])
                              : ignore_collider(scene, world, a, &scene->colliders[collider]);
        result = sn__scene_at(scene, "ignore", i, result);
    }
    return result;
}

SnResult sn__scene_assemble(SnScene *scene, SnWorld *world) {
    SnResult result = create_colliders(scene, world);
    if (result.code == SN_OK)
        result = create_links(scene, world);
    if (result.code == SN_OK)
        result = create_hinges(scene, world);
    if (result.code == SN_OK)
        result = ignore_pairs(scene, world);
    if (result.code == SN_OK)
        result = sn__scene_clear_flesh(scene, world);
    return result.code == SN_OK ? sn__scene_create_skins(scene, world) : result;
}
