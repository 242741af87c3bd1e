// The inside of a world.
#pragma once

#include "base/ids.h"
#include "base/tasks.h"
#include "rod/step.h"
#include "sinew/world.h"
#include "tree/step.h"
#include "world/colliders.h"
#include "world/contacts.h"
#include "world/skins.h"

typedef struct Frame {
    SnPose pose, target;
} Frame;

typedef struct Attachment {
    SnAttachmentKind kind;
    SnBodyId body;
    int index;
    SnFrameId frame;
    SnVec3 position; // in the frame
    SnQuat rotation;
    float scale;
    int lead;    // its number in the rod's pack
    bool moving; // the target changes in the next step
} Attachment;

// One end of a link: two knots, how much of each, and where their positions are from.
typedef struct LinkSide {
    int knot[2];
    float weight[2];
    double origin[2][3];
} LinkSide;

typedef struct Link {
    SnBodyPoint a, b;
    SnFrameId frame;
    SnVec3 from, to; // of the target, in the frame
    float length, compliance, max_force;
    bool rope;
    SnVec3 force; // mean over the last step
    // Of a step.
    LinkSide side[2];
    Vec3d start, end; // of the target
    float mu[3];      // multiplier × h²
    float drawn;      // m, the length of this sub-step
} Link;

// Flat copies of all poses, for sn_world_poses.
typedef struct PoseBuffers {
    void *memory;
    size_t size;
} PoseBuffers;

struct SnWorld {
    SnAllocator allocator;
    SnIsa isa;
    TaskPool *pool; // NULL with the user's own tasks
    SnTaskSystem tasks;
    RodScratch *scratch; // one per worker

    SnVec3 gravity;
    float sleep_speed; // m/s, 0: never
    double time;
    uint64_t revision; // hash of all that was created and destroyed
    RodSystem rods;
    TreeSystem trees; // the bodies of stiff rods
    double tolerance; // of their iterations
    TreesReport stiff_report;
    uint64_t breaks; // of their joints, ever

    IdPool frame_ids;
    Frame *frames; // by slot − 1, as all below
    int frame_capacity;
    IdPool attachment_ids;
    Attachment *attachments;
    int attachment_capacity;
    IdPool field_ids;
    SnFieldDef fields[SN_MAX_FIELDS];
    WindState wind_states[SN_MAX_FIELDS];
    SnFieldDef active_fields[SN_MAX_FIELDS]; // all but winds, in this step
    Air air;                                 // the winds

    ColliderSystem colliders;
    IdPool link_ids;
    Link *links;
    int link_capacity;
    ContactSystem contacts;
    SkinSystem skins;
    uint32_t *island;   // by slot of a rod (sleep.c)
    float *island_rest; // s
    uint32_t island_capacity;
    uint64_t pose_stamp;       // changes whenever a rod may have moved, come or gone
    struct QueryTree *queries; // query.c; NULL until the first query

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
    CREATE_COLLIDER,
    DESTROY_COLLIDER,
    CREATE_LINK,
    DESTROY_LINK,
} Change;
void sn__world_changed(SnWorld *world, Change change, uint32_t index, uint32_t generation,
                       int detail);
// Memory for every worker to solve rods in directly; false without memory.
bool sn__world_reserve_fronts(SnWorld *world);

// stiff.c: stiff rods as the collision phase sees them; as sn__rods_… and sn__pack_… of rods.
SnResult sn__stiff_create(SnWorld *world, const SnRodDef *def, SnBodyId *out_rod);
void sn__stiff_visit(const SnWorld *world, RodVisit *visit, void *context);
// What yielded and what broke, as many bytes whatever did; and back again: trees get the rows that
// they had then. False without memory.
void sn__stiff_visit_joints(const SnWorld *world, RodVisit *visit, void *context);
bool sn__stiff_read_joints(SnWorld *world, const char *from);
void sn__stiff_restored(SnWorld *world);
int sn__stiff_number(SnWorld *world, int first);
void sn__stiff_own(const SnWorld *world, KnotOwner *owners);
void sn__stiff_add_velocity(const SnWorld *world, double sum[4]);
void sn__stiff_bounds(SnWorld *world, const TouchBounds *bounds);
void sn__stiff_untouch(SnWorld *world);
// After a pass over contacts and links: where they press, the next one finds the whole tree.
void sn__stiff_press(SnWorld *world);
void sn__stiff_end_step(SnWorld *world);

// frames.c
void sn__frames_begin_step(SnWorld *world); // leads from frame targets
void sn__frames_end_step(SnWorld *world);
void sn__attachments_drop_rod(SnWorld *world, SnBodyId rod);
bool sn__pose_is_valid(SnPose pose);
// Of the null frame or a stale one: the world's.
SnPose sn__frame_pose_or_identity(const SnWorld *world, SnFrameId frame, bool target);

// links.c
void sn__links_begin_step(SnWorld *world);
void sn__links_solve(SnWorld *world, const ContactPass *pass);
void sn__links_end_substep(SnWorld *world, float h, float share);
void sn__links_end_step(SnWorld *world);
void sn__links_drop_rod(SnWorld *world, SnBodyId rod);
void sn__links_drop_frame(SnWorld *world, SnFrameId frame);

// sleep.c
void sn__wake_all(SnWorld *world);
void sn__wake_touched(SnWorld *world);
void sn__sleep_end_step(SnWorld *world, float dt);
void sn__sleep_release(SnWorld *world);

// query.c
void sn__queries_destroy(SnWorld *world);

// fields.c
int sn__fields_begin_step(SnWorld *world, float dt); // returns the number of active_fields
