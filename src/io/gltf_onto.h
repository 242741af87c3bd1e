// A recording of one skeleton, written onto the file that it was read from: what is in that file stays, and
// targets, keys and an animation are added.
#pragma once

#include "io/gltf_data.h"
#include "io/gltf_keys.h"
#include "io/gltf_skeleton.h"

// A sampler of the file whose weights have to have more numbers per key now.
typedef struct OntoPad {
    const Json *sampler;
    GltfElements values;
    int before, total; // numbers per key
} OntoPad;

// A joint that stands still in the recording, but not as in the file: one key.
typedef struct OntoStill {
    int joint, path;
    float value[4];
} OntoStill;

typedef struct Onto {
    const SnGltf *gltf;
    const GltfActor *actor;
    const GltfSource *source;
    const GltfSkeleton *read;
    GltfLayout layout; // behind the bytes of the file
    uint64_t base;     // how many those are, to a multiple of four
    // Meshes of the actor that are the first one of a node with new targets; how many nodes there are.
    int *weighted, weighted_count;
    OntoPad *pads;
    OntoStill *stills;
    int pad_count, still_count;
    // Numbers of accessors: targets, keys, times of all frames and weights, pads, stills with one time
    // for all of them before, and one of zeros per mesh.
    int targets, keys, weights, padded, still, zeros;
} Onto;

// The mesh of the file that shows a mesh of the actor; how many targets it has there, and will have.
const Json *sn__onto_mesh(const Onto *onto, int mesh);
int sn__onto_targets_before(const Onto *onto, const Json *mesh);
int sn__onto_targets_added(const Onto *onto, const Json *mesh);
// The weight of a target that was there, without an animation.
float sn__onto_default_weight(const Onto *onto, int mesh, int target);

// gltf_onto_json.c
void sn__onto_json(const Onto *onto, JsonWriter *w);
