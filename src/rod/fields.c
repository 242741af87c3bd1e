#include "rod/fields.h"

#include <assert.h>

_Static_assert(PACK_LANES == WIND_LANES, "winds are placed for whole rows");

static void pack_field(const RodPack *pack, const SnFieldDef *def, RodField *f) {
    assert(def->kind != SN_FIELD_WIND && def->radius > 0.0f);
    f->kind = def->kind;
    f->strength = def->strength;
    f->radius = def->radius;
    f->direction[0] = def->direction.x;
    f->direction[1] = def->direction.y;
    f->direction[2] = def->direction.z;
    for (int i = 0; i < PACK_LANES; ++i) {
        const double *origin = pack->lane[i].origin;
        f->centre_x[i] = (float)((double)def->centre.x - origin[0]);
        f->centre_y[i] = (float)((double)def->centre.y - origin[1]);
        f->centre_z[i] = (float)((double)def->centre.z - origin[2]);
    }
}

void sn__pack_fields(const RodPack *pack, const SnFieldDef *forces, int count, const Air *air,
                     RodFields *out, RodMotion *motion) {
    assert(count >= 0 && count <= SN_MAX_FIELDS && air->count >= 0 && air->count <= SN_MAX_FIELDS);
    for (int k = 0; k < count; ++k)
        pack_field(pack, &forces[k], &out->forces[k]);
    double origins[PACK_LANES][3];
    for (int i = 0; i < PACK_LANES && air->count > 0; ++i)
        for (int c = 0; c < 3; ++c)
            origins[i][c] = pack->lane[i].origin[c];
    for (int k = 0; k < air->count; ++k)
        sn__wind_place(&air->winds[k], origins, PACK_LANES, &out->winds[k]);
    motion->fields = out->forces;
    motion->field_count = count;
    motion->winds = out->winds;
    motion->wind_count = air->count;
    motion->air_density = air->density;
}
