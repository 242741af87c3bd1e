// The skins of a world. All zeros is a system without any.
#pragma once

#include "base/ids.h"
#include "skin/model.h"

typedef struct Skin {
    SkinModel *model;
    SnBodyId *bodies;
    int body_count;
    SnFrameId *frames;
    SnPose *rest_frames; // where they were when it was made
    int frame_count;
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
// Destroys the skins that follow this body, or frame.
void sn__skins_drop_body(SnWorld *world, SnBodyId body);
void sn__skins_drop_frame(SnWorld *world, SnFrameId frame);
void sn__skins_destroy(SnWorld *world);

// skin_bind.c: the bones and pills that a definition names.
typedef struct SkinCount {
    int bones, pills;
} SkinCount;

SnResult sn__skin_count(const SnWorld *world, const SnSkinDef *def, SkinCount *out_count);
// Of a definition that was counted. False: no memory.
bool sn__skin_take_rest(const SnWorld *world, const SnSkinDef *def, SkinCount count,
                        SkinRest *out_rest);
