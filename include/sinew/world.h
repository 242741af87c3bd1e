// The world: owns all bodies, advances them in time, and hands out poses, statistics and snapshots.
//
// One world belongs to one thread at a time. Different worlds share nothing.
#pragma once

#include "collider.h"
#include "field.h"
#include "link.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnWorldDef {
    uint32_t cookie; // set by sn_default_world_def
    SnVec3 gravity;  // m/s²
    // Bodies that stay slower than this (m/s) for half a second, with all they touch, fall asleep.
    // 0, the default: never, so that slow motion is never cut short.
    float sleep_speed;
    // Stiff rods stop iterating where the largest error of their constraints (m, and rad) is below
    // this, before all iterations of a step are done. 0: never.
    float tolerance;
    int thread_count;      // of the built-in pool; 0: one per core. Ignored if tasks is given
    SnTaskSystem tasks;    // your own job system; parallel_for NULL: the built-in pool
    SnAllocator allocator; // allocate NULL: malloc
    SnIsa isa;
} SnWorldDef;

// Gravity of 9.81 m/s² along −y, one thread, malloc, the best instruction set, no sleep.
SN_API SnWorldDef sn_default_world_def(void);
// SN_ERROR_INVALID for what cannot be used, SN_ERROR_MEMORY; *out_world is set on success only.
SN_API SnResult sn_world_create(const SnWorldDef *def, SnWorld **out_world);
SN_API void sn_world_destroy(SnWorld *world);

// m/s², from the next step on; wakes everybody.
SN_API SnResult sn_world_set_gravity(SnWorld *world, SnVec3 gravity);
SN_API SnVec3 sn_world_gravity(const SnWorld *world);
// SnWorldDef.tolerance, m and rad, from the next step on. Below 0 or not a number: SN_ERROR_INVALID,
// and it stays what it was.
SN_API SnResult sn_world_set_tolerance(SnWorld *world, float tolerance);
SN_API float sn_world_tolerance(const SnWorld *world);
// SnWorldDef.sleep_speed, m/s, in [0, SN_MAX_SPEED], from the next step on. With 0, everybody wakes.
SN_API SnResult sn_world_set_sleep_speed(SnWorld *world, float sleep_speed);
SN_API float sn_world_sleep_speed(const SnWorld *world);
SN_API double sn_world_time(const SnWorld *world); // s
SN_API SnIsa sn_world_isa(const SnWorld *world);

// Memory that a world takes in advance. As long as there are no more contacts and pairs than that, no step
// asks the allocator for memory, whatever touches, slides and piles up: what a step needs beyond what it
// has comes from the reserve. It is generous, about 5 kB per contact.
typedef struct SnReserve {
    uint32_t cookie; // set by sn_default_reserve
    int points;      // of all bodies that there will be; 0: as many as there are now
    int contacts;    // that may be found in one step, those that do not come to touch included
    int pairs;       // of elements that are near each other
} SnReserve;

// None.
SN_API SnReserve sn_default_reserve(void);
// May be called again, and takes what is missing then. SN_ERROR_MEMORY, SN_ERROR_INVALID for numbers outside
// [0, 1e8]. It all goes back with the world.
SN_API SnResult sn_world_reserve(SnWorld *world, const SnReserve *reserve);

// s; forces are momenta over the sub-step, and with shorter ones they leave the range of float.
#define SN_MIN_SUBSTEP 1.0e-13f

// What a step ran into. The world is valid and finite whatever the bits say.
typedef enum SnStepBits {
    SN_STEP_OK = 0,
    // dt outside (0, 1] s, sub-steps shorter than SN_MIN_SUBSTEP, or counts outside [1, 1000]: nothing
    // was done.
    SN_STEP_BAD_TIME = 1,
    SN_STEP_CLAMPED = 2,   // a speed reached SN_MAX_SPEED and was held there
    SN_STEP_RECOVERED = 4, // a body left the range of float; it was put back to rest where it was
    SN_STEP_NO_MEMORY =
        8, // there was no memory for contacts: in this step, nothing touched anything
    // A swept rod is so stiff for these sub-steps and iterations that it gives way by a tenth too much
    // at rest, or more: sn_rod_sweep_error says how much. The step itself went well.
    SN_STEP_SOFT = 16,
    // A part of a stiff rod is far from where it is held, by half its radius and a tenth of its length
    // or more: holds contradict each other, as those of one segment that are led apart do.
    SN_STEP_APART = 32,
    // A rigid link was left open by more than a twentieth of an element, and is not about to close: something too heavy
    // for the step jerks at a light rod, and more sub-steps help, or links, attachments and contacts contradict each
    // other. sn_link_gap says which one it is. Where links were not solved at all, what hangs together by them is
    // kept from getting faster, at the expense of its momentum.
    SN_STEP_TORN = 64,
    // There is a reserve (sn_world_reserve), and it was not enough: the allocator was asked for memory.
    SN_STEP_RESERVE = 128,
} SnStepBits;

// Advances by dt seconds in `substeps` equal parts with `iterations` each, sweeps or those of Newton's
// method. What it converges to is as stiff for every choice; more sub-steps converge faster than more
// iterations at the same cost (docs/solvers.md).
SN_API uint32_t sn_world_step(SnWorld *world, float dt, int substeps, int iterations);

