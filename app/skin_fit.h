// Whether the mesh of a skin fits the bodies that it is bound to: files in millimetres, and meshes that
// were moved, follow them all the same, and look like nothing.
#pragma once

#include <sinew/scene.h>

// True if it does not, and the line says by how much.
bool skin_is_off(const SnScene *scene, const SnWorld *world, int skin, char *out_line, size_t size);
