// The rods of a world: which pack and lane each one is in, and its life from definition to removal.
#pragma once

#include <assert.h>

#include "body/kind.h"
#include "rod/fields.h"
#include "rod/shape.h"
#include "rod/substep.h"

// Classes of pack heights below CUT_SEGMENTS + 1 (see sn__pack_rows), for each kind of pack.
#define PACK_CLASSES (4 * (CUT_SEGMENTS + 2))

// A rod as its kind knows it (Body.item).
typedef struct Rod {
    int pack;
    int lane, pieces; // lanes [lane, lane + pieces)
    // The first longer_pieces pieces have one segment more than piece_segments.
    int piece_segments, longer_pieces;
    int vertices, segments;
    bool closed;
    SnRodMaterial material;
    // Of a creature that touches itself, else NULL: a bit for every pair of segments that are too
    // close to each other to touch (neighbours.c).
    uint64_t *near;
} Rod;

// What a worker needs for the pack that it is at.
typedef struct RodScratch {
    RodFields fields;
    RodLent lent;
    void *front; // NULL as long as no rod is solved directly
} RodScratch;

typedef struct RodSystem {
    SnAllocator allocator;
    BodyRegister *bodies;
    RodScratch *scratch; // one per worker
    int workers;
    RodPack **packs;
    int pack_count, pack_capacity;
    // Lists through RodPack.next, as index + 1: packs of a class that may have a free lane, and
    // packs whose memory was freed.
    int open[PACK_CLASSES];
    int dead_pack;
    RodGraph **graphs; // of creatures
    int graph_count, graph_capacity;
} RodSystem;

extern const BodyKind sn__rod_kind;

static inline RodSystem *rods_of(const Body *body) {
    assert(body->kind == &sn__rod_kind);
    return body->system;
}
static inline Rod *rod_of(const Body *body) {
    assert(body->kind == &sn__rod_kind);
    return body->item;
}

typedef struct RodAddress {
    RodPack *pack;
    int lane, row;
} RodAddress;

SnResult sn__rods_create(RodSystem *rods, const SnRodDef *def, SnBodyId *out_rod);
bool sn__rods_init(RodSystem *rods, const SnAllocator *allocator, BodyRegister *bodies,
                   int workers);
void sn__rods_release(RodSystem *rods);
void sn__rod_destroy(Body *body);

// Where vertex or segment i of a rod is.
RodAddress sn__rod_address(const RodSystem *rods, const Rod *rod, int i);
// The vertices of a segment.
void sn__rod_edge(const RodSystem *rods, const Rod *rod, int segment, int out[2]);

// Two segments that meet: p and a, at a vertex, and their other vertices.
typedef struct RodJoint {
    RodAddress at;
    int p, a, vertex, far_p, far_a;
    int branches; // segments at the vertex
} RodJoint;

int sn__rod_joint_count(const RodSystem *rods, const Rod *rod);
RodJoint sn__rod_joint(const RodSystem *rods, const Rod *rod, int k);

// Lengths, radii and rest rotations of the rows (elements.c).
void sn__rod_fill_geometry(RodSystem *rods, const Rod *rod, const RodShape *shape);
// Masses and stiffnesses from the material and the rest geometry of the rows.
void sn__rod_apply_material(RodSystem *rods, Rod *rod, const SnRodMaterial *material);

// Lets packs that have the same prepared numbers read them from one place (share.c).
void sn__rods_share(RodSystem *rods);
