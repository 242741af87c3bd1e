// Meshes of a skeleton in one space, so that their fields can meet, and the joints they follow.
#include "implicit/implicit.h"

#include <string.h>

// Binds of two meshes that lead as near to each other, over the size of the character, are the same.
#define SAME_BIND 1e-3
#define FLAT 1e-12 // of a map's volume, over its sizes cubed

static bool is_flat(const Map *m) {
    double size = 0.0;
    for (int c = 0; c < 3; ++c)
        size = fmax(size, lengthd(m->column[c]));
    return !(fabs(map_volume(m)) > FLAT * size * size * size) || !(size > 0.0);
}

// Whether any vertex of the mesh follows each of its joints; returns how many are followed.
static int find_followed(const SnSkeletonMesh *mesh, bool *followed) {
    int count = 0;
    memset(followed, 0, (size_t)mesh->joint_count * sizeof *followed);
    for (int k = 0; k < SN_MESH_JOINTS * mesh->vertex_count; ++k) {
        bool *joint = &followed[mesh->vertex_joints[k]];
        count += mesh->vertex_weights[k] > 0.0f && !*joint;
        *joint |= mesh->vertex_weights[k] > 0.0f;
    }
    return count;
}

static int find_joint(const SnImplicit *skin, int joint, const Map *bind) {
    for (int i = 0; i < skin->joint_count; ++i) {
        if (skin->joints[i].joint != joint)
            continue;
        double apart = 0.0, size = 0.0;
        for (int c = 0; c < 4 && bind; ++c) {
            apart = fmax(apart, lengthd(subd(bind->column[c], skin->joints[i].bind.column[c])));
            size = fmax(size, lengthd(bind->column[c]));
        }
        if (apart <= SAME_BIND * size)
            return i;
    }
    return -1;
}

// From the mesh to the common space: as a joint says that another mesh has bound already, or else as the
// mesh is shown in the rest pose of the skeleton.
static bool find_space(const SnImplicit *skin, const SnSkeletonMesh *mesh, const bool *followed,
                       const SnMap *rest, Map *out) {
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < mesh->joint_count; ++k) {
            int known = find_joint(skin, mesh->joints[k], NULL);
            if (!followed[k] || (pass == 0 && known < 0))
                continue;
            Map to = pass == 0 ? map_inverse(&skin->joints[known].bind)
                               : map_wide(&rest[mesh->joints[k]]);
            Map bind = map_wide(&mesh->binds[k]);
            *out = map_chain(&to, &bind);
            if (!is_flat(out) && !is_flat(&bind))
                return true;
        }
    return false;
}

// Those of a mesh, and how they are numbered among all.
static void add_joints(SnImplicit *skin, const SnSkeletonMesh *mesh, const bool *followed,
                       const Map *space, int *numbers) {
    Map back = map_inverse(space);
    for (int k = 0; k < mesh->joint_count; ++k) {
        if (!followed[k])
            continue;
        Map bind = map_wide(&mesh->binds[k]);
        bind = map_chain(&bind, &back);
        numbers[k] = find_joint(skin, mesh->joints[k], &bind);
        if (numbers[k] < 0) {
            numbers[k] = skin->joint_count++;
            skin->joints[numbers[k]] = (BoundJoint){.joint = mesh->joints[k], .bind = bind};
        }
    }
}

static void add_mesh(SnImplicit *skin, const SnSkeletonMesh *mesh, const Map *space, int number) {
    BoundMesh *bound = &skin->meshes[number];
    bound->first = skin->vertex_count;
    // Normals go by the inverse transposed, whose columns are these over the volume.
    const Vec3d *c = space->column;
    double sign = map_volume(space) < 0.0 ? -1.0 : 1.0;
    Map turn = {{crossd(c[1], c[2]), crossd(c[2], c[0]), crossd(c[0], c[1])}};
    for (int v = 0; v < mesh->vertex_count; ++v, ++skin->vertex_count) {
        Vec3d normal = scaled(map_direction(&turn, vec3d(mesh->normals[v])), sign);
        double length = lengthd(normal);
        skin->rest[skin->vertex_count] = vec3f(map_point(space, vec3d(mesh->positions[v])));
        skin->rest_normals[skin->vertex_count] =
            length > 0.0 ? vec3f(scaled(normal, 1.0 / length)) : sn_vec3(0.0f, 1.0f, 0.0f);
    }
    for (int k = 0; k < 3 * mesh->triangle_count; ++k)
        skin->triangles[3 * skin->triangle_count + k] = mesh->triangles[k] + (uint32_t)bound->first;
    skin->triangle_count += mesh->triangle_count;
}

// A flat bind, of a joint that was scaled to nothing when the mesh was bound, cannot be undone.
static bool has_flat_bind(const SnSkeletonMesh *mesh, const bool *followed) {
    for (int k = 0; k < mesh->joint_count; ++k) {
        Map bind = map_wide(&mesh->binds[k]);
        if (followed[k] && is_flat(&bind))
            return true;
    }
    return false;
}

static void bind_meshes(SnImplicit *skin, const SnMap *rest, bool *followed) {
    for (int i = 0, joints = 0; i < skin->mesh_count; ++i) {
        SnSkeletonMesh mesh = sn_skeleton_mesh(skin->skeleton, i);
        Map space;
        skin->meshes[i] = (BoundMesh){.vertex_count = mesh.vertex_count, .first = -1};
        if (find_followed(&mesh, followed) < 2 || has_flat_bind(&mesh, followed) ||
            !find_space(skin, &mesh, followed, rest, &space))
            continue;
        skin->meshes[i].joint_numbers = skin->joint_numbers + joints;
        add_joints(skin, &mesh, followed, &space, skin->joint_numbers + joints);
        joints += mesh.joint_count;
        add_mesh(skin, &mesh, &space, i);
    }
    for (int i = 0; i < skin->mesh_count; ++i)
        if (skin->meshes[i].first < 0)
            skin->rigid_count += skin->meshes[i].vertex_count;
}

