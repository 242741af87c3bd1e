// Where a skin passes through itself, and how that is undone.
//
// Fields place points, not triangles: in a fold that is narrower than a triangle, and between coarse
// meshes, triangles may cross although every point is where its field wants it. What crosses is found
// and undone in passes, in what is shown; the next frame starts from what the fields have found.
#pragma once

#include "geom/bvh.h"
#include "sinew/math.h"

typedef struct SnImplicit SnImplicit;

// Crossings that one pack may have in a pass; of more, those that are found first count.
#define PACK_CROSSINGS 48

// Triangles that a pack may have; more are not looked at. A point has two of its own, on average.
#define PACK_TRIANGLES 128

// Packs that the triangles of one pack reach into; of more, the first ones count.
#define PACK_NEIGHBOURS 24

// Two triangles that cross, numbered in `corners`.
typedef struct Crossing {
    int a, b;
} Crossing;

// The triangles of a pack: those whose first corner, by slot, is one of its points.
typedef struct TrianglePack {
    int begin, count;                                 // in `corners`
    int neighbours[PACK_NEIGHBOURS], neighbour_count; // packs of their corners, in order
    SnVec3 axis;                                      // a unit vector
    float cosine; // the least, of the angle between the axis and the normal of any of them
    bool moved;   // since the pass before
    int found;
    Crossing crossings[PACK_CROSSINGS];
} TrianglePack;

typedef struct SkinCrossings {
    int (*corners)[3]; // slots
    int corner_room;
    float *sides[6]; // of triangles: low x, y and z of their boxes, then high ones
    TrianglePack *packs;
    BvhBox *boxes; // of these
    Bvh tree;
    // Of points, by slot:
    int *shells;    // which of them hang together
    float *weights; // how much a point is drawn to the mean of its neighbours, 0 to 1
    SnVec3 *pushes; // away from what it faces, in the axes of blending and its scale
    SnVec3 *
        drawn; // where that has brought it from where it agreed to be, likewise: the next frame begins there
    bool *held; // has been drawn or pushed since joints have moved
    // Of the frame:
    int *active; // slots that are drawn or pushed
    int active_count;
    bool *is_active;
    SnVec3 *agreed; // where such a point would be without
    float *marks;   // how much more it is to be drawn from now on
    SnVec3 *shifts; // and how much more pushed, m
    int left;       // crossings after the last pass
    float change;   // the largest since the frame before, of weights and of pushes over edges
} SkinCrossings;

// crossings.c: room, and the triangles of every pack but those that cross at rest; places[0] has to be
// the rest pose. False: no memory.
bool sn__crossings_create(SnImplicit *skin);
void sn__crossings_destroy(SnImplicit *skin);
// Finds those of places[0]; only those of packs that have moved. Returns how many there are.
int sn__crossings_find(SnImplicit *skin);

// uncross.c: after the points have agreed; moves places[0].
void sn__implicit_uncross(SnImplicit *skin);
