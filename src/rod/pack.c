#include "rod/pack.h"

#include <assert.h>
#include <string.h>

#include "rod/chain.h"
#include "rod/sections.h"
#include "rod/slices.h"
#include "rod/symbolic.h"

// Rounds up to a few leading bits, so that at most an eighth of a pack is padding.
int sn__pack_rows(int segments) {
    assert(segments > 0);
    int step = 1;
    while (segments > 16 * step)
        step *= 2;
    return (segments + step - 1) / step * step;
}

// Memory for rows −1 to `rows`; the pointer is to row 0.
static void *rows_alloc(const SnAllocator *allocator, int rows, size_t row_size) {
    char *memory = sn__alloc_array(allocator, (size_t)rows + 2, row_size);
    return memory ? memory + row_size : NULL;
}

static void rows_free(const SnAllocator *allocator, void *row0, int rows, size_t row_size) {
    if (row0)
        sn__free(allocator, (char *)row0 - row_size, ((size_t)rows + 2) * row_size);
}

// Row −1 is that of walls (wall.h); without one it is at rest.
static RodWork *work_create(const SnAllocator *allocator, int rows) {
    RodWork *work = rows_alloc(allocator, rows, sizeof(RodWork));
    for (int i = 0; work && i < PACK_LANES; ++i)
        work[-1].ps[i] = work[-1].pqw[i] = 1.0f;
    return work;
}

// Of one iteration in float, all lanes. Rods with seams are solved anew in every pass, and so are those that are too
// long for the memory that workers lend, which would need as much again.
static size_t factors_size(const RodPack *pack) {
    if (pack->aim == NULL || pack->slice || pack->seam_count > 0 || pack->front_rows > 0)
        return 0;
    size_t numbers =
        pack->graph ? (size_t)pack->graph->symbolic->numbers : ((size_t)pack->rows + 1) * KEPT_OPEN;
    return numbers * sizeof(PackRow);
}

bool sn__pack_own_work(const SnAllocator *allocator, RodPack *pack) {
    if (pack->own_work == NULL)
        pack->own_work = work_create(allocator, pack->tall);
    size_t size = factors_size(pack);
    if (pack->factors == NULL && size > 0) {
        pack->factors = sn__alloc_raw(allocator, size);
        pack->factors_size = pack->factors ? size : 0;
    }
    return pack->own_work && (size == 0 || pack->factors);
}

bool sn__lent_create(const SnAllocator *allocator, RodLent *out_lent) {
    out_lent->work = work_create(allocator, LENT_ROWS);
    out_lent->branch = rows_alloc(allocator, LENT_ROWS, sizeof(RodBranch));
    return out_lent->work && out_lent->branch;
}

void sn__lent_destroy(const SnAllocator *allocator, RodLent *lent) {
    rows_free(allocator, lent->work, LENT_ROWS, sizeof(RodWork));
    rows_free(allocator, lent->branch, LENT_ROWS, sizeof(RodBranch));
}

void *sn__front_create(const SnAllocator *allocator) {
    return rows_alloc(allocator, FRONT_ROWS, FRONT_BYTES);
}

void sn__front_destroy(const SnAllocator *allocator, void *front) {
    rows_free(allocator, front, FRONT_ROWS, FRONT_BYTES);
}

static int max(int a, int b) { return a > b ? a : b; }

// Rows of memory for elimination, beyond what a worker lends.
static int own_front_rows(const RodGraph *graph, int rows) {
    if (graph && graph->sliced)
        return 0;
    assert(graph == NULL || graph->symbolic);
    size_t bytes = graph ? sn__symbolic_bytes(graph->symbolic) : (size_t)rows * FRONT_BYTES;
    int needed = (int)((bytes + FRONT_BYTES - 1) / FRONT_BYTES);
    return needed > FRONT_ROWS ? needed : 0;
}

bool sn__pack_create(const SnAllocator *allocator, int rows, RodGraph *graph, RodPackKind kind,
                     RodPack *out_pack) {
    RodPack pack = {0};
    assert(rows > 0 || graph);
    pack.rows = graph ? max(graph->vertices, graph->segments) - 1 : rows;
    pack.tall = graph ? max(pack.rows, graph->joints - 1) : rows;
    pack.graph = graph;
    pack.classic = kind.classic;
    pack.dirty = true;
    pack.state = rows_alloc(allocator, pack.rows, sizeof(RodState));
    pack.rest = rows_alloc(allocator, pack.tall, sizeof(RodRest));
    pack.own_prepared = rows_alloc(allocator, pack.tall, sizeof(RodPrepared));
    bool large = pack.tall > LENT_ROWS;
    pack.own_turn = rows_alloc(allocator, pack.tall, sizeof(RodTurn));
    if (kind.direct) {
        pack.aim = rows_alloc(allocator, pack.rows, sizeof(RodAim));
        pack.front_rows = own_front_rows(graph, rows);
    }
    if (pack.front_rows > 0)
        pack.own_front = rows_alloc(allocator, pack.front_rows, FRONT_BYTES);
    if (large)
        pack.own_work = work_create(allocator, pack.tall);
    if (graph && large)
        pack.own_branch = rows_alloc(allocator, pack.rows, sizeof(RodBranch));
    bool bundled = graph && graph->sections > 0;
    if (bundled) {
        pack.bundle = rows_alloc(allocator, pack.rows, sizeof(RodBundle));
        pack.section = rows_alloc(allocator, graph->sections, sizeof(RodSection));
        pack.buried = rows_alloc(allocator, pack.rows, sizeof pack.buried[0]);
    }
    bool sliced = bundled && kind.direct;
    if (sliced) {
        pack.slice = rows_alloc(allocator, graph->sections, sizeof(RodSlice));
        pack.member = rows_alloc(allocator, pack.rows, sizeof(SliceMember));
    }
    pack.held = rows_alloc(allocator, pack.rows, sizeof pack.held[0]);
    *out_pack = pack;
    if (pack.state == NULL || pack.rest == NULL || pack.own_prepared == NULL || pack.held == NULL ||
        pack.own_turn == NULL || (sliced && (pack.slice == NULL || pack.member == NULL)) ||
        (bundled && (pack.bundle == NULL || pack.section == NULL || pack.buried == NULL)) ||
        (large && pack.own_work == NULL) || (graph && large && pack.own_branch == NULL) ||
        (kind.direct && pack.aim == NULL) || (pack.front_rows > 0 && pack.own_front == NULL)) {
        sn__pack_destroy(allocator, out_pack);
        return false;
    }
    for (int lane = 0; lane < PACK_LANES; ++lane)
        sn__pack_clear_lane(out_pack, lane);
    return true;
}

