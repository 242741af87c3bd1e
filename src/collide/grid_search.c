#include "collide/grid_wide.h"

#define SEARCH_GRAIN 512

bool sn__grid_search(Grid *grid, const SnTaskSystem *tasks, GridFilter *filter, void *context,
                     int64_t *out_count) {
    GridSearch search = {grid, filter, context};
    int64_t room = grid->box_count;
    for (;;) {
        if (!sn__grid_list_begin(&grid->pairs, tasks->worker_count, room))
            return false;
        sn__grid_for(tasks, grid->place_count, SEARCH_GRAIN, grid->kernels->search, &search);
        *out_count = sn__grid_list_end(&grid->pairs);
        if (*out_count > INT32_MAX - GRID_BLOCK)
            return false;
        bool lost = false;
        for (int worker = 0; worker < tasks->worker_count; ++worker)
            lost |= sn__grid_writer(&grid->pairs, worker)->lost > 0;
        if (!lost)
            return true;
        // Now it is known how much is needed; a quarter more spares the next call the same.
        room = *out_count + *out_count / 4;
    }
}
