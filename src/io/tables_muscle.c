// The tables of muscles.
#include "io/scene_flesh.h"
#include "io/scene_muscle.h"
#include "io/tables.h"

#define TABLE(id, name, keys) const KeyTable sn__table_##id = {name, keys, KEY_COUNT(keys), NULL}

static const KeyField spindle_keys[] = {
    {"from", KEY_VEC3, FIELD(SpindleParams, from), RANGE_ANY, true, false},
    {"to", KEY_VEC3, FIELD(SpindleParams, to), RANGE_ANY, true, false},
    {"radius", KEY_FLOAT, FIELD(SpindleParams, radius), {1e-4, 1e4, false}, true, false},
    {"ends", KEY_FLOAT, FIELD(SpindleParams, ends), {0.05, 2, false}, false, false},
    {"rods", KEY_INT, FIELD(SpindleParams, rods), {1, SN_MAX_MUSCLE_RODS, false}, false, false},
    {"segments", KEY_INT, FIELD(SpindleParams, segments), {1, 1024, false}, false, false},
};
TABLE(spindle, "spindle", spindle_keys);

// The limits are those of sn_muscle_create.
#define HILL(name, min, max)                                                                       \
    { #name, KEY_FLOAT, FIELD(SnHill, name), {min, max, false }, false, false }
static const KeyField hill_keys[] = {
    HILL(optimal_length, 0.1, 10), HILL(width, 0.05, 10),  HILL(max_velocity, 0.1, 1000),
    HILL(curvature, 0.01, 100),    HILL(eccentric, 1, 10), HILL(passive_strain, 0, 10),
};
TABLE(hill, "hill", hill_keys);

static const KeyField flesh_point_keys[] = {
    BY_HAND_REQUIRED("frame"),
    {"position", KEY_VEC3, FIELD(FleshPoint, position), RANGE_ANY, true, false},
};
TABLE(flesh_point, "flesh_point", flesh_point_keys);

static const KeyField flesh_profile_keys[] = {
    {"alpha",
     KEY_INT,
     FIELD(SnMuscleProfile, alpha),
     {1, SN_MAX_MUSCLE_PROFILE, false},
     false,
     false},
    {"beta",
     KEY_INT,
     FIELD(SnMuscleProfile, beta),
     {1, SN_MAX_MUSCLE_PROFILE, false},
     false,
     false},
    {"eccentricity",
     KEY_FLOAT,
     FIELD(SnMuscleProfile, eccentricity),
     {0, 0.999, false},
     false,
     true},
};
TABLE(flesh_profile, "flesh_profile", flesh_profile_keys);

static const KeyField flesh_drive_keys[] = {
    BY_HAND_REQUIRED("frame"),
    {"from", KEY_FLOAT, FIELD(FleshDrive, from), {0, 180, false}, true, false},
    {"to", KEY_FLOAT, FIELD(FleshDrive, to), {0, 180, false}, true, false},
};
TABLE(flesh_drive, "flesh_drive", flesh_drive_keys);
