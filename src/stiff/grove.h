// Groves: stiff rods and trees as the direct solver sees them.
//
// A grove holds the rigid segments of one tree or of several in rows of STIFF_LANES. A segment is
// solved after all its children, so rows follow the tree from its leaves to its roots, and the
// segments of a row have nothing to do with each other: twigs of one tree, or hairs of a head.
//
// Large groves are cut into parts, subtrees that threads can work on at the same time. The part in
// the middle, which joins them, comes after all others on the way up and before them on the way
// down. What a part hands to the middle waits in its last rows (`exports`).
//
// Every row has a parent for each of its lanes, as a place: row × STIFF_LANES + lane. Where the
// parents of a row lie side by side in the same lanes of one row, they are read and written as
// vectors; chains of equal length always do.
//
// The solver is written down in docs/physics.md.
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "math/vec.h"

#define STIFF_LANES 8

typedef double StiffLanes[STIFF_LANES] __attribute__((aligned(64)));

typedef struct StiffState {
    StiffLanes x, y, z;        // centre of mass, from the origin of the body, m
    StiffLanes qx, qy, qz, qw; // frame; its third axis is the segment's
    StiffLanes tension;        // of the last sub-step, as stiffness against turning × h²
    StiffLanes vx, vy, vz;     // m/s; from here on, solves do not look
    StiffLanes wx, wy, wz;     // rad/s, world
    StiffLanes ax, ay, az;     // remembered (scheme.h): what its joints do to it, m/s²,
    StiffLanes bx, by, bz;     // and all that turns it, in the axes of its frame, N·m
} StiffState;

// From the definition and the shape of the tree. The joint is the one with the parent.
typedef struct StiffRest {
    StiffLanes mass;       // kg; 0 in lanes that are not in use
    StiffLanes i1, i2, i3; // moments of inertia about the frame's axes, kg·m²
    StiffLanes end;        // from the centre to the joint, along the axis, m
    StiffLanes far;        // the same for the parent
    StiffLanes run;        // from the parent's own joint to this one, along the parent's axis, m
    StiffLanes ux, uy, uz, uw; // rest rotation from the stem's frame to the other one's
    StiffLanes sign;           // 1: the parent is the stem of the joint, −1: it is the other one
    StiffLanes kx, ky, kz;     // stiffness against turning, N·m per radian
    StiffLanes hold; // 1: the points of the joint stay together, 0: they do not. Of a prop,
                     // the stiffness that keeps them together, N/m; × h², it is `mass` at least
    StiffLanes damping; // s, relaxation time
    StiffLanes second;  // 1: second order in time, 0: implicit Euler, ROUGH (scheme.h)
    StiffLanes rooted;  // 1: the tree stands on something; 0: it is free
    StiffLanes weight,
        drag; // factor on gravity; rate at which velocities decay, 1/s; from here on,
              // solves do not look
    StiffLanes length, wide_x, wide_y; // m: and half widths along the frame's first two axes
} StiffRest;

// What the way up leaves for the way down: the segment turns by
//   θ = θ_parent − slack + φ,  φ = right − turn_t·t − turn_θ·θ_parent,
// where t is the motion of the joint's point on the parent.
typedef struct StiffFactor {
    StiffLanes t[9], r[9];     // turn_t, turn_θ by rows; of rows that are not laden only if
                               // mobilities or replies are asked for
    StiffLanes vx, vy, vz, vw; // the joint's rotation from its rest; the last × its sign
    StiffLanes right_x, right_y, right_z; // X ĝ_θ; of a prop, the first is its stiffness × h²
    StiffLanes slack_x, slack_y, slack_z; // turn that would settle the strain
    StiffLanes run_x, run_y, run_z;       // from the parent's own joint to this one
    StiffLanes compliance[6];             // X, where a lane is not laden or it is asked for
    StiffLanes gap_x, gap_y, gap_z;       // from the segment's point to the parent's
} StiffFactor;

typedef struct StiffMotion {
    StiffLanes tx, ty, tz;     // displacement of the joint's point in the last solve
    StiffLanes rx, ry, rz;     // turn
    StiffLanes sx, sy, sz;     // strain that the multipliers of the sub-step stand for
    StiffLanes fx, fy, fz;     // where the centre would be without its joints
    StiffLanes nx, ny, nz;     // moments × h of this sub-step's impulses about the centre, in all
    StiffLanes gx, gy, gz, gw; // predicted frame; what follows, only first solves look at
    StiffLanes ox, oy, oz;     // of a prop: impulse × h on its segment in this sub-step
    StiffLanes kx, ky, kz;     // impulse × h on the centre that is known when the sub-step begins
    StiffLanes ux, uy, uz;     // and its moment about the centre
    StiffLanes px, py, pz;     // impulses × h on the segment for the next solve, moments besides,
    StiffLanes mx, my, mz;     // and the impulses times how far from the own joint they act, along
    StiffLanes ex, ey, ez;     // the axis; left at 0
    StiffLanes qx, qy, qz, qw; // frame at the start of the sub-step
    StiffLanes dx, dy, dz;     // part of the strain then that damping holds on to
    StiffLanes bx, by, bz;     // centre then
    StiffLanes lean;           // of the wind, as stiffness against turning × h²
    StiffLanes cx, cy, cz; // pull of the children on their joints × h², and the same times the
    StiffLanes lx, ly, lz; // distances of those joints from the centre, less what props, loops,
                           // contacts and links do at theirs; left at 0
} StiffMotion;

