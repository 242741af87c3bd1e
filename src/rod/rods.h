// All rods of a world: which pack and lane each one is in, and its life from definition to removal.
#pragma once

#include "base/ids.h"
#include "rod/shape.h"
#include "rod/solve.h"

// Classes of pack heights below SN_CUT_SEGMENTS + 1 (see sn__pack_rows), for rods and classic rods.
#define SN_PACK_CLASSES (2 * (SN_CUT_SEGMENTS + 2))

typedef struct Rod {
    int pack;         // −1: the slot is free
    int lane, pieces; // lanes [lane, lane + pieces)
    // The first longer_pieces pieces have one segment more than piece_segments.
    int piece_segments, longer_pieces;
    int vertices, segments;
    bool closed;
    SnRodMaterial material;
    int order; // index in RodSystem.order
    void *user_data;
} Rod;

typedef struct RodSystem {
    SnAllocator allocator;
    SnIdPool ids;
    Rod *rods; // by slot − 1
    uint32_t rod_capacity;
    RodPack **packs;
    int pack_count, pack_capacity;
    // Lists through RodPack.next, as index + 1: packs of a class that may have a free lane, and
    // packs whose memory was freed.
    int open[SN_PACK_CLASSES];
    int dead_pack;
    // Slots in order of creation, 0 where the rod is gone.
    uint32_t *order;
    int order_count, order_capacity;
} RodSystem;

typedef struct RodPlace {
    RodPack *pack;
    int lane, row;
} RodPlace;

SnResult sn__rods_create(RodSystem *rods, const SnRodDef *def, SnRodId *out_rod);
void sn__rods_remove(RodSystem *rods, SnRodId id);
void sn__rods_destroy(RodSystem *rods);
Rod *sn__rods_find(const RodSystem *rods, SnRodId id); // NULL if stale

// Where vertex or segment i of the rod is.
RodPlace sn__rod_place(const RodSystem *rods, const Rod *rod, int i);
// Where the joint at vertex i is; pack NULL if there is none (the ends of an open rod).
RodPlace sn__rod_joint(const RodSystem *rods, const Rod *rod, int i);

// Masses and stiffnesses from the material and the rest geometry of the rows.
void sn__rod_apply_material(RodSystem *rods, Rod *rod, const SnRodMaterial *material);

// Drops the gaps of `order`.
void sn__rods_compact(RodSystem *rods);
