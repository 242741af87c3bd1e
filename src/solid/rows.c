// Edges side by side, as the kernels want them, and the kernels for each instruction set.
#include <string.h>

#include "base/isa.h"
#include "base/wide.h"
#include "solid/solid.h"

static void fill_lane(const Solid *s, int k, SolidRow *row, int l) {
    const SolidEdge *e = &s->edges[k];
    const double rest[3] = {e->rest.x, e->rest.y, e->rest.z};
    const double bend[6] = {e->bend.xx, e->bend.yy, e->bend.zz, e->bend.xy, e->bend.xz, e->bend.yz};
    row->i[l] = e->i;
    row->j[l] = e->j;
    row->place_i[l] = s->graph->plan.place[e->i];
    row->place_j[l] = s->graph->plan.place[e->j];
    for (int c = 0; c < 3; ++c)
        row->rest[c][l] = rest[c];
    if (e->broken)
        return;
    for (int c = 0; c < 6; ++c)
        row->bend[c][l] = bend[c];
    row->stretch[l] = e->stretch;
    row->inverse[l] = 1.0 / dotd(e->rest, e->rest);
}

void sn__solid_fill_rows(Solid *s) {
    memset(s->rows, 0, (size_t)sn__solid_row_count(s) * sizeof *s->rows);
    for (int k = 0; k < s->edge_count; ++k) {
        SolidRow *row = &s->rows[k / EDGE_ROW];
        fill_lane(s, k, row, k % EDGE_ROW);
        row->count = k % EDGE_ROW + 1;
    }
}

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        .gradient = PASTE(solid_gradient, isa), .note = PASTE(solid_note, isa),                    \
        .predict = PASTE(solid_predict, isa), .finish = PASTE(solid_finish, isa),                  \
        .fastest = PASTE(solid_fastest, isa), .size = PASTE(solid_size, isa),                      \
        .inertia = PASTE(solid_inertia, isa), .measure = PASTE(solid_measure, isa),                \
        .move = PASTE(solid_move, isa), .collect = PASTE(solid_collect, isa),                      \
        .spread = PASTE(solid_spread, isa), .turn = PASTE(solid_turn, isa),                        \
        .tell = PASTE(solid_tell, isa), .heard = PASTE(solid_heard, isa),                          \
        .hear = PASTE(solid_hear, isa), .shift = PASTE(solid_shift, isa)                           \
    }

const SolidKernels *sn__solid_kernels(SnIsa isa) {
    static const SolidKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
