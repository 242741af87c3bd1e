// What snapshots hold of stiff rods: part of their row, as body/kind.h has it.
#pragma once

#include "stiff/stiff.h"

bool sn__stiff_arrange(void *system);
// What yielded and what broke.
void sn__stiff_rods_visit_joints(void *system, BodyVisit *visit, void *context);
void sn__stiff_rods_visit(void *system, BodyVisit *visit, void *context);
void sn__stiff_rods_restored_joints(void *system);
void sn__stiff_rods_restored(void *system);
