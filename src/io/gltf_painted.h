// What is painted on the meshes of skins: the parts of the file that a mesh came from, one after the other, each with
// its coordinates, its material and its image. A shape that is painted has a primitive for each part.
//
// Its accessors come behind those that all shapes have: the coordinates, and the indices of all parts but the first.
// Coordinates of shapes come before those of actors, images behind theirs.
#pragma once

#include "io/file.h"
#include "io/gltf_data.h"

// Whether there is an image that belongs to the mesh.
bool sn__is_painted(const SnSkeleton *paint);
// SN_ERROR_INVALID if its parts are not those of the skin's mesh.
SnResult sn__gltf_check_paint(const SnSkeleton *paint, const SnSkinMesh *skin, int number);
static inline int sn__gltf_part_count(const GltfShape *shape) {
    return shape->paint ? sn_skeleton_mesh_count(shape->paint) : 0;
}
// The material of a part; `texture` of shapes is counted from the first of them.
GltfMaterial sn__gltf_part_material(const GltfShape *shape, int part);
// Numbers the images of shapes that have their own mesh.
void sn__gltf_number_images(SnGltf *gltf);

void sn__gltf_measure_paint(const SnGltf *gltf, GltfLayout *layout);
void sn__gltf_write_shape_coordinates(const SnGltf *gltf, FileWriter *writer);
void sn__gltf_write_shape_images(const SnGltf *gltf, FileWriter *writer);

void sn__gltf_put_parts(const SnGltf *gltf, const GltfShape *shape, JsonWriter *w);
// `indices` is where those of the shape begin, `coordinates` moves behind its own.
void sn__gltf_put_part_accessors(const GltfLayout *layout, const GltfShape *shape, uint64_t indices,
                                 uint64_t *coordinates, JsonWriter *w);
void sn__gltf_put_shape_images(const SnGltf *gltf, int view, JsonWriter *w);
void sn__gltf_put_shape_image_views(const SnGltf *gltf, uint64_t offset, JsonWriter *w);
