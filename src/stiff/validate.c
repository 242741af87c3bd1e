// Whether the groves and the trees in them fit together.
#include "stiff/validate.h"

#include "base/require.h"
#include "stiff/stiff.h"

static SnResult check_joints(const StiffRod *t, uint32_t slot) {
    for (int i = 0; i < t->joints; ++i) {
        const StiffJoint *j = &t->joint[i];
        REQUIRE(j->a >= 0 && j->a < t->segments && j->b >= 0 && j->b < t->segments && j->a != j->b,
                "body %u: joint %d: segments %d and %d", slot, i, j->a, j->b);
    }
    for (int i = 0; i < t->points; ++i)
        REQUIRE(t->home[i] >= 0 && t->home[i] / 2 < t->segments, "body %u: point %d: home %d", slot,
                i, t->home[i]);
    for (int j = 0; j < t->segments; ++j)
        REQUIRE(t->ends[j][0] >= 0 && t->ends[j][0] < t->points && t->ends[j][1] >= 0 &&
                    t->ends[j][1] < t->points,
                "body %u: segment %d: ends %d and %d", slot, j, t->ends[j][0], t->ends[j][1]);
    return sn_ok();
}

static SnResult check_leads(const StiffRod *t, uint32_t slot) {
    REQUIRE(t->lead_count <= t->lead_capacity, "body %u: too many leads", slot);
    for (int k = 0; k < t->lead_count; ++k) {
        const StiffLead *l = &t->leads[k];
        bool vertex = l->held == HELD_VERTEX;
        REQUIRE(vertex || l->held == HELD_FRAME, "body %u: lead %d: it holds %d", slot, k, l->held);
        REQUIRE(l->index >= 0 && l->index < (vertex ? t->vertices : t->segments),
                "body %u: lead %d: index %d", slot, k, l->index);
        REQUIRE((vertex ? t->vertex_lead : t->frame_lead)[l->index] == k,
                "body %u: lead %d is not that of what it holds", slot, k);
        REQUIRE(l->owner != 0, "body %u: lead %d: it serves nobody", slot, k);
    }
    int leads = 0;
    for (int i = 0; i < t->vertices; ++i)
        leads += t->vertex_lead[i] >= 0;
    for (int j = 0; j < t->segments; ++j)
        leads += t->frame_lead[j] >= 0;
    REQUIRE(leads == t->lead_count, "body %u: %d are held by %d leads", slot, leads, t->lead_count);
    return sn_ok();
}

static SnResult check_tree(const StiffSystem *rods, const Body *body) {
    const StiffRod *t = stiff_of(body);
    REQUIRE(body->system == rods && t->system == rods, "body %u: of another system", body->slot);
    REQUIRE(t->vertices == body->points && t->segments == body->elements &&
                t->points >= t->vertices,
            "body %u: %d vertices, %d points and %d segments", body->slot, t->vertices, t->points,
            t->segments);
    REQUIRE(t->grove >= 0 && t->grove < rods->grove_count, "body %u: grove %d", body->slot,
            t->grove);
    REQUIRE(t->asleep == body->sleep.asleep, "body %u: its tree sleeps alone", body->slot);
    SnResult result = check_joints(t, body->slot);
    return result.code == SN_OK ? check_leads(t, body->slot) : result;
}

static bool is_place(const Grove *g, int slot) {
    return slot >= 0 && slot / STIFF_LANES < g->rows &&
           slot % STIFF_LANES < g->row[slot / STIFF_LANES].count;
}

