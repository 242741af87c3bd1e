#include "app/seen.h"

#include "view/box.h"
#include "view/vec.h"

#define MOST_VERTICES 20000 // that are looked at, of all skins together
#define NEAR_PART 1.0f      // colliders count as far as so many radii of the motion around it
#define DEEPEST 3.0f        // the ground counts down to so many sizes of the motion
#define RIM 12              // points that stand for the rim of a peg
#define LEVEL 0.9999f       // upward part of the normal of a plane that is ground

void seen_add_bodies(const SnScene *scene, const SnPoses *poses, ViewBounds *bounds) {
    view_bounds_add(bounds, poses->positions, poses->radii, poses->point_count);
    for (int i = 0; i < poses->body_count; ++i) {
        const float *section = sn_scene_body(scene, i).section;
        float wide = fmaxf(section[0], section[1]);
        for (int k = poses->point_begin[i]; k < poses->point_begin[i + 1] && wide > 1.0f; ++k) {
            float radius = wide * poses->radii[k];
            view_bounds_add(bounds, poses->positions + 3 * (size_t)k, &radius, 1);
        }
    }
}

// Of a cylinder points around both ends, of a ball all of it.
void seen_add_pegs(const ViewPeg *pegs, int count, ViewBounds *bounds) {
    for (int i = 0; i < count; ++i) {
        const ViewPeg *peg = &pegs[i];
        SnVec3 along = sn_vec3_normalise(sn_vec3_sub(peg->b, peg->a), sn_vec3(0.0f, 0.0f, 0.0f));
        SnVec3 across = view_across(along), third = sn_vec3_cross(along, across);
        if (sn_vec3_length(along) == 0.0f)
            view_bounds_add(bounds, &peg->a.x, &peg->radius, 1);
        for (int k = 0; k < RIM && sn_vec3_length(along) > 0.0f; ++k) {
            float angle = 6.2831853f * (float)k / RIM;
            SnVec3 out = sn_vec3_add_scaled(sn_vec3_scale(across, peg->radius * cosf(angle)), third,
                                            peg->radius * sinf(angle));
            const SnVec3 rim[2] = {sn_vec3_add(peg->a, out), sn_vec3_add(peg->b, out)};
            view_bounds_add(bounds, &rim[0].x, NULL, 2);
        }
    }
}

void seen_add_surface(const float *positions, int count, ViewBounds *bounds) {
    int stride = 1 + count / MOST_VERTICES;
    for (int i = 0; i < count; i += stride)
        view_bounds_add(bounds, positions + 3 * (size_t)i, NULL, 1);
}

SnResult seen_add_skins(SnWorld *world, ViewBounds *bounds) {
    SnSkinPoses skins;
    SnResult result = sn_world_skins(world, &skins);
    if (result.code == SN_OK)
        seen_add_surface(skins.positions, skins.vertex_count, bounds);
    return result;
}

static SnVec3 placed(SnPose pose, SnVec3 x) {
    return sn_vec3_add(pose.position, sn_quat_rotate(pose.rotation, x));
}

// The box around a collider in the world; empty for planes, which have no end.
static ViewBox collider_box(const SnColliderDef *def, SnPose pose) {
    ViewBox box = view_box_empty();
    SnVec3 h = def->half_size;
    switch (def->kind) {
    case SN_COLLIDER_PLANE:
        break;
    case SN_COLLIDER_SPHERE:
        view_box_add(&box, pose.position, def->radius_a);
        break;
    case SN_COLLIDER_PILL:
        view_box_add(&box, placed(pose, def->a), def->radius_a);
        view_box_add(&box, placed(pose, def->b), def->radius_b);
        break;
    case SN_COLLIDER_BOX:
        for (int i = 0; i < 8; ++i)
            view_box_add(
                &box,
                placed(pose, sn_vec3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z)),
                0.0f);
        break;
    case SN_COLLIDER_MESH:
        for (int i = 0; i < def->vertex_count; ++i)
            view_box_add(&box, placed(pose, def->vertices[i]), 0.0f);
        break;
    }
    return box;
}

// What of a box is near the motion, by its corners.
static void add_near(const ViewBox *motion, ViewBox box, ViewBounds *bounds) {
    float reach = NEAR_PART * view_box_radius(motion);
    SnVec3 around = sn_vec3(reach, reach, reach);
    box.low = view_max(box.low, sn_vec3_sub(motion->low, around));
    box.high = view_min(box.high, sn_vec3_add(motion->high, around));
    if (!(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z))
        return;
    for (int i = 0; i < 8; ++i) {
        SnVec3 corner = view_box_corner(&box, i);
        view_bounds_add(bounds, &corner.x, NULL, 1);
    }
}

static void add_ground(const ViewBox *motion, float height, ViewBounds *bounds) {
    float gap = motion->low.y - height;
    if (!(gap > 0.0f && gap < DEEPEST * 2.0f * view_box_radius(motion)))
        return;
    const float corners[6] = {motion->low.x,  height, motion->low.z,
                              motion->high.x, height, motion->high.z};
    view_bounds_add(bounds, corners, NULL, 2);
}

void seen_add_scenery(const SnScene *scene, const SnWorld *world, ViewBounds *bounds) {
    if (view_bounds_is_empty(bounds))
        return;
    const ViewBox motion = {bounds->low, bounds->high};
    bool grounded = false;
    for (int i = 0; i < sn_scene_collider_count(scene); ++i) {
        SnSceneCollider collider = sn_scene_collider(scene, i);
        SnPose pose;
        if (!collider.visible || sn_collider_pose(world, collider.id, &pose).code != SN_OK)
            continue;
        SnVec3 up = sn_quat_rotate(pose.rotation, sn_vec3(0.0f, 1.0f, 0.0f));
        ViewBox box = collider_box(&collider.def, pose);
        if (!view_box_is_empty(&box)) {
            add_near(&motion, box, bounds);
        } else if (up.y > LEVEL && !grounded) {
            grounded = true; // the first level plane is the ground
            add_ground(&motion, pose.position.y, bounds);
        }
    }
}
