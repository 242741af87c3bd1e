// All triangles of a glTF file as one mesh, as the file's own rest pose shows them.
#include "base/null.h"
#include "io/gltf_skeleton.h"
#include "io/mesh.h"
#include "math/map.h"

#include <sinew/gltf.h>

#include <stdlib.h>

// Whether a mesh is seen in a mirror, so that its triangles wind the other way.
static bool is_mirrored(const SnSkeletonMesh *part, const SnMap *maps) {
    Map outer = map_wide(&maps[part->joints[0]]), bind = map_wide(&part->binds[0]);
    return map_volume(&outer) * map_volume(&bind) < 0;
}

// Puts a part behind `vertices` and `triangles` others.
static SnResult add_part(const SnSkeleton *skeleton, int number, const SnMap *maps, int vertices,
                         int triangles, SnMesh *mesh) {
    SnSkeletonMesh part = sn_skeleton_mesh(skeleton, number);
    bool mirrored = is_mirrored(&part, maps);
    uint32_t *to = mesh->triangles + 3 * (size_t)triangles;
    for (int t = 0; t < part.triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            to[3 * t + c] = (uint32_t)vertices + part.triangles[3 * t + (mirrored ? 2 - c : c)];
    SnVec3 *positions = mesh->positions + vertices;
    SnResult result = sn_skeleton_deform(skeleton, number, maps, positions, NULL);
    for (int i = 0; i < part.vertex_count && result.code == SN_OK; ++i)
        if (!sn__within3(positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_FORMAT, "a position is not within %g m",
                            (double)SN_MAX_POSITION);
    return result;
}

static SnResult fill_mesh(const SnSkeleton *skeleton, int begin, int end, const SnMap *maps,
                          SnMesh *mesh) {
    int vertices = 0, triangles = 0;
    SnResult result = sn_ok();
    for (int i = begin; i < end && result.code == SN_OK; ++i) {
        result = add_part(skeleton, i, maps, vertices, triangles, mesh);
        vertices += sn_skeleton_mesh(skeleton, i).vertex_count;
        triangles += sn_skeleton_mesh(skeleton, i).triangle_count;
    }
    if (result.code == SN_OK && !sn__mesh_make_normals(mesh))
        result = sn_error(SN_ERROR_MEMORY, "no memory for its mesh");
    return result;
}

// The joints at rest.
static SnMap *rest_maps(const SnSkeleton *skeleton) {
    size_t count = (size_t)sn_skeleton_joint_count(skeleton);
    SnTransform *locals = malloc(count * sizeof *locals);
    SnMap *maps = malloc(count * sizeof *maps);
    if (locals && maps) {
        sn_skeleton_rest(skeleton, locals);
        sn_skeleton_maps(skeleton, locals, NULL, maps);
    } else {
        free(maps);
        maps = NULL;
    }
    free(locals);
    return maps;
}

SnResult sn__gltf_join_meshes(const SnSkeleton *skeleton, int begin, int end,
                              const SnAllocator *allocator, SnMesh *out_mesh) {
    int vertices = 0, triangles = 0;
    for (int i = begin; i < end; ++i) {
        vertices += sn_skeleton_mesh(skeleton, i).vertex_count;
        triangles += sn_skeleton_mesh(skeleton, i).triangle_count;
    }
    if (triangles == 0)
        return sn_error(SN_ERROR_FORMAT, "its scene has no triangles");
    SnMap *maps = rest_maps(skeleton);
    if (maps == NULL || !sn__mesh_create(allocator, vertices, triangles, out_mesh)) {
        free(maps);
        return sn_error(SN_ERROR_MEMORY, "no memory for its mesh");
    }
    SnResult result = fill_mesh(skeleton, begin, end, maps, out_mesh);
    free(maps);
    if (result.code != SN_OK) {
        sn_mesh_destroy(out_mesh);
        *out_mesh = (SnMesh){0};
    }
    return result;
}

SnResult sn__gltf_read_mesh(const char *path, const SnAllocator *allocator, SnMesh *out_mesh,
                            SnSkeleton **out_skeleton) {
    *out_mesh = (SnMesh){0};
    SnResult result = sn__skeleton_read_gltf(path, false, NULL, out_skeleton);
    if (result.code != SN_OK)
        return result;
    const SnSkeleton *from = *out_skeleton;
    result = sn__gltf_join_meshes(from, 0, sn_skeleton_mesh_count(from), allocator, out_mesh);
    if (result.code == SN_OK)
        return result;
    sn_skeleton_destroy(*out_skeleton);
    *out_skeleton = NULL;
    return sn_error(result.code, "%s: %s", path, result.message);
}

SnResult sn_mesh_read_gltf(const char *path, const SnAllocator *allocator, SnMesh *out_mesh) {
    if (path == NULL)
        return sn__null("gltf mesh: path");
    if (out_mesh == NULL)
        return sn__null("gltf mesh: out_mesh");
    SnSkeleton *skeleton = NULL;
    SnResult result = sn__gltf_read_mesh(path, allocator, out_mesh, &skeleton);
    sn_skeleton_destroy(skeleton);
    return result;
}
