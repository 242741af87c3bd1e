// Where joints are: maps down the tree, what is rigid in them, and the bones between them.
#include "base/null.h"
#include "skeleton/skeleton.h"

// Newton's iteration for the nearest rotation halves scales that are far from 1, and near it doubles the
// digits that are right: after a change whose square is so small, there is nothing left to change.
#define POLAR_ITERATIONS 64
#define POLAR_DONE 1e-13
// Of a joint from its parent, over the reach of all joints: nearer ones have no bone between them.
#define SHORTEST_BONE 1e-4
#define BONE_RADIUS 0.1      // over its length
#define MOST_BONE_RADIUS 0.2 // over the mean length of all bones

SnResult sn_skeleton_maps(const SnSkeleton *skeleton, const SnTransform *locals, const SnMap *place,
                          SnMap *out_maps) {
    if (skeleton == NULL || locals == NULL || out_maps == NULL)
        return sn__null(skeleton == NULL ? "skeleton"
                        : locals == NULL ? "skeleton: locals"
                                         : "skeleton: out_maps");
    Map root = place ? map_wide(place) : map_identity();
    for (int i = 0; i < skeleton->joint_count; ++i) {
        int parent = skeleton->joints[i].parent;
        Map outer = parent >= 0 ? map_wide(&out_maps[parent]) : root;
        Map own = map_of_transform(&locals[i]), map = map_chain(&outer, &own);
        out_maps[i] = map_narrow(&map);
    }
    return sn_ok();
}

// The quaternion of three axes that are orthonormal and right-handed. The largest of its components
// comes from the diagonal, the others from there.
static Quatd quat_of_axes(const Vec3d c[3]) {
    double w = 1.0 + c[0].x + c[1].y + c[2].z, x = 1.0 + c[0].x - c[1].y - c[2].z;
    double y = 1.0 - c[0].x + c[1].y - c[2].z, z = 1.0 - c[0].x - c[1].y + c[2].z;
    if (w >= x && w >= y && w >= z)
        return normalisedq((Quatd){c[1].z - c[2].y, c[2].x - c[0].z, c[0].y - c[1].x, w});
    if (x >= y && x >= z)
        return normalisedq((Quatd){x, c[0].y + c[1].x, c[2].x + c[0].z, c[1].z - c[2].y});
    if (y >= z)
        return normalisedq((Quatd){c[0].y + c[1].x, y, c[1].z + c[2].y, c[2].x - c[0].z});
    return normalisedq((Quatd){c[2].x + c[0].z, c[1].z + c[2].y, z, c[0].y - c[1].x});
}

// The rotation nearest to the map, its polar factor: X ← (X + X⁻ᵀ) / 2, of which the columns of X⁻ᵀ
// are the cross products of those of X over its volume. False if the map is flat.
static bool nearest_rotation(const Map *map, Quatd *out) {
    Vec3d x[3];
    double size = 0.0;
    for (int c = 0; c < 3; ++c)
        size = fmax(size, lengthd(map->column[c]));
    double sign = map_volume(map) < 0.0 ? -1.0 : 1.0;
    if (!(fabs(map_volume(map)) > 1e-12 * size * size * size))
        return false;
    for (int c = 0; c < 3; ++c)
        x[c] = scaled(map->column[c], sign / size);
    double change = 1.0;
    for (int k = 0; k < POLAR_ITERATIONS && change > POLAR_DONE; ++k) {
        Vec3d across[3] = {crossd(x[1], x[2]), crossd(x[2], x[0]), crossd(x[0], x[1])};
        double over = 1.0 / dotd(x[0], across[0]);
        change = 0.0;
        for (int c = 0; c < 3; ++c) {
            Vec3d next = scaled(addd(x[c], scaled(across[c], over)), 0.5);
            change = fmax(change, dotd(subd(next, x[c]), subd(next, x[c])));
            x[c] = next;
        }
    }
    *out = quat_of_axes(x);
    return true;
}

SnPose sn_map_pose(const SnMap *map) {
    if (!GIVEN(map))
        return sn_pose_identity();
    Map wide = map_wide(map);
    SnPose pose = {map->origin, sn_quat_identity()};
    Quatd turn;
    if (nearest_rotation(&wide, &turn))
        pose.rotation = quatf(turn);
    return pose;
}

