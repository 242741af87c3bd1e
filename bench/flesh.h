// Characters with muscles under their skins, for benchmarks.
#pragma once

#include <sinew/character_model.h>
#include <sinew/scene.h>

// A scene of the figure with its fifty muscles, or of the arm with six along its bones, that plays its clip.
SnResult flesh_scene(SnCharacter character, SnScene **out_scene);
