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

// The target in its frame, and where that is in the world.
static Vec3d place_target(const SnScene *scene, const SceneEnd *end, Vec3d other, SnLinkDef *def) {
    SnPose pose = frame_pose(scene, end->frame);
    Quatd rotation = quatd(pose.rotation);
    if (end->frame >= 0)
        def->frame = scene->frames[end->frame].id;
    if (!end->given) {
        Vec3d local = rotated(conjugated(rotation), subd(other, vec3d(pose.position)));
        def->target = sn_vec3((float)local.x, (float)local.y, (float)local.z);
        return other;
    }
    def->target = end->position;
    return addd(vec3d(pose.position), rotated(rotation, vec3d(end->position)));
}

static SnResult create_link(const SnScene *scene, SnWorld *world, const SceneLink *link, int copy,
                            SnLinkId *out_id) {
    SnLinkDef def = sn_default_link_def();
    Vec3d a, b;
    def.a = body_point(scene, &link->a, copy);
    SnResult result = read_point(world, scene->bodies[link->a.body], def.a, &a);
    if (result.code == SN_OK && link->b.body >= 0) {
        def.b = body_point(scene, &link->b, copy);
        result = read_point(world, scene->bodies[link->b.body], def.b, &b);
    } else {
        b = place_target(scene, &link->b, a, &def);
    }
    if (result.code != SN_OK)
        return result;
    double distance = lengthd(subd(b, a));
    // Points that touch up to rounding are one.
    def.length = link->length >= 0 ? link->length : distance > 1e-5 ? (float)distance : 0;
    def.rope = link->rope;
    def.compliance = link->compliance;
    def.max_force = link->max_force;
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
        result = ignore_pairs(scene, world);
    return result.code == SN_OK ? sn__scene_create_skins(scene, world) : result;
}
