// Soft solids: their particles and edges, how they move, and what holds them.
//
// A particle has its place x, its rotation q since rest, its velocity v and its angular momentum l about
// its own centre, in double precision and the world's axes. All particles of a body are solved for at
// once, places and rotations together, by Newton's method with a sparse factorisation (math/sparse.h).
// The six unknowns of a particle fill the lanes of a wide vector.
#pragma once

#include <assert.h>

#include "body/lead.h"
#include "math/sparse.h"
#include "sinew/solid.h"
#include "solid/matrix.h"

// What a sub-step does not change of a particle.
typedef struct SolidParticle {
    Vec3d rest;  // place, m
    Quatd frame; // from the axes of its ellipsoid, at rest
    Vec3d radii;
    double radius; // of the sphere of the same volume as the ellipsoid
    double reach;  // its largest radius
    double volume;
    Sym3 moment; // second moment per volume about its centre at rest, m²: ∫ x xᵀ dV / V
    // Of the material that it is made of.
    double mass;           // kg
    Sym3 inertia, inverse; // at rest, kg·m², and the inverse of it
} SolidParticle;

// An edge: see energy.c for what the coefficients mean.
typedef struct SolidEdge {
    int i, j;
    int block;      // of the pair in the matrix
    double factor;  // on Young's modulus
    double share;   // what of its stiffness is left to others that point the same way (shape.c)
    double area;    // m² across it; 0: as volumes and shares have it
    Vec3d rest;     // from i to j, m; yield changes it
    double stretch; // N/m
    Sym3 bend;      // B, N·m
    bool broken;
    Vec3d strain_factor; // as SolidRow.strain_start[0] was when the body's own factors were made
} SolidEdge;

// Eight edges side by side, for the kernels. Broken ones have no stiffness.
#define EDGE_ROW 8
typedef struct SolidRow {
    double rest[3][EDGE_ROW], stretch[EDGE_ROW];
    double bend[6][EDGE_ROW];
    double inverse[EDGE_ROW]; // of the square of the rest length; 0 if it is broken
    // Of the sub-step: strain and relative rotation when it began, for what damps them.
    double strain_start[2][3][EDGE_ROW]; // in the axes of both ends
    double bend_start[3][3][EDGE_ROW];   // B (R_jᵀ R_i) of then
    int i[EDGE_ROW], j[EDGE_ROW], place_i[EDGE_ROW], place_j[EDGE_ROW];
    int count;
} __attribute__((aligned(64))) SolidRow;

// A point of the surface: see marks.c for what holds it.
typedef struct SolidMark {
    Vec3d direction; // at rest, of length 1
    int count;       // particles that it follows
    int particle[SN_MARK_PARTICLES];
    double weight[SN_MARK_PARTICLES];
    Vec3d arm[SN_MARK_PARTICLES];                    // from the particle to the mark, at rest
    int block[SN_MARK_PARTICLES][SN_MARK_PARTICLES]; // of the pair in the matrix
    double given;                                    // N/m; 0: as the edges have it
    double stiffness, turning;                       // N/m, N·m
    bool held_x, held_n;
    Vec3d target,
        facing; // of the sub-step: where it is held, from the body's origin, and which way
} SolidMark;

// A particle that links pull at in this step, and how far it goes if any of them is pulled at, 1/kg.
#define SOLID_TIES 64
typedef struct SolidTie {
    int particle;
    Mat3 answer[SOLID_TIES]; // by what is pulled at
} SolidTie;

// Which particles are joined, by edges first and then by marks: bodies with the same pairs share it.
typedef struct SolidGraph {
    int users;
    int pair_count;
    int (*pairs)[2];
    SparsePlan plan;
} SolidGraph;

// The factors of a matrix, and for what they are.
typedef struct SolidFactors {
    double h2, damping; // h2 of 0: there are none
    SparseBlock *diagonal, *below;
} SolidFactors;

// What bodies share that are alike to the last bit: factors of the body at rest, for sub-steps of Euler and of second
// order.
typedef struct SolidRest {
    int users;
    int first, members, placed; // of the step: where in the order its bodies are
    SolidFactors factors[2];
    const struct Solid *maker; // who makes them in this step
    size_t bytes;
    void *block;
} SolidRest;

