// The rest shape of a rod, computed once from its definition in double precision.
#pragma once

#include <assert.h>

#include "body/body.h"
#include "math/vec.h"
#include "rod/graph.h"

typedef struct RodShape {
    int vertices, segments;
    bool closed, straight;
    const RodGraph *graph;        // NULL: a chain
    double *radius;               // per vertex, m
    double *length;               // per segment, m
    Quatd *frame;                 // per segment, rest
    Quatd *start_frame;           // per segment, at the start
    const float *stretch_factors; // of the definition
    size_t bytes;                 // of the one block that all of it is in
    void *block;
} RodShape;

// What a definition may say: m, kg/m³, Pa.
#define MIN_RADIUS 1e-5f
#define MAX_RADIUS 1e4f
#define MIN_SECTION 1e-7f // radius of a flat segment along one axis
#define MIN_DENSITY 0.1f
#define MAX_DENSITY 1e6f
#define MAX_STIFFNESS 1e15f
#define MAX_GRAVITY_SCALE 1e3f

// The vertices of a segment.
typedef struct RodEnds {
    int a, b;
} RodEnds;

static inline RodEnds sn__def_ends(const SnRodDef *def, int j) {
    assert(j >= 0);
    if (def->edges)
        return (RodEnds){def->edges[2 * j], def->edges[2 * j + 1]};
    return (RodEnds){j, j + 1 == def->vertex_count ? 0 : j + 1};
}

static inline int sn__def_segments(const SnRodDef *def) {
    return def->edges ? def->edge_count : (def->closed ? def->vertex_count : def->vertex_count - 1);
}

SnResult sn__rod_def_check(const SnRodDef *def);
SnResult sn__stiff_def_check(const SnRodDef *def, const char *name);
SnResult sn__rod_material_check(const SnRodMaterial *material, const char *name);

// What the register keeps of a rod, but for kind, system and item.
BodyDef sn__rod_body_def(const SnRodDef *def, int segments, const SnQuat *rest_frames);

// The definition must have passed the check. The graph is that of its edges, NULL without.
SnResult sn__rod_shape_create(const SnAllocator *allocator, const SnRodDef *def,
                              const RodGraph *graph, RodShape *out_shape);
void sn__rod_shape_destroy(const SnAllocator *allocator, RodShape *shape);

// Segment before joint j of a chain (−1 at the start of an open rod).
static inline int sn__shape_before(const RodShape *shape, int j) {
    return j > 0 ? j - 1 : (shape->closed ? shape->segments - 1 : -1);
}
