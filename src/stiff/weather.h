// Wind and force fields, as stiff rods feel them.
#pragma once

#include "math/wind.h"
#include "stiff/stiff.h"

// The air's velocity at every segment, once per step. `tasks` may be NULL: all on this thread.
void sn__grove_feel_air(StiffGrove *grove, const Air *air, SnIsa isa, const SnTaskSystem *tasks);
// Adds what other fields do to the impulses of the sub-step.
void sn__grove_feel_fields(StiffGrove *grove, const SnFieldDef *fields, int count, double h);
