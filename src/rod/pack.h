// Rods in lane packs: the memory that the kernels sweep over.
//
// A pack holds up to PACK_LANES bodies side by side, one per lane. Its memory is a list of rows; row j
// has, for every lane, vertex j, segment j (from vertex j to j + 1) and joint j (between segments
// j − 1 and j). Row −1 and the rows behind the last one are there so that no kernel needs a branch.
//
// What is written by the user or a step (RodState) is apart from what follows from the definition
// (RodRest), from what is derived from both for one time step size (RodPrepared), and from what
// lives for one sub-step only (RodWork). A snapshot is a copy of the states.
//
// Seams. A closed rod ends where it began, and a long rod is cut into pieces that lie in different
// lanes. Both are the same thing: behind the last segment of a lane, a ghost row repeats the start
// of the lane that continues it. It is copied in before the rows that need it are swept, and copied
// back after (substep.c), which is exactly Gauss-Seidel on the shared vertices and frame.
//
// Creatures (graph.h) of one topology share packs. There, the rows of vertices, segments and joints
// have nothing to do with each other: the topology says what belongs together.
#pragma once

#include "base/memory.h"
#include "body/kind.h"
#include "rod/scheme.h"
#include "sinew/rod.h"

// Rods with more segments than this are cut into pieces, one per lane.
#define CUT_SEGMENTS 96

// Packs of at most so many rows work in memory that belongs to the worker: it stays in the cache,
// and is a third of all that a large world would have to fetch and write back.
#define LENT_ROWS 160

// Packs of at most so many rows are eliminated in memory that belongs to the worker, too.
#define FRONT_ROWS (CUT_SEGMENTS + 1)
#define FRONT_BYTES 8896 // of one row: RodForces, and 118 numbers of 64 bytes (newton_closed.h)
#define KEPT_OPEN 69 // numbers that elimination keeps of a station of an open rod (newton_front.h)

typedef struct RodState {
    PackRow x, y, z, s;     // vertex: position from the lane's origin (m), scale
    PackRow qx, qy, qz, qw; // segment: frame
    PackRow vx, vy, vz, vs; // their velocities
    PackRow wx, wy, wz;     // segment: angular velocity, world
    PackRow ax, ay, az, as; // vertex: acceleration that the integrator remembers (scheme.h)
    PackRow bx, by, bz;     // segment: angular acceleration likewise
    PackRow s_rounded;      // vertex: what float has rounded off s, of what is solved directly
    PackRow length_scale;   // segment: activation
    // Segment, N, N·s: beside what the material does, it pulls with pull + viscous × the rate of its length over
    // that at rest, viscous[0] where it gets shorter and viscous[1] where it gets longer.
    PackRow pull, viscous[2];
} RodState;

// From the definition. Stiffnesses are those of the discrete element: J, or J per unit of the
// potential squared (docs/physics.md).
typedef struct RodRest {
    PackRow mass;          // vertex: kg
    PackRow scale_inertia; // vertex: kg·m²
    PackRow frame_inertia; // segment: across the axis, kg·m²
    PackRow spin_inertia;  // segment: about the axis, kg·m²
    PackRow length;        // segment: m
    PackRow radius;        // vertex: m
    PackRow joint_length;  // joint: m, half of both segments
    PackRow stiffer;       // segment: factor on its stretch
    PackRow stretch, transverse, volume, cross_section, scale_gradient; // segment
    PackRow bend, twist, volume_bend, scale_bend;                       // joint
} RodRest;

// Names: m inverse mass or inertia (0 where the element is held), k stiffness × h² with damping, g
// gain 1 / (1 + k·G), where G = ∇W A⁻¹ ∇Wᵀ does not depend on the state. Constraints are scaled so
// that their gradients need no factor: lengths instead of strains, angles instead of curvatures.
// What the classic rod needs is in front.
typedef struct RodPrepared {
    PackRow m;              // vertex
    PackRow m_turn, m_roll; // segment: half of 1/inertia, across and about the axis
    PackRow active, lever;  // segment: length × activation, m_turn × that
    PackRow taut;           // segment: the length at which it does not pull
    PackRow k_viscous[2];   // segment: of what is solved as a whole (slice_terms.h)
    PackRow k_stretch, g_stretch, g_shear;
    PackRow rho;     // segment: inertia about the axis to that across
    PackRow loose;   // segment: 1 if it turns from its vertices more easily than with them, else 0
    PackRow k_shear; // of what is solved directly; sweeps shear as they stretch
    PackRow direct;  // segment: 0 if it belongs to a chain, else 1
    PackRow k_bend, g_bend, k_twist, g_twist; // joint

    PackRow m_scale; // vertex
    PackRow radius;  // vertex: at rest
    PackRow radial;  // vertex: how a contact moves the radius, see prepare_radial
    PackRow gives;   // vertex: how bending, twist and shear move the scale in a sweep, see there
    PackRow length;  // segment
    PackRow k_volume, k_cross, k_gradient, g_gradient;
    PackRow G_bend, G_twist; // joint: 1/inertia of both frames
    PackRow k_volume_bend;
    PackRow lap_ratio, k_lap, g_lap; // joint: second difference
} RodPrepared;

