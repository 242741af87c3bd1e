#include "stiff/grove.h"

#include <assert.h>
#include <string.h>

#include "stiff/fronts.h"

static bool renew(const SnAllocator *a, void **array, size_t old, size_t count, size_t size) {
    void *memory = sn__alloc_array(a, count, size);
    if (memory == NULL)
        return false;
    sn__free(a, *array, old * size);
    *array = memory;
    return true;
}

bool sn__grove_reserve(const SnAllocator *a, Grove *g, int rows, int parts) {
    assert(rows > 0 && parts > 0);
    if (parts > g->part_capacity) {
        if (!renew(a, (void **)&g->parts, (size_t)g->part_capacity, (size_t)parts,
                   sizeof(StiffPart)))
            return false;
        g->part_capacity = parts;
    }
    if (rows <= g->row_capacity)
        return true;
    size_t old = (size_t)g->row_capacity, n = (size_t)rows;
    Grove fresh = {.row_capacity = rows};
    fresh.row = sn__alloc_array(a, n, sizeof(StiffRow));
    fresh.state = sn__alloc_array(a, n, sizeof(StiffState));
    fresh.rest = sn__alloc_array(a, n, sizeof(StiffRest));
    fresh.motion = sn__alloc_array(a, n, sizeof(StiffMotion));
    fresh.loads = sn__alloc_array(a, n, sizeof(StiffLoads));
    bool complete = fresh.row && fresh.state && fresh.rest && fresh.motion && fresh.loads;
    Grove spare = complete ? *g : fresh;
    size_t spare_rows = complete ? old : n;
    sn__free(a, spare.row, spare_rows * sizeof(StiffRow));
    sn__free(a, spare.state, spare_rows * sizeof(StiffState));
    sn__free(a, spare.rest, spare_rows * sizeof(StiffRest));
    sn__free(a, spare.motion, spare_rows * sizeof(StiffMotion));
    sn__free(a, spare.loads, spare_rows * sizeof(StiffLoads));
    if (complete) {
        sn__free(a, g->compliance, old * sizeof(StiffCompliance));
        sn__free(a, g->response, old * sizeof(StiffResponse));
        sn__free(a, g->stretch, old * sizeof(StiffStretch));
        g->compliance = NULL;
        g->response = NULL;
        g->stretch = NULL;
    }
    if (!complete)
        return false;
    g->row = fresh.row;
    g->state = fresh.state;
    g->rest = fresh.rest;
    g->motion = fresh.motion;
    g->loads = fresh.loads;
    g->row_capacity = rows;
    return true;
}

bool sn__lent_rows(const SnAllocator *a, StiffLent *lent, int rows) {
    if (rows <= lent->rows)
        return true;
    sn__lent_rows_release(a, lent);
    lent->factor = sn__alloc_raw(a, (size_t)rows * sizeof(StiffFactor));
    lent->sum = sn__alloc_raw(a, (size_t)rows * sizeof(StiffSum));
    lent->rows = rows;
    if (lent->factor && lent->sum)
        return true;
    sn__lent_rows_release(a, lent);
    return false;
}

void sn__lent_rows_release(const SnAllocator *a, StiffLent *lent) {
    sn__free(a, lent->factor, (size_t)lent->rows * sizeof(StiffFactor));
    sn__free(a, lent->sum, (size_t)lent->rows * sizeof(StiffSum));
    *lent = (StiffLent){0};
}

void sn__grove_borrow(Grove *g, const StiffLent *lent) {
    assert(lent && (g->part_count > 1 || lent->rows >= g->rows));
    g->lent = lent;
    if (g->part_count > 1)
        return;
    g->factor = lent->factor;
    g->sum = lent->sum;
}

int sn__grove_wants(const Grove *g) {
    int most = g->part_count == 1 ? g->rows : 0;
    for (int k = 0; k + 1 < g->part_count; ++k) {
        int rows = g->parts[k].end - g->parts[k].begin;
        most = rows > most ? rows : most;
    }
    return most;
}

