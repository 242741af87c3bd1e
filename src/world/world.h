// The inside of a world.
#pragma once

#include "base/ids.h"
#include "base/reserve.h"
#include "base/tasks.h"
#include "body/kind.h"
#include "math/bend.h"
#include "muscle/muscle.h"
#include "sinew/world.h"
#include "world/colliders.h"
#include "world/contacts.h"
#include "world/hinges.h"
#include "world/skins.h"

typedef struct Frame {
    SnPose pose, target;
} Frame;

// Where a frame is after one and two thirds of the next step, if it does not go straight; and what its
// user knows of it.
typedef struct FrameVia {
    SnPose pose[2];
    bool curved;
    void *user_data;
} FrameVia;

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

// One end of a link: two knots, how much of each, and where their positions are from. Of a body that
// turns as a whole, the knot that it turns about, its turn, and the two knots that the end lies between.
typedef struct LinkSide {
    int knot[2];
    float weight[2];
    double origin[2][3];
    int turn; // 0: none
    int between[2];
    float t;
    // Of a body that is solved as a whole: its tie (BodyKind.tie), −1: none; and how far it drifts
    // in the next pass and the links of this one have moved it, m.
    const Body *body;
    int tie;
    double stretch; // BodyKind.stretch; 0: it does not
    bool sectioned; // BodyKind.sectioned
    bool broken;    // its body is, in this step
    Vec3d shift;
} LinkSide;

// What a side carries in contacts (link_hold.c).
typedef struct LinkLoad {
    double mass;            // at the point of the link, kg; 0: nothing
    Knot alone;             // the knot without it, and the inverse inertia
    float alone_inverse[6]; // of its body
    Vec3d shift,
        arm; // from the hub of the body to the one that contacts see, and from there to the point
    Vec3d from, came; // how far the point had come before contacts, and how far they have moved it
    Vec3d pushed;     // the same of pushes out of overlaps: before, then by contacts
    int round;        // in which it was loaded
} LinkLoad;

typedef struct Link {
    SnBodyPoint a, b;
    uint32_t next[2]; // of the links that hold the body of a, of b; by number, 0: none
    SnFrameId frame;
    SnVec3 from, to;              // of the target, in the frame
    float length_from, length_to; // m, when the next step begins and when it ends
    float compliance, max_force;
    float made_length; // when it was made
    bool rope;
    bool ignore; // both bodies pass through each other
    void *user_data;
    SnVec3 force;   // mean over the last step
    SnVec3 last;    // of the last sub-step, N
    SnVec3 pull;    // what the next one starts with
    SnVec3 pressed; // of that, what it takes of contacts at its light side, the other way
    // Of all bodies that links tie to each other, this one among them (link_groups.c), kg; and the next one of its
    // group while that is weighed.
    double group_mass;
    uint32_t queued;
    // Of a step.
    float off;    // m from its length, when it began
    float length; // m, at the end of the sub-step
    LinkSide side[2];
    Vec3d start, end; // of the target
    bool curved;      // it does not go straight there
    Bend3 bend;
    float mu[3];     // multiplier × h²
    float before[3]; // and when the pass began
    int row, rows;   // of the matrix (link_tied.c), one for each axis
    Vec3d along;     // its direction in the last pass, and one across it
    Vec3d across;
    bool point; // it is too short to have one
    LinkLoad load[2];
    Vec3d taken;  // of what contacts did to its light side in the sub-step, × h²
    Vec3d shared; // and of what they begin the next one with
    float drawn;  // m, the length of this sub-step
    float away;   // m from its own length, when it began
    // How far it was open before the last pass, as a part of a segment.
    double open;
    // Of what hangs together with it (link_groups.c): its first link, index + 1; and of that one, how fast anything of
    // it was when the step began, m/s, and whether some of its links could not be closed in the sub-step.
    uint32_t group;
    double fastest;
    bool lost;
} Link;

// A row of the matrix of tied links (link_tied.c): numbers from column `first` to the diagonal.
typedef struct LinkRow {
    int first, at;
    double over_pivot, step;
} LinkRow;

