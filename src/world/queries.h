// What queries share: all elements in a tree of boxes, and a question with its best answer so far.
#pragma once

#include "geom/bvh.h"
#include "geom/pill.h"
#include "sinew/query.h"
#include "world/world.h"

typedef struct QuerySegment {
    Pill pill;
    uint32_t body; // slot
    int index;
} QuerySegment;

// All segments in order of creation, as they were when the world had that stamp.
typedef struct QueryBvh {
    uint64_t stamp, revision;
    int refits;
    bool built;
    Bvh bvh;
    QuerySegment *segments;
    BvhBox *boxes;
    uint64_t *marks; // a bit per segment, all 0 between queries
    int count, capacity;
} QueryBvh;

// The tree of the world as it is now; NULL without memory.
QueryBvh *sn__query_tree(SnWorld *world);

// What is asked: a point, a ray from it, or a pill around it that goes along the ray. The best answer so
// far is a segment, a collider or none.
typedef struct Question {
    SnWorld *world;
    const QueryBvh *index;
    Vec3d point, direction;
    Pill pill;  // of casts
    Vec3d half; // of a box around the pill, from the point
    SnFilter filter;
    double best;
    int segment;       // −1: none
    uint32_t collider; // slot, 0: none
    int found;         // overlaps
} Question;

// False where there is nothing to ask: no world, no number, no memory.
bool sn__question_pose(SnWorld *world, SnVec3 point, float reach, SnFilter filter, Question *q);
bool sn__question_asks_segment(const Question *q, int item);
bool sn__question_asks_collider(const Question *q, uint32_t slot);
// A BvhBound: how far along the ray the point, with the box around it, meets a box.
double sn__question_way(const BvhBox *box, void *question);
// Takes an answer that is nearer than the best, which it returns. Of two that are as near, the one
// created first.
double sn__question_take(Question *q, int item, double value);
// The place on the surface of the best answer that is nearest to x. False if there is no answer.
bool sn__question_answer(const Question *q, Vec3d x, SnHit *out_hit);
