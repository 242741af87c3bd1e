// What a kind's public functions may ask of the world they are called on.
#pragma once

#include "body/kind.h"

BodyRegister *sn__world_bodies(SnWorld *world);
// The system of the kind.
void *sn__world_system(SnWorld *world, const BodyKind *kind);
// A body came. Two worlds that were built by calls of the same details can exchange snapshots.
void sn__world_body_created(SnWorld *world, SnBodyId id, int detail);
// A body got something that is no state.
void sn__world_body_changed(SnWorld *world, SnBodyId id, int detail);
// A body was moved by hand.
void sn__world_moved(SnWorld *world);
// A body that is about to be moved or changed, awake; NULL if stale.
Body *sn__world_awake(SnWorld *world, SnBodyId id);
const Body *sn__world_body(const SnWorld *world, SnBodyId id); // NULL if stale
// Whether the world would make such a step.
bool sn__step_is_valid(float dt, int substeps, int iterations);