// What a sub-step needs of a particle, in lines of eight doubles (math/lines.h).
typedef struct SolidWork {
    Vec3d x_start;
    Vec3d u;               // displacement since then
    double held_x, held_q; // 0 or 1
    Vec3d aim, aim_tau;    // where it would go without the body's own forces; τ = 2 tan(angle/2)
    float sent[4];         // motion as contacts were told
    Quatd q_start;
    Vec3d spin; // angular velocity that it starts with
    double fill;
    Sym3 inertia;    // in the middle of the prediction
    float turned[4]; // turn as contacts were told
    Sym3 inverse;    // of the inertia
    double fill_2[2];
    Vec3d pull, torque; // from outside: m/s², N·m
    double fill_3[2];
    Vec3d kept_u; // before a long step
    Quatd kept_q;
    double fill_4;
    Vec3d moved_u; // before pushes
    Quatd moved_q;
    double fill_5;
} __attribute__((aligned(64))) SolidWork;

// A particle as its edges see it: its rotation, and its place from the first one's.
typedef struct SolidPose {
    Quatd q;
    Vec3d x;
    double fill;
} __attribute__((aligned(64))) SolidPose;

typedef struct Solid {
    struct SolidSystem *system;
    int count, edge_count;
    double origin[3];
    SnSolidMaterial material;
    double gravity_scale;
    double size;    // m: the mean length of its edges
    double mass;    // kg
    double stiff;   // 1/s²: the largest ratio of stretch to mass of any particle
    double slender; // its extent over its size, squared
    SolidParticle *particles;
    SolidEdge *edges;
    int *first_edge; // by particle: its edges are edges_of[first_edge[i]] and so on
    int *edges_of;
    SolidGraph *graph;

    // State.
    Vec3d *x, *v, *l; // place from the origin, velocity, angular momentum
    Quatd *q;         // since rest
    Vec3d *a, *t;     // what is remembered of its own acceleration and torque

    Vec3d *force, *couple; // loads of the next step
    SolidWork *work;
    SolidRow *rows;
    SparseVector *vector; // by place
    SolidPose *poses;     // as edges see them
    // Of bodies that keep their volume (volume.c).
    Sym3 *pieces;        // A of every particle
    double volume;       // m³, at rest
    SparseVector *slope; // of the volume
    SparseVector *swell; // what the body does if it is pressed from inside
    SolidRest *rest;     // NULL: shares nothing
    bool worn;           // edges yielded or broke: nor does it then
    // Its own factors, and where particles were turned to when they were made.
    SolidFactors own;
    bool own_rest; // they are those of the body at rest
    Quatd *factor_q;
    // Those that serve, how they are turned, and whether the iteration has to get nearer with them.
    const SolidFactors *factors;
    Quatd turn;
    bool rough;
    // Of the iteration: how far the last step turned, and whether it did not get nearer by it.
    double last_turn;
    bool slow;
    bool askew;         // the next one turns so far that the body is moved on circles
    SparseBlock *lanes; // by place: right sides of bodies that are solved together

    BodyLead *leads;
    int lead_count, lead_capacity;
    SolidMark *marks;
    int mark_count, mark_capacity;
    SolidTie *ties;
    int tie_count, tie_capacity;

    // Of the collision phase.
    int knots; // the first; 0: it touches nothing
    int turns;
    int touches; // knots that something may touch in this step
    bool touched, asleep;
    bool unfolds; // is led out of a fold (unfold.c)
    uint32_t step_bits;
    int iterations;
    bool late; // Newton's method has not arrived in this sub-step
    int breaks;
    size_t bytes; // of the block of all arrays but the leads
    void *block;
} Solid;

// Bodies that share factors are solved in groups of so many.
#define SOLID_GROUP SPARSE_ROW

#define FASTEST_TURN 2.0 // 2 tan(angle/2) of a prediction at most: a quarter turn in a sub-step
// Of what holds a touched body against what pulls at it, so much is remembered at most, × |g|.
#define REMEMBERED 2.0

typedef struct SolidSystem {
    SnAllocator allocator;
    BodyRegister *bodies;
    Solid **list; // in order of creation
    int count, capacity;
    // Of the step: those that share factors beside each other, and where groups begin.
    Solid **order;
    int *groups;
    int grouped, group_count, order_capacity, group_capacity;
} SolidSystem;

// How a sub-step is made: h, and the factors of the scheme of rods (rod/scheme.h has the derivation).
typedef struct SolidStep {
    const SparseKernels *kernels;
    const struct SolidKernels *lanes;
    double h;
    double h2; // share × h²
    double share, carried, outside, guess, alpha, beta, gamma, delta, epsilon;
    bool euler;
} SolidStep;

