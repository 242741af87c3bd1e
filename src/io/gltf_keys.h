// Which frames of a recording come into the file as keys: those that the others are not given back
// without, within a tolerance, by the straight lines between keys. Joints that lie side by side share
// their keys' times, which takes fewer bytes than times of their own.
#pragma once

#include "io/gltf_data.h"

struct GltfKeys {
    int set_count;  // times that some channels share
    int *set_begin; // set_count + 1, in `frames`
    int *frames;    // the frames that are keys, in order
    // Per joint of bodies, then of actors: its set; −1: nothing of it changes.
    int *sets[GLTF_PATHS];
    // And where its keys begin in `values`: three numbers each, or four of rotations.
    size_t *value_begin[GLTF_PATHS];
    float *values;
    size_t value_count, value_capacity;
    float reach; // m, the largest of a body's joint
    int channel_count[GLTF_PATHS];
};

// False: no memory.
bool sn__gltf_choose_keys(const SnGltf *gltf, GltfKeys *out_keys);
void sn__gltf_free_keys(GltfKeys *keys);

static inline int sn__gltf_key_count(const GltfKeys *keys, int set) {
    return keys->set_begin[set + 1] - keys->set_begin[set];
}

// gltf_reach.c: how far from its joints what follows them is, on the mean over the joints of a vertex;
// the most of all vertices that follow the joint, m. To be freed; NULL: no memory.
float *sn__gltf_reaches(const SnGltf *gltf);
