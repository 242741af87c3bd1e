// Stiff rods and trees: their rest shape, their joints, what holds them, and their life.
//
// A tree is made of rigid segments. Where several meet at a vertex, the one that leads there from
// vertex 0 is the stem, and all others are joined to it. Which joints close a ring is for arrange.c to
// say.
#pragma once

#include <assert.h>

#include "body/kind.h"
#include "math/bend.h"
#include "rod/shape.h"
#include "stiff/grove.h"

typedef struct StiffSegment {
    double length, mass;
    double inertia[3];
    double radius[2]; // of the cross-section, along the first and second axis
    double young, shear;
    double stretch; // Pa, along the segment: of a rope far more than in bending
} StiffSegment;

typedef struct StiffJoint {
    int a, b;            // segments; a is the stem
    double end_a, end_b; // from their centres, along their axes, m
    Quatd rest;          // from a's frame to b's; changes where the joint yields
    double k[3];         // N·m per radian
    double stress[3];    // in the outermost fibre, per radian about each axis, Pa
    bool broken;
    Vec3d ring_strain, ring_force; // of its loop when the rows were made anew, to start from
} StiffJoint;

typedef struct StiffPose {
    Vec3d x; // centre, from the tree's origin
    Quatd q;
    Vec3d v, w;
} StiffPose;

// A segment that moves to another row.
typedef struct StiffCarried {
    StiffPose pose;
    double tension;
    Vec3d a, b;                   // remembered, as in StiffState
    Vec3d force, torque, levered; // of the next step, as in StiffLoads
    int slot, up;                 // where it and its parent were
    double longer;                // as in StiffStretch
} StiffCarried;

// A held vertex or frame, led from one place to another over the sub-steps of a step.
typedef struct StiffLead {
    int index;
    int held;       // HELD_VERTEX or HELD_FRAME
    uint32_t owner; // whom it serves
    Vec3d x_from, x_to;
    Quatd q_from, q_to;
    bool curved; // it does not go straight (math/bend.h)
    Bend3 x_bend;
    Bend4 q_bend;
} StiffLead;

typedef struct StiffRod {
    struct StiffSystem *system;
    int grove; // index in the system
    int vertices, segments, joints;
    double origin[3];
    double gravity_scale;
    SnRodMaterial material;
    bool has_given;
    int twins[2]; // edges that join the same vertices; both 0: there are none

    int (*edge)[2];
    float *radius; // per point
    StiffSegment *segment;
    StiffJoint *joint;
    int *joints_begin, *joints_of; // of segment j: joints_of[joints_begin[j]] up to [j + 1]
    int *home; // by point: a segment there × 2, + 1 if it ends there; −1: none
    int *vertex_lead, *frame_lead; // numbers of leads, −1: none
    int *slot;                     // by segment, in the grove
    double *knot_mass;             // by point, as contacts feel it
    SnSegmentDef *given;           // by segment, as in the definition; NULL: none
    SnVec3 *rest_positions;        // by vertex
    Quatd *rest_frames;            // by segment
    StiffCarried *fresh;           // of a tree that is not planted yet, else NULL
    StiffLead *leads;
    int lead_count, lead_capacity;
    size_t bytes; // of the block of all but the last three
    void *block;

    // Points are what contacts see: vertices, and then the ends that broke off them (torn.c).
    int points;
    int broken;     // joints, as many as there are torn ends
    int (*ends)[2]; // by segment: its points
    bool tears;     // other joints are broken than when the points were made
    void *torn;     // the block of what is by point, NULL: nothing ever was torn
    size_t torn_bytes;
    int knots;     // the first of its knots, 0: it touches nothing
    bool touched;  // something may touch it in this step
    bool second;   // its rows are of second order in time
    bool rough;    // the last sub-step turned a segment too far for that (scheme.h)
    bool strained; // joints bear more than one solve knows how to turn
    Vec3d *press;  // by point: what contacts and links did to it in the last pass, as impulse × h
    double *press_size; // by point: the sum of its parts, whatever their direction
    int pressed;        // points with any of it
    Vec3d *moved;       // by point: by the last contacts of a sub-step
    Vec3d *pushed; // by point: the way out of overlaps that contacts wanted in the last sub-step
    Vec3d *evades; // by point: how a held rod goes then
    bool asleep;
    double fastest; // m/s that it may be in this sub-step (BodyKind.limit); 0: as fast as it will
    bool
        prestressed; // from the start; such a tree has a grove of its own, as its solves are repeated
} StiffRod;

