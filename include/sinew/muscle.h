// Muscles: bundles of rods between two frames, which shorten or pull when they are activated.
//
// A muscle is one body (body.h) of kind SN_BODY_ROD. It has `rod_count` fibres of `slice_count` vertices
// each; vertex j of fibre k is point k × slice_count + j, and segment j of it is element
// k × (slice_count − 1) + j. Slices run from the origin to the insertion, and each is a section that
// keeps its proportions (rod.h). All that bodies can do, muscles can: they touch others but not
// themselves, are skinned, linked and queried.
//
// Functions that return SnResult return SN_ERROR_STALE for an id of a body that is gone and
// SN_ERROR_INVALID for a body that is no muscle, a NULL pointer or a number out of range, and then
// change nothing.
#pragma once

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_MUSCLE_RODS 256

// What activation does.
typedef enum SnMuscleDrive {
    // Fibres want to be shorter: rest lengths become 1 − activation × shortening, by at most ten lengths a second.
    SN_MUSCLE_SHORTEN,
    // Fibres pull: activation × stress × cross-section, less by a tenth for every length per second that they
    // shorten by, and where they are shorter than 0.7 of their rest length: nothing at 0.35.
    SN_MUSCLE_FORCE,
    SN_MUSCLE_HILL, // activation × stress × cross-section × what SnHill says
} SnMuscleDrive;

// A fibre of Hill's type, in the units of biomechanics. With λ its length over the optimal one and v the
// rate of λ over max_velocity, positive where it lengthens, it pulls with stress × cross-section times
//
//     activation × f_L(λ) × f_V(v) + f_P(λ),
//     f_L = 1 − ((λ − 1)/width)²,                                   not below 0
//     f_V = (1 + v)/(1 − v/curvature)                               for v in [−1, 0]
//     f_V = 1 + (eccentric − 1) v/(v + curvature (eccentric − 1)/(1 + curvature))   for v > 0
//     f_P = ((λ − 1)/passive_strain)²                               for λ > 1
typedef struct SnHill {
    float optimal_length; // of the fibre, over its rest length
    float width;
    float max_velocity; // optimal lengths per second
    float curvature;
    float eccentric;      // the largest f_V
    float passive_strain; // where f_P is 1; 0: there is none, as the material resists already
} SnHill;

typedef struct SnMuscleDef {
    uint32_t cookie;  // set by sn_default_muscle_def
    const char *name; // for messages and sn_world_find_body, may be NULL; copied

    int rod_count, slice_count;
    const SnVec3 *positions; // m, at rest; fibre after fibre
    const float *radii;      // m, likewise, or NULL for `radius` everywhere
    float radius;
    SnRodMaterial material;
    // How much of the volume of its fibres the muscle has, 0.01 to 10: less than 1 where fibres overlap,
    // as those that sn_viperize makes do, or it would weigh and pull too much. Density, stiffness and
    // stress count for that part of them. 1 by default.
    float packing;
    float section_compliance; // 1/Pa, as in SnRodDef
    SnMatching section_matching;

    // Where it is held: all vertices of its first slice by `origin`, of its last by `insertion`; the
    // null frame is the world. A free end is not held.
    SnFrameId origin, insertion;
    bool origin_free, insertion_free;
    // Frames carry all of the muscle along, each vertex by its way along the muscle: how much of their
    // motion it gets before a step is solved, 0 to 1.
    float carry;

    // This part of its length at each end, 0 to 0.45, is tendon: it does not shorten by itself, and is
    // this much stiffer along the fibres than the material.
    float tendon;
    float tendon_stiffening;

    SnMuscleDrive drive;
    float shortening; // of SN_MUSCLE_SHORTEN, 0 to 0.85
    float stress;     // Pa, of SN_MUSCLE_FORCE and SN_MUSCLE_HILL: at full activation
    SnHill hill;
    // Activation follows what is asked for as a first-order lag, s; 0: at once.
    float rise_time, fall_time;

    SnSurface surface;
    SnFilter filter;
    double origin_point[3]; // positions are relative to this point, m
    void *user_data;
} SnMuscleDef;

// The material "muscle", hard sections, shortening by 0.3, no tendons, carried as a whole; fibres and
// positions must be given.
SN_API SnMuscleDef sn_default_muscle_def(void);
// SN_ERROR_INVALID for what cannot be used, SN_ERROR_STALE for a frame that is gone, SN_ERROR_LIMIT
// beyond SN_MAX_MUSCLE_RODS or SN_MAX_CREATURE_EDGES. out_muscle may be NULL.
SN_API SnResult sn_muscle_create(SnWorld *world, const SnMuscleDef *def, SnBodyId *out_muscle);
// Whether the body is a muscle.
SN_API bool sn_body_is_muscle(const SnWorld *world, SnBodyId body);

// What is asked for, 0 to 1, from the next step on: of all fibres, or of one beside that. A fibre is
// activated by the product of both; fibres are at 1 until set otherwise.
SN_API SnResult sn_muscle_activate(SnWorld *world, SnBodyId muscle, float activation);
SN_API SnResult sn_muscle_activate_fibre(SnWorld *world, SnBodyId muscle, int rod,
                                         float activation);

// What was asked for: of all fibres, and of one beside that; 0 for what is no muscle or has no such fibre.
SN_API float sn_muscle_asked(const SnWorld *world, SnBodyId muscle);
SN_API float sn_muscle_fibre_asked(const SnWorld *world, SnBodyId muscle, int rod);

typedef struct SnMuscleState {
    float activation; // as it is, after the lag
    float length;     // m, of the fibres from end to end, their mean
    float volume;     // m³, of all fibres, times `packing`
    float tension;    // N, of all fibres together, half way along
    // m, the moment arms about the axes of the world through the origin of the insertion's frame, where the joint is
    // (sn_muscle_moment_arm); 0 of a free insertion.
    SnVec3 moment_arm;
} SnMuscleState;

SN_API SnResult sn_muscle_read(const SnWorld *world, SnBodyId muscle, SnMuscleState *out_state);
// A cross-section of a muscle as it is: an ellipse that has the area of its fibres there, times `packing`, and
// lies as they do.
typedef struct SnMuscleSection {
    SnVec3 position;    // m, its middle
    SnVec3 normal;      // a unit vector along its longer axis
    float radius;       // m, of a circle of its area
    float eccentricity; // 0: round, below 1
} SnMuscleSection;

// One per slice, from the origin to the insertion. They are what an implicit skin needs to lie on a muscle
// (sn_muscle_field_shape).
SN_API SnResult sn_muscle_sections(const SnWorld *world, SnBodyId muscle,
                                   SnMuscleSection *out_sections);
// The same of fibres in arrays, one after the other, as SnMuscleDef and SnPoses have them.
SN_API SnResult sn_fibre_sections(int rod_count, int slice_count, const SnVec3 *positions,
                                  const float *radii, float packing, SnMuscleSection *out_sections);
// The moment arm at the insertion about an axis through a point, m: the torque about it that 1 N of
// tension, shared evenly by all fibres, has on the insertion. The axis need not be of length 1.
SN_API SnResult sn_muscle_moment_arm(const SnWorld *world, SnBodyId muscle, SnVec3 point,
                                     SnVec3 axis, float *out_arm);

#ifdef __cplusplus
}
#endif
