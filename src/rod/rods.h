// All rods of a world: which pack and lane each one is in, and its life from definition to removal.
#pragma once

#include "base/ids.h"
#include "rod/shape.h"
#include "rod/solve.h"

// Classes of pack heights below CUT_SEGMENTS + 1 (see sn__pack_rows), for each kind of pack.
#define PACK_CLASSES (4 * (CUT_SEGMENTS + 2))

typedef struct RodKind RodKind; // kind.h

typedef struct Rod {
    const RodKind *kind; // NULL: it lives in lane packs; else `body` is all there is of it
    void *body;
    int pack;         // −1: the slot is free, or it has a kind
    int lane, pieces; // lanes [lane, lane + pieces)
    // The first longer_pieces pieces have one segment more than piece_segments.
    int piece_segments, longer_pieces;
    int vertices, segments;
    bool closed;
    SnRodMaterial material;
    SnSurface surface;
    SnFilter filter;
    bool self_collide;
    // The rest pose, which skins are bound to: positions from rest_origin, one frame per segment.
    double rest_origin[3];
    SnVec3 *rest_positions;
    SnQuat *rest_frames;
    // Of a creature that touches itself, else NULL: a bit for every pair of segments that are too
    // close to each other to touch (neighbours.c).
    uint64_t *near;
    int links; // that hold it
    int order; // index in RodSystem.order
    void *user_data;
} Rod;

typedef struct RodSystem {
    SnAllocator allocator;
    IdPool ids;
    Rod *rods; // by slot − 1
    uint32_t rod_capacity;
    RodPack **packs;
    int pack_count, pack_capacity;
    // Lists through RodPack.next, as index + 1: packs of a class that may have a free lane, and
    // packs whose memory was freed.
    int open[PACK_CLASSES];
    int dead_pack;
    RodGraph **graphs; // of creatures
    int graph_count, graph_capacity;
    // Slots in order of creation, 0 where the rod is gone.
    uint32_t *order;
    int order_count, order_capacity;
} RodSystem;

typedef struct RodPlace {
    RodPack *pack;
    int lane, row;
} RodPlace;

SnResult sn__rods_create(RodSystem *rods, const SnRodDef *def, SnBodyId *out_rod);
// A rod of another kind: gets an id, and all that rods of every kind have. Its rest frames are all
// that it needs of its shape. The body is not destroyed when this fails.
SnResult sn__rods_adopt(RodSystem *rods, const SnRodDef *def, const RodKind *kind, void *body,
                        int segments, const SnQuat *rest_frames, SnBodyId *out_rod);
void sn__rods_remove(RodSystem *rods, SnBodyId id);
void sn__rods_destroy(RodSystem *rods);
Rod *sn__rods_find(const RodSystem *rods, SnBodyId id); // NULL if stale

// Where vertex or segment i of a rod in packs is.
RodPlace sn__rod_place(const RodSystem *rods, const Rod *rod, int i);
// Where a vertex is in the world; its radius, if asked for.
Vec3d sn__rod_vertex(const RodSystem *rods, const Rod *rod, int vertex, double *out_radius);
float sn__rod_rest_radius(const RodSystem *rods, const Rod *rod, int vertex);
// The vertices of a segment.
void sn__rod_edge(const RodSystem *rods, const Rod *rod, int segment, int out[2]);
// Where it ends now, for sn__rod_vertex and sn__rod_knot: what broke off a vertex has ends beyond them.
void sn__rod_ends(const RodSystem *rods, const Rod *rod, int segment, int out[2]);

// Two segments that meet: p and a, at a vertex, and their other vertices.
typedef struct RodJoint {
    RodPlace at;
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

// Drops the gaps of `order`.
void sn__rods_compact(RodSystem *rods);