// What the poses of still lanes and props follow.
typedef enum StiffHoldKind { HOLD_SEGMENT, HOLD_VERTEX, HOLD_FRAME, HOLD_CLAMP } StiffHoldKind;
typedef struct StiffHold {
    StiffRod *rod;
    StiffHoldKind kind;
    int index; // segment, or vertex of HOLD_VERTEX
    int slot;
} StiffHold;

// A point that links pull at, between two points of the tree, or a segment that a hinge turns; `turn` others of it come
// before it. By turn of the one that is pulled at: the displacement along each axis by a force along each, 1/kg. Of
// segments, turns and torques are in place of displacements and forces.
#define TIES_OF_A_TREE 64
typedef struct StiffTie {
    const StiffRod *rod;
    int point[2];
    double weight[2];
    int segment; // −1: it is a point
    int turn;
    double answer[TIES_OF_A_TREE][3][3];
    Vec3d drift; // where it goes in the next solve if nobody pulls, m or rad
} StiffTie;

typedef struct StiffGrove {
    Grove g;
    StiffRod **rods;
    int rod_count, rod_capacity;
    int segments;
    bool dirty; // must be planted anew
    bool damped, yields;
    int loaded; // 0, or how many solves the user's loads need at least
    bool ready; // its rows fit its trees
    StiffHold *holds;
    int hold_count, hold_capacity;
    StiffTie *ties; // of this step
    int tie_count, tie_capacity;
    double residual; // of the last step
    int iterations;
    uint32_t step_bits;
    int breaks; // joints that broke in the last step
} StiffGrove;

typedef struct StiffSystem {
    SnAllocator allocator;
    BodyRegister *bodies;
    int workers;
    StiffGrove *groves;
    int grove_count, grove_capacity;
    int open; // the grove that new trees go to
    int empty_groves;
    StiffLent *lent; // by worker
    int lent_count;
} StiffSystem;

// The definition must have passed all checks. NULL without memory. Where `home` of a vertex is −1 or
// there are twins, the tree is good for nothing but to be destroyed.
StiffRod *sn__stiff_create(StiffSystem *system, const SnRodDef *def);
void sn__stiff_destroy(StiffRod *rod);
void sn__stiff_apply_material(StiffRod *rod, const SnRodMaterial *material);
// Gives the ends of broken joints points of their own. False without memory.
bool sn__stiff_tear(StiffRod *rod);
void sn__stiff_weigh_points(StiffRod *rod);
// The kind's functions of the same names.
double sn__stiff_speed(const StiffRod *rod); // of its fastest end, m/s, or a little more
void sn__stiff_measure(const Body *body, SnVec3 gravity, BodySums *sums);
int sn__stiff_torn_count(const Body *body);
bool sn__stiff_torn_end(const Body *body, int segment, int end, SnTornEnd *out_end);

