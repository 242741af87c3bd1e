// How the Hessian of a creature is eliminated: which unknowns in which order, and where its numbers
// lie. It follows from the graph alone and is made once for all creatures that share it.
//
// Unknowns come in groups: X of a vertex (3), S of a vertex (1), T of a segment (3, its turn). A
// station is what is eliminated at once: a vertex and the segment over which the walk of graph.h
// reached it, X T S; a segment that closes a cycle, T; and at last the vertex where the walk began,
// X S. Stations come in the order of the walk backwards, from the tips to the root. In a tree, what
// is left behind a station are then its siblings (T S), the vertex and the segment that carry them
// (X T S), and the scale of the vertex before. Around cycles there is more.
//
// The numbers are the upper part of U in H = Uᵀ D⁻¹ U, one dense block of rows per station: its own
// columns, then those of the groups behind it. Rows are cleared, and elements added to them, just
// before they are needed, so that they are still in the cache when they are eliminated.
#pragma once

#include "rod/graph.h"

// Creatures whose elimination would need more numbers than this per segment are solved directly only if
// that is asked for. A chain has 105, a tree with 32 segments at every vertex 500; only nets are beyond
// it.
#define SYMBOLIC_NUMBERS 640
// More than this, and twice as many updates, are too many whoever asks: 1 GB.
#define MOST_NUMBERS (1 << 24)
#define MOST_TARGETS (1 << 27)

typedef struct SymbolicStation {
    int first, count;         // its unknowns
    int at, width;            // its rows: where they begin, and how long each is
    int behind, behind_count; // its groups behind, in RodSymbolic.behind
    int targets;              // its updates, in RodSymbolic.target
    int vertex, segment;      // whose unknowns these are; −1: of none
    // What is done before it is eliminated: it ends here in clear_order, segment_order, joint_order.
    int clears, segments, joints;
} SymbolicStation;

// A group behind a station.
typedef struct SymbolicGroup {
    int unknown; // its first one
    int size;    // 3 or 1
    int column;  // in the rows of the station
    int from;    // the first of these rows that is not 0 there
    int width;   // of the rows that it will be eliminated with
} SymbolicGroup;

// Where a block of the Hessian lies, which may be transposed: (i, j) is at + i down + j right.
typedef struct SymbolicBlock {
    int at, down, right;
} SymbolicBlock;

// Blocks of a segment from vertex A to vertex B, and of a joint between the segments P and A, with
// the scales of the vertex where they meet (V) and of the far ends of P and of A (F).
enum {
    XA_XA,
    XA_T,
    XA_SA,
    XA_XB,
    XA_SB,
    T_T,
    T_SA,
    T_XB,
    T_SB,
    SA_SA,
    SA_XB,
    SA_SB,
    XB_XB,
    XB_SB,
    SB_SB,
    SEGMENT_PLACES
};
enum { TP_TP, TP_TA, TA_TA, TP_SV, TA_SV, SP_SP, SP_SV, SP_SF, SV_SV, SV_SF, SF_SF, JOINT_PLACES };

typedef struct RodSymbolic {
    int unknowns, numbers;
    double cost; // multiplications of the updates per segment, over those of a chain
    int stations, behinds, targets;
    SymbolicStation *station;
    SymbolicGroup *behind;
    // Where eliminating a station changes the rows of others: for every pair of the groups behind
    // it, first by first.
    int *target;
    int *x, *s, *t; // the first unknown of vertices and segments
    // Stations in the order in which their rows are first needed, and elements in the order of the
    // first station that they are part of.
    int *clear_order, *segment_order, *joint_order;
    SymbolicBlock (*segment)[SEGMENT_PLACES];
    SymbolicBlock (*joint)[JOINT_PLACES];
    size_t bytes;
    void *block;
} RodSymbolic;

// Memory for elimination (newton_graph_places.h), in rows of 64 bytes: of forces in double and their
// squares two per unknown, of forces in float, and of the numbers and the right side.
static inline size_t sn__symbolic_bytes(const RodSymbolic *symbolic) {
    return ((size_t)symbolic->numbers + 6 * (size_t)symbolic->unknowns) * 64;
}

// Makes graph->symbolic, which stays NULL if it would have more numbers than `most`. False without
// memory.
bool sn__graph_analyse(const SnAllocator *allocator, RodGraph *graph, int most);
void sn__symbolic_destroy(const SnAllocator *allocator, RodSymbolic *symbolic);
