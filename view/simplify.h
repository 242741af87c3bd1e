// Fewer triangles for a mesh, of vertices that it has.
#pragma once

#include <sinew/math.h>

#include <stdbool.h>
#include <stdint.h>

// Takes triangles away, in place, as long as the surface stays within `error` of where it was (root mean
// square over what a vertex stands for) and no edge gets longer than `longest`. Borders stay. Returns
// how many triangles are left; −1 without memory.
int view_simplify(const float *positions, int vertex_count, uint32_t *triangles, int triangle_count,
                  float error, float longest);
