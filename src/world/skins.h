// The skins of a world. All zeros is a system without any.
#pragma once

#include "base/ids.h"
#include "skin/model.h"

typedef struct Skin {
    SkinModel *model;
    SnBodyId *bodies;
    int body_count;
    void *user_data;
} Skin;

typedef struct SkinSystem {
    IdPool ids;
    Skin *skins; // by slot − 1
    int skin_capacity;
    SnSkinId *order; // in order of creation
    int order_count, order_capacity;
    SkinModel **models;
    int model_count, model_capacity;
    void *memory; // of sn_world_skins
    size_t memory_size;
} SkinSystem;

Skin *sn__skins_find(const SnWorld *world, SnSkinId id); // NULL if stale
// Destroys the skins that follow this rod.
void sn__skins_drop_rod(SnWorld *world, SnBodyId rod);
void sn__skins_destroy(SnWorld *world);