// Positions stay as they were at the start of the sub-step while it is solved; what changes is the
// displacement u. It is small, so that velocities u/h do not feel how coarsely float stores
// positions.
typedef struct RodWork {
    PackRow ux, uy, uz;                      // vertex: displacement
    PackRow ex, ey, ez;                      // segment: x_j+1 − x_j at the start of the sub-step
    PackRow stretch_x, stretch_y, stretch_z; // multipliers × h², one per constraint
    PackRow bend_u, bend_v, bend_w;
    // Of the direct pass: an unknown as right − next·x_next − after·x_after.
    PackRow f_next, f_right, f_after, s_next, s_after, s_right;
    PackRow volume, cross, gradient, volume_u, volume_v, lap;
    PackRow ps, pqx, pqy, pqz, pqw;     // scale and frame at the start of the sub-step
    PackRow us;                         // of what is solved directly: the scale less ps
    PackRow start_x, start_y, start_z;  // and the turn that Newton's method starts with
    PackRow kx, ky, kz, ks, tx, ty, tz; // velocities that outside forces and torques add in it
} RodWork;

// Of the direct pass of a creature (rod_axial_graph_wide.c), per vertex.
typedef struct RodBranch {
    PackRow xx, xy, xz, yy, yz, zz, xs, ys, zs, ss; // how it gives way to a force
    PackRow x, y, z, s;                             // how it moves
    PackRow f, f_along, f_scale;                    // the force of the segment that leads to it
    PackRow s_right, s_force, s_scale;              // its scale
} RodBranch;

// What a worker lends to the pack that it is at, LENT_ROWS rows each.
typedef struct RodLent {
    RodWork *work;
    RodBranch *branch;
} RodLent;

// Of packs that are solved directly: where vertices and frames would go in this sub-step alone. A turn
// is twice the tangent of half the angle, along the axis, in the world.
typedef struct RodAim {
    PackRow ux, uy, uz, us;
    PackRow tx, ty, tz;
    PackRow own_x, own_y, own_z; // the same turn in the axes that the frame has at the start
    PackRow coarse;              // segment: how much of its length may be nothing but rounding, m
    PackRow seen; // what contacts that press as before have done to the radius by now, m
    // What has changed by the end of the sub-step before overlaps are pushed out (push.c).
    PackRow kept_x, kept_y, kept_z, kept_s, kept_qx, kept_qy, kept_qz, kept_qw;
    // Of ux to tz, what contacts have added since the rod was last solved (newton_answer_aims.h).
    PackRow more_x, more_y, more_z, more_s, more_tx, more_ty, more_tz;
} RodAim;

// Of packs that are solved directly: the forces on the unknowns of a station, and then its step. For
// elimination in double, and for that in float, in units of RodPack.unit.
typedef struct RodForces {
    double exact[7][PACK_LANES] __attribute__((aligned(64)));
    PackRow rough[7];
} RodForces;

// Loads of one step; allocated when first used.
typedef struct RodLoads {
    PackRow fx, fy, fz, gamma; // vertex
    PackRow tx, ty, tz;        // segment
    PackRow px, py, pz;        // vertex: impulses, of packs that are solved directly
} RodLoads;

// Bound on what a torque adds to an angular velocity in a sub-step, rad/s, to stay within float.
#define MOST_KICK 1e15f

// Row `row` of lane `lane` is a ghost of row 0 of lane `next`.
typedef struct RodSeam {
    int row;
    int16_t lane, next;
} RodSeam;

// A rod with seams, in lanes [lane, lane + pieces).
typedef struct RodChain {
    int16_t lane, pieces;
    bool closed;
    int segments;
} RodChain;

typedef struct RodChainWork RodChainWork; // chain.h

// The rest rotation r̄ = conj(q_p) q_a of a joint: bending is measured from it, so that segments may meet at any angle.
// Of a creature it is r̄ itself, between q_p r̄ and q_a, as its segments may point either way along a rod, and bend and
// twist are those about the axes of a. Of a chain it is half of it, h with h h = r̄, between q_p h and q_a h̄: in axes that
// are as far from p as from a, or deflections of arcs would be right to first order only.
typedef struct RodTurn {
    PackRow x, y, z, w;
} RodTurn;

