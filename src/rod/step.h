// One step of all rods, a pack at a time over the workers: part of the row of rods, as body/kind.h has
// it.
//
// Packs that nothing touches in this step go through all its sub-steps at once, while they are in
// the cache. The others stop in every sub-step for the contacts.
#pragma once

#include "rod/rods.h"

bool sn__rods_begin(void *system, const BodyStep *step);
void sn__rods_step_alone(void *system, const BodyStep *step);
void sn__rods_pass(void *system, const BodyStep *step, const BodyPass *pass);
void sn__rods_end(void *system, const BodyStep *step);
void sn__rods_report(const void *system, BodyReport *report);
