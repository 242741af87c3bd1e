// Triangle meshes: their vertices are new in every picture, their triangles hardly ever.
#pragma once

#include "view/box.h"
#include "view/coarse.h"
#include "view/triangles.h"

// Triangles in the order in which they are drawn: of closed meshes, whose backs are never seen, of open
// ones, and of those that are clear, which cover one, two or three quarters of every pixel.
typedef enum ViewMeshPart {
    VIEW_PART_CLOSED,
    VIEW_PART_OPEN,
    VIEW_PART_BARK,
    VIEW_PART_CLEAR,
    VIEW_MESH_PARTS = VIEW_PART_CLEAR + 3
} ViewMeshPart;

typedef struct ViewMeshes {
    ViewTriangles triangles;
    size_t part_end[VIEW_MESH_PARTS]; // in their indices
    uint64_t key;                     // of what the indices were made from
    bool indices_changed;             // since the last picture
    int skipped; // meshes with numbers that are not finite, or vertices that are not there
    ViewBox box, scenery_box;
    float *normals; // room for those that are not given
    size_t normal_capacity;
    ViewCoarseTable coarse;
    struct ViewMeshChoice *choices; // one per mesh
    int choice_capacity;
} ViewMeshes;

SnResult view_meshes_build(ViewMeshes *meshes, const ViewMesh *list, int count, ViewDetail detail,
                           SnVec3 origin);
void view_meshes_release(ViewMeshes *meshes);