bool sn__grove_reserve_own(const SnAllocator *a, Grove *g) {
    assert(g->part_count > 0 && g->prop_begin <= g->still_begin && g->still_begin <= g->rows);
    g->lent = NULL;
    if (!sn__lent_rows(a, &g->own, g->rows))
        return false;
    g->factor = g->own.factor;
    g->sum = g->own.sum;
    // Parts before the middle borrow theirs, unless props bring to them.
    int first = g->prop_begin < g->still_begin ? 0 : g->parts[g->part_count - 1].begin;
    memset(g->sum + first, 0, (size_t)(g->rows - first) * sizeof(StiffSum));
    return true;
}

bool sn__grove_reserve_compliance(const SnAllocator *a, Grove *g) {
    if (g->compliance == NULL)
        g->compliance = sn__alloc_array(a, (size_t)g->row_capacity, sizeof(StiffCompliance));
    return g->compliance != NULL;
}

bool sn__grove_reserve_response(const SnAllocator *a, Grove *g) {
    if (g->response == NULL)
        g->response = sn__alloc_array(a, (size_t)g->row_capacity, sizeof(StiffResponse));
    return g->response != NULL;
}

bool sn__grove_reserve_stretch(const SnAllocator *a, Grove *g, bool any) {
    sn__free(a, g->stretch, (size_t)g->row_capacity * sizeof(StiffStretch));
    g->stretch = any ? sn__alloc_array(a, (size_t)g->row_capacity, sizeof(StiffStretch)) : NULL;
    return g->stretch != NULL || !any;
}

// A ring has no other loop of its rod beside it.
static bool is_alone(const Grove *g, int k) {
    const StiffLoop *l = &g->loops[k];
    return (k == 0 || l[-1].rod != l->rod) && (k + 1 == g->loop_count || l[1].rod != l->rod);
}

bool sn__grove_reserve_fronts(const SnAllocator *a, Grove *g) {
    bool rings = false, nets = false;
    sn__fronts_destroy(a, g->fronts);
    g->fronts = NULL;
    for (int k = 0; k < g->loop_count; ++k) {
        g->loops[k].alone = is_alone(g, k);
        *(g->loops[k].alone ? &rings : &nets) = true;
    }
    if ((rings || nets) && !sn__grove_reserve_response(a, g))
        return false;
    if (rings && !sn__grove_reserve_compliance(a, g))
        return false;
    if (nets)
        g->fronts = sn__fronts_create(a, g);
    return g->fronts != NULL || !nets;
}

void sn__grove_begin_stretch(Grove *g, double h) {
    assert(h > 0.0);
    for (int r = 0; r < g->prop_begin && g->stretch; ++r)
        for (int i = 0; i < STIFF_LANES; ++i) {
            double damping = g->rest[r].damping[i];
            g->stretch[r].held[i] = damping / (damping + h) * g->stretch[r].longer[i];
            g->stretch[r].strain[i] = 0.0;
        }
}

void sn__grove_release(const SnAllocator *a, Grove *g) {
    size_t n = (size_t)g->row_capacity;
    sn__free(a, g->row, n * sizeof(StiffRow));
    sn__free(a, g->state, n * sizeof(StiffState));
    sn__free(a, g->rest, n * sizeof(StiffRest));
    sn__free(a, g->motion, n * sizeof(StiffMotion));
    sn__free(a, g->loads, n * sizeof(StiffLoads));
    sn__lent_rows_release(a, &g->own);
    sn__free(a, g->compliance, n * sizeof(StiffCompliance));
    sn__free(a, g->response, n * sizeof(StiffResponse));
    sn__free(a, g->stretch, n * sizeof(StiffStretch));
    sn__fronts_destroy(a, g->fronts);
    sn__free(a, g->loops, (size_t)g->loop_capacity * sizeof(StiffLoop));
    sn__free(a, g->parts, (size_t)g->part_capacity * sizeof(StiffPart));
    memset(g, 0, sizeof *g);
}
