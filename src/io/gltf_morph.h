// Morph targets of skeletons whose meshes are implicit skins: what a skin adds to linear blending, as a
// few targets whose weights are animated.
#pragma once

#include "io/file.h"
#include "io/gltf_data.h"

// More are not kept; the error grows then, and is told.
#define GLTF_MOST_TARGETS 128

// Of one mesh. Targets are orthonormal as far as positions go: three numbers per vertex, and behind
// those as many for the normals, which go with them.
typedef struct GltfMorph {
    int vertex_count;
    int count;
    float *targets[GLTF_MOST_TARGETS];
    float **weights; // one array per frame, zero for targets that came later
    double *errors;  // m, of each frame, its largest
    double *scales;  // of each frame: how far its joints take a vertex that a target moves by 1
    double bound;    // m, of all errors
    int frame_count, frame_capacity;
    // Of the weights of each target, once all frames are there: the least, and how far they go from there.
    float low[GLTF_MOST_TARGETS], span[GLTF_MOST_TARGETS];
} GltfMorph;

// In the file, weights go from 0 to 1, as Blender and others allow no other ones: Σ w_k t_k is written as
// Σ ((w_k − low_k)/span_k) (span_k t_k) + Σ low_k t_k, whose last sum is one more target of weight 1.
static inline int sn__gltf_written_targets(const GltfMorph *morph) {
    return morph->count > 0 ? morph->count + 1 : 0;
}
float sn__gltf_written_number(const GltfMorph *morph, int target, int i);
float sn__gltf_written_weight(const GltfMorph *morph, int frame, int target);
void sn__gltf_write_weights(const GltfMorph *morph, int frame, FileWriter *writer);

// The frame as the actor's skin has it now, with its joints there. False: no memory.
bool sn__gltf_morph_frame(SnGltf *gltf, GltfActor *actor, const SnMap *maps);
// Leaves out what no frame so far needs to keep within the bound. False: no memory.
bool sn__gltf_reduce_morph(GltfMorph *morph);
bool sn__gltf_reduce_morphs(SnGltf *gltf); // of all meshes
void sn__gltf_free_morphs(SnGltf *gltf);

int sn__gltf_morph_accessors(const SnGltf *gltf);
void sn__gltf_measure_morphs(const SnGltf *gltf, GltfLayout *layout);
// The number of the first accessor of a mesh's targets, if it has any; `first` is that of all.
int sn__gltf_morph_accessor(const SnGltf *gltf, int actor, int mesh, int first);
// Those of the targets alone, and their bytes.
void sn__gltf_put_target_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w);
void sn__gltf_write_targets(const SnGltf *gltf, FileWriter *writer);
void sn__gltf_put_morph_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w);
// Samplers and channels of the animation; `first` as above, `sampler` counts on.
void sn__gltf_put_morph_samplers(const SnGltf *gltf, int first, JsonWriter *w);
void sn__gltf_put_morph_channels(const SnGltf *gltf, int *sampler, JsonWriter *w);
void sn__gltf_write_morphs(const SnGltf *gltf, FileWriter *writer);
bool sn__gltf_has_morphs(const SnGltf *gltf);
