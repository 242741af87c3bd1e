// Triangle meshes: their vertices are new in every picture, their triangles hardly ever.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

typedef struct ViewMeshes {
    ViewTriangles triangles; // those of closed meshes first, whose backs are never seen
    size_t closed_index_count;
    uint64_t key;         // of what the indices were made from
    bool indices_changed; // since the last picture
    int skipped;          // meshes with numbers that are not finite, or vertices that are not there
    ViewBox box, scenery_box;
    float *normals; // room for those that are not given
    size_t normal_capacity;
} ViewMeshes;

SnResult view_meshes_build(ViewMeshes *meshes, const ViewMesh *list, int count, SnVec3 origin);
void view_meshes_release(ViewMeshes *meshes);
