// What is wrong with the groves, for body/kind.h; nothing is, unless the engine has a mistake.
#pragma once

#include <sinew/base.h>

SnResult sn__stiff_rods_validate(const void *system);
