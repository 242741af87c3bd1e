// What planting works with: arrange.c says what hangs on what, fill.c fills the rows.
#pragma once

#include "stiff/stiff.h"

// Numbers of a grove's segments run over its trees, one after the other.
typedef struct Arranging {
    StiffGrove *grove;
    StiffRod **stiff_of; // by segment
    int *index;          // in its tree
    int *first;          // by tree
    int *node;           // by segment, −1: fixed
    int *segment_of;     // by node
    int *joint;          // by node: that with its parent, −1: none
    int *pin;            // by root: vertex that it is rooted at, −1: none
    StiffNode *net;      // by node
    int *still_hold;     // by still: its hold
    int *prop_parent;    // nodes
    int *prop_joint;     // joint of its tree, −1: none
    bool *prop_holds;    // a point, and not only a direction
    double *give,
        *gives; // by node: how the way to it gives way at its joint, m/N; and how much of it, m
    int *slot;  // of nodes, props, stills and looses, one behind the other
    int *order; // nodes by place
    StiffCarried *carried; // by segment
    Vec3d *by;             // by node: how it is moved to close a way that was stretched
    int nodes, stills, looses, props, total, most_props, most_stills;
    void *block;
    size_t bytes;
} Arranging;

// The trees of segments that hang together in rings (span.h). False without memory.
bool sn__plant_span_nets(const SnAllocator *allocator, Arranging *arranging);
// Whether any way between two holds does.
bool sn__plant_stretches(Arranging *arranging);
// Rows of a grove whose net is scheduled, from what was carried over; holds from `first_prop_hold` on
// are those of props.
void sn__plant_fill(Arranging *arranging, const StiffSlots *slots, int first_prop_hold);
// Joints that no segment was reached by. False without memory.
bool sn__plant_close_rings(const SnAllocator *allocator, Arranging *arranging);