SnResult sn_skeleton_deform(const SnSkeleton *skeleton, int mesh, const SnMap *maps,
                            SnVec3 *out_positions, SnVec3 *out_normals) {
    if (skeleton == NULL || maps == NULL || out_positions == NULL)
        return sn__null(skeleton == NULL ? "skeleton"
                        : maps == NULL   ? "skeleton: maps"
                                         : "skeleton: out_positions");
    if (mesh < 0 || mesh >= skeleton->mesh_count)
        return sn_error(SN_ERROR_INVALID, "skeleton: mesh: there is no mesh %d, it has %d", mesh,
                        skeleton->mesh_count);
    const SnSkeletonMesh *m = &skeleton->meshes[mesh];
    for (int v = 0; v < m->vertex_count; ++v) {
        Map sum = {{{0.0, 0.0, 0.0}}};
        for (int k = SN_MESH_JOINTS * v; k < SN_MESH_JOINTS * (v + 1); ++k) {
            if (!(m->vertex_weights[k] > 0.0f))
                continue;
            int joint = m->vertex_joints[k];
            Map outer = map_wide(&maps[m->joints[joint]]), bind = map_wide(&m->binds[joint]);
            Map map = map_chain(&outer, &bind);
            for (int c = 0; c < 4; ++c)
                sum.column[c] =
                    addd(sum.column[c], scaled(map.column[c], (double)m->vertex_weights[k]));
        }
        out_positions[v] = vec3f(map_point(&sum, vec3d(m->positions[v])));
        // Normals go by the inverse transposed: with cross products of the columns, and the sign of
        // the volume, which mirrored meshes need.
        Vec3d across[3] = {crossd(sum.column[1], sum.column[2]),
                           crossd(sum.column[2], sum.column[0]),
                           crossd(sum.column[0], sum.column[1])};
        Map turned = {{across[0], across[1], across[2], {0.0, 0.0, 0.0}}};
        Vec3d n = map_direction(&turned, vec3d(m->normals[v]));
        double length = lengthd(n) * (map_volume(&sum) < 0.0 ? -1.0 : 1.0);
        if (out_normals)
            out_normals[v] = length != 0.0 ? vec3f(scaled(n, 1.0 / length)) : m->normals[v];
    }
    return sn_ok();
}

static double distance(const SnMap *a, const SnMap *b) {
    return lengthd(subd(vec3d(a->origin), vec3d(b->origin)));
}

// A root that no part of a mesh follows stands for the whole character, mostly on the ground below it.
static bool only_steers(const SnSkeleton *skeleton, int joint) {
    int parent = skeleton->joints[joint].parent;
    bool root = parent < 0 || !skeleton->joints[parent].bone;
    return root && skeleton->mesh_count > 0 && !skeleton->carries[joint];
}

static bool is_bone(const SnSkeleton *skeleton, const SnMap *maps, int joint, double least) {
    int parent = skeleton->joints[joint].parent;
    return parent >= 0 && skeleton->joints[joint].bone && skeleton->joints[parent].bone &&
           !only_steers(skeleton, parent) && distance(&maps[joint], &maps[parent]) > least;
}

int sn_skeleton_bones(const SnSkeleton *skeleton, const SnMap *maps, SnBone *out_bones) {
    if (!GIVEN(skeleton) || !GIVEN(maps))
        return 0;
    double reach = 0.0, sum = 0.0;
    int count = 0;
    for (int i = 1; i < skeleton->joint_count; ++i)
        reach = fmax(reach, distance(&maps[i], &maps[0]));
    double least = SHORTEST_BONE * reach;
    for (int i = 0; i < skeleton->joint_count; ++i)
        if (is_bone(skeleton, maps, i, least)) {
            sum += distance(&maps[i], &maps[skeleton->joints[i].parent]);
            ++count;
        }
    int made = 0;
    for (int i = 0; i < skeleton->joint_count && out_bones; ++i) {
        if (!is_bone(skeleton, maps, i, least))
            continue;
        int parent = skeleton->joints[i].parent;
        SnPose pose = sn_map_pose(&maps[parent]);
        Vec3d way = subd(vec3d(maps[i].origin), vec3d(maps[parent].origin));
        double radius = fmin(BONE_RADIUS * lengthd(way), MOST_BONE_RADIUS * sum / (double)count);
        out_bones[made++] = (SnBone){.joint = i,
                                     .parent = parent,
                                     .to = vec3f(rotated(conjugated(quatd(pose.rotation)), way)),
                                     .radius = (float)radius};
    }
    return count;
}
