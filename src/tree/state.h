// What snapshots hold of stiff rods: part of their row, as body/kind.h has it.
#pragma once

#include "tree/tree.h"

bool sn__trees_arrange(void *system);
// What yielded and what broke.
void sn__trees_visit_joints(void *system, BodyVisit *visit, void *context);
void sn__trees_visit(void *system, BodyVisit *visit, void *context);
void sn__trees_restored_joints(void *system);
void sn__trees_restored(void *system);
