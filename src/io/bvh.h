// Reading Biovision's files, .bvh.
#pragma once

#include <sinew/skeleton.h>

SnResult sn__skeleton_read_bvh(const char *path, const SnAllocator *allocator,
                               SnSkeleton **out_skeleton);
