// The inside of a world.
#pragma once

#include "base/ids.h"
#include "base/tasks.h"
#include "rod/rods.h"
#include "sinew/world.h"

typedef struct Frame {
    SnPose pose, target;
} Frame;

// An attached element. `lead` is its entry in the pack that holds it.
typedef struct Attachment {
    SnAttachmentKind kind;
    SnRodId rod;
    int index;
    SnFrameId frame;
    SnVec3 position; // in the frame
    SnQuat rotation;
    float scale;
    int lead;
    bool moving; // the target changes in the next step
} Attachment;

// Scratch of one worker: the fields relative to the lanes of the pack it is at.
typedef struct Worker {
    RodField fields[SN_MAX_FIELDS];
} Worker;

// Flat copies of all poses, for sn_world_poses.
typedef struct PoseBuffers {
    void *memory;
    size_t size;
} PoseBuffers;

struct SnWorld {
    SnAllocator allocator;
    SnLog *log;
    void *log_context;
    SnIsa isa;
    SnPool *pool; // NULL with the user's own tasks
    SnTaskSystem tasks;
    Worker *workers;

    SnVec3 gravity;
    double time;
    uint64_t revision; // counts what was created and destroyed
    RodSystem rods;

    SnIdPool frame_ids;
    Frame *frames; // by slot − 1, as all below
    int frame_capacity;
    SnIdPool attachment_ids;
    Attachment *attachments;
    int attachment_capacity;
    SnIdPool field_ids;
    SnFieldDef fields[SN_MAX_FIELDS];
    double field_phase[SN_MAX_FIELDS]; // of gusts, in periods

    PoseBuffers poses;
    SnStepTimes times;
};

// Grows an array of a pool's slots so that the next id fits.
bool sn__slots_reserve(const SnAllocator *allocator, const SnIdPool *ids, void **array,
                       int *capacity, size_t size);

// frames.c
void sn__frames_begin_step(SnWorld *world); // leads from frame targets
void sn__frames_end_step(SnWorld *world);
void sn__attachments_drop_rod(SnWorld *world, SnRodId rod);

// fields.c
void sn__fields_begin_step(SnWorld *world, float dt);
// Fills the worker's fields for a pack; returns their number.
int sn__fields_for_pack(const SnWorld *world, const RodPack *pack, RodField *out_fields);
