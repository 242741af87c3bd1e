// Links: a point of a body tied to a point of another body, of a frame or of the world. A mouse that
// drags a body is a soft link whose target follows the mouse.
#pragma once

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnLinkId {
    uint32_t index, generation;
} SnLinkId;

// A point on the axis of an element of a body, t from 0 to 1 along it.
typedef struct SnBodyPoint {
    SnBodyId body;
    int element;
    float t;
} SnBodyPoint;

// The length of a link whose points stay as far apart as they are when it is made.
#define SN_LINK_KEEP (-1.0f)

typedef struct SnLinkDef {
    uint32_t cookie; // set by sn_default_link_def
    SnBodyPoint a;
    SnBodyPoint b;   // a null body: the target
    SnFrameId frame; // of the target; null: the world
    SnVec3 target;   // in the frame
    float length; // m between the two points, 0: they are one; SN_LINK_KEEP: as far as they are now
    bool rope;    // holds only what is farther apart than the length
    float compliance; // m/N, 0: rigid
    float max_force;  // N, 0: no limit
    // As long as there is the link, the bodies of a and b pass through each other everywhere.
    bool ignore;
    void *user_data;
} SnLinkDef;

// Elements that a rigid link ties closer than their radii, and those beside them, do not touch each other. A link
// that is made longer or shorter than its points are apart draws them there at 5 m/s. Rigid links that cannot all have
// their length settle where their forces balance, and steps have the bit SN_STEP_TORN.
//
// A rigid link that keeps its points as far apart as they are; the body of `a` must be given.
SN_API SnLinkDef sn_default_link_def(void);
// SN_ERROR_STALE for a body or frame that is gone, SN_ERROR_INVALID for a number out of range, for a
// point and itself and for two points of one rigid body, which cannot move against each other. Two
// points of one rod will do. out_link may be NULL.
SN_API SnResult sn_link_create(SnWorld *world, const SnLinkDef *def, SnLinkId *out_link);
SN_API SnResult sn_link_destroy(SnWorld *world, SnLinkId link);
// Where the target is at the end of the next step, in its frame; it moves there evenly.
SN_API SnResult sn_link_set_target(SnWorld *world, SnLinkId link, SnVec3 target);
// m, at the end of the next step, as SnLinkDef.length: a winch, or a cable that is paid out. It gets there evenly,
// a rigid link at 5 m/s at most. SN_LINK_KEEP is as long as it is now, at once.
SN_API SnResult sn_link_set_length(SnWorld *world, SnLinkId link, float length);
// As in the definition, until set otherwise; NULL for a stale id.
SN_API void *sn_link_user_data(const SnWorld *world, SnLinkId link);
SN_API SnResult sn_link_set_user_data(SnWorld *world, SnLinkId link, void *user_data);
// The link created after this one in the order of their slots, or the first one after the null id; null behind the last
// one and for a stale id.
SN_API SnLinkId sn_world_next_link(const SnWorld *world, SnLinkId link);
// What it ties, and where its target is in its frame: a definition that would make it again.
SN_API SnResult sn_link_read(const SnWorld *world, SnLinkId link, SnLinkDef *out_def);
// N, on a; the mean over the last step.
SN_API SnResult sn_link_force(const SnWorld *world, SnLinkId link, SnVec3 *out_force);
// m that it is too long or too short, as it is now. 0 of a rope that is slack.
SN_API SnResult sn_link_gap(const SnWorld *world, SnLinkId link, float *out_gap);

#ifdef __cplusplus
}
#endif
