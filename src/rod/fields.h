// Force fields as the packs see them.
#pragma once

#include "rod/kernels.h"
#include "sinew/field.h"

// A field of the world, its direction normalised, and how far its gust has come, in periods.
typedef struct ActiveField {
    SnFieldDef def;
    double gust_phase;
} ActiveField;

void sn__pack_fields(const RodPack *pack, const ActiveField *fields, int count,
                     RodField *out_fields);
