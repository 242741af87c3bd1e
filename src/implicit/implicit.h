// The inside of an implicit skin.
#pragma once

#include "base/tasks.h"
#include "implicit/crossings.h"
#include "implicit/kernels.h"
#include "math/map.h"
#include "sinew/implicit.h"
#include "skin/surface.h"

// Parts that one part may meet in a frame; of more, those that come first in the tree of boxes count.
#define PART_OTHERS 32 // as many as FieldPack.near has bits

// A mesh of the skeleton. Vertices of those that follow several joints are numbered one after the other.
typedef struct BoundMesh {
    int vertex_count, first;  // first: −1 if it follows one joint
    int at;                   // of its vertices among all that are given out
    const int *joint_numbers; // of its joints, among those of the skin
} BoundMesh;

// A joint that vertices follow.
typedef struct BoundJoint {
    int joint;
    Map bind; // from the space of the bound meshes to the joint's
    // In this frame: all of the map, its rotation, and what dual quaternions blend.
    float map[3][4];
    float scale;
    bool flat;
    SnQuat turn;
    float dual[4];
} BoundJoint;

// A point at rest and whom it follows, numbered in `joints` of the skin; weights of 0 come last.
typedef struct BoundPoint {
    SnVec3 rest;
    int joints[SN_MESH_JOINTS];
    float weights[SN_MESH_JOINTS];
} BoundPoint;

// A ball around the points of a pack, or around a muscle.
typedef struct FieldBall {
    SnVec3 centre;
    float radius;
} FieldBall;

// A point of the fat: where it hangs, how far it is from there, and its velocity, m and m/s.
typedef struct FatPoint {
    SnVec3 anchor, away, velocity;
    float thickness; // m, at rest
} FatPoint;

typedef struct Part {
    int joint;    // a BoundJoint
    int parent;   // the part that its joint hangs on; −1: none
    Vec3d middle; // of its points, at rest
    FieldGrid grid;
    int points;
    int blended[PART_OTHERS], blended_count; // parts that share vertices with it
} Part;

struct SnImplicit {
    SnAllocator allocator;
    SnTaskSystem tasks;
    TaskPool *pool; // NULL: the tasks are the user's
    const FieldKernels *kernels;
    const SnSkeleton *skeleton;
    SnBlending start;
    int centres, rounds;
    float bulge;

    BoundMesh *meshes;
    int mesh_count;
    int vertex_count, triangle_count, rigid_count; // bound vertices, and those of other meshes
    int vertex_room, triangle_room, joint_room;
    SnVec3 *rest, *rest_normals; // of the bound vertices, in one space
    uint32_t *triangles;
    SkinSurface surface;
    int *shells; // of the points of the surface: which of them hang together
    BoundJoint *joints;
    int joint_count;
    int *joint_numbers;

    Part *parts;
    int part_count;
    FieldPart *fields;
    BvhBox *boxes;
    Bvh tree;
    int *others;      // PART_OTHERS of each part
    FieldBend *bends; // of those it is blended with

    const SnMuscleField **muscles; // of the user
    int muscle_count, node_count;
    bool muscles_joined; // to the parts; before, these are fitted to the skin alone
    MuscleNode *nodes;   // of all muscles, in this frame, and behind those in the frame before
    FieldMuscle *field_muscles;
    FieldBall *muscle_balls;

    // Points in packs: those of a part one after the other, behind them those that are only blended.
    FieldPack *packs;
    int pack_count, pack_room, tracked_packs, tracked;
    int *slots;                  // of the points
    BoundPoint *points;          // by slot, as all that follows
    int *ring_begin, *fan_begin; // by pack
    RingRow *rings;
    RingEdges *ring_edges;
    FanRow *fans;
    int ring_count, fan_count;
    SkinPlace *geometric; // where blending puts it
    SnQuat *turns;        // how blending turns it
    float *scales;
    SkinPlace *places[2], *shown[2]; // see SkinRings
    SnVec3 *added;                   // to blending, in its own axes
    float *edges;                    // of a point at rest, their mean length
    SkinPlace *normal;
    SnVec3 *rest_normal;
    bool has_added;
    int still;        // frames since joints and muscles have moved
    bool has_settled; // nothing has moved since, and the skin is at rest
    bool uneven;      // some joint scales differently along its axes now

    SnFat fat;
    FatPoint *fat_points; // by slot; NULL: there is none
    float *fat_away;      // of packs: the largest swing, over edges
    int fat_age;          // frames that it has swung in; 1: it only knows where it hangs