// How a segment answers to a force on the point of its own joint and to a moment: displacement and
// turn are [tt rtᵀ; rt rr]·(force, moment).
typedef struct StiffCompliance {
    StiffLanes tt[6], rt[9], rr[6];
} StiffCompliance;

// What a set of impulses does to all segments at once, without moving them: displacement of the own
// joint's point and turn. On the way up, the impulses × h, about the own joint.
typedef struct StiffResponse {
    StiffLanes t[3], r[3];
    StiffLanes g[6]; // left at 0
    StiffLanes a[6]; // of what is loose: its own answer
} StiffResponse;

// Where a tree is held twice, the way from one hold to the other gives way along itself: the point of the
// parent's joint moves along the parent's axis u. With N = [a bᵀ; b d] what the parent would feel without
// that, N u = (a u, b u), and c the compliance per h², the solver has s = c/(1 + c u·a u), and the joint
// is longer by s (u·g − a u·t − b u·θ) after a solve.
typedef struct StiffStretch {
    StiffLanes give;         // m/N; 0: it does not
    StiffLanes most, longer; // m: at most, either way, and now
    // Of the sub-step: what damping holds on to of it, and what its multiplier stands for.
    StiffLanes held, strain;
    // Of the solve.
    StiffLanes u[3], a[3], b[3]; // u, s a u, s b u
    StiffLanes share, right;     // s, s u·g
    StiffLanes answer;           // as `right`, of the impulses of a response
} StiffStretch;

// Of one step: force on the centre (N) and torque (N·m), of forces elsewhere on the axis also F × how far from the
// centre along it (N·m), as their moment turns with the segment, and the velocity of the air there (m/s).
typedef struct StiffLoads {
    StiffLanes fx, fy, fz, tx, ty, tz;
    StiffLanes lx, ly, lz;
    StiffLanes ax, ay, az;
} StiffLoads;

// What children add to a segment, about its own joint: inertia a (with translation), b (turn by
// translation), d (turn), and the right side. Where forces are corrected, also: how hard the joints of
// the children pull at them, and how that resists the segment's turning.
enum {
    SUM_A = 0,
    SUM_B = 6,
    SUM_D = 15,
    SUM_G = 21,
    SUM_PULL = 27,
    SUM_TENSION = 30,
    SUM_FIELDS = 32 // with one to fill the line
};
// Segment by segment, so that what a child adds is a few lines side by side; rows that are `straight`
// have it field by field, as everything else.
typedef union StiffSum {
    double of[STIFF_LANES][SUM_FIELDS] __attribute__((aligned(64)));
    StiffLanes f[SUM_FIELDS];
} StiffSum;

// A joint that closes a ring, between two segments of the trees (tree/loops.h). As at other joints, b
// is held to a, and what is kept of its multipliers is what they stand for.
typedef struct StiffLoop {
    int rod, joint; // of which grove's trees, and of its joints; loops of one tree lie side by side
    int slot[2];
    double end[2]; // from the centre of each segment to the joint, along its axis, m
    Quatd rest;
    double k[3], damping;     // as in StiffRest
    double hold, least, most; // stiffness that keeps the points together, N/m; bounds on that × h²
    bool second;              // as in StiffRest
    bool alone;               // its tree has no other loop: it is a ring

    // Of the sub-step: strain that damping holds on to, strain and impulse × h on b that the solves
    // have come to, and the moment that the segments were told of.
    Vec3d held, strain, force, told;

    // Of the solve: from the segments' own joints to this one; strain per turn; roots of the
    // stiffnesses; what there is to settle, what is left of it, and the multipliers; of rings, the vectors of
    // the method of conjugate gradients, the inverse of the block on the diagonal, and sizes of what is left.
    Vec3d arm[2], turn[3];
    double root[4];
    double right[6], left[6], sum[6], way[6], product[6];
    double inverse[6][6];
    double size, first_size;
} StiffLoop;

