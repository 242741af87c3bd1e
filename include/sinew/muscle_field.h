// Muscles as fields: a profile that is swept along a line, bulges where the muscle is active and keeps
// its volume (Roussellet et al. 2018, sections 5.1 and 5.2).
//
//     SnMuscleFieldDef def = sn_default_muscle_field_def();
//     def.line = points; def.point_count = 30; def.volume = 2e-4f;
//     SnMuscleField *muscle;
//     sn_muscle_field_create(&def, NULL, &muscle);
//     sn_muscle_field_move(muscle, points, first_normal, last_normal);
//     sn_muscle_field_activate(muscle, 0.7f);
//     double distance = sn_muscle_field_at(muscle, x); // negative inside
//
// No world is needed: the line may be the points of a rod, or anything else.
#pragma once

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnMuscleField SnMuscleField;

#define SN_MAX_MUSCLE_POINTS 256
#define SN_MAX_MUSCLE_PROFILE 9

// One of the two shapes of a muscle. Along the line, its radius goes as s^(alpha−1) (1 − s)^(beta−1);
// across, it is an ellipse of that eccentricity, the longer axis along the normal.
typedef struct SnMuscleProfile {
    int alpha, beta;    // 1 to SN_MAX_MUSCLE_PROFILE; at 1 that end is as thick as the muscle
    float eccentricity; // 0: round, below 1
} SnMuscleProfile;

typedef struct SnMuscleFieldDef {
    uint32_t cookie;                  // set by sn_default_muscle_field_def
    const char *name;                 // for error messages, may be NULL; not kept
    int point_count;                  // 2 to SN_MAX_MUSCLE_POINTS
    const SnVec3 *line;               // m, from origin to insertion; not kept
    SnVec3 first_normal, last_normal; // of its cross-sections at both ends; 0: any
    float volume;                     // m³
    SnMuscleProfile rest, active;
    float
        exaggeration; // of its width when it is active, which then has more than its volume; 1: none
} SnMuscleFieldDef;

// Round, (3, 3) at rest and (4, 7) when active; a line and a volume must be given.
SN_API SnMuscleFieldDef sn_default_muscle_field_def(void);
// SN_ERROR_INVALID names what cannot be used. `allocator` may be NULL: malloc.
SN_API SnResult sn_muscle_field_create(const SnMuscleFieldDef *def, const SnAllocator *allocator,
                                       SnMuscleField **out_muscle);
SN_API void sn_muscle_field_destroy(SnMuscleField *muscle); // NULL is allowed

// The line as it is now, of as many points; the width follows from the volume. SN_ERROR_INVALID, and
// nothing is changed, for a line without length or of numbers that are not finite. Forgets a correction.
SN_API SnResult sn_muscle_field_move(SnMuscleField *muscle, const SnVec3 *line, SnVec3 first_normal,
                                     SnVec3 last_normal);
// One cross-section per point of the line in place of volume and profiles, as a bundle of rods has them
// (sn_muscle_sections): the mean radius there, m, at least one of them positive, and the longer axis of an
// ellipse, of one eccentricity for all. Holds until the next sn_muscle_field_move; activation, exaggeration
// and corrections do nothing to it. Errors are those of sn_muscle_field_move, and of what is out of range.
SN_API SnResult sn_muscle_field_shape(SnMuscleField *muscle, const SnVec3 *line,
                                      const SnVec3 *normals, const float *radii,
                                      float eccentricity);
// m³, from now on. SN_ERROR_INVALID if it is not in (0, 1e9).
SN_API SnResult sn_muscle_field_set_volume(SnMuscleField *muscle, float volume);
// As in the definition, from now on; SN_ERROR_INVALID, and nothing is changed, outside of its range there.
SN_API SnResult sn_muscle_field_set_exaggeration(SnMuscleField *muscle, float exaggeration);
SN_API SnResult sn_muscle_field_set_eccentricity(SnMuscleField *muscle, float rest, float active);
// From its shape at rest, 0, to the active one, 1, at constant volume; clamped to that.
SN_API void sn_muscle_field_activate(SnMuscleField *muscle, float activation);

// m, the distance to the line minus the radius there: negative inside the muscle. Not a distance to its
// surface, but zero there.
SN_API double sn_muscle_field_at(const SnMuscleField *muscle, SnVec3 x);
// The place on the line that x belongs to, 0 at the origin, 1 at the insertion.
SN_API double sn_muscle_field_project(const SnMuscleField *muscle, SnVec3 x);
// The mean radius at a place, m: that of the round cross-section of the same area.
SN_API double sn_muscle_field_radius(const SnMuscleField *muscle, double place);

// m³, of all that is inside, counted in cubes of a 96th of its length or a ninth of its radius: V = π w² l holds for a straight
// line, and within some percent for a bent one. It takes milliseconds.
SN_API double sn_muscle_field_volume(const SnMuscleField *muscle);
// Changes the width so that the volume as it is counted is the one of the definition.
SN_API void sn_muscle_field_correct(SnMuscleField *muscle);

#ifdef __cplusplus
}
#endif
