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

// What never changes of a particle.
typedef struct SolidParticle {
    Vec3d rest;  // place, m
    Quatd frame; // from the axes of its ellipsoid, at rest
    Vec3d radii;
    double radius; // of the sphere of the same volume as the ellipsoid
    double reach;  // its largest radius
    double volume;
    Sym3 moment; // second moment per volume about its centre at rest, m²: ∫ x xᵀ dV / V
} SolidParticle;

// An edge: see energy.c for what the coefficients mean.
typedef struct SolidEdge {
    int i, j;
    int block;      // of the pair in the matrix
    double factor;  // on Young's modulus
    double share;   // what of its stiffness is left to others that point the same way (shape.c)
    Vec3d rest;     // from i to j, m; yield changes it
    double stretch; // N/m
    Sym3 bend;      // B, N·m
    bool broken;
    // Of the sub-step: strain and relative rotation when it began, for what damps them.
    Vec3d strain_start[2]; // in the axes of both ends
    Mat3 bend_start;       // B (R_jᵀ R_i) of then
    Vec3d strain_factor;   // as strain_start[0] was when the factors were made
} SolidEdge;

// Particles and edges as a graph: bodies with the same edges share it.
typedef struct SolidGraph {
    int users;
    int edge_count;
    int (*edges)[2];
    SparsePlan plan;
} SolidGraph;

// What a sub-step needs of a particle.
typedef struct SolidWork {
    Vec3d x_start;
    Quatd q_start;
    Vec3d u;            // displacement since then
    Vec3d aim, aim_tau; // where it would go without the body's own forces; τ = 2 tan(angle/2)
    Vec3d spin;         // angular velocity that it starts with
    Sym3 inertia;       // in the middle of the prediction
    Vec3d pull, torque; // from outside: m/s², N·m
    Mat3 R;             // of q as it is in the iteration
    Vec3d kept_u;       // before a long step
    Quatd kept_q;
    Vec3d moved_u; // before pushes
    Quatd moved_q;
    float sent[3], turned[3]; // motion and turn as contacts were told
    bool held_x, held_q;
} SolidWork;

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
    SparseBlock *diagonal, *below;
    SparseVector *vector; // by place
    // Of the factors: where particles were turned to, and for what they are.
    Quatd *factor_q;
    double factor_h2, factor_damping; // 0: there are none
    bool factor_rest;                 // they are those of the body at rest

    BodyLead *leads;
    int lead_count, lead_capacity;

    // Of the collision phase.
    int knots; // the first; 0: it touches nothing
    int turns;
    int touches; // knots that something may touch in this step
    bool touched, asleep;
    uint32_t step_bits;
    int iterations;
    bool late; // Newton's method has not arrived in this sub-step
    int breaks;
    size_t bytes; // of the block of all arrays but the leads
    void *block;
} Solid;

typedef struct SolidSystem {
    SnAllocator allocator;
    BodyRegister *bodies;
    Solid **list; // in order of creation
    int count, capacity;
} SolidSystem;

// How a sub-step is made: h, and the factors of the scheme of rods (rod/scheme.h has the derivation).
typedef struct SolidStep {
    const SparseKernels *kernels;
    double h;
    double share, carried, outside, guess, alpha, beta, gamma, delta, epsilon;
    bool euler;
} SolidStep;

extern const BodyKind sn__solid_kind;

static inline Solid *solid_of(const Body *body) {
    assert(body->kind == &sn__solid_kind);
    return body->item;
}

// shape.c
SnResult sn__solid_check(const SnSolidDef *def);
SnResult sn__solid_check_material(const SnSolidMaterial *material, const char *name);
// The definition must have passed the check. NULL without memory, or if its graph takes too much.
Solid *sn__solid_create(SolidSystem *solids, const SnSolidDef *def, bool *out_crowded);
void sn__solid_destroy(Solid *solid);
// Coefficients of all edges, and masses, after a material was set or an edge changed.
void sn__solid_set_stiffness(Solid *solid);

