// How far a surface is from the joints it follows: what an error of their rotation or scale does to it.
//
// A vertex that follows joints k with weights w_k at distances d_k is moved by errors r_k of their
// rotations (radians) by at most Σ w_k d_k r_k. With D = Σ w_k d_k, and each joint's reach the largest D of
// its vertices, errors r_k ≤ e / reach_k move no vertex by more than e.
#include "io/gltf_keys.h"

#include <stdlib.h>

// The joints of a shape, numbered over all rods.
static int *list_joints(const SnGltf *gltf, const GltfShape *shape) {
    int *joints = malloc(((size_t)shape->joint_count + 1) * sizeof *joints), count = 0;
    for (int r = 0; r < shape->rod_count && joints; ++r) {
        const GltfRod *rod = &gltf->rods[shape->rods[r]];
        for (int i = 0; i < rod->joint_count; ++i)
            joints[count++] = rod->first_joint + i;
    }
    return joints;
}

// `own` has the places of the joints when the mesh was bound, `shape` the joints themselves: shapes
// may share a mesh.
static void add_vertex(const GltfShape *own, const int *joints, const TubeVertex *vertex,
                       float *reaches) {
    double reach = 0;
    Vec3d x = {(double)vertex->position[0], (double)vertex->position[1],
               (double)vertex->position[2]};
    for (int k = 0; k < 4; ++k)
        if (vertex->weights[k] > 0)
            reach += (double)vertex->weights[k] / TUBE_WEIGHT *
                     lengthd(subd(x, vec3d(own->bind_positions[vertex->joints[k]])));
    for (int k = 0; k < 4; ++k)
        if (vertex->weights[k] > 0 && reaches[joints[vertex->joints[k]]] < (float)reach)
            reaches[joints[vertex->joints[k]]] = (float)reach;
}

// Reaches by the shape's own numbers, from the mesh that it has or shares.
static bool add_shape(const SnGltf *gltf, const GltfShape *shape, TubeVertex *scratch,
                      float *reaches) {
    const GltfShape *own = &gltf->shapes[shape->mesh];
    int *joints = list_joints(gltf, shape);
    const TubeVertex *vertices = joints ? sn__gltf_vertices(gltf, own, scratch) : NULL;
    for (uint64_t i = 0; i < own->vertex_count && vertices; ++i)
        add_vertex(own, joints, &vertices[i], reaches);
    free(joints);
    return joints != NULL;
}

float *sn__gltf_reaches(const SnGltf *gltf) {
    size_t vertices, indices;
    sn__gltf_most(gltf, &vertices, &indices);
    float *reaches = calloc((size_t)gltf->joint_count + 1, sizeof *reaches);
    TubeVertex *scratch = malloc((vertices + 1) * sizeof *scratch);
    bool good = reaches && scratch;
    for (int k = 0; k < gltf->shape_count && good; ++k)
        good = add_shape(gltf, &gltf->shapes[k], scratch, reaches);
    free(scratch);
    if (!good) {
        free(reaches);
        return NULL;
    }
    return reaches;
}
