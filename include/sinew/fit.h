// From meshes to rods and pills: muscles become bundles of rods, bones a few pills.
//
// Lengths are in the unit of the mesh, whatever that is; millimetres far from the origin are fine.
#pragma once

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_FIT_RODS 256
#define SN_MAX_FIT_SLICES 256
#define SN_MAX_FIT_POINTS 4096 // of all rods together
#define SN_MAX_FIT_PILLS 256
#define SN_MAX_FIT_MESSAGES 12
#define SN_MAX_FIT_STAGES 10

typedef struct SnFitSphere {
    SnVec3 centre;
    float radius; // ≥ 0; 0: what is nearest to the centre
} SnFitSphere;

// The mesh of a bone, in the same unit and place as that of the muscle.
typedef struct SnFitBone {
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const uint32_t *triangles; // three vertices per triangle
} SnFitBone;

// Where a muscle starts or ends: all that is inside of the spheres; the triangles of its mesh whose three
// vertices are all listed, and what is nearest to the others, so that painted vertices and materials are
// such lists; and for each bone the end face that is nearest to it. Without any of these it is found
// from the shape.
typedef struct SnFitEnd {
    int sphere_count, vertex_count, bone_count;
    const SnFitSphere *spheres;
    const int *vertices;
    const SnFitBone *bones;
} SnFitEnd;

typedef enum SnFitPlace {
    SN_FIT_BETWEEN = 0,
    SN_FIT_AT_SOURCE,
    SN_FIT_AT_SINK,
} SnFitPlace;

typedef enum SnFitRadii {
    SN_FIT_RADII_SLICE = 0, // one per slice, as in the paper
    SN_FIT_RADII_OWN,       // one per point: closer to meshes that are not equally thick everywhere
} SnFitRadii;

// Called now and then with what is done of all, 0 to 1; false: stop.
typedef bool SnFitProgress(const char *stage, double done, void *context);

typedef struct SnViperizeDef {
    uint32_t cookie; // set by sn_default_viperize_def
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const uint32_t *triangles; // three vertices per triangle
    int rods;                  // 1 to SN_MAX_FIT_RODS, default 8
    // Points of each rod, 2 to SN_MAX_FIT_SLICES. 0, the default: 8, or more for a muscle that is more
    // than ten times as long as thick.
    int slices;
    SnFitEnd source, sink;
    SnFitRadii radii;
    SnFitProgress *progress; // may be NULL
    void *progress_context;
} SnViperizeDef;

// How well pills fill a mesh.
typedef struct SnFitQuality {
    double volume;       // of the mesh, as mended
    double volume_ratio; // of the union of all pills over that
    double rms;          // distance from the mesh to the surface of the union, root mean square
    double hausdorff;    // the largest distance, from either of the surfaces to the other
    double length;       // of the mesh from source to sink; of a bone, its longest way inside
    double thickness;    // 2 √(volume / (π length)): the diameter of a cylinder of this length
    double shortest, longest; // rods, or pills, from centre to centre
} SnFitQuality;

typedef struct SnFitStage {
    const char *name;
    double ms;
} SnFitStage;

// What was done to the mesh and what to look at, in words, and how long it took.
typedef struct SnFitReport {
    int message_count, stage_count;
    char messages[SN_MAX_FIT_MESSAGES][200];
    SnFitStage stages[SN_MAX_FIT_STAGES];
} SnFitReport;

// Point j of rod k is number k · slice_count + j. Arrays of one allocation; free them with
// sn_viper_destroy.
typedef struct SnViper {
    int rod_count, slice_count;
    SnVec3 *positions;
    float *radii;
    float *levels;  // of the slices, on the way from source (0) to sink (1)
    SnVec3 *combed; // where the points were on their slices before they were fitted to the mesh
    // What the rods were made from, to be shown: the mended mesh, with how far its vertices are on the
    // way from source (0) to sink (1) by the field and whether they are at one of them (an SnFitPlace),
    // and points of the slices, those of slice j from slice_begin[j] to slice_begin[j + 1].
    int vertex_count, triangle_count;
    SnVec3 *mesh_positions;
    float *mesh_field;
    uint8_t *mesh_places;
    uint32_t *mesh_triangles;
    int *slice_begin;
    SnVec3 *slice_points;
    SnFitQuality quality;
    SnFitReport report;
    SnAllocator allocator;
    size_t size;
} SnViper;

// Converts the mesh of a muscle to rods that fill it (VIPER, section 8.1). A mesh that is open, has
// several shells or winds this way and that is mended as far as that is clear, and the report says so.
// `allocator` may be NULL: malloc.
SN_API SnViperizeDef sn_default_viperize_def(void);
SN_API SnResult sn_viperize(const SnViperizeDef *def, const SnAllocator *allocator,
                            SnViper *out_viper);
SN_API void sn_viper_destroy(SnViper *viper);

typedef struct SnBonifyDef {
    uint32_t cookie; // set by sn_default_bonify_def
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const uint32_t *triangles; // three vertices per triangle
    int pills;                 // at most so many, 1 to SN_MAX_FIT_PILLS, default 12
    SnFitProgress *progress;   // may be NULL
    void *progress_context;
} SnBonifyDef;

// A graph of pills: edge i goes from sphere edges[2 i] to sphere edges[2 i + 1]. Arrays of one
// allocation; free them with sn_bone_pills_destroy.
typedef struct SnBonePills {
    int sphere_count, pill_count;
    SnVec3 *positions;
    float *radii;
    int *edges;
    SnFitQuality quality;
    SnFitReport report;
    SnAllocator allocator;
    size_t size;
} SnBonePills;

// Fits a few pills to the mesh of a bone: simplification to spheres (Thiery et al. 2013) with pills
// between them and nothing else.
SN_API SnBonifyDef sn_default_bonify_def(void);
SN_API SnResult sn_bonify(const SnBonifyDef *def, const SnAllocator *allocator,
                          SnBonePills *out_pills);
SN_API void sn_bone_pills_destroy(SnBonePills *pills);

#ifdef __cplusplus
}
#endif
