// Lines between keys that pass all frames of a few channels within their tolerances.
#pragma once

#include "io/gltf_data.h"

// Channels that share their times, at most.
#define GLTF_GROUP 120

// One path of one node, as it is in all frames.
typedef struct GltfChannel {
    int node, path, width;
    float tolerance;
    float *values; // four numbers by frame
} GltfChannel;

typedef struct GltfGroup {
    const SnGltf *gltf;
    int count;
    GltfChannel channels[GLTF_GROUP];
} GltfGroup;

static inline float *sn__gltf_value(const GltfChannel *channel, int frame) {
    return channel->values + (size_t)frame * 4;
}

// What a player shows at a part of the way from one key to the next.
void sn__gltf_between(const GltfChannel *channel, const float *a, const float *b, float part,
                      float out[4]);
// The frame from which on a channel stays within its tolerance of where it is then.
int sn__gltf_calm_frame(const SnGltf *gltf, const GltfChannel *channel);
// The key that follows one at frame `from`, at most `last`, as far away as lines reach from the values
// `starts` that the channels have there, and the values that they have at its end. These are where the
// lines need them, off the recording by no more than the tolerance; at `last` they are as recorded.
int sn__gltf_next_key(const GltfGroup *group, int from, int last, const float starts[GLTF_GROUP][4],
                      float out_ends[GLTF_GROUP][4]);
