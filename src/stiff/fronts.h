// Trees with joints that close rings, solved directly: which segment is eliminated when, and together with
// what.
//
// Without rings, a segment and all below it act on its parent alone (stiff_solve_wide.c). With them, they also
// act on the segments at the other ends of the rings that are not closed yet. So each segment has a symmetric
// matrix over its own motion and that of all of these, its front. Eliminating it takes its turn against its
// parent out of the front, and what is left belongs to the parent and the others
// (stiff_fronts_wide.c). The order in which this is done follows from the tree and the rings alone, and
// so does where all numbers lie.
//
// Segments that follow each other, and whose fronts are much the same, share one. A block of six columns of it
// is a segment, and, once that is eliminated, its parent, if nothing else acts on that: such segments are a
// strand. Blocks that are eliminated in the front come first, and then the rest, which are first segments of
// strands that are eliminated later.
#pragma once

#include "stiff/grove.h"

// What the way up leaves of a segment: its inertia about its own joint, of which that with translation is its
// mass, the stiffness of the joint × h², and how it gives way along the stretch (1/kg). Of a prop, the
// stiffness alone.
typedef struct StiffPivotRow {
    StiffLanes stiff[6], d[6], arm[3], give;
} StiffPivotRow;

// Numbers of a pivot, behind which its rows of the factor follow, each `width − from` long: three of its turn,
// one of its stretch, or three of where it goes if it is loose.
enum {
    PIVOT_X = 0,       // X, of the turn
    PIVOT_RUN = 6,     // from the parent's own joint to this one
    PIVOT_U = 9,       // along which the way to the joint stretches,
    PIVOT_SHARE = 12,  // and how much (StiffStretch)
    PIVOT_RIGHT = 13,  // of the solve: X m,
    PIVOT_LONGER = 16, // and as much of the stretch
    PIVOT_LOOSE = 17,  // of a root that hangs on nothing: how it answers to a force,
    PIVOT_PLACE = 23,  // and of the solve: where it goes
    PIVOT_HEAD = 32
};

typedef struct FrontPivot {
    int slot;
    int block;
    int parent;   // its block in the front, −1: it stands still, −2: it is loose
    bool goes_on; // its parent is the next pivot, of the same block
    bool stretches;
    int from; // column of the front that its rows begin with, a multiple of STIFF_LANES
    int prop_begin, props; // of Fronts.prop
    size_t at;             // in Fronts.factor
} FrontPivot;

// A loop is added where the first of its two segments is eliminated.
typedef struct FrontLoop {
    int loop;
    int block[2]; // by end of the loop
} FrontLoop;

typedef struct Front {
    int first, pivots;      // of Fronts.pivot
    int rest_begin, rest;   // of Fronts.rest, and of Fronts.place
    int loop_begin, loops;  // of Fronts.loop
    int blocks;             // of strands, and of the rest
    int parent;             // what is left is added to it; −1: none
    int width;              // of a row of its matrix
    bool first_child, leaf; // the first to add to its parent; nobody adds to it
    size_t at;              // in Fronts.work: above those that wait for it
} Front;

typedef struct Fronts {
    int pivot_count, front_count, rest_count, loop_count, prop_count, row_count;
    FrontPivot *pivot; // in the order in which they are eliminated
    Front *front;
    int *rest, *place; // pivots, and their blocks in the parent front
    FrontLoop *loop;
    int *prop; // slots
    StiffPivotRow *row;
    double *factor, *work;
    double *local;  // of one front, as wide as the widest
    double *vector; // by pivot: impulses and then motions, six numbers each
    size_t factor_size, work_size, local_size;
    bool whole; // all segments of the grove are pivots
} Fronts;

// From the rows of a grove, its props and loops. NULL without memory.
Fronts *sn__fronts_create(const SnAllocator *allocator, const Grove *grove);
// From Grove.response: the impulses, which are used up, and back: what has come of them.
void sn__fronts_take_impulses(Grove *grove);
void sn__fronts_give_motions(Grove *grove);
void sn__fronts_destroy(const SnAllocator *allocator, Fronts *fronts);
