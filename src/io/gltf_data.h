// A recording of rods and skins, and how its parts are laid out in the file.
#pragma once

#include <sinew/gltf.h>

#include "io/arena.h"
#include "io/file.h"
#include "io/json_write.h"
#include "io/tube.h"

// A vertex at one time: 24 bytes.
typedef struct GltfSample {
    float position[3];
    int16_t rotation[4]; // normalised: 32767 is 1
    float scale;
} GltfSample;

enum { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_PATHS };

// A body, mostly a rod: a joint per vertex, which is a bone of the poses. A rigid body has one. So has a
// frame that skins follow: behind the bodies there is a rod of one vertex for each.
typedef struct GltfRod {
    const char *name;
    int first_vertex, vertex_count;
    int first_segment, segment_count;
    const int *edges; // two per segment; NULL: a chain
    float section[2]; // as TubeMesh has it
    bool skinned;     // it is shown by a skin
    bool rigid;       // it moves and turns as a whole
    bool hidden;      // it is not shown at all
    // Joints, numbered over all rods. Of a large tree only some vertices are, of a rigid body only the
    // first: `joint_vertices`, and the others follow the joint `joint_of`; both within the rod. NULL:
    // all are.
    int first_joint, joint_count;
    const int *joint_vertices, *joint_of;
} GltfRod;

static inline int sn__gltf_joint_vertex(const GltfRod *rod, int joint) {
    return rod->joint_vertices ? rod->joint_vertices[joint] : joint;
}

// A colour that shapes share. Leaves are seen from both sides.
typedef struct GltfMaterial {
    SnColour colour;
    float opacity;
    bool leaf;
    int texture; // the number of its image among those of shapes, from 1 on; 0: none
} GltfMaterial;

// Of what has no colour.
#define GLTF_GREY                                                                                  \
    (SnColour) { 0.5f, 0.5f, 0.5f }

// A surface that follows the joints of rods: what is one mesh, one skin and one node of the file.
typedef struct GltfShape {
    const char *name;
    SnColour colour, leaf_colour;
    float clear; // 1 − opacity
    int material, leaf_material;
    const int *rods; // whose joints it follows, one after the other
    int rod_count, joint_count;
    const SnVec3 *bind_positions; // of the joints
    const SnQuat *bind_rotations; // NULL: they are in their rest pose
    // Shapes of equal meshes share the data of the first one. `vertices` is NULL for what is made of tubes:
    // one, or one per segment.
    int mesh;
    int binding;        // the shape whose bind matrices it has: its own number or that of its mesh
    int first_accessor; // in the file
    const TubeMesh *tubes;
    const int *tube_joints; // two per tube where there are several
    int tube_count;
    const TubeVertex *vertices;
    const uint32_t *indices;
    uint64_t vertex_count, index_count;
    uint64_t leaf_index_count; // of them, the last ones; 0: it has no leaves
    // Of a mesh that is painted (gltf_painted.h): its parts, their materials and the first of its images.
    const SnSkeleton *paint;
    int *part_materials, first_image;
} GltfShape;

// One joint of a skeleton at one time, relative to its parent: 32 bytes.
typedef struct GltfActorSample {
    float translation[3];
    int16_t rotation[4];
    float scale[3];
} GltfActorSample;

// A skeleton with its own tree of joints.
typedef struct GltfActor {
    const char *name;
    const SnSkeleton *skeleton;
    SnMap place;
    const SnCue *cues;
    int cue_count;
    int joint_count, mesh_count;
    int first_joint; // over all actors
    int first_mesh, first_image;
    int image_count;
    const SnImplicit *skin; // NULL: it has no morph targets
    float residual;
    struct GltfMorph *morphs; // one per mesh; NULL without a skin
} GltfActor;

struct SnGltf {
    Arena arena; // all but the frames and times, which grow
    const char *title;
    int body_count, point_count; // of the poses
    int rod_count, joint_count;
    int led_end; // of rods: bodies, then frames, then what splits
    GltfRod *rods;
    struct GltfSplit *splits; // one per such rod
    SnFrameId *led;           // the frames that skins follow: rods from body_count on
    SnPose *led_poses;        // where they were seen last
    GltfShape *shapes;
    int shape_count, shape_accessors, shape_image_count;
    GltfMaterial *materials; // each once
    int material_count;
    TubeDetail detail;
    SnVec3 *positions; // where the recording began, per vertex
    SnQuat *rotations;
    float *radii;
    float tolerance;       // m
    SnGltfEncoder encoder; // encode is NULL: it is not compressed
    GltfActor *actors;
    int actor_count, actor_joint_count, actor_mesh_count, actor_image_count;
    SnTransform *actor_locals; // room for the joints of the largest
    SnMap *actor_maps;
    double morph_height; // m
    bool has_camera;
    SnGltfCamera camera;

    GltfSample **frames; // of every joint, and behind those the samples of actors
    float *times;
    int frame_count, frame_capacity;
};

// The parts of the binary chunk, in order. Each is one buffer view.
enum {
    GLTF_VERTICES,
    GLTF_INDICES,
    GLTF_BIND,
    GLTF_TIMES,
    GLTF_OUTPUT, // three parts, by path
    GLTF_MORPHS = GLTF_OUTPUT + GLTF_PATHS,
    GLTF_MORPH_KEYS, // times and weights
    GLTF_TEXCOORDS,
    GLTF_IMAGES, // one view each
    GLTF_PARTS
};

