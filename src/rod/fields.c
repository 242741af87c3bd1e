#include "rod/fields.h"

#include <math.h>
#include <string.h>

static void pack_field(const RodPack *pack, const ActiveField *from, RodField *f) {
    const SnFieldDef *def = &from->def;
    memset(f, 0, sizeof *f);
    f->kind = def->kind;
    f->strength = def->strength;
    f->radius = def->radius;
    f->air_density = def->air_density;
    f->direction[0] = def->direction.x;
    f->direction[1] = def->direction.y;
    f->direction[2] = def->direction.z;
    f->gust = def->gust;
    float travel = fabsf(def->strength) * def->gust_period; // metres per period
    f->gust_wave = travel > 1e-3f ? 1.0f / travel : 0.0f;
    f->gust_phase = (float)from->gust_phase;
    for (int i = 0; i < pack->lanes; ++i) {
        const double *origin = pack->lane[i].origin;
        f->centre_x[i] = (float)((double)def->centre.x - origin[0]);
        f->centre_y[i] = (float)((double)def->centre.y - origin[1]);
        f->centre_z[i] = (float)((double)def->centre.z - origin[2]);
    }
}

void sn__pack_fields(const RodPack *pack, const ActiveField *fields, int count,
                     RodField *out_fields) {
    for (int k = 0; k < count; ++k)
        pack_field(pack, &fields[k], &out_fields[k]);
}