static inline double sn__solid_mass(const Solid *s, int i) {
    return (double)s->material.density * s->particles[i].volume;
}
// Moments of inertia at rest, kg·m².
static inline Sym3 sn__solid_inertia(const Solid *s, int i) {
    Sym3 about = sym_about(&s->particles[i].moment);
    return sym_scaled(&about, sn__solid_mass(s, i));
}
static inline Sym3 sn__solid_inertia_now(const Solid *s, int i) {
    Mat3 R = mat_of(s->q[i]);
    Sym3 rest = sn__solid_inertia(s, i);
    return sym_turned(&R, &rest);
}
static inline Vec3d sn__solid_spin(const Solid *s, int i) {
    Sym3 inertia = sn__solid_inertia_now(s, i), inverse = sym_inverse(&inertia);
    return sym_times(&inverse, s->l[i]);
}
static inline void sn__solid_set_spin(Solid *s, int i, Vec3d spin) {
    Sym3 inertia = sn__solid_inertia_now(s, i);
    s->l[i] = sym_times(&inertia, spin);
}
static inline Quatd sn__solid_frame(const Solid *s, int i) {
    return normalisedq(mulqd(s->q[i], s->particles[i].frame));
}

// energy.c: the potential of the edges. Places are x_start + u, rotations R of the work.
double sn__solid_potential(const Solid *solid, double damping);
// Of the state as it is, J.
double sn__solid_energy_now(Solid *solid);
// Adds h² times its gradient to `vector`, with damping τ/h as given; rotations in units of 1/size.
void sn__solid_add_gradient(Solid *solid, double h2, double damping);
// Adds h² times its second derivatives, as far as they are positive, to the matrix.
void sn__solid_add_hessian(Solid *solid, double h2, double damping);
// The same of the body as it is at rest.
void sn__solid_add_rest_hessian(Solid *solid, double h2, double damping);
// Remembers strains, for damping.
void sn__solid_note_strains(Solid *solid);
// Of the largest part of an edge's length.
double sn__solid_strain(const Solid *solid);
// Rotations that fit best to the places, one after the other (local step, eq. 5).
void sn__solid_match_turns(Solid *solid);

// newton.c: finds u and q of the sub-step from where they are.
void sn__solid_solve(Solid *solid, const SolidStep *step);
// The same to first order, from what `vector` has: how the gradient of a solved body has changed since. False
// if that is too much, and nothing has moved.
bool sn__solid_respond(Solid *solid, const SolidStep *step);

// motion.c
SolidStep sn__solid_step(const BodyStep *step, bool euler);
bool sn__solid_is_rough(Solid *solid, double h);
void sn__solid_begin_substep(Solid *solid, const BodyStep *step, const SolidStep *s, int substep,
                             ContactLoad *loads, KnotTurn *turns);
void sn__solid_end_substep(Solid *solid, const SolidStep *s);
// What moves a particle other than by a velocity.
void sn__solid_push(Solid *solid, const SolidStep *s, const TouchArrays *touch);
void sn__solid_turn_all(Solid *solid); // work.R of all q
Vec3d sn__solid_tau(Quatd from, Quatd to);

// holds.c
bool sn__solid_is_held(const Body *body, int held, int index);
HeldPose sn__solid_held_pose(const Body *body, int index);
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
void sn__solid_to_knots(Solid *solid, const TouchArrays *touch, bool first);
void sn__solid_paces(const Solid *solid, double h, KnotPace *paces);
// Whether contacts moved a particle by more than a trifle.
bool sn__solid_is_moved(const Solid *solid, const TouchArrays *touch);
// Contacts move the aim; the next solve finds where the body goes. `vector` gets the change of the gradient.
void sn__solid_from_knots(Solid *solid, const TouchArrays *touch);

// step.c
bool sn__solids_begin(void *system, const BodyStep *step);
void sn__solids_step_alone(void *system, const BodyStep *step);
void sn__solids_pass(void *system, const BodyStep *step, const BodyPass *pass);
void sn__solids_end(void *system, const BodyStep *step);
void sn__solids_report(const void *system, BodyReport *report);
int sn__solids_passes(const void *system);

// damage.c: at the end of a sub-step.
void sn__solid_wear(Solid *solid);

// weather.c: adds the drag of the air to the loads of the step.
void sn__solid_feel_air(Solid *solid, const BodyStep *step);

// validate.c
SnResult sn__solids_validate(const void *system);