typedef enum StiffRowKind {
    ROW_STILL, // fixed segments and pins: they do not move in a solve
    ROW_LOOSE, // what free trees hang on: nothing, in mid-air
    ROW_PROP,  // fixed ends beside the one that a tree is rooted at: children that stand still
    ROW_JOINT, // segments
} StiffRowKind;

typedef struct StiffRow {
    int32_t parent[STIFF_LANES];
    int32_t aligned; // the row that holds all parents in the same lanes, or −1
    uint8_t kind, count;
    uint8_t laden; // by lane, a bit: somebody adds to its sum
    bool straight; // only aligned rows do
    bool standing; // all its trees stand on something
    bool forward;  // all its parents are the stems of their joints
    bool tight;    // no gaps in the last solve; then StiffFactor has none
} StiffRow;

// Rows [begin, end) in order; those from `exports` on hand over to another part.
typedef struct StiffPart {
    int begin, exports, end;
    double residual; // of its last solve
    double turn;     // the farthest of it, rad²
} StiffPart;

// What nobody asks for after a step. Groves of one part borrow it from the worker that is at them, so
// that it stays in that worker's cache; others have their own, and their parts borrow the sums.
typedef struct StiffLent {
    int rows;
    StiffFactor *factor;
    StiffSum *sum; // left at 0
} StiffLent;

typedef struct Grove {
    int rows, row_capacity;
    StiffRow *row;
    StiffState *state;
    StiffRest *rest;
    StiffMotion *motion;
    StiffLoads *loads;
    StiffFactor *factor; // own or borrowed, as `sum`
    StiffSum *sum;
    StiffLent own;
    const StiffLent *lent;       // by worker; parts before the middle cannot be solved without
    StiffCompliance *compliance; // NULL: nobody asks for mobilities
    StiffResponse *response;     // NULL: nobody asks for replies
    StiffStretch *stretch;       // NULL: no tree is held twice
    // The next solve is not the first of its sub-step: forces turn with the segments since the last
    // one, and what that leaves out of balance goes to its right side.
    bool correct;
    // What a solve need not look at: impulses of contacts, strains that damping holds on to, the wind's
    // lean.
    bool calm, undamped, still_air;
    StiffLoop *loops;
    int loop_count, loop_capacity;
    struct Fronts *fronts; // NULL: there are no loops but rings
    // The last one is the middle. Behind the rows of all parts come those of props, of what stands
    // still, and of what is loose.
    StiffPart *parts;
    int part_count, part_capacity;
    int prop_begin, still_begin, loose_begin;
    double reach; // m, from the centre of any segment to its ends at most
    double turn;  // the farthest that a solve of the sub-step has turned a segment by, rad²
} Grove;

bool sn__grove_reserve(const SnAllocator *allocator, Grove *grove, int rows, int parts);
// Make room for mobilities, and for replies, where there is none.
bool sn__grove_reserve_own(const SnAllocator *allocator, Grove *grove); // factors and sums
bool sn__grove_reserve_compliance(const SnAllocator *allocator, Grove *grove);
bool sn__grove_reserve_response(const SnAllocator *allocator, Grove *grove);
// Room for stretches, all of them 0, or none.
bool sn__grove_reserve_stretch(const SnAllocator *allocator, Grove *grove, bool any);
// What loops need, or nothing if there are none.
bool sn__grove_reserve_fronts(const SnAllocator *allocator, Grove *grove);
// At the start of a sub-step, before anything moves.
void sn__grove_begin_stretch(Grove *grove, double h);
void sn__grove_release(const SnAllocator *allocator, Grove *grove);
// From the workers that will be at it, one or, if it is large, all of them.
void sn__grove_borrow(Grove *grove, const StiffLent *lent);
// Rows that must be lent.
int sn__grove_wants(const Grove *grove);

bool sn__lent_rows(const SnAllocator *allocator, StiffLent *lent, int rows);
void sn__lent_rows_release(const SnAllocator *allocator, StiffLent *lent);

// How a set of segments hangs together, for the schedule.
typedef struct StiffNode {
    int parent; // node, or −1: a root
    int root; // of a root: what it hangs on, as an index into stills (≥ 0) or ~index into looses
} StiffNode;

typedef struct StiffNet {
    int nodes;
    const StiffNode *node; // any order
    int props;
    const int *prop_parent; // node that each prop holds
    int stills, looses;
} StiffNet;

// Where things went: places by node, prop, still and loose; and nodes by place, if it is not NULL.
typedef struct StiffSlots {
    int *node, *prop, *still, *loose, *order;
} StiffSlots;

// Makes rows and parts of the net; everything but `row`, `parts` and the counts is left at 0, lanes
// that are not in use are inert. Linear in nodes. False without memory.
bool sn__grove_schedule(const SnAllocator *allocator, Grove *grove, const StiffNet *net,
                        const StiffSlots *out_slots);
