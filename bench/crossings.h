// How often a mesh passes through itself, for figures.
#pragma once

#include <sinew/math.h>

// Pairs of triangles of which an edge of one goes through the other and which share no vertex; −1: no
// memory. Vertices at the same place are one only if they are the same.
int skin_crossings(const SnVec3 *positions, int vertex_count, const uint32_t *triangles,
                   int triangle_count);