    SkinCrossings crossings;
    SnVec3 *positions, *normals, *blended; // of vertices: bound ones, then those of other meshes
    double height, fit;
    int lost, touching;
    double away;
};

static inline int sn__slot_count(const SnImplicit *skin) { return skin->pack_count * FIELD_LANES; }

static inline SnVec3 sn__pack_point(const FieldPack *packs, int slot) {
    const FieldPack *p = &packs[slot / FIELD_LANES];
    int lane = slot % FIELD_LANES;
    return sn_vec3(p->x[lane], p->y[lane], p->z[lane]);
}

static inline void sn__pack_put(FieldPack *packs, int slot, SnVec3 x) {
    FieldPack *p = &packs[slot / FIELD_LANES];
    int lane = slot % FIELD_LANES;
    p->x[lane] = x.x;
    p->y[lane] = x.y;
    p->z[lane] = x.z;
}

// bind.c: meshes in one space, and the joints they follow.
SnResult sn__implicit_bind(SnImplicit *skin, const char *name);
// The joints that a point follows, by the first vertex there.
BoundPoint sn__implicit_point(const SnImplicit *skin, int point);

// parts.c: which joint has a part and who is in it, −1: nobody; one number per point. fit.c: fields.
SnResult sn__implicit_find_parts(SnImplicit *skin, int *out_part);
SnResult sn__implicit_fit(SnImplicit *skin, const int *part);

// packs.c: points by parts, their triangles, and what they have at rest.
// `part` becomes −1 for points that no field can place.
SnResult sn__implicit_pack(SnImplicit *skin, int *part);

// muscles.c: muscles under the skin, as the user has them at rest; which part each is in, whose grid is
// lowered along it; where they are in a frame, and near which packs. False: no memory.
bool sn__implicit_take_muscles(SnImplicit *skin, const SnMuscleField *const *muscles, int count);
bool sn__implicit_lower_parts(SnImplicit *skin);
bool sn__implicit_place_muscles(SnImplicit *skin);
void sn__implicit_meet_muscles(const SnImplicit *skin, FieldPack *pack, const FieldBall *ball);
void sn__implicit_free_muscles(SnImplicit *skin);

// While nothing moves, steps get smaller after some frames, so that the skin comes to rest: 1 and less.
#define PATIENCE 60
static inline float sn__implicit_vigour(const SnImplicit *skin) {
    return skin->still > PATIENCE ? 4.0f / (float)(skin->still - PATIENCE + 4) : 1.0f;
}

// What the kernels look at.
static inline FieldScene sn__field_scene(const SnImplicit *skin) {
    return (FieldScene){skin->fields, skin->others, skin->bends, skin->field_muscles, skin->bulge};
}

// place.c: joints, parts and blended points of a frame.
// Returns whether any joint has moved since the frame before; the next one likewise, of muscles.
bool sn__implicit_place_joints(SnImplicit *skin, const SnMap *maps);
bool sn__implicit_place_fields(SnImplicit *skin);                   // and their boxes
void sn__implicit_meet_parts(SnImplicit *skin);                     // whose boxes overlap
void sn__implicit_meet_packs(SnImplicit *skin, int begin, int end); // and those of packs
void sn__implicit_blend(SnImplicit *skin, int begin, int end);      // slots
SnVec3 sn__implicit_apply(const float map[3][4], SnVec3 x);

// deform.c: whether a point follows a joint that has become flat.
bool sn__implicit_follows_flat(const SnImplicit *skin, int slot);

// fat.c: how thick it is everywhere; false: no memory. Moves what is shown, `seconds` after the frame before.
bool sn__implicit_make_fat(SnImplicit *skin);
void sn__implicit_free_fat(SnImplicit *skin);
void sn__implicit_swing(SnImplicit *skin, float seconds);

// rings.c: neighbours, and the mean length of edges.
bool sn__implicit_make_rings(SnImplicit *skin);
void sn__implicit_free_rings(SnImplicit *skin);

static inline SkinRings sn__skin_rings(const SnImplicit *skin) {
    return (SkinRings){.ring_begin = skin->ring_begin,
                       .fan_begin = skin->fan_begin,
                       .rings = skin->rings,
                       .edges = skin->ring_edges,
                       .fans = skin->fans,
                       .turns = skin->turns,
                       .scales = skin->scales,
                       .point_edges = skin->edges,
                       .geometric = skin->geometric,
                       .places = {skin->places[0], skin->places[1]},
                       .shown = {skin->shown[0], skin->shown[1]},
                       .normals = skin->normal};
}
