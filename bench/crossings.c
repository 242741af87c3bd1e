#include "bench/crossings.h"

#include "geom/crossing.h"

int skin_crossings(const SnVec3 *positions, int vertex_count, const uint32_t *triangles,
                   int triangle_count) {
    SnAllocator allocator = sn__default_allocator();
    size_t n = (size_t)vertex_count;
    int *point = sn__alloc_array(&allocator, n, sizeof *point), count = -1;
    for (int i = 0; i < vertex_count && point; ++i)
        point[i] = i;
    if (point)
        count = sn__count_crossings(&allocator, positions, point, triangles, triangle_count);
    sn__free(&allocator, point, n * sizeof *point);
    return count;
}
