// Meshes of muscles made by code, one of each sort that anatomy names by shape.
#pragma once

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnMuscleShape {
    SN_MUSCLE_SPINDLE,    // a round belly between two tendons
    SN_MUSCLE_STRAP,      // long, flat, of one width
    SN_MUSCLE_FAN,        // from a narrow tendon to a broad, flat end
    SN_MUSCLE_CURVED,     // a spindle along an arc
    SN_MUSCLE_BIPENNATE,  // a leaf, thickest along its middle, on a stalk
    SN_MUSCLE_TWO_HEADED, // two bellies that join before the tendon they share
    SN_MUSCLE_SHAPE_COUNT,
} SnMuscleShape;

// "spindle", "strap", "fan", "curved", "bipennate", "two-headed".
SN_API const char *sn_muscle_shape_name(SnMuscleShape shape);

// A closed mesh of about so many triangles, 200 to 1 million (two-headed: 2,000 or more), along y with its middle at the origin;
// `length` from end to end, m, within [1e-3, 1000]. `allocator` may be NULL: malloc. Free it with
// sn_mesh_destroy.
SN_API SnResult sn_muscle_mesh(SnMuscleShape shape, float length, int triangles,
                               const SnAllocator *allocator, SnMesh *out_mesh);

#ifdef __cplusplus
}
#endif
