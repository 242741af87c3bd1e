// One step of all stiff rods, a grove at a time: part of their row, as body/kind.h has it.
//
// Groves that nothing touches go through all sub-steps at once; the others stop in every sub-step
// for the contacts (Algorithm 1 of Deul et al., with the contacts of the whole world in it). What
// contacts did to the knots becomes impulses on the segments, and the next solve carries them
// through the tree. The last contacts of a sub-step move segments for themselves, and the first solve
// of the next one closes the joints.
#pragma once

#include "stiff/stiff.h"

bool sn__stiff_rods_begin(void *system, const BodyStep *step);
void sn__stiff_rods_step_alone(void *system, const BodyStep *step);
void sn__stiff_rods_pass(void *system, const BodyStep *step, const BodyPass *pass);
void sn__stiff_rods_end(void *system, const BodyStep *step);
int sn__stiff_rods_passes(const void *system);
void sn__stiff_rods_report(const void *system, BodyReport *report);