// An end of an element that broke off its point. The point stays with what else meets there.
typedef struct SnTornEnd {
    int body;        // its number in SnPoses
    int element;     // of the body
    int end;         // 0 or 1: which of the element's two points it was at
    SnVec3 position; // m, in the world: where that end is now
    float radius;    // m, of the element there
} SnTornEnd;

// All bodies as flat arrays, in order of creation. Body i has points from point_begin[i] up to
// point_begin[i + 1], and elements likewise. A point is a bone: skins, recordings and pictures follow
// its position, rotation and scale.
typedef struct SnPoses {
    int body_count, point_count, element_count;
    const SnBodyId *bodies;
    const SnBodyKind *kinds;  // body_count
    const int *point_begin;   // body_count + 1
    const int *element_begin; // body_count + 1
    const float *positions;   // x y z per point, m
    // x y z w per point: a unit quaternion, how it has turned since the rest pose. It is the mean over
    // the elements that meet there, by their rest length, or over SnRodDef.bone_segments; what broke
    // off does not count. Points of a section (SnRodDef.sections) all turn as the section does.
    const float *rotations;
    const float *radii;  // per point, m
    const float *scales; // per point: radius / rest radius
    // a b c per element, m: of the particles of a solid, the radii along the axes of their frames; 0 of what is
    // no ellipsoid. The radius of such a point is that of a sphere as large.
    const float *shapes;
    const float *frames; // x y z w per element, to the world
    const int *edges;    // two per element: points of its body, from 0
    // What broke, as the solver knows it: in the order of bodies, then of elements.
    const SnTornEnd *torn;
    int torn_count;
    // Kinematic frames (frame.h) in the order of their slots, and where they are: skins may follow them.
    int led_count;
    const SnFrameId *led;
    const SnPose *led_poses;
} SnPoses;

// Computed on the world's threads, once for every state of the world however often it is asked for.
// Valid until the world changes. SN_ERROR_MEMORY: *out_poses is as it was.
SN_API SnResult sn_world_poses(SnWorld *world, SnPoses *out_poses);

// Time of each stage of the last step, ms of wall time. Predict (with the direct pass), iterate and
// finish run together in every worker; they are shared out as a sample of the bodies spent it.
// Stiff rods are all iteration. Collide is the search for what may touch in this step.
typedef struct SnStepTimes {
    float animate, collide, predict, iterate, contacts, finish, total;
} SnStepTimes;

// Of the last step; all 0 before the first.
SN_API SnStepTimes sn_world_step_times(const SnWorld *world);

// Measured on demand, in double precision.
typedef struct SnMeasures {
    // |V/V_rest − 1| per segment of what keeps its volume; classic rods do not.
    double volume_error_mean, volume_error_max;
    double stretch_max; // |length/rest length − 1| per segment, or edge of a solid
    // Elastic energies, J, each without the others; docs/physics.md has their potentials.
    double energy_stretch; // along the segments, eq. 11; of stiff rods where they are held twice
    double energy_shear;   // across them, eq. 11; stiff rods have none
    double energy_bend;    // eq. 14
    double energy_twist;   // eq. 14
    double energy_scale;   // eqs 12, 13, 15
    double energy_volume;  // eqs 18 to 20
    double energy_elastic; // the sum of these
    double energy_kinetic, energy_gravity;   // J
    double momentum[3], angular_momentum[3]; // kg·m/s, kg·m²/s about the world's origin
    double mass;
    double speed_max;       // m/s, of the fastest vertex
    double penetration_max; // deepest overlap of the last step, as a part of the thinner radius
    // How far the last step's sweeps were from the solution: the root mean square force that is
    // missing in stretch, bending and twist, relative to the forces there are. Of one rod, it is
    // that of the rods it was solved side by side with.
    double residual;
    // Of stiff rods: the largest error of their constraints that the last solve met (m, rad), how
    // many solves the last step's sub-steps took at most, and joints that broke.
    double stiff_residual;
    int stiff_iterations;
    int broken_joints;
} SnMeasures;

// Of all bodies, and of one.
SN_API SnMeasures sn_world_measure(SnWorld *world);
SN_API SnResult sn_body_measure(SnWorld *world, SnBodyId body, SnMeasures *out_measures);

// A hash over all state that decides the future, loads of the next step excepted: equal for equal bits,
// whatever the number of threads and the instruction set.
SN_API uint64_t sn_world_hash(SnWorld *world);

// Snapshots of the state (not of definitions). A snapshot restores into the world it was taken
// from, or one built by the same calls, and what follows is bit-identical; joints that broke since
// are whole again. Creating or destroying anything but skins in between is an error, SN_ERROR_INVALID,
// that leaves the world as it is. Loads given for the next step are not part of it. A snapshot has a
// checksum, and all its numbers are checked: one that is damaged is refused with SN_ERROR_FORMAT and
// the world stays as it was.
SN_API size_t sn_world_snapshot_size(SnWorld *world);
SN_API SnResult sn_world_save(SnWorld *world, void *buffer, size_t size);
SN_API SnResult sn_world_restore(SnWorld *world, const void *buffer, size_t size);

#ifdef __cplusplus
}
#endif