// What is done in lanes: edges or particles of a body side by side.
typedef struct SolidKernels {
    // Adds h² times the gradient of the energy to `vector`; returns the square of the largest strain.
    double (*gradient)(Solid *solid, double h2, double per_turn, double damping);
    // Remembers strains, for damping.
    void (*note)(Solid *solid);
    // Of motion.c: where particles would go, from loads and what contacts are expected to do, which is in the work's
    // `pull` and `aim`; and what velocities come of where they went.
    void (*predict)(Solid *solid, const SolidStep *step);
    void (*finish)(Solid *solid, const SolidStep *step);
    void (*fastest)(const Solid *solid, double out[3]);
    double (*size)(const Solid *solid);
    // Of newton.c: `vector` becomes the gradient of the momentum energy; the squares of the longest way and turn in it;
    // and the step by a part of it.
    void (*inertia)(Solid *solid);
    void (*measure)(const Solid *solid, double out[2]);
    void (*move)(Solid *solid, double by);
    // Of factors.c: the vectors of up to eight bodies into lanes, turned back, and out of them, turned on.
    void (*collect)(Solid *const *bodies, int count, SparseBlock *lanes);
    void (*spread)(Solid *const *bodies, int count, const SparseBlock *lanes);
    void (*turn)(Solid *solid, bool back);
    // Of touch.c: motion and turn as contacts are told, and, of the start of a sub-step, all the rest.
    void (*tell)(Solid *solid, const TouchArrays *touch, bool first);
    // The squares of the largest way and turn by contacts since they were told; and as an aim and a `vector`, or the same
    // of what is pushed out of overlaps, 0 if there is nothing. When it has responded to that, the start is shifted.
    void (*heard)(const Solid *solid, const TouchArrays *touch, double out[2]);
    double (*hear)(Solid *solid, const TouchArrays *touch, bool pushes);
    void (*shift)(Solid *solid);
} SolidKernels;

// NULL if the library was built without it.
const SolidKernels *sn__solid_kernels(SnIsa isa);

#define DECLARE_SOLID_KERNELS(isa)                                                                 \
    double PASTE(solid_gradient, isa)(Solid *, double, double, double);                            \
    void PASTE(solid_note, isa)(Solid *);                                                          \
    void PASTE(solid_predict, isa)(Solid *, const SolidStep *);                                    \
    void PASTE(solid_finish, isa)(Solid *, const SolidStep *);                                     \
    void PASTE(solid_fastest, isa)(const Solid *, double[3]);                                      \
    double PASTE(solid_size, isa)(const Solid *);                                                  \
    void PASTE(solid_inertia, isa)(Solid *);                                                       \
    void PASTE(solid_measure, isa)(const Solid *, double[2]);                                      \
    void PASTE(solid_move, isa)(Solid *, double);                                                  \
    void PASTE(solid_collect, isa)(Solid *const *, int, SparseBlock *);                            \
    void PASTE(solid_spread, isa)(Solid *const *, int, const SparseBlock *);                       \
    void PASTE(solid_turn, isa)(Solid *, bool);                                                    \
    void PASTE(solid_tell, isa)(Solid *, const TouchArrays *, bool);                               \
    void PASTE(solid_heard, isa)(const Solid *, const TouchArrays *, double[2]);                   \
    double PASTE(solid_hear, isa)(Solid *, const TouchArrays *, bool);                             \
    void PASTE(solid_shift, isa)(Solid *);

DECLARE_SOLID_KERNELS(scalar)
DECLARE_SOLID_KERNELS(v128)
DECLARE_SOLID_KERNELS(avx2)
DECLARE_SOLID_KERNELS(avx512)

static inline int sn__solid_row_count(const Solid *s) {
    return (s->edge_count + EDGE_ROW - 1) / EDGE_ROW;
}

extern const BodyKind sn__solid_kind;

static inline Solid *solid_of(const Body *body) {
    assert(body->kind == &sn__solid_kind);
    return body->item;
}

// shape.c
SnResult sn__solid_check(const SnSolidDef *def);
SnResult sn__solid_check_doubles(const SnAllocator *allocator, const SnSolidDef *def);
SnResult sn__solid_check_material(const SnSolidMaterial *material, const char *name);
// The definition must have passed the check. NULL without memory, or if its graph takes too much.
Solid *sn__solid_create(SolidSystem *solids, const SnSolidDef *def, bool *out_crowded);
void sn__solid_destroy(Solid *solid);
// Coefficients of all edges, and masses, after a material was set or an edge changed.
void sn__solid_set_stiffness(Solid *solid);

