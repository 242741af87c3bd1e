#include "base/isa.h"
#include "collide/grid_wide.h"

Grid *sn__grid_create(const SnAllocator *allocator) {
    Grid *grid = sn__alloc(allocator, sizeof *grid);
    if (grid == NULL)
        return NULL;
    grid->allocator = *allocator;
    grid->kernels = sn__grid_kernels(sn__isa_best());
    grid->changes.allocator = *allocator;
    grid->pairs.allocator = *allocator;
    return grid;
}

void sn__grid_destroy(Grid *grid) {
    if (grid == NULL)
        return;
    SnAllocator allocator = grid->allocator;
    GridBuffer *buffers[] = {&grid->cells,     &grid->order[0],   &grid->order[1],
                             &grid->starts[0], &grid->starts[1],  &grid->groups,
                             &grid->tallies,   &grid->part_places};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        sn__grid_release(&allocator, buffers[i]);
    sn__grid_list_free(&grid->changes);
    sn__grid_list_free(&grid->pairs);
    sn__free(&allocator, grid, sizeof *grid);
}

void sn__grid_set_isa(Grid *grid, SnIsa isa) {
    grid->kernels = sn__grid_kernels(isa == SN_ISA_BEST ? sn__isa_best() : isa);
}

// As if it had never been used; the memory stays.
static void forget(Grid *grid) {
    for (int i = 0; i < GRID_LEVELS; ++i)
        grid->levels[i] = (GridLevel){0};
    grid->used_level_count = grid->bucket_count = grid->box_count = grid->place_count = 0;
}

bool sn__grid_pairs(Grid *grid, const SnTaskSystem *tasks, const GridBox *boxes, int count,
                    GridFilter *filter, void *context, const GridPair **out_pairs,
                    int *out_pair_count) {
    int64_t pair_count;
    *out_pairs = NULL;
    *out_pair_count = 0;
    if (count > GRID_MAX_BOXES || !sn__grid_build(grid, tasks, boxes, count)) {
        forget(grid);
        return false;
    }
    if (!sn__grid_search(grid, tasks, filter, context, &pair_count) ||
        !sn__grid_list_part(&grid->pairs, tasks, count))
        return false;
    *out_pairs = sn__grid_list_sort(&grid->pairs, tasks, grid->kernels->order);
    *out_pair_count = *out_pairs ? (int)pair_count : 0;
    return *out_pairs != NULL;
}
