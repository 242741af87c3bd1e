// What comes into a world after its rods: colliders, links, pairs that ignore each other, skins.
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
        result = sn__scene_at(scene, "colliders", number, result);
    }
    return result;
}

// Where a point of a rod is now; a link is made at the start, so it is where the rod starts.
static SnResult read_point(const SnWorld *world, const SceneRod *rod, SnBodyPoint point,
                           Vec3d *out) {
    SnVec3 *positions = malloc((size_t)rod->vertex_count * sizeof *positions);
    if (positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for %d positions", rod->vertex_count);
    SnBodyState state = {.positions = positions};
    SnResult result = sn_body_read(world, point.body, &state);
    if (result.code == SN_OK) {
        int from = point.element, to = (point.element + 1) % rod->vertex_count;
        if (rod->edges) {
            from = rod->edges[2 * point.element];
            to = rod->edges[2 * point.element + 1];
        }
        Vec3d a = vec3d(positions[from]), b = vec3d(positions[to]);
        *out = addd(a, scaled(subd(b, a), (double)point.t));
    }
    free(positions);
    return result;
}

static SnBodyPoint rod_point(const SnScene *scene, const SceneEnd *end, int copy) {
    const SceneRod *rod = &scene->rods[end->rod];
    int number = rod->copy_count > 1 ? copy : 0;
    return (SnBodyPoint){scene->rod_ids[rod->first_rod + number], end->segment, end->t};
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
    def.a = rod_point(scene, &link->a, copy);
    SnResult result = read_point(world, &scene->rods[link->a.rod], def.a, &a);
    if (result.code == SN_OK && link->b.rod >= 0) {
        def.b = rod_point(scene, &link->b, copy);
        result = read_point(world, &scene->rods[link->b.rod], def.b, &b);
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

static SnResult ignore_rods(const SnScene *scene, SnWorld *world, const SceneRod *a,
                            const SceneRod *b) {
    int count = a->copy_count > b->copy_count ? a->copy_count : b->copy_count;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        SnBodyId left = scene->rod_ids[a->first_rod + (a->copy_count > 1 ? i : 0)];
        SnBodyId right = scene->rod_ids[b->first_rod + (b->copy_count > 1 ? i : 0)];
        result = sn_bodies_ignore(world, left, right, true);
    }
    return result;
}

static SnResult ignore_collider(const SnScene *scene, SnWorld *world, const SceneRod *rod,
                                const SceneColliderEntry *collider) {
    int copies = collider->place.copies.count;
    int count = rod->copy_count > copies ? rod->copy_count : copies;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        SnBodyId left = scene->rod_ids[rod->first_rod + (rod->copy_count > 1 ? i : 0)];
        SnColliderId right = scene->collider_ids[collider->first + (copies > 1 ? i : 0)];
        result = sn_body_ignore_collider(world, left, right, true);
    }
    return result;
}

static SnResult ignore_pairs(const SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < scene->ignored_count && result.code == SN_OK; ++i) {
        const SceneIgnored *pair = &scene->ignored[i];
        const SceneRod *a = &scene->rods[pair->a];
        int collider = pair->b - scene->rod_entry_count;
        result = collider < 0 ? ignore_rods(scene, world, a, &scene->rods[pair->b])
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