// R A Rᵀ v
static inline Vec3d sn__turned_times(const Mat3 *R, const Sym3 *A, Vec3d v) {
    return mat_times(R, sym_times(A, mat_transposed_times(R, v)));
}
static inline Vec3d sn__solid_spin(const Solid *s, int i) {
    Mat3 R = mat_of(s->q[i]);
    return sn__turned_times(&R, &s->particles[i].inverse, s->l[i]);
}
static inline void sn__solid_set_spin(Solid *s, int i, Vec3d spin) {
    Mat3 R = mat_of(s->q[i]);
    s->l[i] = sn__turned_times(&R, &s->particles[i].inertia, spin);
}
// Its rotation since rest.
static inline Mat3 sn__solid_turn(const Solid *s, int i) { return mat_of(s->q[i]); }
static inline Quatd sn__solid_frame(const Solid *s, int i) {
    return normalisedq(mulqd(s->q[i], s->particles[i].frame));
}

// graph.c
// One that a body with the same pairs has already, or a new one; NULL without memory, or if it takes too much.
SolidGraph *sn__solid_find_graph(SolidSystem *solids, int particles, const int (*pairs)[2],
                                 int count, bool *out_crowded);
void sn__solid_release_graph(SolidSystem *solids, SolidGraph *graph);
// Makes it the body's, with a matrix, in place of the one it has; false without memory.
bool sn__solid_take_graph(Solid *solid, SolidGraph *graph);
void sn__solid_drop_graph(Solid *solid);
// Where in the matrix the pairs of edges and marks are.
void sn__solid_find_blocks(Solid *solid);

// rows.c: edges as the kernels see them.
void sn__solid_fill_rows(Solid *solid);
static inline Vec3d sn__solid_strain_start(const Solid *s, int edge, int end) {
    const double(*v)[EDGE_ROW] = s->rows[edge / EDGE_ROW].strain_start[end];
    int l = edge % EDGE_ROW;
    return (Vec3d){v[0][l], v[1][l], v[2][l]};
}

// energy.c: the potential of the edges. Places are x_start + u, rotations R.
double sn__solid_potential(const Solid *solid, double damping);
// Of the state as it is, J.
double sn__solid_energy_now(Solid *solid);
// Adds h² times its second derivatives, as far as they are positive, to the matrix.
void sn__solid_add_hessian(Solid *solid, const SolidFactors *to, double h2, double damping);
// The same of the body as it is at rest.
void sn__solid_add_rest_hessian(Solid *solid, const SolidFactors *to, double h2, double damping);
// Of the largest part of an edge's length.
double sn__solid_strain(const Solid *solid);
// Rotations that fit best to the places, one after the other (local step, eq. 5).
void sn__solid_match_turns(Solid *solid);

// Adds h² times the gradient to `vector`, with damping τ/h as given; rotations in units of 1/size. Returns the
// largest strain.
static inline double sn__solid_add_gradient(Solid *s, const SolidKernels *kernels, double h2,
                                            double damping) {
    return sqrt(kernels->gradient(s, h2, h2 / s->size, damping));
}

// factors.c
// Makes those that bodies like this one share.
void sn__solid_factor_rest(Solid *solid, const SolidStep *step);
// Finds factors that fit, or makes them; `exact`: so well that one step is enough. False if there are none.
bool sn__solid_find_factors(Solid *solid, const SolidStep *step, bool exact);
// They turn along with the body.
void sn__solid_turn_factors(Solid *solid);
// Makes `vector` the step, from the gradient, with the factors that were found. Bodies that share factors are solved
// together. They are a group, as in all that follows.
void sn__solids_divide(Solid **bodies, int count, const SolidStep *step);

// share.c: bodies that are alike to the last bit find each other. False without memory.
bool sn__solid_share(Solid *solid);
void sn__solid_unshare(Solid *solid);

// newton.c: finds u and q of the sub-step from where they are.
typedef enum SolidCare {
    SOLID_PREDICTS, // contacts come next: nearly is enough
    SOLID_ENDS,     // the sub-step
} SolidCare;
void sn__solids_solve(Solid **bodies, int count, const SolidStep *step, SolidCare care);
// The same to first order where that is enough, from what `vector` has: how the gradient of a solved body has changed
// since.
void sn__solids_respond(Solid **bodies, int count, const SolidStep *step, SolidCare care);

