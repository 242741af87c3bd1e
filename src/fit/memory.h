// Memory of one conversion: many arrays that are let go together, or down to a mark.
#pragma once

#include "base/memory.h"

typedef struct FitBlock FitBlock;

typedef struct FitMemory {
    SnAllocator allocator;
    FitBlock *last;
} FitMemory;

// Zeroed; NULL if there is no memory.
void *sn__fit_alloc(FitMemory *memory, size_t count, size_t element_size);
// Lets go of all that was allocated after `mark` was the last block; NULL: of everything.
void sn__fit_release(FitMemory *memory, FitBlock *mark);
