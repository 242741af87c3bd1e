// The wide kernels of implicit skins: fields of parts, looked at from packs of points.
#pragma once

#include "implicit/grid.h"
#include "implicit/muscle_field.h"
#include "sinew/math.h"

#define FIELD_LANES 16
// In place of a distance that no field tells.
#define FIELD_FAR 1e6f

// A part as the kernels read it, with its joint somewhere.
typedef struct FieldPart {
    float to_grid[3][4]; // rows: from the world to cells of its grid
    float cell;          // m
    float reach;         // m, at rest
    float reach_now;     // m, as its joint scales it
    int size[3];
    const float (*samples)[4]; // NULL: it has no field now, as its joint has become flat
} FieldPart;

// A muscle as the kernels read it: it is joined to the field of one part.
typedef struct FieldMuscle {
    const MuscleNode *nodes;
    int count, part;
    float normal_axis,
        other_axis;    // squares of 1 over the half axes of its cross-sections, of area π
    float most_radius; // m, of its cross-sections, along their longer axis
    float unit;        // from metres to those of the part at rest
} FieldMuscle;

// Muscles that may be near one pack; of more, those that come first count.
#define PACK_MUSCLES 8

// Segments [begin, end) of a muscle: no other one can be nearest to a point of the pack.
typedef struct NearMuscle {
    int muscle, begin, end;
} NearMuscle;

// How a part has bent away from another one that it is blended with, since they were at rest.
typedef struct FieldBend {
    float way[3]; // the unit vector along which it went, as the other one sees it at rest
    float most;   // 1 − cos of the angle
} FieldBend;

// Sixteen points of one part, and the other parts they may meet: first those that their own one is
// blended with, then others that it can only touch. Lanes behind the last point repeat it.
typedef struct FieldPack {
    float x[FIELD_LANES], y[FIELD_LANES], z[FIELD_LANES];
    float iso[FIELD_LANES];   // the value that the field has at rest
    float depth[FIELD_LANES]; // m, the distance to their own part at rest
    float gap[FIELD_LANES];   // m, by which other parts have to be farther away than their own one
    float mix[FIELD_LANES];   // 1: they follow other parts as much as their own; 0: that alone
    float rest_x[FIELD_LANES], rest_y[FIELD_LANES], rest_z[FIELD_LANES]; // normals at rest
    float out_x[FIELD_LANES], out_y[FIELD_LANES], out_z[FIELD_LANES];    // unit vectors, see below
    float way[FIELD_LANES];   // m, as far as the last step wanted to go along that; FIELD_FAR: lost
    float touch[FIELD_LANES]; // 1: it is another part that stops it
    // The second nearest of what a point may lie on, see below: how far it was along its unit vector.
    float next_x[FIELD_LANES], next_y[FIELD_LANES], next_z[FIELD_LANES], next[FIELD_LANES];
    float offset_x[FIELD_LANES], offset_y[FIELD_LANES],
        offset_z[FIELD_LANES]; // m, see rings_wide.c
    float reach_now;           // m, of their own part
    bool quiet;                // none of them moves any more
    bool arrived;              // all of them were at their place before the last step
    bool lost;                 // the last step did not know where one of them is to go
    bool alone;                // all of them follow their own part alone
    bool rigid;                // that, and no other part is near
    float
        change; // the largest of what was added to its points, since the frame before, over their edges
    uint32_t near; // a bit for each of the others whose field may reach a point here, in this frame
    NearMuscle muscles[PACK_MUSCLES];
    int muscle_count;
    uint32_t near_muscles; // a bit for each of these, as `near` is
    // Parts: their own, and from `first` on in lists the others and their bends.
    int own, first, blended, count;
} __attribute__((aligned(64))) FieldPack;

// All that points look at.
typedef struct FieldScene {
    const FieldPart *parts;
    const int *others;
    const FieldBend *bends;
    const FieldMuscle *muscles;
    float bulge;
} FieldScene;