typedef struct TiedLinks {
    LinkRow *row;
    double *number;
    int row_capacity, number_capacity;
    // Before the last pass: how far points were from where they should be at most, as a part of a segment.
    double open;
    double part;      // of their steps that the last pass has taken
    bool torn;        // in the last step, some were left open
    uint64_t weighed; // SnWorld.revision when groups were weighed
    int rounds;       // of LinkLoad
} TiedLinks;

// The bones of all bodies, as they were at some time (poses.c).
typedef struct PoseSystem {
    void *memory;
    size_t size;
    bool made;
    uint64_t stamp; // SnWorld.pose_stamp then
    SnPoses poses;
    // For those who must not lose anything far from the world's origin: that of every body, and its
    // points from there.
    const Vec3d *origins;
    const SnVec3 *offsets;
} PoseSystem;

// kinds.c
#define BODY_KINDS 4
extern const BodyKind *const sn__body_kinds[BODY_KINDS];

struct SnWorld {
    SnAllocator allocator; // of all that the world has; it goes through the reserve
    Reserve reserve;
    SnIsa isa;
    TaskPool *pool; // NULL with the user's own tasks
    SnTaskSystem tasks;

    SnVec3 gravity;
    float sleep_speed; // m/s, 0: never
    double time;
    uint64_t revision; // hash of all that was created and destroyed
    BodyRegister bodies;
    void *systems[BODY_KINDS]; // of the kinds of bodies (sn__body_kinds)
    double tolerance;          // of iterations, see SnWorldDef
    BodyReport report;         // of the last step
    double last_substep;       // s; 0: there was none, or what it left is not known
    int last_fields;           // of active_fields, in the last step
    uint64_t breaks;           // of joints, ever

    IdPool frame_ids;
    Frame *frames; // by slot − 1, as all below
    FrameVia *frame_vias;
    int frame_capacity, frame_via_capacity;
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
    TiedLinks tied;
    HingeSystem hinges;
    MuscleSystem muscles;
    ContactSystem contacts;
    SkinSystem skins;
    uint32_t *island;    // by slot of a body (sleep.c)
    float *island_still; // s
    uint32_t island_capacity;
    uint64_t pose_stamp;      // changes whenever a body may have moved, come or gone
    struct QueryBvh *queries; // query.c; NULL until the first query

    PoseSystem poses;
    SnStepTimes times;
};

// Mixes a creation or destruction into the revision, which snapshots are compared by.
typedef enum Change {
    CREATE_BODY,
    CHANGE_BODY,
    DESTROY_BODY,
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
    CREATE_HINGE,
    DESTROY_HINGE,
} Change;
void sn__world_changed(SnWorld *world, Change change, uint32_t index, uint32_t generation,
                       int detail);
// frames.c
void sn__frames_begin_step(SnWorld *world); // leads from frame targets
void sn__frames_end_step(SnWorld *world);
void sn__attachments_drop_body(SnWorld *world, SnBodyId body);
bool sn__pose_is_valid(SnPose pose);
int sn__held_bit(SnAttachmentKind kind); // HELD_…
// What attachments of this kind may name of a body: points, elements or marks.
int sn__held_count(const Body *body, SnAttachmentKind kind);
// Of the null frame or a stale one: the world's.
SnPose sn__frame_pose_or_identity(const SnWorld *world, SnFrameId frame, bool target);
// Where it is on its way; NULL if it goes straight.
const FrameVia *sn__frame_via(const SnWorld *world, SnFrameId frame);