void sn__pack_destroy(const SnAllocator *allocator, RodPack *pack) {
    rows_free(allocator, pack->state, pack->rows, sizeof(RodState));
    rows_free(allocator, pack->rest, pack->tall, sizeof(RodRest));
    rows_free(allocator, pack->own_prepared, pack->tall, sizeof(RodPrepared));
    rows_free(allocator, pack->own_turn, pack->tall, sizeof(RodTurn));
    rows_free(allocator, pack->own_branch, pack->rows, sizeof(RodBranch));
    rows_free(allocator, pack->own_work, pack->tall, sizeof(RodWork));
    rows_free(allocator, pack->aim, pack->rows, sizeof(RodAim));
    rows_free(allocator, pack->own_front, pack->front_rows, FRONT_BYTES);
    sn__free(allocator, pack->factors, pack->factors_size);
    rows_free(allocator, pack->loads, pack->rows, sizeof(RodLoads));
    rows_free(allocator, pack->held, pack->rows, sizeof pack->held[0]);
    rows_free(allocator, pack->bundle, pack->rows, sizeof(RodBundle));
    rows_free(allocator, pack->buried, pack->rows, sizeof pack->buried[0]);
    rows_free(allocator, pack->section, pack->graph ? pack->graph->sections : 0,
              sizeof(RodSection));
    rows_free(allocator, pack->slice, pack->graph ? pack->graph->sections : 0, sizeof(RodSlice));
    rows_free(allocator, pack->member, pack->rows, sizeof(SliceMember));
    sn__chain_release(allocator, pack);
    sn__free(allocator, pack->leads, (size_t)pack->lead_capacity * sizeof(RodLead));
    sn__free(allocator, pack->ties, (size_t)pack->tie_capacity * sizeof(RodTie));
    *pack = (RodPack){0};
}

bool sn__pack_reserve_loads(const SnAllocator *allocator, RodPack *pack) {
    if (pack->loads == NULL)
        pack->loads = rows_alloc(allocator, pack->rows, sizeof(RodLoads));
    return pack->loads != NULL;
}

void sn__pack_clear_loads(RodPack *pack) {
    assert(!pack->loaded || pack->loads);
    if (pack->loaded)
        memset(pack->loads, 0, ((size_t)pack->rows + 1) * sizeof(RodLoads));
    pack->loaded = pack->struck = false;
}

// All kinds of rows are lists of PackRow.
static void clear_rows(void *row0, int rows, size_t row_size, int lane) {
    assert(row0 && (uintptr_t)row0 % sizeof(PackRow) == 0 && row_size % sizeof(PackRow) == 0);
    PackRow *row = (PackRow *)((char *)row0 - row_size);
    for (size_t i = 0; i < ((size_t)rows + 2) * (row_size / sizeof(PackRow)); ++i)
        row[i][lane] = 0.0f;
}

void sn__pack_clear_lane(RodPack *pack, int lane) {
    assert(lane >= 0 && lane < PACK_LANES);
    pack->asleep[lane] = false;
    clear_rows(pack->state, pack->rows, sizeof(RodState), lane);
    clear_rows(pack->rest, pack->tall, sizeof(RodRest), lane);
    clear_rows(pack->own_prepared, pack->tall, sizeof(RodPrepared), lane);
    clear_rows(pack->own_turn, pack->tall, sizeof(RodTurn), lane);
    for (int k = -1; k <= pack->tall; ++k)
        pack->own_turn[k].w[lane] = 1.0f;
    if (pack->loads)
        clear_rows(pack->loads, pack->rows, sizeof(RodLoads), lane);
    if (pack->bundle) {
        clear_rows(pack->bundle, pack->rows, sizeof(RodBundle), lane);
        clear_rows(pack->section, pack->graph->sections, sizeof(RodSection), lane);
    }
    for (int k = 0; pack->slice && k < pack->graph->sections; ++k)
        pack->slice[k].q[3][lane] = pack->slice[k].s[lane] = 1.0;
    for (int j = -1; j <= pack->rows; ++j) {
        pack->state[j].s[lane] = 1.0f;
        pack->state[j].qw[lane] = 1.0f;
        pack->state[j].length_scale[lane] = 1.0f;
        pack->rest[j].radius[lane] = 1.0f;
        if (pack->bundle)
            pack->bundle[j].frame_w[lane] = 1.0f;
        pack->held[j][lane] = HELD_VERTEX | HELD_FRAME | HELD_SCALE;
    }
    pack->lane[lane] = (RodLane){0};
    pack->newton_late[lane] = 0.0f;
    pack->damping[lane] = pack->drag[lane] = pack->gravity_scale[lane] = 0.0f;
    pack->density[lane] = 1.0f;
    pack->section_compliance[lane] = pack->section_scaled[lane] = 0.0f;
    pack->dirty = pack->renewed = true;
}
