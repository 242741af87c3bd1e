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
    // Of one that splits: what broke, and how its vertices follow their bones since then.
    SplitState state;
    SkinPoint *points;
    float *strains; // room for those of its body's edges
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

// skin_splits.c: the edges that a skin splits with, which are none if it does not; false: no memory.
bool sn__skin_take_graph(const SnWorld *world, const SnSkinDef *def, SkinGraph *out_graph);
void sn__skin_drop_graph(const SnAllocator *allocator, SkinGraph *graph);
// What a skin of a split model needs; false: no memory.
bool sn__skin_start_split(const SnAllocator *allocator, Skin *skin);
void sn__skin_end_split(const SnAllocator *allocator, const Skin *skin);
// Looks for what broke, or was put together by a snapshot.
void sn__skin_look_at_breaks(const SnWorld *world, Skin *skin);

// skin_bind.c: the bones and pills that a definition names.
typedef struct SkinCount {
    int bones, pills;
} SkinCount;

SnResult sn__skin_count(const SnWorld *world, const SnSkinDef *def, SkinCount *out_count);
// Of a definition that was counted. False: no memory.
bool sn__skin_take_rest(const SnWorld *world, const SnSkinDef *def, SkinCount count,
                        SkinRest *out_rest);
