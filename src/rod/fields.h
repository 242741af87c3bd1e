// Force fields as the packs see them.
#pragma once

#include "rod/kernels.h"

// Fields and winds that act on one pack.
typedef struct RodFields {
    RodField forces[SN_MAX_FIELDS];
    WindField winds[SN_MAX_FIELDS];
} RodFields;

// `forces` are not winds, and their directions are normalised. Makes motion->… point into `out`.
void sn__pack_fields(const RodPack *pack, const SnFieldDef *forces, int count, const Air *air,
                     RodFields *out, RodMotion *motion);