// One step of all points towards their place.
//
// With d the distance to the own part, its muscles included (muscle_wide.h), and f_k the fields of the parts that it is blended with, O is
// what combining them one by one gives (operators.h), and
//   inside = (O − iso)/|∇O|, the way out to the value at rest; where O hardly changes, as deep inside,
//            (depth − d)/|∇d| instead;
//   free   = (G − gap)/|∇G|, the way until it touches: G is the least of d_k − d over all other parts.
//            To those that it is blended with, 4 reach (c − 0.5) is added where their surfaces do not
//            face each other.
// Surfaces that were one at rest face each other on the inner side of a bend: with q the part of the
// normal at rest that points where the other part has gone, their cosine is c = 1 − (1 − cos β) g(q),
// where g goes from 0 at q = 0 to 1 at q = 0.6, and β is the angle of the bend. (Gradients of the fields
// tell the same at the surface, but not deep inside, where points may be that have yet to come out.)
// A point goes the shorter one of both ways, out where it is positive: it comes to lie where it lay at
// rest, or where two parts are equally deep in each other. At most 0.3 reach per step.
// Where it could lie on several of these surfaces, the next one is kept as well: what moves along the
// first must not pass it.
// Packs that are rigid or quiet stay.
typedef void FieldTrack(const FieldScene *scene, FieldPack *packs, int count);
// Sets iso, depth and gap (G itself) from where points are.
typedef void FieldMeasure(const FieldScene *scene, FieldPack *packs, int count);
// The field of one muscle, m, and its gradient at the points of packs: into depth and out_x, _y, _z.
typedef void FieldProbe(const FieldMuscle *muscle, FieldPack *packs, int count);

// Something of a point, for its neighbours to read.
typedef struct SkinPlace {
    SnVec3 at;
    float spare;
} SkinPlace;

// The k-th neighbour of each point of a pack, and its share in the mean of all neighbours; points with fewer
// have themselves, with none.
typedef struct RingRow {
    int32_t slot[FIELD_LANES];
    float share[FIELD_LANES];
} __attribute__((aligned(64))) RingRow;

// At rest, from each of these neighbours to the point, m.
typedef struct RingEdges {
    float x[FIELD_LANES], y[FIELD_LANES], z[FIELD_LANES];
} __attribute__((aligned(64))) RingEdges;

// The other corners of the k-th triangle around each point of a pack, and its normal at rest.
typedef struct FanRow {
    int32_t a[FIELD_LANES], b[FIELD_LANES];
    float x[FIELD_LANES], y[FIELD_LANES], z[FIELD_LANES];
} __attribute__((aligned(64))) FanRow;

// Points and their neighbours, by slot: sixteen times the number of the pack, and the lane. What a pass
// reads of neighbours lies in one array of two, and goes from there to the other one.
typedef struct SkinRings {
    const int *ring_begin, *fan_begin; // rows of a pack, up to those of the next one
    const RingRow *rings;
    const RingEdges *edges;
    const FanRow *fans;
    const SnQuat *turns;
    const float *scales, *point_edges;
    const SkinPlace *geometric;
    SkinPlace *places[2]; // m
    SkinPlace *shown[2];  // what is added to blending, in its axes and its scale
    SkinPlace *normals;
} SkinRings;

// All of these for packs from `begin` to `end`. What relaxing wants, into packs; relaxing; places of the
// points of packs into places[to]; agreement, from `from` to the other one; normals of places[0].
typedef void RingsOffset(const SkinRings *rings, FieldPack *packs, int begin, int end);
typedef void RingsRelax(const SkinRings *rings, int from, float relax, FieldPack *packs, int begin,
                        int end);
typedef void RingsPublish(const SkinRings *rings, int to, const FieldPack *packs, int begin,
                          int end);
typedef void RingsAgree(const SkinRings *rings, int from, const FieldPack *packs, int begin,
                        int end);
typedef void RingsNormals(const SkinRings *rings, int begin, int end);

// The numbers, from 0 on, of boxes that overlap another one, and how many they are: of `count` boxes from
// `begin` on, a multiple of FIELD_LANES, given by their sides as arrays, low x, y and z first.
typedef int BoxesNear(const float *const sides[6], int begin, int count, const float box[6],
                      int *out);

typedef struct FieldKernels {
    FieldTrack *track;
    FieldMeasure *measure;
    FieldProbe *probe;
    RingsOffset *offset;
    RingsRelax *relax;
    RingsPublish *publish;
    RingsAgree *agree;
    RingsNormals *normals;
    BoxesNear *boxes_near;
} FieldKernels;

// NULL if the library was built without it.
const FieldKernels *sn__field_kernels(SnIsa isa);