// A segment is solved after its children, so that it lies behind them; a prop is held by a segment.
static SnResult check_rows(const Grove *g, int index) {
    REQUIRE(g->prop_begin >= 0 && g->prop_begin <= g->still_begin &&
                g->still_begin <= g->loose_begin && g->loose_begin <= g->rows &&
                g->rows <= g->row_capacity,
            "grove %d: its rows are out of order", index);
    for (int r = 0; r < g->still_begin; ++r) {
        const StiffRow *row = &g->row[r];
        REQUIRE(row->count <= STIFF_LANES, "grove %d: row %d: %d lanes", index, r, row->count);
        for (int i = 0; i < row->count; ++i) {
            int up = row->parent[i] / STIFF_LANES;
            REQUIRE(is_place(g, row->parent[i]), "grove %d: row %d: lane %d: parent %d", index, r,
                    i, row->parent[i]);
            REQUIRE(r < g->prop_begin ? up > r : up < g->prop_begin,
                    "grove %d: row %d: lane %d: its parent is in row %d", index, r, i, up);
            REQUIRE(row->aligned < 0 || row->parent[i] == row->aligned * STIFF_LANES + i,
                    "grove %d: row %d: lane %d is not aligned", index, r, i);
        }
    }
    for (int k = 0; k < g->loop_count; ++k)
        REQUIRE(is_place(g, g->loops[k].slot[0]) && is_place(g, g->loops[k].slot[1]),
                "grove %d: ring %d: places %d and %d", index, k, g->loops[k].slot[0],
                g->loops[k].slot[1]);
    return sn_ok();
}

// Sums of these are the same for the same set of places, and hardly ever for another one.
static uint64_t mixed(int slot) {
    uint64_t z = ((uint64_t)slot + 1) * 0x9E3779B97F4A7C15u;
    return (z ^ (z >> 29)) * 0xBF58476D1CE4E5B9u;
}

// Every lane of a segment is that of one segment.
static SnResult check_places(const StiffGrove *grove, int index) {
    const Grove *g = &grove->g;
    uint64_t taken = 0, there = 0;
    for (int k = 0; k < grove->rod_count; ++k) {
        const StiffRod *t = grove->rods[k];
        REQUIRE(t->fresh == NULL, "grove %d: tree %d is not planted", index, k);
        for (int j = 0; j < t->segments; ++j) {
            bool fixed = sn__stiff_is_fixed(t, j);
            REQUIRE(is_place(g, t->slot[j]) && (t->slot[j] / STIFF_LANES >= g->prop_begin) == fixed,
                    "grove %d: tree %d: segment %d: place %d", index, k, j, t->slot[j]);
            taken += fixed ? 0 : mixed(t->slot[j]);
        }
    }
    for (int r = 0; r < g->prop_begin; ++r)
        for (int i = 0; i < g->row[r].count; ++i)
            there += mixed(r * STIFF_LANES + i);
    REQUIRE(taken == there, "grove %d: places are taken twice, or not at all", index);
    return sn_ok();
}

static SnResult check_grove(const StiffSystem *rods, int index) {
    const StiffGrove *grove = &rods->groves[index];
    REQUIRE(grove->rod_count <= grove->rod_capacity, "grove %d: too many trees", index);
    int segments = 0;
    for (int k = 0; k < grove->rod_count; ++k) {
        REQUIRE(grove->rods[k]->grove == index, "grove %d: tree %d is of grove %d", index, k,
                grove->rods[k]->grove);
        segments += grove->rods[k]->segments;
    }
    REQUIRE(segments == grove->segments, "grove %d: %d segments, not %d", index, segments,
            grove->segments);
    if (grove->dirty || grove->rod_count == 0)
        return sn_ok();
    SnResult result = check_rows(&grove->g, index);
    return result.code == SN_OK ? check_places(grove, index) : result;
}

SnResult sn__stiff_rods_validate(const void *system) {
    const StiffSystem *rods = system;
    SnResult result = sn_ok();
    const Body *body;
    int bodies = 0, planted = 0, empty = 0;
    for (int k = 0; result.code == SN_OK &&
                    (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL;
         ++k, ++bodies)
        result = check_tree(rods, body);
    for (int k = 0; k < rods->grove_count && result.code == SN_OK; ++k) {
        planted += rods->groves[k].rod_count;
        empty += rods->groves[k].rod_count == 0;
        result = check_grove(rods, k);
    }
    if (result.code != SN_OK)
        return result;
    REQUIRE(planted == bodies, "groves: %d trees of %d bodies", planted, bodies);
    REQUIRE(empty == rods->empty_groves, "groves: %d are empty, not %d", empty, rods->empty_groves);
    return result;
}