static double longest_side(const SnVec3 *x, int count) {
    SnVec3 low = x[0], high = x[0];
    for (int i = 1; i < count; ++i) {
        low = sn_vec3(fminf(low.x, x[i].x), fminf(low.y, x[i].y), fminf(low.z, x[i].z));
        high = sn_vec3(fmaxf(high.x, x[i].x), fmaxf(high.y, x[i].y), fmaxf(high.z, x[i].z));
    }
    return (double)fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
}

// Room for all meshes and joints, whether they will be bound or not.
static bool make_room(SnImplicit *skin) {
    size_t vertices = 0, triangles = 0, joints = 0;
    for (int i = 0; i < skin->mesh_count; ++i) {
        SnSkeletonMesh mesh = sn_skeleton_mesh(skin->skeleton, i);
        vertices += (size_t)mesh.vertex_count;
        triangles += (size_t)mesh.triangle_count;
        joints += (size_t)mesh.joint_count;
    }
    skin->joint_room = (int)joints;
    skin->vertex_room = (int)vertices;
    skin->triangle_room = (int)triangles;
    skin->meshes =
        sn__alloc_array(&skin->allocator, (size_t)skin->mesh_count, sizeof *skin->meshes);
    skin->rest = sn__alloc_array(&skin->allocator, vertices, sizeof *skin->rest);
    skin->rest_normals = sn__alloc_array(&skin->allocator, vertices, sizeof *skin->rest_normals);
    skin->triangles = sn__alloc_array(&skin->allocator, 3 * triangles, sizeof *skin->triangles);
    skin->joints = sn__alloc_array(&skin->allocator, joints, sizeof *skin->joints);
    skin->joint_numbers = sn__alloc_array(&skin->allocator, joints, sizeof(int));
    return skin->meshes && skin->rest && skin->rest_normals && skin->triangles && skin->joints &&
           skin->joint_numbers;
}

SnResult sn__implicit_bind(SnImplicit *skin, const char *name) {
    size_t count = (size_t)sn_skeleton_joint_count(skin->skeleton), joints = 0;
    skin->mesh_count = sn_skeleton_mesh_count(skin->skeleton);
    if (skin->mesh_count == 0)
        return sn_error(SN_ERROR_INVALID,
                        "%.100s: the skeleton has no mesh; export the character "
                        "with its skin",
                        name);
    SnTransform *locals = sn__alloc_array(&skin->allocator, count, sizeof *locals);
    SnMap *rest = sn__alloc_array(&skin->allocator, count, sizeof *rest);
    bool good = locals && rest && make_room(skin);
    joints = (size_t)skin->joint_room;
    bool *followed = good ? sn__alloc_array(&skin->allocator, joints, sizeof *followed) : NULL;
    if (followed) {
        sn_skeleton_rest(skin->skeleton, locals);
        sn_skeleton_maps(skin->skeleton, locals, NULL, rest);
        bind_meshes(skin, rest, followed);
        sn__free(&skin->allocator, followed, joints * sizeof *followed);
    }
    sn__free(&skin->allocator, locals, count * sizeof *locals);
    sn__free(&skin->allocator, rest, count * sizeof *rest);
    if (followed == NULL)
        return sn_error(SN_ERROR_MEMORY, "%.100s: no memory for its meshes", name);
    if (skin->vertex_count == 0)
        return sn_error(SN_ERROR_INVALID,
                        "%.100s: no mesh follows two joints; an implicit skin needs weights", name);
    skin->height = longest_side(skin->rest, skin->vertex_count);
    return sn__skin_surface_create(&skin->allocator, skin->rest, skin->vertex_count,
                                   skin->triangles, skin->triangle_count, &skin->surface)
               ? sn_ok()
               : sn_error(SN_ERROR_MEMORY, "%.100s: no memory for its surface", name);
}

// The mesh of a bound vertex.
static int mesh_of(const SnImplicit *skin, int vertex) {
    int mesh = 0;
    for (int i = 0; i < skin->mesh_count; ++i)
        if (skin->meshes[i].first >= 0 && skin->meshes[i].first <= vertex)
            mesh = i;
    return mesh;
}

BoundPoint sn__implicit_point(const SnImplicit *skin, int point) {
    int vertex = skin->surface.vertex[point], number = mesh_of(skin, vertex);
    SnSkeletonMesh mesh = sn_skeleton_mesh(skin->skeleton, number);
    int own = vertex - skin->meshes[number].first;
    BoundPoint p = {.rest = skin->rest[vertex]};
    float sum = 0.0f;
    for (int k = 0, count = 0; k < SN_MESH_JOINTS; ++k) {
        int joint = mesh.vertex_joints[SN_MESH_JOINTS * own + k];
        float weight = mesh.vertex_weights[SN_MESH_JOINTS * own + k];
        if (!(weight > 0.0f))
            continue;
        p.weights[count] = weight;
        p.joints[count++] = skin->meshes[number].joint_numbers[joint];
        sum += weight;
    }
    for (int k = 0; k < SN_MESH_JOINTS; ++k)
        p.weights[k] /= sum;
    return p;
}
