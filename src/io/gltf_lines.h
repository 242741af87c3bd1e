// Lines between keys that pass all frames of a few joints within their tolerances.
#pragma once

#include "io/gltf_data.h"

// Joints that share their times, at most. Larger groups need more keys for each of them, smaller ones
// more times and more JSON; 4 to 16 come to about the same.
#define GLTF_GROUP 8

// Some joints of one path, each with its tolerance, as they are in all frames.
typedef struct GltfGroup {
    const SnGltf *gltf;
    int path, width, count;
    int joints[GLTF_GROUP];
    float tolerances[GLTF_GROUP];
    float *values; // four numbers by joint, then frame
} GltfGroup;

static inline float *sn__gltf_value(const GltfGroup *group, int member, int frame) {
    return group->values + ((size_t)member * (size_t)group->gltf->frame_count + (size_t)frame) * 4;
}

// The frame from which on a joint stays within its tolerance of where it is then.
int sn__gltf_calm_frame(const GltfGroup *group, int member);
// The key that follows one at frame `from`, at most `last`, as far away as lines reach from the values
// `starts` that the joints have there, and the values that they have at its end. These are where the
// lines need them, off the recording by no more than the tolerance; at `last` they are as recorded.
int sn__gltf_next_key(const GltfGroup *group, int from, int last, const float starts[GLTF_GROUP][4],
                      float out_ends[GLTF_GROUP][4]);
