#include "rod/touch.h"

#include "rod/graph.h"
#include "rod/kind.h"
#include "rod/wide.h"

// Part of the radius that a surface may move by beyond what its velocity tells.
#define SPARE 0.02f

static bool may_touch(const Rod *rod) { return rod->filter.mask != 0 || rod->filter.group > 0; }

// Links work on knots, too.
static bool needs_knots(const RodSystem *rods, const RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i) {
        const Rod *rod = pack->lane[i].body != 0 ? &rods->rods[pack->lane[i].body - 1] : NULL;
        if (rod && (may_touch(rod) || rod->links > 0))
            return true;
    }
    return false;
}

int sn__rods_number(RodSystem *rods, int first) {
    for (int k = 0; k < rods->pack_count; ++k) {
        RodPack *pack = rods->packs[k];
        pack->knots = 0;
        if (pack->lanes == 0 || !needs_knots(rods, pack))
            continue;
        if (pack->own_work == NULL && !sn__pack_own_work(&rods->allocator, pack))
            return -1;
        pack->knots = first;
        first += PACK_LANES * (pack->rows + 1);
    }
    for (int k = 0; k < rods->order_count; ++k)
        if (rods->order[k] != 0 && !sn__rod_find_neighbours(rods, &rods->rods[rods->order[k] - 1]))
            return -1;
    return first;
}

int sn__rod_knot(const RodSystem *rods, const Rod *rod, int vertex) {
    if (rod->kind)
        return rod->kind->knot(rod->body, vertex);
    RodPlace at = sn__rod_place(rods, rod, vertex);
    return at.pack->knots + at.row * PACK_LANES + at.lane;
}

const double *sn__rod_knot_origin(const RodSystem *rods, const Rod *rod, int knot) {
    return rod->kind ? rod->kind->origin(rod->body)
                     : rods->packs[rod->pack]->lane[knot % PACK_LANES].origin;
}

void sn__rod_touch(const RodSystem *rods, const Rod *rod) {
    if (rod->kind)
        rod->kind->touch(rod->body);
    else
        rods->packs[rod->pack]->touched = true;
}

// Of the segments at a vertex, one answers for it: where it is the first vertex of a chain's
// segment, or the one that a graph names.
static uint8_t home_of(const RodPack *pack, const Rod *rod, int segment, const int edge[2]) {
    if (pack->graph)
        return (uint8_t)((sn__graph_segment_at(pack->graph, edge[0]) == segment ? 1 : 0) |
                         (sn__graph_segment_at(pack->graph, edge[1]) == segment ? 2 : 0));
    return !rod->closed && segment + 1 == rod->segments ? 3 : 1;
}

void sn__rods_own(const RodSystem *rods, KnotOwner *owners) {
    for (int k = 0; k < rods->order_count; ++k) {
        uint32_t slot = rods->order[k];
        if (slot == 0)
            continue;
        const Rod *rod = &rods->rods[slot - 1];
        if (rod->kind)
            continue;
        const RodPack *pack = rods->packs[rod->pack];
        for (int j = 0; pack->knots != 0 && may_touch(rod) && j < rod->segments; ++j) {
            RodPlace at = sn__rod_place(rods, rod, j);
            int edge[2];
            sn__rod_edge(rods, rod, j, edge);
            owners[pack->knots + at.row * PACK_LANES + at.lane] =
                (KnotOwner){.body = slot,
                            .element = j,
                            .first = sn__rod_knot(rods, rod, edge[0]),
                            .second = sn__rod_knot(rods, rod, edge[1]),
                            .home = home_of(pack, rod, j, edge)};
        }
    }
}

// fminf and fmaxf are calls, because of what they do with what is not a number.
static float lower(float a, float b) { return a < b ? a : b; }
static float higher(float a, float b) { return a > b ? a : b; }

// Around both ends, from where they are to where they go as seen by the observer.
static GridBox box_around(const double origin[3], const Knot *a, const Knot *b,
                          const TouchBounds *bounds, float reach) {
    GridBox box;
    for (int c = 0; c < 3; ++c) {
        float seen = bounds->dt * bounds->velocity[c];
        float to_a = a->place[c] + a->motion[c] - seen, to_b = b->place[c] + b->motion[c] - seen;
        float low =
            lower(lower(a->place[c], to_a) - a->place[3], lower(b->place[c], to_b) - b->place[3]) -
            reach;
        float high = higher(higher(a->place[c], to_a) + a->place[3],
                            higher(b->place[c], to_b) + b->place[3]) +
                     reach;
        double rounding = 2e-7 * fabs(origin[c]);
        box.low[c] = (float)(origin[c] + (double)low - rounding);
        box.high[c] = (float)(origin[c] + (double)high + rounding);
    }
    return box;
}

void sn__pack_add_velocity(const RodPack *pack, double sum[4]) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < pack->lanes; ++i) {
            sum[0] += (double)s->vx[i];
            sum[1] += (double)s->vy[i];
            sum[2] += (double)s->vz[i];
            sum[3] += 1.0;
        }
    }
}

static void place_knots(const RodPack *pack, float dt, Knot *knots) {
    for (int j = 0; j <= pack->rows; ++j) {
        const RodState *s = pack->state + j;
        for (int i = 0; i < pack->lanes; ++i)
            knots[pack->knots + j * PACK_LANES + i] =
                (Knot){.place = {s->x[i], s->y[i], s->z[i], s->s[i] * pack->rest[j].radius[i]},
                       .motion = {dt * s->vx[i], dt * s->vy[i], dt * s->vz[i]}};
    }
}

void sn__pack_bounds(const RodPack *pack, const RodSystem *rods, const TouchBounds *bounds,
                     const KnotOwner *owners, Knot *knots, GridBox *boxes, float *reach) {
    place_knots(pack, bounds->dt, knots);
    float fall = 0.5f * bounds->acceleration * bounds->dt * bounds->dt;
    for (int k = pack->knots; k < pack->knots + PACK_LANES * (pack->rows + 1); ++k) {
        boxes[k] = (GridBox){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
        if (owners[k].body == 0)
            continue;
        const Rod *rod = &rods->rods[owners[k].body - 1];
        const Knot *a = &knots[owners[k].first], *b = &knots[owners[k].second];
        reach[k] = fall + SPARE * higher(a->place[3], b->place[3]) + rod->surface.thickness;
        boxes[k] = box_around(pack->lane[k % PACK_LANES].origin, a, b, bounds, reach[k]);
    }
}
