// Rods that are swept where sweeps will be far off, in words.
#pragma once

#include <sinew/scene.h>

// One line about the worst of them, at the steps of the scene; false where there is none.
bool sweeps_are_soft(const SnWorld *world, SnSceneSettings settings, char *out_line, size_t size);
