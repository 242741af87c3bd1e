// Force fields that act on every body of the world.
#pragma once

#include "rod.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnFieldId {
    uint32_t index, generation;
} SnFieldId;

#define SN_MAX_FIELDS 64

typedef enum SnFieldKind {
    // The same acceleration everywhere: strength × direction, m/s².
    SN_FIELD_UNIFORM,
    // Acceleration away from `centre` (towards it if strength < 0): strength × (1 − d²)², d the
    // distance relative to `radius`, and 0 beyond it.
    SN_FIELD_POINT,
    // Acceleration around the axis `direction` through `centre`: strength × d (1 − d²)², d the
    // distance from the axis relative to `radius`, and 0 beyond it.
    SN_FIELD_VORTEX,
    // Moving air, strength × direction in m/s, that drags on the rods by their radius and
    // orientation. `gust` (0 to 1) and `gust_period` (s) let it swell and fade, as a wave that
    // travels with it.
    SN_FIELD_WIND,
} SnFieldKind;

typedef struct SnFieldDef {
    uint32_t cookie; // set by sn_default_field_def
    SnFieldKind kind;
    float strength;
    SnVec3 direction; // normalised for you
    SnVec3 centre;
    float radius;
    float gust;
    float gust_period;
    float air_density; // kg/m³
} SnFieldDef;

SN_API SnFieldDef sn_default_field_def(void);
SN_API SnResult sn_field_create(SnWorld *world, const SnFieldDef *def, SnFieldId *out_field);
SN_API SnResult sn_field_set(SnWorld *world, SnFieldId field, const SnFieldDef *def);
SN_API SnResult sn_field_destroy(SnWorld *world, SnFieldId field);

#ifdef __cplusplus
}
#endif
