// The rest shape of a rod, computed once from its definition in double precision.
#pragma once

#include "base/memory.h"
#include "math/vec.h"
#include "sinew/rod.h"

typedef struct RodShape {
    int vertices, segments;
    bool closed;
    double *radius;     // per vertex, m
    double *length;     // per segment, m
    Quatd *frame;       // per segment, rest
    Quatd *start_frame; // per segment, at the start
    size_t bytes;       // of the one block that all of it is in
    void *block;
} RodShape;

#define SN_MAX_GRAVITY_SCALE 1e3f

SnResult sn__rod_def_check(const SnRodDef *def);
SnResult sn__rod_material_check(const SnRodMaterial *material, const char *name);

// The definition must have passed the check.
SnResult sn__rod_shape_create(const SnAllocator *allocator, const SnRodDef *def,
                              RodShape *out_shape);
void sn__rod_shape_destroy(const SnAllocator *allocator, RodShape *shape);

// Vertex behind segment j, and segment before joint j (−1 at the start of an open rod).
static inline int sn__shape_next(const RodShape *shape, int j) {
    return j + 1 == shape->vertices ? 0 : j + 1;
}
static inline int sn__shape_before(const RodShape *shape, int j) {
    return j > 0 ? j - 1 : (shape->closed ? shape->segments - 1 : -1);
}