StiffPose sn__stiff_pose(const StiffRod *rod, int segment);
void sn__stiff_set_pose(StiffRod *rod, int segment, const StiffPose *pose);
// Slows a segment down where one of its ends, or its spin, is faster than what is allowed.
void sn__stiff_limit_speed(const StiffSegment *segment, StiffPose *pose);
// Only where an end is so fast along an axis that nobody could give it this velocity.
void sn__stiff_limit_start(const StiffSegment *segment, StiffPose *pose);
// Forgets the accelerations of what was put somewhere or given another velocity.
void sn__stiff_forget(StiffRod *rod, int segment);
void sn__grove_put_pose(Grove *grove, int slot, const StiffPose *pose);
// A vertex or any other point from the tree's origin, and its velocity.
Vec3d sn__stiff_vertex(const StiffRod *rod, int point, Vec3d *out_velocity);
static inline double sn__stiff_end(const StiffRod *rod, int segment, int vertex) {
    double half = 0.5 * rod->segment[segment].length;
    assert(rod->edge[segment][0] == vertex || rod->edge[segment][1] == vertex);
    return rod->edge[segment][1] == vertex ? half : -half;
}
// From the centre of the segment that it belongs to, along its axis.
static inline double sn__stiff_point(const StiffRod *rod, int point, int *out_segment) {
    assert(point >= 0 && point < rod->points && rod->home[point] >= 0);
    int j = rod->home[point] / 2;
    *out_segment = j;
    return rod->home[point] % 2 ? 0.5 * rod->segment[j].length : -0.5 * rod->segment[j].length;
}
// A free end of the rod: no other segment is at it, and none was.
bool sn__stiff_is_end(const StiffRod *rod, int segment, int vertex);
// A segment whose frame and one vertex are held is clamped at that vertex if it is an end: it is free,
// and half of its length gives way between its middle and the wall. −1: it is not.
static inline int sn__stiff_clamped_at(const StiffRod *rod, int segment) {
    assert(segment >= 0 && segment < rod->segments);
    const int *edge = rod->edge[segment];
    bool first = rod->vertex_lead[edge[0]] >= 0, second = rod->vertex_lead[edge[1]] >= 0;
    if (rod->frame_lead[segment] < 0 || first == second)
        return -1;
    int vertex = first ? edge[0] : edge[1];
    return sn__stiff_is_end(rod, segment, vertex) ? vertex : -1;
}
// Held as a whole: its frame and both vertices, or one that others hang on, too.
static inline bool sn__stiff_is_fixed(const StiffRod *rod, int segment) {
    assert(segment >= 0 && segment < rod->segments);
    const int *edge = rod->edge[segment];
    return rod->frame_lead[segment] >= 0 &&
           (rod->vertex_lead[edge[0]] >= 0 || rod->vertex_lead[edge[1]] >= 0) &&
           sn__stiff_clamped_at(rod, segment) < 0;
}
// E A, N.
static inline double sn__stiff_axial_stiffness(const StiffSegment *s) {
    return s->stretch * 3.14159265358979323846 * s->radius[0] * s->radius[1];
}
// Stiffness of the joint, N·m per radian: beside a fixed segment, only the other half gives way.
void sn__stiff_joint_stiffness(const StiffRod *rod, const StiffJoint *joint, double out_k[3]);
// Between the middle of an end segment and the wall that its frame is held by.
void sn__stiff_wall_stiffness(const StiffRod *rod, int segment, double out_k[3]);

extern const BodyKind sn__stiff_kind;

static inline StiffRod *stiff_of(const Body *body) {
    assert(body->kind == &sn__stiff_kind);
    return body->item;
}

SnResult sn__stiff_rods_create(StiffSystem *system, const SnRodDef *def, SnBodyId *out_body);
bool sn__stiff_rods_add(StiffSystem *system, StiffRod *rod);
void sn__stiff_rods_remove(StiffSystem *system, StiffRod *rod);
void sn__stiff_rods_destroy(StiffSystem *system);
// Trees whose joints or holds changed get new rows. False without memory.
bool sn__stiff_arrange_all(StiffSystem *system);
// Room for what the workers lend to groves. False without memory.
bool sn__stiff_rods_lend(StiffSystem *system, int workers);
bool sn__grove_arrange(StiffSystem *system, StiffGrove *grove);
// First order in the next sub-step for trees that something may touch, and for rough ones (scheme.h).
void sn__grove_choose_schemes(StiffGrove *grove);
// Before a sub-step is finished: which trees are rough.
void sn__grove_find_rough(StiffGrove *grove);
// After it is: they are of first order.
void sn__grove_leave_rough(StiffGrove *grove);
void sn__grove_clear_loads(StiffGrove *grove); // those of the user
