// What is wrong with the packs, for body/kind.h; nothing is, unless the engine has a mistake.
#pragma once

#include <sinew/base.h>

SnResult sn__rods_validate(const void *system);
