// One step of all rigid bodies: part of their row, as body/kind.h has it.
#pragma once

#include "rigid/rigid.h"

bool sn__rigids_begin(void *system, const BodyStep *step);
void sn__rigids_step_alone(void *system, const BodyStep *step);
void sn__rigids_pass(void *system, const BodyStep *step, const BodyPass *pass);
void sn__rigids_end(void *system, const BodyStep *step);
void sn__rigids_report(const void *system, BodyReport *report);
