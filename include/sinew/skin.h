// Skins: triangle meshes that move with bodies and frames.
//
// Every point of a body is a bone: its position, its rotation since the rest pose and its scale, as
// SnPoses has them. So is a frame: its position, and its rotation since the skin was made. A skin
// vertex follows at most four bones by linear blending. Over a muscle it follows slices: computed
// weights name the point of a slice that lies nearest to its middle.
#pragma once

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnSkinId {
    uint32_t index, generation;
} SnSkinId;

#define SN_SKIN_BONES 4 // per skin vertex
#define SN_MAX_SKIN_VERTICES (1 << 24)
#define SN_MAX_SKIN_TRIANGLES (1 << 25)

typedef struct SnSkinDef {
    uint32_t cookie;  // set by sn_default_skin_def
    const char *name; // for error messages, may be NULL; not kept
    int body_count;
    const SnBodyId *bodies;
    // Frames that it follows beside the bodies, or alone: the bones of an arm under its muscles. What a
    // frame is wrapped in are the spheres and pills among the colliders that hang on it now.
    int frame_count;
    const SnFrameId *frames;
    // The mesh around the bodies as they are in their rest shape, and around the frames as they are now,
    // in metres, relative to `origin` as the bodies are to theirs. All arrays are copied.
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const SnVec3 *normals;     // of the surface, or NULL: from the triangles
    const uint32_t *triangles; // three per triangle
    double origin[3];
    int fairing; // rounds of smoothing of the weights over the mesh, 0 to 1000
    // Weights of your own instead of computed ones: SN_SKIN_BONES per vertex. A bone is a point
    // of a body, counted over `bodies` one after the other; behind those come the frames.
    const int *bones;
    const float *weights;
    // Splits where edges of its solid break (SnSolidMaterial.strength), which must be all that it follows. The mesh
    // of the skin then is this one cut along the cells of the particles, with more vertices; if this one is closed,
    // caps between the cells follow, of no size until they are seen, so that every piece is closed.
    bool split;
    void *user_data;
} SnSkinDef;

// Ten rounds of fairing, and nothing else: bodies or frames and a mesh must be given.
SN_API SnSkinDef sn_default_skin_def(void);
// SN_ERROR_STALE for a body or frame that is gone, SN_ERROR_INVALID for what cannot be used (a frame
// without a sphere or pill on it, where weights are computed), SN_ERROR_LIMIT beyond the limits above.
// out_skin may be NULL.
SN_API SnResult sn_skin_create(SnWorld *world, const SnSkinDef *def, SnSkinId *out_skin);
// A skin is also destroyed with any of its bodies and frames.
SN_API SnResult sn_skin_destroy(SnWorld *world, SnSkinId skin);
SN_API bool sn_skin_is_valid(const SnWorld *world, SnSkinId skin);
SN_API void *sn_skin_user_data(const SnWorld *world, SnSkinId skin); // NULL for a stale id

typedef struct SnSkinMesh {
    int vertex_count, triangle_count, bone_count;
    int cap_triangles; // the last ones, of a skin that splits: between its cells
    const uint32_t *triangles;
    const SnVec3 *rest_positions; // as in the definition, unless it splits
    const SnVec3 *rest_normals;
    const int *bones;     // SN_SKIN_BONES per vertex, points and frames as in the definition
    const float *weights; // they sum up to 1; of a skin that splits, while it is whole
    // Of one that splits: every vertex belongs to the cell of a particle. Its leads are the bones that vertices of a
    // cell follow beside its own, two per lead, the cell and the bone; and the leads of the bones of all vertices,
    // SN_SKIN_BONES per vertex, −1 of the own one and of none.
    int lead_count;
    const int (*leads)[2];
    const int *vertex_leads;
    const SnBodyId *bodies;
    int body_count;
    const SnFrameId *frames;
    const SnPose *rest_frames; // where they were when the skin was made, in the world
    int frame_count;
    // The rest shape of the bodies, one after the other: their points, from the skin's origin. Behind
    // those, where the frames were.
    const SnVec3 *rest_bones;
} SnSkinMesh;

// What does not move. Valid until the skin is destroyed.
SN_API SnResult sn_skin_mesh(const SnWorld *world, SnSkinId skin, SnSkinMesh *out_mesh);

// Which leads of a skin that splits have come apart: vertices of that cell have lost that bone. SN_ERROR_INVALID if it
// does not split.
SN_API SnResult sn_skin_apart(SnWorld *world, SnSkinId skin, bool *out_apart);

// All skins as they are now, in order of creation, computed by this call on the world's threads. Skin
// i has vertices from vertex_begin[i] up to vertex_begin[i + 1]. Valid until the next such call.
typedef struct SnSkinPoses {
    int skin_count, vertex_count;
    const SnSkinId *skins;
    const int *vertex_begin; // skin_count + 1
    const float *positions;  // x y z per vertex, m
    const float *normals;    // x y z per vertex
} SnSkinPoses;

// SN_ERROR_MEMORY if there is no room for the vertices.
SN_API SnResult sn_world_skins(SnWorld *world, SnSkinPoses *out_poses);

#ifdef __cplusplus
}
#endif