// unfold.c: before a sub-step of a body that nothing touches, and after its prediction.
// Returns the largest strain.
double sn__solid_unfold(Solid *solid, const BodyStep *step);
void sn__solid_hold_turns(Solid *solid);

// motion.c
// The kinetic energy but for that of the body as a whole, and that of its spin, J.
double sn__solid_inner_motion(const Solid *solid, double *out_spin);
SolidStep sn__solid_step(const BodyStep *step, bool euler);
bool sn__solid_is_rough(const Solid *solid, double h, double strain);
void sn__solid_begin_substep(Solid *solid, const BodyStep *step, const SolidStep *s, int substep,
                             ContactLoad *loads, KnotTurn *turns);
void sn__solid_end_substep(Solid *solid, const SolidStep *s);
// What moves particles other than by a velocity, as an aim and a `vector`; false if there is nothing. When the body has
// responded, it counts as where the sub-step began.
bool sn__solid_begin_push(Solid *solid, const SolidStep *step, const TouchArrays *touch);
// After the response.
void sn__solid_repeat_push(Solid *solid, const TouchArrays *touch);
// Makes the work's places those of between steps.
void sn__solid_stand_still(Solid *solid);
// From one rotation to another: 2 tan(angle/2) along the axis.
static inline Vec3d sn__solid_tau(Quatd from, Quatd to) {
    Quatd d = mulqd(to, conjugated(from));
    double w = fabs(d.w) > 1e-3 ? d.w : (d.w < 0.0 ? -1e-3 : 1e-3), by = 2.0 / w;
    return (Vec3d){by * d.x, by * d.y, by * d.z};
}

// holds.c
bool sn__solid_is_held(const Body *body, int held, int index);
HeldPose sn__solid_held_pose(const Body *body, int index);
int sn__solid_mark_count(const Body *body);
HeldPose sn__solid_mark_pose(const Body *body, int mark);
int sn__solid_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose);
uint32_t sn__solid_release(Body *body, int held, int index, int lead);
void sn__solid_lead(Body *body, int index, int lead, const HeldPath *path);
void sn__solid_settle(Body *body, int lead);
void sn__solid_jump(Body *body, int index, int lead, const HeldPose *pose);
uint32_t sn__solid_lead_owner(const Body *body, int lead);
bool sn__solid_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out);
// After a state was set: what is held is where it is held.
void sn__solid_obey_holds(Solid *solid);
// Where held particles are when this part of the step is over; marks them in the work.
void sn__solid_led(Solid *solid, double time);

// touch.c
bool sn__solids_number(void *system, KnotNumbers *numbers);
void sn__solids_own(const void *system, KnotOwner *owners);
void sn__solids_add_velocity(const void *system, double sum[4]);
void sn__solids_bounds(void *system, const TouchBounds *bounds);
void sn__solid_paces(const Solid *solid, double h, KnotPace *paces);
// Whether contacts moved a particle by more than a trifle.
bool sn__solid_is_moved(const Solid *solid, const SolidStep *step, const TouchArrays *touch);
// Contacts move the aim; the next solve finds where the body goes. `vector` gets the change of the gradient.
void sn__solid_from_knots(Solid *solid, const SolidStep *step, const TouchArrays *touch);

// ties.c
int sn__solid_tie(Body *body, int element, float t);
bool sn__solid_answer(const Body *body, int pulled, int tie, double out[3][3]);
// After a solve.
void sn__solid_answer_ties(Solid *solid, const SolidStep *step);

// groups.c: of all bodies that are touched and awake.
void sn__solids_group(SolidSystem *solids);

// step.c
bool sn__solids_begin(void *system, const BodyStep *step);
void sn__solids_step_alone(void *system, const BodyStep *step);
void sn__solids_pass(void *system, const BodyStep *step, const BodyPass *pass);
void sn__solids_end(void *system, const BodyStep *step);
void sn__solids_report(const void *system, BodyReport *report);
int sn__solids_passes(const void *system);

// damage.c: at the end of a sub-step.
void sn__solid_wear(Solid *solid);
// After edges have changed: whether any of them is not as it was made.
void sn__solid_look_at_wear(Solid *solid);

// weather.c: adds the drag of the air to the loads of the step.
void sn__solid_feel_air(Solid *solid, const BodyStep *step);

// validate.c
SnResult sn__solids_validate(const void *system);