// Accessors come in this order for each shape, or only the binding for a shape that shares its mesh, or
// none if it shares that, too;
// then the times of each set of keys, then one per channel.
enum {
    GLTF_POSITION,
    GLTF_NORMAL,
    GLTF_JOINTS,
    GLTF_WEIGHTS,
    GLTF_INDEX,
    GLTF_BINDING,
    GLTF_ACCESSORS,
    GLTF_LEAF_INDEX = GLTF_ACCESSORS // one more of a shape with leaves
};

typedef struct GltfKeys GltfKeys;     // gltf_keys.h
typedef struct GltfPacked GltfPacked; // gltf_pack.h

typedef struct GltfLayout {
    uint64_t size[GLTF_PARTS], offset[GLTF_PARTS];
    uint64_t total;
    int first_view; // of its views in the file
    const GltfKeys *keys;
    const GltfPacked *packed; // NULL: it is not compressed
} GltfLayout;

// Bytes of one key of a path: vector, quaternion of 16-bit numbers, vector.
static inline size_t sn__gltf_key_size(int path) { return path == GLTF_ROTATION ? 8 : 12; }

GltfLayout sn__gltf_layout(const SnGltf *gltf, const GltfKeys *keys);

SnResult sn__gltf_check_skins(const SnPoses *poses, const SnGltfDef *def);
// gltf_led.c: the frames that skins follow, at most `room`, each once. Returns how many.
int sn__gltf_list_led(const SnGltfDef *def, SnFrameId *out_led);
int sn__gltf_find_led(const SnGltf *gltf, SnFrameId frame); // the number of its rod
// Where they are, as far as the poses know; a frame that is gone stays where it was.
void sn__gltf_move_led(SnGltf *gltf, const SnPoses *poses);

// gltf_split.c: skins that split. A vertex that loses a bone follows that of its cell from then on: each lead
// is a joint that first moves as the bone and then as if it were fixed to the cell.
typedef struct GltfSplit {
    int skin;       // of the definition
    int body;       // the rod that it follows
    int lead_count; // joints of its own rod
    int (*leads)[2];
    int *first; // the frame from which on a lead is apart; −1: it is not
    int vertex_count;
    const int *bones, *vertex_leads;
    const float *weights;
    const int *joint_of;
    TubeVertex *vertices; // of its shape
} GltfSplit;

// How many skins split, and their leads together. Rods for them; false: no memory.
int sn__gltf_count_splits(const SnGltfDef *def, int *out_leads);
bool sn__gltf_make_splits(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def);
// The split of a skin of the definition; NULL: it has none.
GltfSplit *sn__gltf_split_of(const SnGltf *gltf, int skin);
// Takes what is needed later to say which joints its vertices follow; false: no memory.
bool sn__gltf_bind_split(SnGltf *gltf, GltfSplit *split, const SnSkinMesh *skin,
                         const int *joint_of, TubeVertex *vertices);
// When all frames are there: how leads move, and who follows them.
void sn__gltf_finish_splits(SnGltf *gltf);
// Weights as integers whose sum is exact: of four bones, by the joints that they are.
void sn__gltf_put_weights(const int joints[SN_SKIN_BONES], const float *weights, TubeVertex *out);
void sn__gltf_put_rotation(SnQuat q, const GltfSample *before, int16_t out[4]);

// gltf_json.c: of all keys, their times and then their values; samplers of these and of the weights of morph
// targets, with the number of the first of these accessors; the views of all parts but images.
void sn__gltf_put_key_accessors(const SnGltf *gltf, const GltfLayout *layout, JsonWriter *w);
void sn__gltf_put_key_samplers(const SnGltf *gltf, const GltfKeys *keys, int times, JsonWriter *w);
void sn__gltf_put_part_views(const GltfLayout *layout, JsonWriter *w);
// gltf_write.c: the same as bytes; and the file before its binary chunk.
void sn__gltf_write_keys(const SnGltf *gltf, const GltfKeys *keys, FileWriter *writer);
void sn__gltf_write_head(const JsonWriter *json, uint64_t binary, FileWriter *writer);

// gltf_camera.c: a camera and its node, which is the last of all.
void sn__gltf_put_camera(const SnGltf *gltf, JsonWriter *w);
void sn__gltf_put_camera_node(const SnGltf *gltf, JsonWriter *w);

// Shapes from the rods and the definition, which must be valid. False: no memory.
bool sn__gltf_make_shapes(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def);
bool sn__gltf_add_skins(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def);
// Once it is known which rods are under skins: the joints of all rods.
bool sn__gltf_choose_joints(SnGltf *gltf);
// The surface of a shape. `scratch` is used if it is not there already; it has room for the largest.
const TubeVertex *sn__gltf_vertices(const SnGltf *gltf, const GltfShape *shape,
                                    TubeVertex *scratch);
const uint32_t *sn__gltf_indices(const SnGltf *gltf, const GltfShape *shape, uint32_t *scratch);
// Vertices and indices of the largest shape.
void sn__gltf_most(const SnGltf *gltf, size_t *out_vertices, size_t *out_indices);

// The JSON chunk.
void sn__gltf_json(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                   JsonWriter *writer);
