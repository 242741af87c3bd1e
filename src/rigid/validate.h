#pragma once

#include "rigid/rigid.h"

SnResult sn__rigids_validate(const void *system); // as BodyKind has it
