// A triangle mesh made ready for distances: corners at one place are one, and every corner, edge
// and face has a normal that tells inside from outside (angle-weighted pseudo-normals).
#pragma once

#include "base/memory.h"
#include "geom/triangle.h"

typedef struct MeshTriangle {
    Vec3d corners[3];
    int vertex[3], edge[3]; // numbers into the normals
    double size;            // from the first corner to the farther one
    Vec3d normal;           // a unit vector; zero: the triangle has no area
} MeshTriangle;

typedef struct MeshEdge {
    int a, b;    // a < b; b = 0: the slot of the table is free
    int balance; // uses from a to b minus those from b to a
    Vec3d normal;
} MeshEdge;

typedef struct TriMesh {
    SnAllocator allocator;
    int triangle_count, triangle_capacity, vertex_count, edge_capacity;
    MeshTriangle *triangles;
    Vec3d *vertex_normals;
    MeshEdge *edges;
    Vec3d low, high;
    bool closed; // every edge is used as often in one direction as in the other
    double volume;
} TriMesh;

SnResult sn__trimesh_create(const SnAllocator *allocator, const SnVec3 *vertices, int vertex_count,
                            const uint32_t *triangles, int triangle_count, TriMesh *out);
void sn__trimesh_destroy(TriMesh *mesh);

// The distance from x to a triangle of it, negative if x is on the inner side of the part of the
// triangle that it is nearest to.
double sn__trimesh_distance(const TriMesh *mesh, int triangle, Vec3d x);
