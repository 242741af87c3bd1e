// Characters made by code, one file each kind.
#pragma once

#include "base/memory.h"
#include "sinew/character_model.h"

SnResult sn__limb_skeleton(SnCharacter limb, const SnAllocator *allocator, SnSkeleton **out);
SnResult sn__figure_skeleton(const SnAllocator *allocator, SnSkeleton **out);
