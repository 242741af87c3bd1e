#include "io/mesh.h"

#include "base/memory.h"
#include "skin/surface.h"

bool sn__mesh_create(const SnAllocator *allocator, int vertices, int triangles, SnMesh *out_mesh) {
    size_t v = (size_t)vertices, t = (size_t)triangles;
    SnMesh mesh = {.vertex_count = vertices,
                   .triangle_count = triangles,
                   .allocator = allocator ? *allocator : sn__default_allocator()};
    mesh.size = 2 * v * sizeof(SnVec3) + 3 * t * sizeof(uint32_t);
    mesh.positions = sn__alloc(&mesh.allocator, mesh.size);
    if (mesh.positions == NULL) {
        *out_mesh = (SnMesh){0};
        return false;
    }
    mesh.normals = mesh.positions + v;
    mesh.triangles = (uint32_t *)(mesh.normals + v);
    *out_mesh = mesh;
    return true;
}

bool sn__mesh_weld(SnMesh *mesh) {
    SkinSurface surface;
    if (!sn__skin_surface_create(&mesh->allocator, mesh->positions, mesh->vertex_count,
                                 mesh->triangles, mesh->triangle_count, &surface))
        return false;
    for (int p = 0; p < surface.point_count; ++p) // a point's first vertex is never before it
        mesh->positions[p] = mesh->positions[surface.vertex[p]];
    for (int i = 0; i < 3 * mesh->triangle_count; ++i)
        mesh->triangles[i] = (uint32_t)surface.point[mesh->triangles[i]];
    mesh->vertex_count = surface.point_count;
    sn__skin_surface_destroy(&surface);
    return true;
}

bool sn__mesh_make_normals(SnMesh *mesh) {
    SkinSurface surface;
    if (!sn__skin_surface_create(&mesh->allocator, mesh->positions, mesh->vertex_count,
                                 mesh->triangles, mesh->triangle_count, &surface))
        return false;
    size_t size = (size_t)surface.point_count * sizeof(Vec3d);
    Vec3d *normals = sn__alloc(&mesh->allocator, size);
    if (normals) {
        sn__skin_surface_normals(&surface, mesh->positions, mesh->triangles, mesh->triangle_count,
                                 normals);
        for (int i = 0; i < mesh->vertex_count; ++i) {
            Vec3d n = normals[surface.point[i]];
            mesh->normals[i] = sn_vec3((float)n.x, (float)n.y, (float)n.z);
        }
    }
    sn__free(&mesh->allocator, normals, size);
    sn__skin_surface_destroy(&surface);
    return normals != NULL;
}