// A held element, led from one place to another over the sub-steps of a step. A frame is that of the
// wall row, which is `row` itself where there is no wall (wall.h).
typedef struct RodLead {
    int row, wall;
    int16_t lane, held; // one HELD_ bit
    uint32_t owner;     // whom it serves
    float from[4], to[4];
    // It goes from + t (to − from) + t (1 − t) (bend₀ + bend₁ t), t from 0 to 1 over the step.
    bool curved;
    float bend[2][4];
} RodLead;

// A point of a rod that is solved directly, to which links tie something, and how much it moves if another of the
// rod is pulled at. In lane `lane`, `turn` others come before it.
#define TIES_OF_A_LANE 64
typedef struct RodTie {
    int vertex[2]; // rows
    float weight[2];
    int lane, turn;
    // By turn of the one that is pulled at: the displacement along each axis by a force along each, 1/kg.
    double answer[TIES_OF_A_LANE][3][3];
} RodTie;

typedef struct RodLane {
    uint32_t body;    // slot of the rod, 0 if the lane is free
    int segments;     // rows that are its own
    double origin[3]; // of its positions
} RodLane;

typedef struct RodPack {
    bool classic;
    bool dirty; // RodPrepared must be made anew
    float prepared_h;
    struct RodGraph *graph; // NULL: chains
    int rows;  // of segments that may be in use, ghosts included; vertices are in rows 0 to `rows`
    int lanes; // lanes in use: [0, lanes)
    RodLane lane[PACK_LANES];
    PackRow damping, drag, density, gravity_scale;
    // τ of stretch, of shear and of the volume: that of the others, or less (prepare.c); and h/(h + τ) of all,
    // which is what of a prepared stiffness is not damping.
    PackRow damping_along, damping_across, damping_volume;
    PackRow undamped, undamped_along, undamped_across, undamped_volume;
    bool damped; // some lane has internal damping
    bool walled; // a wall holds the frame of some lane
    RodScheme scheme;
    uint16_t
        coarse;     // lanes that are first order because of their stiffness (prepare.c), a bit each
    uint16_t euler; // lanes that were prepared for first order
    PackRow swept;  // of packs that are swept: how stiff its joints are for sweeps (sweep_error.h)
    // Of packs that are solved directly: a power of 2 by which masses come near 1, so that float can
    // hold products of all that is multiplied; 1 for lanes whose rod is too stiff for float, else 0,
    // and how many of either there are; 1 for lanes whose forces are made in double, which are these and more;
    // 1 for lanes of which no vertex is held, or two and more, else 0; and for the first and for rings of which no
    // frame is held, else 0: they turn about their axes as they like.
    PackRow unit, precise, exact, loose, braced, rolls;
    int precise_lanes, rough_lanes, exact_lanes;

    // Rows −1 to `rows`; the pointers are to row 0.
    RodState *state;
    // Rows −1 to `tall`, which is `rows` but for graphs with more joints than that.
    int tall;
    RodRest *rest;
    RodPrepared *own_prepared;
    RodTurn *own_turn;
    bool curved; // some joint of some lane is, or was, turned at rest
    // What a step reads: its own, or those of another pack with the same numbers (share.c).
    const RodPrepared *prepared;
    const RodTurn *turn; // NULL: no joint is turned at rest
    int compared;        // the pack that it was last compared with, index + 1
    bool same;           // what came out of it
    bool renewed;        // own_prepared has changed since
    // Its own or lent by the worker, during a step.
    RodWork *work;
    RodBranch *branch;     // rows 0 to `rows`
    RodWork *own_work;     // of packs with more than LENT_ROWS or that may touch, else NULL
    RodBranch *own_branch; // of graphs with more rows than that, else NULL
    RodAim *aim;           // of packs that are solved directly (newton_chain.h), else NULL
    PackRow
        fastest; // m/s that lanes may be in this sub-step (BodyKind.limit); 0: as fast as they will
    bool limited;         // some may not
    PackRow newton_moves; // of theirs: 1 for lanes that the next iteration moves, else 0
    PackRow newton_late;  // 1 for lanes in which it had not arrived by the end of the last sub-step
    PackRow newton_guess; // which part of their accelerations they start with (rod_outset_wide.c)
    PackRow newton_stays; // 1 for lanes that start where they are, else 0
    PackRow newton_abrupt; // 1 for lanes that loads have come to all at once, else 0
    PackRow shortest;      // the length of their shortest segment, m
    PackRow springy;       // h² EI/(ρA L⁴)/3 of their joints, of length L, at most
    PackRow rolling;       // h² EI/(ρJ L²)/3 of their joints at most
    PackRow yielding;      // 1/(EI ρA), divided by h²/3, of their joints at most, 1/(kg m)²
    PackRow newton_reach;  // how far the last one turned a frame or changed a scale at most
    PackRow far_turn; // rad: an iteration in which a frame turned by more is followed by another
    PackRow newton_plain;  // 1 for lanes that go without prestress (newton_terms.h) in this step
    PackRow newton_steady; // 1 for lanes whose frames are held back about their axes
    bool newton_bent;      // some lanes go with either
    uint16_t newton_bowed; // lanes that are bent so far that it takes two iterations, a bit each
    bool newton_lost;      // some lanes have just become so, and were not moved
    bool newton_again;     // not the first iteration of the sub-step
    void *front;           // theirs to eliminate in; lent by the worker during a step
    void *own_front;       // of those that need more rows of it than FRONT_ROWS, else NULL
    int front_rows;        // of own_front
    // Of packs that may touch: what the first iteration of a sub-step leaves of elimination in float, from which
    // the passes after it are answered (newton_answer_aims.h). NULL: they are solved anew.
    void *factors;
    size_t factors_size;      // bytes
    bool factoring;           // this iteration leaves them
    uint16_t factors_missing; // lanes for which it has not
    PackRow answered;         // by how much what they were used for has turned or changed a lane
    RodLoads *loads;          // NULL: none so far
    bool loaded;              // loads of this step are not all zero
    bool struck;              // there are impulses among them
    uint8_t (*held)[PACK_LANES];

    RodSeam seams[PACK_LANES];
    int seam_count;
    RodChain chains[PACK_LANES];
    int chain_count;
    RodChainWork *chain_work; // NULL without chains
    // Of graphs with sections (sections.h), else NULL: what belongs to a vertex or segment, rows −1 to
    // `rows`, and what to a section. By lane: 1/Pa, and 1 where sections may scale.
    struct RodBundle *bundle;
    struct RodSection *section;
    uint8_t (*buried)[PACK_LANES]; // 1 for segments that touch nothing (buried.c), else 0
    PackRow section_compliance, section_scaled;
    // Of bundles that are solved as a whole (slices.h), else NULL: per section, and per vertex.
    struct RodSlice *slice;
    struct SliceMember *member;
    bool slices_lost; // vertices are not where they are
    bool pushing;     // out of overlaps: what comes of that is told to no contact
    RodLead *leads;
    int lead_count, lead_capacity;
    RodTie *ties; // of this step
    PackRow tied; // 1 for lanes that have some, else 0
    int tie_count, tie_capacity;
    bool asleep[PACK_LANES]; // lanes that are left alone: nothing moves them
    int knots;    // the first of its knots (touch.h), 0: none of its rods touches anything
    bool touched; // something may touch it in this step
    uint16_t touched_lanes;
    bool open;          // in the list of packs with free lanes
    int next;           // in that list, or in that of freed packs; index + 1
    uint32_t step_bits; // what the last step ran into
    double residual[2]; // of the last step, squared: the force that is missing, and all there is
    float stage_ms[3];  // predict, iterate, finish
} RodPack;

