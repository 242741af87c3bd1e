// What muscles ask of the world.
#pragma once

#include "base/memory.h"
#include "muscle/muscle.h"

const SnAllocator *sn__world_allocator(const SnWorld *world);
MuscleSystem *sn__world_muscles(SnWorld *world);
