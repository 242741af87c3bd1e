// Kinematic frames that the user moves (bones, hands, pegs), and what is attached to them.
#pragma once

#include "rod.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnFrameId {
    uint32_t index, generation;
} SnFrameId;

typedef struct SnAttachmentId {
    uint32_t index, generation;
} SnAttachmentId;

// Its position must be within SN_MAX_POSITION and its rotation a unit quaternion. out_frame may be
// NULL.
SN_API SnResult sn_frame_create(SnWorld *world, SnPose pose, SnFrameId *out_frame);
// Attachments to the frame stay where they are, fixed to the world. Skins that follow it go with it.
SN_API SnResult sn_frame_destroy(SnWorld *world, SnFrameId frame);
// The pose the frame has at the end of the next step; it moves there evenly over the sub-steps.
SN_API SnResult sn_frame_set_target(SnWorld *world, SnFrameId frame, SnPose target);
// The same along a curve: where it is after one and two thirds of the next step, and at its end. It
// passes these on a smooth cubic, so that what hangs on it, and what collides with it, has the right
// velocity in every sub-step, however fast the frame swings.
SN_API SnResult sn_frame_set_path(SnWorld *world, SnFrameId frame, const SnPose path[3]);
// Moves the frame, and what hangs on it, at once and without velocity.
SN_API SnResult sn_frame_teleport(SnWorld *world, SnFrameId frame, SnPose pose);
// Where it is now, which is where the next step begins, and where it will be when that ends.
SN_API SnResult sn_frame_pose(const SnWorld *world, SnFrameId frame, SnPose *out_pose);
SN_API SnResult sn_frame_target(const SnWorld *world, SnFrameId frame, SnPose *out_target);

// NULL until set, and for a stale id.
SN_API void *sn_frame_user_data(const SnWorld *world, SnFrameId frame);
SN_API SnResult sn_frame_set_user_data(SnWorld *world, SnFrameId frame, void *user_data);
SN_API bool sn_frame_is_valid(const SnWorld *world, SnFrameId frame);
// The frame created after this one in the order of their slots, or the first one after the null id; null
// behind the last one and for a stale id.
SN_API SnFrameId sn_world_next_frame(const SnWorld *world, SnFrameId frame);

// Of a body of any kind: vertices stand for its points, segments for its elements (body.h).
typedef enum SnAttachmentKind {
    SN_ATTACH_VERTEX, // the position of point `index`
    // The frame of element `index`: of a segment, or a part of a rigid body. At the end of an open rod it is
    // the frame that the rod has there, at its end vertex: half of the segment can still bend.
    SN_ATTACH_SEGMENT,
    SN_ATTACH_SCALE, // the scale of point `index`, only of rods that preserve their volume
    SN_ATTACH_MARK,  // the position of mark `index`, only of solids (solid.h)
    // The direction of mark `index`: what it was at rest, turned by `rotation` and by the frame.
    SN_ATTACH_DIRECTION,
} SnAttachmentKind;

typedef struct SnAttachmentDef {
    uint32_t cookie; // set by sn_default_attachment_def
    SnAttachmentKind kind;
    SnBodyId body;
    int index;       // of the point or element
    SnFrameId frame; // null: the world
    // Where in the frame. With keep_current (the default) it is where the point or element is now.
    bool keep_current;
    SnVec3 position;
    SnQuat rotation;
    float scale; // in [0.05, 20]
} SnAttachmentDef;

// Holds point 0 where it is, in the world; the body must be given.
SN_API SnAttachmentDef sn_default_attachment_def(void);

// One attachment per position, frame and scale; a second one is refused. They go with the body.
SN_API SnResult sn_attachment_create(SnWorld *world, const SnAttachmentDef *def,
                                     SnAttachmentId *out_attachment);
// Lets go what it holds, which keeps its velocity.
SN_API SnResult sn_attachment_destroy(SnWorld *world, SnAttachmentId attachment);
// The place in its frame that what is attached is led to during the next step. Only what fits the
// kind is used.
SN_API SnResult sn_attachment_set_target(SnWorld *world, SnAttachmentId attachment, SnVec3 position,
                                         SnQuat rotation, float scale);

// The attachment created after this one in the order of their slots, or the first one after the null
// id; null behind the last one and for a stale id.
SN_API SnAttachmentId sn_world_next_attachment(const SnWorld *world, SnAttachmentId attachment);
// What it holds, and where in its frame: a definition that would make it again.
SN_API SnResult sn_attachment_read(const SnWorld *world, SnAttachmentId attachment,
                                   SnAttachmentDef *out_def);

// What an attachment does to its body, in the world's axes. A held point bears a force, a held frame a
// torque; a held scale bears neither.
typedef struct SnReaction {
    SnVec3 force;  // N, at the held point
    SnVec3 torque; // N·m; where a point of the element is held as well, about that point
} SnReaction;

// At the end of the last step; 0 before the first one, between sn_world_restore and the next step, and
// where it is beyond the range of float.
// Reactions bear the weight of what they hold, the loads on it and its inertia, but not what acts on a
// held point itself beside weight and fields: forces of the user, contacts and links there, its own
// acceleration where it is led unevenly. docs/physics.md says how they are found, and how exactly.
SN_API SnResult sn_attachment_reaction(SnWorld *world, SnAttachmentId attachment,
                                       SnReaction *out_reaction);

#ifdef __cplusplus
}
#endif
