// The numbers that contacts are solved by, in lanes (contact_wide.c) and in general
// (contact_general.c).
#pragma once

#include "collide/contacts.h"

// What is learned of a force per sub-step. Where a heavy body rests on a light one, a contact turns
// the light one round at once, and the heavy one only by this, sub-step after sub-step: an integral
// control. It must be slow against what the contact does at once, or it overshoots and the bodies
// shake; it also keeps an impact, which lasts for one sub-step, from being repeated in the next.
#define WARM_GAIN 0.1f
#define WARM_GAIN_TOLD 0.3f  // where contacts have been told how the whole body answers
#define WARM_GAIN_WHOLE 0.6f // and have come far with it (contact_accelerate_wide.c)
// The same for friction. What slides does so for longer than an impact: with 0.1, piles that move take
// half as many passes again.
#define WARM_FRICTION_GAIN 0.3f
// What holds a long body by two contacts close to each other turns it slowly: what is not learned at once comes back as
// a sway of the body.
#define WARM_FRICTION_GAIN_TOLD 1.0f
// What is struck while it leaves may come back by so many radii within a sub-step.
#define PART_MOST 0.05f
#define PUSH_SHARE 0.2f // of an overlap that is pushed out per sub-step
#define PUSH_SLOP 2e-3f // of the radii: an overlap that may stay
#define PUSH_RATE 4.0f  // 1/s: at most so many radii per second
// An overlap of more than this part of the radii is deep. What lies on it, and on that, has to make room
// for the push, which takes passes: a push as large as it may be counts as so large a correction
// where it is deep, and elsewhere as one that takes part in further passes but is worth none.
#define PUSH_DEEP 0.05f
#define DEEP_WORTH 0.02f
#define PUSH_WORTH 0.009f
// What is held turns about a point or an axis, and not at all by what acts through it: a response below this part of
// the largest that the arms allow is rounding.
#define NO_RESPONSE 1e-6
// A push with a lever of less than a tenth of the arm would turn a held body far.
#define PUSH_LEVER 0.01
#define TINY 1e-30 // to divide by
