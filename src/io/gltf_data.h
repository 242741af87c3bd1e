// A recording of rods, and how its parts are laid out in the file.
#pragma once

#include <sinew/gltf.h>

#include "io/arena.h"
#include "io/json_write.h"
#include "io/tube.h"

// A vertex at one time: 24 bytes.
typedef struct SnGltfSample {
    float position[3];
    int16_t rotation[4]; // normalised: 32767 is 1
    float scale;
} SnGltfSample;

enum { SN__GLTF_TRANSLATION, SN__GLTF_ROTATION, SN__GLTF_SCALE, SN__GLTF_PATHS };

typedef struct SnGltfRod {
    const char *name;
    SnTube tube;
    int first_vertex;
    int material;
} SnGltfRod;

struct SnGltf {
    SnArena arena; // all but the frames and times, which grow
    const char *title;
    int rod_count, vertex_count;
    SnGltfRod *rods;
    SnColour *materials; // colours, each once
    int material_count;
    SnTubePlan plan;
    SnVec3 *positions; // bind pose, per vertex
    SnQuat *rotations;
    float *radii;
    uint8_t *changes; // per vertex: bit p is set when path p was seen to change

    SnGltfSample **frames;
    float *times;
    int frame_count, frame_capacity;
};

// The parts of the binary chunk, in order. Each is one buffer view.
enum {
    SN__GLTF_VERTICES,
    SN__GLTF_INDICES,
    SN__GLTF_BIND,
    SN__GLTF_TIMES,
    SN__GLTF_OUTPUT, // three parts, by path
    SN__GLTF_PARTS = SN__GLTF_OUTPUT + SN__GLTF_PATHS
};

typedef struct SnGltfLayout {
    uint64_t size[SN__GLTF_PARTS], offset[SN__GLTF_PARTS];
    uint64_t total;
    int channel_count[SN__GLTF_PATHS];
} SnGltfLayout;

// Bytes of one key of a path: vector, quaternion of 16-bit numbers, vector.
static inline size_t sn__gltf_key_size(int path) { return path == SN__GLTF_ROTATION ? 8 : 12; }

SnGltfLayout sn__gltf_layout(const SnGltf *gltf);

// Room for the surface of the largest rod.
size_t sn__gltf_most_vertices(const SnGltf *gltf);

// The JSON chunk. `scratch` has room for the surface of any rod.
void sn__gltf_json(const SnGltf *gltf, const SnGltfLayout *layout, SnTubeVertex *scratch,
                   SnJsonWriter *writer);