// Whether a lane is of a rod whose ends meet, or of a piece of one.
static inline bool sn__lane_has_seams(const RodPack *pack, int lane) {
    bool has = false;
    for (int k = 0; k < pack->chain_count; ++k)
        has |= lane >= pack->chains[k].lane && lane < pack->chains[k].lane + pack->chains[k].pieces;
    return has;
}

// Rows of a pack for rods of this many segments: a little more for some, so that rods of like
// length share packs.
int sn__pack_rows(int segments);

// For chains of so many rows, or for rods of the graph if it is not NULL.
typedef struct RodPackKind {
    bool classic, direct;
} RodPackKind;
static inline RodPackKind sn__pack_kind(const RodPack *pack) {
    return (RodPackKind){pack->classic, pack->aim != NULL};
}
bool sn__pack_create(const SnAllocator *allocator, int rows, struct RodGraph *graph,
                     RodPackKind kind, RodPack *out_pack);
void sn__pack_destroy(const SnAllocator *allocator, RodPack *pack);
bool sn__pack_reserve_loads(const SnAllocator *allocator, RodPack *pack);
void sn__pack_clear_loads(RodPack *pack);
// What a pack that may touch something works in must not be lent; false without memory.
bool sn__pack_own_work(const SnAllocator *allocator, RodPack *pack);
// False without memory.
bool sn__lent_create(const SnAllocator *allocator, RodLent *out_lent);
void sn__lent_destroy(const SnAllocator *allocator, RodLent *lent);
// Memory for elimination, for a worker to lend: FRONT_ROWS rows.
void *sn__front_create(const SnAllocator *allocator);
void sn__front_destroy(const SnAllocator *allocator, void *front);
// Forgets the accelerations of what was put somewhere or given another velocity.
static inline void sn__row_forget(RodState *s, int lane) {
    s->ax[lane] = s->ay[lane] = s->az[lane] = s->as[lane] = s->s_rounded[lane] = 0.0f;
    s->bx[lane] = s->by[lane] = s->bz[lane] = 0.0f;
}
// Makes all rows of a lane inert: at rest, held, without stiffness.
void sn__pack_clear_lane(RodPack *pack, int lane);
