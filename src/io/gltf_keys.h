// Which frames of a recording come into the file as keys: those that the others are not given back
// without, within a tolerance, by the straight lines between keys. Channels of a body that are lively at
// the same times share these, which takes fewer bytes than times of their own.
//
// What is animated are nodes: the joints of bodies, those of actors, then a root for each rod, which
// moves as the middle of its joints do, so that these have fewer keys.
#pragma once

#include "io/gltf_lines.h"

struct GltfKeys {
    int set_count;  // times that some channels share
    int *set_begin; // set_count + 1, in `frames`
    int *frames;    // the frames that are keys, in order
    size_t frame_capacity;
    // Per node: its set; −1: nothing of it changes.
    int *sets[GLTF_PATHS];
    // And where its keys begin in `values`: three numbers each, or four of rotations.
    size_t *value_begin[GLTF_PATHS];
    float *values;
    size_t value_count, value_capacity;
    float *tolerances[GLTF_PATHS]; // per node
    SnVec3 *roots;                 // where the root of each rod is, by rod, then frame
    float reach;                   // m, the largest of a body's joint
};

static inline int sn__gltf_node_total(const SnGltf *gltf) {
    return gltf->joint_count + gltf->actor_joint_count + gltf->rod_count;
}

static inline int sn__gltf_root(const SnGltf *gltf, int rod) {
    return gltf->joint_count + gltf->actor_joint_count + rod;
}

// False: no memory.
bool sn__gltf_choose_keys(const SnGltf *gltf, GltfKeys *out_keys);
void sn__gltf_free_keys(GltfKeys *keys);
// What players show of a channel that has keys.
void sn__gltf_shown(const SnGltf *gltf, const GltfKeys *keys, int path, int node, int frame,
                    float out[4]);

static inline int sn__gltf_channel_total(const SnGltf *gltf, const GltfKeys *keys) {
    int total = 0;
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int v = 0; v < sn__gltf_node_total(gltf); ++v)
            total += keys->sets[path][v] >= 0;
    return total;
}

static inline int sn__gltf_key_count(const GltfKeys *keys, int set) {
    return keys->set_begin[set + 1] - keys->set_begin[set];
}

// gltf_sets.c: numbers of sets for the channels of a group, from `first` on, or −1 for those that
// stay as they are.
void sn__gltf_share_times(const GltfGroup *group, int first, int *out_sets);

// About how many keys a channel needs.
float sn__gltf_keys_needed(const SnGltf *gltf, const GltfChannel *channel);

// gltf_reach.c: how far from its joints what follows them is, on the mean over the joints of a vertex;
// the most of all vertices that follow the joint, m. To be freed; NULL: no memory.
float *sn__gltf_reaches(const SnGltf *gltf);
