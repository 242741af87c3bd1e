// The inside of a world.
#pragma once

#include "base/ids.h"
#include "base/tasks.h"
#include "rod/step.h"
#include "sinew/world.h"

typedef struct Frame {
    SnPose pose, target;
} Frame;

typedef struct Attachment {
    SnAttachmentKind kind;
    SnRodId rod;
    int index;
    SnFrameId frame;
    SnVec3 position; // in the frame
    SnQuat rotation;
    float scale;
    int lead;    // its number in the rod's pack
    bool moving; // the target changes in the next step
} Attachment;

// Flat copies of all poses, for sn_world_poses.
typedef struct PoseBuffers {
    void *memory;
    size_t size;
} PoseBuffers;

struct SnWorld {
    SnAllocator allocator;
    SnIsa isa;
    SnPool *pool; // NULL with the user's own tasks
    SnTaskSystem tasks;
    RodScratch *scratch; // one per worker

    SnVec3 gravity;
    double time;
    uint64_t revision; // hash of all that was created and destroyed
    RodSystem rods;

    SnIdPool frame_ids;
    Frame *frames; // by slot − 1, as all below
    int frame_capacity;
    SnIdPool attachment_ids;
    Attachment *attachments;
    int attachment_capacity;
    SnIdPool field_ids;
    SnFieldDef fields[SN_MAX_FIELDS];
    double field_phase[SN_MAX_FIELDS];        // of gusts, in periods
    ActiveField active_fields[SN_MAX_FIELDS]; // those in use, in this step

    PoseBuffers poses;
    SnStepTimes times;
};

// Mixes a creation or destruction into the revision, which snapshots are compared by.
typedef enum Change {
    CREATE_ROD,
    DESTROY_ROD,
    CREATE_FRAME,
    DESTROY_FRAME,
    CREATE_ATTACHMENT,
    DESTROY_ATTACHMENT,
    CREATE_FIELD,
    DESTROY_FIELD,
} Change;
void sn__world_changed(SnWorld *world, Change change, uint32_t index, uint32_t generation,
                       int detail);

// frames.c
void sn__frames_begin_step(SnWorld *world); // leads from frame targets
void sn__frames_end_step(SnWorld *world);
void sn__attachments_drop_rod(SnWorld *world, SnRodId rod);

// fields.c
int sn__fields_begin_step(SnWorld *world, float dt); // returns the number of active fields
