// Hinges: how far a rigid body or a segment of a stiff rod may turn about an axis, and a motor that turns it. A
// door, a wheel, a crane, an elbow.
//
// A hinge of rigid bodies acts on the turn about its axis alone. What keeps the axis in place are attachments or
// links: two points of a door that are attached to a frame, or two links of length 0 between the hub of a wheel
// and a chassis, one on either side. A segment of a stiff rod has no second point beside its axis: where one of
// both is a stiff rod, the hinge keeps the direction of the axis, and one attached vertex or one link of length 0
// is what keeps it in place. The rod bends and twists behind the segment that is turned.
#pragma once

#include "link.h"
#include "rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnHingeId {
    uint32_t index, generation;
} SnHingeId;

typedef struct SnHingeDef {
    uint32_t cookie; // set by sn_default_hinge_def
    SnBodyId a;      // a rigid body or a stiff rod
    SnBodyId b;      // another one that it turns against, or the same stiff rod; null: the frame
    int element_a;   // the segment of a stiff rod that turns; of a rigid body it does not matter
    int element_b;
    SnFrameId frame; // null: the world
    SnVec3 axis;     // in the world, as bodies lie now; normalised for you
    // Angles of a against b about the axis, rad, by the right-hand rule; 0 is as they lie now. They count
    // whole turns. Beyond its limits by mistake, it comes back at 1 rad/s.
    bool limited;
    float low, high; // −1e6 ≤ low ≤ high ≤ 1e6
    // The motor: the speed it wants, rad/s within SN_MAX_SPIN, and the torque it has for that, N·m in
    // [0, 1e12]. With speed 0 it is a brake; 0 torque: there is none.
    float speed, max_torque;
    void *user_data;
} SnHingeDef;

// About y, without limits and motor; the body a must be given.
SN_API SnHingeDef sn_default_hinge_def(void);
// SN_ERROR_STALE for a body or frame that is gone, SN_ERROR_INVALID for a body that is neither rigid nor a stiff
// rod, for twice the same, and for numbers out of range. It goes with its bodies; of a frame that goes it stays with the
// world. out_hinge may be NULL.
SN_API SnResult sn_hinge_create(SnWorld *world, const SnHingeDef *def, SnHingeId *out_hinge);
SN_API SnResult sn_hinge_destroy(SnWorld *world, SnHingeId hinge);
SN_API bool sn_hinge_is_valid(const SnWorld *world, SnHingeId hinge);
// The hinge created after this one in the order of their slots, or the first one after the null id; null
// behind the last one and for a stale id.
SN_API SnHingeId sn_world_next_hinge(const SnWorld *world, SnHingeId hinge);
// As it was made or set last, but that its axis is where it is now. Limits are from the angle it had when
// it was made.
SN_API SnResult sn_hinge_read(const SnWorld *world, SnHingeId hinge, SnHingeDef *out_def);

// From the next step on; both wake its bodies.
SN_API SnResult sn_hinge_set_motor(SnWorld *world, SnHingeId hinge, float speed, float max_torque);
SN_API SnResult sn_hinge_set_limits(SnWorld *world, SnHingeId hinge, bool limited, float low,
                                    float high);
// As in the definition, until set otherwise; NULL for a stale id.
SN_API void *sn_hinge_user_data(const SnWorld *world, SnHingeId hinge);
SN_API SnResult sn_hinge_set_user_data(SnWorld *world, SnHingeId hinge, void *user_data);

// How it stands at the end of the last step.
typedef struct SnHingeState {
    float angle;        // rad, with whole turns
    float speed;        // rad/s, the mean over the last sub-step
    float motor_torque; // N·m on a about the axis, the mean over the last step
    float limit_torque;
} SnHingeState;

SN_API SnResult sn_hinge_state(const SnWorld *world, SnHingeId hinge, SnHingeState *out_state);

#ifdef __cplusplus
}
#endif
