// The topology of creatures: which vertices are joined by segments, and which segments meet.
//
// It is shared by all rods that have the same edges; those lie side by side in packs of their own
// (RodPack.graph). Vertex i is row i of a lane, segment j row j and joint k row k.
//
// A joint is a pair of segments that meet at a vertex. Where n meet, there are n (n − 1)/2 joints,
// and each has 1/(n − 1) of the stiffness that the one joint of a chain has, so that every segment
// is held as firmly as it would be in a chain.
//
// Sections (sections.h) are sets of vertices that lie side by side. They connect what edges do not.
#pragma once

#include <assert.h>

#include "base/memory.h"
#include "sinew/rod.h"

typedef struct GraphJoint {
    int p, a;         // its segments, p < a
    int vertex;       // where they meet
    int far_p, far_a; // their other vertices
    int branches;     // segments at the vertex
} GraphJoint;

// A step of the walk over all segments, breadth first from the first vertex of segment 0, and again
// from the first segment that the walk has not reached.
typedef struct GraphStep {
    int segment;
    int from, to; // its vertices, in the direction of the walk
    int before;   // the segment over which the walk reached `from`; −1 in the first step of all
                  // that edges connect, whose segment it is for the others from that vertex
    bool closes;  // the walk had been at `to`: the segment closes a cycle
    bool leaf;    // the walk goes nowhere from `to`
    bool last;    // of the steps from `from` that close nothing
} GraphStep;

typedef struct RodGraph {
    int vertices, segments, joints;
    int (*edge)[2];
    GraphJoint *joint;
    GraphStep *walk; // one per segment
    // Segments at vertex i: incident[incident_begin[i]] up to incident_begin[i + 1].
    int *incident_begin, *incident;
    int *joint_begin; // joints at vertex i: from joint_begin[i] up to joint_begin[i + 1]
    // Vertices of section k: section_vertex[section_begin[k]] up to section_begin[k + 1].
    int sections, section_members;
    int *section_begin, *section_vertex;
    int *section_of; // of vertex i, where there are sections; −1: none
    // Whether all vertices are in sections, and every segment leads from one section to the next. Those
    // from section k: slice_segment[slice_begin[k]] up to slice_begin[k + 1].
    bool sliced;
    int *slice_begin, *slice_segment;

    uint64_t hash;
    int pack_count;               // packs that have it
    int open[4];                  // its packs that may have a free lane by kind, see RodSystem.open
    int analysed;                 // for the direct solver, up to so many numbers
    struct RodSymbolic *symbolic; // NULL: not planned, or it would have more (symbolic.h)
    size_t bytes;                 // of the block that all arrays are in
    void *block;
} RodGraph;

// What is wrong with the edges of a definition.
SnResult sn__graph_check(const SnRodDef *def, const char *name);

// The definition must have passed the check. NULL without memory.
RodGraph *sn__graph_create(const SnAllocator *allocator, const SnRodDef *def);
void sn__graph_destroy(const SnAllocator *allocator, RodGraph *graph);

uint64_t sn__graph_hash(const SnRodDef *def);
bool sn__graph_fits(const RodGraph *graph, const SnRodDef *def, uint64_t hash);

static inline int sn__graph_segment_at(const RodGraph *graph, int vertex) {
    assert(vertex >= 0 && vertex < graph->vertices);
    return graph->incident[graph->incident_begin[vertex]];
}
