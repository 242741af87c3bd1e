// Skeletons in a recording: after the bodies, in every list of the file.
#pragma once

#include "io/file.h"
#include "io/gltf_data.h"

// gltf_actor.c: recording and binary data.
SnResult sn__gltf_add_actors(SnGltf *gltf, const SnGltfDef *def);
// Where the samples of actors are in the memory of a frame.
GltfActorSample *sn__gltf_actor_samples(const SnGltf *gltf, GltfSample *frame);
bool sn__gltf_sample_actors(SnGltf *gltf, double time, GltfSample *frame); // false: no memory
void sn__gltf_measure_actors(const SnGltf *gltf, GltfLayout *layout);
size_t sn__gltf_largest_actor_mesh(const SnGltf *gltf); // vertices
// Files have four joints per vertex, as that is what every player knows: the heaviest, with weights that sum
// up to 1 again.
#define GLTF_FOLLOWED 4
void sn__gltf_heaviest(const SnSkeletonMesh *mesh, int vertex, int out_joints[GLTF_FOLLOWED],
                       float out_weights[GLTF_FOLLOWED]);
// The vertices of a mesh as the file has them.
void sn__gltf_actor_vertices(const SnSkeletonMesh *mesh, TubeVertex *out);
void sn__gltf_write_actor_vertices(const SnGltf *gltf, TubeVertex *scratch, FileWriter *writer);
void sn__gltf_write_actor_indices(const SnGltf *gltf, FileWriter *writer);
void sn__gltf_write_actor_binds(const SnGltf *gltf, FileWriter *writer);
void sn__gltf_write_actor_paint(const SnGltf *gltf, FileWriter *writer); // coordinates and images
// Bytes of an image in the file, where the next one begins at a multiple of four.
static inline uint64_t sn__gltf_image_size(const SnSkeletonImage *image) {
    return ((uint64_t)image->size + 3) / 4 * 4;
}

// gltf_actor_json.c
void sn__gltf_put_actor_roots(const SnGltf *gltf, JsonWriter *w);
void sn__gltf_put_actor_nodes(const SnGltf *gltf, JsonWriter *w);
void sn__gltf_put_actor_materials(const SnGltf *gltf, JsonWriter *w);
void sn__gltf_put_actor_meshes(const SnGltf *gltf, JsonWriter *w);
void sn__gltf_put_actor_skins(const SnGltf *gltf, JsonWriter *w);
int sn__gltf_node_count(const SnGltf *gltf); // of bodies and actors
int sn__gltf_actor_mesh_node(const SnGltf *gltf, int actor, int mesh);
int sn__gltf_actor_accessors(const SnGltf *gltf); // beside those of keys
void sn__gltf_put_actor_images(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w);
void sn__gltf_put_actor_views(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w);
void sn__gltf_put_actor_accessors(const SnGltf *gltf, const GltfLayout *layout, uint64_t offsets[2],
                                  uint64_t bind, uint64_t coordinates, TubeVertex *scratch,
                                  JsonWriter *w);
void sn__gltf_put_actor_channels(const SnGltf *gltf, const GltfKeys *keys, int path, int *sampler,
                                 JsonWriter *w);
