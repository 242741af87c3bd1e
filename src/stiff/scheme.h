// How a segment goes from one sub-step to the next: second order in time as long as nothing can touch
// its tree. The method is that of rod/scheme.h; with u the displacement of the centre, v its velocity,
// g what acts from outside and is known, f what joints and holds do per mass at the end of the
// sub-step, and a what is remembered of f,
//
//     u  = h v + h²/2 g + h²/6 a + h²/3 f,
//     v' = v + h g + h (3/8 a + 5/8 f),
//     a' = 1/4 a + 3/4 f.
//
// With s = u/h − v, which is how much faster the segment went than it was,
//     v' = v + 15/8 s + h/16 (g + a),   a' = 9/4 s/h − 9/8 g − a/8.
//
// Turns do the same in the axes of the frame. A segment that nothing acts on turns by h ω_m, ω_m from the
// implicit midpoint rule, and comes to 2 ω_m − ω: as the rotation is Cayley's, that keeps its momentum and
// its energy. What it turns by beyond that is h s. Torques from outside are part of f and a there, so
// that they act half a sub-step late: they do not turn with the frame, and what holds against them does.
//
// Trees that contacts or links may act on in a step make it with implicit Euler. Of f, only what can
// hold against g is remembered then; a blow is not.
//
// A tree is rough where the solves of a sub-step turned a segment far from where it was predicted: they
// have not found f, and what they left over must not be extrapolated. It goes on with the mean velocity,
// and with implicit Euler as long as it is rough.
#pragma once

// Of h² f in u, what second order takes off: 1 − 1/3. Of h² g: 1 − 1/2.
#define SECOND_SHARE (2.0 / 3.0)
#define SECOND_OUTSIDE 0.5
// Of h² a in u.
#define SECOND_CARRIED (1.0 / 6.0)
// StiffRest.second of a tree of second order that turns out to be rough.
#define ROUGH 2.0