// links.c
// The sides of links are numbered, side s of the link in slot k by 2k + s − 1. The links of a body are a list.
static inline LinkSide *sn__link_side(const SnWorld *world, uint32_t number) {
    return &world->links[(number - 1) / 2].side[(number - 1) % 2];
}
static inline uint32_t *sn__link_after(const SnWorld *world, uint32_t number) {
    return &world->links[(number - 1) / 2].next[(number - 1) % 2];
}
// Whether a link that does not stretch ties two elements so closely that they would always touch.
bool sn__links_join(const SnWorld *world, const Body *a, int i, const Body *b, int j);
// Where the target of a link is when the step begins or ends.
Vec3d sn__link_target(const SnWorld *world, const Link *link, bool end);
// The way between, once both are known.
void sn__link_bend(const SnWorld *world, Link *link);
// How far it is from its length, m, with its target there if it has one.
float sn__link_off(const SnWorld *world, const Link *link, Vec3d target);
// link_solve.c. Of sub-steps of h.
void sn__links_begin_step(SnWorld *world, float h);
// link_limit.c. When a step begins, and after the passes of a sub-step.
void sn__links_note_speeds(SnWorld *world);
void sn__links_limit_speeds(SnWorld *world, const ContactPass *pass);
// Those whose points answer for themselves, and those of bodies that are solved as a whole, before contacts. The latter
// bodies are told after: what a force does to a vertex alone is no place for contacts to look at, nor is what contacts
// do to one for links.
void sn__links_solve(SnWorld *world, const ContactPass *pass);
void sn__links_solve_tied(SnWorld *world, const ContactPass *pass); // link_tied.c
// Moves all that is tied to a body that is solved as a whole by what an impulse × h on one of its ties does
// (hinge_sides.c).
void sn__tie_pulled(SnWorld *world, const Body *body, int tie, Vec3d impulse);
// Between both, while contacts are solved, what is held by a link cannot be moved, and what carries something is as
// heavy as that; `first` in a sub-step.
void sn__links_hold(SnWorld *world, bool first);
void sn__links_let_go(SnWorld *world);
void sn__links_tell(SnWorld *world);
void sn__links_end_substep(SnWorld *world, const ContactPass *pass);
void sn__links_end_step(SnWorld *world, float dt);
// link_groups.c. Finds out what hangs together, where that has changed.
void sn__links_weigh(SnWorld *world);
void sn__links_drop_body(SnWorld *world, SnBodyId body);
void sn__links_drop_frame(SnWorld *world, SnFrameId frame);
void sn__links_wake_frame(SnWorld *world, SnFrameId frame);

// muscles.c
// Bodies must have been woken, and frames have their targets.
void sn__muscles_begin_step(SnWorld *world, float dt);
void sn__muscles_drop_body(SnWorld *world, SnBodyId body);
void sn__muscles_release(SnWorld *world);
void sn__muscles_visit(SnWorld *world, BodyVisit *visit, void *context);

// poses.c
// Brings SnWorld.poses up to date. The bodies then have no gaps in their order, which is that of the
// poses. SN_ERROR_MEMORY: they are as they were.
SnResult sn__world_make_poses(SnWorld *world);

// sleep.c
void sn__body_set_asleep(Body *body, bool asleep);
void sn__wake_all(SnWorld *world);
void sn__wake_touched(SnWorld *world);
// Whoever moves wakes whom it is linked to, and these wake others. Before it is asked who may touch whom.
void sn__wake_linked(SnWorld *world);
void sn__sleep_end_step(SnWorld *world, float dt);
void sn__sleep_release(SnWorld *world);

// validate.c, validate_contacts.c
// What is wrong with the world; nothing is, unless the engine has a mistake. Builds with asserts ask
// after every step, creation and destruction. Linear in its size, and without memory of its own.
SnResult sn__world_validate(const SnWorld *world);
bool sn__world_is_valid(const SnWorld *world); // for assert: prints what is wrong
SnResult sn__contacts_validate(const SnWorld *world);

// query.c
void sn__queries_destroy(SnWorld *world);

// events.c
void sn__events_forget(SnWorld *world); // what touched in the last step is not known

// fields.c
// Whether these bytes are definitions of fields where the world has them now, and nothing elsewhere.
bool sn__fields_are_valid(const SnFieldDef *now, const char *bytes, size_t size);
int sn__fields_begin_step(SnWorld *world, float dt); // returns the number of active_fields
