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
    // Moving air, strength × direction in m/s, that drags on every body by its shape and
    // orientation; with strength 0 it is still air. Several winds are one air: their velocities add
    // up, and it has the density of the densest.
    SN_FIELD_WIND,
} SnFieldKind;

typedef struct SnFieldDef {
    uint32_t cookie; // set by sn_default_field_def
    SnFieldKind kind;
    float strength;
    SnVec3 direction; // normalised for you
    SnVec3 centre;
    float radius;

    // Of a wind. All but `seed` may change from step to step: gusts and eddies go on from where they
    // are, as seen from the centre.
    float gust;        // 0 to 1: it swells and fades by up to this part of its strength
    float gust_period; // s, of the strongest of the waves that gusts are made of
    float air_density; // kg/m³
    float turbulence;  // 0 to 1: rms of each component of its eddies, relative to its strength
    float eddy;        // m, wave length of the largest eddies; the smallest have a 13th of it
    float profile;     // 0 to 0.5: it grows with height as (h / 10 m)^profile, h above centre.y;
                       // in steps of 1/64. About 0.15 over open land. 0: the same everywhere
    uint32_t seed;     // winds with different seeds have different gusts and eddies
} SnFieldDef;

// A uniform field of strength 0 along x.
SN_API SnFieldDef sn_default_field_def(void);
// At most SN_MAX_FIELDS: SN_ERROR_LIMIT. out_field may be NULL.
SN_API SnResult sn_field_create(SnWorld *world, const SnFieldDef *def, SnFieldId *out_field);
SN_API SnResult sn_field_set(SnWorld *world, SnFieldId field, const SnFieldDef *def);
// As it was created or set last.
SN_API SnResult sn_field_read(const SnWorld *world, SnFieldId field, SnFieldDef *out_def);
// The field created after this one in the order of their slots, or the first one after the null id; null
// behind the last one and for a stale id.
SN_API SnFieldId sn_world_next_field(const SnWorld *world, SnFieldId field);
SN_API SnResult sn_field_destroy(SnWorld *world, SnFieldId field);

#ifdef __cplusplus
}
#endif
